#!/usr/bin/env python3
"""Small kernels that `ptx-atomics check` explores whole, and what a GPU shows of them.

    hardware.py make FOLDER          writes the kernels, and FOLDER/batch.ptx with all of them for the GPU; needs `check`
    ptxas -arch=sm_90 -o FOLDER/batch.cubin FOLDER/batch.ptx
    hardware.py run FOLDER SECONDS   on a machine with a GPU, CuPy and NumPy: writes FOLDER/hardware.jsonl.gz

A line of the recording: {"name", "kernel": the text, "ctas", "threads", "cluster", "words": 64-bit words of the argument, "runs": how often it
ran, "outcomes": [[the words, how often]]}. `--test verification` explores each kernel again: what a GPU showed must be among it.

Every run has memory of its own. Threads of a kernel are in warps or CTAs of their own there; they meet, wait for a random time and run, some
with their locations in a cache. In each launch the locations lie nearer or farther, and threads are mixed otherwise.
"""
import gzip
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/evidence/litmus"))
from random_wait import random_wait

BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
SEED = 28
# The most states of a kernel, so that its test is quick.
STATES = 6_000
THREADS = 128
ITERATIONS = 32
GROUPS = 64
SCOPES = ["cta", "cluster", "gpu", "sys"]
# The CTA of each thread.
PLACEMENTS = [[0, 0], [0, 1], [0, 0, 0], [0, 1, 2], [0, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 1, 0]]
# Registers of an element, elements, and bytes of an element.
TYPES = {"u8": ("r", 1, 1), "u16": ("r", 1, 2), "u32": ("r", 1, 4), "u64": ("d", 1, 8), "v2.u32": ("r", 2, 4),
         "v4.u32": ("r", 4, 4), "v2.u64": ("d", 2, 8), "v2.u16": ("h", 2, 2)}


class Test:
    """A kernel: its threads, their CTAs, its locations, and the values that its threads keep."""

    def __init__(self, rng, placement, clustered):
        self.rng, self.placement = rng, placement
        self.clustered = clustered and len(set(placement)) == 2
        self.spaces = {}
        self.bodies = [[] for _ in placement]
        self.kept = []
        self.written = 0
        self.declared = {"r": 0, "d": 0, "h": 0, "p": 0}
        self.barriers = [0] * len(placement)

    def register(self, kind):
        self.declared[kind] += 1
        return f"%{kind}{self.declared[kind] - 1}"

    def place(self, name, users):
        """Puts a location into global memory, or into shared memory if its users are in one CTA."""
        ctas = {self.placement[user] for user in users}
        shared = len(ctas) == 1 and self.rng.random() < 0.4
        self.spaces[name] = ("shared", ctas.pop()) if shared else ("global", None)

    def needed(self, users):
        ctas = {self.placement[user] for user in users}
        return 0 if len(ctas) == 1 else 1 if self.clustered else 2

    def scope(self, users):
        needed = self.needed(users)
        return SCOPES[self.rng.randrange(needed, 4)]

    def address(self, name, offset=0):
        return f"[%{'s' if self.spaces[name][0] == 'shared' else 'a'}{name}{f'+{offset}' if offset else ''}]"

    def add(self, thread, line, guard=None):
        self.bodies[thread].append(f"@{guard} {line}" if guard else line)

    def fence(self, thread, semantics, scope):
        self.add(thread, f"fence.{semantics}.{scope};")

    def barrier(self, thread):
        self.add(thread, "barrier.cta.sync 0;")
        self.barriers[thread] += 1

    def keep(self, thread, register):
        self.kept.append((thread, register))

    def load(self, thread, order, name, ty, offset=0, guard=None):
        """Loads a value that is kept; returns the register of its first element."""
        kind, count, _ = TYPES[ty]
        registers = [self.register(kind) for _ in range(count)]
        operand = registers[0] if count == 1 else "{" + ", ".join(registers) + "}"
        self.add(thread, f"ld.{order}.{self.spaces[name][0]}.{ty} {operand}, {self.address(name, offset)};", guard)
        for register in registers:
            self.keep(thread, register)
        return registers[0]

    def store(self, thread, order, name, ty, value, offset=0, guard=None):
        kind, count, _ = TYPES[ty]
        values = [value + 8 * at for at in range(count)]
        operand = str(value)
        if count > 1:
            registers = [self.register(kind) for _ in values]
            for register, one in zip(registers, values):
                self.add(thread, f"mov.b{dict(r=32, d=64, h=16)[kind]} {register}, {one};")
            operand = "{" + ", ".join(registers) + "}"
        self.add(thread, f"st.{order}.{self.spaces[name][0]}.{ty} {self.address(name, offset)}, {operand};", guard)

    def update(self, thread, order, name, operation, ty, *values):
        """An atomic whose old value is kept; returns its register."""
        bits = ty[1:]
        suffix = ty if operation in ("add", "max", "min", "inc") else f"b{bits}"
        register = self.register("d" if bits == "64" else "r")
        values = ", ".join(map(str, values))
        space = self.spaces[name][0]
        self.add(thread, f"atom.{order}.{space}.{operation}.{suffix} {register}, {self.address(name)}, {values};")
        self.keep(thread, register)
        return register

    def reduce(self, thread, order, name, operation, ty, value):
        suffix = ty if operation in ("add", "max") else f"b{ty[1:]}"
        self.add(thread, f"red.{order}.{self.spaces[name][0]}.{operation}.{suffix} {self.address(name)}, {value};")

    def test(self, thread, register, value):
        """A predicate: whether a register has a value."""
        guard = self.register("p")
        self.add(thread, f"setp.eq.u{64 if register[1] == 'd' else 32} {guard}, {register}, {value};")
        return guard

    def value(self):
        self.written += 1
        return self.written


