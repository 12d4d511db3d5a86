#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on small kernels, right and wrong, beside what a few schedules of `run` find.

    twins.py            compiles twins.cu with nvcc, writes twins.ptx and twins.md beside this script
    twins.py --check    exits with 1 if the table of the stored module is another one

Each right kernel is proved, its wrong twin refuted. When the table is written, `run` executes each kernel with some seeds, too: of a proved one
no schedule may find a problem.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tables import write_or_check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
NVCC = ROOT / "tests/.tools/bin/nvcc"
MODULE = HERE / "twins.ptx"
TABLE = HERE / "twins.md"
SEEDS = 3

# CTAs, threads, arguments and options; what is wrong in the wrong twin.
LAUNCHES = {
    "message": ("2 1 u32[1] u32[1] u32[1] --expect 2=7", "data-race"),
    "message_in_scope": ("2 1 u32[1] u32[1] u32[1] --expect 2=7", "data-race"),
    "volatile_flag": ("2 1 u32[1] u32[1] u32[1] --expect 2=7", "data-race"),
    "published_pointer": ("2 1 u32[1] u64[1] u32[1] --expect 2=7", "data-race"),
    "three_threads": ("3 1 u32[1] u32[2] u32[1] --expect 2=7", "data-race"),
    "packed": ("2 1 u64[1] u32[1] u32[1] --expect 2=7", "claim"),
    "ping_pong": ("2 1 u32[1] u32[1] u32[1] --expect 0=4", "data-race"),
    "dekker": ("2 1 u32[2] u32[1]", "data-race"),
    "peterson": ("2 1 u32[2] u32[1] u32[1] --expect 2=2", "data-race"),
    "spin_lock": ("2 2 u32[1] u32[1] --expect 1=4", "data-race"),
    "lock_of_cta": ("2 1 u32[1] u32[1] --expect 1=2", "data-race"),
    "try_lock": ("2 2 u32[1] u32[1] u32[1]", "data-race"),
    "two_locks": ("2 1 u32[2] u32[1] --expect 1=2", "deadlock"),
    "lock_kept": ("2 1 u32[1] u32[1] --expect 1=2", "deadlock"),
    "once": ("2 1 u32[1] u32[1] u32[2] --expect 2=7,7", "data-race"),
    "sequence_lock": ("2 1 u32[1] u32[2] u32[1] --expect 2=0", "claim"),
    "last_block": ("2 2 u32[4] u32[1] u32[1] --expect 2=10", "data-race"),
    "last_thread": ("2 1 u32[2] u32[1] u32[1] --expect 2=3", "data-race"),
    "histogram": ("2 2 u32[2] --expect 0=2,2", "data-race"),
    "warp_aggregated": ("2 2 u32[1] u32[4] --expect 1=1,1,1,1", "data-race"),
    "maximum": ("2 2 f32[1] --expect 0=4", "claim"),
    "shared_flag": ("2 2 u32[2] --expect 0=7,7", "data-race"),
    "named_barrier": ("1 64 u32[1] --expect 0=7", "data-race"),
    "two_barriers": ("1 64 u32[1] --expect 0=1", "deadlock"),
    "rounds": ("1 2 u32[2] --expect 0=3,1", "data-race"),
    "two_buffers": ("1 2 u32[2] --expect 0=6,3", "data-race"),
    "warp_exchange": ("1 2 u32[2] --expect 0=2,1", "data-race"),
    "next_tile": ("2 2 u32[1] u32[4] --expect 1=1,1,1,1", "data-race"),
    "cluster_exchange": ("2 1 u32[2] --cluster 2 --expect 0=2,1", "data-race"),
    "cluster_arrival": ("2 1 u32[2] --cluster 2 --expect 0=2,1", "data-race"),
    "grid_barrier": ("2 1 u32[1] u32[2] u32[2] --expect 2=2,1", "data-race"),
    "hanging_barrier": ("2 1 u32[1] --expect 0=2", "deadlock"),
    "flags_of_both": ("2 1 u32[2] --expect 0=1,1", "deadlock"),
    "atomic_sizes": ("2 1 u64[1] --expect 0=3", "data-race"),
    "vectors": ("2 1 u32[4] --expect 0=1,2,3,4", "data-race"),
    "fields": ("2 1 u8[8] --expect 0=1,2,3,0,0,0,0,0", "data-race"),
    "torn": ("2 1 u64[1] u32[1] --expect 1=0", "data-race"),
    "queue": ("2 1 u32[2] u32[1] u32[2] --expect 2=5,6", "data-race"),
    "stack": ("2 1 u32[6] u32[1] u32[2]", "data-race"),
    "slots": ("2 2 u32[1] u32[4]", "data-race"),
    "look_back": ("3 1 u32[3] u32[3] u32[3] u32[3] --expect 3=0,1,3", "data-race"),
    "packed_look_back": ("3 1 u64[3] u32[3] --expect 1=0,1,3", "data-race"),
    "stream_k": ("2 2 u32[2] u32[1] u32[2] --expect 2=11,12", "data-race"),
    "in_turns": ("2 2 u32[1] u32[2] --expect 1=3,3", "data-race"),
    "copy": ("1 2 u32[8]=iota u32[2] --expect 1=7,3", "data-race"),
    "mbarrier": ("1 2 u32[1] --expect 0=7", "mbarrier-misuse"),
    "ticket_in_struct": ("2 1 u32[2] u32[1] --expect 1=2", "data-race"),
    "ticket_in_halves": ("2 1 u32[1] u32[1] --expect 1=2", "data-race"),
    "queue_lock": ("2 1 u64[1] u64[4] u32[1] --expect 2=2", "data-race"),
    "readers_that_add": ("3 1 u32[1] u32[2] u32[3] --expect 2=0,0,0", "data-race"),
    "readers_that_compare": ("3 1 u32[1] u32[2] u32[3] --expect 2=0,0,0", "data-race"),
    "passed_on": ("3 1 u32[1] u32[1] u32[1]", "data-race"),
}

