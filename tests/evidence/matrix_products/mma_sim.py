"""Records what MMA-Sim (microsoft/MMA-Sim) computes for random inputs on the architectures other than Hopper: `mma_sim.py FOLDER_OF_MMA_SIM`.

mma_sim.bin.gz has for each form three 32-bit words (the bytes of its name, the number of tiles, the bytes of a tile), its name, and the tiles: A (row by
row), B (column by column), C and D. Two kinds of inputs: exponents within 8, and for formats of 16 and 32 bits within 32."""
import gzip
import pathlib
import struct
import sys

import torch

sys.path.insert(0, sys.argv[1])
from mmasim.isa.nv_ptx.nv_mma import arch_mma_qualifiers
from mmasim.simulator.nv_ptx import mma

INTEGERS = {8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.uint8}
# The bits of the fraction, all bits of the exponent, and the exponents that inputs of each kind begin at.
FORMATS = {torch.float32: (23, 0xFF, 124, 100), torch.bfloat16: (7, 0xFF, 124, 100), torch.float64: (52, 0x7FF, 1020, 1020), torch.float16: (10, 0x1F, 12, 0)}


def bits(shape, ty, generator, kind):
    raw = torch.randint(0, 256, (*shape, ty.itemsize), generator=generator, dtype=torch.uint8)
    number = raw.contiguous().view(INTEGERS[ty.itemsize]).reshape(shape)
    if ty not in FORMATS:
        return number
    fraction, exponent, near, spread = FORMATS[ty]
    if ty == torch.float16 and kind:
        return number & ~0x4000
    within = (number >> 3 & 7) + near if not kind else (number >> 3 & 31) + spread
    return (number & ~(exponent << fraction)) | within << fraction


def record():
    recorded, seen = b"", set()
    for architecture, forms in arch_mma_qualifiers.items():
        for form in forms:
            name = f"{architecture} {form}"
            if architecture == "Hopper" or "e2m1" in form or name in seen:
                continue
            seen.add(name)
            unit, tiles = mma(architecture, form), []
            generator = torch.Generator().manual_seed(sum(map(ord, name)))
            for kind in range(2):
                a = bits((unit.m, unit.k), unit.a_type, generator, kind)
                b = bits((unit.n, unit.k), unit.b_type, generator, kind)
                c = bits((unit.m, unit.n), unit.c_type, generator, kind)
                d = unit(a.view(unit.a_type), b.view(unit.b_type).T, c.view(unit.c_type))
                tiles.append(b"".join(one.contiguous().view(torch.uint8).numpy().tobytes() for one in (a, b, c, d)))
            recorded += struct.pack("<3I", len(name), len(tiles), len(tiles[0])) + name.encode() + b"".join(tiles)
    (pathlib.Path(__file__).parent / "mma_sim.bin.gz").write_bytes(gzip.compress(recorded, 9, mtime=0))


record()
