"""The operands of matrix instructions, from the words of an opcode: how many registers hold the part of a matrix that a thread has.

Used to ask the assembler: a wrong number would only show as a form that is refused.
"""

import re

BITS = {"b1": 1, "s4": 4, "u4": 4, "e2m1": 4, "f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "b16": 16}
BANK = {"f64": "d", "f32": "f"}


def registers(count, bank="r"):
    """A braced list of registers; the same register may occur twice, for there are 32 of each bank."""
    return "{" + ",".join(f"{bank}{n % 32}" for n in range(max(1, count))) + "}"


def types(words):
    """The types of an opcode, in order."""
    known = {"s8", "u8", "e4m3", "e5m2", "e3m2", "e2m3", *BITS}
    return [word for word in words if word in known]


def numbers(words):
    """The numbers of a shape such as m16n8k16."""
    shapes = (re.fullmatch(r"m(\d+)n(\d+)k(\d+)", word) for word in words)
    return next((tuple(int(part) for part in shape.groups()) for shape in shapes if shape), (8, 8, 4))


def warp(words):
    """The lists d, a, b and c of mma and of wmma.mma."""
    m, n, k = numbers(words)
    named = types(words)
    named = (named + ["f32"] * 4)[:4] if len(named) != 2 else [named[0], "f16", "f16", named[1]]
    d, a, b, c = named
    if words[0] == "wmma":
        return fragments_of_wmma(m, n, k, named)
    sparse = 2 if any(word.startswith("sp") for word in words[:2]) else 1

    def size(rows, columns, ty):
        bits = BITS.get(ty, 8)
        return registers(rows * columns * bits // 32 // max(32, bits), BANK.get(ty, "r"))

    half = (m, n, k) == (8, 8, 4) and a == "f16"
    if half:
        wide = lambda ty: registers(8, "f") if ty == "f32" else registers(4)
        return [wide(d), registers(2), registers(2), wide(c)]
    a, b = padded(a, words), padded(b, words)
    return [size(m, n, d), size(m, k // sparse, a), size(k, n, b), size(m, n, c)]


def padded(element, words):
    """The type that takes as many bits as an element of an input: an element of 4 bits that may have one of 8 bits beside it takes a byte."""
    mixed = "kind::mxf4" not in words and "kind::mxf4nvf4" not in words
    return "s8" if element == "e2m1" and mixed else element


def fragments_of_wmma(m, n, k, named):
    """The lists d, a, b and c of wmma.mma."""
    d, a, b, c = named
    wide = lambda ty: {"f16": registers(4), "f32": registers(8, "f"), "f64": registers(2, "d")}.get(ty, registers(m * n // 32))
    if a == "f16":
        sizes = 8, 8
    elif a == "f64":
        return [wide(d), registers(1, "d"), registers(1, "d"), wide(c)]
    else:
        bits = BITS.get(a, 8)
        sizes = m * k * bits // 1024, n * k * bits // 1024
    return [wide(d), registers(sizes[0]), registers(sizes[1]), wide(c)]


def warpgroup(words):
    """The list d of wgmma.mma_async."""
    n = next((int(found[1]) for word in words if (found := re.fullmatch(r"m64n(\d+)k\d+", word))), 8)
    ty = next(iter(types(words)), "f32")
    return registers(n // 4) if ty == "f16" else registers(n // 2, BANK.get(ty, "r"))


def tensor_memory(words):
    """The list of tcgen05.ld and tcgen05.st."""
    count = next((int(word[1:]) for word in words if re.fullmatch(r"x\d+", word)), 1)
    each = {"16x128b": 2, "16x256b": 4}
    return registers(count * next((each[word] for word in words if word in each), 1))


def loaded(words):
    """The list of a load or store of wmma."""
    element = next(iter(types(words)), "f16")
    place = {"a": 1, "b": 2}.get(words[2], 0)
    return fragments_of_wmma(*numbers(words), [element] * 4)[place]


def matrices(words):
    """The list of ldmatrix and stmatrix."""
    count = next((int(word[1:]) for word in words if re.fullmatch(r"x\d+", word)), 1)
    return registers(count * (2 if "m16n16" in words and words[0] == "ldmatrix" else 1))


def compressed(words):
    """The lists of metadata, of compressed elements and of all elements of spcompress and spdecompress, and of what tcgen05.ld.spcompress loads."""
    count = next((int(word[1:]) for word in words if re.fullmatch(r"x\d+", word)), 1)
    if words[0] == "tcgen05":
        return registers(count // 32), registers(count // 2), registers(count)
    element, index = (next((int(word[1:]) for word in words if word in known), 8) for known in (("b8", "b16"), ("b2", "b4")))
    kept, group = next((map(int, word[4:].split(":")) for word in words if re.fullmatch(r"sp::\d+:\d+", word)), (2, 4))
    if words[0] == "spcompress":
        kept, group = 32 // element, 64 // element
    return tuple(registers(-(-count * bits // 32)) for bits in (kept * index, kept * element, group * element))


def fill(shape, opcode):
    """A shape with {md}, {ma}, {mb}, {mc}, {wd}, {td}, {ld}, {wl}, {cm}, {cc} and {ca} in place."""
    words = opcode.split(".")
    if "{m" in shape:
        for name, text in zip("dabc", warp(words)):
            shape = shape.replace(f"{{m{name}}}", text)
    if "{c" in shape:
        for name, text in zip("mca", compressed(words)):
            shape = shape.replace(f"{{c{name}}}", text)
    for name, rule in {"{wd}": warpgroup, "{td}": tensor_memory, "{ld}": matrices, "{wl}": loaded}.items():
        if name in shape:
            shape = shape.replace(name, rule(words))
    return shape
