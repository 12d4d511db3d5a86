"""Records the PTX that compilers make in this process."""

import functools
import importlib.abc
import importlib.util
import inspect
import os
import sys
from typing import Any, Callable, Dict, List, NamedTuple


class CompiledModule(NamedTuple):
    """A module that a compiler made."""

    compiler: str
    test: str
    """The test that ran, in pytest's words; empty if that is not known."""
    name: str
    """A file name for its findings."""
    text: str


Recorder = Callable[[str, str, Any], None]
Patch = Callable[[Any, Recorder], None]


def record_into(modules: List[CompiledModule]) -> Callable[[], None]:
    """Appends what is compiled from now on. Returns a function that ends this."""
    is_recording = [True]

    def record(compiler: str, name: str, text: Any) -> None:
        if isinstance(text, (bytes, bytearray)):
            text = bytes(text).rstrip(b"\0").decode(errors="replace")
        if is_recording[0] and isinstance(text, str) and ".version" in text:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" (")[0]
            modules.append(CompiledModule(compiler, test, f"{name}.ptx", text))

    for name in _PATCHES.keys() & sys.modules.keys():
        _PATCHES[name](sys.modules[name], record)
    finder = _PatchingFinder(record)
    sys.meta_path.insert(0, finder)

    def end() -> None:
        is_recording[0] = False
        sys.meta_path.remove(finder)

    return end


def _after(owner: Any, name: str, then: Callable[[tuple, Any], None]) -> None:
    """Calls `then` with the arguments and the result of a function, after each call."""
    function = getattr(owner, name, None)
    if function is None:
        return

    @functools.wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        then(args, result)
        return result

    setattr(owner, name, replacement)


def _triton(module: Any, record: Recorder) -> None:
    def made(args: tuple, _: Any) -> None:
        kernel = args[0]
        asm = getattr(kernel, "asm", {})
        if "ptx" in asm:
            record("Triton", getattr(kernel, "name", "kernel"), asm["ptx"])

    _after(module.CompiledKernel, "__init__", made)


def _triton_assembler(module: Any, record: Recorder) -> None:
    # A kernel that ptxas rejects is never made, so its PTX is recorded before.
    owner = getattr(module, "CUDABackend", None)
    original = getattr(owner, "make_cubin", None)
    if original is None:
        return

    @functools.wraps(original)
    def make_cubin(*args: Any, **kwargs: Any) -> Any:
        # The text and what is known of the kernel are the first arguments after a `self`.
        for at, text in enumerate(args):
            if isinstance(text, str) and ".version" in text:
                known = args[at + 1] if len(args) > at + 1 else kwargs.get("metadata")
                record("Triton", _name(known), text)
        return original(*args, **kwargs)

    is_static = isinstance(inspect.getattr_static(owner, "make_cubin"), staticmethod)
    setattr(owner, "make_cubin", staticmethod(make_cubin) if is_static else make_cubin)


def _name(metadata: Any) -> str:
    """The name of a kernel of Triton."""
    return str(metadata.get("name") or "kernel") if isinstance(metadata, dict) else "kernel"


def _numba(module: Any, record: Recorder) -> None:
    def made(args: tuple, result: Any) -> None:
        for text in [result] if isinstance(result, str) else result or ():
            record("numba", getattr(args[0], "name", "kernel"), text)

    library = module.CUDACodeLibrary
    # Older versions have only the former.
    _after(library, "get_asm_str", made)
    _after(library, "get_asm_strs", made)


def _nvrtc(module: Any, record: Recorder) -> None:
    # The second argument is the buffer that is filled.
    _after(module, "nvrtcGetPTX", lambda args, _: record("NVRTC", "nvrtc", args[1] if len(args) > 1 else None))


def _cuda_core(module: Any, record: Recorder) -> None:
    program = module.Program
    if isinstance(program, type) and hasattr(program, "compile"):
        original = program.compile

        @functools.wraps(original)
        def compile(self: Any, target_type: str, *args: Any, **kwargs: Any) -> Any:
            result = original(self, target_type, *args, **kwargs)
            if target_type == "ptx":
                record("NVRTC", "program", getattr(result, "code", None))
            return result

        try:
            program.compile = compile
        except TypeError:
            # A compiled class; what it makes is not recorded.
            pass


def _cupy(module: Any, record: Recorder) -> None:
    def made(_: tuple, result: Any) -> None:
        record("NVRTC", "cupy", result[0] if isinstance(result, tuple) else result)

    _after(module, "compile_using_nvrtc", made)


_PATCHES: Dict[str, Patch] = {
    "triton.compiler.compiler": _triton,
    "triton.backends.nvidia.compiler": _triton_assembler,
    "numba.cuda.codegen": _numba,
    "numba_cuda.numba.cuda.codegen": _numba,
    "cuda.bindings.nvrtc": _nvrtc,
    "cuda.core._program": _cuda_core,
    "cuda.core.experimental._program": _cuda_core,
    "cupy.cuda.compiler": _cupy,
}


class _PatchingFinder(importlib.abc.MetaPathFinder):
    """Patches the modules of compilers when they are imported."""

    def __init__(self, record: Recorder) -> None:
        self.record = record
        self.searching = False

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """The module's own loader, with the patch after it."""
        patch = _PATCHES.get(fullname)
        if patch is None or self.searching:
            return None
        self.searching = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.searching = False
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return None
        execute, record = spec.loader.exec_module, self.record

        def exec_module(module: Any) -> None:
            execute(module)
            patch(module, record)

        try:
            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        except AttributeError:
            # A loader written in C: the module is used as it is.
            return None
        return spec
