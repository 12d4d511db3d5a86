#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on kernels with the wrappers of `cuda::ptx`, right and with one mistake each.

    ptx_wrappers.py ptx        compiles ptx_wrappers.cu; needs nvcc
    ptx_wrappers.py            writes ptx_wrappers.md beside this script
    ptx_wrappers.py --check    exits with 1 if a verdict is another one
"""
import re
import subprocess
import sys
import time
from pathlib import Path

from tables import ROOT, Changed, write_or_check

HERE = Path(__file__).resolve().parent
MODULE = HERE / "ptx_wrappers.ptx"
HEAD = """\
# Kernels with the wrappers of `cuda::ptx`, checked

Written by `ptx_wrappers.py`: the verdict of `check` on kernels of our own, compiled by nvcc for sm_90a from `ptx_wrappers.cu`: right, and with one mistake each.

| kernel | launch | mistake | verdict | problem |
|---|---|---|---|---|
"""


def main():
    source = HERE / "ptx_wrappers.cu"
    if sys.argv[1:] == ["ptx"]:
        compiler = ROOT / "tests/.tools/bin/nvcc"
        subprocess.run([compiler, "-arch=sm_90a", "-std=c++17", "-w", "-ptx", source, "-o", MODULE], check=True)
        return
    begin, rows = time.time(), []
    text = MODULE.read_text()
    module = Changed(text)
    for name, launch, mistakes in re.findall(r"^// check (\w+): (.*)\n((?:// \d: .*\n)*)", source.read_text(), re.M):
        mistakes = [""] + [line.split(": ", 1)[1] for line in mistakes.splitlines()]
        for number, mistake in enumerate(mistakes):
            kernel = re.search(rf"\.entry (_Z\d+{name}ILi{number}E\w*)\(", text).group(1)
            first = f"| `{name}` | `{launch}` |" if number == 0 else "| | |"
            rows.append(f"{f'{first} {mistake}'.rstrip()} | {module.verdict(['--kernel', kernel, *launch.split()])} |\n")
    print(f"{len(rows)} verdicts in {time.time() - begin:.1f} s")
    write_or_check(HERE / "ptx_wrappers.md", HEAD + "".join(rows))


main()
