#!/usr/bin/env python3
"""Run algorithms of CUB in the emulator, and compare memory with what NumPy computes and with what an H100 has left.

    libraries.py                  compile libraries.cu with the nvcc and the CUB of tests/install, run every kernel under three seeds
    libraries.py cubin FILE       compile them for an H100
    libraries.py record FILE OUT  on a machine with an H100 and NumPy; writes libraries.jsonl into the folder OUT, a kernel a line

PTX_ATOMICS is another program than target/release/ptx-atomics. What the compiler makes of the library is not committed.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import numpy as np

from launch import Launches, small_floats, words, zeros
from recorded_launches import compare, record

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "libraries.jsonl"
OPTIONS = ["-arch=sm_90", "-std=c++17", "-w", "--extended-lambda"]
NVCC = HERE.parents[1] / ".tools/bin/nvcc"
MODULE = Launches("libraries")
add = MODULE.add

for name in ("raking", "commutative", "warps"):
    @add(words(288, 21), zeros(2), kernel=f"reduce_{name}", block="96")
    def reduce(data, out):
        return {1: [data.sum(dtype=np.uint32), data[::3][:77].max()]}

for name in ("raking", "memoize", "warps"):
    @add(words(256, 22), zeros(256), kernel=f"scan_{name}", block="64")
    def scan(data, out):
        return {1: np.cumsum(data, dtype=np.uint32)}

for name, keys in (("signed", (words(256, 23, 32)).astype(np.int32)), ("float", small_floats(256, 24)), ("bytes", words(256, 25, 8).astype(np.uint8))):
    @add(keys, kernel=f"radix_sort_{name}", block="64")
    def radix_sort(keys):
        return {0: np.sort(keys)}


@add(words(192, 26), words(192, 27), block="64")
def merge_sort(keys, values):
    order = np.argsort(keys % 16, kind="stable")
    return {0: keys[order], 1: values[order]}


@add(words(256, 28), block="64")
def warp_merge_sort(keys):
    return {0: np.sort(keys.reshape(4, 64), 1)}


@add(words(64, 29), zeros(128), block="64")
def warp_sums(data, out):
    sums = np.where(np.arange(64) % 16, 0, np.repeat(data.reshape(4, 16).sum(1, dtype=np.uint32), 16))
    most = [max([5, *data[t - t % 32:t]]) for t in range(64)]
    return {1: np.stack([sums, np.array(most, np.uint32)], 1)}


@add(words(32, 30), (words(32, 31) % 4 == 0).astype(np.uint32), zeros(32), block="32")
def segmented_warp_sums(data, heads, out):
    starts = [k for k in range(32) if k == 0 or heads[k]] + [32]
    for start, end in zip(starts, starts[1:]):
        out[start] = data[start:end].sum(dtype=np.uint32) if heads[start] else 0
    return {2: out}


@add(words(256, 32), zeros(256), block="64")
def exchanged(data, out):
    # In a striped arrangement, the items of a thread are as far apart as there are threads.
    return {1: data.reshape(64, 4).T}


@add(words(192, 33, 1), zeros(192, np.int32), block="64")
def heads(data, out):
    return {1: np.append(1, data[1:] != data[:-1])}


@add(words(192, 34), zeros(192), block="64")
def differences(data, out):
    return {1: np.append(data[:1], data[1:] - data[:-1])}


@add(words(256, 35, 5).astype(np.uint8), zeros(32), block="64")
def histogram_sorted(data, bins):
    return {1: np.bincount(data, minlength=32)}


@add(words(64, 36), words(64, 37, 3) + np.uint32(1), zeros(512), block="32")
def decoded(values, lengths, out):
    runs = np.repeat(values, lengths)
    out[:len(runs)] = runs
    return {2: out}


@add(words(256, 38), zeros(256), block="64")
def transposed(data, out):
    return {1: np.append(data[:250], np.full(6, 9, np.uint32)) + np.arange(256, dtype=np.uint32)}


# The states of 32 tiles before the first, and of five tiles whose sums are not known yet.
@add(words(320, 39), zeros(320), np.array([0] * 32 + [99] * 5, np.uint64), grid="5", block="64")
def look_back(data, out, states):
    sums = np.cumsum(data, dtype=np.uint32)
    states[32:] = [101 | int(sums[64 * k + 63]) << 32 for k in range(5)]
    return {1: sums, 2: states}


def main(arguments):
    match arguments:
        case []:
            with tempfile.TemporaryDirectory() as folder:
                module = pathlib.Path(folder) / "libraries.ptx"
                subprocess.run([NVCC, "-ptx", *OPTIONS, HERE / "libraries.cu", "-o", module], check=True)
                compare(MODULE.list, lambda launch: module, RECORDED, "kernels of CUB")
        case ["cubin", file]:
            subprocess.run([NVCC, "-cubin", *OPTIONS, HERE / "libraries.cu", "-o", file], check=True)
        case ["record", file, folder]:
            record(MODULE.list, lambda launch: pathlib.Path(file), pathlib.Path(folder) / RECORDED.name)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
