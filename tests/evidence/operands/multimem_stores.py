"""Records which registers ptxas accepts as the value of multimem.st.async, for each type.

Writes multimem_stores.txt: a small module a line, `+` accepted, `-` rejected.

usage: multimem_stores.py
"""

from small_modules import record

TYPES = "b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64".split()
REGISTERS = "b16 u16 s16 f16 b32 u32 s32 f32 f16x2 b64 u64 s64 f64".split()

record(
    "multimem_stores.txt",
    (
        f".version 9.3 .target sm_100 .address_size 64 .entry k() {{ .reg .b64 a; .reg .{register} x; "
        f"multimem.st.async.release.gpu.{ty} [a], x; ret; }}"
        for ty in TYPES
        for register in REGISTERS
    ),
)
