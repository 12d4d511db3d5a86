#!/usr/bin/env python3
"""Compile Python functions to PTX with numba-cuda; write them into the folder given and print their names."""
import pathlib, sys

from numba import cuda, float32, float64, int32, int64


def saxpy(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def histogram(x, y, a):
    bins = cuda.shared.array(64, int32)
    i = cuda.threadIdx.x
    bins[i] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, int(x[i]) % 64, 1)
    cuda.syncthreads()
    cuda.atomic.add(y, i, bins[i])
    cuda.atomic.max(y, 0, y[i])
    cuda.atomic.cas(y, 1, y[0], y[i])


def stencil(x, y, a):
    i = cuda.grid(1)
    local = cuda.local.array(8, float64)
    for k in range(8):
        local[k] = x[i + k] * k
    total = 0.0
    for k in range(8):
        if local[k] > a:
            total += local[k] ** 0.5
    y[i] = total


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = [(saxpy, float32), (saxpy, float64), (histogram, int32), (histogram, int64), (stencil, float64)]
    for function, type_ in cases:
        signature = (type_[:], type_[:], type_)
        for target in ((7, 5), (8, 0), (9, 0), (10, 0), (12, 0)):
            for option in ({}, {"lineinfo": True}, {"debug": True, "opt": False}):
                ptx, _ = cuda.compile_ptx(function, signature, cc=target, **option)
                name = next(iter(option), "plain")
                path = folder / f"numba-{function.__name__}-{type_}-{target[0]}{target[1]}-{name}.ptx"
                path.write_text(ptx)
                print(path.name)


main()
