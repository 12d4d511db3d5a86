"""The modules in which record.py asks: declarations, and what surrounds the instructions."""

REGISTERS = "pred b8 u8 s8 b16 u16 s16 f16 f16x2 b32 u32 s32 f32 b64 u64 s64 f64 b128".split()
OLD_REGISTERS = "pred b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64".split()
BANKS = "\n".join(f".reg .{ty} R{ty}, S{ty}, T{ty}, U{ty};" for ty in REGISTERS)
OLD_BANKS = "\n".join(f".reg .{ty} R{ty}, S{ty}, T{ty}, U{ty};" for ty in OLD_REGISTERS)
VECTOR_REGISTERS = [f"V{n}{ty}" for n, ty in
                    [(2, "b32"), (2, "f32"), (4, "f32"), (2, "b64"), (4, "b32"), (2, "f16"), (2, "b16"), (4, "b16"), (2, "u32"),
                     (2, "s32"), (2, "u64"), (4, "u16"), (4, "b8"), (4, "u8"), (2, "f64"), (2, "f16x2"), (4, "f16x2")]]
VECTORS = "\n".join(f".reg .v{name[1]} .{name[2:]} {name};" for name in VECTOR_REGISTERS)
GLOBALS = """.global .align 16 .b32 g[64];
.shared .align 16 .b32 s[64];
.const .b32 c[4];
.global .u64 gg;
.global .f32 gf;
.global .align 16 .v4 .f32 gv;
.extern .shared .align 16 .b8 dyn[];
.extern .global .b32 eg;
.func before(.reg .b32 x) { ret; }
.extern .func declared(.param .b32 x);"""

FLAT = f""".version 9.5
.target sm_90
.address_size 64
{GLOBALS}
.visible .entry kernel(.param .u64 prm, .param .b32 prm32) {{
.local .b32 l[4];
.shared .b32 ls[4];
{BANKS}
{VECTORS}
.reg .b64 a, pol; .reg .b32 a32; .reg .pred p, q; .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %rd<5>;
Back:
@@
Label: ret;
}}
.func after(.reg .b32 x) {{ ret; }}
.global .b32 late;
"""

# The number of the first line between is that of the line with the mark.
WRAPPERS = {
    "flat": FLAT,
    "nested": f""".version 9.5
.target sm_90
.address_size 64
{GLOBALS}
.visible .entry kernel(.param .u64 prm, .param .b32 prm32) {{
.local .b32 l[4];
{BANKS}
.reg .b64 a, pol; .reg .b32 a32; .reg .pred p, q; .reg .f64 %r<5>; .reg .b32 %f<5>; .reg .b32 %rd4; .reg .b64 outer;
{{ .reg .b32 sibling; .shared .b32 ls[4]; Back: }}
{{
{VECTORS}
.reg .f32 Ru32; .reg .u32 Sf32; .reg .pred a32; .reg .b32 p; .shared .b32 g[4]; .reg .b32 gg; .reg .u64 s;
.reg .b32 %r<3>; .reg .f32 %f2; .reg .b64 %rd<5>; .reg .b64 before; .reg .b32 %laneid; .reg .f32 kernel;
@@
{{ .reg .b32 deeper; .global .b32 late; }}
Label:
}}
.reg .b32 %rd0;
ret;
}}
.func after(.reg .b32 x) {{ ret; }}
""",
    "function": f""".version 9.5
.target sm_90
.address_size 64
{GLOBALS}
.func (.reg .u32 %r0) kernel(.reg .b64 a, .reg .pred p, .reg .u64 pol, .reg .f16 a32, .param .b32 prm32, .param .b64 prm) {{
.reg .pred q;
{BANKS}
{VECTORS}
.reg .b16 %f<4>; .param .b32 l; .local .b32 ls;
@@
Label:
Back: ret;
}}
""",
    "family": FLAT.replace(".target sm_90\n", ".target sm_100a\n"),
    "old": f""".version 2.3
.target sm_20
.address_size 32
.global .align 16 .b32 g[64];
.shared .align 16 .b32 s[64];
.const .b32 c[4];
.global .u64 gg;
.global .f32 gf;
.extern .shared .align 16 .b8 dyn[];
.func before(.reg .b32 x) {{ ret; }}
.entry kernel(.param .u64 prm, .param .b32 prm32) {{
.local .b32 l[4];
{OLD_BANKS}
.reg .b64 a, pol; .reg .b32 a32; .reg .pred p, q; .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %rd<5>;
@@
Label: ret;
}}
""",
}
ARCHITECTURES = {"family": "compute_100a"}
