#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on ScoR's microbenchmarks, beside those in their file names.

    scor.py MODULES            writes scor.md beside this script
    scor.py MODULES --check    exits with 1 if a verdict is not the one in scor.md

MODULES has two modules for each kernel, for sm_75: KERNEL.ptx as it is, and KERNEL-plain.ptx without the qualifier `volatile` of its data. They are
neither committed nor compiled here. The launches are those of the host code.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tables import write_or_check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")

HEAD = """\
# ScoR's microbenchmarks

Written by `scor.py`: the verdict of `check` on each kernel, as it is and without `volatile`. Where it is not the one in the file name:

- `race_…` as they are, proved: their data is `volatile`. Such accesses are strong, so by PTX's definition two of them are no data race.
  That nothing orders them is the note `unordered-access`, which does not refute: each kernel that is refuted without `volatile` has it.
- `norace_…` without `volatile`, refuted: the thread that waits has no fence after its relaxed loop, so nothing orders its access after the
  write (PTX ISA, Release and Acquire Patterns).
- `norace_interwarp-block_fence-atom_hrd-indirect`: as those without `volatile`, and `atomicExch_block` of threads of two CTAs is not morally strong.

| kernel | launch | as it is | without `volatile` |
|---|---|---|---|
"""


def launches():
    """The CTAs and the threads of each launch, by kernel, as scor.md has them."""
    rows = re.findall(r"^\| (\w[\w-]*) \| (\d+) × (\d+) \|", (HERE / "scor.md").read_text(), re.M)
    return {kernel: (ctas, threads) for kernel, ctas, threads in rows}


def verdict(module, launch):
    parameters = re.search(r"\.entry \w+\(([^)]*)\)", module.read_text()).group(1)
    arguments = [word for at in range(len(parameters.split(","))) for word in ("--arg", f"{at}=u32[128]")]
    command = [BINARY, "check", module, "--grid", launch[0], "--block", launch[1], "--format", "json", *arguments]
    result = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    codes = sorted({problem["code"] for problem in result["problems"] + result["notes"]})
    return " ".join([result["verdict"], *(f"({code})" for code in codes)])


def main():
    if len(sys.argv) < 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    modules, rows = Path(sys.argv[1]), []
    for kernel, launch in sorted(launches().items()):
        found = [verdict(modules / f"{kernel}{ending}.ptx", launch) for ending in ("", "-plain")]
        rows.append(f"| {kernel} | {launch[0]} × {launch[1]} | {found[0]} | {found[1]} |\n")
    table = HEAD + "".join(rows)
    write_or_check(HERE / "scor.md", table)


main()
