#!/usr/bin/env python3
"""Records how a GPU divides atomics of one warp into transactions, by the addresses of its lanes.

    record.py ptx > transactions.ptx                    one kernel for each instruction; needs nothing
    ptxas -arch=sm_90 -o transactions.cubin transactions.ptx
    record.py run transactions.cubin FOLDER             on a machine with a GPU and Nsight Compute (ncu)

FOLDER then holds what lies beside this script: `patterns.tsv.gz`, one line for each instruction and pattern of addresses,
with the clock cycles and the hardware's counters of one execution of the instruction by a warp, and `device.txt`.
The counters of the last patterns are empty if SECONDS were not enough.

A pattern is a list of 32 byte offsets; `-` is a lane that is off. The instruction is executed EXECUTIONS times by one
warp, so that a counter divided by that number is what one execution costs.
"""
import csv
import ctypes
import gzip
import io
import os
import random
import shutil
import subprocess
import sys
import time

UNROLL = 8
ROUNDS = 32
EXECUTIONS = UNROLL * ROUNDS
WINDOW = 1 << 17
SHARED_WINDOW = 32768
SEED = 20261125
# How long the counters may take.
SECONDS = 120

# Name: instruction with {p} for the address, bytes of an access, whether in shared memory.
INSTRUCTIONS = {
    "red_u32": ("red.global.add.u32 [{p}], %v32;", 4, False),
    "red_u64": ("red.global.add.u64 [{p}], %v64;", 8, False),
    "red_v4_f32": ("red.global.add.v4.f32 [{p}], {{%f, %f, %f, %f}};", 16, False),
    "atom_u32": ("atom.global.add.u32 %d32, [{p}], %v32;", 4, False),
    "cas_b32": ("atom.global.cas.b32 %d32, [{p}], %c32, %v32;", 4, False),
    "shared_red_u32": ("red.shared.add.u32 [{p}], %v32;", 4, True),
    "shared_atom_u32": ("atom.shared.add.u32 %d32, [{p}], %v32;", 4, True),
    "shared_cas_b32": ("atom.shared.cas.b32 %d32, [{p}], %c32, %v32;", 4, True),
    "shared_exch_b64": ("atom.shared.exch.b64 %d64, [{p}], %v64;", 8, True),
}

# The columns of the recording, each with the counters of which one has its value.
COUNTERS = {
    # Updates of sectors in the L2 cache.
    "sectors": ["lts__t_sectors_srcunit_tex_op_red.sum", "lts__t_sectors_srcunit_tex_op_atom.sum"],
    # What the SM sends there: parts of a line of 128 bytes.
    "requests": ["lts__t_requests_srcunit_tex_op_red.sum", "lts__t_requests_srcunit_tex_op_atom.sum"],
    # Turns of shared memory.
    "turns": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
}


