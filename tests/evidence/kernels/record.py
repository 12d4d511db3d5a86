#!/usr/bin/env python3
"""What is in memory after the kernels of this folder, on a GPU.

    record.py ptx                writes the PTX modules; needs nvcc, nvrtc and clang (tests/install) and Triton
    record.py cubin FOLDER       writes FOLDER/*.cubin; needs ptxas
    record.py run FOLDER OUT     on a machine with a GPU, CuPy and NumPy; writes OUT/recorded.jsonl and prints where it differs from NumPy
    record.py unordered FOLDER OUT   there, too; writes OUT/unordered.jsonl

The recording has a launch per line: the module, the options of `ptx-atomics run`, and the contents of each buffer afterwards. A buffer whose
contents depend on the schedule is null: tests/command_line/run/unordered_buffers.rs says which are allowed. unordered.jsonl has what a GPU left there in
20,000 launches: all buffers of the first 60 different results of a kernel, and the number of launches with each. An H100 recorded it from the PTX
itself, as version 8.8 and with plain accesses for the volatile ones of local memory, which its driver does not know.
"""
import json
import os
import subprocess
import sys

import numpy as np

import algorithms
import freestanding
import groups
import kernels
import triton_launches
from launch import plain

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = [kernels.MODULE, algorithms.MODULE, freestanding.MODULE, groups.MODULE, triton_launches.MODULE]
LAUNCHES = [launch for module in MODULES for launch in module.list]
TOOLS = os.path.join(HERE, "../../.tools/bin")


def path(module, ending):
    return os.path.join(HERE, f"{module}.{ending}")


def nvrtc(module):
    sys.path.insert(0, os.path.join(HERE, "../../corpus"))
    import nvrtc as library

    with open(path(module, "cu")) as source:
        text = library.compiler("12.9").ptx(source.read(), ["-arch=compute_90", "-fmad=false"], headers=False)
    with open(path(module, "ptx"), "w") as out:
        out.write(text)


def clang(module):
    options = ["-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "-S", "--cuda-gpu-arch=sm_90", "-O2", "-ffp-contract=off"]
    command = ["clang-22", *options, "-Xclang", "-target-feature", "-Xclang", "+ptx80", path(module, "cu"), "-o", path(module, "ptx")]
    subprocess.run(command, check=True)


def nvcc(module):
    # NumPy has no fused multiply-add; of `kernels` only a GPU was asked.
    contraction = [] if module == "kernels" else ["-fmad=false"]
    options = ["-arch=sm_90", "-std=c++17", "-w", "-ptx", *contraction]
    subprocess.run([os.path.join(TOOLS, "nvcc"), *options, path(module, "cu"), "-o", path(module, "ptx")], check=True)


def triton(module):
    import triton_kernels

    text, shared = triton_kernels.compiled()
    with open(path(module, "ptx"), "w") as out:
        out.write(text)
    with open(path(module, "json"), "w") as out:
        json.dump(shared, out, indent=1)
        out.write("\n")


COMPILERS = {"algorithms": nvrtc, "freestanding": clang, "groups": nvcc, "kernels": nvcc, "triton_kernels": triton}


def shape(text):
    return tuple(map(int, (text + ",1,1").split(",")[:3]))


def line(launch, memory):
    return json.dumps({"module": launch.module, "options": launch.options(), "relative": launch.relative, "races": launch.races, "memory": [plain(one) for one in memory]})


def run(launch, folder):
    """The buffers after a launch on the GPU."""
    import cupy

    # A module of its own, so that its variables have their first values.
    module = cupy.RawModule(path=os.path.join(folder, launch.module + ".cubin"))
    given = [cupy.asarray(one) if isinstance(one, np.ndarray) else one if isinstance(one, np.generic) else np.uint32(one) for one in launch.arguments]
    module.get_function(launch.kernel)(shape(launch.grid), shape(launch.block), tuple(given), shared_mem=launch.shared)
    cupy.cuda.Device().synchronize()
    return [cupy.asnumpy(given[number]) for number in launch.buffers()]


def unordered(folder, out, launches=20000, most=60):
    with open(os.path.join(out, "unordered.jsonl"), "w") as file:
        for launch in LAUNCHES:
            if all(one is not None for one in launch.expected()):
                continue
            seen = {}
            for _ in range(launches):
                memory = json.dumps([plain(one) for one in run(launch, folder)])
                if memory in seen or len(seen) < most:
                    seen[memory] = seen.get(memory, 0) + 1
            for memory, count in seen.items():
                print(json.dumps({"kernel": launch.kernel, "runs": count, "memory": json.loads(memory)}), file=file)


def record(folder, out):
    lines = []
    for launch in LAUNCHES:
        found, expected = run(launch, folder), launch.expected()
        for number, (one, other) in enumerate(zip(found, expected)):
            if launch.reference and other is not None and not np.array_equal(one.ravel(), other.ravel(), equal_nan=one.dtype.kind == "f"):
                print(f"{launch.module} {launch.kernel} buffer {number}: {one.ravel()[:8]} on the GPU, {other.ravel()[:8]} by NumPy")
        lines.append(line(launch, [None if other is None else one for one, other in zip(found, expected)]))
    with open(os.path.join(out, "recorded.jsonl"), "w") as file:
        file.write("\n".join(lines) + "\n")


def main(arguments):
    match arguments:
        case ["ptx", *chosen]:
            for module, compiler in COMPILERS.items():
                if not chosen or module in chosen:
                    compiler(module)
        case ["cubin", folder]:
            for module in MODULES:
                cubin = os.path.join(folder, module.module + ".cubin")
                subprocess.run([os.path.join(TOOLS, "ptxas"), "-arch=sm_90a", path(module.module, "ptx"), "-o", cubin], check=True)
        case ["run", folder, out]:
            record(folder, out)
        case ["unordered", folder, out]:
            unordered(folder, out)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
