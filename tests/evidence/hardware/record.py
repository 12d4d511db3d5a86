#!/usr/bin/env python3
"""Records what a GPU computes for every form of atom and red, in every space.

    record.py ptx > atomics.ptx              one kernel for each instruction; needs nothing
    ptxas -arch=sm_90 -o atomics.cubin atomics.ptx
    record.py run atomics.cubin FOLDER       on a machine with a GPU, CuPy and NumPy

FOLDER then holds what lies beside this script:

    device.txt      the GPU, its driver, and the assembler as it was given in PTXAS
    pairs.tsv       one line per pair: instruction, space (as in `eval --batch`), operand set, elements, base
    operands.gz     the operand sets, in the order of SETS below
    results.gz      for each pair the memory afterwards, then (atom) the destination

Every number is little-endian. An operand set is CASES values for memory, then CASES for b, then CASES for c. A pair
with E elements takes as its element k of case i the set's element (i + STRIDE * k) modulo CASES; element 0 lies
lowest. To compress well, memory afterwards is stored as the exclusive or with that of the pair's base (none for the
base itself, `-`), and the destination as the exclusive or with memory before.
"""
import gzip
import os
import random
import sys

CASES = 4096
STRIDE = 509
THREADS = 256
SEED = 20261121

# Operand sets: name, width in bits, and exponent and fraction bits for floating point.
SETS = [
    ("int16", 16, None),
    ("int32", 32, None),
    ("int64", 64, None),
    ("int128", 128, None),
    ("f16", 16, (5, 10)),
    ("bf16", 16, (8, 7)),
    ("f32", 32, (8, 23)),
    ("f64", 64, (11, 52)),
]

SET_OF = {
    "b16": "int16", "b32": "int32", "u32": "int32", "s32": "int32", "b64": "int64", "u64": "int64", "s64": "int64",
    "b128": "int128", "f16": "f16", "f16x2": "f16", "bf16": "bf16", "bf16x2": "bf16", "f32": "f32", "f64": "f64",
}


def instructions():
    """(mnemonic, operation, noftz, vector, type): each form once, without space, scope and semantics."""
    for mnemonic in ("atom", "red"):
        for op in ("and", "or", "xor"):
            for ty in ("b32", "b64"):
                yield mnemonic, op, False, 1, ty
        if mnemonic == "atom":
            for ty in ("b32", "b64", "b128"):
                yield mnemonic, "exch", False, 1, ty
            for ty in ("b16", "b32", "b64", "b128"):
                yield mnemonic, "cas", False, 1, ty
        for ty in ("u32", "s32", "u64", "f32", "f64"):
            yield mnemonic, "add", False, 1, ty
        for ty in ("f32", "f16", "f16x2", "bf16", "bf16x2"):
            yield mnemonic, "add", True, 1, ty
        for op in ("inc", "dec"):
            yield mnemonic, op, False, 1, "u32"
        for op in ("min", "max"):
            for ty in ("u32", "s32", "u64", "s64"):
                yield mnemonic, op, False, 1, ty
        for vector in (2, 4):
            for noftz in (False, True):
                yield mnemonic, "add", noftz, vector, "f32"
        for op in ("add", "min", "max"):
            for ty, vectors in (("f16", (2, 4, 8)), ("bf16", (2, 4, 8)), ("f16x2", (2, 4)), ("bf16x2", (2, 4))):
                for vector in vectors:
                    yield mnemonic, op, True, vector, ty


def spelled(mnemonic, op, noftz, vector, ty, space):
    parts = [mnemonic] + ([space] if space != "generic" else []) + [op]
    parts += ["noftz"] if noftz else []
    parts += [f"v{vector}"] if vector > 1 else []
    return ".".join(parts + [ty])


def kernels():
    """(name, form, space): a kernel for each instruction as it is spelled."""
    for form in instructions():
        for space in ("global", "shared", "generic"):
            if space != "shared" or form[3] == 1:
                yield spelled(*form, space).replace(".", "_"), form, space