def patterns(size, window):
    """(name, 32 offsets): each address is a multiple of the size of the access."""
    for groups in (1, 2, 4, 8, 16):
        yield f"adjacent lanes share {groups} addresses", [lane * groups // 32 * size for lane in range(32)]
        yield f"distant lanes share {groups} addresses", [lane % groups * size for lane in range(32)]
    for stride in (size, 8, 16, 32, 64, 128, 256, 512, 1024):
        if stride >= size:
            yield f"stride {stride}", [lane * stride for lane in range(32)]
    for groups in (2, 4, 8):
        for stride in (32, 64, 128, 256):
            yield f"{groups} addresses at stride {stride}", [lane % groups * stride for lane in range(32)]
    for lanes in (1, 2, 4, 8, 16, 31):
        yield f"{lanes} lanes, one address", [0 if lane < lanes else None for lane in range(32)]
        yield f"{lanes} lanes, stride 32", [lane * 32 if lane < lanes else None for lane in range(32)]
        yield f"{lanes} lanes, stride {size}", [lane * size if lane < lanes else None for lane in range(32)]
    for shift in (size, 16, 32, 64):
        yield f"contiguous from byte {shift}", [shift + lane * size for lane in range(32)]
    draw = random.Random(SEED)
    order = list(range(32))
    draw.shuffle(order)
    yield "contiguous, in another order", [at * size for at in order]
    for reach in (64, 128, 256, 512, 1024, 4096, window // 4):
        for number in range(4):
            yield f"random in {reach} bytes, {number}", [draw.randrange(reach // size) * size for _ in range(32)]


def all_patterns():
    for name, (_, size, shared) in INSTRUCTIONS.items():
        for pattern, offsets in patterns(size, SHARED_WINDOW if shared else WINDOW):
            yield name, pattern, offsets


# PTX


def kernel(name, text, shared):
    place = "%s" if shared else "%a"
    lines = [".reg .pred %on, %more;", ".reg .b32 %v32, %d32, %c32, %t, %s, %n, %sum32;", ".reg .f32 %f;"]
    lines += [".reg .b64 %v64, %d64, %a, %table, %out, %at, %from, %to, %sum64;"]
    lines += [f".shared .align 1024 .b8 cells[{SHARED_WINDOW}];"] if shared else []
    lines += ["ld.param.u64 %a, [base];", "ld.param.u64 %table, [table];", "ld.param.u64 %out, [out];"]
    lines += ["ld.param.u32 %n, [rounds];", "mov.u32 %t, %tid.x;", "mul.wide.u32 %at, %t, 4;"]
    lines += ["add.u64 %table, %table, %at;", "ld.global.s32 %s, [%table];", "setp.ge.s32 %on, %s, 0;"]
    # Values that the assembler does not know, different in each lane.
    lines += ["add.u32 %v32, %t, %n;", "cvt.u64.u32 %v64, %v32;", "mov.u32 %c32, %t;", "cvt.rn.f32.u32 %f, %v32;"]
    lines += ["mov.u32 %sum32, 0;", "mov.u64 %sum64, 0;", "mov.u32 %d32, 0;", "mov.u64 %d64, 0;"]
    lines += ["mul.wide.u32 %at, %t, 8;", "add.u64 %out, %out, %at;"]
    if shared:
        lines += ["mov.u32 %t, cells;", "add.u32 %s, %s, %t;"]
    else:
        lines += ["cvt.s64.s32 %at, %s;", "add.u64 %a, %a, %at;"]
    lines += ["bar.warp.sync 0xffffffff;", "mov.u64 %from, %clock64;", "AGAIN:"]
    for _ in range(UNROLL):
        lines += [f"@%on {text.format(p=place)}"]
        lines += ["xor.b32 %sum32, %sum32, %d32;"] if "%d32" in text else []
        lines += ["xor.b64 %sum64, %sum64, %d64;"] if "%d64" in text else []
    lines += ["sub.u32 %n, %n, 1;", "setp.ne.u32 %more, %n, 0;", "@%more bra AGAIN;", "membar.gl;"]
    lines += ["mov.u64 %to, %clock64;", "sub.u64 %to, %to, %from;", "cvt.u64.u32 %at, %sum32;"]
    # The results are needed, so that no instruction is dropped: the clock stands above bit 32 of what is stored.
    lines += ["shl.b64 %to, %to, 32;", "xor.b64 %at, %at, %sum64;", "and.b64 %at, %at, 1;", "or.b64 %to, %to, %at;"]
    lines += ["st.global.u64 [%out], %to;", "ret;"]
    head = ".param .u64 base, .param .u64 table, .param .u64 out, .param .u32 rounds"
    return f".visible .entry {name}({head})\n{{\n" + "\n".join(f"    {line}" for line in lines) + "\n}\n"


def write_ptx():
    print(".version 8.1\n.target sm_90\n.address_size 64\n")
    for name, (text, _, shared) in INSTRUCTIONS.items():
        print(kernel(name, text, shared))


# Recording


class Driver:
    """The part of the driver's interface that is needed."""

    def __init__(self, cubin):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        device, context, self.module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)
        self.check("cuModuleLoad", ctypes.byref(self.module), cubin.encode())
        name, version = ctypes.create_string_buffer(100), ctypes.c_int()
        self.check("cuDeviceGetName", name, 100, device)
        self.check("cuDriverGetVersion", ctypes.byref(version))
        self.described = f"{name.value.decode()}, CUDA driver {version.value // 1000}.{version.value % 1000 // 10}"

    def check(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        if code != 0:
            raise SystemExit(f"{function}: error {code}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        self.check("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return pointer

    def launch(self, name, arguments):
        function = ctypes.c_void_p()
        self.check("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(one) for one in arguments))
        self.check("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, pointers, None)
        self.check("cuCtxSynchronize")


def launch(cubin, first, last):
    """Launches a range of the patterns. Returns the cycles of each, for the slowest lane."""
    driver = Driver(cubin)
    base, table, out = driver.allocate(2 * WINDOW), driver.allocate(128), driver.allocate(256)
    cycles = []
    for name, _, offsets in list(all_patterns())[first:last]:
        words = (ctypes.c_int32 * 32)(*(-1 if one is None else one for one in offsets))
        driver.check("cuMemcpyHtoD_v2", table, words, ctypes.c_size_t(128))
        driver.launch(name, [base, table, out, ctypes.c_uint32(ROUNDS)])
        found = (ctypes.c_uint64 * 32)()
        driver.check("cuMemcpyDtoH_v2", found, out, ctypes.c_size_t(256))
        cycles.append(max(one >> 32 for one in found))
    return driver.described, cycles


def counters(cubin, count):
    """The counters of each launch, in order: some at a time, so that what was counted is kept if the time is up."""
    metrics = [one for all in COUNTERS.values() for one in all]
    command = ["ncu", "--csv", "--page", "raw", "--cache-control", "none", "--clock-control", "none", "--print-units", "base"]
    command += ["--metrics", ",".join(metrics), sys.executable, __file__, "launch", cubin]
    rows, end = [], time.monotonic() + SECONDS
    while len(rows) < count and time.monotonic() < end:
        some = [str(len(rows)), str(min(count, len(rows) + 80))]
        done = subprocess.run(command + some, capture_output=True, text=True, timeout=SECONDS)
        table = done.stdout[done.stdout.index('"ID"'):] if '"ID"' in done.stdout else ""
        found = list(csv.DictReader(io.StringIO(table)))[1:]
        print(len(rows), len(found), f"{end - time.monotonic():.0f} s left", file=sys.stderr)
        if not found:
            print(f"ncu: {done.stdout[-2000:]}{done.stderr[-2000:]}", file=sys.stderr)
            break
        rows += found
    return rows


def record(cubin, folder):
    os.makedirs(folder, exist_ok=True)
    count = len(list(all_patterns()))
    launch(cubin, 0, count)
    described, cycles = launch(cubin, 0, count)
    with open(os.path.join(folder, "device.txt"), "w") as file:
        file.write(f"{described}, {count} patterns, {EXECUTIONS} executions of each\n")
    rows = counters(cubin, count) if shutil.which("ncu") else []
    with gzip.GzipFile(os.path.join(folder, "patterns.tsv.gz"), "wb", mtime=0) as file:
        file.write("\t".join(["instruction", "pattern", "offsets", "cycles", *COUNTERS]).encode() + b"\n")
        for number, ((name, pattern, offsets), cycle) in enumerate(zip(all_patterns(), cycles)):
            shown = ",".join("-" if one is None else str(one) for one in offsets)
            row = rows[number] if number < len(rows) else None
            counted = [value(row, all) for all in COUNTERS.values()] if row else [""] * len(COUNTERS)
            file.write("\t".join([name, pattern, shown, f"{cycle / EXECUTIONS:.1f}", *counted]).encode() + b"\n")


def value(row, metrics):
    """The counter of one execution, whichever of them has it."""
    return f"{sum(float(row[one].replace(',', '') or 0) for one in metrics) / EXECUTIONS:g}"


if __name__ == "__main__":
    if sys.argv[1:] == ["ptx"]:
        write_ptx()
    elif sys.argv[1:2] == ["run"] and len(sys.argv) == 4:
        record(*sys.argv[2:])
    elif sys.argv[1:2] == ["launch"] and len(sys.argv) == 5:
        launch(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        raise SystemExit(__doc__)