W, R = "w", "r"
SHAPES = {
    "MP": [[W + "x", W + "y"], [R + "y", R + "x"]],
    "SB": [[W + "x", R + "y"], [W + "y", R + "x"]],
    "S": [[W + "x", W + "y"], [R + "y", W + "x"]],
    "R": [[W + "x", W + "y"], [W + "y", R + "x"]],
    "2+2W": [[W + "x", W + "y"], [W + "y", W + "x"]],
    "CoRR": [[W + "x"], [R + "x", R + "x"]],
    "CoWR": [[W + "x", R + "x"], [W + "x"]],
    "CoRR2": [[W + "x"], [W + "x"], [R + "x", R + "x"], [R + "x", R + "x"]],
    "WRC": [[W + "x"], [R + "x", W + "y"], [R + "y", R + "x"]],
    "RWC": [[W + "x"], [R + "x", R + "y"], [W + "y", R + "x"]],
    "WWC": [[W + "x"], [R + "x", W + "y"], [R + "y", W + "x"]],
    "ISA2": [[W + "x", W + "y"], [R + "y", W + "z"], [R + "z", R + "x"]],
    "Z6.3": [[W + "x", W + "y"], [W + "y", W + "z"], [R + "z", R + "x"]],
    "3.SB": [[W + "x", R + "y"], [W + "y", R + "z"], [W + "z", R + "x"]],
    "IRIW": [[W + "x"], [W + "y"], [R + "x", R + "y"], [R + "y", R + "x"]],
    "IRRWIW": [[W + "x"], [R + "x", R + "y"], [W + "y", W + "x"]],
    "MP3": [[W + "x", W + "y", W + "z"], [R + "z", R + "y", R + "x"]],
    "SBR": [[W + "x", R + "x", R + "y"], [W + "y", R + "y", R + "x"]],
}


def users_of(threads):
    """The threads that access each location."""
    names = sorted({access[1] for thread in threads for access in thread})
    return {name: [at for at, thread in enumerate(threads) if any(name == access[1] for access in thread)] for name in names}


def placed(rng, count):
    """A kernel with some threads somewhere."""
    placement = rng.choice([placement for placement in PLACEMENTS if len(placement) == count])
    return Test(rng, placement, rng.random() < 0.5)


