"""Records which branch targets and which calls ptxas accepts: small modules, one a line of targets.txt, with `+` where it is accepted and `-` where it
is refused.

usage: targets.py
"""

from small_modules import record

HEAD = ".version 9.5 .target sm_90 .address_size 64"
BRANCHES = """
bra L; L: ret;
L: bra L; ret;
{ bra L; } L: ret;
{ L: } bra L; ret;
bra L; { L: } ret;
{ L: ret; } { bra L; } ret;
{ bra L; } { L: ret; } ret;
L: { bra L; } ret;
L: { L: bra L; } ret;
{ L: ret; } L: bra L;
{ L: ret; } bra L; L: ret;
L: { bra L; L: } ret;
.reg .b32 L; { bra L; L: ret; } ret;
L: { .reg .b32 L; bra L; } ret;
{ .reg .b32 L; bra L; } L: ret;
bra L; { .reg .b32 L; } L: ret;
.reg .b32 r; { r: bra r; } ret;
bra L; .reg .b32 L; ret;
bra L; .reg .b32 L<4>; ret;
bra r1; .reg .b32 r<4>; ret;
.reg .b32 r<4>; bra r1; ret;
.reg .b32 r<4>; bra r4; ret;
.reg .b32 r<4>; bra r4; r4: ret;
bra before; ret;
before: bra before; ret;
bra variable; ret;
bra parameter; ret;
bra kernel; ret;
bra inside; ret;
bra late; ret;
bra late; late: ret;
bra behind; ret;
bra %tid; ret;
bra %laneid; ret;
bra WARP_SZ; ret;
bra nosuch; ret;
bra; ret;
bra L, L; L: ret;
bra L+4; L: ret;
bra [L]; L: ret;
bra T; T: .branchtargets L; L: ret;
L: T: .branchtargets L; bra T; ret;
L: P: .callprototype _ (); bra P; ret;
C: .calltargets before; bra C; ret;
.reg .pred p; @p bra L; L: ret;
.reg .b32 r; @r bra L; L: ret;
.reg .b32 r; T: .branchtargets L; brx.idx r, T; L: ret;
.reg .b32 r; brx.idx r, T; T: .branchtargets L; L: ret;
.reg .b32 r; { T: .branchtargets L; } brx.idx r, T; L: ret;
.reg .b32 r; T: .branchtargets L; { brx.idx r, T; } L: ret;
.reg .b32 r; L: brx.idx r, L; ret;
.reg .b32 r; brx.idx r, L; L: ret;
.reg .b32 r; P: .callprototype _ (); brx.idx r, P; ret;
.reg .b32 r; C: .calltargets before; brx.idx r, C; ret;
.reg .b32 r; S: T: .branchtargets L; brx.idx r, T; L: ret;
.reg .b32 r; S: T: .branchtargets L; brx.idx r, S; L: ret;
.reg .b32 r; brx.idx r, other; ret;
.reg .b32 r; brx.idx r, before; ret;
.reg .b32 r; brx.idx r, r; ret;
.reg .b32 r; brx.idx r, %laneid; ret;
.reg .u64 r; T: .branchtargets L; brx.idx r, T; L: ret;
T: .branchtargets L; brx.idx 0, T; L: ret;
T: .branchtargets L, M; L: ret;
T: .branchtargets L; { L: } ret;
{ T: .branchtargets L; } L: ret;
{ T: .branchtargets L; L: } ret;
{ L: } T: .branchtargets L; ret;
.reg .b32 r; T: .branchtargets r; ret;
T: .branchtargets r; .reg .b32 r; ret;
T: .branchtargets before; ret;
T: .branchtargets T; ret;
T: .branchtargets U; ret; U: .branchtargets L; L: ret;
U: .branchtargets L; T: .branchtargets U; L: ret;
T: .branchtargets L<3>; L0: L1: L2: ret;
T: .branchtargets variable; ret;
T: .branchtargets %laneid; ret;
L: T /* L: . */ : /* . */ .branchtargets /* M, */ L; ret;
T: .branchtargets inside; ret;
T: .branchtargets parameter; ret;
"""

