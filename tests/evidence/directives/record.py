"""Records what ptxas says about directives and declarations.

Each case is a small module. Groups of cases are products of axes: directives, places, arguments, versions and targets. Writes `cases.txt.gz`: for each
group a line `#group`, then a line per case: `+` accepted or `-` rejected, version, target, and the text after them, with `\\n` for line ends.

Names end with `~` here. A process gets hundreds of modules, which the assembler also links, so each module gets names of its own. Some errors are
reported once a process, and some only where nothing else is wrong: what is accepted is asked again in smaller parts until nothing more is rejected. Cases on which the
assembler crashes are left out.

    python3 record.py            records anew
    python3 record.py --check    fails if what is recorded is not what the assembler says now
"""

import gzip
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")
RECORDED = os.path.join(HERE, "cases.txt.gz")
MODULES_OF_A_PROCESS = 400
ERROR = re.compile(r"ptxas (\d+)\.ptx, line \d+; (?:error|fatal)")
TODAY = ("9.5", "sm_90")
# Versions and targets around those in which a directive is new or gone.
VERSIONS = "1.0 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 4.0 4.2 5.0 6.0 6.2 6.3 6.4 7.0 7.1 7.7 7.8 8.0 8.1 8.2 8.3 8.7 8.8 9.0 9.1 9.2 9.5".split()
TARGETS = "sm_10 sm_13 sm_20 sm_30 sm_52 sm_53 sm_61 sm_70 sm_75 sm_80 sm_89 sm_90 sm_100 sm_120".split()
# The modules of a process in the last rounds. Modules with other options of `.target` are not linked, and some errors of debug information and pragmas name no file.
SMALLEST, SMALLEST_OF = 20, {"options": 1, "pragmas": 1}

TYPES = """b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f32x2 f64 u16x2 s16x2 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 e3m2x2
e2m3x2 e2m1x2 e2m1x4 ue8m0x2 s2f6x2 pred texref samplerref surfref""".split()

MODULE_DECLARATIONS = [
    f"{linkage}.global .b32 n~{size};" for linkage in ("", ".extern ", ".visible ", ".weak ", ".common ") for size in ("", "[4]")
] + [f"{linkage}{entry} n~(){body}" for linkage in ("", ".extern ", ".visible ", ".weak ") for entry in (".func", ".entry") for body in (";", " { ret; }")] + [
    ".func n~ { ret; }", ".func n~;", ".func n~() .noreturn;", ".func n~() .noreturn { ret; }", ".func n~() .abi_preserve 3;",
    ".extern .global .b64 n~;", ".extern .global .u32 n~;", ".extern .global .align 8 .b32 n~;", ".extern .global .align 4 .b32 n~;", ".extern .global .b32 n~[];",
    ".extern .global .b32 n~[8];", ".extern .global .v2 .b32 n~;", ".extern .const .b32 n~;", ".extern .shared .b32 n~;", ".extern .shared .b32 n~[];",
    ".extern .shared .align 16 .b8 n~[];", ".const .b32 n~;", ".shared .b32 n~;", ".global .texref n~;", ".global .b32 n~ = 1;", ".global .b32 n~<4>;",
    ".global .b32 n2~;", ".global .b32 m~, n~;",
]

LOCAL_DECLARATIONS = [part.strip() for part in """.reg .b32 x~; | .reg .b32 x~, y~; | .reg .f32 x~; | .reg .b32 x~<4>; | .reg .b32 x~<8>; | .reg .f32 x~<4>, x~; | .reg .b32 x~3; | .reg .b32 x~4; |
.reg .b32 x~03; | .reg .b32 x~<0>; | .reg .b32 x~1<4>; | .reg .b32 x~<20>; | .reg .b32 x~12; | .reg .b32 x~10, x~11; | .local .b32 x~; | .shared .b32 x~; | .global .b32 x~; |
.param .b32 x~; | .const .b32 x~; | x~: | x~3: | x~: ret; | { .reg .b32 x~; } | { x~: ret; } | { .reg .b32 x~<4>; } | .reg .v2 .b32 x~; | .reg .pred x~; | .local .b32 x~3[4]; |
.reg .b32 p~; | p~: | .reg .b32 p~<3>; | .reg .b32 q~1; | .reg .b32 q~<3>; | .reg .b32 g~; | g~: | .global .b32 g~; | .reg .b32 k~; | k~: | .reg .b32 f~; | .shared .b32 f~;
| .reg .b32 %tid; | .reg .b32 a~; y~: .reg .b32 b~;""".split("|")]

