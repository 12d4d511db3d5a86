#!/usr/bin/env python3
"""What tensor copies leave in shared and global memory, on an H100.

    record.py ptx                writes tensors.ptx
    record.py cubin FOLDER       writes FOLDER/tensors.cubin; needs ptxas
    record.py run FOLDER OUT     on a machine with a GPU: writes OUT/recorded.jsonl.gz

The recording has a launch per line: the options of `ptx-atomics run`, and the words of `data`, where the tensor is, and of `out` afterwards. What the
GPU or its driver refuses has an `error` instead.
"""
import base64
import ctypes
import gzip
import importlib
import json
import multiprocessing
import os
import struct

import commands
from cases import REDUCTIONS, SHARED_WORDS, all_cases, random_words
from driver import Driver, Failed

THREADS = 128

HEAD = """// Written by record.py.
.version 8.6
.target sm_90
.address_size 64
"""

# Each thread fills or reads words of shared memory; the first one copies.
FRAME = """
.visible .entry {name}(
	.param .align 64 .b8 map[128], .param .u64 data, .param .u64 {other}, .param .u32 base{parameters}
){directive}
{{
	.reg .pred %p<6>;
	.reg .b16 %h<2>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<8>;
	.shared .align 1024 .b8 room[{bytes}];
	.shared .align 8 .b64 full;
	mov.b64 %rd1, map;
	cvta.param.u64 %rd2, %rd1;
	ld.param.u64 %rd3, [{other}];
	ld.param.u32 %r1, [base];
	mov.u32 %r2, room;
	add.u32 %r3, %r2, %r1;
{loads}	mov.u32 %r4, %tid.x;
	mov.u32 %r16, %ctaid.x;
	mad.lo.u32 %r17, %r16, {words}, %r4;
	mul.wide.u32 %rd4, %r17, 4;
	add.u64 %rd5, %rd3, %rd4;
	shl.b32 %r5, %r4, 2;
	add.u32 %r6, %r2, %r5;
	setp.ne.u32 %p1, %r4, 0;
{body}	ret;
}}
"""

# A loop over the words of a thread: `at` is an address in shared memory, `from` one in global memory.
LOOP = """	mov.u32 %r7, %r6;
	mov.u64 %rd6, %rd5;
	mov.u32 %r8, 0;
{label}:
{step}	add.u32 %r7, %r7, {shared_step};
	add.u64 %rd6, %rd6, {shared_step};
	add.u32 %r8, %r8, {threads};
	setp.lt.u32 %p2, %r8, {words};
	@%p2 bra {label};
"""


def loop(label, step):
    return LOOP.format(label=label, step=step, shared_step=4 * THREADS, threads=THREADS, words=SHARED_WORDS)


def coordinates(rank):
    return "{" + ", ".join(f"%r{10 + at}" for at in range(rank)) + "}"


def kernel(name, rank, other, body, parameters="", loads="", directive=""):
    parameters += "".join(f", .param .u32 c{at}" for at in range(rank))
    loads += "".join(f"\tld.param.u32 %r{10 + at}, [c{at}];\n" for at in range(rank))
    return FRAME.format(name=name, other=other, parameters=parameters, loads=loads, body=body, directive=directive, bytes=4 * SHARED_WORDS, words=SHARED_WORDS)


def load(name, rank, multicast):
    """Shared memory is filled with a pattern, a box is copied there, and all of it is written to `out`."""
    everywhere = ".multicast::cluster" if multicast else ""
    ranks = ", %h1" if multicast else ""
    meet = "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n" if multicast else "\tbar.sync 0;\n"
    body = "\tmov.u32 %r9, 0xeeeeeeee;\n" + loop("FILL", "\tst.shared.u32 [%r7], %r9;\n")
    body += "\tfence.proxy.async;\n\tbar.sync 0;\n\t@%p1 bra BEGUN;\n\tmbarrier.init.shared::cta.b64 [full], 1;\n"
    body += "\tfence.mbarrier_init.release.cluster;\n\tfence.proxy.async;\n"
    body += "\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [full], %r15;\nBEGUN:\n" + meet
    body += "\tmov.u32 %r18, full;\n\tmov.u16 %h1, 3;\n\tor.b32 %r19, %r4, %r16;\n\tsetp.ne.u32 %p3, %r19, 0;\n\t@%p3 bra WAIT;\n"
    body += f"\tcp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [%rd2, {coordinates(rank)}];\n"
    body += f"\tcp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{everywhere} [%r3], [%rd2, {coordinates(rank)}], [%r18]{ranks};\n"
    body += "WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0;\n\t@!%p4 bra WAIT;\n"
    body += loop("SHOW", "\tld.shared.u32 %r9, [%r7];\n\tst.global.u32 [%rd6], %r9;\n")
    body += meet if multicast else ""
    directive = " .reqnctapercluster 2" if multicast else ""
    return kernel(name, rank, "out", body, ", .param .u32 bytes", "\tld.param.u32 %r15, [bytes];\n", directive)


