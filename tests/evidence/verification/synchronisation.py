#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on synchronisation that people use, at 2 x 2 threads, and which of its orders are needed.

    synchronisation.py            compiles synchronisation.cu with nvcc, writes synchronisation.ptx and synchronisation.md beside this script
    synchronisation.py --check    exits with 1 if the table of the stored module is another one

Each kernel is checked as it is, and with each order, fence and barrier weakened, one at a time.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tables import rounds, write_or_check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
NVCC = ROOT / "tests/.tools/bin/nvcc"
MODULE = HERE / "synchronisation.ptx"
TABLE = HERE / "synchronisation.md"

# The barrier of libcu++ counts arrivals that are missing, in both halves of a word, up to 2^31.
ARRIVALS = 0x8000_0000 - 4
COUNT = ["--expect", "1=4"]
LAUNCHES = {
    "shared_barrier": ["u32[4]"],
    "global_barrier": [f"u64[1]={ARRIVALS | ARRIVALS << 32}", "u32[4]", "u32[4]"],
    "semaphore": ["u32[2]=1", "u32[1]", *COUNT],
    "reference_lock": ["u32[1]", "u32[1]", *COUNT],
    "wait_notify": ["u32[1]", "u32[1]", "u32[4]"],
    "grid_sync": ["u32[4]", "u32[4]"],
    "cluster_sync": ["u32[4]", "--cluster", "2"],
    "flag_in_line": ["u32[8]", "u32[4]"],
    "data_then_tail": ["u32[4]", "u64[1]", "u32[4]"],
    "fix_up": ["u32[4]", "u32[1]", "u32[2]", "--expect", "2=1,1"],
    "compare_and_swap_lock": ["u32[1]", "u32[1]", *COUNT],
    "ticket_lock": ["u32[2]", "u32[1]", *COUNT],
    "test_and_set_lock": ["u32[1]", "u32[1]", *COUNT],
    "flags_barrier": ["u32[2]", "u32[4]", "u32[4]"],
}
# Kernels that are checked as they are only.
SLOW = ["semaphore"]

HEAD = """\
# Synchronisation that people use

Written by `synchronisation.py`: the verdict of `check` at 2 CTAs of 2 threads. *Needed* are the instructions without which, or with a
weaker order of which, the kernel is refuted: each of them is a weakened twin of a proved kernel. *Stronger than needed* are those that this
launch is proved without, or with a weaker order. A verdict that is not complete leaves out rounds of loops that wait and count.
*Rounds* are the most of a loop that a thread repeats in a row.

| kernel | verdict | complete | executions | states | rounds | needed | stronger than needed |
|---|---|---|---|---|---|---|---|
"""


def row(name, given):
    positional = [one for one in given if re.match(r"u\d+\[", one)]
    options = given[len(positional):]
    arguments = [word for at, spec in enumerate(positional) for word in ("--arg", f"{at}={spec}")]
    command = [BINARY, "check", MODULE, "--kernel", name, "--grid", "2", "--block", "2", "--format", "json"]
    command += [] if name in SLOW else ["--redundant"]
    run = subprocess.run([*command, *arguments, *options], capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"{name}: {run.stderr}")
    result = json.loads(run.stdout)
    orders = result.get("orders", [])
    words = lambda rows: [one["instruction"].split()[0].rstrip(";") for one in rows]
    needed = words(one for one in orders if one["breaking"])
    others = words(one for one in orders if one["enough"])
    cell = lambda words: ", ".join(f"{words.count(one)} × `{one}`" for one in sorted(set(words)))
    complete = "yes" if result["complete"] else "no"
    bounds = f"{result['executions']} | {result['states']} | {rounds(result)}"
    return f"| {name} | {result['verdict']} | {complete} | {bounds} | {cell(needed)} | {cell(others)} |\n"


def main():
    is_check = "--check" in sys.argv
    if not is_check:
        source = HERE / "synchronisation.cu"
        subprocess.run([NVCC, "-arch=compute_90", "-std=c++17", "-diag-suppress", "20054", "-ptx", "-o", MODULE, source], check=True)
    table = HEAD + "".join(row(name, given) for name, given in LAUNCHES.items())
    write_or_check(TABLE, table)


main()