CALLS = """
call g;
call g, ();
call h;
call h, ();
call h, (p32);
call h, (pu32);
call h, (pf32);
call h, (p64);
call h, (pa);
call h, (r0);
call h, (ru);
call h, (f0);
call h, (l0);
call h, (1);
call h, (1.0);
call h, (variable);
call h, (late);
call h, (parameter);
call h, (p0);
call h, (h0);
call h, (_);
call h, (g);
call h, (L);
call h, (nosuch);
call h, (%laneid);
call h, (WARP_SZ);
call h, (x2);
call h, (p32, p32);
call (p32), h, (p32);
call (p32), hr, (p32, p64);
call (r0), hr, (p32, p64);
call (_), hr, (p32, p64);
call hr, (p32, p64);
call (p64), hr, (p32, p64);
call (p32), hr, (p64, p32);
call (p32), hr, (p32);
call (p32, p32), hr, (p32, p64);
call (), hr, (p32, p64);
call (1), hr, (p32, p64);
call (f0), ff, (h0);
call (r0), ff, (h0);
call (ru), ff, (h0);
call (f0), ff, (half);
call (f0), ff, (f0);
call (1), ff, (h0);
call hf, (f0);
call hf, (r0);
call hf, (ru);
call hf, (1);
call hf, (1.0);
call hf, (0f3f800000);
call hf, (1+2);
call hu, (ru);
call hu, (rs);
call hu, (r0);
call hu, (f0);
call hu, (1.0);
call hp, (p0);
call hp, (r0);
call hp, (1);
call ar, (pa);
call ar, (pa4);
call ar, (pb);
call ar, (p64);
call ar, (1);
call ar4, (pa4);
call ar4, (pw);
call ar4, (pwf);
call ar4, (pa);
call open, (pa4);
call open, (p32);
call aligned, (p32);
call aligned, (p16);
call aligned, (r0);
call h, (p16);
call hv, (v2);
call hv, (l0);
call kernel, (p32);
call behind;
call nosuch;
call L;
call variable;
call r0;
call l0;
call l0, (), P0;
call l0, P0;
call r0, (), P0;
call ls, (), P0;
call h0, (), P0;
call f0, (), P0;
call p0, (), P0;
call b0, (), P0;
call l0, (), P1;
call l0, (p32), P1;
call l0, (p64), P1;
call l0, P1;
call (p32), l0, (p32, p64), P2;
call l0, (p32, p64), P2;
call g, (), P0;
call h, (p32), P1;
call l0, (), C;
call l0, (), g;
call l0, (), L;
call l0, (), nosuch;
call l0, (), P9; P9: .callprototype _ ();
call l0, (p32), table;
call l0, (p32), single;
call l0, (p32), signed;
call l0, (p32), shared;
call.uni h, (p32);
@p0 call h, (p32);
@r0 call h, (p32);
.extern .func inner(.param .b32 x); call inner, (p32);
"""
FUNCTIONS = """.func g() { ret; } .func h(.param .b32 x) { ret; } .func (.param .b32 y) hr(.param .b32 x, .param .b64 z) { ret; }
.func (.reg .f32 y) ff(.reg .u16 x) { ret; } .func hf(.param .f32 x) { ret; } .func hu(.reg .u32 x) { ret; } .func hp(.reg .pred x) { ret; }
.func ar(.param .align 8 .b8 x[16]) { ret; } .func ar4(.param .align 4 .b8 x[16]) { ret; } .extern .func open(.param .b32 x[]);
.func aligned(.param .align 16 .b32 x) { ret; } .func hv(.reg .v2 .f32 x) { ret; } .global .b32 variable;
.global .u64 table[1] = {h}; .global .u64 single = h; .global .s64 signed[1]; .shared .u64 shared[1];""".replace("\n", " ")
LOCALS = """.reg .pred p0; .reg .b8 b0; .reg .b16 h0; .reg .f16 half; .reg .f16x2 x2; .reg .b32 r0; .reg .u32 ru; .reg .s32 rs; .reg .f32 f0; .reg .b64 l0;
.reg .s64 ls; .reg .v2 .f32 v2; .param .b32 p32; .param .u32 pu32; .param .f32 pf32; .param .b64 p64; .param .align 8 .b8 pa[16];
.param .align 4 .b8 pa4[16]; .param .align 8 .b8 pb[8]; .param .b32 pw[4]; .param .f32 pwf[4]; .param .align 16 .b32 p16;
P0: .callprototype _ (); P1: .callprototype _ (.param .b32 _); P2: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
C: .calltargets g; L:""".replace("\n", " ")


def calling(body):
    """A module with a call in a kernel."""
    return f"{HEAD} {FUNCTIONS} .entry kernel(.param .b32 parameter) {{ {LOCALS} {body} ret; }} .global .b32 late; .func behind() {{ ret; }}"


def module(body):
    """A module with the body of a kernel, and with functions around it."""
    before = ".func before() { inside: ret; other: .branchtargets inside; } .global .b32 variable;"
    return f"{HEAD} {before} .entry kernel(.param .b32 parameter) {{ {body} }} .global .b32 late; .func behind() {{ ret; }}"


def main():
    texts = [module(body) for body in BRANCHES.strip().splitlines()]
    texts += [calling(body) for body in CALLS.strip().splitlines()]
    record("targets.txt", texts)


if __name__ == "__main__":
    main()