def fence_between(test, rng, thread, style):
    if style in ("acq_rel", "sc"):
        narrow = rng.random() < 0.2
        scope = SCOPES[rng.randrange(0, 4)] if narrow else SCOPES[rng.randrange(test.needed(range(len(test.placement))), 4)]
        test.fence(thread, style, scope)


def shape(rng):
    """A classic shape, its accesses as loads, stores or atomics with orders, scopes and fences."""
    name = rng.choice(sorted(SHAPES))
    threads = SHAPES[name]
    test = placed(rng, len(threads))
    users = users_of(threads)
    types = {}
    for location in users:
        test.place(location, users[location])
        types[location] = rng.choice(["u32"] * 5 + ["u64", "u16", "u8", "v2.u32", "v2.u32", "v4.u32", "v2.u64", "v2.u16"])
    common = rng.choice([None, "relaxed", "ordered", "acq_rel", "sc", "sc", "volatile", "atomic"])
    for thread, accesses in enumerate(threads):
        for at, (kind, location) in enumerate(accesses):
            style = common or rng.choice(["relaxed", "ordered", "acq_rel", "sc", "volatile", "atomic"])
            scope, ty = test.scope(users[location]), types[location]
            can_update = ty in ("u32", "u64")
            semantics = "relaxed"
            if style in ("ordered", "atomic") and rng.random() < 0.8:
                semantics = "release" if kind == W else "acquire"
            if at:
                fence_between(test, rng, thread, style)
            order = "volatile" if style == "volatile" else f"{semantics}.{scope}"
            if style == "atomic" and can_update:
                order = f"{rng.choice([semantics, 'acq_rel'])}.{scope}"
                if kind == R:
                    test.update(thread, order, location, rng.choice(["add", "or", "max"]), ty, 0)
                else:
                    test.update(thread, order, location, "exch", ty, test.value())
            elif kind == R:
                test.load(thread, order, location, ty)
            else:
                test.store(thread, order, location, ty, test.value())
    return f"{name}", test


CHUNKS = [["v2.u64"], ["v4.u32"], ["u64", "u64"], ["v2.u32", "u64"], ["u64", "u32", "u32"], ["u32"] * 4, ["u32", "u16", "u16", "u64"],
          ["u8", "u8", "u16", "u32", "u64"], ["u64", "v2.u16", "u32"], ["u16"] * 4 + ["u64"]]


def chunks(rng):
    """Ways to cover 16 bytes by naturally aligned accesses: types and offsets."""
    offset, all_chunks = 0, []
    for ty in rng.choice(CHUNKS):
        all_chunks.append((ty, offset))
        offset += TYPES[ty][1] * TYPES[ty][2]
    return all_chunks


def signal(test, rng, thread, name, users, value):
    scope = test.scope(users)
    way = rng.choice(["release", "fence", "exch", "red", "sc"])
    if way in ("fence", "sc"):
        test.fence(thread, "sc" if way == "sc" else "acq_rel", test.scope(users))
        test.store(thread, f"relaxed.{scope}", name, "u32", value)
    elif way == "release":
        test.store(thread, f"release.{scope}", name, "u32", value)
    elif way == "exch":
        test.update(thread, f"release.{scope}", name, "exch", "u32", value)
    else:
        test.reduce(thread, f"release.{scope}", name, "add", "u32", value)


def wait(test, rng, thread, name, users, value):
    """Reads a flag once; returns whether it had the value."""
    scope = test.scope(users)
    way = rng.choice(["acquire", "fence", "update", "sc"])
    if way == "acquire":
        register = test.load(thread, f"acquire.{scope}", name, "u32")
    elif way == "update":
        register = test.update(thread, f"acquire.{scope}", name, rng.choice(["add", "or"]), "u32", 0)
    else:
        register = test.load(thread, f"relaxed.{scope}", name, "u32")
        test.fence(thread, "sc" if way == "sc" else "acq_rel", test.scope(users))
    return test.test(thread, register, value)


