#!/usr/bin/env python3
"""Kernels with asynchronous copies, flags and mbarriers that `check` proves, run again and again on an H100: what memory holds afterwards.

    on_gpu.py cubin FOLDER          writes FOLDER/on_gpu.cubin; needs ptxas
    on_gpu.py run FOLDER OUT        on a machine with a GPU: writes OUT/on_gpu.md

The kernels are those of threads.ptx whose comment has a launch with `--expect`, and no earlier kernel. Each run has memory of its own.
"""
import collections
import ctypes
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tensors"))
from driver import Driver

RUNS = 20_000
PTXAS = HERE.parents[1] / ".tools/bin/ptxas"
HEAD = f"""\
# Proved kernels on an H100

Written by `on_gpu.py`: the kernels of `threads.ptx` that `check` proves, each run {RUNS} times. Among them are bulk copies after ordinary stores and a proxy fence, copies that complete on
mbarriers, mbarriers of other CTAs, and release and acquire patterns. Outcomes are the different contents of the buffer that `--expect` names; proved is the first one alone.

| kernel | runs | expected | other outcomes |
|---|---|---|---|
"""


def launches(text):
    for name, options in re.findall(r"^// check (\w+): (.*)$", text, re.M):
        if "--expect" in options and "--earlier" not in options:
            words = options.split()
            yield name, list(zip(words[::2], words[1::2]))


def module(text):
    """The module with the sizes of clusters, which the driver has to know."""
    for name, options in launches(text):
        cluster = dict(options).get("--cluster")
        if cluster:
            text = re.sub(rf"(\.entry {name}\([^)]*\))", rf"\1 .reqnctapercluster {cluster}", text)
    return text


def buffer(spec):
    """The words of an argument; `None` for a value."""
    found = re.fullmatch(r"u(32|64)\[(\d+)\](?:=(.*))?", spec)
    if not found:
        return None
    width = int(found[1]) // 32
    values = [int(one) for one in (found[3] or "").split(",") if one]
    words = [word for value in values for word in [value, 0][:width]]
    return words + [0] * (int(found[2]) * width - len(words))


def run(driver, name, options):
    given = [value.split("=", 1) for option, value in options if option == "--arg"]
    sizes = dict(options)
    names, addresses = {}, []
    for number, (argument, spec) in enumerate(given):
        words = buffer(spec)
        if words is None:
            addresses.append(ctypes.c_uint32(int(spec.split("=")[1])))
        else:
            # Far enough apart for bulk copies, and for lines of the caches.
            slot = words + [0] * (-len(words) % 64)
            names[argument] = (driver.upload(slot * RUNS), len(slot))
            addresses.append((names[argument][0], 4 * len(slot)))
    for at in range(RUNS):
        arguments = [ctypes.c_uint64(one[0] + at * one[1]) if isinstance(one, tuple) else one for one in addresses]
        driver.begin(name, int(sizes.get("--grid", 1)), int(sizes.get("--block", 1)), arguments)
    driver.call("cuCtxSynchronize")
    checked, values = sizes["--expect"].split("=")
    expected = tuple(map(int, values.split(",")))
    address, slot = names[checked]
    words = driver.download(address, slot * RUNS)
    outcomes = collections.Counter(tuple(words[at * slot:at * slot + len(expected)]) for at in range(RUNS))
    for address, _ in names.values():
        driver.free(address)
    others = ", ".join(f"{count} × {list(one)}" for one, count in outcomes.items() if one != expected)
    return f"| {name} | {RUNS} | {outcomes[expected]} × {list(expected)} | {others or 'none'} |\n"


def main(arguments):
    text = (HERE / "threads.ptx").read_text()
    match arguments:
        case ["cubin", folder]:
            (Path(folder) / "on_gpu.ptx").write_text(module(text))
            subprocess.run([PTXAS, "-arch=sm_90a", Path(folder) / "on_gpu.ptx", "-o", Path(folder) / "on_gpu.cubin"], check=True)
        case ["run", folder, out]:
            driver = Driver((Path(folder) / "on_gpu.cubin").read_bytes())
            rows = [run(driver, name, options) for name, options in launches(text)]
            (Path(out) / "on_gpu.md").write_text(HEAD + "".join(rows))
            print("".join(rows))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
