#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on matrix products of sm_100 with a warp for each role, as they are and without each fence, wait, commit and arrival.

    gemm.py            writes gemm.md beside this script: some minutes
    gemm.py --check    exits with 1 if a verdict is another one
"""
import re
import sys
import time
from pathlib import Path

from tables import Changed, write_or_check

HERE = Path(__file__).resolve().parent
TABLE = HERE / "gemm.md"
# Why a line is not needed, by its begin.
REDUNDANT = {
    "tcgen05.fence": "the synchronization releases and acquires, or the allocation has ended: the note `missing-tensor-fence` at most",
    "fence.mbarrier_init": "a barrier follows; that completions reach an mbarrier through the async proxy is not in the model (`threads.md`)",
    "tcgen05.wait::ld": "what uses the registers depends on the load, nothing overwrites the columns, and a barrier is before `dealloc`",
    "tcgen05.relinquish": "it lets other CTAs allocate, and orders nothing",
}

HEAD = """\
# Matrix products of sm_100

Written by `gemm.py`: the verdict of `check` on `gemm.ptx`, our own kernels with one warp for each role: a thread that copies tiles with tensor maps, a thread that multiplies and commits, a warp that allocates tensor memory, warps
that load results, hand the columns back and store the results with tensor maps. `specialised` is in the arrangement of CUTLASS (two stages of tiles, two results in tensor memory), `swizzled` in that of DeepGEMM (swizzled tiles, four
products for each stage, two warps that store), `pair_of_ctas` multiplies with `.cta_group::2` (copies that notify the mbarrier of the first CTA, commits with `.multicast::cluster`). Each kernel as it is, and without each marked line.
The rules are derived in [ASYNC.md](../../../docs/explanation/asynchronous-operations.md#tensor-memory).

| kernel | without | instead | verdict | problem, or why the line is not needed |
|---|---|---|---|---|
"""


def row(verdict, line):
    """The last cells of a row: the verdict and the problem, or why nothing is wrong."""
    if verdict != "proved |":
        return verdict
    reasons = [reason for begin, reason in REDUNDANT.items() if line.startswith(begin)]
    return f"proved | {reasons[0] if reasons else 'NO REASON'}"


def main():
    begin = time.time()
    text = (HERE / "gemm.ptx").read_text()
    module, rows = Changed(text), []
    for found in re.finditer(r"^// check (\w+): (.*)$", text, re.M):
        kernel, options = found.groups()
        body = re.search(rf"\.entry {kernel}\(.*?^\}}", text, re.S | re.M)
        first, last = (text.count("\n", 0, at) for at in body.span())
        options = ["--kernel", kernel, *options.split()]
        rows.append(f"| {kernel} | | | {module.verdict(options)} |\n")
        for at, line, new in module.marks(first, last):
            instead = f"`{new.rstrip(';')}`" if new else ""
            rows.append(f"| | `{line}` | {instead} | {row(module.verdict(options, {at: new}), line)} |\n")
            print(rows[-1], end="", file=sys.stderr, flush=True)
    if "NO REASON" in "".join(rows):
        sys.exit("a line is not needed, without a reason")
    print(f"{len(rows)} verdicts in {time.time() - begin:.1f} s")
    write_or_check(TABLE, HEAD + "".join(rows))


main()
