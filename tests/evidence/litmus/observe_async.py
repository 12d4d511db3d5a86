#!/usr/bin/env python3
"""Runs litmus tests of asynchronous operations on a GPU and records every outcome that was seen.

    observe_async.py ptx > observe_async.ptx              all kernels; needs nothing
    ptxas -arch=sm_90 -o observe_async.cubin observe_async.ptx
    observe_async.py run observe_async.cubin FILE         on a machine with a GPU, CuPy and NumPy

FILE is gzip of one JSON object per line, as that of observe.py. The tests are those of tests/litmus, each with the instructions that sm_90 has for it:
a copy to shared memory completes on an mbarrier of its own where the test does not say how.

Each lane runs a test with locations of its own, 16 bytes each in global or shared memory; each warp is a thread of the test. The CTAs of a cluster
meet, the warps wait for a random time, and run. What is under way at the end of a test is waited for before memory is read.

What is read after a test of an mbarrier that acquires in the CTA is read if it has succeeded. ptxas 13.5 lets an unconditional load overtake such a test, as
`async-bulk-load` showed without the guard: README.md.
"""
import gzip
import json
import sys
from pathlib import Path

from random_wait import random_wait

LITMUS = Path(__file__).resolve().parents[2] / "litmus"
LANES = 32
CLUSTERS = 132
ITERATIONS = 128
LAUNCHES = 200
BYTES = 128
OFFSETS = {"x": 0, "y": 16, "z": 32, "f": 48, "g": 56, "b": 64, "c": 72}

STORE = "cp.async.bulk.global.shared::cta.bulk_group [{Gy}], [{Sx}], 16;"
LOAD = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{Sy}], [{Gx}], 16, [{Sb}];"
OVERWRITE = LOAD.replace("Sb", "Sc")
COMMIT = "cp.async.bulk.commit_group;"
WAIT = "cp.async.bulk.wait_group 0;"
EXPECT = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [{Sb}], 16;"
EXPECT_OVERWRITE = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [{Sc}], 16;"
LOOK = "mbarrier.try_wait.parity{order}.shared::cta.b64 %p, [{{Sb}}], 0; selp.u32 %r0, 1, 0, %p;"
ACQUIRE_CTA, ACQUIRE, RELAXED = ".acquire.cta", ".acquire.cluster", ".relaxed.cta"


def look(order=""):
    return LOOK.format(order=order)


def until(mbarrier, label="D"):
    """Waits for the phase of an mbarrier."""
    return [f"{label}{{test}}_{{role}}: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [{{S{mbarrier}}}], 0; @!%p bra {label}{{test}}_{{role}};"]


def st(place, value):
    return f"st.weak.{place}.u64 [{{{'G' if place == 'global' else 'S'}x}}], {value};"


