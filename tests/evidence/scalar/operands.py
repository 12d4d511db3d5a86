"""The operand tuples of the recording, the same as `tests/conformance/scalar/operands.rs` generates.

A kind of source is a type: `i8` to `i64`, `count` (shifts and positions), `pred`, or a floating-point format; `f16x2` and `bf16x2` are two
numbers. Tuple `index` of a form with one source takes the edge values first (all bit patterns, if it has 16 bits); with more sources, all pairs
of edge values first. Everything else is random, with a fixed seed.
"""
import functools

import numpy as np

TUPLES = 4096
PAIRED = 2200
STRIDE = 509
SEED = np.uint64(20261122)

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
WIDTHS = {"pred": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "count": 32, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def mix(values):
    """The finalizer of splitmix64."""
    values = values.astype(np.uint64)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def random_words(index, column):
    return mix((index << np.uint64(8) | np.uint64(column)) * np.uint64(0x9E3779B97F4A7C15) + SEED)


@functools.cache
def edges(kind):
    """The edge values of a kind."""
    width = WIDTHS[kind]
    ones, top = (1 << width) - 1, 1 << (width - 1)
    if kind == "pred":
        return [0, 1]
    if kind == "count":
        return [0, 1, 2, 7, 8, 15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 255, 256, 257, 288, 0xFFFF, top - 1, top, ones - 31, ones]
    if kind not in FORMATS:
        half = 1 << (width // 2)
        values = [0, 1, 2, 3, 7, 8, 0x10, 0x7F, 0x80, 0x81, 0xFF, 0x100 & ones, half - 1, half, half + 1, top - 2, top - 1, top, top + 1, top + 2]
        values += [ones - half, ones - half + 1, ones - 0x7F, ones - 0x80, ones - 2, ones - 1, ones, ones // 3, ones // 3 * 2, ones // 5]
        return list(dict.fromkeys(values))
    exponent_bits, fraction_bits = FORMATS[kind]
    step, bias = 1 << fraction_bits, (1 << (exponent_bits - 1)) - 1
    one, infinity, quiet = bias * step, ((1 << exponent_bits) - 1) * step, step // 2
    positive = [0, 1, 2, quiet, step - 1, step, step + 1, 2 * step, one - step, one - 1, one, one + 1, one + quiet, one + step, one + step + quiet]
    positive += [infinity - 2 * step, infinity - 1, infinity, infinity + 1, infinity + quiet, infinity + quiet + 5, top - 9, top - 1]
    return [sign | value for value in positive for sign in (0, top)]


@functools.cache
def unary_edges(kind):
    """More edge values, for forms with one source: numbers beside the limits of integers."""
    values = list(edges(kind))
    if kind in FORMATS:
        exponent_bits, fraction_bits = FORMATS[kind]
        step, bias, top = 1 << fraction_bits, (1 << (exponent_bits - 1)) - 1, 1 << (WIDTHS[kind] - 1)
        for power in list(range(-4, 9)) + [11, 14, 15, 16, 17, 23, 24, 25, 30, 31, 32, 33, 52, 53, 62, 63, 64, 65, 126, 127, -14, -15, -24, -25, -26, -126, -127]:
            if 0 < power + bias < 2 * bias:
                at = (power + bias) * step
                near = [at - 2, at - 1, at, at + 1, at + 2, at + step // 4, at + step // 2, at + step // 4 * 3]
                near += [at + step - (step >> (power + 1)) for _ in range(1) if 0 <= power < fraction_bits]
                near += [at + (step >> (power + 1)) for _ in range(1) if 0 <= power < fraction_bits]
                values += [sign | value for value in near for sign in (0, top)]
    return values


def tuples_of(kinds):
    """The number of tuples of a form."""
    return 65536 if len(kinds) == 1 and kinds[0] in ("f16", "bf16", "i16") else TUPLES


def random_numbers(kind, index, column):
    """Random values of a kind; those of one tuple are near each other."""
    word, choice = random_words(index, column), random_words(index, column + 64)
    width = WIDTHS[kind]
    mask = np.uint64((1 << width) - 1)
    if kind == "pred":
        return word & np.uint64(1)
    if kind == "count":
        limit = np.array([40, 70, 256, 1 << 32], dtype=np.uint64)[(choice & np.uint64(3)).astype(np.int64)]
        return (word >> np.uint64(16)) % limit
    if kind not in FORMATS:
        short = np.where(choice >> np.uint64(8) & np.uint64(1), choice % np.uint64(width), 0).astype(np.uint64)
        value = (word & mask) >> short
        return np.where(choice >> np.uint64(9) & np.uint64(1), ~value & mask, value)
    exponent_bits, fraction_bits = FORMATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    shared = random_words(index, 255) % np.uint64(2 * bias)
    near = (shared + (choice >> np.uint64(8)) % np.uint64(5)).astype(np.int64) - 1
    unit = bias - 4 + ((choice >> np.uint64(8)) % np.uint64(9)).astype(np.int64)
    wide = bias - 16 + ((choice >> np.uint64(8)) % np.uint64(33)).astype(np.int64)
    sign, fraction = word >> np.uint64(63) << np.uint64(width - 1), word & np.uint64((1 << fraction_bits) - 1)
    short = fraction & np.uint64(7 << (fraction_bits - 3))
    kind_of = (choice & np.uint64(3)).astype(np.int64)
    limit = lambda exponent: np.clip(exponent, 0, 2 * bias).astype(np.uint64) << np.uint64(fraction_bits)
    rows = [word & mask, sign | limit(near) | fraction, sign | limit(unit) | short, sign | limit(wide) | fraction]
    return np.choose(kind_of, rows)


def column(kinds, position):
    """The values of one source of a form, for all of its tuples."""
    kind, count = kinds[position], tuples_of(kinds)
    index = np.arange(count, dtype=np.uint64)
    if kind.endswith("x2"):
        element = kind[:-2]
        low = column_of([element if k == kind else k for k in kinds], position, index)
        high = column_of([element if k == kind else k for k in kinds], position, (index + np.uint64(STRIDE)) % np.uint64(count))
        return low | high << np.uint64(WIDTHS[element])
    return column_of(kinds, position, index)


def column_of(kinds, position, index):
    kinds = [kind.removesuffix("x2") for kind in kinds]
    kind = kinds[position]
    if tuples_of(kinds) == 65536 and len(index) == 65536:
        return index
    values = random_numbers(kind, index, position)
    if len(kinds) == 1:
        table = np.array(unary_edges(kind), dtype=np.uint64)
        return np.where(index < len(table), table[(index % np.uint64(len(table))).astype(np.int64)], values)
    table = np.array(edges(kind), dtype=np.uint64)
    first = len(edges(kinds[0]))
    at = [index, index // np.uint64(first), random_words(index, position)][min(position, 2)] % np.uint64(len(table))
    return np.where(index < PAIRED, table[at.astype(np.int64)], values)


def digest(values, second, block):
    """One 32-bit digest for each block of results."""
    index = np.arange(len(values), dtype=np.uint64) % np.uint64(block)
    mixed = mix(values ^ mix(index + np.uint64(1)) ^ mix(second + np.uint64(0x5EC0)) )
    return (mixed.reshape(-1, block).sum(axis=1, dtype=np.uint64) >> np.uint64(32)).astype(np.uint32)
