#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on kernels with tensor memory, as they are and without each fence, wait, commit and arrival.

    tensor_memory.py            writes tensor_memory.md beside this script
    tensor_memory.py --check    exits with 1 if a verdict is another one
"""
import re
import time
from pathlib import Path

from tables import Changed, write_or_check

HERE = Path(__file__).resolve().parent
TABLE = HERE / "tensor_memory.md"
LAUNCHES = {"pipeline": "--block 96 --arg out=f32[512]", "relaxed": "--block 64 --arg out=f32[512]",
            "pair": "--block 64 --arg out=u32[1]", "again": "--block 32 --arg out=u32[32] --require out[5]==105",
            "two": "--grid 2 --cluster 2 --block 32 --arg out=f32[64]"}

HEAD = """\
# Kernels with tensor memory

Written by `tensor_memory.py`: the verdict of `check` on `tensor_memory.ptx`, kernels of our own after the patterns of the ISA's text (`relaxed`, `pair`, `again`, `two` with a pair of CTAs) and of CUTLASS (`pipeline`: a producer that
stores tiles, a thread that multiplies, a warp that reads the result, two stages, and two results of two products each), as they are and without each marked line. What multiplications compute is not known to `check`.
The rules are derived in [ASYNC.md](../../../docs/explanation/asynchronous-operations.md#tensor-memory). Fences of tensor memory at a barrier, or at arrivals that release and waits that acquire, are not marked: without them there is the note
`missing-tensor-fence`, and no refutation.

| kernel | without | verdict | problem |
|---|---|---|---|
"""


def main():
    begin = time.time()
    text = (HERE / "tensor_memory.ptx").read_text()
    module, rows = Changed(text), []
    for found in re.finditer(r"\.entry (\w+)\(.*?^\}", text, re.S | re.M):
        kernel = found.group(1)
        options = ["--kernel", kernel, *LAUNCHES[kernel].split()]
        first, last = (text.count("\n", 0, at) for at in found.span())
        rows.append(f"| {kernel} | | {module.verdict(options)} |\n")
        for at, line, new in module.marks(first, last):
            rows.append(f"| | `{line}` | {module.verdict(options, {at: new})} |\n")
    print(f"{len(rows)} verdicts in {time.time() - begin:.1f} s")
    write_or_check(TABLE, HEAD + "".join(rows))


main()
