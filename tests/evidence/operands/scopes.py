"""Which declaration a name refers to: small modules, one a line."""

import re

from small_modules import marked

# Names in scopes: what stands before the function, its parameters, its body, what stands after it. `USE x` uses x as a `.u32` value.
SCOPES = [
    ("", "", "USE x .reg .u32 x;", ""),
    ("", "", "{ USE x .reg .u32 x; }", ""),
    ("", "", ".reg .u32 x; { USE x .reg .f32 x; }", ""),
    ("", "", ".reg .u32 x; { .reg .f32 x; USE x }", ""),
    ("", "", ".reg .f32 x; { .reg .u32 x; USE x }", ""),
    ("", "", ".reg .f32 x; { .reg .u32 x; } USE x", ""),
    ("", "", "{ .reg .u32 x; } USE x", ""),
    ("", "", "{ .reg .u32 x; } { USE x }", ""),
    ("", "", "red.global.add.u32 [v], 1;", ".global .u32 v;"),
    (".global .u32 v;", "", "red.global.add.u32 [v], 1;", ""),
    (".global .u32 v;", "", ".reg .u32 v; USE v", ""),
    (".global .u32 v;", "", "{ .reg .u32 v; } USE v", ""),
    ("", "", "{ .global .u32 v; red.global.add.u32 [v], 1; }", ""),
    ("", "", "{ .global .u32 v; } red.global.add.u32 [v], 1;", ""),
    ("", "", "{ .param .b32 v; red.add.u32 [v], 1; }", ""),
    ("", "", "USE f", ".func f() { ret; }"),
    (".func f() { ret; }", "", "USE f", ""),
    (".func f();", "", "USE f", ".func f() { ret; }"),
    ("", "", "USE k", ""),
    ("", "", ".reg .u32 k; USE k", ""),
    ("", "", ".reg .u32 f; USE f", ".func f() { ret; }"),
    ("", "", "USE L L:", ""),
    ("", "", "L: USE L", ""),
    ("", "", "USE L+1 L:", ""),
    ("", "", "{ USE L+1 } L:", ""),
    ("", "", "USE L+1 { L: }", ""),
    ("", "", "{ L: } USE L+1", ""),
    ("", "", ".reg .u32 L; { USE L L: }", ""),
    ("", "", ".reg .f32 L; { USE L L: }", ""),
    ("", "", ".reg .f32 %r<5>; { .reg .u32 %r3; USE %r3 }", ""),
    ("", "", ".reg .u32 %r3; { .reg .f32 %r<5>; USE %r3 }", ""),
    ("", "", ".reg .f32 %r3; { .reg .u32 %r<5>; USE %r3 }", ""),
    ("", "", ".reg .f32 %r3; { .reg .u32 %r<3>; USE %r3 }", ""),
    ("", "", ".reg .u32 %r<5>; { .reg .f32 %r<3>; USE %r4 }", ""),
    ("", "", ".reg .u32 %r<5>; { .reg .f32 %r<3>; USE %r2 }", ""),
    ("", "", ".reg .u32 r, r<5>; USE r USE r4", ""),
    ("", "", ".reg .u32 r<5>; USE r", ""),
    ("", "", ".reg .u32 %r1<5>; USE %r14", ""),
    ("", "", ".reg .f32 %r1<5>; .reg .u32 %r<20>; USE %r14", ""),
    ("", "", ".reg .u32 %r<20>; USE %r019", ""),
    ("", "", ".reg .u32 %r<20>; USE %r020", ""),
    ("", "", ".reg .u32 %r<0>; USE %r0", ""),
    ("", "", ".reg .v2 .u32 %v<4>; USE %v1.x", ""),
    ("", "", ".reg .v2 .u32 %v<4>; USE %v4.x", ""),
    ("", ".param .u32 p", "USE p", ""),
    ("", ".param .u32 p", "{ .reg .u32 p; USE p }", ""),
    (".global .texref t;", "", "red.global.add.u32 [t], 1;", ""),
    (".global .texref t;", "", "USE t", ""),
    (".global .v4 .u32 v;", "", "red.global.add.u32 [v+4], 1; ", ""),
    (".global .v4 .u32 v;", "", "USE v.x", ""),
    ("", "", ".reg .u32 %laneid; USE %laneid", ""),
    ("", "", "USE %laneid", ""),
]


def scope(before, parameters, body, after):
    """A module of these parts on one line."""
    body = re.sub(r"USE (\S+)", r"red.global.add.u32 [a], \1;", body)
    head = ".version 9.5 .target sm_90 .address_size 64"
    return f"{head} {before} .entry k({parameters}) {{ .reg .b64 a; {body} ret; }} {after}"


def scopes():
    """The modules, each with a mark: `+` accepted, `-` rejected."""
    return marked(scope(*parts) for parts in SCOPES)
