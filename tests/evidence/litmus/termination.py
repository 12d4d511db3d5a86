#!/usr/bin/env python3
"""Compares `litmus` with the termination verdicts of Dartagnan.

    termination.py CHECKOUT [BINARY]

CHECKOUT is a checkout of hernanponcedeleon/Dat3M. Prints the number of verdicts of each kind and every difference; exit code 1 if there is one.
"""

import json
import pathlib
import subprocess
import sys
from collections import Counter

LISTS = "dartagnan/src/test/resources"


def main() -> int:
    checkout = pathlib.Path(sys.argv[1])
    binary = sys.argv[2] if len(sys.argv) > 2 else "ptx-atomics"
    differences = 0
    for name in ("PTXv6_0-Liveness-expected.csv", "PTXv7_5-Liveness-expected.csv"):
        lines = (checkout / LISTS / name).read_text().split()
        expected = {path: verdict == "1" for path, verdict in (line.split(",") for line in lines)}
        output = subprocess.run(
            [binary, "litmus", "--format", "jsonl", *expected], cwd=checkout, capture_output=True, text=True
        ).stdout
        found = {record["path"]: record.get("termination", {"verdict": "ends"})["verdict"]
                 for record in map(json.loads, output.splitlines())}
        for path, ends in expected.items():
            if (found.get(path) == "ends") != ends:
                print(f"{path}: Dartagnan says {'ends' if ends else 'does not'}, we say {found.get(path)}")
                differences += 1
        print(name, len(expected), dict(Counter(expected.values())), dict(Counter(found.values())))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
