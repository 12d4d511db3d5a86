#!/usr/bin/env python3
"""Runs classic litmus tests on a GPU and records every outcome that was seen.

    observe.py ptx > observe.ptx              all kernels; needs nothing
    ptxas -arch=sm_90 -o observe.cubin observe.ptx
    observe.py run observe.cubin FILE         on a machine with a GPU, CuPy and NumPy

FILE is gzip of one JSON object per line: {"litmus": the test as text, "runs": how often it ran, "outcomes": [[{"0:r0": 1, "x": 2}, how often]]}.

Every run of a test has locations of its own. In some its threads look at a location first, so that it lies in a cache; they meet at a barrier,
wait for a random time, the same in a warp, and run. In each launch the locations lie nearer or farther and are mixed otherwise.
"""
import gzip
import json
import sys

from random_wait import random_wait

THREADS = 128
ITERATIONS = 48
LAUNCHES = 60
GROUPS = 64


def w(location, value, role=""):
    return ("w", location, value, role)


def r(register, location, role=""):
    return ("r", register, location, role)


BETWEEN = ("between",)

# Threads as accesses; `last` and `first` mark those that order, by release and by acquire, what surrounds them.
SHAPES = {
    "MP": [[w("x", 1), BETWEEN, w("y", 1, "last")], [r("r0", "y", "first"), BETWEEN, r("r1", "x")]],
    "SB": [[w("x", 1, "last"), BETWEEN, r("r0", "y", "first")], [w("y", 1, "last"), BETWEEN, r("r0", "x", "first")]],
    "LB": [[r("r0", "x", "first"), BETWEEN, w("y", 1, "last")], [r("r0", "y", "first"), BETWEEN, w("x", 1, "last")]],
    "S": [[w("x", 2), BETWEEN, w("y", 1, "last")], [r("r0", "y", "first"), BETWEEN, w("x", 1)]],
    "R": [[w("x", 1), BETWEEN, w("y", 1, "last")], [w("y", 2, "last"), BETWEEN, r("r0", "x", "first")]],
    "2+2W": [[w("x", 1), BETWEEN, w("y", 2, "last")], [w("y", 1), BETWEEN, w("x", 2, "last")]],
    "WRC": [[w("x", 1)], [r("r0", "x", "first"), BETWEEN, w("y", 1, "last")], [r("r0", "y", "first"), BETWEEN, r("r1", "x")]],
    "RWC": [[w("x", 1)], [r("r0", "x", "first"), BETWEEN, r("r1", "y")], [w("y", 1, "last"), BETWEEN, r("r0", "x", "first")]],
    "ISA2": [[w("x", 1), BETWEEN, w("y", 1, "last")], [r("r0", "y", "first"), BETWEEN, w("z", 1, "last")],
             [r("r0", "z", "first"), BETWEEN, r("r1", "x")]],
    "IRIW": [[w("x", 1, "last")], [w("y", 1, "last")], [r("r0", "x", "first"), BETWEEN, r("r1", "y", "first")],
             [r("r0", "y", "first"), BETWEEN, r("r1", "x", "first")]],
    "CoRR": [[w("x", 1)], [r("r0", "x"), BETWEEN, r("r1", "x")]],
    "CoRR2": [[w("x", 1)], [w("x", 2)], [r("r0", "x"), BETWEEN, r("r1", "x")], [r("r0", "x"), BETWEEN, r("r1", "x")]],
    "CoWW": [[w("x", 1), BETWEEN, w("x", 2)], [r("r0", "x")]],
    "CoRW": [[r("r0", "x"), BETWEEN, w("x", 1)], [w("x", 2)]],
    "CoWR": [[w("x", 1), BETWEEN, r("r0", "x")], [w("x", 2)]],
}


