"""Records what ptxas says about samplers in modules with `texmode_independent`, and without it.

Writes samplers.txt: a small module a line, `+` accepted, `-` rejected.

usage: samplers.py
"""

from small_modules import record

DECLARATIONS = """.global .texref t; {sampler} .global .surfref s; .global .u32 gv; .entry k(.param .texref tp) {{
.reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 l<9>; .reg .u32 ru;""".replace("\n", " ")
MODES = [(", texmode_independent", ".global .samplerref m;"), ("", "")]
INSTRUCTIONS = """
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,t,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [m,m,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [m,t,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [l0,l1,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [l0,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,l1,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,gv,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,r1,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [l0,m,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [l0,r1,{f0,f1}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [tp,m,{f0,f1}];
tex.level.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,{f0,f1}], f0;
tex.level.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}], f0;
tex.level.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,r1,{f0,f1}], f0;
tex.base.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,{f0,f1}];
tex.base.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}];
tex.grad.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,{f0,f1}], {f0,f1}, {f0,f1};
tex.grad.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}], {f0,f1}, {f0,f1};
tld4.r.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,{f0,f1}];
tld4.r.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}];
tex.a1d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{r0,f1}];
tex.a1d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}];
tex.a1d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f1}];
tex.a2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{ru,f1,f2,f3}];
tex.a2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1,f2,f3}];
tex.2dms.v4.f32.s32 {f0,f1,f2,f3}, [t,{r0,r1,r2,r3}];
tex.2dms.v4.f32.s32 {f0,f1,f2,f3}, [t,m,{r0,r1,r2,r3}];
tex.2dms.v4.f32.s32 {f0,f1,f2,f3}, [t,m,{r0,r1}];
tex.3d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1}];
tex.3d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0,f1,f2,f3}];
tex.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0}];
tex.2d.v4.f32.s32 {f0,f1,f2,f3}, [t,m,{f0,f1}];
tex.2d.v4.f32.s32 {f0,f1,f2,f3}, [t,m,{r0,r1}];
tex.level.2d.v4.f32.f32 {f0,f1,f2,f3}, [t,m,{f0}], f0;
txq.width.b32 r0, [t];
txq.width.b32 r0, [m];
txq.filter_mode.b32 r0, [m];
txq.filter_mode.b32 r0, [t];
txq.width.b32 r0, [s];
txq.addr_mode_0.b32 r0, [m];
txq.addr_mode_0.b32 r0, [t];
txq.normalized_coords.b32 r0, [t];
txq.normalized_coords.b32 r0, [m];
txq.channel_order.b32 r0, [m];
txq.force_unnormalized_coords.b32 r0, [m];
txq.force_unnormalized_coords.b32 r0, [t];
""".strip().split("\n")


def modules():
    """The modules. Without the option there is no sampler, and a 32-bit register in its place is accepted after some textures only."""
    for option, sampler in MODES:
        head = f".version 9.5 .target sm_90{option} .address_size 64 " + DECLARATIONS.format(sampler=sampler)
        for instruction in INSTRUCTIONS:
            if sampler or not any(part in instruction for part in ["m,", "[m]", ",r1,"]):
                yield f"{head} {instruction} ret; }}"


record("samplers.txt", modules())
