#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on kernels with a warp or a warpgroup for each role, as they are and with each mistake.

    specialised.py            writes specialised.md beside this script
    specialised.py --check    exits with 1 if a verdict is another one
"""
from pathlib import Path

from tables import mistakes, write_or_check

HERE = Path(__file__).resolve().parent
MODULE = HERE / "specialised.ptx"
TABLE = HERE / "specialised.md"

HEAD = """\
# A warp or a warpgroup for each role

Written by `specialised.py`: the verdict of `check` on the kernels of `specialised.ptx`, our own sources in the arrangement of public libraries, at their true numbers of threads, and with each marked line
removed or replaced: load, compute and store workers (ThunderKittens), products that are added to sums in registers (DeepGEMM), two warpgroups that multiply the same tiles and two that take
turns (CUTLASS' cooperative and ping-pong kernels), and two CTAs that load halves of each tile for both (CUTLASS' multicast). One thread of a warpgroup hands a stage back after `wgmma.wait_group`. The launch of each kernel is the comment above it.

Executions, states and the most rounds of a loop in a row are those up to the verdict.

"""

TAIL = """
What is proved without a line, and what is left out:

- The last `cp.async.bulk.wait_group 0` of `workers`: the end of the kernel waits for its copies to global memory, too.
- The first `bar.sync 1, 128` of `promotion`, before its result overwrites the tile: `wgmma.wait_group` waits for the products of all four warps.
- The last `wgmma.wait_group 0` of `cooperative` orders registers, which `check` does not follow. `wgmma.fence` is not marked: `check` takes it to order registers alone (rule 14 of
  [ASYNC.md](../../../docs/explanation/asynchronous-operations.md)). The rule `uncommitted-async` reports where either is missing.
"""

write_or_check(TABLE, HEAD + mistakes(MODULE.read_text(), "all of it") + TAIL)