def atomics(scope):
    """Tests of read-modify-writes: those that must exclude each other, and those that carry a message."""
    def atom(semantics, op, register, location, *values):
        return ("atom", semantics, scope, op, register, location, *values)

    def red(semantics, location, value):
        return ("red", semantics, scope, "add", location, value)

    def ld(semantics, register, location):
        return ("ld", semantics, scope, register, location)

    def st(semantics, location, value):
        return ("st", semantics, scope, location, value)

    relaxed, release, acquire = "relaxed", "release", "acquire"
    yield "Add2", [[atom(relaxed, "add", "r0", "x", 1)], [atom(relaxed, "add", "r0", "x", 1)]]
    yield "Add3", [[atom(relaxed, "add", "r0", "x", 1)]] * 3
    yield "Exch2", [[atom(relaxed, "exch", "r0", "x", 1)], [atom(relaxed, "exch", "r0", "x", 2)]]
    yield "Cas2", [[atom(relaxed, "cas", "r0", "x", 0, 1)], [atom(relaxed, "cas", "r0", "x", 0, 2)]]
    yield "RedRed", [[red(relaxed, "x", 1)], [red(relaxed, "x", 2)], [ld(relaxed, "r0", "x")]]
    yield "AddStore", [[atom(relaxed, "add", "r0", "x", 1)], [st(relaxed, "x", 4)]]
    yield "AddPlain", [[atom(relaxed, "add", "r0", "x", 1)], [("st", "weak", None, "x", 4)]]
    yield "MPAtom", [[("st", "weak", None, "x", 1), atom(release, "exch", "r0", "y", 1)],
                     [atom(acquire, "add", "r0", "y", 0), ("ld", "weak", None, "r1", "x")]]
    yield "MPRed", [[st(relaxed, "x", 1), red(release, "y", 1)], [ld(acquire, "r0", "y"), ld(relaxed, "r1", "x")]]
    yield "MPRelaxedRed", [[st(relaxed, "x", 1), red(relaxed, "y", 1)], [ld(acquire, "r0", "y"), ld(relaxed, "r1", "x")]]
    yield "MPChain", [[st(relaxed, "x", 1), st(release, "y", 1)], [atom(relaxed, "add", "r0", "y", 1)],
                      [ld(acquire, "r0", "y"), ld(relaxed, "r1", "x")]]
    yield "SBExch", [[atom("acq_rel", "exch", "r0", "x", 1), ld(relaxed, "r1", "y")],
                     [atom("acq_rel", "exch", "r0", "y", 1), ld(relaxed, "r1", "x")]]
    yield "LBAtom", [[atom(relaxed, "add", "r0", "x", 1), st(relaxed, "y", 1)],
                     [atom(relaxed, "add", "r0", "y", 1), st(relaxed, "x", 1)]]


def strengths():
    """Name, and what an access and the place between two become."""
    yield "weak", lambda access: ("weak", None), None
    yield "volatile", lambda access: ("volatile", None), None
    for scope in ("cta", "gpu", "sys"):
        def relaxed(access, scope=scope):
            return "relaxed", scope

        def ordered(access, scope=scope):
            return {"last": "release", "first": "acquire"}.get(access[-1], "relaxed"), scope

        yield f"relaxed.{scope}", relaxed, None
        yield f"ordered.{scope}", ordered, None
        yield f"fence.acq_rel.{scope}", relaxed, ("fence", "acq_rel", scope)
        yield f"fence.sc.{scope}", relaxed, ("fence", "sc", scope)


def threads_of(shape, access_of, fence):
    threads = []
    for accesses in shape:
        thread = []
        for access in accesses:
            if access == BETWEEN:
                thread += [fence] if fence else []
            elif access[0] == "w":
                thread.append(("st", *access_of(access), access[1], access[2]))
            else:
                thread.append(("ld", *access_of(access), access[1], access[2]))
        threads.append(thread)
    return threads


def tests():
    """(name, whether all threads share a block, threads)."""
    for together in (True, False):
        place = "block" if together else "blocks"
        for shape, accesses in SHAPES.items():
            for strength, access_of, fence in strengths():
                yield f"{shape}+{strength}+{place}", together, threads_of(accesses, access_of, fence)
        for scope in ("cta", "gpu", "sys"):
            for name, threads in atomics(scope):
                yield f"{name}+{scope}+{place}", together, threads


