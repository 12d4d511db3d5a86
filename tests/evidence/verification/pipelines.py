#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on producers and consumers of asynchronous copies, as they are and without each fence, wait and arrival.

    pipelines.py            writes pipelines.md beside this script
    pipelines.py --check    exits with 1 if a verdict is another one

A marked line is removed; a wait on an mbarrier is replaced by a predicate that is true.
"""
import re
import tempfile
import time
from pathlib import Path

from tables import VERDICT, cells, write_or_check

HERE = Path(__file__).resolve().parent
MODULE = HERE / "pipelines.ptx"
TABLE = HERE / "pipelines.md"
ONE_TO_16 = ",".join(str(one) for one in range(1, 17))
ONE_TO_12 = ",".join(str(one) for one in range(1, 13))
LAUNCHES = {
    "stages": [f"u32[16]={ONE_TO_16}", "u32[2]", "--expect", "1=28,32"],
    "load_change_store": [f"u32[12]={ONE_TO_12}", "u32[12]", "--expect", "1=101,2,3,4,105,6,7,8,109,10,11,12"],
    "ping_pong": [f"u32[16]={ONE_TO_16}", "u32[16]", "--expect", "1=101,101,101,101,105,105,105,105,109,109,109,109,113,113,113,113"],
    "copies": ["u32[192]", "u32[64]"],
}

HEAD = """\
# Producers and consumers of asynchronous copies

Written by `pipelines.py`: the verdict of `check` at one CTA of two warps, one for each role (`ping_pong` has two lanes of one), on our own sources in the arrangement of CUTLASS (`stages`, `ping_pong`), of ThunderKittens
(`load_change_store`) and of `cp.async` (`copies`): as they are, and without each fence, wait and arrival. States and problems are those that were found until the
verdict. Not refuted, and left out: `fence.mbarrier_init`, because the machine does not know that the completion of a copy reaches an mbarrier through the async proxy;
`threads.md` has an mbarrier that another CTA uses, which needs it. [`library_pipelines.md`](library_pipelines.md) has the libraries' own classes.

"""


def check(text, kernel):
    given = LAUNCHES[kernel]
    arguments = [word for at, spec in enumerate(given[:2]) for word in ("--arg", f"{at}={spec}")]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as module:
        module.write(text)
        module.flush()
        return cells([module.name, "--kernel", kernel, "--block", "64", *arguments, *given[2:]])


def main():
    begin = time.time()
    lines = MODULE.read_text().splitlines(keepends=True)
    kernel, rows = None, []
    for at, line in enumerate(lines):
        entry = re.search(r"\.entry (\w+)\(", line)
        if entry:
            kernel = entry.group(1)
            rows.append(f"| {kernel} | | {check(''.join(lines), kernel)} |\n")
        elif "//- " in line:
            new = "    setp.eq.u32 done, t, t;\n" if "try_wait" in line else "\n"
            changed = lines[:at] + [new] + lines[at + 1:]
            rows.append(f"| | `{line.split(';')[0].strip()}` | {check(''.join(changed), kernel)} |\n")
    head = f"| kernel | without | {VERDICT} |\n" + "|---" * (VERDICT.count("|") + 3) + "|\n"
    table = HEAD + head + "".join(rows)
    print(f"{len(rows)} verdicts in {time.time() - begin:.1f} s")
    write_or_check(TABLE, table)


main()