HEAD = """\
# Right kernels and wrong ones

Written by `twins.py`: the verdict of `check` on each kernel of `twins.cu`, as compiled by nvcc, and on its wrong twin.
States are those of the right kernel.

| kernel | CTAs × threads | right | complete | states | different ends | wrong |
|---|---|---|---|---|---|---|
"""


def command(subcommand, kernel, launch):
    ctas, threads, *rest = launch.split()
    specs = [one for one in rest if re.match(r"[uf]\d+\[", one)]
    options = rest[len(specs):]
    arguments = [word for at, spec in enumerate(specs) for word in ("--arg", f"{kernel}_param_{at}={spec}")]
    sizes = ["--grid", ctas, "--block", threads]
    options = [re.sub(r"^(\d+)=", rf"{kernel}_param_\1=", one) for one in options]
    return [BINARY, subcommand, MODULE, "--kernel", kernel, *sizes, "--format", "json", *arguments, *options]


def result(words):
    run = subprocess.run(words, capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"{words}: {run.stderr}")
    return json.loads(run.stdout)


def verdict(found):
    codes = sorted({problem["code"] for problem in found["problems"]})
    return " ".join([found["verdict"], *(f"({code})" for code in codes)])


def row(name, launch, wrong, seeds):
    right = result(command("check", f"{name}_right", launch))
    twin = result(command("check", f"{name}_wrong", launch))
    for seed in range(seeds) if right["verdict"] == "proved" else []:
        ran = result([*command("run", f"{name}_right", launch), "--seed", str(seed)])
        if ran["problems"]:
            sys.exit(f"{name}: proved, but seed {seed} finds {ran['problems']}")
    if right["verdict"] != "proved" or twin["verdict"] != "refuted" or wrong not in verdict(twin):
        print(f"{name}: {verdict(right)}, the wrong one {verdict(twin)}", file=sys.stderr)
    ctas, threads, *_ = launch.split()
    complete = "yes" if right["complete"] else "no"
    cells = [name, f"{ctas} × {threads}", verdict(right), complete, right["states"], right["ends"], verdict(twin)]
    return f"| {' | '.join(map(str, cells))} |\n"


def main():
    is_check = "--check" in sys.argv
    if not is_check:
        options = ["-arch=compute_90", "-std=c++17", "-diag-suppress", "20054,177"]
        subprocess.run([NVCC, *options, "-ptx", "-o", MODULE, HERE / "twins.cu"], check=True)
    table = HEAD + "".join(row(name, *launch, 0 if is_check else SEEDS) for name, launch in LAUNCHES.items())
    write_or_check(TABLE, table)


main()