PARAMETERS = [
    "", ".param .b32 a~", ".param .u32 a~", ".param .s32 a~", ".param .f32 a~", ".param .b64 a~", ".param .b8 a~", ".param .b32 b~", ".param .b32 a~, .param .b32 b~",
    ".param .b8 a~[4]", ".param .b8 a~[8]", ".param .align 4 .b8 a~[4]", ".param .align 8 .b8 a~[4]", ".param .align 1 .b8 a~[4]", ".param .align 4 .b32 a~",
    ".param .align 8 .b32 a~", ".param .align 2 .b32 a~", ".param .b32 a~[1]", ".param .b8 a~[]", ".param .b8 a~[0]", ".param .align 8 .b8 a~[]", ".param .f16 a~", ".param .b16 a~",
]
REGISTER_PARAMETERS = [".reg .b32 a~", ".reg .u32 a~", ".reg .b64 a~", ".reg .f32 a~", ".reg .pred a~", ".reg .v2 .b32 a~", ".reg .align 8 .b32 a~"]
POINTERS = [".param .u64 a~", ".param .u64 .ptr a~", ".param .u64 .ptr .global a~", ".param .u64 .ptr .global .align 8 a~", ".param .u64 .ptr .align 4 a~"]

TUNING = [
    ".maxnreg 32", ".maxntid 32", ".maxntid 8,4", ".maxntid 8,4,1", ".reqntid 32", ".reqntid 8,4,1", ".minnctapersm 2", ".maxnctapersm 2", ".local_maxnreg 32", ".reqnctapercluster 2",
    ".reqnctapercluster 2,1,1", ".maxclusterrank 2", ".explicitcluster", ".blocksareclusters", '.pragma "nounroll";', ".language 1",
]
COUNTS = "0 1 32 00 0x0 0U 0x20U 1024 1025 65535 65536 4294967295 4294967296 4294967297 8589934592 WARP_SZ".split()
VALUED = ".maxnreg .maxntid .reqntid .minnctapersm .maxnctapersm .local_maxnreg .reqnctapercluster .maxclusterrank".split()

# What a directive or a feature looks like in a module of its own; names are unique to a module.
FEATURES = {
    **{word: f".entry k~ {word} 2 {{ }}" for word in VALUED},
    "local_maxnreg of a function": ".func k~ .local_maxnreg 32 { }",
    "explicitcluster": ".entry k~ .explicitcluster { }",
    "blocksareclusters": ".entry k~ .blocksareclusters .reqntid 32 .reqnctapercluster 2 { }",
    "language": ".entry k~ .language 1 { }",
    "pragma": '.pragma "nounroll";',
    "pragma of an entry": '.entry k~ .pragma "nounroll"; { }',
    "pragma of a body": '.entry k~ { .pragma "nounroll"; }',
    "noreturn": ".func k~ .noreturn { }",
    "noreturn declared": ".func k~ .noreturn;",
    "noreturn of a prototype": ".func k~ { P~: .callprototype _ () .noreturn; }",
    "f16x2 of a prototype": ".func k~ { P~: .callprototype (.param .f16x2 _) _ (); }",
    "b128 of a prototype": ".func k~ { P~: .callprototype (.param .b128 _) _ (); }",
    "b128 declared": ".func (.param .b128 r~) k~ (.param .b128 a~);",
    "f16x2 declared": ".func (.param .f16x2 r~) k~ (.param .f16x2 a~);",
    "abi_preserve": ".func k~ .abi_preserve 3 { }",
    "abi_preserve_control": ".func k~ .abi_preserve_control 3 { }",
    "alias": ".func a~; .func b~ { } .alias a~, b~;",
    "weak function": ".weak .func b~ { }",
    "weak entry": ".weak .entry b~ { }",
    "weak variable": ".weak .global .b32 x~;",
    "common": ".common .global .b32 x~;",
    "extern": ".extern .global .b32 x~;",
    "visible": ".visible .func f~ { }",
    "declared function": ".func f~;",
    "declared entry": ".entry f~;",
    "register parameters": ".func (.reg .b32 r~) f~(.reg .b32 a~) { }",
    "parameters of functions": ".func f~(.param .b32 a~) { }",
    "results of functions": ".func (.param .b32 a~) f~() { }",
    "parameters of declared functions": ".func f~(.param .b32 a~);",
    "parameters of entries": ".entry k~(.param .u32 a~) { }",
    "unsized parameter": ".func f~(.param .b8 a~[]) { }",
    "ptr": ".entry k~(.param .u32 .ptr .global .align 8 a~) { }",
    "managed": ".global .attribute(.managed) .b32 x~;",
    "unified": ".global .attribute(.unified(1,2)) .b32 x~;",
    "unified function": ".func .attribute(.unified(1,2)) f~ { }",
    "section": ".section .debug_str { .b8 1 }",
    "section with a label": ".section .debug_str {\\nL~: .b8 1 }",
    "b128 register": ".entry k~ { .reg .b128 x~; }",
    "b128 variable": ".global .b128 x~;",
    "b128 parameter": ".entry k~(.param .b128 x~) { }",
    "f16x2 register": ".entry k~ { .reg .f16x2 x~; }",
    "f16x2 variable": ".shared .f16x2 x~;",
    "f16 register": ".entry k~ { .reg .f16 x~; }",
    "f64 register": ".entry k~ { .reg .f64 x~; }",
    "texref": ".global .texref x~;",
    "surfref": ".global .surfref x~;",
    "texref parameter": ".entry k~(.param .texref x~) { }",
    "surfref value": ".global .surfref x~ = {width=1};",
    "local variable of a module": ".local .b32 x~;",
    "register of a module": ".reg .b32 x~;",
    "param of a body": ".func k~ { .param .b32 x~; }",
    "branchtargets": ".entry k~ { L~: .branchtargets L~; }",
    "calltargets": ".func f~; .entry k~ { L~: .calltargets f~; }",
    "callprototype": ".entry k~ { L~: .callprototype _; }",
    "address as value": ".global .u32 g~; .global .u32 x~ = g~;",
    "generic address as value": ".global .u32 g~; .global .u32 x~ = generic(g~);",
    "masked address as value": ".global .u32 g~; .global .u8 x~ = 0xFF(g~);",
    "function as value": ".func f~ { } .global .u32 x~ = f~;",
    "extern const array": ".extern .const .b32 x~[];",
    **{f"{size} bytes of parameters": f".entry k~(.param .b8 a~[{size}]) {{ }}" for size in (256, 257, 4096, 4097, 4352, 4353, 32764, 32765)},
    "address_size": ".address_size 64",
}

