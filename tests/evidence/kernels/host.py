#!/usr/bin/env python3
"""The launches of host.cu, with the same arithmetic in Python.

    host.py ptx         compiles host.cu to host.ptx (tests/install)
    host.py expected    writes host.jsonl: launches, and the memory after them
"""
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

from launch import Launches, plain, words, zeros

HERE = pathlib.Path(__file__).resolve().parent
MODULE = Launches("host")
add = MODULE.add
U32, U64, I32, F32 = np.uint32, np.uint64, np.int32, np.float32
MASK, WIDE = (1 << 32) - 1, (1 << 64) - 1
WORDS = words(64, 1, 32)
LONGS = words(64, 2, 32).astype(U64) << U64(32) | words(64, 3, 32)
DIVISORS = (words(64, 4, 32).astype(U64) << U64(32) | words(64, 5, 32)) >> np.arange(64, dtype=U64) % U64(50) | U64(1)
FLOATS = ((words(64, 6).astype(np.float64) - 2 ** 23) * 10.0 ** (np.arange(64) % 9 - 10)).astype(F32)
HALVES = np.frombuffer(((words(256, 7, 8).astype(np.float64) - 128) / 8).astype(np.float16).tobytes(), U32)


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (value >> (bits - 1) << bits)


def parts(value, count):
    bits = 32 // count
    return [value >> bits * i & ((1 << bits) - 1) for i in range(count)]


def joined(values):
    bits = 32 // len(values)
    return sum((value & ((1 << bits) - 1)) << bits * i for i, value in enumerate(values))


def truncated(a, b):
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


def rows(count, row):
    """What threads write one after another."""
    return [value for t in range(count) for value in row(t)]


@add(WORDS, zeros(11 * 64), block="64")
def bit_tricks(data, out):
    data = list(map(int, data))

    def row(t):
        x, y = data[t], data[t ^ 1]
        both, eight = y << 32 | x, parts(x, 4) + parts(y, 4)
        left = lambda by: both << by >> 32 & MASK
        chosen = joined([eight[0x7250 >> 4 * i & 7] for i in range(4)])
        return [(x & -x).bit_length(), x.bit_count(), int(f"{x:032b}"[::-1], 2), 32 - x.bit_length(), chosen, left(t % 32), both >> (t + 3) % 32 & MASK,
                left(min(t, 32)), both >> min(t, 32) & MASK, x * y >> 32, abs(signed(x) - signed(y)) + t & MASK]
    return {1: rows(64, row)}


@add(LONGS, zeros(6 * 64, U64), block="64")
def wide_bits(data, out):
    data = list(map(int, data))

    def row(t):
        x, y = data[t], data[t ^ 1]
        return [(x & -x).bit_length(), x.bit_count(), int(f"{x:064b}"[::-1], 2), 64 - x.bit_length(), x * y >> 64, signed(x, 64) * signed(y, 64) >> 64 & WIDE]
    return {1: np.array(rows(64, row), U64)}


@add(LONGS, DIVISORS, zeros(5 * 64, U64), block="64")
def wide_division(a, b, out):
    def row(t):
        x, y = int(a[t]), int(b[t])
        quotient, rest = truncated(signed(x, 64), signed(y, 64))
        return [x // y, x % y, quotient & WIDE, rest & WIDE, truncated(signed(x), signed(y))[1] & WIDE]
    return {2: np.array(rows(64, row), U64)}


@add(HALVES, zeros(5 * 64), block="64")
def half_pairs(data, out):
    pairs = np.frombuffer(data.tobytes(), np.float16).astype(np.float64).reshape(64, 2, 2)
    a, b = pairs[:, 0], pairs[:, 1]
    results = np.stack([a + b, a * b, a * b + a, np.maximum(a, b), np.clip(a - b, 0, 1)], 1).astype(np.float16)
    return {1: np.frombuffer(results.tobytes(), U32)}


def small(code, mantissa, bias):
    """The value of a positive number of eight bits."""
    exponent, rest = code >> mantissa, (code & (1 << mantissa) - 1) / (1 << mantissa)
    return rest * 2.0 ** (1 - bias) if exponent == 0 else (1 + rest) * 2.0 ** (exponent - bias)


@add(FLOATS, zeros(4 * 64), block="64")
def fp8_values(data, out):
    def code(x, mantissa, bias, largest):
        nearest = min(range(largest + 1), key=lambda code: (abs(small(code, mantissa, bias) - abs(x)), code & 1))
        return nearest | (0x80 if math.copysign(1, x) < 0 else 0)

    def half(code, mantissa, bias):
        return int(np.float16(small(code & 0x7F, mantissa, bias) * (-1 if code & 0x80 else 1)).view(np.uint16))

    def row(t):
        e4, e5 = code(float(data[t]), 3, 7, 0x7E), code(float(data[t]), 2, 15, 0x7B)
        return [e4, e5, half(e4, 3, 7), half(e5, 2, 15)]
    return {1: rows(64, row)}


@add(zeros(64), block="64")
def recursion(out):
    ackermann = lambda m, n: n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))
    return {0: [ackermann(t % 3, t % 5) for t in range(64)]}


