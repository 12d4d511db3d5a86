"""Asks ptxas since when it takes the samples of instructions.txt; prints `opcode version target…` for each, as server/isa/tables/unchecked.rows says them.

The least demanding sample of an opcode counts. Ten minutes on two cores. usage: instructions.py [JOBS]
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../legality"))
import oracle  # noqa: E402
import versions  # noqa: E402

TARGETS = [target for target in versions.TARGETS if target not in ("sm_101a", "sm_101f")]


def samples():
    """Every (opcode, sample)."""
    for line in open(os.path.join(HERE, "instructions.txt")):
        if not line.startswith("#"):
            opcode, *lines = line.strip().split(" | ")
            yield from ((opcode, sample) for sample in lines)


def good(version, target, sample):
    """Whether a module with the sample is taken."""
    lines = oracle.header(version, target)
    text = lines + [sample + ";", "ret;", "}"]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write("\n".join(text) + "\n")
    command = [oracle.PTXAS, "-arch=" + oracle.arch(target), "-o", os.devnull, file.name]
    taken = subprocess.run(command, capture_output=True).returncode == 0
    os.unlink(file.name)
    return taken


def first(question):
    """The opcode, the first version and the targets of a sample; no target where the newest version takes it no more."""
    opcode, sample = question
    targets = [target for target in TARGETS if good("9.5", target, sample)] or ["sm_10"]
    oldest = min(targets, key=lambda target: versions.VERSIONS.index(versions.TARGETS[target]))
    since = versions.VERSIONS[versions.VERSIONS.index(versions.TARGETS[oldest]) :]
    return opcode, next(version for version in since if good(version, oldest, sample)), targets


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    best = {}
    with ThreadPoolExecutor(jobs) as pool:
        for opcode, version, targets in pool.map(first, samples()):
            key = (versions.VERSIONS.index(version), -len(targets))
            best[opcode] = min(best.get(opcode, (key, version, targets)), (key, version, targets))
    for opcode, (_, version, targets) in sorted(best.items()):
        print(opcode, version, *targets)


if __name__ == "__main__":
    main()
