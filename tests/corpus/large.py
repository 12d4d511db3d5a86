#!/usr/bin/env python3
"""Make the three large modules of the parse benchmark, and run it beside the assembler.

    large.py          1 MB, 4 MB and 25 MB of PTX in tests/.tools/large (two minutes), then the table of ratios
    large.py --make   the modules alone

nvcc compiles CUB's device-wide algorithms: for two types as they are, for three with line information, for six with
debug information. What is there already is not made again.
"""
import os, pathlib, subprocess, sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
TOOLS = TESTS / ".tools"
FOLDER = TOOLS / "large"
SOURCE = """#include <cub/cub.cuh>
#include <cstdint>
template <class T> void all(T *in, T *out, int n)
{
    void *space = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(space, bytes, in, out, n);
    cub::DeviceScan::InclusiveSum(space, bytes, in, out, n);
    cub::DeviceRadixSort::SortKeys(space, bytes, in, out, n);
    cub::DeviceSelect::Unique(space, bytes, in, out, (int *)out, n);
    cub::DeviceHistogram::HistogramEven(space, bytes, (float *)in, (int *)out, 10, 0.f, 1.f, n);
}
"""
TYPES = ["int", "double", "float", "uint64_t", "int16_t", "uint8_t"]
MODULES = {"1": (2, []), "4": (3, ["-lineinfo"]), "25": (6, ["-G"])}


def make(name):
    path = FOLDER / f"{name}.ptx"
    if path.exists():
        return path
    count, options = MODULES[name]
    source = FOLDER / f"{name}.cu"
    calls = "".join(f" all(({kind} *)0, ({kind} *)0, 1);" for kind in TYPES[:count])
    source.write_text(SOURCE + "void use() {" + calls + " }\n")
    # nvcc's own folder has the headers of CUB beside it.
    home = pathlib.Path(os.path.realpath(TOOLS / "bin/ptxas")).parents[1]
    headers = [f"-I{home / folder}" for folder in ("include", "cccl", "include/cccl")]
    nvcc = [TOOLS / "bin/nvcc", "-ptx", "-arch=compute_90", *headers, *options, source, "-o", path]
    out = subprocess.run(nvcc, capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"nvcc cannot make {path.name}: {out.stderr}")
    return path


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = [make(name) for name in MODULES]
    if sys.argv[1:] == ["--make"]:
        return
    cargo = ["cargo", "run", "--quiet", "--release", "--package", "tree-sitter-ptx", "--example", "speed", "--"]
    environment = os.environ | {"PTX_ATOMICS_PTXAS": str(TOOLS / "bin/ptxas")}
    subprocess.run([*cargo, *paths], check=True, cwd=TESTS.parent, env=environment)


main()