# The indices of files are unique in a process.
FILES = {
    "file": '.file 1 "x"',
    "file with size": '.file 1 "x", 1, 2',
    "loc": '.file 1 "x"\\n.entry k~ { .loc 1 1 1\\n }',
    "loc inlined": '.file 1 "x"\\n.entry k~ { .loc 1 1 1, function_name L~, inlined_at 1 1 1\\n }\\n.section .debug_str {\\nL~: .b8 1 }',
}

VALUES = """1 -1 1.0 -1.5 0f3F800000 0d3FF0000000000000 300 70000 4294967296 18446744073709551615 1+2 1.0+1.0 (1) (1.0) WARP_SZ !1 1<2 (.s64)1 (.f64)1 1?2:3 1?2.0:3.0 -(1) -(1.0)
g~ g~+4 g~+-4 generic(g~) generic(g~)+4 e~ c~ s~ f~ k~ t~ generic(s~) 0xFF(g~) 0xFF00(g~) 0xFFFF(g~) 0xFF(generic(g~)) 0xFF(1) nope~ late~ x~ {1} {} {1,2} {g~,1} {1.0,2}""".split()
VALUE_HEAD = ".global .b32 g~; .extern .global .b32 e~; .const .b32 c~; .shared .b32 s~; .global .texref t~; .func f~() { ret; } .entry k~() { ret; }"
ARRAY_VALUES = """1 {} {1} {1,2} {1,2,3} {{1},{2}} {{1,2},{3,4}} {{1,2,3},{4}} {1,{2}} {{1},2} {1.0,2} {1,1.0} {{{1}}} {1,2,3,4,5,6,7,8} {{1,2,3,4},{5,6,7,8}} {{1,2,3,4},{5}}""".split()
OPAQUE = """1 {} {width=1} {width=1,height=2} {depth=3} {channel_data_type=1} {channel_order=1} {normalized_coords=1} {filter_mode=nearest} {filter_mode=linear} {filter_mode=1}
{addr_mode_0=wrap} {addr_mode_1=mirror} {addr_mode_2=clamp_ogl} {addr_mode_0=clamp_to_edge} {addr_mode_0=clamp_to_border} {force_unnormalized_coords=1} {foo=1} {width} {width=wrap}
{width=-1} {width=1,width=2} {addr_mode_0=foo} {array_size=1} {num_mipmap_levels=1} {num_samples=1} {memory_layout=1}""".split()
DEBUG = [
    "", ".section .debug_info { .b8 1 }", ".section .debug_str { .b8 1 }", ".section .debug_abbrev { .b8 1 }", ".section .debug_line { .b8 1 }", ".section .debug_info { }",
    '.file 1 "x"', "@@DWARF .byte 1", '@@DWARF .section .debug_info, "", @progbits', ".section .debug_loc { .b8 1 }", ".section foo { .b8 1 }", ".section .foo { .b8 1 }",
]


def product(pattern, *axes):
    """The pattern with each combination of the axes in place of its `%s`."""
    for values in itertools.product(*axes):
        yield pattern % values


def today(texts):
    return [(*TODAY, text) for text in texts]