def message(rng):
    """Plain data of one size that is read in other sizes, after a flag or a chain of flags; the last reader may write, too."""
    count = rng.choice([2, 2, 3, 3, 4])
    test = placed(rng, count)
    everybody = range(count)
    test.place("x", everybody)
    for name in ("y", "z")[:1 if count == 2 else 2]:
        test.place(name, everybody)
    for ty, offset in chunks(rng):
        if rng.random() < 0.85:
            test.store(0, "weak", "x", ty, test.value(), offset)
    signal(test, rng, 0, "y", everybody, 1)
    guard = wait(test, rng, 1, "y", everybody, 1)
    read = chunks(rng)
    for ty, offset in read[:3]:
        test.load(1, "weak", "x", ty, offset, guard)
    if rng.random() < 0.5:
        ty, offset = rng.choice(chunks(rng))
        test.store(1, "weak", "x", ty, 100 + test.value(), offset, guard)
    if count > 2:
        # A reader that has not seen the first flag says so by another value.
        test.add(1, "mov.u32 %v, 2;")
        test.add(1, "mov.u32 %v, 1;", guard)
        scope = test.scope(everybody)
        test.add(1, f"st.release.{scope}.{test.spaces['z'][0]}.u32 {test.address('z')}, %v;")
    for thread in range(2, count):
        guard = wait(test, rng, thread, "z", everybody, 1)
        for ty, offset in chunks(rng)[:2]:
            test.load(thread, "weak", "x", ty, offset, guard)
    return "message", test


def atomics(rng):
    """Read-modify-writes of several threads, with strong loads and stores among them."""
    count = rng.choice([2, 2, 3, 4])
    test = placed(rng, count)
    names = ["x", "y"][: rng.choice([1, 2])]
    types = {}
    for name in names:
        test.place(name, range(count))
        types[name] = rng.choice(["u32", "u32", "u64"])
    for thread in range(count):
        for at in range(rng.randrange(1, 4 if count == 2 else 3)):
            name = rng.choice(names)
            scope = test.scope(range(count))
            semantics = rng.choice(["relaxed", "acquire", "release", "acq_rel"])
            ty = types[name]
            operation = rng.choice(["add", "exch", "cas", "max", "or", "min", "inc", "load", "store", "red"])
            if operation == "inc" and ty == "u64":
                operation = "add"
            if at and rng.random() < 0.3:
                fence_between(test, rng, thread, rng.choice(["acq_rel", "sc"]))
            if operation == "load":
                test.load(thread, f"{rng.choice(['relaxed', 'acquire'])}.{scope}", name, ty)
            elif operation == "store":
                test.store(thread, f"{rng.choice(['relaxed', 'release'])}.{scope}", name, ty, test.value())
            elif operation == "red":
                test.reduce(thread, f"{rng.choice(['relaxed', 'release'])}.{scope}", name, rng.choice(["add", "or", "max"]), ty, 1)
            elif operation == "cas":
                test.update(thread, f"{semantics}.{scope}", name, "cas", ty, rng.randrange(3), test.value())
            else:
                test.update(thread, f"{semantics}.{scope}", name, operation, ty, rng.randrange(1, 4))
    return "atomics", test


def phases(rng):
    """Plain accesses of all sizes in phases that barriers of a CTA separate, beside a strong location."""
    count = rng.choice([2, 3, 4])
    test = placed(rng, count)
    test.place("x", range(count))
    test.place("y", range(count))
    for phase in range(3):
        owner = rng.randrange(count)
        for thread in range(count):
            if thread == owner and phase < 2:
                for ty, offset in chunks(rng)[:3]:
                    test.store(thread, "weak", "x", ty, test.value(), offset)
            elif phase == 2:
                for ty, offset in chunks(rng)[:2]:
                    test.load(thread, "weak", "x", ty, offset)
            if rng.random() < 0.5:
                scope = test.scope(range(count))
                if rng.random() < 0.5:
                    test.load(thread, f"relaxed.{scope}", "y", "u32")
                else:
                    test.update(thread, f"relaxed.{scope}", "y", "add", "u32", 1)
            if phase < 2:
                test.barrier(thread)
    return "phases", test


