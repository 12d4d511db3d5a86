#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on kernels after public threads, with their fix and with each mistake.

    threads.py            writes threads.md beside this script
    threads.py --check    exits with 1 if a verdict is another one
"""
from pathlib import Path

from tables import mistakes, write_or_check

HERE = Path(__file__).resolve().parent
MODULE = HERE / "threads.ptx"
TABLE = HERE / "threads.md"

HEAD = """\
# Public threads about ordering, checked

Written by `threads.py`: the verdict of `check` on the kernels of `threads.ptx`, which are ours and follow the threads that [`threads.md`](../libraries/threads.md) of the
rules lists (rows 1 to 3 and 7 to 10 of what users ran into in 2025 and 2026): with the fix, and with each marked line removed or replaced by the mistake of the
thread. The launch of each kernel is the comment above it; `ptx-atomics check threads.ptx --kernel NAME LAUNCH` gives the first line of each.

Executions, states and the most rounds of a loop in a row are those up to the verdict.

"""

TAIL = """
What is left out, and what is proved without a line:

- The second barrier of *sglang#39124* is not needed: `wgmma.wait_group` waits for the products of the whole warpgroup, so what the other warps read has ended, too.
- What tensor cores compute: of `wgmma` (*sgl-project/sglang#39124*) `check` follows the accesses to shared memory, not the values.
- *DeepEP#642* and *TransformerEngine#2695* ask for a proxy fence between ordinary reads of a tile and the copy that overwrites it. The model needs the order of the mbarrier alone there
  (rule 9 of [ASYNC.md](../../../docs/explanation/asynchronous-operations.md)), as CUTLASS' main loops have no such fence. The table has the missing order.
- *FlashKDA#24* has a third place: an mbarrier without `fence.mbarrier_init` before a copy of its own CTA completes on it. The model does not say that the completion reaches the mbarrier through the async proxy, and
  ThunderKittens initializes all of its mbarriers without that fence; so `check` proves both. The rule `unfenced-mbarrier` reports it. Between CTAs the fence is needed (`cutlass_3643`).
"""

write_or_check(TABLE, HEAD + mistakes(MODULE.read_text(), "the fix") + TAIL)
