"""Compares launches of compiled libraries in the emulator with NumPy and with what a GPU has left, and records the latter."""
import ctypes
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

from launch import plain

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("PTX_ATOMICS") or HERE.parents[2] / "target/release/ptx-atomics"
SEEDS = 3


def is_close(found, wanted, relative):
    """Whether buffers are equal, or their floats so far apart relative to the larger one and to 1."""
    if relative == 0:
        return found == wanted
    return all(np.allclose(np.array(one, float), np.array(other, float), relative, relative) for one, other in zip(found, wanted))


def mistake(module, launch, seed, recorded):
    """What is wrong with a run of a kernel; None if nothing is."""
    command = [PROGRAM, "run", module, *launch.options(), "--seed", str(seed), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stdout[-1000:] + done.stderr[-1000:]
    memory = json.loads(done.stdout)["memory"]
    found = [memory[name] for name in sorted(memory, key=int) if name in map(str, launch.buffers())]
    for wanted in ([plain(contents) for contents in launch.expected()], recorded):
        if not is_close(found, wanted, launch.relative):
            return f"found {found}, expected {wanted}"
    return None


def compare(launches, module_of, recorded, what):
    """Runs every launch, prints how many are right and ends the program."""
    lines = [json.loads(line) for line in recorded.read_text().splitlines()]
    assert [one["kernel"] for one in lines] == [launch.kernel for launch in launches], f"{recorded.name} is of other kernels"
    wrong = 0
    for launch, line in zip(launches, lines):
        found = next(filter(None, (mistake(module_of(launch), launch, seed, line["memory"]) for seed in range(SEEDS))), None)
        if found:
            wrong += 1
            print(f"{launch.kernel}: {found}", file=sys.stderr)
    print(f"{len(launches) - wrong} of {len(launches)} {what} leave in memory what NumPy computes and what an H100 has left, under {SEEDS} seeds")
    sys.exit(wrong > 0)


def argument(value):
    if isinstance(value, np.floating):
        return ctypes.c_float(value)
    return ctypes.c_uint64(value) if isinstance(value, np.uint64) else ctypes.c_uint32(value)


def record(launches, image_of, out):
    """Launches every kernel on a GPU, and writes a kernel a line."""
    sys.path.insert(0, str(HERE.parent / "tensors"))
    from driver import Driver

    with open(out, "w") as file:
        for launch in launches:
            # A module of its own, so that its variables have their first values.
            driver = Driver(image_of(launch).read_bytes())
            data = {number: launch.arguments[number].tobytes() for number in launch.buffers()}
            # Whole words, which is what the driver copies.
            given = {number: driver.upload(np.frombuffer(one + bytes(-len(one) % 4), np.uint32).tolist()) for number, one in data.items()}
            arguments = [ctypes.c_uint64(given[number]) if number in given else argument(one) for number, one in enumerate(launch.arguments)]
            driver.launch(launch.kernel, int(launch.grid), int(launch.block), arguments, launch.shared)
            memory = []
            for number, one in data.items():
                words = np.array(driver.download(given[number], -(-len(one) // 4)), np.uint32)
                memory.append(plain(np.frombuffer(words.tobytes()[:len(one)], launch.arguments[number].dtype)))
            print(json.dumps({"kernel": launch.kernel, "memory": memory}), file=file)