def steps(rng):
    """Random strong accesses and fences."""
    count = rng.choice([2, 2, 3, 3, 4])
    test = placed(rng, count)
    types = {}
    for name in ("x", "y"):
        test.place(name, range(count))
        types[name] = rng.choice(["u32", "u32", "u64", "v2.u32", "u16"])
    for thread in range(count):
        for at in range(rng.randrange(1, 5 if count == 2 else 4 if count == 3 else 3)):
            name, scope = rng.choice(["x", "y"]), test.scope(range(count))
            choice = rng.randrange(10)
            if choice < 4:
                test.load(thread, f"{rng.choice(['relaxed', 'acquire'])}.{scope}", name, types[name])
            elif choice < 8:
                test.store(thread, f"{rng.choice(['relaxed', 'release'])}.{scope}", name, types[name], test.value())
            else:
                test.fence(thread, rng.choice(["acq_rel", "sc"]), SCOPES[rng.randrange(4)])
    return "steps", test


def used(test):
    """The locations that accesses name: in global memory, in shared memory."""
    text = "\n".join(line for body in test.bodies for line in body)
    names = [name for name in test.spaces if f"a{name}" in text or f"s{name}" in text]
    is_shared = lambda name: test.spaces[name][0] == "shared"
    return [name for name in names if not is_shared(name)], [name for name in names if is_shared(name)]


DECLARED = """    .reg .pred %p, %q, %p<{p}>;
    .reg .b16 %h<{h}>;
    .reg .b32 %r<{r}>, %t, %u, %v, %sx, %sy, %sz;
    .reg .b64 %d<{d}>, %w0, %w1, %memory, %ax, %ay, %az;
"""


def ranks(test):
    """The number of each thread in its CTA."""
    return [test.placement[:at].count(cta) for at, cta in enumerate(test.placement)]


def epilogue(test, out, first):
    """Each thread keeps its values; the first of a CTA then the shared memory."""
    globals_, shared = used(test)
    lines = [[] for _ in test.placement]
    slot = first + 2 * len(shared)
    for thread, register in test.kept:
        wide = register
        if register[1] != "d":
            lines[thread].append(f"cvt.u64.u{16 if register[1] == 'h' else 32} %w0, {register};")
            wide = "%w0"
        lines[thread].append(f"st.global.u64 [{out}+{8 * slot}], {wide};")
        slot += 1
    dumped = {}
    for at, name in enumerate(shared):
        cta = test.spaces[name][1]
        dumped.setdefault(cta, []).extend([
            f"ld.shared.v2.u64 {{%w0, %w1}}, [%s{name}];",
            f"st.global.u64 [{out}+{8 * (first + 2 * at)}], %w0;",
            f"st.global.u64 [{out}+{8 * (first + 2 * at) + 8}], %w1;"])
    return lines, dumped, slot


def initial(test, thread):
    """Registers whose loads may not be executed begin with a value."""
    return [f"mov.b{dict(r=32, d=64, h=16)[register[1]]} {register}, 77;" for owner, register in test.kept if owner == thread]


def barriers_of(test, cta):
    return max([count for count, place in zip(test.barriers, test.placement) if place == cta], default=0)


def branches(test, lines, cta_register, rank_register):
    """What each thread executes, and the barriers of those that take no part; each ends with a branch to `done`."""
    text, rank = "", ranks(test)
    for thread, cta in enumerate(test.placement):
        text += f"    setp.eq.u32 %p, {cta_register}, {cta};\n    setp.eq.and.u32 %p, {rank_register}, {rank[thread]}, %p;\n    @!%p bra not{thread};\n"
        text += "".join(f"    {line}\n" for line in [*initial(test, thread), *test.bodies[thread], *lines[thread]])
        text += f"    bra done;\nnot{thread}:\n"
    for cta in range(max(test.placement) + 1):
        text += f"    setp.eq.u32 %p, {cta_register}, {cta};\n    @!%p bra idle{cta};\n" + "    barrier.cta.sync 0;\n" * barriers_of(test, cta)
        text += f"    bra done;\nidle{cta}:\n"
    return text