def locations(threads):
    """The locations and each thread's registers, sorted."""
    used = sorted({part for thread in threads for op in thread for part in op if part in ("x", "y", "z")})
    registers = [sorted({part for op in thread for part in op if part in ("r0", "r1")}) for thread in threads]
    return used, registers


def dotted(*parts):
    return ".".join(part for part in parts if part)


def litmus(name, together, threads):
    """The test in the syntax of litmus files; its condition names what everything ends with, and is no claim."""
    used, registers = locations(threads)
    lines = []
    for thread in threads:
        column = []
        for op in thread:
            kind, *rest = op
            if kind == "fence":
                column.append(f"fence.{rest[0]}.{rest[1]}")
            elif kind in ("ld", "st"):
                column.append(f"{dotted(kind, rest[0], rest[1])} {rest[2]}, {rest[3]}")
            else:
                column.append(f"{dotted(kind, rest[0], rest[1], rest[2])} {', '.join(map(str, rest[3:]))}")
        lines.append(column)
    heads = [f"P{at}@cta {0 if together else at},gpu 0" for at in range(len(threads))]
    widths = [max(map(len, [head, *column])) for head, column in zip(heads, lines)]
    rows = [heads] + [[column[at] if at < len(column) else "" for column in lines] for at in range(max(map(len, lines)))]
    table = "".join(" " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " ;\n" for row in rows)
    inits = "".join(f"{location}=0; " for location in used)
    inits += "".join(f"P{at}:{register}=0; " for at, thread in enumerate(registers) for register in thread)
    return f"PTX {name}\n{{\n{inits.strip()}\n}}\n{table}exists ({used[0]} == 0)\n"


def ptx_of(op, at):
    kind, *rest = op
    if kind == "fence":
        return f"fence.{rest[0]}.{rest[1]};"
    if kind == "ld":
        return f"{dotted('ld', rest[0], rest[1], 'global.u32')} %{rest[2]}, [%a{rest[3]}];"
    if kind == "st":
        return f"{dotted('st', rest[0], rest[1], 'global.u32')} [%a{rest[2]}], {rest[3]};"
    ty = "b32" if rest[2] in ("exch", "cas") else "u32"
    opcode = dotted(kind, rest[0], rest[1], "global", rest[2], ty)
    if kind == "red":
        return f"{opcode} [%a{rest[3]}], {rest[4]};"
    return f"{opcode} %{rest[3]}, [%a{rest[4]}], {', '.join(map(str, rest[5:]))};"


KERNEL = """
.visible .entry test{at}(.param .u64 memory, .param .u64 results, .param .u64 meeting, .param .u32 stride, .param .u32 seed)
{{
    .reg .pred %p, %q;
    .reg .b32 %role, %group, %place, %inst, %iter, %t, %u, %v, %instances, %wait, %from, %stride, %seed, %r0, %r1;
    .reg .b64 %memory, %results, %meeting, %ax, %ay, %az, %step, %out;
    ld.param.u64 %memory, [memory];
    ld.param.u64 %results, [results];
    ld.param.u64 %meeting, [meeting];
    ld.param.u32 %stride, [stride];
    ld.param.u32 %seed, [seed];
    mov.u32 %t, %tid.x;
    mov.u32 %u, %ctaid.x;
{who}
    mul.lo.u32 %v, %role, 26;
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
    mul.wide.u32 %ax, %v, %stride;
    add.u64 %ax, %ax, %memory;
    cvt.u64.u32 %step, %stride;
    add.u64 %ay, %ax, %step;
    add.u64 %az, %ay, %step;
    and.b32 %v, %iter, 3;
    setp.eq.u32 %p, %v, 1;
    @%p ld.weak.global.u32 %v, [%ax];
    setp.eq.u32 %p, %v, 2;
    @%p ld.weak.global.u32 %v, [%ay];
{meet}
{wait}    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
{bodies}
next:
    add.u32 %iter, %iter, 1;
    setp.lt.u32 %p, %iter, {iterations};
    @%p bra again;
    ret;
}}
"""

TOGETHER = f"""    div.u32 %role, %t, {THREADS};
    rem.u32 %place, %t, {THREADS};
    mov.u32 %group, %u;"""
