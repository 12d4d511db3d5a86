#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on small kernels, right and wrong, beside what a few schedules of `run` find.

    twins.py            compiles the sources below with nvcc, writes their modules and twins.md beside this script
    twins.py --check    exits with 1 if the table of the stored modules is another one

Each right kernel but one is proved, its wrong twin refuted. When the table is written, `run` executes each kernel with some seeds, too: of a proved one
no schedule may find a problem. A comment before each kernel has its name, its launch (CTAs, threads, arguments and options), and what is wrong
in the wrong twin.
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
TABLE = HERE / "twins.md"
SEEDS = 3
# The sources, and what they are compiled for.
SOURCES = {"twins": "90", "waits": "75", "structures": "80", "shared": "90", "scopes": "90"}

HEAD = """\
# Right kernels and wrong ones

Written by `twins.py`: the verdict of `check` on each kernel, as compiled by nvcc, and on its wrong twin.
Executions, states and the most rounds of a loop in a row are those of the right kernel. A verdict that is not complete leaves out rounds of
loops that wait and count, or sequences of values that are written again and again.
"""

COLUMNS = """
## `{source}.cu`, compiled for sm_{target}

| kernel | CTAs × threads | right | complete | executions | states | rounds | distinct final states | wrong |
|---|---|---|---|---|---|---|---|---|
"""


def launches(source):
    """The name, the launch and the mistake of each pair of kernels."""
    return re.findall(r"^// twins (\w+): (.*) => (\S+)$", (HERE / f"{source}.cu").read_text(), re.M)


def command(subcommand, module, kernel, launch):
    ctas, threads, *rest = launch.split()
    specs = [one for one in rest if re.match(r"[uf]\d+\[", one)]
    options = rest[len(specs):]
    arguments = [word for at, spec in enumerate(specs) for word in ("--arg", f"{kernel}_param_{at}={spec}")]
    sizes = ["--grid", ctas, "--block", threads]
    options = [re.sub(r"^(\d+)=", rf"{kernel}_param_\1=", one) for one in options]
    return [BINARY, subcommand, module, "--kernel", kernel, *sizes, "--format", "json", *arguments, *options]


def result(words):
    run = subprocess.run(words, capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"{words}: {run.stderr}")
    return json.loads(run.stdout)


def verdict(found):
    codes = sorted({problem["code"] for problem in found["problems"]})
    return " ".join([found["verdict"], *(f"({code})" for code in codes)])


def row(module, name, launch, wrong, seeds):
    right = result(command("check", module, f"{name}_right", launch))
    twin = result(command("check", module, f"{name}_wrong", launch))
    for seed in range(seeds) if right["verdict"] == "proved" else []:
        ran = result([*command("run", module, f"{name}_right", launch), "--seed", str(seed)])
        if ran["problems"]:
            sys.exit(f"{name}: proved, but seed {seed} finds {ran['problems']}")
    if right["verdict"] != "proved" or twin["verdict"] != "refuted" or wrong not in verdict(twin):
        print(f"{name}: {verdict(right)}, the wrong one {verdict(twin)}", file=sys.stderr)
    ctas, threads, *_ = launch.split()
    complete = "yes" if right["complete"] else "no"
    cells = [name, f"{ctas} × {threads}", verdict(right), complete, right["executions"], right["states"]]
    cells += [rounds(right), right["final_states"], verdict(twin)]
    return f"| {' | '.join(map(str, cells))} |\n"


def main():
    is_check = "--check" in sys.argv
    table = HEAD
    for source, target in SOURCES.items():
        module = HERE / f"{source}.ptx"
        if not is_check:
            options = [f"-arch=compute_{target}", "-std=c++17", "-diag-suppress", "20054,177"]
            subprocess.run([NVCC, *options, "-ptx", "-o", module, HERE / f"{source}.cu"], check=True)
        table += COLUMNS.format(source=source, target=target)
        table += "".join(row(module, *launch, 0 if is_check else SEEDS) for launch in launches(source))
    write_or_check(TABLE, table)


main()
