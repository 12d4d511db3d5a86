#!/usr/bin/env python3
"""Which atomics a compiler's modules become: of each module of fixtures/compiled, on each target that takes it.

    modules.py           assembles and disassembles anew, writes modules.txt
    modules.py --check   compares with what is recorded

A line: the module, the target, and the atomics of its machine code, each once.
"""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import record  # noqa: E402

FIXTURES = os.path.join(record.HERE, "../../fixtures/compiled")
PATH = os.path.join(record.HERE, "modules.txt")
ATOMICS = ("ATOM.", "ATOMG.", "ATOMS.", "RED.", "REDG.", "LDGMC.")


def atomics(module, target):
    """The atomics of a module's machine code; None where the assembler refuses it for the target."""
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "m.cubin")
        command = [record.PTXAS, f"-arch={target}", "-w", os.path.join(FIXTURES, module), "-o", image]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        text = subprocess.run([record.NVDISASM, "-c", image], check=True, capture_output=True, text=True).stdout
    names = {match[2] for match in map(record.LINE.match, text.splitlines()) if match}
    return sorted(name for name in names if name.startswith(ATOMICS))


def lines():
    for module in sorted(name for name in os.listdir(FIXTURES) if name.endswith(".ptx")):
        for target in record.TARGETS:
            found = atomics(module, target)
            if found:
                yield " ".join([module, target, *found]) + "\n"


def main(arguments):
    text = "".join(lines())
    if arguments == ["--check"]:
        same = open(PATH).read() == text
        print("" if same else "the modules become something else now")
        sys.exit(not same)
    with open(PATH, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