def kernel(test):
    """One instance of a test, as `check` reads it."""
    globals_, shared = used(test)
    ctas = max(test.placement) + 1
    lines, dumped, words = epilogue(test, "%memory", 2 * len(globals_))
    cluster = f".reqnctapercluster {ctas}, 1, 1" if test.clustered else ""
    text = f".version 8.6\n.target sm_90\n.address_size 64\n.entry k(.param .u64 memory) {cluster}\n{{\n"
    text += DECLARED.format(**{kind: max(count, 1) for kind, count in test.declared.items()})
    if shared:
        text += f"    .shared .align 16 .b8 bytes[{16 * len(shared)}];\n"
    text += "    ld.param.u64 %memory, [memory];\n    mov.u32 %t, %tid.x;\n    mov.u32 %u, %ctaid.x;\n"
    text += "".join(f"    add.u64 %a{name}, %memory, {16 * at};\n" for at, name in enumerate(globals_))
    for at, name in enumerate(shared):
        text += f"    mov.u32 %s{name}, bytes;\n    add.u32 %s{name}, %s{name}, {16 * at};\n"
    if shared:
        text += "    mov.u64 %w0, 0;\n    setp.eq.u32 %p, %t, 0;\n"
        text += "".join(f"    @%p st.shared.v2.u64 [%s{name}], {{%w0, %w0}};\n" for name in shared)
        text += "    barrier.cta.sync 0;\n"
    text += branches(test, lines, "%u", "%t") + "done:\n"
    if shared:
        text += "    barrier.cta.sync 0;\n    setp.ne.u32 %p, %t, 0;\n    @%p bra end;\n"
        for cta, dump in dumped.items():
            text += f"    setp.ne.u32 %p, %u, {cta};\n    @%p bra other{cta};\n" + "".join(f"    {line}\n" for line in dump) + f"other{cta}:\n"
        text += "end:\n"
    return text + "    ret;\n}\n", words


BATCH = """
.visible .entry test{at}(.param .u64 memory, .param .u64 results, .param .u64 meeting, .param .u32 stride, .param .u32 seed) {cluster}
{{
{declared}    .reg .b32 %rank, %cta, %group, %place, %inst, %iter, %instances, %wait, %from, %stride, %seed;
    .reg .b64 %results, %meeting, %step, %base, %out;
{shared}    ld.param.u64 %memory, [memory];
    ld.param.u64 %results, [results];
    ld.param.u64 %meeting, [meeting];
    ld.param.u32 %stride, [stride];
    ld.param.u32 %seed, [seed];
    mov.u32 %t, %tid.x;
    mov.u32 %u, %ctaid.x;
    div.u32 %rank, %t, {threads};
    rem.u32 %place, %t, {threads};
    rem.u32 %cta, %u, {ctas};
    div.u32 %group, %u, {ctas};
    mul.lo.u32 %v, %rank, 26;
    mad.lo.u32 %v, %cta, 58, %v;
    mad.lo.u32 %place, %place, 37, %v;
    add.u32 %place, %place, %seed;
    and.b32 %place, %place, {mask};
    mad.lo.u32 %inst, %group, {threads}, %place;
    mov.u32 %instances, {instances};
    mul.wide.u32 %step, %group, 4;
    add.u64 %meeting, %meeting, %step;
    mov.u32 %iter, 0;
again:
    mad.lo.u32 %v, %iter, %instances, %inst;
    mul.wide.u32 %out, %v, {outputs};
    add.u64 %out, %out, %results;
    mul.lo.u32 %v, %v, {locations};
    mul.wide.u32 %base, %v, %stride;
    add.u64 %base, %base, %memory;
    mul.wide.u32 %step, %stride, {last};
    add.u64 %step, %step, %base;
{addresses}    and.b32 %v, %iter, 3;
    setp.eq.u32 %p, %v, 1;
    @%p ld.weak.global.u32 %v, [%base];
    setp.eq.u32 %p, %v, 2;
    @%p ld.weak.global.u32 %v, [%step];
    setp.eq.u32 %p, %rank, 0;
{zero}{meet}
{wait}{bodies}
done:
{dump}    add.u32 %iter, %iter, 1;
    setp.lt.u32 %p, %iter, {iterations};
    @%p bra again;
    ret;
}}
"""

