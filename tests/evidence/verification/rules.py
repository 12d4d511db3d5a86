#!/usr/bin/env python3
"""Whether the rules about synchronisation and `ptx-atomics check` agree on the kernels in tests/fixtures/synchronisation.

    rules.py            writes rules.md beside this script
    rules.py --check    exits with 1 if the table is another one

Each kernel is checked as it is, where the rules report nothing, and without each marked line, where the rule in the marker reports it
(`conformance/removed_order.rs` tests the rules).
"""
import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from tables import write_or_check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
FIXTURES = ROOT / "tests/fixtures/synchronisation"
TABLE = HERE / "rules.md"
LAUNCHES = (["--grid", "1", "--block", "64"], ["--grid", "2", "--block", "2"])
MARK = re.compile(r"//- (.*)$|//\+ ([^:]*): (.*)$")

HEAD = """\
# Rules and `check` on the same kernels

Written by `rules.py`: kernels of `tests/fixtures/synchronisation`, as they are and without each marked line, at 2 CTAs of 2 threads and at one CTA of 64, with buffers of
zeros. The kernels were written for the rules and not for a launch, so some have problems in these launches as they are. *Agree*: without the line, `check` finds a
problem that it does not find with it. *Rule alone*: the rule reports the line, and these launches show nothing new. These were not looked at one by one: a launch may not reach
the place, its values may not show the mistake, it may have the problem as it is, or the engine does not know the order (tensor maps, earlier kernels, several devices, the init
of an mbarrier). A launch that takes more than 3 seconds is left out, so a slower machine can have another table.

"""


def kernels(text):
    for found in re.finditer(r"\.visible \.entry (\w+)\((.*?)\)(.*?)^\}", text, re.S | re.M):
        yield found


def arguments(parameters):
    for at, parameter in enumerate(p for p in parameters.split(",") if p.strip()):
        if "[" in parameter:
            return None
        wide = ".u64" in parameter or ".b64" in parameter
        yield from ("--arg", f"{at}=u32[1024]" if wide else f"{at}=u32=2")


def problems(text, name, parameters):
    """The problems of both launches, each with the text of its line; `None` if neither could be run."""
    if "[" in parameters:
        return None
    given, found, ran = list(arguments(parameters)), set(), False
    lines = text.splitlines()
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as module:
        module.write(text)
        module.flush()
        for launch in LAUNCHES:
            command = [str(BINARY), "check", module.name, "--kernel", name, *launch, *given, "--max-states", "2000", "--max-instructions", "20000"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=3)
            except subprocess.TimeoutExpired:
                continue
            ran |= done.returncode in (0, 1, 3)
            for at, code in re.findall(r":(\d+):\d+: error\[([\w-]+)\]", done.stdout + done.stderr):
                found.add((launch[3], code, lines[int(at) - 1].split("//")[0].strip()))
    return found if ran else None


def compare(before, after):
    """What a removed line changes."""
    if before is None or after is None:
        return "not run"
    new = sorted({code for _, code, _ in after - before})
    return f"agree: {', '.join(new)}" if new else "rule alone"


def main():
    rows, counts = [], Counter()
    for path in sorted(FIXTURES.glob("*.ptx")):
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        for kernel in kernels(text):
            name, parameters = kernel.group(1), kernel.group(2)
            first, last = text.count("\n", 0, kernel.start()), text.count("\n", 0, kernel.end())
            marks = [(at, MARK.search(lines[at])) for at in range(first, last)]
            as_is, changed = problems(text, name, parameters), []
            for at, mark in ((at, mark) for at, mark in marks if mark):
                new = lines[:at] + [(mark.group(3) or "") + "\n"] + lines[at + 1:]
                answer = compare(as_is, problems("".join(new), name, parameters) if as_is is not None else None)
                counts[(mark.group(1) or mark.group(2)).strip(), answer.split(":")[0]] += 1
                changed.append(f"`{(mark.group(1) or mark.group(2)).strip()}` {answer}")
            codes = "not run" if as_is is None else ", ".join(sorted({code for _, code, _ in as_is}))
            rows.append(f"| {path.stem} | {name} | {codes} | {'; '.join(changed)} |\n")
    rules = sorted({rule for rule, _ in counts})
    summary = "| rule | agree | rule alone | not run |\n|---|---|---|---|\n"
    for rule in rules:
        summary += f"| `{rule}` | " + " | ".join(str(counts[rule, what]) for what in ("agree", "rule alone", "not run")) + " |\n"
    table = HEAD + summary + "\n| file | kernel | problems as it is | without a marked line |\n|---|---|---|---|\n" + "".join(rows)
    print(summary)
    write_or_check(TABLE, table)


main()