@add(WORDS, zeros(64), block="64")
def function_pointers(data, out):
    for t, x in enumerate(map(int, data)):
        for i in range(5):
            y = t + i
            x = [x + y, x << y % 32 | x >> (32 - y % 32), (x ^ y) * 0x9E3779B9][(x >> i) % 3] & MASK
        out[t] = x
    return {1: out}


@add(zeros(64), block="64")
def virtual_functions(out):
    return {0: [[t, t * t, t * t * 6 + 5][t % 3] for t in range(64)]}


@add(WORDS, zeros(6 * 64), block="64")
def inline_assembly(data, out):
    data = list(map(int, data))

    def row(t):
        a, b, c = data[t], data[t ^ 3], t * 0x01010101 & MASK
        mask = (1 << t % 13) - 1 << t % 32 & MASK
        return [abs(a - b), a + b & MASK, a + b >> 32, a & b | a & c | b & c, a >> t % 32 & (1 << t % 17) - 1, b & ~mask | a << t % 32 & mask]
    return {1: rows(64, row)}


@add(WORDS, zeros(4 * 64, I32), block="64")
def dot_products(data, out):
    def row(t):
        a, b = int(data[t]), int(data[t ^ 5])
        dot = lambda one, two: sum(x * y for x, y in zip(one, two))
        narrow = lambda value, count: [signed(part, 32 // count) for part in parts(value, count)]
        return [dot(narrow(a, 4), narrow(b, 4)) + 7, dot(parts(a, 4), parts(b, 4)) + 9, dot(narrow(a, 2), narrow(b, 4)) + 1, dot(parts(a, 2), parts(b, 4)[2:]) + 2]
    return {1: [signed(value) for value in rows(64, row)]}


@add(WORDS, zeros(9 * 64), block="64")
def video_simd(data, out):
    def row(t):
        a, b = int(data[t]), int(data[t ^ 9])
        four, two = list(zip(parts(a, 4), parts(b, 4))), list(zip(parts(a, 2), parts(b, 2)))
        byte = lambda value: signed(value, 8)
        return [joined([x + y for x, y in four]), joined([max(-128, min(127, byte(x) - byte(y))) for x, y in four]), joined([max(pair) for pair in two]),
                joined([abs(x - y) for x, y in four]), joined([255 * (x > y) for x, y in four]), joined([int(signed(x, 16) < signed(y, 16)) for x, y in two]),
                sum(abs(x - y) for x, y in four), joined([min(0xFFFF, x + y) for x, y in two]), joined([-x for x, _ in four])]
    return {1: rows(64, row)}


@add(FLOATS, zeros(6 * 64), block="64")
def conversions(data, out):
    limited = lambda value, bits: max(-(1 << bits - 1), min((1 << bits - 1) - 1, int(value)))

    def row(t):
        x = float(data[t])
        wide, hundred = limited(data[t] * F32(1e6), 64), limited(data[t] * F32(100), 32)
        return [limited(np.rint(x), 32) & MASK, limited(math.floor(x), 32) & MASK, max(0, min(MASK, math.ceil(x))), wide & MASK, wide >> 32 & MASK, signed(hundred, 16) & MASK]
    return {1: rows(64, row)}


@add(WORDS, zeros(64), block="64")
def sorted_locally(data, out):
    return {1: [np.sort(data[(t + np.arange(16) * 7) % 64])[data[t] % 16] for t in range(64)]}


@add(WORDS, zeros(64), block="64")
def binary_groups(data, out):
    for t in range(64):
        group = [u for u in range(t // 16 * 16, t // 16 * 16 + 16) if (data[u] % 3 == 0) == (data[t] % 3 == 0)]
        out[t] = len(group) * 100 + group.index(t) + 10000 * any(data[u] > 0xF0000000 for u in group) + int(data[group[0]]) % 64 * 100000
    return {1: out}


def main(arguments):
    match arguments:
        case ["ptx"]:
            command = [HERE.parents[1] / ".tools/bin/nvcc", "-ptx", "-O3", "-arch=sm_90", "-std=c++17", HERE / "host.cu", "-o", HERE / "host.ptx"]
            subprocess.run(command, check=True)
        case ["expected"]:
            with open(HERE / "host.jsonl", "w") as file:
                for launch in MODULE.list:
                    memory = [plain(one) for one in launch.expected()]
                    print(json.dumps({"module": launch.module, "options": launch.options(), "relative": launch.relative, "races": launch.races, "memory": memory}), file=file)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
