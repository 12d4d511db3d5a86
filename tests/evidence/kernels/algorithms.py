"""The launches of algorithms.cu."""
import numpy as np

from launch import UNORDERED, Launches, mixed, singles, small_floats, words, zeros

MODULE = Launches("algorithms")
add = MODULE.add
U32, F32 = np.uint32, np.float32


@add(words(300, 1), zeros(16), 300, grid="3", block="40")
def histogram(data, bins, n):
    return {1: np.bincount(data % 16, minlength=16)}


@add(words(128, 2, 32), zeros(128), block="128")
def radix_sort(data, out):
    return {1: np.sort(data)}


@add(singles(128)[::-1].copy(), words(128, 3), block="128")
def bitonic_sort(keys, values):
    order = np.argsort(keys)
    return {0: keys[order], 1: values[order]}


@add(np.sort(words(70, 4, 6)), np.sort(words(70, 5, 6)), zeros(140), 70, grid="3", block="64")
def merge(a, b, out, n):
    return {2: np.sort(np.concatenate([a, b]))}


NODES, DEGREE = 60, 2
EDGES = words(NODES * DEGREE, 6) % NODES


@add(np.arange(0, NODES * DEGREE + 1, DEGREE, dtype=U32), EDGES, np.array([0] + [-1] * (NODES - 1), dtype=np.int32), NODES, block="48")
def bfs(offsets, edges, level, nodes):
    reached, depth = [0], 0
    while reached:
        depth += 1
        found = {int(e) for v in reached for e in edges[offsets[v]:offsets[v + 1]] if level[e] == -1}
        for v in found:
            level[v] = depth
        reached = sorted(found)
    return {2: level}


@add(np.sort(words(192, 7, 4)), words(192, 8, 10), zeros(16), grid="3", block="64")
def segmented_sum(keys, values, sums):
    return {2: np.bincount(keys, values, 16)}


@add(words(120, 9), zeros(120), zeros(1), 120, block="128")
def compact(data, out, count, n):
    kept = data[data % 3 == 0]
    out[:len(kept)] = kept
    return {1: out, 2: len(kept)}


@add(words(20 * 13, 10), zeros(20 * 13), 20, 13, grid="3,2", block="8,8")
def transpose(data, out, width, height):
    return {1: data.reshape(height, width).T}


@add(small_floats(16 * 24, 11), zeros(16 * 24, F32), np.int32(16), np.int32(24), grid="2,3", block="8,8")
def stencil(data, out, width, height):
    padded = np.pad(data.reshape(height, width), 1)
    around = padded[1:-1, :-2] + padded[1:-1, 2:] + padded[:-2, 1:-1] + padded[2:, 1:-1]
    return {1: F32(0.5) * padded[1:-1, 1:-1] + F32(0.125) * around}


TEXT = "".join("ab"[int(w) & 1] for w in words(200, 12))


@add(np.frombuffer(TEXT.encode(), np.uint8).copy(), np.frombuffer(b"abba", np.uint8).copy(), np.full(1, 0xFFFFFFFF, U32), zeros(1), 200, 4,
     grid="2", block="33")
def string_search(text, pattern, first, count, length, size):
    found = [i for i in range(197) if TEXT[i:i + 4] == "abba"]
    return {2: found[0], 3: len(found)}


@add(zeros(2), zeros(1), zeros(48), grid="3", block="8")
def ticket_lock(lock, counter, order):
    return {0: [48, 48], 1: 48, 2: np.arange(48)}


@add(zeros(1), zeros(97), zeros(1), zeros(2), grid="4", block="24")
def linked_list(head, following, done, sums):
    return {0: UNORDERED, 1: UNORDERED, 2: 4, 3: [96, mixed(np.arange(1, 97)).sum(dtype=U32)]}


@add(singles(128), zeros(1, F32), block="128")
def float_sum(data, out):
    lanes = data.reshape(4, 32)
    for distance in (16, 8, 4, 2, 1):
        lanes = lanes + lanes[:, np.arange(32) ^ distance]
    part = lanes[:, 0]
    return {1: (part[0] + part[1]) + (part[2] + part[3])}


@add(words(150, 13, 32).view(np.int32), np.array([2**31 - 1, -2**31, -1, 0, 0, 0, -1, 0, 0, 0, 0, 0], np.int32), grid="3", block="50")
def all_reductions(data, out):
    wide, bits = data.astype(np.int64), data.view(U32)
    reduce = np.bitwise_and.reduce(data | 0xFF), np.bitwise_or.reduce(data & 0xFF00), np.bitwise_xor.reduce(data)
    low, high = np.array([wide.sum()], np.int64).view(np.int32)
    total = np.array([wide.sum()]).astype(np.uint64).astype(U32).view(np.int32)[0]
    ends = np.array([bits.min(), bits.max()], U32).view(np.int32)
    counter = 0
    for _ in range(150):
        counter = 49 if counter == 0 or counter > 49 else counter - 1
    return {1: np.array([data.min(), data.max(), *reduce, total, *ends, low, high, 150 % 100, counter], np.int32)}