def pairs():
    """(instruction, where, kernel, form, on shared memory): the 372 pairs, each base before what refers to it."""
    for name, form, space in kernels():
        places = (False,) if form[3] > 1 else (False, True)
        if space != "generic":
            places = (space == "shared",)
        for shared in places:
            point = "shared" if shared else "global"
            yield spelled(*form, space), f"generic:{point}" if space == "generic" else space, name, form, shared


def elements(form):
    return form[3] * (2 if form[4].endswith("x2") else 1)


def width(form):
    """Bytes of the whole value."""
    return next(bits for name, bits, _ in SETS if name == SET_OF[form[4]]) * elements(form) // 8


# PTX


def registers(form, letter):
    """The registers of one value, as the instruction names them."""
    lane = width(form) * 8 // form[3]
    return [f"%{letter}{lane}_{index}" for index in range(form[3])]


def operand(names):
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def load(form, letter, source):
    names, size = registers(form, letter), width(form)
    if names[0].startswith(f"%{letter}128"):
        return [f"ld{source[0]}.v2.b64 {{%lo, %hi}}, [{source[1]}];", f"mov.b128 {names[0]}, {{%lo, %hi}};"]
    if len(names) == 8:
        words = ["%w0", "%w1", "%w2", "%w3"]
        halves = [f"mov.b32 {{{names[2 * i]}, {names[2 * i + 1]}}}, {words[i]};" for i in range(4)]
        return [f"ld{source[0]}.v4.b32 {operand(words)}, [{source[1]}];"] + halves
    vector = f".v{len(names)}" if len(names) > 1 else ""
    return [f"ld{source[0]}{vector}.b{size * 8 // len(names)} {operand(names)}, [{source[1]}];"]


def store(form, letter, target):
    names, size = registers(form, letter), width(form)
    if names[0].startswith(f"%{letter}128"):
        return [f"mov.b128 {{%lo, %hi}}, {names[0]};", f"st{target[0]}.v2.b64 [{target[1]}], {{%lo, %hi}};"]
    if len(names) == 8:
        words = ["%w0", "%w1", "%w2", "%w3"]
        halves = [f"mov.b32 {words[i]}, {{{names[2 * i]}, {names[2 * i + 1]}}};" for i in range(4)]
        return halves + [f"st{target[0]}.v4.b32 [{target[1]}], {operand(words)};"]
    vector = f".v{len(names)}" if len(names) > 1 else ""
    return [f"st{target[0]}{vector}.b{size * 8 // len(names)} [{target[1]}], {operand(names)};"]