MEET = """    barrier.cta.sync 0;
    setp.ne.u32 %p, %t, 0;
    @%p bra met;
    atom.acq_rel.gpu.global.add.u32 %v, [%meeting], 1;
    mad.lo.u32 %from, %iter, {ctas}, {ctas};
meet:
    ld.acquire.gpu.global.u32 %v, [%meeting];
    setp.lt.u32 %q, %v, %from;
    @%q bra meet;
met:
    barrier.cta.sync 0;"""


def batch(test, at):
    """Many instances of a test, as a GPU runs it."""
    globals_, shared = used(test)
    ctas = max(test.placement) + 1
    lines, dumped, words = epilogue(test, "%out", 0)
    addresses = "".join(
        f"    mul.wide.u32 %a{name}, %stride, {number};\n    add.u64 %a{name}, %a{name}, %base;\n" for number, name in enumerate(globals_))
    for number, name in enumerate(shared):
        addresses += f"    mov.u32 %s{name}, bytes;\n    mad.lo.u32 %s{name}, %place, {16 * len(shared)}, %s{name};\n"
        addresses += f"    add.u32 %s{name}, %s{name}, {16 * number};\n"
    zero = "    mov.u64 %w0, 0;\n" + "".join(f"    @%p st.shared.v2.u64 [%s{name}], {{%w0, %w0}};\n" for name in shared)
    bodies = branches(test, lines, "%cta", "%rank")
    dump = ""
    if shared:
        dump = "    barrier.cta.sync 0;\n    setp.ne.u32 %p, %rank, 0;\n    @%p bra end;\n"
        for cta, one in dumped.items():
            dump += f"    setp.ne.u32 %p, %cta, {cta};\n    @%p bra other{cta};\n" + "".join(f"    {line}\n" for line in one) + f"other{cta}:\n"
        dump += "end:\n"
    return BATCH.format(
        at=at, cluster=f".reqnctapercluster {ctas}, 1, 1" if test.clustered else "",
        declared=DECLARED.format(**{kind: max(count, 1) for kind, count in test.declared.items()}),
        shared=f"    .shared .align 16 .b8 bytes[{16 * len(shared) * THREADS}];\n" if shared else "",
        threads=THREADS, mask=THREADS - 1, ctas=ctas, instances=GROUPS * THREADS, outputs=8 * max(words, 1),
        locations=max(len(globals_), 1), last=max(len(globals_), 1) - 1, addresses=addresses, zero=zero if shared else "", meet=MEET.format(ctas=ctas), wait=random_wait("%u"),
        bodies=bodies.rstrip(), dump=dump, iterations=ITERATIONS), words


def explored(text, test, words):
    """Whether `check` explores all executions of a kernel and finds nothing wrong."""
    ctas, threads = max(test.placement) + 1, max(ranks(test)) + 1
    words = [BINARY, "check", "-", "--kernel", "k", "--grid", str(ctas), "--block", str(threads), "--arg", f"memory=u64[{words}]",
             "--format", "json", "--max-states", str(STATES)]
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{done.stderr}\n{text}")
    found = json.loads(done.stdout)
    return found["verdict"], found["verdict"] == "proved" and found["complete"], found.get("final_states", 0)


