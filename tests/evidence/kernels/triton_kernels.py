"""Kernels of Triton, compiled without a GPU; triton_launches.py launches them.

`compiled()` gives the name and the PTX text of each; the modules are joined to one.
"""
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

N = 128
FLOATS, INTEGERS = "*fp32", "*i32"


@triton.jit
def axpy(x, y, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, 2.5 * tl.load(x + i, mask=i < n) - tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def row_sums(x, out, N: tl.constexpr):
    i, j = tl.arange(0, 16), tl.arange(0, N)
    rows = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + i, tl.sum(rows, axis=1))
    tl.store(out + 16 + i, tl.max(rows, axis=1))
    tl.store(out + 32 + tl.arange(0, N), tl.sum(rows, axis=0))


@triton.jit
def scans(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    row = tl.load(x + i)
    tl.store(out + i, tl.cumsum(row, axis=0))
    tl.store(out + N + i, tl.cumsum(row, axis=0, reverse=True))


@triton.jit
def multiply_add(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def recurrence(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    _, b = tl.associative_scan((tl.load(x + i), tl.load(y + i)), 0, multiply_add)
    tl.store(out + i, b)


@triton.jit
def sorted_rows(x, out, N: tl.constexpr):
    i, j = tl.arange(0, 4), tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), dim=1))


@triton.jit
def bins(x, out, N: tl.constexpr):
    counts = tl.histogram(tl.load(x + tl.program_id(0) * N + tl.arange(0, N)), 16)
    tl.atomic_add(out + tl.arange(0, 16), counts)


@triton.jit
def extremes(x, out, N: tl.constexpr):
    i, j = tl.arange(0, 8), tl.arange(0, N)
    rows = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + i, tl.argmax(rows, axis=1))
    tl.store(out + 8 + i, tl.argmin(rows, axis=1))


@triton.jit
def transposed(x, out, N: tl.constexpr):
    i, j = tl.arange(0, 32), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * 32 + i[None, :], tl.trans(tile))


@triton.jit
def random_bits(out, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.randint(seed, i).to(tl.int32, bitcast=True))


@triton.jit
def exchanges(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * N + i)
    tl.atomic_max(out + i, v)
    tl.atomic_xor(out + N + i, v, sem="relaxed", scope="gpu")
    tl.atomic_add(out + 2 * N + i % 16, v, sem="release")


@triton.jit
def locked_sum(x, lock, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * N + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(out + i) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def gathered(x, index, out, N: tl.constexpr):
    i = tl.arange(0, N)
    row, at = tl.load(x + i), tl.load(index + i)
    tl.store(out + i, tl.gather(row, at, 0) + tl.where(at % 2 == 0, tl.flip(row, 0), 7))


@triton.jit
def exact_product(x, y, out, N: tl.constexpr):
    i, j, k = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 32)
    a, b = tl.load(x + i[:, None] * 32 + k[None, :]), tl.load(y + k[:, None] * 16 + j[None, :])
    tl.store(out + i[:, None] * 16 + j[None, :], tl.dot(a, b, input_precision="ieee"))


@triton.jit
def dequantized(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    word = tl.load(x + i)
    low, high = (word << 28) >> 28, word >> 28
    tl.store(out + i, (low * 3 + high).to(tl.float16).to(tl.float32) * 0.5)


@triton.jit
def softmax(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    row = tl.load(x + i)
    power = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + i, power / tl.sum(power, axis=0))


@triton.jit
def layer_norm(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    row = tl.load(x + i)
    mean = tl.sum(row, axis=0) / N
    centered = row - mean
    tl.store(out + i, centered / tl.sqrt(tl.sum(centered * centered, axis=0) / N + 1e-5))


SIGNATURES = {
    axpy: [FLOATS, FLOATS, FLOATS, "i32"],
    row_sums: [FLOATS, FLOATS],
    scans: [INTEGERS, INTEGERS],
    recurrence: [FLOATS, FLOATS, FLOATS],
    sorted_rows: [INTEGERS, INTEGERS],
    bins: [INTEGERS, INTEGERS],
    extremes: [FLOATS, INTEGERS],
    transposed: [INTEGERS, INTEGERS],
    random_bits: [INTEGERS, "i32"],
    exchanges: [INTEGERS, INTEGERS],
    locked_sum: [INTEGERS, INTEGERS, INTEGERS],
    gathered: [INTEGERS, INTEGERS, INTEGERS],
    exact_product: [FLOATS, FLOATS, FLOATS],
    dequantized: [INTEGERS, FLOATS],
    softmax: [FLOATS, FLOATS],
    layer_norm: [FLOATS, FLOATS],
}


def compiled():
    """The text of one module with all kernels, and the bytes of dynamic shared memory of each."""
    head, bodies, shared = None, [], {}
    for kernel, types in SIGNATURES.items():
        signature = dict(zip(kernel.arg_names, types)) | {"N": "constexpr"}
        source = ASTSource(fn=kernel, signature=signature, constexprs={"N": N})
        made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4, "enable_fp_fusion": False})
        name, text = kernel.__name__, made.asm["ptx"]
        # Without the lines of the source: their files are not here.
        lines = [line for line in text.splitlines() if not re.match(r"\s*(\.loc|\.file|//)|^\$L__(tmp|func)", line)]
        text = re.split(r"\n\s*\.section", "\n".join(lines))[0]
        first = text.index(".visible .entry") if ".extern" not in text else text.index(".extern")
        head = head or text[:first]
        # Labels and shared memory of each kernel have names of their own.
        body = re.sub(r"\$L__BB0", f"$L__{name}", text[first:].replace("global_smem", f"smem_{name}"))
        bodies.append(body)
        shared[name] = made.metadata.shared
    return head + "\n".join(bodies), shared