def kernel(name, form, space):
    """Each thread applies the instruction once, to a place of its own."""
    size, atom, cas = width(form), form[0] == "atom", form[1] == "cas"
    lines = [".reg .pred %out, %move;", ".reg .b32 %w<4>, %block, %thread, %count, %near, %flag;"]
    lines += [".reg .b64 %lo, %hi, %at, %memory, %b, %c, %d, %place, %wide;"]
    lines += [f".reg .b{bits} %{letter}{bits}_<8>;" for letter in "mbcd" for bits in (16, 32, 64, 128)]
    lines += [f".shared .align 16 .b8 cells[{THREADS * size}];"]
    lines += ["mov.u32 %block, %ctaid.x;", "mov.u32 %thread, %tid.x;", f"mad.lo.u32 %w0, %block, {THREADS}, %thread;"]
    lines += ["ld.param.u32 %count, [count];", "setp.ge.u32 %out, %w0, %count;", "@%out ret;"]
    lines += [f"mul.wide.u32 %at, %w0, {size};"]
    for parameter in ("memory", "b", "c", "d"):
        lines += [f"ld.param.u64 %{parameter}, [{parameter}];", f"add.u64 %{parameter}, %{parameter}, %at;"]
    lines += ["mov.u32 %near, cells;", f"mad.lo.u32 %near, %thread, {size}, %near;", "cvt.u64.u32 %wide, %near;"]
    lines += load(form, "b", (".global", "%b")) + (load(form, "c", (".global", "%c")) if cas else [])
    copy_in = load(form, "m", (".global", "%memory")) + store(form, "m", (".shared", "%near"))
    copy_out = load(form, "m", (".shared", "%near")) + store(form, "m", (".global", "%memory"))
    place = "%memory"
    if space == "shared":
        lines += copy_in
        place = "%near"
    if space == "generic":
        # The address is chosen at run time, so that the assembler cannot know the space and take the specific form.
        lines += ["ld.param.u32 %flag, [on_shared];", "setp.ne.u32 %move, %flag, 0;"]
        lines += ["cvta.shared.u64 %wide, %wide;", "selp.b64 %place, %wide, %memory, %move;"]
        lines += [f"@%move {line}" for line in copy_in]
        place = "%place"
    arguments = [operand(registers(form, "d"))] if atom else []
    arguments += [f"[{place}]", operand(registers(form, "b"))] + ([operand(registers(form, "c"))] if cas else [])
    lines += [f"{spelled(*form, space)} {', '.join(arguments)};"]
    if space == "shared":
        lines += copy_out
    if space == "generic":
        lines += [f"@%move {line}" for line in copy_out]
    lines += store(form, "d", (".global", "%d")) if atom else []
    lines += ["ret;"]
    head = ".param .u64 memory, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 count, .param .u32 on_shared"
    return f".visible .entry {name}({head})\n{{\n" + "\n".join(f"    {line}" for line in lines) + "\n}\n"


def write_ptx():
    print(".version 9.4\n.target sm_90\n.address_size 64\n")
    for name, form, space in kernels():
        print(kernel(name, form, space))


# Operands