def store(name, rank, op):
    """Words of `in` are written to shared memory, and a box of it to the tensor."""
    opcode = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{op}.tile" if op else f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile"
    body = loop("FILL", "\tld.global.u32 %r9, [%rd6];\n\tst.shared.u32 [%r7], %r9;\n")
    body += "\tfence.proxy.async;\n\tbar.sync 0;\n\t@%p1 bra END;\n"
    body += f"\t{opcode}.bulk_group [%rd2, {coordinates(rank)}], [%r3];\n"
    body += "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\nEND:\n"
    return kernel(name, rank, "in", body)


def module():
    text = HEAD
    for rank in range(1, 6):
        text += load(f"load_{rank}d", rank, False) + store(f"store_{rank}d", rank, None)
    text += load("spread_2d", 2, True)
    return text + "".join(store(f"{op}_2d", 2, op) for op in REDUCTIONS)


def packed(words):
    return base64.b64encode(struct.pack(f"<{len(words)}I", *words)).decode()


def run(driver, case):
    """What is in memory after a launch."""
    name, _, initial = case.other()
    count = case.tensor.words()
    data, other = driver.upload(random_words(count, case.seed)), driver.upload(initial)
    tensor = (ctypes.c_uint8 * 128).from_buffer_copy(driver.tensor_map(case.tensor, data))
    arguments = [tensor, ctypes.c_uint64(data), ctypes.c_uint64(other), ctypes.c_uint32(case.base)]
    arguments += [ctypes.c_uint32(case.tensor.box_bytes())] if case.loads() else []
    driver.launch(case.kernel, case.ctas, THREADS, arguments + [ctypes.c_int32(one) for one in case.coordinates])
    found = {"data": packed(driver.download(data, count))}
    if name == "out":
        found["out"] = packed(driver.download(other, len(initial)))
    driver.free(data)
    driver.free(other)
    return found


def work(folder, first, results, script, name):
    """Runs cases of a script from a number on; a mistake of a kernel leaves the context of the process unusable."""
    with open(os.path.join(folder, f"{name}.cubin"), "rb") as image:
        driver = Driver(image.read())
    module = importlib.import_module(script)
    for at, case in enumerate(module.all_cases()):
        if at < first:
            continue
        try:
            results.put((at, module.run(driver, case)))
        except Failed as error:
            results.put((at, {"error": str(error)}))
            if "Launch" in str(error) or "Synchronize" in str(error):
                return
    results.put((None, None))


def record(folder, out, script="record", name="tensors"):
    """Records the cases of a script with the kernels of NAME.cubin."""
    cases, found, context = list(importlib.import_module(script).all_cases()), {}, multiprocessing.get_context("spawn")
    while len(found) < len(cases):
        results = context.Queue()
        worker = context.Process(target=work, args=(folder, len(found), results, script, name))
        worker.start()
        while len(found) < len(cases):
            try:
                at, result = results.get(timeout=30)
            except Exception:
                at, result = len(found), {"error": "no end"}
            if at is None:
                break
            found[at] = result
            if "error" in result:
                break
        worker.kill()
        worker.join()
    lines = [json.dumps({"options": case.options(), **found[at]}) for at, case in enumerate(cases)]
    for line in lines:
        print(line[:300]) if '"error"' in line else None
    recorded = "recorded.jsonl.gz" if name == "tensors" else f"{name}.jsonl.gz"
    with gzip.GzipFile(os.path.join(out, recorded), "wb", mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())
    print(len(lines), "launches")


if __name__ == "__main__":
    commands.main("tensors", module, record, __doc__)
