"""What the scripts in this folder share: kernels with changed lines, their verdicts, and the tables."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
# A line that is removed (`//- why`), or replaced (`//+ new line`).
MARK = re.compile(r"^\s*(.*?)\s*//([-+])(.*)$")


def write_or_check(path, table):
    """Writes a table, or ends the script with `--check`: with 1 if the stored table is another one."""
    if "--check" in sys.argv[1:]:
        sys.exit(table != path.read_text())
    path.write_text(table)


def rounds(result):
    """The most rounds of a loop in a row, in all executions that were explored."""
    return max((loop["rounds"] for loop in result["loops"]), default=0)


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
        text = "\n".join((changes or {}).get(at, line) for at, line in enumerate(self.lines))
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as module:
            module.write(text + "\n")
            module.flush()
            command = [str(BINARY), "check", module.name, *options]
            done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        problem = re.search(r"error\[([\w-]+)\]", done.stdout + done.stderr)
        verdict = {0: "proved", 1: "refuted", 3: "unknown"}.get(done.returncode, "not run")
        return f"{verdict} | {problem.group(1) if problem else ''}".rstrip()