PRAGMAS = [
    "nounroll", "nounroll 1", "unroll", "", "used_bytes_mask", "used_bytes_mask 0xff", "used_bytes_maskx", " used_bytes_mask 1", "enable_smem_spilling", "enable_smem_spillingx",
    " enable_smem_spilling", "frequency", "frequency ", "frequency 100", "frequency  3", "frequency100", "frequency101", "frequency,5", "frequency 0", "frequency 0x00", "frequency 001", "frequency +", "frequency 0x1F", "frequency 0x", "frequency 017", "frequency 08",
    "frequency +1", "frequency -1", "frequency 1 ", "frequency 1 2", "frequency 1u", "frequency 1.5", "frequency x", "frequency 99999999999999999999", " frequency x",
]
PRAGMA_PLACES = [
    '.pragma "%s"; .entry k~() { ret; }', '.entry k~() .pragma "%s"; { ret; }', '.entry k~() { .pragma "%s"; ret; }', '.entry k~() { { .pragma "%s"; } ret; }',
    '.func f~() { .pragma "%s"; ret; }', '.entry k~() { .pragma "nounroll", "%s"; ret; }',
]


def pragmas_everywhere():
    for place in PRAGMA_PLACES:
        yield from today(product(place, PRAGMAS))
    for version in VERSIONS:
        for target in TARGETS:
            yield from ((version, target, PRAGMA_PLACES[2] % text) for text in ("used_bytes_mask 0xff", "enable_smem_spilling", "frequency 1"))


def duplicates():
    yield from product("%s %s", MODULE_DECLARATIONS, MODULE_DECLARATIONS)
    yield from MODULE_DECLARATIONS


def locals_():
    wrap = ".global .b32 g~; .func f~() { ret; } .entry k~(.param .b32 p~, .param .b32 q~1) { %s %s ret; }"
    yield from product(wrap, LOCAL_DECLARATIONS, LOCAL_DECLARATIONS)


def prototypes():
    lists = PARAMETERS + REGISTER_PARAMETERS
    yield from product(".func f~(%s); .func f~(%s) { ret; }", lists, lists)
    yield from product(".func (%s) f~(); .func (%s) f~() { ret; }", lists[1:], lists[1:])
    yield from product(".entry k~(%s); .entry k~(%s) { ret; }", PARAMETERS + POINTERS, PARAMETERS + POINTERS)
    yield from product(".func f~(%s); .func f~(%s); .func f~(%s) { ret; }", lists[:6], lists[:6], lists[:6])
    yield from product(".extern .func (%s) f~(%s); .extern .func (%s) f~(%s);", lists[1:4], lists[:3], lists[1:4], lists[:3])


def parameters():
    places = [".entry k~(%s)", ".func k~(%s)", ".func (%s) k~()", ".func k~(.param .b32 z~, %s)", ".func k~(%s, .param .b32 z~)", ".func (%s, .reg .b32 z~) k~()", ".entry k~(%s, .param .b32 z~)"]
    spaces = [".param", ".reg", ".global", ".local", ".shared", ".const", "", ".param .reg"]
    for place, body, space in itertools.product(places, (";", " { ret; }"), spaces):
        for ty, vector, name in itertools.product(("b8", "b32", "pred"), ("", ".v2 "), ("a~", "a~[4]", "a~[]", "_")):
            yield place % f"{space} {vector}.{ty} {name}" + body
    for place, body, space, vector, ty in itertools.product(places[:3], (";", " { ret; }"), spaces[:2], ("", ".v2 ", ".v4 "), TYPES):
        yield place % f"{space} {vector}.{ty} a~" + body
    yield from product(".entry k~(%s, %s)%s", PARAMETERS[1:8], PARAMETERS[1:8], (";", " { ret; }"))
    yield from product(".func (%s) k~(%s)%s", REGISTER_PARAMETERS + PARAMETERS[1:8], REGISTER_PARAMETERS + PARAMETERS[1:8], (";", " { ret; }"))
    pointer = [f".ptr{space}{align}" for space in ("", " .global", " .const", " .local", " .shared", " .param", " .generic", " .texref") for align in ("", " .align 8", " .align 3", " .align 0")]
    yield from product(".%s k~(.param .%s %s a~)%s", ("entry", "func"), ("u64", "b8", "f32"), pointer, (";", " { ret; }"))
    sizes = (1, 4, 256, 4096, 4352, 4353, 32764, 32765, 65536, 4294967296)
    yield from product(".%s k~(.param .b8 a~[%s])%s", ("entry", "func"), sizes, (";", " { ret; }"))
    yield from product(".entry k~(.param .b32 a~, .param .align %s .b8 b~[%s]) { ret; }", (1, 8, 16), (32752, 32756, 32757, 32760, 32761))
    yield from product(".func (%s) k~() .noreturn%s", ["", *REGISTER_PARAMETERS[:1], *PARAMETERS[1:2]], (";", " { ret; }"))
    abi = [".noreturn", ".abi_preserve 3", ".abi_preserve_control 3", ".abi_preserve 0", ".local_maxnreg 32", ".local_maxnreg 0"]
    yield from product(".func k~() %s %s%s", ["", *abi], ["", *abi], (";", " { ret; }"))


