"""The launches of freestanding.cu."""
import numpy as np

from launch import UNORDERED, Launches, mixed, small_floats, words, zeros

MODULE = Launches("freestanding")
add = MODULE.add
U32, U64, F32, F64 = np.uint32, np.uint64, np.float32, np.float64


@add(words(192, 1), zeros(3), zeros(1), grid="3", block="64")
def last_block(data, sums, total):
    return {1: data.reshape(3, 64).sum(1), 2: data.sum()}


@add(zeros(1), zeros(2), words(80, 2), grid="2", block="40")
def spin_lock(lock, total, data):
    return {1: [data.sum(), 80]}


@add(zeros(9), zeros(9), grid="9", block="32")
def message_chain(flags, values):
    for k in range(9):
        values[k] = values[k - 1] * 3 + k if k else 1
    return {0: np.ones(9), 1: values}


@add(zeros(25), 25, block="64")
def ring(out, count):
    return {0: mixed(np.arange(25))}


@add(zeros(1), zeros(2), zeros(1), grid="4", block="32")
def sequence_lock(version, data, bad):
    return {0: 40, 1: [20, 140]}


@add(zeros(2), zeros(1), zeros(1), grid="2", block="1")
def two_flags(flags, turn, counter):
    return {1: UNORDERED, 2: 30}


@add(words(34, 3, 32), zeros(34 * 6), block="34")
def bit_tricks(data, out):
    for t, x in enumerate(map(int, data)):
        y = x << 32 | int(mixed(x))
        low, high = f"{x:032b}", f"{y:064b}"
        rotate = lambda v, by, width: (v << by | v >> width - by) & (1 << width) - 1
        out[6 * t:6 * t + 6] = [value & 0xFFFFFFFF for value in (
            low.count("1") + 100 * high.count("1"),
            32 - (x | 1).bit_length() + 100 * (64 - y.bit_length()),
            ((x | 256) & -(x | 256)).bit_length() - 1 + 100 * (((y | 1 << 40) & -(y | 1 << 40)).bit_length() - 1),
            int(low[::-1], 2) ^ int(high[::-1], 2) >> 9,
            int.from_bytes(x.to_bytes(4, "little"), "big") + (int.from_bytes(y.to_bytes(8, "little"), "big") >> 20),
            rotate(x, t % 32, 32) + rotate(y, -t * 3 % 64, 64))]
    return {1: out}


@add(words(40, 4, 32).astype(U64) * U64(0x9E3779B97F4A7C15), zeros(38 * 4, U64), block="38")
def wide_products(data, out):
    for t in range(38):
        x, y, z = (int(data[t + k]) for k in range(3))
        a = x * y + z
        b = (a << t % 100 & 2**128 - 1) ^ a >> 37
        c = (a * b - b) % 2**128
        out[4 * t:4 * t + 4] = [one % 2**64 for one in (a, a >> 64, c, (c >> 64) + (a < b))]
    return {1: out}


@add(zeros(64, U64), zeros(1), words(96, 5), grid="3", block="32")
def hash_set(slots, inserted, data):
    return {0: UNORDERED, 1: len(set(data % 40))}


@add(np.linspace(0.1, 2.7, 32), zeros(64, F64), block="32")
def polynomial(data, out):
    y = np.zeros(32)
    for k in range(9):
        y = y * data + (-1.0 if k % 2 else 1.0) / (k + 1)
    out[::2] = y
    out[1::2] = y.astype(F32).astype(F64) + np.trunc(data * 1e3) - np.trunc(data * data * 1e6)
    return {1: out}


@add(zeros(6, F64), block="6")
def initial_values(out):
    table = [[1, 2, 3, 4], [5, 6, 0, 0]]
    rows, weights = [table[1], table[0][2:], table[0]], [0.5, -1.25, 1e3]
    return {0: [rows[t % 3][t & 1] * weights[t % 3] for t in range(6)]}


@add(small_floats(33, 6, np.float16), zeros(64, np.float16), zeros(32, F32), block="32")
def halves(data, out, wide):
    a, b = data[:-1], data[1:]
    c = a * b + np.float16(0.75)
    out[::2], out[1::2] = c, np.where(a < b, a - b, -c)
    return {1: out, 2: c.astype(F32) * a.astype(F32)}


@add(words(12 * 20, 7), 20, block="12")
def quicksort(data, n):
    return {0: np.sort(data.reshape(12, 20))}


@add(zeros(32), block="32")
def recursion(out):
    fibonacci = [0, 1]
    while len(fibonacci) < 11:
        fibonacci.append(sum(fibonacci[-2:]))
    ackermann = lambda m, n: n + 1 if m == 0 else ackermann(m - 1, ackermann(m, n - 1) if n else 1)
    return {0: [fibonacci[t % 11] * 1000 + ackermann(t % 3, t % 5) for t in range(32)]}


PROGRAM = [9, 17, 0, 25, 2, 8, 11, 3, 1, 6, 2]


@add(np.array(PROGRAM, U32), zeros(32), len(PROGRAM), block="32")
def stack_machine(program, out, length):
    operations = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a ** (b % 7)]
    for t in range(32):
        stack = []
        for word in PROGRAM:
            if word < 4:
                b, a = stack.pop(), stack.pop()
                stack.append(operations[word](a, b) & 0xFFFFFFFF)
            else:
                stack.append(word - 4 + t)
        out[t] = stack[0]
    return {1: out}


@add(small_floats(64, 8), zeros(64, F32), block="16")
def vectors(data, out):
    a = data.reshape(16, 4)
    c = a * np.roll(a, -1, 0) + a[:, ::-1]
    c[:, :2] = np.where((c[:, 0] > c[:, 1])[:, None], c[:, :2], c[:, 1::-1])
    return {1: c}
