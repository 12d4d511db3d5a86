"""Records which branch targets and which calls ptxas accepts: small modules, one a line of targets.txt, with `+` where it is accepted and `-` where it
is refused.

usage: targets.py
"""

import os
import subprocess
import tempfile

import record

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
"""


def module(body):
    """A module with the body of a kernel, and with functions around it."""
    before = ".func before() { inside: ret; other: .branchtargets inside; } .global .b32 variable;"
    return f"{HEAD} {before} .entry kernel(.param .b32 parameter) {{ {body} }} .global .b32 late; .func behind() {{ ret; }}"


def accepted(text):
    """Whether ptxas accepts a module."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text + "\n")
        file.flush()
        command = [record.PTXAS, "-arch=compute_121", file.name, "-o", os.devnull]
        return subprocess.run(command, capture_output=True).returncode == 0


def main():
    texts = [module(body) for body in BRANCHES.strip().splitlines()]
    with open(os.path.join(record.HERE, "targets.txt"), "w") as file:
        file.writelines(f"{'+' if accepted(text) else '-'}{text}\n" for text in texts)


if __name__ == "__main__":
    main()
