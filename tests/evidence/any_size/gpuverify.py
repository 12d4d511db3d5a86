#!/usr/bin/env python3
"""GPUVerify's verdicts about the CUDA kernels of its test suite beside those of `check --any-size`.

    tests/.tools/venv/bin/python3 tests/evidence/any_size/gpuverify.py SUITE PROGRAM

SUITE is the folder testsuite/CUDA of github.com/mc-imperial/gpuverify, PROGRAM the binary. Sizes are those of the first lines of each test, as
GPUVerify takes them. Its contracts and assertions are left out, so a test that fails because of them alone has no race.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "corpus"))
import nvrtc  # noqa: E402

STUBS = """
#define __requires(...)
#define __ensures(...)
#define __invariant(...)
#define __global_invariant(...)
#define __function_wide_invariant(...)
#define __candidate_invariant(...)
#define __assert(...)
#define __global_assert(...)
#define __assume(...)
#define __global_assume(...)
#define __read_implies(...)
#define __write_implies(...)
#define __axiom(...)
#define assert(...)
"""


def sizes(option, line):
    found = re.search(option + r"=\[?([\d,x]+)", line)
    return [int(size) for size in re.split("[,x]", found[1].strip(",x"))] if found else None


def conditions(line):
    for register, option in [("ntid", "--(?:blockDim|local_size)"), ("nctaid", "--(?:gridDim|num_groups)")]:
        given = sizes(option, line)
        for axis, size in zip("xyz", (given or []) + [1, 1, 1]):
            if given:
                yield f"%{register}.{axis} = {size}"


def verdict(compiler, test, program):
    text = test.read_text(errors="replace")
    head = text.splitlines()[:3]
    source = STUBS + re.sub(r'#include\s*["<](cuda|cuda_runtime|assert|stdio|call_kernel)\.h[">]', "", text)
    # Kernels are found by their names, and some tests have several versions of the host's code.
    try:
        ptx = compiler.ptx(source, ["--gpu-architecture=compute_80", "-default-device", "-w"], headers=False)
    except nvrtc.Refused:
        return head[0], "not compiled", ""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as module:
        module.write(ptx)
        module.flush()
        given = [word for condition in conditions(head[1]) for word in ("--assume", condition)]
        command = [program, "check", module.name, "--any-size", "--format", "json", *given]
        output = subprocess.run(command, capture_output=True, text=True)
    proofs = [json.loads(line) for line in output.stdout.splitlines()]
    if not proofs:
        return head[0], "not read", output.stderr.strip()[-60:]
    reasons = sorted({one["kind"] for proof in proofs for one in proof["unknown"]})
    unknown = any(proof["verdict"] != "proved" for proof in proofs)
    return head[0], "unknown" if unknown else "proved", ", ".join(reasons)


def main():
    suite, program = Path(sys.argv[1]), sys.argv[2]
    compiler = nvrtc.compiler("13.5")
    rows = []
    for test in sorted(suite.rglob("*.cu")):
        expected, ours, reasons = verdict(compiler, test, program)
        rows.append("\t".join([str(test.relative_to(suite)), expected.removeprefix("//"), ours, reasons]))
        print(rows[-1], flush=True)
    (HERE / "gpuverify.tsv").write_text("test\tGPUVerify\tany-size\treasons\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