def call_prototypes():
    wrap = ".func f~() { P~: .callprototype %s; ret; }"
    shapes = ["_ (%s)", "(%s) _ ()", "(%s, .reg .b32 _) _ ()", "_ (%s, .param .b32 _)", "_ (%s) .noreturn", "(%s) _ () .noreturn"]
    spaces = [".param", ".reg", ".local", ".const", "", ".param .reg", ".param .align 8", ".param .align 3", ".reg .align 3"]
    for shape, space, vector, name in itertools.product(shapes, spaces, ("", ".v2 "), ("_", "_[4]", "_[]", "a~")):
        for ty in ("b8", "b32", "b128", "pred", "f16x2", "texref", "samplerref", "surfref"):
            yield wrap % (shape % f"{space} {vector}.{ty} {name}")
    for shape, late in itertools.product(shapes[:2], (".align 8", ".ptr", ".ptr .global", ".ptr .global .align 4", ".align 3")):
        yield wrap % (shape % f".param .b64 {late} _")
        yield wrap % (shape % f".param .b8 {late} _[4]")
    for place, ty, late, body in itertools.product((".entry k~(%s)", ".func k~(%s)", ".func (%s) k~()"), (".b64", ".b8"), (".align 8", ".align 3", ".align 8 .align 4"), (";", " { ret; }")):
        yield place % f".param {ty} {late} a~" + body


def variables():
    spaces = [".global", ".const", ".shared", ".local", ".reg", ".param", ".tex", ".extern .global", ".extern .shared", ".visible .const", ".weak .global", ".common .global", ".common .shared"]
    yield from product("%s %s.%s x~;", spaces, ("", ".v2 ", ".v4 "), TYPES)
    yield from product(".entry k~() { %s %s.%s x~; ret; }", spaces[:7], ("", ".v2 ", ".v4 "), TYPES)
    linkages = ["", ".extern ", ".visible ", ".weak ", ".common "]
    yield from product("%s%s .b32 x~%s%s;", linkages, spaces[:6], ("", "[4]", "[]", "[0]", "[2][2]", "[][2]", "[0][2]", "[2][0]"), ("", " = 1", " = {1,2}"))
    yield from product(".entry k~() { %s %s x~%s%s; ret; }", spaces[:6], (".b32", ".v2 .b32", ".pred"), ("", "[4]", "[]", "[0]", "[2][2]", "<4>", "<0>"), ("", " = 1", " = {1,2}"))
    aligns = (0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 128, 1024, 65536, 65537, 2147483648, 4294967295, 4294967296, "0x10", "010", "09", "4U", "WARP_SZ")
    places = [".global .align %s .b32 x~;", ".shared .align %s .b8 x~[4];", ".entry k~() { .local .align %s .b64 x~; ret; }", ".entry k~() { .param .align %s .b64 x~; ret; }",
              ".entry k~() { .reg .align %s .b32 x~; ret; }", ".entry k~(.param .align %s .b8 a~[4]) { ret; }", ".func k~(.param .align %s .b8 a~[4]);", ".entry k~() { { .shared .align %s .b32 x~; } ret; }",
              ".align %s .global .b32 x~;", ".global .align 4 .align %s .b32 x~;", ".extern .shared .align %s .b8 x~[];"]
    for place in places:
        yield from product(place, aligns)
    sizes = (1, 65536, 65537, 4294967295, 4294967296, 1 << 40, (1 << 64) - 1)
    yield from product("%s .b8 x~[%s];", (".global", ".const", ".shared"), sizes)
    yield from product(".entry k~() { %s .b8 x~[%s]; ret; }", (".global", ".const", ".shared", ".local", ".param"), sizes)
    yield from (".common .shared .b32 x~[4];", ".extern .shared .b32 x~[4];", ".global .b32 x~<4>[2];", ".global .b32 x~<4> = 1;", ".global .b32;", ".entry k~() { .reg .b32; ret; }")


def tuning():
    for word in VALUED:
        yield from product(f".entry k~() {word} %s {{ ret; }}", COUNTS)
    yield from product(".entry k~() %s %s,%s { ret; }", (".maxntid", ".reqntid", ".reqnctapercluster"), (0, 1, 32), (0, 1, 4294967296))
    yield from product(".entry k~() %s %s,%s,%s { ret; }", (".maxntid", ".reqntid", ".reqnctapercluster"), (0, 1, 32), (0, 1), (0, 1, 65536))
    yield from product(".entry k~() %s { ret; }", TUNING)
    yield from product(".entry k~() %s %s { ret; }", TUNING, TUNING)
    few = [".maxntid 32", ".reqntid 32", ".minnctapersm 2", ".reqnctapercluster 2", ".maxclusterrank 2", ".explicitcluster", ".blocksareclusters"]
    yield from product(".entry k~() %s %s %s { ret; }", few, few, few)
    yield from product(".func k~() %s { ret; }", TUNING)
    yield from product(".%s k~() %s;", ("entry", "func"), TUNING)
    yield from product(".entry k~() { %s ret; }", TUNING)
    yield from product("%s .entry k~() { ret; }", TUNING)


