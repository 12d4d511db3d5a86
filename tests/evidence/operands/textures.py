"""Records what ptxas says about textures and surfaces in the place of addresses, mbarriers and elements of lists.

Writes textures.txt: a small module a line, `+` accepted, `-` rejected.

usage: textures.py
"""

from small_modules import record

DECLARATIONS = """.global .texref t; .global .surfref s; .global .u32 gv; .shared .b64 sv; .entry k() {
.reg .b16 h<9>; .reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 l<9>; .reg .b128 q<9>;""".replace("\n", " ")
COPY = "mbarrier::complete_tx::bytes"
INSTRUCTIONS = f"""
mov.b32 r0, {{h1,@}};
mov.b64 l0, {{r1,@}};
mov.b64 l0, {{@,r1}};
mov.b64 l0, {{1,@}};
mov.b64 {{r0,@}}, l1;
mov.b128 q0, {{l1,@}};
mov.b64 l0, @;
mov.b32 r0, @;
st.global.v2.b32 [l1], {{r1,@}};
st.global.v2.b64 [l1], {{l1,@}};
st.global.v2.f32 [l1], {{f1,@}};
ld.global.v2.b32 {{r0,@}}, [l1];
atom.global.v2.add.f32 {{f0,f1}}, [l1], {{f1,@}};
st.async.weak.shared::cluster.{COPY}.b32 [l1], r1, [@];
st.async.weak.shared::cluster.{COPY}.b32 [l1], r1, [@+8];
st.async.weak.shared::cluster.{COPY}.v2.b32 [l1], {{r1,r2}}, [@];
st.async.weak.shared::cluster.{COPY}.b32 [@], r1, [l1];
st.async.weak.shared::cluster.{COPY}.v2.b32 [l1], {{r1,@}}, [l2];
red.async.relaxed.cluster.shared::cluster.{COPY}.add.u32 [l1], r1, [@];
red.async.relaxed.cluster.{COPY}.add.u32 [l1], r1, [@];
red.async.relaxed.cluster.shared::cluster.{COPY}.add.u32 [@], r1, [l1];
mbarrier.init.shared.b64 [@], 1;
mbarrier.arrive.shared.b64 l0, [@];
createpolicy.range.L2::evict_last.b64 l0, [@], r1, r2;
createpolicy.range.global.L2::evict_last.b64 l0, [@], r1, r2;
createpolicy.range.global.L2::evict_last.b64 l0, [@+8], r1, r2;
createpolicy.range.global.L2::evict_last.b64 l0, [l1], r1, @;
createpolicy.fractional.L2::evict_last.b64 l0, @;
applypriority.global.L2::evict_normal [@], 128;
discard.global.L2 [@], 128;
prefetch.global.L2 [@];
cp.async.ca.shared.global [l1], [@], 4;
cp.async.ca.shared.global [@], [l1], 4;
cp.async.bulk.prefetch.L2.global [@], 16;
""".strip().split("\n")


record(
    "textures.txt",
    (
        f".version 9.5 .target sm_90 .address_size 64 {DECLARATIONS} {instruction.replace('@', name)} ret; }}"
        for instruction in INSTRUCTIONS
        for name in ("t", "s", "gv", "sv")
    ),
)
