#!/usr/bin/env python3
"""Kernels with tensor copies and `wgmma` that `check` proves, run again and again on an H100; and what `check` says without one of their lines.

    tensor_pipelines.py cubin FOLDER      writes FOLDER/tensor_pipelines.cubin; needs ptxas
    tensor_pipelines.py run FOLDER OUT    on a machine with a GPU: writes OUT/tensor_pipelines.txt
    tensor_pipelines.py check             writes tensor_pipelines.md, with tensor_pipelines.txt beside it; needs `check`

Each run has memory of its own.
"""
import collections
import ctypes
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "tensors"))
BINARY = os.environ.get("PTX_ATOMICS", str(ROOT / "target/release/ptx-atomics"))
RUNS = 20_000
SLOT = 1024
SOURCE = HERE / "tensor_pipelines.ptx"
# Lines without which a kernel is wrong: the kernel, and the line.
REMOVED = {
    "stages": ["\tmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r8], %r14;\n\t@!%p3 bra FULL;\n", "\tmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r9], %r14;\n\t@!%p3 bra EMPTY;\n",
               "\tmbarrier.arrive.shared::cta.b64 _, [%r9];\n", "\tbar.sync 0;\n", "\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 16;\n"],
    "written": ["\tfence.proxy.async.shared::cta;\n", "\tbar.sync 0;\n\t@%p1 bra NEXT;\n", "\tcp.async.bulk.wait_group.read 0;\n", "NEXT:\n\tbar.sync 0;\n"],
    "added": ["\tfence.proxy.async.shared::cta;\n", "\tbar.sync 0;\n"],
    "multiplied": ["\tfence.proxy.async.shared::cta;\n", "\tbar.sync 0;\n\twgmma.fence", "\twgmma.wait_group.sync.aligned 0;\n", "\tbar.sync 0;\n\tadd.u32"],
}

HEAD = """\
# Tensor copies and `wgmma`

Written by `tensor_pipelines.py check`: the kernels of `tensor_pipelines.ptx` in `ptx-atomics check`, the same without single lines, and what an H100 left in memory after 20,000 runs of each.

| kernel | `check` | on an H100 | |
|---|---|---|---|
"""


def launches(text):
    for name, options in re.findall(r"^// check (\w+): (.*)$", text, re.M):
        words = options.split()
        yield name, list(zip(words[::2], words[1::2]))


def expected(name):
    """The words of the result of a kernel."""
    single = struct.unpack("<I", struct.pack("<f", 320))[0]
    return {"stages": [112, 120, 128, 136], "written": [row << 8 | column for row in range(4) for column in range(32)],
            "added": [2 * column for column in range(32)], "multiplied": [single] * 512}[name]


def run(driver, name, options):
    from cases import Tensor
    sizes, given = dict(options), [value.split("=", 1) for option, value in options if option == "--arg"]
    buffers, arguments = {}, []
    for argument, spec in given:
        tensor = re.match(r"tensor\(u32\[([\dx]+)\],box=([\dx]+)\)(=iota)?", spec)
        words = list(range(SLOT)) if spec.endswith("=iota") else [0] * SLOT
        buffers[argument] = driver.upload(words * RUNS)
        numbers = [list(map(int, group.split("x"))) for group in tensor.groups()[:2]] if tensor else None
        arguments.append((buffers[argument], Tensor("u32", *numbers) if tensor else None))
    for at in range(RUNS):
        passed = []
        for address, tensor in arguments:
            address += 4 * SLOT * at
            passed.append((ctypes.c_uint8 * 128).from_buffer_copy(driver.tensor_map(tensor, address)) if tensor else ctypes.c_uint64(address))
        driver.begin(name, int(sizes.get("--grid", 1)), int(sizes["--block"]), passed)
    driver.call("cuCtxSynchronize")
    wanted = tuple(expected(name))
    words = driver.download(buffers["out"], SLOT * RUNS)
    outcomes = collections.Counter(tuple(words[at * SLOT:at * SLOT + len(wanted)]) for at in range(RUNS))
    for address in buffers.values():
        driver.free(address)
    return f"{name} {outcomes.pop(wanted, 0)} {sum(outcomes.values())}\n"


def verdict(text, name, options):
    words = [word for option in options for word in option]
    given = subprocess.run([BINARY, "check", "-", "--kernel", name, *words], input=text, capture_output=True, text=True)
    first = re.search(r"error\[([\w-]+)\]", given.stdout)
    answer = (given.stdout + given.stderr).strip().splitlines()[-1].split(":")[0]
    return "proved" if given.stdout.startswith("proved") else f"refuted: {first[1]}" if first else answer


def without(text, name, line):
    start = text.index(f".entry {name}(")
    kept = line.rsplit("\n", 1)[1] if not line.endswith("\n") else ""
    first = line.split("\n")[0]
    # A label stays, and so does what follows the line and says which one it is.
    if first.endswith(":"):
        kept = first + "\n"
    if "bra NEXT" in line:
        kept = line.split("\n", 1)[1]
    at = text.index(line, start)
    return text[:at] + kept + text[at + len(line):]


def check(text):
    seen = dict((line.split()[0], line.split()[1:]) for line in (HERE / "tensor_pipelines.txt").read_text().splitlines())
    rows = []
    for name, options in launches(text):
        right, other = seen[name]
        rows.append(f"| `{name}` | {verdict(text, name, options)} | {right} as proved, {other} others | |\n")
        for line in REMOVED[name]:
            shown = line.split("\n")[1 if line.startswith("NEXT") else 0].strip()
            rows.append(f"| | {verdict(without(text, name, line), name, options)} | | without `{shown}` |\n")
    (HERE / "tensor_pipelines.md").write_text(HEAD + "".join(rows))
    print("".join(rows))


def main(arguments):
    text = SOURCE.read_text()
    match arguments:
        case ["cubin", folder]:
            subprocess.run([HERE.parents[1] / ".tools/bin/ptxas", "-arch=sm_90a", SOURCE, "-o", Path(folder) / "tensor_pipelines.cubin"], check=True)
        case ["run", folder, out]:
            from driver import Driver
            driver = Driver((Path(folder) / "tensor_pipelines.cubin").read_bytes())
            rows = [run(driver, name, options) for name, options in launches(text)]
            (Path(out) / "tensor_pipelines.txt").write_text("".join(rows))
            print("".join(rows))
        case ["check"]:
            check(text)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