# Name; locations with their place (global memory, or the shared memory of a CTA) and value; mbarriers with CTA and count;
# threads with CTA, instructions, and what is waited for in the end.
TESTS = [
    ("async-bulk-store", {"x": (0, 0), "y": ("global", 0)}, {},
     [(0, [st("shared::cta", 1), "fence.proxy.async;", STORE, COMMIT, WAIT, "ld.weak.global.u32 %r0, [{Gy}];"], [])]),
    ("async-bulk-store-no-fence", {"x": (0, 0), "y": ("global", 0)}, {},
     [(0, [st("shared::cta", 1), STORE, COMMIT, WAIT, "ld.weak.global.u32 %r0, [{Gy}];"], [])]),
    ("async-bulk-store-no-wait", {"x": (0, 1), "y": ("global", 0)}, {},
     [(0, [STORE, COMMIT, "cp.async.bulk.wait_group 1;", "ld.weak.global.u32 %r0, [{Gy}];"], [WAIT])]),
    ("async-bulk-wait-read-early", {"x": (0, 1), "y": ("global", 0)}, {},
     [(0, [STORE, st("shared::cta", 2), "fence.proxy.async;"], [COMMIT, WAIT])]),
    ("async-wait-read", {"x": (0, 1), "y": ("global", 0)}, {},
     [(0, [STORE, COMMIT, "cp.async.bulk.wait_group.read 0;", st("shared::cta", 2), "ld.weak.global.u32 %r0, [{Gy}];"], [WAIT])]),
    ("async-bulk-load", {"x": ("global", 1), "y": (0, 0)}, {"b": (0, 1)},
     [(0, [EXPECT, LOAD, look(ACQUIRE_CTA), "@%p ld.weak.shared.u32 %r1, [{Sy}];"], until("b"))]),
    ("async-bulk-load-relaxed", {"x": ("global", 1), "y": (0, 0)}, {"b": (0, 1)},
     [(0, [EXPECT, LOAD, look(RELAXED), "ld.weak.shared.u32 %r1, [{Sy}];"], until("b"))]),
    ("async-overwrite", {"x": ("global", 1), "y": (0, 0)}, {"c": (0, 1)},
     [(0, ["ld.weak.shared.u32 %r0, [{Sy}];", OVERWRITE], [EXPECT_OVERWRITE, *until("c")])]),
    ("async-overwrite-write", {"x": ("global", 1), "y": (0, 0)}, {"c": (0, 1)},
     [(0, ["st.weak.shared.u64 [{Sy}], 2;", OVERWRITE], [EXPECT_OVERWRITE, *until("c")])]),
    ("async-overwrite-arrival", {"x": ("global", 1), "y": (1, 0)}, {"b": (1, 1), "c": (1, 1)},
     [(0, ["ld.weak.shared::cluster.u32 %r0, [{M1y}];", "mbarrier.arrive.shared::cluster.b64 _, [{M1b}];"], []),
      (1, [look(), f"@%p {OVERWRITE}", f"@%p {EXPECT_OVERWRITE}", "@!%p mbarrier.arrive.shared::cta.b64 _, [{Sc}];"], until("c"))]),
    ("async-overwrite-relaxed", {"x": ("global", 1), "y": (0, 0)}, {"b": (0, 1), "c": (0, 1)},
     [(0, ["ld.weak.shared.u32 %r0, [{Sy}];", "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [{Sb}];"], []),
      (0, [look(), f"@%p {OVERWRITE}", f"@%p {EXPECT_OVERWRITE}", "@!%p mbarrier.arrive.shared::cta.b64 _, [{Sc}];"], until("c"))]),
    ("async-fence-writer", {"x": (1, 0), "y": ("global", 0), "f": ("global", 0)}, {},
     [(0, ["st.weak.shared::cluster.u64 [{M1x}], 1;", "fence.proxy.async;", "st.release.gpu.global.u32 [{Gf}], 1;"], []),
      (1, ["ld.acquire.gpu.global.u32 %r0, [{Gf}];", STORE, COMMIT, WAIT, "ld.weak.global.u32 %r1, [{Gy}];"], [])]),
    ("async-fence-between", {"x": (2, 0), "y": ("global", 0), "f": ("global", 0), "g": ("global", 0)}, {},
     [(0, ["st.weak.shared::cluster.u64 [{M2x}], 1;", "st.release.gpu.global.u32 [{Gf}], 1;"], []),
      (1, ["ld.acquire.gpu.global.u32 %r0, [{Gf}];", "fence.proxy.async;", "st.release.gpu.global.u32 [{Gg}], %r0;"], []),
      (2, ["ld.acquire.gpu.global.u32 %r0, [{Gg}];", STORE, COMMIT, WAIT, "ld.weak.global.u32 %r1, [{Gy}];"], [])]),
    ("async-multicast", {"x": ("global", 1), "y": (0, 0), "z": (1, 0)}, {"b": (0, 1), "c": (1, 1)},
     [(0, ["mov.b16 %both, 3;", LOAD.replace("bytes ", "bytes.multicast::cluster ").replace(";", ", %both;")], [EXPECT, *until("b")]),
      (1, [EXPECT, look(ACQUIRE), "ld.weak.shared.u32 %r1, [{Sz}];"], until("b"))]),
    ("async-st-async", {"x": (1, 0)}, {"b": (1, 1)},
     [(0, ["mov.b64 %one, 1;", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [{M1x}], %one, [{M1b}];"], []),
      (1, [EXPECT.replace("16", "8"), look(ACQUIRE), "ld.weak.shared.u32 %r1, [{Sx}];"], until("b"))]),
    ("async-red-async", {"x": (1, 1)}, {"b": (1, 1)},
     [(0, ["mov.b64 %one, 1;", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [{M1x}], %one, [{M1b}];"], []),
      (1, [EXPECT.replace("16", "8"), look(ACQUIRE), "ld.weak.shared.u32 %r1, [{Sx}];"], until("b"))]),
    ("async-issue-not-transitive", {"x": (0, 0), "z": (0, 0)}, {"b": (0, 1)},
     [(0, ["st.weak.shared.u64 [{Sz}], 1;", "mov.b64 %one, 1;",
           "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [{M0x}], %one, [{M0b}];"], []),
      (0, [EXPECT.replace("16", "8"), look(ACQUIRE), "ld.weak.shared.u32 %r1, [{Sz}];"], until("b"))]),
    ("async-reduce", {"x": (0, 1), "y": ("global", 1)}, {},
     [(0, ["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [{Gy}], [{Sx}], 16;", COMMIT, WAIT, "ld.weak.global.u32 %r0, [{Gy}];"], [])]),
    ("async-copies-unordered", {"x": ("global", 1), "y": (0, 0), "z": ("global", 2)}, {},
     [(0, ["cp.async.ca.shared.global [{Sy}], [{Gx}], 8;", "cp.async.ca.shared.global [{Sy}], [{Gz}], 8;"], ["cp.async.wait_all;"])]),
    ("async-copy-no-wait", {"x": ("global", 1), "y": (0, 0)}, {},
     [(0, ["cp.async.ca.shared.global [{Sy}], [{Gx}], 8;", "ld.weak.shared.u32 %r0, [{Sy}];"], ["cp.async.wait_all;"])]),
    ("async-copy-wait-all", {"x": ("global", 1), "y": (0, 0)}, {},
     [(0, ["cp.async.ca.shared.global [{Sy}], [{Gx}], 8;", "cp.async.wait_all;", "ld.weak.shared.u32 %r0, [{Sy}];"], [])]),
    ("async-issue-order", {"x": ("global", 0), "y": (0, 0)}, {},
     [(0, [st("global", 1), "cp.async.ca.shared.global [{Sy}], [{Gx}], 8;", "cp.async.commit_group;", "cp.async.wait_group 0;",
           "ld.weak.shared.u32 %r0, [{Sy}];"], [])]),
    ("async-copy-arrive-data", {"z": (0, 0)}, {"b": (0, 1)},
     [(0, ["st.weak.shared.u64 [{Sz}], 1;", "cp.async.mbarrier.arrive.noinc.shared.b64 [{Sb}];"], []),
      (0, [look(), "ld.weak.shared.u32 %r1, [{Sz}];"], until("b"))]),
]
# The other destination of a copy to several CTAs is at the same offset.
SAME_OFFSET = {"async-multicast": {"z": "y", "c": "b"}}


def offset(name, place):
    return OFFSETS[SAME_OFFSET.get(name, {}).get(place, place)]


def columns(locations, threads):
    """The registers of all threads that are read, and the locations."""
    used = [(at, register) for at, (_, code, _) in enumerate(threads) for register in ("r0", "r1") if f"%{register}" in " ".join(code)]
    return used, sorted(locations)


def ctas(threads):
    return 1 + max(cta for cta, _, _ in threads)


def warps(threads):
    placed = [cta for cta, _, _ in threads]
    return max(map(placed.count, placed))


KERNEL = """
.visible .entry test{test}(.param .u64 memory, .param .u64 results, .param .u32 seed) .reqnctapercluster {ctas}
{{
    .reg .pred %p, %q;
    .reg .b16 %both;
    .reg .b32 %t, %lane, %warp, %rank, %group, %iter, %seed, %wait, %from, %v, %r0, %r1, %S, %M0, %M1, %M2;
    .reg .b64 %G, %results, %out, %one, %step;
    .shared .align 128 .b8 area[{area}];
    ld.param.u64 %G, [memory];
    ld.param.u64 %results, [results];
    ld.param.u32 %seed, [seed];
    mov.u32 %t, %tid.x;
    and.b32 %lane, %t, 31;
    shr.u32 %warp, %t, 5;
    mov.u32 %rank, %cluster_ctarank;
    mov.u32 %group, %clusterid.x;
    mad.lo.u32 %v, %group, 32, %lane;
    mul.wide.u32 %step, %v, {bytes};
    add.u64 %G, %G, %step;
    mov.u32 %S, area;
    mad.lo.u32 %S, %lane, {bytes}, %S;
{mapped}
    mov.u32 %iter, 0;
again:
    mov.u32 %v, %nclusterid.x;
    mad.lo.u32 %v, %iter, %v, %group;
    mad.lo.u32 %v, %v, 32, %lane;
    mul.wide.u32 %out, %v, {row};
    add.u64 %out, %out, %results;
{setup}
    fence.mbarrier_init.release.cluster;
    fence.proxy.async;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mad.lo.u32 %group, %group, 4, %rank;
{wait}    shr.u32 %group, %group, 2;
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
{bodies}
end:
    fence.proxy.async;
    barrier.cluster.arrive;
    barrier.cluster.wait;
{final}
    barrier.cluster.arrive;
    barrier.cluster.wait;
    add.u32 %iter, %iter, 1;
    setp.lt.u32 %p, %iter, {iterations};
    @%p bra again;
    ret;
}}
"""


def addresses(name):
    fields = {}
    for place in OFFSETS:
        for base in ("G", "S", "M0", "M1", "M2"):
            fields[base + place] = f"%{base}+{offset(name, place)}"
    return fields


def of_warp(rank, warp, label, lines):
    """Lines for one warp of a CTA."""
    head = f"    setp.ne.u32 %p, %rank, {rank};\n    setp.ne.or.u32 %p, %warp, {warp}, %p;\n    @%p bra {label};\n"
    return head + "".join(f"    {line}\n" for line in lines) + f"{label}:\n"


def setup(name, locations, mbarriers):
    lines = {}
    for place, (where, value) in locations.items():
        rank, space, base = (0, "global", "G") if where == "global" else (where, "shared", "S")
        at = offset(name, place)
        code = [f"mov.b64 %one, {value};", f"st.{space}.u64 [%{base}+{at}], %one;"]
        if place not in "fg":
            code.append(f"st.{space}.u64 [%{base}+{at + 8}], %one;")
        lines.setdefault(rank, []).extend(code)
    for place, (rank, count) in mbarriers.items():
        at = offset(name, place)
        lines.setdefault(rank, []).extend(
            ["setp.ne.u32 %q, %iter, 0;", f"@%q mbarrier.inval.shared.b64 [%S+{at}];", f"mbarrier.init.shared.b64 [%S+{at}], {count};"])
    return "".join(of_warp(rank, 0, f"set{rank}", code) for rank, code in sorted(lines.items()))


def final(name, locations, threads):
    used, places = columns(locations, threads)
    lines = {}
    for at, place in enumerate(places):
        where = locations[place][0]
        rank, space, base = (0, "global", "G") if where == "global" else (where, "shared", "S")
        code = [f"ld.volatile.{space}.u32 %v, [%{base}+{offset(name, place)}];", f"st.global.u32 [%out+{4 * (len(used) + at)}], %v;"]
        lines.setdefault(rank, []).extend(code)
    return "".join(of_warp(rank, 0, f"read{rank}", code) for rank, code in sorted(lines.items()))


def kernel(test, name, locations, mbarriers, threads):
    used, places = columns(locations, threads)
    fields, bodies, warp_of = addresses(name), "", {}
    for role, (cta, code, waits) in enumerate(threads):
        warp = warp_of.get(cta, 0)
        warp_of[cta] = warp + 1
        results = [f"st.global.u32 [%out+{4 * used.index((role, register))}], %{register};"
                   for register in ("r0", "r1") if (role, register) in used]
        lines = [line.format(**fields, test=test, role=role) for line in code + results + waits]
        bodies += of_warp(cta, warp, f"not{role}", lines)
    mapped = "\n".join(f"    mapa.shared::cluster.u32 %M{rank}, %S, {rank};" for rank in range(ctas(threads)))
    return KERNEL.format(
        test=test, ctas=ctas(threads), area=BYTES * LANES, bytes=BYTES, mapped=mapped, row=4 * (len(used) + len(places)),
        setup=setup(name, locations, mbarriers), wait=random_wait("%group"), bodies=bodies, final=final(name, locations, threads),
        iterations=ITERATIONS)


def print_ptx():
    print(".version 8.6\n.target sm_90\n.address_size 64")
    for test, row in enumerate(TESTS):
        print(kernel(test, *row))


def run(cubin, path):
    import cupy
    import numpy

    module = cupy.RawModule(path=cubin)
    with gzip.open(path, "wt", compresslevel=9) as recording:
        for test, (name, locations, _, threads) in enumerate(TESTS):
            used, places = columns(locations, threads)
            runs, count = CLUSTERS * ITERATIONS * LANES, len(used) + len(places)
            seen = {}
            for launch in range(LAUNCHES):
                memory = cupy.zeros(CLUSTERS * LANES * BYTES // 4, dtype=cupy.uint32)
                results = cupy.zeros(runs * count, dtype=cupy.uint32)
                arguments = (memory, results, numpy.uint32(7919 * launch + test))
                module.get_function(f"test{test}")((CLUSTERS * ctas(threads),), (32 * warps(threads),), arguments)
                cupy.cuda.runtime.deviceSynchronize()
                table = results.reshape(runs, count).astype(cupy.uint64)
                assert int(table.max()) < 16, name
                key = sum(table[:, column] << (4 * column) for column in range(count))
                keys, counts = cupy.unique(key, return_counts=True)
                for key, number in zip(keys.tolist(), counts.tolist()):
                    seen[key] = seen.get(key, 0) + number
            names = [f"{thread}:{register}" for thread, register in used] + places
            outcomes = [[{name: key >> (4 * column) & 15 for column, name in enumerate(names)}, number] for key, number in sorted(seen.items())]
            line = {"litmus": (LITMUS / f"{name}.litmus").read_text(), "runs": LAUNCHES * runs, "outcomes": outcomes}
            recording.write(json.dumps(line, separators=(",", ":")) + "\n")
            print(name, outcomes, flush=True)


if sys.argv[1:] == ["ptx"]:
    print_ptx()
elif len(sys.argv) == 4 and sys.argv[1] == "run":
    run(sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__)
