"""What the functions return. The names are those of the program's JSON; its schemas are in `server/cli/schemas` of the repository."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Union


@dataclass(frozen=True)
class SourcePlace:
    """A place in the CUDA or Python source that a compiler generated code from. The column is 0 if it is not known."""

    path: str
    line: int
    column: int


@dataclass(frozen=True)
class Finding:
    """A finding of the linter. Lines and columns start at 1, columns count characters, ends are exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: str
    """"error", "warning", "info" or "hint"."""
    code: str
    """The rule, such as "illegal-type"."""
    message: str
    help: str
    """What to write instead; may be empty."""
    source: Tuple[SourcePlace, ...] = ()
    """The place that the code was generated from, then those that it was inlined at."""

    def __str__(self) -> str:
        help = f"; {self.help}" if self.help else ""
        return f"{self.path}:{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}{help}"

    @classmethod
    def of(cls, json: Dict[str, Any]) -> "Finding":
        """A finding from a line of `lint --format jsonl`."""
        source = tuple(SourcePlace(place["path"], place["line"], place["column"]) for place in json.get("source", ()))
        names = ("path", "line", "column", "end_line", "end_column", "severity", "code", "message", "help")
        return cls(*(json[name] for name in names), source)


@dataclass(frozen=True)
class Value:
    """A value of a register or of memory."""

    bits: str
    """Hexadecimal; of a vector the elements in braces."""
    value: str
    """As a number."""

    @classmethod
    def of(cls, json: Dict[str, Any]) -> "Value":
        """A value from the program's JSON."""
        return cls(json["bits"], json["value"])


@dataclass(frozen=True)
class Evaluation:
    """The result of an atomic."""

    memory: List[Value]
    """Memory afterwards; for multimem one value per replica."""
    destination: Optional[Value]
    """What the destination receives, if there is one."""
    notes: List[str]
    error: Optional[str] = None
    """Why the instruction is illegal or faults."""
    code: Optional[str] = None
    """The rule of the error, if there is one."""


@dataclass(frozen=True)
class Thread:
    """A thread, by linear indices."""

    cta: int
    thread: int


@dataclass(frozen=True)
class Step:
    """An instruction on the way to a problem."""

    line: int
    cta: int
    thread: int
    instruction: str


@dataclass(frozen=True)
class KernelProblem:
    """A mistake of a kernel."""

    code: str
    """The kind, such as "out-of-bounds" or "data-race"."""
    message: str
    lines: List[int]
    """The lines of all instructions that take part, that of the problem first; empty if it is about memory afterwards."""
    count: int
    """How often it happened."""
    thread: Optional[Thread] = None
    column: Optional[int] = None
    steps: Tuple[Step, ...] = ()
    """The steps that lead to it; only of `check`."""

    @classmethod
    def of(cls, json: Dict[str, Any]) -> "KernelProblem":
        """A problem from the program's JSON."""
        thread = json.get("thread")
        return cls(
            json["code"],
            json["message"],
            json["lines"],
            json["count"],
            Thread(thread["cta"], thread["thread"]) if thread else None,
            json.get("column"),
            tuple(Step(step["line"], step["cta"], step["thread"], step["instruction"]) for step in json.get("steps", ())),
        )


@dataclass(frozen=True)
class KernelRun:
    """One execution of a kernel."""

    memory: Dict[str, List[Union[int, float, str]]]
    """The buffers afterwards, by name. NaN and infinities are strings."""
    problems: List[KernelProblem]
    output: str
    """What `vprintf` printed."""
    instructions: int
    """Executed by all threads."""
    notes: Tuple[KernelProblem, ...] = ()
    """What is no problem, such as "same-value-race": several threads that store one value."""


@dataclass(frozen=True)
class KernelCheck:
    """What is known about all executions of a launch."""

    verdict: str
    """"proved", "refuted" or "unknown"."""
    complete: bool
    """False if there may be executions that were not explored."""
    problems: List[KernelProblem]
    states: int
    limit: Optional[str] = None
    """Why not all executions were explored."""
    executions: int = 0
    """How many were explored, each up to its end or to a state that another one has come to."""
    rounds: Dict[int, int] = field(default_factory=dict)
    """The most rounds in a row of each loop that a thread has repeated, by the line of the loop."""