@add(np.eye(1, 120, 60, dtype=U32).ravel().repeat(2)[:120].copy(), 6, grid="3", block="20")
def grid_barrier(cells, steps):
    now = cells[:60]
    history = [cells[:60], cells[60:]]
    for step in range(1, steps + 1):
        now = np.roll(now, 1) ^ (now | np.roll(now, -1))
        history[step % 2] = now
    return {0: np.concatenate(history)}


def tree():
    nodes, waiting = [], [1]
    while waiting:
        at = waiting.pop()
        nodes.append(at)
        waiting += [child for child in (2 * at, 2 * at + 1) if child < 100 and mixed(child) % 4]
    return nodes


@add(np.array([1] + [0] * 127, U32), np.array([0, 1, 1], U32), zeros(1), grid="3", block="32")
def task_queue(queue, ends, total):
    nodes = tree()
    return {0: UNORDERED, 1: [len(nodes), len(nodes), 0], 2: sum(nodes)}


@add((words(12 * 10, 14) % 2).astype(np.uint8), zeros(120, np.uint8), np.int32(12), np.int32(10), grid="2", block="60")
def life(cells, out, width, height):
    board = cells.reshape(height, width)
    around = sum(np.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y)
    return {1: (around == 3) | ((around == 2) & (board == 1))}


@add(small_floats(32 * 16, 15), small_floats(16, 16), zeros(32, F32), 4, block="32")
def matrix_vector(matrix, vector, out, quads):
    return {2: matrix.reshape(32, 16) @ vector}


@add(zeros(128), 16, 50, block="128")
def mandelbrot(out, width, limit):
    t = np.arange(128)
    cx, cy = (t % 16).astype(F32) * F32(0.1875) - F32(2), (t // 16).astype(F32) * F32(0.25) - F32(1)
    for i in range(128):
        x = y = F32(0)
        n = 0
        while n < limit and x * x + y * y <= 4:
            x, y = x * x - y * y + cx[i], F32(2) * x * y + cy[i]
            n += 1
        out[i] = n
    return {0: out}


PAIRS = words(90, 17) % 80


@add(PAIRS[:45].copy(), PAIRS[45:].copy(), np.arange(80, dtype=U32), 45, grid="2", block="20")
def components(a, b, parent, edges):
    # Which tree represents a component depends on the order; `flatten` is tested on a tree of its own.
    return {2: UNORDERED}


@add(np.maximum(np.arange(96) - 1 - np.arange(96) % 3, 0).astype(U32), grid="3", block="32")
def flatten(parent):
    return {0: np.zeros(96)}


@add(words(64, 18, 32).astype(np.uint64) * 0xFFFFFFF1, words(64, 19, 32).astype(np.uint64) << np.uint64(31), zeros(128, np.uint64), block="32")
def wide_integers(a, b, out):
    for t in range(32):
        wide = [int(one[2 * t]) | int(one[2 * t + 1]) << 64 for one in (a, b)]
        total, product = sum(wide), int(a[2 * t]) * int(b[2 * t])
        out[4 * t:4 * t + 4] = [part & (2**64 - 1) for part in (total, total >> 64, product, product >> 64)]
    return {2: out}


@add(words(64, 20, 32), zeros(64), grid="2", block="32")
def jump_table(data, out):
    def step(x, y):
        match x & 7:
            case 0: return y + 17
            case 1: return y * 5 + 1
            case 2: return y ^ y >> 7
            case 3: return int(f"{y:032b}"[::-1], 2) - 3
            case 4: return y - 3
            case 5: return y // 11
            case 6: return y << 3 | y >> 29
            case _: return ~y
    for i, x in enumerate(map(int, data)):
        y = x >> 3
        for _ in range(3):
            x = y = step(x, y) & 0xFFFFFFFF
        out[i] = y
    return {1: out}


@add(np.frombuffer(TEXT[:30].encode(), np.uint8).copy(), np.frombuffer(TEXT[50:76].encode(), np.uint8).copy(), zeros(1), 30, 26, block="33")
def edit_distance(a, b, out, n, m):
    row = list(range(m + 1))
    for i in range(n):
        row, above = [i + 1], row
        for j in range(m):
            row.append(min(above[j] + (a[i] != b[j]), above[j + 1] + 1, row[j] + 1))
    return {2: row[m]}


@add(singles(64).astype(np.float64) / 3, zeros(4, np.float64), 64, block="4")
def compensated_sum(data, out, n):
    for t in range(4):
        total = lost = 0.0
        for x in data[t::4]:
            y = x - lost
            new = total + y
            total, lost = new, (new - total) - y
        out[t] = total / (1.0 + t)
    return {1: out}
