#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on producers and consumers with the pipelines of CUTLASS and ThunderKittens, as they are and without each
fence, wait and arrival.

    library_pipelines.py CUTLASS THUNDERKITTENS [--check]

The arguments are checkouts of NVIDIA/cutlass and HazyResearch/ThunderKittens, whose headers our sources include. nvcc compiles them for sm_90a
into a temporary folder. Writes library_pipelines.md beside this script; with --check, exits with 1 if a verdict is another one.
"""
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tables import ROOT, Changed, write_or_check

HERE = Path(__file__).resolve().parent
NVCC = ROOT / "tests/.tools/bin/nvcc"
TABLE = HERE / "library_pipelines.md"
KITTENS = ["-std=c++20", "--expt-relaxed-constexpr", "-DKITTENS_HOPPER", "-DKITTENS_SM90"]
# What is removed.
ORDER = re.compile(r"^\s*((?:fence\.|mbarrier\.arrive|mbarrier\.try_wait|bar\.sync|barrier\.cluster|cp\.async\.bulk\.(?:commit|wait))[^;]*);")

HEAD = """\
# Pipelines of CUTLASS and ThunderKittens

Written by `library_pipelines.py`: the verdict of `check` on the kernels of `cutlass_pipelines.cu` and `kittens_pipeline.cu`, which use the libraries' own classes around
plain bulk copies, compiled by nvcc: one warp produces, one consumes. First as they are, then without each fence, barrier, wait and arrival of the PTX. A wait on an mbarrier is replaced by a
predicate that is true.

| kernel | without | verdict | problem |
|---|---|---|---|
"""

TAIL = """
Proved without it:

- `fence.mbarrier_init` in one CTA: the model does not say that a completion reaches the mbarrier through the async proxy, and ThunderKittens has no such fence. Between CTAs it is needed (`cluster`).
- The last `cp.async.bulk.wait_group 0` of ThunderKittens' kernel: the end of the kernel waits for its copies to global memory, too.
"""


def module(source, options, folder):
    to = Path(folder) / f"{source}.ptx"
    command = [NVCC, "-arch=compute_90a", *options, "-diag-suppress", "20054,177", "-ptx", "-o", to, HERE / f"{source}.cu"]
    subprocess.run(command, check=True, capture_output=True)
    return to.read_text()


def rows(source, text):
    launches = re.findall(r"^// check (\w+): (\d+) (\d+) (\S+) (\S+) (.*)$", (HERE / f"{source}.cu").read_text(), re.M)
    for kernel, ctas, threads, first, second, claims in launches:
        options = ["--kernel", kernel, "--grid", ctas, "--block", threads, "--arg", f"0={first}", "--arg", f"1={second}", *claims.split()]
        changed = Changed(text)
        yield f"| {kernel} | | {changed.verdict(options)} |\n"
        begin = next(at for at, line in enumerate(changed.lines) if f".entry {kernel}(" in line)
        after = (at for at in range(begin + 1, len(changed.lines)) if ".entry " in changed.lines[at])
        end = next(after, len(changed.lines))
        for at in range(begin, end):
            found = ORDER.match(changed.lines[at])
            if found:
                new = "setp.eq.u32 P1, 0, 0;" if "try_wait" in found.group(1) else ""
                yield f"| | `{' '.join(found.group(1).split())}` | {changed.verdict(options, {at: new})} |\n"


def main():
    cutlass, kittens = sys.argv[1], sys.argv[2]
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        sources = {
            "cutlass_pipelines": ["-std=c++17", "-I", f"{cutlass}/include"],
            "kittens_pipeline": [*KITTENS, "-I", f"{kittens}/include"],
        }
        found = []
        for source, options in sources.items():
            for row in rows(source, module(source, options, folder)):
                print(row, end="", file=sys.stderr)
                found.append(row)
    print(f"{len(found)} verdicts in {time.time() - begin:.1f} s")
    write_or_check(TABLE, HEAD + "".join(found) + TAIL)


main()