def values():
    types = "b8 u8 s8 b16 u16 s16 f16 f16x2 b32 u32 s32 f32 b64 u64 s64 f64 b128".split()
    yield from product(f"{VALUE_HEAD} %s .%s x~ = %s; .global .b32 late~;", (".global", ".const"), types, VALUES)
    yield from product(".global %s.%s x~%s = %s;", ("", ".v2 ", ".v4 "), ("b32", "f32", "u8"), ("", "[2]", "[]", "[2][2]", "[][2]", "[0]"), ARRAY_VALUES)
    yield from product(f"{VALUE_HEAD} .global .u64 x~%s = %s;", ("[2]", "[]"), ("{g~,generic(g~)}", "{g~+4,1}", "{nope~,1}", "{1,nope~}", "{s~,1}", "{f~,k~}", "{x~,1}", "{1.0,g~}"))
    yield from product(".entry k~() { %s .%s x~ = %s; ret; }", (".global", ".const", ".shared", ".local", ".reg", ".param"), ("b32", "f32"), ("1", "1.0", "{1}"))
    yield from product(".global .%s x~ = %s;", ("texref", "samplerref", "surfref"), OPAQUE)
    yield from product(".global .%s x~[2] = %s;", ("texref", "surfref"), ("{{width=1},{height=2}}", "{width=1}", "1"))


def aliases():
    heads = [".func", ".visible .func", ".weak .func", ".extern .func", ".entry", ".global .b32"]
    for first, second in itertools.product(heads, heads):
        for one, two in itertools.product((";", "() { ret; }"), repeat=2):
            one = ";" if "global" in first else one
            two = ";" if "global" in second else two
            yield f"{first} a~{one} {second} b~{two} .alias a~, b~;"
    lists = PARAMETERS[:12] + REGISTER_PARAMETERS
    yield from product(".func a~(%s); .func b~(%s) { ret; } .alias a~, b~;", lists, lists)
    pair = ".func a~; .func b~ { ret; } .func c~ { ret; }"
    yield from product(f"{pair} %s %s", (".alias a~, b~;", ".alias a~, c~;", ".alias a~, a~;", ".alias b~, c~;", ".alias a~, nope~;", ".alias nope~, b~;", ""), (".alias a~, b~;", ".alias a~, c~;", ".func a~;", ".func a~ { ret; }", ""))
    yield from (".alias a~, b~; .func a~; .func b~ { ret; }", ".func a~; .alias a~, b~; .func b~ { ret; }", ".func a~() .noreturn; .func b~ { ret; } .alias a~, b~;",
                ".func a~; .func b~ { ret; } .entry k~() { .alias a~, b~; ret; }")


def options():
    """Complete modules: options of `.target`, which need their own head."""
    sets = ["sm_90", "sm_90, debug", "sm_90, texmode_independent", "sm_90, texmode_unified", "sm_90, map_f64_to_f32", "sm_12, map_f64_to_f32", "sm_80, sm_90"]
    for target, section, body in itertools.product(sets, DEBUG, ("", ".entry k~() { ret; }", ".global .samplerref x~;", ".global .samplerref x~ = {filter_mode=nearest};", ".global .texref x~ = {filter_mode=nearest};")):
        yield ("9.5", target, f"{section}\\n{body}")
    for target, inner in itertools.product(sets[:3], ("debug", "sm_90", "sm_100, debug", "texmode_independent")):
        yield ("9.5", target, f".entry k~() {{ .target {inner} ret; }}")
    for first, second in itertools.product(('.file 1 "x"', '.file 2 "x"', '.file 0 "x"', '.file 1 "x", 1, 2', '.file 4294967296 "x"', ""), repeat=2):
        for loc in (".loc 1 1 1", ".loc 2 1 1", ".loc 0 1 1", ".loc 1 0 0", ".loc 1 4294967296 1", ".loc 1 1 4294967296", ".loc 1 1 1, function_name k~, inlined_at 1 1 1", ".loc 1 1 1, function_name L~, inlined_at 1 1 1"):
            yield ("9.5", "sm_90", f"{first}\\n{second}\\n.entry k~() {{ {loc}\\nret; }}\\n.section .debug_str {{\\nL~: .b8 1 }}")
    for name, line in itertools.product((".debug_info", ".debug_str", ".foo", ".debug_foo"), (".b8 1", ".b8 256", ".b8 -1", ".b16 65536", ".b32 1, 2", ".b64 1", ".b128 1", ".u8 1", ".f32 1", ".b32 L~", ".b64 L~+4", ".b8 L~", ".b32 .debug_str", ".b32 nope~", ".b32 L~-L~", ".b64 M~-L~", "L~: .b8 1")):
        yield ("9.5", "sm_90", f".section {name} {{\\nL~: .b8 1\\nM~: .b8 2\\n{line}\\n}}")
    yield ("9.5", "sm_90", ".section .debug_info { .b8 1 } .section .debug_info { .b8 2 }")
    yield from ((version, "sm_90", text) for text in FILES.values() for version in VERSIONS)