def generated():
    """The kernels: families in turns, each kernel with more than one end or, of those that only one is allowed for, some."""
    wanted = {shape: 120, message: 60, atomics: 40, phases: 20, steps: 40}
    for family, count in wanted.items():
        rng = random.Random(f"{SEED} {family.__name__}")
        seen, kept, tried, single = set(), 0, 0, 0
        while kept < count:
            tried += 1
            name, test = family(rng)
            globals_, _ = used(test)
            if not globals_ and not used(test)[1]:
                continue
            text, words = kernel(test)
            if text in seen:
                continue
            seen.add(text)
            verdict, is_explored, ends = explored(text, test, words)
            if not is_explored or ends < 2 and single > count // 8 and family is not phases:
                continue
            single += ends < 2
            kept += 1
            yield f"{name}-{kept}", test, text, words, ends
        print(f"{family.__name__}: {kept} of {tried}", file=sys.stderr)


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    tests, batches = [], ".version 8.6\n.target sm_90\n.address_size 64\n"
    for at, (name, test, text, words, ends) in enumerate(generated()):
        globals_, shared = used(test)
        part, _ = batch(test, at)
        batches += part
        tests.append({
            "name": name, "kernel": text, "ctas": max(test.placement) + 1, "threads": max(ranks(test)) + 1,
            "cluster": max(test.placement) + 1 if test.clustered else 1, "words": words, "globals": len(globals_)})
    (folder / "batch.ptx").write_text(batches)
    (folder / "tests.json").write_text(json.dumps(tests))
    print(len(tests), "kernels")


def launch(cupy, numpy, function, test, number):
    """Runs all instances once; the outcomes as rows of words, and how often each was seen."""
    instances, located = GROUPS * THREADS, max(test["globals"], 1)
    stride = (16, 32, 128)[number % 3]
    runs = ITERATIONS * instances
    memory = cupy.zeros(runs * located * stride // 8 + 64, dtype=cupy.uint64)
    own = test["words"] - 2 * test["globals"]
    results = cupy.zeros(runs * max(own, 1), dtype=cupy.uint64)
    meeting = cupy.zeros(GROUPS, dtype=cupy.uint32)
    arguments = (memory, results, meeting, numpy.uint32(stride), numpy.uint32(7919 * number + len(test["name"])))
    function((GROUPS * test["ctas"],), (THREADS * test["threads"],), arguments)
    cupy.cuda.runtime.deviceSynchronize()
    values = memory[: runs * located * stride // 8].reshape(runs, located, stride // 8)[:, : test["globals"], :2].reshape(runs, -1)
    table = cupy.concatenate([values, results.reshape(runs, -1)[:, :own]], axis=1)
    factors = cupy.asarray([(0x9E3779B97F4A7C15 * (2 * at + 1)) % 2**64 for at in range(table.shape[1])], dtype=cupy.uint64)
    mixed = table * factors + (table >> cupy.uint64(17)) * cupy.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> cupy.uint64(29)
    keys = (mixed * factors[::-1]).sum(axis=1)
    _, first, counts = cupy.unique(keys, return_index=True, return_counts=True)
    return runs, table[first].tolist(), counts.tolist()


def run(folder, seconds):
    import cupy
    import numpy

    tests = json.loads((folder / "tests.json").read_text())
    module = cupy.RawModule(path=str(folder / "batch.cubin"))
    seen, counted = [{} for _ in tests], [0] * len(tests)
    begin, number = time.time(), 0
    while number == 0 or time.time() - begin < seconds:
        for at, test in enumerate(tests):
            runs, rows, counts = launch(cupy, numpy, module.get_function(f"test{at}"), test, number)
            counted[at] += runs
            for row, count in zip(rows, counts):
                seen[at][tuple(row)] = seen[at].get(tuple(row), 0) + count
        number += 1
    with gzip.GzipFile(folder / "hardware.jsonl.gz", "wb", mtime=0) as recording:
        for test, outcomes, runs in zip(tests, seen, counted):
            line = {key: value for key, value in test.items() if key != "globals"}
            line |= {"runs": runs, "outcomes": [[list(row), count] for row, count in sorted(outcomes.items())]}
            recording.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{device}: {len(tests)} kernels, {number} launches of each, {sum(counted)} runs, {time.time() - begin:.0f} s")


def main():
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["run", folder, seconds]:
            run(Path(folder), float(seconds))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
