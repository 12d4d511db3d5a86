#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on asynchronous copies of libcu++ and CUB.

    bulk_copies.py ptx        compiles bulk_copies.cu; needs nvcc
    bulk_copies.py            writes bulk_copies.md beside this script
    bulk_copies.py --check    exits with 1 if a verdict is another one
"""
import re
import subprocess
import sys
import time
from pathlib import Path

from tables import ROOT, Changed, write_or_check

HERE = Path(__file__).resolve().parent
MODULE = HERE / "bulk_copies.ptx"
# The end of a kernel's name, what it is, its launch, and instructions whose lines are removed.
KERNELS = [
    ("memcpy_async_bulk", "`cuda::memcpy_async` with a `cuda::barrier`", "--block 2 --arg 0=s32[4]=1,2,3,4 --arg 1=s32[4] --expect 1=2,3,0,0", ["bar.sync"]),
    ("load_change_store", "load, change and store of the programming guide", "--block 2 --arg 0=s32[4]=1,2,3,4 --expect 0=2,3,3,4",
     ["fence.proxy.async.shared::cta", "bar.sync"]),
    ("pipeline", "`cuda::pipeline` with two stages", "--block 2 --arg 0=s32[8]=1,2,3,4,5,6,7,8 --arg 1=s32[4] --expect 1=6,8,0,0", []),
    # Four threads of 256: of the 32 elements of the tile they change the first ones.
    ("transform_kernel", "`cub::DeviceTransform`", "--block 4 --shared 4096 --arg 0=u64=32 --arg 1=u32=1 --arg 2=u8=0 --arg 3=u8=0 --arg 4=u8=0 --arg 5=s32[32] "
     "--arg 6+0=s32[64]=5,6,7,8 --arg 6+8=u32=0 --expect 5=6,7,8,9,1,1,1,1,1,1,1,1,1,1,1,1,0", ["bar.sync"]),
]
HEAD = """\
# Asynchronous copies of libcu++ and CUB, checked

Written by `bulk_copies.py`: the verdict of `check` on copies as libcu++, the CUDA programming guide and CUB make them, compiled by nvcc for sm_90 from `bulk_copies.cu`: as they are, and without all lines with an instruction.

| kernel | launch | without | verdict | problem |
|---|---|---|---|---|
"""


def main():
    if sys.argv[1:] == ["ptx"]:
        compiler = ROOT / "tests/.tools/bin/nvcc"
        subprocess.run([compiler, "-arch=sm_90", "-std=c++17", "-w", "-ptx", HERE / "bulk_copies.cu", "-o", MODULE], check=True)
        return
    begin, rows = time.time(), []
    text = MODULE.read_text()
    module = Changed(text)
    for end, what, launch, removed in KERNELS:
        # Statements in the kernels have braces of their own, so a kernel ends where the next one begins.
        found = next(found for found in re.finditer(r"\.entry (\w+)\((?:(?!\.entry)(?:.|\n))*", text) if end in found.group(1))
        first, last = (text.count("\n", 0, at) for at in (found.start(), found.end()))
        options = ["--kernel", found.group(1), *launch.split()]
        rows.append(f"| {what} | `{launch}` | | {module.verdict(options)} |\n")
        for word in removed:
            lines = {at: "" for at in range(first, last) if module.lines[at].strip().startswith(word)}
            rows.append(f"| | | `{word}` | {module.verdict(options, lines)} |\n")
    print(f"{len(rows)} verdicts in {time.time() - begin:.1f} s")
    write_or_check(HERE / "bulk_copies.md", HEAD + "".join(rows))


main()
