"""Records what ptxas says about accesses to the parameters and results of functions, and about converted addresses.

Writes parameters.txt: a small module a line, `+` accepted, `-` rejected.

usage: parameters.py
"""

from small_modules import record

BEFORE = ".global .u32 gv; .global .u32 ga[4]; .shared .u32 sv; .const .u32 cv; .global .texref t; .func fn() { ret; }"
REGISTERS = ".reg .b32 r<4>; .reg .v2 .b32 v; .reg .b64 l<4>; .reg .f32 f; .local .u32 lv; .param .b32 own; .param .b8 bytes[16];"
HEADS = [
    ".func (.param .b32 out) k(.param .b32 in)",
    ".func (.param .align 8 .b8 out[16]) k(.param .align 8 .b8 in[16], .param .b32 more)",
    ".entry k(.param .b32 in)",
    ".entry k(.param .align 8 .b8 in[16])",
]
ACCESSES = """
ld.param.b32 r0, [@];
ld.param.b32 r0, [@+4];
ld.param.v2.b32 {r0,r1}, [@];
st.param.b32 [@], r0;
st.param.b32 [@+4], 1;
st.param.v2.b32 [@], {r0,r1};
mov.b64 l0, @;
cvta.param.u64 l0, @;
cvta.param.u64 l0, @+4;
cvta.to.param.u64 l0, @;
cvta.global.u64 l0, @+4;
""".split("\n")
ADDRESSES = ["gv", "gv+4", "ga", "ga[1]", "sv", "sv+4", "cv", "cv+4", "lv", "lv+4", "fn", "fn+4", "t", "t+4", "l1", "l1+4", "r1", "f", "5", "1.0", "_", "nowhere"]
SPACES = "global shared shared::cta shared::cluster const local param".split()


def modules():
    """The modules."""
    for head in HEADS:
        names = ["in", "own", "bytes"] + (["out"] if "out" in head else [])
        for access in filter(None, ACCESSES):
            for name in names:
                yield f"{head} {{ {REGISTERS} {access.replace('@', name)} ret; }}"
    for space in SPACES:
        for address in ADDRESSES:
            for opcode in ("cvta", "cvta.to"):
                yield f".entry k() {{ {REGISTERS} {opcode}.{space}.u64 l0, {address}; ret; }}"


record("parameters.txt", (f".version 9.5 .target sm_90 .address_size 64 {BEFORE} {module}" for module in modules()))
