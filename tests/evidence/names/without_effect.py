#!/usr/bin/env python3
"""Asks ptxas for modifiers that it takes on instructions that give them no meaning.

    tests/evidence/names/without_effect.py > tests/evidence/names/without_effect.txt

A row is a version, a target, a word, and a character for each instruction in INSTRUCTIONS: `.` taken, `x` refused, `-` refused without the word too.
"""
import pathlib
import re
import subprocess
import tempfile

PTXAS = pathlib.Path(__file__).parents[2] / ".tools/bin/ptxas"
WORDS = """acc::f16 acc::f32 b4x16_p64 b6x16_p32 b8x16 box_dim element_stride elemtype fill_mode finite global_address global_dim
    global_stride infinite interleave_layout no_membermask_overlap normal notanumber number rank subnormal swizzle_atomicity swizzle_mode
    b1 b2 b4 b8x32 e4m3 pred""".split()
INSTRUCTIONS = """atom.global.add.u32% r1, [x1], r1;
red.global.add.u32% [x1], r1;
ld.global.u32% r1, [x1];
st.global.u32% [x1], r1;
mov.u32% r1, r1;
bar.sync% 0;
membar.gl%;
prefetch.global.L1% [x1];
multimem.red.relaxed.sys.global.add.u32% [x1], r1;
ld.acquire.gpu.global.u32% r1, [x1];
cvta.to.global.u64% x1, x1;
add.u32% r1, r1, r1;
mbarrier.init.shared.b64% [x1], 1;
fence.sc.gpu%;
redux.sync.add.u32% r1, r1, r1;
exit%;""".split("\n")
MODULES = [("9.5", "sm_90"), ("9.5", "sm_100a"), ("7.8", "sm_90"), ("6.0", "sm_70"), ("3.0", "sm_30")]


def refused(version, target, word):
    """The indices of the instructions that are refused with a word after their modifiers."""
    head = [f".version {version}", f".target {target}", ".address_size 64", ".visible .entry k() {", ".reg .b32 r1; .reg .b64 x1;"]
    text = "\n".join(head + [line.replace("%", word) for line in INSTRUCTIONS] + ["}", ""])
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        arch = "compute_100a" if target.endswith("a") else "compute_121"
        answer = subprocess.run([PTXAS, f"-arch={arch}", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return {int(line) - len(head) - 1 for line in re.findall(r"line (\d+); (?:error|fatal)", answer.stderr)}


for version, target in MODULES:
    without = refused(version, target, "")
    for word in WORDS:
        taken = refused(version, target, "." + word)
        row = "".join("-" if at in without else "x" if at in taken else "." for at in range(len(INSTRUCTIONS)))
        print(version, target, word, row)
