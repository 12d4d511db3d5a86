"""The launches of triton_kernels.py."""
import json
import os

import numpy as np

from launch import Launches, small_floats, words, zeros

MODULE = Launches("triton_kernels")
N = 128
I32, F32, U32 = np.int32, np.float32, np.uint32
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_kernels.json")) as file:
    SHARED = json.load(file)


def add(*arguments, **options):
    """Adds a launch of four warps. Triton passes two addresses of scratch memory after the arguments."""
    def decorated(reference):
        shared = SHARED[reference.__name__]
        scratch = [np.uint64(0), np.uint64(0)]
        computed = lambda *given: reference(*given[:-2])
        return MODULE.add(*arguments, *scratch, kernel=reference.__name__, block="128", shared=shared, **options)(computed)
    return decorated


def integers(count, seed, bits=12):
    return words(count, seed, bits).astype(I32) - 2 ** (bits - 1)


@add(small_floats(300, 1), small_floats(300, 2), zeros(300, F32), I32(290), grid="3")
def axpy(x, y, out, n):
    return {2: np.where(np.arange(300) < n, F32(2.5) * x - y, 0)}


@add(small_floats(16 * N, 3), zeros(160, F32))
def row_sums(x, out):
    rows = x.reshape(16, N)
    return {1: np.concatenate([rows.sum(1), rows.max(1), rows.sum(0)])}


@add(integers(N, 4), zeros(2 * N, I32))
def scans(x, out):
    return {1: np.concatenate([np.cumsum(x), np.cumsum(x[::-1])[::-1]])}


@add(np.where(words(N, 5) % 2, -1, 1).astype(F32), small_floats(N, 6), zeros(N, F32))
def recurrence(x, y, out):
    value = F32(0)
    for k in range(N):
        out[k] = value = value * x[k] + y[k]
    return {2: out}


@add(integers(4 * N, 7, 31), zeros(4 * N, I32))
def sorted_rows(x, out):
    return {1: np.sort(x.reshape(4, N), 1)}


@add(words(2 * N, 8, 4).astype(I32), zeros(16, I32), grid="2")
def bins(x, out):
    return {1: np.bincount(x, minlength=16)}


@add(small_floats(8 * N, 9), zeros(16, I32))
def extremes(x, out):
    rows = x.reshape(8, N)
    return {1: np.concatenate([rows.argmax(1), rows.argmin(1)])}


@add(integers(32 * N, 10, 8), zeros(32 * N, I32))
def transposed(x, out):
    return {1: x.reshape(32, N).T}


def philox(seed, counter):
    """The first word of Philox 4x32-10 (Salmon et al., SC 2011)."""
    c, k = [counter.astype(np.uint64), *[np.zeros(len(counter), np.uint64) for _ in range(3)]], [seed, 0]
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [second >> np.uint64(32) ^ c[1] ^ np.uint64(k[0]), second & low, first >> np.uint64(32) ^ c[3] ^ np.uint64(k[1]), first & low]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c[0].astype(U32).view(I32)


@add(zeros(2 * N, I32), I32(12345), grid="2")
def random_bits(out, seed):
    return {0: philox(12345, np.arange(2 * N))}


@add(integers(3 * N, 11), zeros(2 * N + 16, I32), grid="3")
def exchanges(x, out):
    rows = x.reshape(3, N)
    sums = rows.reshape(3, N // 16, 16).sum((0, 1))
    return {1: np.concatenate([np.maximum(rows.max(0), 0), np.bitwise_xor.reduce(rows, 0), sums])}


@add(integers(5 * N, 12), zeros(1, I32), zeros(N, I32), grid="5")
def locked_sum(x, lock, out):
    return {2: x.reshape(5, N).sum(0)}


@add(integers(N, 13), (words(N, 14) % N).astype(I32), zeros(N, I32))
def gathered(x, index, out):
    return {2: x[index] + np.where(index % 2 == 0, x[::-1], 7)}


@add(small_floats(16 * 32, 15), small_floats(32 * 16, 16), zeros(256, F32))
def exact_product(x, y, out):
    return {2: x.reshape(16, 32) @ y.reshape(32, 16)}


@add(integers(N, 17, 31), zeros(N, F32))
def dequantized(x, out):
    low, high = x << 28 >> 28, x >> 28
    return {1: (low * 3 + high).astype(np.float16).astype(F32) * F32(0.5)}


@add(small_floats(2 * N, 18), zeros(2 * N, F32), grid="2", relative=2e-5)
def softmax(x, out):
    rows = x.reshape(2, N).astype(np.float64)
    power = np.exp(rows - rows.max(1, keepdims=True))
    return {1: power / power.sum(1, keepdims=True)}


@add(small_floats(2 * N, 19), zeros(2 * N, F32), grid="2", relative=1e-6)
def layer_norm(x, out):
    rows = x.reshape(2, N).astype(np.float64)
    centered = rows - rows.mean(1, keepdims=True)
    return {1: centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5)}
