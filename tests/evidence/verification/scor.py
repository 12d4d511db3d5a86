#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on ScoR's microbenchmarks, beside those in their file names.

    scor.py SOURCES            SOURCES is a checkout of github.com/csl-iisc/ScoR; writes scor.md beside this script
    scor.py SOURCES --check    exits with 1 if a verdict is not the one in scor.md

Needs nvcc. Each kernel is checked twice: as it is, and with the qualifier `volatile` of its data removed. The launch is that of its host code.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
NVCC = ROOT / "tests/.tools/bin/nvcc"

HEAD = """\
# ScoR's microbenchmarks

Written by `scor.py`: the verdict of `check` on each kernel, as it is and without `volatile`. Where it is not the one in the file name:

- `race_…` as they are, proved: their data is `volatile`. Such accesses are strong, so by PTX's definition two of them are no data race.
- `norace_…` without `volatile`, refuted: the thread that waits has no fence behind its relaxed loop, so nothing orders its access behind the
  write (PTX ISA, Release and Acquire Patterns).
- `norace_interwarp-block_fence-atom_hrd-indirect`: the same, and `atomicExch_block` of threads of two CTAs is not morally strong.

| kernel | launch | as it is | without `volatile` |
|---|---|---|---|
"""


def verdict(text, folder, name, launch):
    source, module = folder / f"{name}.cu", folder / f"{name}.ptx"
    source.write_text(text)
    subprocess.run([NVCC, "-arch=compute_75", "-ptx", "-o", module, source], check=True, capture_output=True)
    parameters = re.search(r"\.entry \w+\(([^)]*)\)", module.read_text()).group(1)
    arguments = [word for at in range(len(parameters.split(","))) for word in ("--arg", f"{at}=u32[128]")]
    command = [BINARY, "check", module, "--grid", launch[0], "--block", launch[1], "--format", "json", *arguments]
    result = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    codes = sorted({problem["code"] for problem in result["problems"]})
    return " ".join([result["verdict"], *(f"({code})" for code in codes)])


def main():
    sources = Path(sys.argv[1]) / "microbenchmarks/src"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(sources.glob("*.cu")):
            text = path.read_text()
            sizes = [re.search(rf"{word}\s+\(?(\d+)", text).group(1) for word in ("NBLOCKS", "TPERBLK")]
            plain = text.replace("volatile ", "")
            found = [verdict(one, Path(folder), path.stem, sizes) for one in (text, plain)]
            rows.append(f"| {path.stem} | {sizes[0]} × {sizes[1]} | {found[0]} | {found[1]} |\n")
    table = HEAD + "".join(rows)
    if "--check" in sys.argv:
        sys.exit(table != (HERE / "scor.md").read_text())
    (HERE / "scor.md").write_text(table)


main()
