#!/usr/bin/env python3
"""Records what an H100 leaves in memory after the kernels of kernels.cu.

    record.py ptx FOLDER         writes kernels.ptx beside this script, and FOLDER/kernels.cubin; needs nvcc and ptxas
    record.py run FOLDER OUT     on a machine with a GPU, CuPy and NumPy; writes OUT/results.json

results.json has a launch per line: the options of `ptx-atomics run`, and the words of each buffer afterwards. Words that depend on the
schedule are null.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def words(count, seed):
    """Words that a seed determines."""
    value, found = seed, []
    for _ in range(count):
        value = (value * 1664525 + 1013904223) & 0xFFFFFFFF
        found.append(value >> 8)
    return found


def singles(count):
    """Floating-point numbers from small to large, as words."""
    import struct

    return [struct.unpack("<I", struct.pack("<f", (-1) ** k * 1.7 ** (k - count // 2)))[0] for k in range(count)]


def zeros(count):
    return [0] * count


# Kernel, grid, block, cluster, buffers and values, and the buffers whose words depend on the schedule.
LAUNCHES = [
    ("last_block", "4", "64", "1", [words(1000, 1), zeros(4), zeros(1), 1000], []),
    ("last_block", "7", "96", "1", [words(333, 2), zeros(7), zeros(1), 333], []),
    ("scan", "1", "256", "1", [words(256, 3), zeros(256)], []),
    ("look_back", "9", "64", "1", [words(576, 4), zeros(576), zeros(18), zeros(1)], []),
    ("hash_table", "5", "50", "1", [words(240, 5), zeros(64), zeros(32), zeros(8), 240], [1]),
    ("product", "2,2", "8,8", "1", [singles(256), singles(256)[::-1], zeros(256)], []),
    ("divergence", "1", "32", "1", [zeros(32)], []),
    ("numbers", "1", "64", "1", [singles(64), zeros(512)], []),
    ("calls", "1", "40", "1", [zeros(40)], []),
    ("cluster", "8", "32", "4", [zeros(256)], []),
    ("pipeline", "3", "32", "1", [words(1280, 6), zeros(320), zeros(1), 10], []),
]


def options(launch):
    kernel, grid, block, cluster, arguments, _ = launch
    found = ["--kernel", kernel, "--grid", grid, "--block", block, "--cluster", cluster]
    for number, argument in enumerate(arguments):
        if isinstance(argument, int):
            found += ["--arg", f"{number}=u32={argument}"]
        elif any(argument):
            found += ["--arg", f"{number}=u32[{len(argument)}]={','.join(map(str, argument))}"]
        else:
            found += ["--arg", f"{number}=u32[{len(argument)}]"]
    return found


def compile_kernels(folder):
    ptx = os.path.join(HERE, "kernels.ptx")
    subprocess.run(["nvcc", "-arch=sm_90", "-std=c++17", "-ptx", os.path.join(HERE, "kernels.cu"), "-o", ptx], check=True)
    subprocess.run(["ptxas", "-arch=sm_90", ptx, "-o", os.path.join(folder, "kernels.cubin")], check=True)


def run(folder, out):
    import cupy

    lines = []
    for launch in LAUNCHES:
        kernel, grid, block, cluster, arguments, unordered = launch
        # A module of its own, so that its variables have their first values.
        module = cupy.RawModule(path=os.path.join(folder, "kernels.cubin"))
        shape = lambda text: tuple(map(int, (text + ",1,1").split(",")[:3]))
        given = [cupy.uint32(one) if isinstance(one, int) else cupy.array(one, dtype=cupy.uint32) for one in arguments]
        module.get_function(kernel)(shape(grid), shape(block), tuple(given))
        cupy.cuda.Device().synchronize()
        memory = [None if number in unordered else given[number].get().tolist() for number, one in enumerate(arguments) if not isinstance(one, int)]
        lines.append(json.dumps({"options": options(launch), "memory": memory}))
    with open(os.path.join(out, "results.json"), "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ptx", folder]:
            compile_kernels(folder)
        case ["run", folder, out]:
            run(folder, out)
        case _:
            sys.exit(__doc__)
