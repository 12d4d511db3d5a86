"""Linter, emulator and verifier for PTX, the assembly language of NVIDIA GPUs.

The functions call the program of the same name, which is part of this package, and return dataclasses:

    >>> import ptx_atomics
    >>> ptx_atomics.evaluate("red.global.add.u32", mem=7, b=1).memory[0].value
    '8'
"""

from ._functions import check, evaluate, lint, run, version
from ._program import ProgramError, find_program
from ._results import (
    Evaluation,
    Finding,
    KernelCheck,
    KernelProblem,
    KernelRun,
    SourcePlace,
    Step,
    Thread,
    Value,
)

__all__ = [
    "Evaluation",
    "Finding",
    "KernelCheck",
    "KernelProblem",
    "KernelRun",
    "ProgramError",
    "SourcePlace",
    "Step",
    "Thread",
    "Value",
    "check",
    "evaluate",
    "find_program",
    "lint",
    "run",
    "version",
]