APART = """    rem.u32 %role, %u, {count};
    div.u32 %group, %u, {count};
    mov.u32 %place, %t;"""
MEET_TOGETHER = "    bar.sync 0;"
MEET_APART = """    bar.sync 0;
    setp.ne.u32 %p, %t, 0;
    @%p bra met;
    atom.acq_rel.gpu.global.add.u32 %v, [%meeting], 1;
    mad.lo.u32 %u, %iter, {count}, {count};
meet:
    ld.acquire.gpu.global.u32 %v, [%meeting];
    setp.lt.u32 %q, %v, %u;
    @%q bra meet;
met:
    bar.sync 0;"""


def kernel(at, together, threads):
    used, registers = locations(threads)
    outputs = 4 * sum(map(len, registers))
    bodies, first = [], 0
    for role, thread in enumerate(threads):
        bodies.append(f"    setp.ne.u32 %p, %role, {role};\n    @%p bra not{role};")
        bodies += [f"    {ptx_of(op, role)}" for op in thread]
        for register in registers[role]:
            bodies.append(f"    st.weak.global.u32 [%out+{4 * first}], %{register};")
            first += 1
        bodies.append(f"    bra next;\nnot{role}:")
    count = len(threads)
    return KERNEL.format(
        at=at, who=TOGETHER if together else APART.format(count=count), mask=THREADS - 1, threads=THREADS,
        wait=random_wait("%group"), meet=MEET_TOGETHER if together else MEET_APART.format(count=count), instances=GROUPS * THREADS,
        outputs=max(outputs, 4), locations=len(used), bodies="\n".join(bodies), iterations=ITERATIONS)


def print_ptx():
    print(".version 8.5\n.target sm_90\n.address_size 64")
    for at, (_, together, threads) in enumerate(tests()):
        print(kernel(at, together, threads))


def run(cubin, path):
    import cupy
    import numpy

    module = cupy.RawModule(path=cubin)
    instances = GROUPS * THREADS
    with gzip.open(path, "wt", compresslevel=9) as recording:
        for at, (name, together, threads) in enumerate(tests()):
            used, registers = locations(threads)
            count = sum(map(len, registers))
            seen = {}
            for launch in range(LAUNCHES):
                stride = (4, 32, 128)[launch % 3]
                runs = ITERATIONS * instances
                memory = cupy.zeros(runs * len(used) * stride // 4 + 64, dtype=cupy.uint32)
                results = cupy.zeros(runs * max(count, 1), dtype=cupy.uint32)
                meeting = cupy.zeros(GROUPS, dtype=cupy.uint32)
                grid, block = (GROUPS, THREADS * len(threads)) if together else (GROUPS * len(threads), THREADS)
                arguments = (memory, results, meeting, numpy.uint32(stride), numpy.uint32(7919 * launch + at))
                module.get_function(f"test{at}")((grid,), (block,), arguments)
                cupy.cuda.runtime.deviceSynchronize()
                values = memory[: runs * len(used) * stride // 4].reshape(runs, len(used), stride // 4)[:, :, 0]
                table = cupy.concatenate([results.reshape(runs, -1)[:, :count], values], axis=1).astype(cupy.uint64)
                assert int(table.max()) < 16
                key = sum(table[:, column] << (4 * column) for column in range(table.shape[1]))
                keys, counts = cupy.unique(key, return_counts=True)
                for key, number in zip(keys.tolist(), counts.tolist()):
                    seen[key] = seen.get(key, 0) + number
            names = [f"{thread}:{register}" for thread, list_ in enumerate(registers) for register in list_] + used
            outcomes = [[{name: key >> (4 * column) & 15 for column, name in enumerate(names)}, number]
                        for key, number in sorted(seen.items())]
            line = {"litmus": litmus(name, together, threads), "runs": LAUNCHES * runs, "outcomes": outcomes}
            recording.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(at + 1, "tests")


if sys.argv[1:] == ["ptx"]:
    print_ptx()
elif len(sys.argv) == 4 and sys.argv[1] == "run":
    run(sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__)
