#!/usr/bin/env python3
"""Run Triton kernels of Liger-Kernel in the emulator, and compare memory with what NumPy computes and with what an H100 has left.

    triton_libraries.py                    compile them with the Triton of tests/install --full, run each under three seeds
    triton_libraries.py cubin FOLDER       compile them for an H100
    triton_libraries.py record FOLDER OUT  on a machine with an H100 and NumPy; writes triton_libraries.jsonl into the folder OUT, a kernel a line

The package is installed without PyTorch, which its kernels do not need: only its files with kernels are loaded. What Triton makes of them is not
committed. Floats are compared within 1/50,000: sums have another order, and exponentials are approximate.
"""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import types
from unittest.mock import MagicMock

sys.dont_write_bytecode = True

import numpy as np

from launch import Launches, small_floats, zeros
from recorded_launches import compare, record

HERE = pathlib.Path(__file__).resolve().parent
PTXAS = HERE.parents[1] / ".tools/bin/ptxas"
RECORDED = HERE / "triton_libraries.jsonl"
MODULE = Launches("triton_libraries")
F32, I32 = np.float32, np.int32
ROWS, COLUMNS, BLOCK = 4, 100, 128
# The file, the types of the arguments and the constants of each kernel.
SOURCES = {}


def add(file, name, *arguments, **constants):
    """Adds a launch of a kernel with a CTA of 128 threads for each row. Triton passes two addresses of scratch memory after the arguments."""
    def type_of(argument):
        return "*fp32" if isinstance(argument, np.ndarray) else "fp32" if isinstance(argument, F32) else "i32"

    def decorated(reference):
        SOURCES[name] = (file, [type_of(one) for one in arguments], constants)
        scratch = [np.uint64(0), np.uint64(0)]
        computed = lambda *given: reference(*[one.astype(float) if isinstance(one, np.ndarray) else one for one in given[:-2]])
        options = {"kernel": name, "grid": str(ROWS), "block": "128", "relative": 2e-5}
        MODULE.add(*arguments, *scratch, **options)(computed)
        return reference
    return decorated


def rows(seed, columns=COLUMNS):
    return small_floats(ROWS * columns, seed, F32).reshape(ROWS, columns) / F32(8)


def out(columns=COLUMNS):
    return zeros((ROWS, columns), F32)


def row_softmax(x):
    power = np.exp(x - x.max(1, keepdims=True))
    return power / power.sum(1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def tanh_of_gelu(a):
    return np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a ** 3))


STRIDE = I32(COLUMNS)


@add("softmax", "_softmax_single_block_forward_kernel", out(), STRIDE, rows(1), STRIDE, STRIDE, BLOCK_SIZE=BLOCK)
def softmax_forward(y, _, x, *rest):
    return {0: row_softmax(x)}


@add("softmax", "_softmax_single_block_backward_kernel", rows(2), STRIDE, row_softmax(rows(3)), STRIDE, out(), STRIDE, STRIDE, BLOCK_SIZE=BLOCK)
def softmax_backward(dy, _, y, *rest):
    return {4: y * (dy - (dy * y).sum(1, keepdims=True))}


@add("swiglu", "_swiglu_forward_kernel_tiled", rows(20), rows(21), out(), STRIDE, F32(0.75), STRIDE, BLOCK_SIZE=BLOCK)
def swiglu_tiled(a, b, c, stride, gate, columns):
    return {2: gate * a * sigmoid(gate * a) * b}


@add("swiglu", "_swiglu_forward_kernel", rows(4), rows(5), out(), STRIDE, F32(1.5), n_cols=COLUMNS, BLOCK_SIZE=BLOCK)
def swiglu_forward(a, b, c, stride, gate):
    return {2: gate * a * sigmoid(gate * a) * b}


@add("swiglu", "_swiglu_backward_kernel", rows(6), rows(7), rows(8), STRIDE, F32(1.5), n_cols=COLUMNS, BLOCK_SIZE=BLOCK)
def swiglu_backward(dc, a, b, stride, gate):
    scaled, s = gate * a, sigmoid(gate * a)
    return {1: dc * (scaled * s * (1 - s) + s) * b * gate, 2: dc * scaled * s}


@add("geglu", "_geglu_tanh_forward_kernel", rows(9), rows(10), out(), STRIDE, n_cols=COLUMNS, BLOCK_SIZE=BLOCK)
def geglu_forward(a, b, c, stride):
    return {2: 0.5 * a * (1 + tanh_of_gelu(a)) * b}


@add("geglu", "_geglu_tanh_backward_kernel", rows(11), rows(12), rows(13), STRIDE, n_cols=COLUMNS, BLOCK_SIZE=BLOCK)
def geglu_backward(dc, a, b, stride):
    t = tanh_of_gelu(a)
    slope = 0.5 * (1 + t) + 0.5 * a * (1 - t * t) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * a * a)
    return {1: dc * b * slope, 2: dc * 0.5 * a * (1 + t)}