def requirements():
    for text in FEATURES.values():
        yield from ((version, "sm_90", text) for version in VERSIONS)
        yield from (("9.5", target, text) for target in TARGETS)


# Types that only instructions use, of which some may be declared.
INSTRUCTION_TYPES = """e4m3 e5m2 e2m1 e2m3 e3m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m1x2 e2m3x2 e3m2x2 e2m1x4 e2m3x4 e3m2x4 ue8m0 ue8m0x2 ue8m0x4 s2f6x2
ue5m3x2 bf16 bf16x2 tf32 f32x2 u16x2 s16x2 u8x4 s8x4""".split()


def instruction_types():
    shapes = (".global .{} g~;", ".global .{} g~[2];", ".const .{} g~[2];", ".shared .{} g~[2];", ".extern .global .{} g~;", ".global .v2 .{} g~;",
              ".func f~() {{ .local .{} g~[2]; }}", ".func f~() {{ .reg .{} g~; }}", ".func f~(.param .{} p~) {{ }}", ".func f~(.param .{} p~[2]) {{ }}",
              ".func f~(.param .{} p~);", ".func f~(.reg .{} p~) {{ }}", ".func f~() {{ .param .{} p~[2]; }}", ".entry k~(.param .{} p~[2]) {{ }}")
    for ty in INSTRUCTION_TYPES:
        yield from (("9.5", "sm_90", shape.format(ty)) for shape in shapes)
        yield ("3.2", "sm_30", f".global .{ty} g~[2];")


def memory_arrays():
    """Arrays of elements that only instructions or other places have, which are memory."""
    places = (".global {};", ".const {};", ".shared {};", ".func f~() {{ .local {}; }}", ".func f~() {{ .shared {}; }}", ".func f~({}) {{ }}", ".func ({}) f~() {{ }}", ".func f~({});", ".entry k~({}) {{ }}")
    for place, name in itertools.product(places, ("x~", "x~[2]", "x~[2][2]")):
        declared = ".param " if "(" in place.replace("f~()", "") else ""
        for version, target in (("8.0", "sm_90"), ("4.2", "sm_53"), ("8.3", "sm_60"), ("9.5", "sm_90")):
            yield (version, target, place.format(f"{declared}.b128 {name}"))
        for ty in ("texref", "surfref"):
            yield ("7.0", "sm_80", place.format(f"{declared}.{ty} {name}"))


def parameters_and_ranges():
    """A parameter beside a range of registers that has its name."""
    for kind, parameter, register in itertools.product((".entry", ".func"), ("p~0", "p~1", "p~3"), (".pred p~<9>", ".pred p~<1>", ".pred p~<0>", ".b64 p~<4>", ".pred p~0", ".pred p~3<9>")):
        yield ("8.0", "sm_90", f"{kind} k~(.param .u64 {parameter}) {{ .reg {register}; }}")


def limits():
    """Numbers of more than 32 bits, and expressions with functions."""
    for number, shape in itertools.product((1 << 31, 1 << 32, 1 << 40, 1 << 63), (".global .align {} .u32 i~;", ".const .align {} .u32 i~[4];", ".shared .align {} .b8 i~[4];",
                                           ".func f~() {{ .local .align {} .b8 i~[4]; }}", ".entry k~(.param .align {} .b8 i~[4]) {{ }}")):
        yield ("9.5", "sm_90", shape.format(number))
    for number, shape in itertools.product((4294967295, 4294967296, 8589934592), (".func (.param .align 16 .b8 r~[{}]) f~() {{ }}", ".func f~(.param .b8 r~[{}]) {{ }}",
                                           ".func f~(.param .b32 r~[{}]);", ".global .b8 r~[{}];", ".shared .b8 r~[{}];", ".func f~() {{ .local .b64 r~[{}]; }}", ".func f~() {{ .param .b8 r~[{}]; }}")):
        yield ("9.5", "sm_90", shape.format(number))
    for value in ("{f~+4}", "{f~}", "{f~+0}", "{generic(f~)}", "{generic(f~)+4}", "{g~}", "{g~+4}", "{k~+4}", "{k~}", "{0,f~+4}"):
        yield ("9.5", "sm_90", f".func f~() {{ }} .entry k~() {{ }} .global .u32 g~; .global .u64 h~[2] = {value};")


def sections():
    """The data of debug sections on one line, and the versions of labels."""
    for ty in "b8 b16 b32 b64 b128 u8 u32 s32 u64 f16 texref samplerref surfref e4m3 e2m1x4 f16x2 pred".split():
        yield ("9.5", "sm_90", f".section .debug_x {{ .{ty} 1 }}")
        yield ("9.5", "sm_90", f".section .debug_x {{ L~: .{ty} 1 }}")
    for version, data in itertools.product(("6.5", "7.0", "7.4", "7.5", "8.0"), ("L~: .b8 65,0", "L~: .b8 65,0\\nM~: .b8 1\\n.b32 M~-L~", "L~: .b8 1\\n.b32 L~", "L~: .b8 1\\n.b64 L~+4", ".b8 1", "\\nL~:\\n.b8 1")):
        yield (version, "sm_60", f".section .debug_str {{ {data}\\n}}")


