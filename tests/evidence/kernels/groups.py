"""The launches of groups.cu."""
import numpy as np

from launch import UNORDERED, Launches, mixed, words, zeros
from launch import small_floats as eighths

MODULE = Launches("groups")
add = MODULE.add
U32, U64, F32 = np.uint32, np.uint64, np.float32


@add(words(64, 1, 32).view(np.int32) // 1000, zeros(12, np.int32), block="64")
def tile_reduce(data, out):
    tiles = data.reshape(4, 16)
    return {1: np.stack([tiles.sum(1), tiles.min(1), tiles.max(1)], 1)}


@add(words(64, 2), zeros(128), block="64")
def tile_scan(data, out):
    tiles = data.reshape(2, 32)
    before = np.bitwise_xor.accumulate(tiles, 1) ^ tiles
    return {1: np.stack([tiles.cumsum(1), before], 2)}


@add(words(160, 3), zeros(1), zeros(80), grid="4", block="40")
def aggregated(data, counter, out):
    return {1: (data % 3 == 0).sum(), 2: UNORDERED}


@add(words(64, 4), zeros(64), block="64")
def labeled(data, out):
    for t in range(64):
        same = [u for u in range(t // 32 * 32, t // 32 * 32 + 32) if data[u] % 5 == data[t] % 5]
        out[t] = sum(same) + 1000 * same.index(t)
    return {1: out}


@add(words(200, 5), zeros(16), 200, grid="4", block="32", cluster="2")
def cluster_histogram(data, bins, n):
    return {1: np.bincount(data % 16, minlength=16)}


@add(words(32 * 7, 6), zeros(32), 7, block="64")
def producer_consumer(data, out, rounds):
    for row in data.reshape(7, 32):
        out = out * 5 + row[::-1] * 3
    return {1: out}


# When a pipeline ends, one lane invalidates barriers that others of its warp have tested before `match.sync`, which orders no memory.
@add(words(64 * 5, 7), zeros(64), 5, block="64", races=True)
def pipeline_sum(data, out, batches):
    return {1: sum(row[np.arange(64) * 7 % 64] * U32(k + 1) for k, row in enumerate(data.reshape(5, 64)))}


@add(words(128, 8), zeros(128), grid="2", block="64")
def bulk_copies(data, out):
    return {1: data * 2 + 1}


@add(zeros(1), zeros(1), grid="6", block="32")
def semaphore(most, count):
    return {0: UNORDERED, 1: 18}


@add(zeros(1, F32), zeros(1, U64), np.array([0] * 8 + [1], U32), grid="3", block="32")
def atomic_refs(floats, longs, own):
    t = mixed(np.arange(96))
    own[:3] = np.bitwise_xor.reduce(t.reshape(3, 32), 1)
    own[8] = pow(3, 96, 2**32)
    return {0: (np.arange(96) % 8).sum(), 1: t.astype(U64).max() << U64(20), 2: own}


@add(zeros(32), block="128")
def latch(out):
    return {0: np.arange(32) + sum(range(32, 128))}


@add(eighths(256, 9, np.float16), eighths(8, 10, np.float16), zeros(64, np.float16), block="32")
def half_dot(a, b, out):
    sums = (a.reshape(32, 4, 2).astype(F32) * b.reshape(4, 2).astype(F32))
    total = np.zeros((32, 2), np.float16)
    for k in range(4):
        total = (total.astype(F32) + sums[:, k]).astype(np.float16)
    out[::2] = total[:, 0] + total[:, 1]
    out[1::2] = np.maximum(-total[:, 0], np.clip(total[:, 1] * np.float16(0.125), 0, 1))
    return {2: out}


def bfloat(x):
    """The nearest bfloat16 as float32."""
    bits = np.asarray(x, F32).view(U32).astype(U64)
    return ((bits + 0x7FFF + (bits >> U64(16) & U64(1))) & U64(0xFFFF0000)).astype(U32).view(F32)


@add(((words(32, 11, 20).astype(np.float64) - 2**19) / 2**16).astype(F32), zeros(96, np.uint16), block="32")
def bfloat_steps(data, out):
    a, b = bfloat(data), bfloat(F32(0.7))
    steps = [a, bfloat(a * b), bfloat(np.minimum(a, b) - F32(1))]
    return {1: np.stack([(one.view(U32) >> 16) for one in steps], 1)}


def eight_bits(x, mantissa, bias, largest):
    """The nearest float of 8 bits with ties to even, without infinity."""
    sign, x = 128 * bool(np.signbit(x)), abs(float(x))
    if x == 0:
        return sign
    exponent = max(int(np.floor(np.log2(x))), 1 - bias)
    steps = round(x / 2.0 ** (exponent - mantissa))
    code = steps + (exponent + bias - 1 << mantissa)
    return sign | min(code, largest)


@add((eighths(48, 12) * np.exp2(np.arange(48) % 23 - 11)).astype(F32), zeros(96, np.uint8), block="48")
def small_floats(data, out):
    return {1: [code for x in data for code in (eight_bits(x, 3, 7, 0x7E), eight_bits(x, 2, 15, 0x7B))]}


@add(words(32, 13, 32), zeros(128), block="32")
def warp_functions(x, out):
    t = np.arange(32)
    up, down = np.where(t % 8 >= 3, x[t - 3], x), np.where(t % 16 + 5 < 16, x[np.minimum(t + 5, 31)], x)
    ninths = x // 1000000000
    uniform = bool((ninths == ninths[0]).all())
    flags = bool((x % 31 == 0).any()) * 4 + bool((x > 5).all()) * 2 + uniform + 8 * uniform
    match = np.array([sum(1 << int(u) for u in t if x[u] % 6 == x[k] % 6) for k in t], U32)
    columns = [up ^ down, x[t ^ 9] + x[x % 32], np.full(32, flags), match ^ x.max() ^ np.bitwise_xor.reduce(x)]
    return {1: np.stack(columns, 1)}


@add(words(128, 14), words(128, 15), block="64")
def block_sort(keys, values):
    order = np.argsort(-(keys & 0xFFFF).astype(np.int64), kind="stable")
    return {0: keys[order], 1: values[order]}


@add(words(96, 16), zeros(97), block="96")
def block_scan(data, out):
    return {1: np.append(np.cumsum(data) - data + data.sum(), data.max())}


@add((words(192, 17) % 16).astype(np.uint8), zeros(16), block="64")
def block_histogram(data, bins):
    return {1: np.bincount(data, minlength=16)}
