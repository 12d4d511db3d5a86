"""`python -m ptx_atomics`: the program itself."""

import os
import subprocess
import sys

from ._program import ProgramError, find_program


def main() -> int:
    """Runs the program with the arguments of this process. Returns its exit code."""
    try:
        program = find_program()
        command = [program, *sys.argv[1:]]
        if os.name == "posix":
            # Signals and exit codes are then the program's own.
            os.execv(program, command)
        return subprocess.run(command, check=False).returncode
    except (ProgramError, OSError) as error:
        print(f"ptx-atomics: {error}", file=sys.stderr)
        return 2


sys.exit(main())