def versions_key(version):
    return tuple(map(int, version.split(".")))


GROUPS = {
    "duplicates": lambda: today(duplicates()), "locals": lambda: today(locals_()), "prototypes": lambda: today(prototypes()), "parameters": lambda: today(parameters()),
    "call_prototypes": lambda: today(call_prototypes()),
    "variables": lambda: today(variables()), "tuning": lambda: today(tuning()), "values": lambda: today(values()), "aliases": lambda: today(aliases()), "options": options,
    "requirements": requirements, "pragmas": pragmas_everywhere, "instruction_types": instruction_types, "memory_arrays": memory_arrays,
    "parameters_and_ranges": parameters_and_ranges, "limits": limits, "sections": sections,
}


def module(version, target, text, number=""):
    size = ".address_size 64\n" if versions_key(version) >= (2, 3) and ".address_size" not in text else ""
    return f".version {version}\n.target {target}\n{size}{text}\n".replace("\\n", "\n").replace("~", str(number) and f"_{number}x")


class Crash(Exception):
    """The assembler crashed on a case, so it says nothing of the others of the process."""


def rejected(cases):
    """The indices of the cases that one process rejects."""
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            with open(os.path.join(folder, f"{number}.ptx"), "w") as file:
                file.write(module(*case, number))
        command = [PTXAS, "-arch=compute_121", *(f"{number}.ptx" for number in range(len(cases))), "-o", os.devnull]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode < 0:
        raise Crash
    # Of modules without instructions, which all of these are, version and target are compared only when they are linked.
    lines = [line for line in done.stderr.splitlines() if "does not support .target" not in line]
    found = {int(number) for number in ERROR.findall("\n".join(lines))}
    # Of one module, messages without a line count too.
    says = [line for line in lines if re.search("error|fatal", line) and "aborted due to errors" not in line]
    return found if len(cases) > 1 else {0} if says else set()


def accepted_of(cases, part):
    """The cases of a part, as indices, that the assembler does not reject, and those that it crashes on."""
    try:
        answer = rejected([cases[at] for at in part])
        return [at for number, at in enumerate(part) if number not in answer], []
    except Crash:
        if len(part) == 1:
            return [], part
    step = -(-len(part) // 4)
    answers = [accepted_of(cases, part[at:at + step]) for at in range(0, len(part), step)]
    return [at for rest, _ in answers for at in rest], [at for _, crashed in answers for at in crashed]


def verdicts(cases, smallest):
    """The verdict on each case: `+`, `-`, or `!` for a crash."""
    verdict, asked = ["-"] * len(cases), list(range(len(cases)))
    size = MODULES_OF_A_PROCESS if smallest > 1 else 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while size:
            parts = [asked[at:at + size] for at in range(0, len(asked), size)]
            answers = list(pool.map(lambda part: accepted_of(cases, part), parts))
            for at in (at for _, crashed in answers for at in crashed):
                verdict[at] = "!"
            rest = [at for accepted, _ in answers for at in accepted]
            # Few more are found: the next processes get fewer modules each.
            if size > smallest and len(asked) - len(rest) <= len(asked) // 20:
                size = smallest
            elif len(asked) == len(rest):
                size = 0
            asked = rest
    for at in asked:
        verdict[at] = "+"
    return verdict


def ask(names):
    said = []
    for name in names:
        cases = list(dict.fromkeys(GROUPS[name]()))
        answers = verdicts(cases, SMALLEST_OF.get(name, SMALLEST))
        said.append(f"#{name}")
        answered = [(case, answer) for case, answer in zip(cases, answers) if answer != "!"]
        said += [f"{answer}{version}\t{target}\t{text.replace('~', '')}" for (version, target, text), answer in answered]
        print(name, len(cases), "accepted", answers.count("+"), "crashed", answers.count("!"), file=sys.stderr)
    return "\n".join(said) + "\n"


def main():
    check = "--check" in sys.argv
    only = [name for name in sys.argv[1:] if name in GROUPS]
    old = ""
    if os.path.exists(RECORDED):
        with gzip.open(RECORDED, "rt") as file:
            old = file.read()
    if check:
        sys.exit("what is recorded is not what the assembler says now" if ask(GROUPS) != old else 0)
    kept = {"#" + part.split("\n")[0]: "#" + part for part in old.split("#") if part} if only else {}
    for name in only or GROUPS:
        kept["#" + name] = ask([name])
        with open(RECORDED, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as out:
            out.write("".join(kept.get("#" + known, "") for known in GROUPS).encode())


if __name__ == "__main__":
    main()
