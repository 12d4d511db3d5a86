#!/usr/bin/env python3
"""Compile Triton kernels to PTX for several targets; write them into the folder given and print their names."""
import pathlib, sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(row - tl.max(row, axis=0))
    tl.store(z + tl.program_id(0) * n + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def product(x, y, z, n, BLOCK: tl.constexpr):
    i, j = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, BLOCK):
        a = tl.load(x + i[:, None] * n + k + j[None, :])
        b = tl.load(y + (k + i[:, None]) * n + j[None, :])
        acc = tl.dot(a.to(tl.float16), b.to(tl.float16), acc)
    tl.store(z + i[:, None] * n + j[None, :], acc)


@triton.jit
def atomics(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.atomic_add(z + i, v, mask=i < n)
    tl.atomic_add(y + i, v, sem="release", scope="sys")
    tl.atomic_max(z + i, v, sem="acquire", scope="cta")
    tl.store(x + i, tl.atomic_xchg(z + i, v, sem="relaxed"))


def main():
    folder = pathlib.Path(sys.argv[1])
    for kernel in (add, softmax, product, atomics):
        for target in (75, 80, 90, 100, 120):
            for block in (64, 128):
                signature = {"x": "*fp32", "y": "*fp32", "z": "*fp32", "n": "i32", "BLOCK": "constexpr"}
                source = ASTSource(fn=kernel, signature=signature, constexprs={"BLOCK": block})
                made = triton.compile(source, target=GPUTarget("cuda", target, 32))
                path = folder / f"triton-{kernel.__name__}-{target}-{block}.ptx"
                path.write_text(made.asm["ptx"])
                print(path.name)


main()