@add("relu_squared", "_relu_squared_forward_kernel", out(), STRIDE, rows(14), STRIDE, n_cols=COLUMNS, BLOCK_SIZE=BLOCK)
def relu_squared_forward(y, _, x, stride):
    return {0: np.maximum(x, 0) ** 2}


@add("relu_squared", "_relu_squared_backward_kernel", out(), STRIDE, rows(15), STRIDE, rows(16), STRIDE, n_cols=COLUMNS, BLOCK_SIZE=BLOCK)
def relu_squared_backward(dx, _, dy, stride, x, *rest):
    return {0: 2 * dy * np.maximum(x, 0)}


@add("layer_norm", "_layer_norm_forward_kernel", out(), STRIDE, rows(17), STRIDE, rows(18)[0], I32(1), rows(19)[0], I32(1), zeros(ROWS, F32), I32(1), zeros(ROWS, F32), I32(1), STRIDE, F32(1e-5), BLOCK_SIZE=BLOCK)
def layer_norm_forward(y, _, x, stride, w, one, b, *rest):
    scale = 1 / np.sqrt(x.var(1) + 1e-5)
    return {0: (x - x.mean(1, keepdims=True)) * scale[:, None] * w + b, 8: x.mean(1), 10: scale}


@add("rms_norm", "_rms_norm_forward_kernel", out(), STRIDE, rows(22), STRIDE, rows(23)[0], I32(1), zeros(ROWS, F32), I32(1), STRIDE, F32(1e-5), F32(1), casting_mode=0, elementwise_affine=True, BLOCK_SIZE=BLOCK)
def rms_norm_forward(y, _, x, stride, w, *rest):
    scale = 1 / np.sqrt((x * x).mean(1) + 1e-5)
    return {0: x * scale[:, None] * (1 + w), 6: scale}


@add("poly_norm", "_poly_norm_forward_kernel", out(), STRIDE, rows(24), STRIDE, np.array([0.5, -1, 2], F32), np.array([0.25], F32), zeros((ROWS, 3), F32), I32(3), STRIDE, F32(1e-5), BLOCK_SIZE=BLOCK)
def poly_norm_forward(y, _, x, stride, w, b, *rest):
    scales = [1 / np.sqrt((x ** (2 * power)).mean(1) + 1e-5) for power in (3, 2, 1)]
    parts = [factor * x ** power * scale[:, None] for factor, power, scale in zip(w, (3, 2, 1), scales)]
    return {0: sum(parts) + b, 6: np.stack(scales, 1)}


def loaded(file):
    """A file of the package, with stand-ins for what its kernels do not use."""
    class Stand(MagicMock):
        __path__, __spec__, __version__ = [], None, "0"

    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in ("torch", "transformers"):
                return importlib.machinery.ModuleSpec(name, self)
            return None

        def create_module(self, spec):
            return Stand(name=spec.name)

        def exec_module(self, module):
            pass

    if not any(type(one).__name__ == "Finder" for one in sys.meta_path):
        sys.meta_path.insert(0, Finder())
        folder = importlib.util.find_spec("liger_kernel").submodule_search_locations[0]
        for name, path in (("liger_kernel", folder), ("liger_kernel.ops", folder + "/ops")):
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [path]
        utilities = sys.modules["liger_kernel.utils"] = Stand(name="liger_kernel.utils")
        utilities.is_npu_available = lambda: False
    return importlib.import_module(f"liger_kernel.ops.{file}")


def compile_into(folder):
    """Writes the module of each kernel, and notes how much shared memory it needs."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    for launch in MODULE.list:
        file, kinds, constants = SOURCES[launch.kernel]
        kernel = getattr(loaded(file), launch.kernel)
        names = [name for name in kernel.arg_names if name not in constants]
        signature = dict(zip(names, kinds, strict=True)) | dict.fromkeys(constants, "constexpr")
        source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
        # Fused, the sums of a warp differ in its lanes, which all store theirs: a race between values that are not quite the same.
        made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4, "enable_fp_fusion": False})
        launch.shared = made.metadata.shared
        (folder / f"{launch.kernel}.ptx").write_text(made.asm["ptx"])


def main(arguments):
    match arguments:
        case []:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                compile_into(folder)
                compare(MODULE.list, lambda launch: folder / f"{launch.kernel}.ptx", RECORDED, "Triton kernels of Liger-Kernel")
        case ["cubin", name]:
            folder = pathlib.Path(name)
            compile_into(folder)
            for launch in MODULE.list:
                module = folder / f"{launch.kernel}.ptx"
                subprocess.run([PTXAS, "-arch=sm_90a", module, "-o", module.with_suffix(".cubin")], check=True)
                module.with_suffix(".shared").write_text(str(launch.shared))
        case ["record", name, folder]:
            image = lambda launch: pathlib.Path(name) / f"{launch.kernel}.cubin"
            for launch in MODULE.list:
                launch.shared = int(image(launch).with_suffix(".shared").read_text())
            record(MODULE.list, image, pathlib.Path(folder) / RECORDED.name)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