def integer_specials(bits):
    top, ones = 1 << (bits - 1), (1 << bits) - 1
    values = [0, 1, 2, 3, 7, 8, 0x10, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, top - 2, top - 1, top, top + 1,
              top + 2, ones - 3, ones - 2, ones - 1, ones, ones // 3, ones // 3 * 2, ones // 5]
    half = 1 << (bits // 2)
    return list(dict.fromkeys(values + [half - 1, half, half + 1, ones - half, ones - half + 1, ones // 17]))


def float_specials(exponent_bits, fraction_bits):
    one = ((1 << (exponent_bits - 1)) - 1) << fraction_bits
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    smallest, quiet = 1 << fraction_bits, 1 << (fraction_bits - 1)
    step = 1 << fraction_bits
    positive = [0, 1, 2, smallest // 2, smallest - 1, smallest, smallest + 1, 2 * smallest, one - step, one, one + 1,
                one + quiet, one + step, one - (fraction_bits + 1) * step, one - fraction_bits * step + 1,
                infinity - step, infinity - 2, infinity - 1, infinity, infinity + 1, infinity + quiet - 1,
                infinity + quiet, infinity + quiet + 5 % quiet, infinity + step - 1]
    sign = 1 << (exponent_bits + fraction_bits)
    return [value + s for value in positive for s in (0, sign)]


def integer_case(random_bits, bits):
    ones = (1 << bits) - 1
    memory, kind = random_bits(bits), random_bits(3)
    memory >>= random_bits(7) % bits if random_bits(1) else 0
    if kind <= 1:
        return memory, memory
    if kind == 2:
        return memory, memory ^ 1 << random_bits(7) % bits
    if kind == 3:
        return memory, memory + 1 & ones
    if kind == 4:
        return memory, memory - 1 & ones
    return memory, random_bits(bits)


def float_case(random_bits, exponent_bits, fraction_bits):
    """Near exponents, a third of them at the lower end of the range, where sums and inputs are subnormal."""
    top, kind = (1 << exponent_bits) - 1, random_bits(8)
    if kind < 16:
        return random_bits(exponent_bits + fraction_bits + 1), random_bits(exponent_bits + fraction_bits + 1)
    first = random_bits(exponent_bits)
    if kind < 96:
        first %= min(fraction_bits + 3, top)
    if kind >= 240:
        first = top - 1 - random_bits(1)
    second = first + random_bits(8) % (2 * fraction_bits + 5) - fraction_bits - 2
    result = []
    for exponent in (first, max(0, min(top - 1, second))):
        fraction = random_bits(fraction_bits)
        # Long runs of zeros make ties.
        fraction &= -1 << random_bits(6) % (fraction_bits + 1) if random_bits(1) else -1
        result.append((random_bits(1) << exponent_bits | min(exponent, top - 1)) << fraction_bits | fraction)
    return tuple(result)


def operand_set(bits, floating):
    """CASES triples (memory, b, c): all pairs of special values first."""
    draw = random.Random(SEED + bits * 100 + (sum(floating) * 7 + floating[0] if floating else 0)).getrandbits
    specials = float_specials(*floating) if floating else integer_specials(bits)
    cases = [(memory, b) for memory in specials for b in specials][:CASES]
    while len(cases) < CASES:
        cases.append(float_case(draw, *floating) if floating else integer_case(draw, bits))
    return [(memory, b, draw(bits)) for memory, b in cases]


def all_sets():
    sets = {}
    for name, bits, floating in SETS:
        cases = operand_set(bits, floating)
        columns = zip(*cases)
        sets[name] = [[value.to_bytes(bits // 8, "little") for value in column] for column in columns]
    return sets


def laid_out(column, count):
    """The bytes of CASES values of `count` elements each."""
    return b"".join(column[(i + STRIDE * k) % CASES] for i in range(CASES) for k in range(count))


# Recording


def record(cubin, folder):
    import cupy
    import numpy

    module = cupy.RawModule(path=cubin)
    sets = all_sets()

    def to_device(data):
        return cupy.asarray(numpy.frombuffer(data, dtype=numpy.uint8))

    def different(a, b):
        return numpy.bitwise_xor(numpy.frombuffer(a, dtype=numpy.uint8), numpy.frombuffer(b, dtype=numpy.uint8)).tobytes()

    table, results, bases = [], [], {}
    for number, (instruction, where, name, form, shared) in enumerate(pairs()):
        count = elements(form)
        before, b, c = (laid_out(column, count) for column in sets[SET_OF[form[4]]])
        memory, d = to_device(before), cupy.zeros(len(before), dtype=cupy.uint8)
        arguments = (memory, to_device(b), to_device(c), d, numpy.uint32(CASES), numpy.uint32(shared))
        module.get_function(name)((CASES // THREADS,), (THREADS,), arguments)
        cupy.cuda.runtime.deviceSynchronize()
        after = memory.get().tobytes()
        base = bases.setdefault(form[1:], (number, after))
        results.append(after if base[0] == number else different(after, base[1]))
        if form[0] == "atom":
            results.append(different(d.get().tobytes(), before))
        shown = "-" if base[0] == number else str(base[0])
        table.append(f"{instruction}\t{where}\t{SET_OF[form[4]]}\t{count}\t{shown}\n")

    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "pairs.tsv"), "w") as file:
        file.writelines(table)
    write_gzip(os.path.join(folder, "operands.gz"), b"".join(b"".join(c) for n, _, _ in SETS for c in sets[n]))
    write_gzip(os.path.join(folder, "results.gz"), b"".join(results))
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    driver = cupy.cuda.runtime.driverGetVersion()
    with open(os.path.join(folder, "device.txt"), "w") as file:
        file.write(f"{properties['name'].decode()}, sm_{properties['major']}{properties['minor']}, ")
        file.write(f"CUDA driver {driver // 1000}.{driver % 1000 // 10}, {os.environ.get('PTXAS', 'ptxas unknown')}, ")
        file.write(f"{len(table)} pairs of {CASES} cases each\n")


def write_gzip(path, data):
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(data)


if __name__ == "__main__":
    if sys.argv[1:] == ["ptx"]:
        write_ptx()
    elif sys.argv[1:2] == ["run"] and len(sys.argv) == 4:
        record(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
