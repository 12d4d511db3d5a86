"""The commands of the program as functions."""

import json
import os
from typing import Dict, List, Optional, Sequence, Tuple, Union

from ._program import ProgramError, call
from ._results import Evaluation, Finding, KernelCheck, KernelProblem, KernelRun, Value

Number = Union[int, float, str]
Size = Union[int, Sequence[int]]
# The text of a module, or the path of one or of a source.
Module = Union[str, "os.PathLike[str]"]


def version() -> str:
    """The version of the program."""
    return call(["-V"])[1].split()[-1]


def lint(
    text: str,
    *,
    target: Union[str, Sequence[str], None] = None,
    ptx_version: Optional[str] = None,
    preset: Optional[str] = None,
    rules: Optional[Dict[str, str]] = None,
    name: str = "module.ptx",
) -> List[Finding]:
    """Checks a text.

    `name` is the file that it is treated as: its ending says the language (`kernel.cu`, `kernel.py`), its folder the settings file.
    `target` ("sm_90a", or several) and `ptx_version` ("8.1") override the module's directives, `preset` and `rules`
    ({"illegal-type": "warning"}) the settings.
    """
    options = ["lint", "--format", "jsonl", "--fail-on", "never", "--stdin-filename", name]
    if target is not None:
        options += ["--target", target if isinstance(target, str) else ",".join(target)]
    if ptx_version is not None:
        options += ["--ptx-version", ptx_version]
    if preset is not None:
        options += ["--preset", preset]
    for code, level in (rules or {}).items():
        options += ["--rule", f"{code}={level}"]
    printed = call([*options, "-"], text)[1]
    return [Finding.of(json.loads(line)) for line in printed.splitlines()]


def evaluate(
    instruction: str,
    *,
    mem: Union[Number, Sequence[Number], None] = None,
    b: Optional[Number] = None,
    c: Optional[Number] = None,
    space: Optional[str] = None,
    target: Optional[str] = None,
) -> Evaluation:
    """Evaluates an atomic, bit for bit as a GPU does.

    Values are numbers, or texts as in PTX ("0f3F800000", "{1.0, 2.0}"). `mem` is a sequence for multimem: one value per replica.
    `space` is that of a generic address, "global" or "shared".
    """
    options = ["eval", instruction, "--format", "json"]
    memory = mem if isinstance(mem, (list, tuple)) else [] if mem is None else [mem]
    named = [("--mem", value) for value in memory] + [("--b", b), ("--c", c), ("--space", space), ("--target", target)]
    options += [f"{option}={value}" for option, value in named if value is not None]
    result = json.loads(call(options)[1])
    destination, error = result["destination"], result["error"] or {}
    return Evaluation(
        [Value.of(value) for value in result["memory"]],
        Value.of(destination) if destination else None,
        result["notes"],
        error.get("message"),
        error.get("code"),
    )


def run(
    text: Module,
    *,
    args: Optional[Dict[str, str]] = None,
    grid: Optional[Size] = None,
    block: Optional[Size] = None,
    cluster: Optional[Size] = None,
    kernel: Optional[str] = None,
    shared: int = 0,
    seed: int = 0,
    expect: Optional[Dict[str, Sequence[Number]]] = None,
    flags: Sequence[str] = (),
) -> KernelRun:
    """Runs a kernel of a module in the emulator, in one order of its threads.

    `text` is the text of a module of PTX, or the path of one or of a source of CUDA C++, which nvcc compiles with `flags`. Sizes and arguments
    that are left out are those of the launch in the source, if it has a certain one.
    `args` says what is passed, by the parameters' names: {"n": "u32=1000", "out": "u32[256]", "in": "f32[4]=1,2,3"}. `expect` are values
    of buffers afterwards; others are a problem.
    """
    result = _launch("run", text, args, grid, block, cluster, kernel, shared, [f"--seed={seed}"], expect, flags)
    problems = [KernelProblem.of(problem) for problem in result["problems"]]
    notes = tuple(KernelProblem.of(note) for note in result["notes"])
    return KernelRun(result["memory"], problems, result["output"], result["instructions"], notes)


def check(
    text: Module,
    *,
    args: Optional[Dict[str, str]] = None,
    grid: Optional[Size] = None,
    block: Optional[Size] = None,
    cluster: Optional[Size] = None,
    kernel: Optional[str] = None,
    shared: int = 0,
    expect: Optional[Dict[str, Sequence[Number]]] = None,
    max_states: Optional[int] = None,
    flags: Sequence[str] = (),
) -> KernelCheck:
    """Explores every execution of a small launch that the memory model allows. The arguments are those of `run`."""
    bound = [] if max_states is None else [f"--max-states={max_states}"]
    result = _launch("check", text, args, grid, block, cluster, kernel, shared, bound, expect, flags)
    problems = [KernelProblem.of(problem) for problem in result["problems"]]
    rounds = {loop["line"]: loop["rounds"] for loop in result["loops"]}
    return KernelCheck(
        result["verdict"], result["complete"], problems, result["states"], result.get("limit"), result["executions"], rounds
    )


def _size(size: Size) -> str:
    return str(size) if isinstance(size, int) else ",".join(map(str, size))


def _launch(
    command: str,
    text: Module,
    args: Optional[Dict[str, str]],
    grid: Optional[Size],
    block: Optional[Size],
    cluster: Optional[Size],
    kernel: Optional[str],
    shared: int,
    more: List[str],
    expect: Optional[Dict[str, Sequence[Number]]],
    flags: Sequence[str],
) -> dict:
    sizes: List[Tuple[str, Optional[Size]]] = [("grid", grid), ("block", block), ("cluster", cluster)]
    options = [command, "--format=json", f"--shared={shared}", *more]
    options += [f"--{name}={_size(size)}" for name, size in sizes if size is not None]
    options += [] if kernel is None else [f"--kernel={kernel}"]
    # `n=u32=5` and `out=u32[8]`.
    options += [f"--arg={name}={value}" for name, value in (args or {}).items()]
    options += [f"--expect={name}={','.join(map(str, values))}" for name, values in (expect or {}).items()]
    codes = (0, 1, 3) if command == "check" else (0, 1)
    file, text = ("-", text) if isinstance(text, str) else (os.fspath(text), "")
    compiler = ["--", *flags] if flags else []
    result = json.loads(call([*options, file, *compiler], text, codes=codes)[1])
    if "launches" in result:
        raise ProgramError(f"{file} has launches in comments: pass the kernel and its sizes")
    return result
