"""Records what ptxas says about small modules, a line each: `+` accepted, `-` rejected, then the module."""

import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")


def is_accepted(module):
    """Whether ptxas accepts a module."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(module + "\n")
        file.flush()
        command = [PTXAS, "-arch=compute_121", file.name, "-o", os.devnull]
        return subprocess.run(command, capture_output=True).returncode == 0


def marked(modules):
    """The modules, a line each, with their marks."""
    return "".join(f"{'+' if is_accepted(module) else '-'}{module}\n" for module in modules)


def record(name, modules):
    """Writes the verdicts on modules into a file beside this one."""
    with open(os.path.join(HERE, name), "w") as out:
        out.write(marked(modules))
