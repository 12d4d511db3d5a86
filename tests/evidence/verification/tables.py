"""What the scripts in this folder share: kernels with changed lines, their verdicts, and the tables."""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
# A line that is removed (`//- why`), or replaced (`//+ new line`).
MARK = re.compile(r"^\s*(.*?)\s*//([-+])(.*)$")


def write_or_check(path, table):
    """Writes a table, or ends the script with `--check`: with 1 and the rows that differ if the stored table is another one."""
    if "--check" in sys.argv[1:]:
        stored = path.read_text().splitlines()
        changed = difflib.unified_diff(stored, table.splitlines(), f"{path} (stored)", "now", n=0, lineterm="")
        sys.exit("\n".join(changed) or 0)
    path.write_text(table)


def rounds(result):
    """The most rounds of a loop in a row, in all executions that were explored."""
    return max((loop["rounds"] for loop in result["loops"]), default=0)


# The heads of the cells of a verdict.
VERDICT = "verdict | complete | threads | executions | states | rounds | problem"


def cells(options):
    """The verdict of `check`, its bounds, and the first problem, as cells."""
    command = [str(BINARY), "check", *options, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if not done.stdout:
        return "not run" + " |" * VERDICT.count("|")
    result = json.loads(done.stdout)
    bounds = [result["threads"], result["executions"], result["states"], rounds(result)]
    problem = result["problems"][0]["code"] if result["problems"] else ""
    complete = "yes" if result["complete"] else "no"
    return " | ".join([result["verdict"], complete, *map(str, bounds), problem]).rstrip()


class Changed:
    """A module whose lines can be changed."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def marks(self, first, last):
        """The marked lines: number, instruction, and the line that replaces it."""
        for at in range(first, last):
            found = MARK.match(self.lines[at])
            if found:
                yield at, found.group(1).rstrip(";"), found.group(3).strip() if found.group(2) == "+" else ""

    def verdict(self, options, changes=None):
        """The verdict of `check` with some lines replaced, and the first problem, as two cells."""
        first, *_, last = self.bounded_verdict(options, changes).split("|")
        return f"{first.strip()} | {last.strip()}".rstrip()

    def bounded_verdict(self, options, changes=None):
        """The same with its bounds, as the cells of `VERDICT`."""
        text = "\n".join((changes or {}).get(at, line) for at, line in enumerate(self.lines))
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as module:
            module.write(text + "\n")
            module.flush()
            return cells([module.name, *options])


def kernels(text):
    """Name, launch, first and last line of each kernel with its launch in a comment above it."""
    for found in re.finditer(r"^// check (\w+): (.*)\n\.visible \.entry \1\((?:.|\n)*?^\}", text, re.M):
        yield found.group(1), found.group(2), text.count("\n", 0, found.start()), text.count("\n", 0, found.end())


def mistakes(text, right):
    """A table of the verdicts on the kernels of a module, as they are, which a cell says, and with each marked line removed or replaced."""
    begin, module, rows = time.time(), Changed(text), []
    for name, launch, first, last in kernels(text):
        options = ["--kernel", name, *launch.split()]
        rows.append(f"| {name} | `{launch}` | {right} | {module.bounded_verdict(options)} |\n")
        for at, mark, new in module.marks(first, last):
            change = f"`{new.rstrip(';')}` for `{mark}`" if new else f"no `{mark}`"
            rows.append(f"| | | {change} | {module.bounded_verdict(options, {at: new})} |\n")
    print(f"{len(rows)} verdicts in {time.time() - begin:.1f} s")
    return f"| kernel | launch | with | {VERDICT} |\n" + "|---" * (VERDICT.count("|") + 4) + "|\n" + "".join(rows)
