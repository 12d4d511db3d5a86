"""Finds and runs the program."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Iterator, Sequence, Tuple

_NAME = "ptx-atomics.exe" if os.name == "nt" else "ptx-atomics"


class ProgramError(RuntimeError):
    """The program could not do what it was asked for. The message is the program's own."""


def _candidates() -> Iterator[Path]:
    yield Path(sysconfig.get_path("scripts")) / _NAME
    # Of the interpreter: a virtual environment whose scripts are elsewhere.
    yield Path(sys.executable).parent / _NAME
    user = sysconfig.get_preferred_scheme("user")
    yield Path(sysconfig.get_path("scripts", scheme=user)) / _NAME
    # Beside the package: `pip install --target`.
    yield Path(__file__).resolve().parent.parent / "bin" / _NAME


def find_program() -> str:
    """The path of the program: `PTX_ATOMICS` of the environment, the one that was installed with this package, or one in `PATH`."""
    chosen = os.environ.get("PTX_ATOMICS")
    if chosen:
        return chosen
    for candidate in _candidates():
        if candidate.is_file():
            return str(candidate)
    found = shutil.which(_NAME)
    if found is None:
        raise ProgramError("the program ptx-atomics is not installed; run `pip install ptx-atomics`")
    return found


def call(arguments: Sequence[str], text: str = "", *, codes: Sequence[int] = (0, 1)) -> Tuple[int, str]:
    """Runs the program with a text on standard input. Returns its exit code and what it printed.

    Raises ProgramError if the exit code is none of `codes`, or the program cannot be started.
    """
    try:
        done = subprocess.run(
            [find_program(), *arguments], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
        )
    except OSError as error:
        raise ProgramError(f"cannot run ptx-atomics: {error}") from error
    if done.returncode not in codes:
        message = done.stderr.decode(errors="replace").strip()
        raise ProgramError(message or f"ptx-atomics ended with exit code {done.returncode}")
    return done.returncode, done.stdout.decode()
