"""Asks ptxas about `.version` and `.target`: every version number against every target, unknown ones of both, and options.

Writes pairs.txt.gz, lines `verdict|version|items of .target`, the verdict being ok, version, target, pair or option. Every module holds
an instruction: without one the assembler does not compare the two. usage: pairs.py [JOBS]
"""

import gzip
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import oracle
import versions

NUMBERS = [f"{major}.{minor}" for major in range(1, 11) for minor in range(12)]
MORE = ["0.9", "8", "8.", ".8", "8.x", "9.50", "95.0", "08.1", "8.01"]
# Near misses, and numbers that no GPU has.
TARGETS = [*versions.TARGETS, "sm_9", "sm_14", "sm_22", "sm_40", "sm_65", "sm_80a", "sm_89a", "sm_90f", "sm_99", "sm_102", "sm_121b",
           "sm_130", "sm_900", "sm_90af", "SM_90", "sm90", "compute_90", "sm_090"]
OPTIONS = ["texmode_unified", "texmode_independent", "map_f64_to_f32", "debug", "foo", "texmode_unified, texmode_independent",
           "texmode_independent, texmode_unified", "debug, texmode_unified", "map_f64_to_f32, texmode_independent"]


def questions():
    """All (version, items)."""
    for version in NUMBERS:
        for target in versions.TARGETS:
            yield version, target
    for version in MORE:
        yield version, "sm_90"
    for target in TARGETS:
        yield "9.5", target
        yield "8.8", target
    for version in ("1.0", "1.4", "1.5", "2.3", "3.0", "9.5"):
        for target in ("sm_10", "sm_11", "sm_12", "sm_13", "sm_20", "sm_90"):
            for option in OPTIONS:
                yield version, f"{target}, {option}"


def ask(question):
    """What the assembler says of one module."""
    version, items = question
    text = f".version {version}\n.target {items}\n.entry k() {{\n.reg .u32 r;\nmov.u32 r, 1;\nret;\n}}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write(text)
    base = items.split(",")[0]
    arch = "compute_" + base[3:] if base in versions.TARGETS and base[-1] in "af" else "compute_121"
    tool = oracle.PTXAS_12 if base in ("sm_101a", "sm_101f") else oracle.PTXAS
    said = subprocess.run([tool, "-arch=" + arch, "-o", os.devnull, file.name], capture_output=True, text=True).stderr
    os.unlink(file.name)
    # `.target debug` wants debug information in the module, which is no matter of the header.
    said = said.replace("ptxas error   : Debug information not found in presence of .target debug", "")
    verdict = "ok"
    for name, pattern in [
        ("option", r"requires PTX ISA \.version|not supported with SM|Conflicting \.target"),
        ("pair", r"does not support \.target"),
        ("target", r"Unsupported \.target|Target architecture not defined|near '\w+': syntax"),
        ("version", r"Unsupported \.version|Missing \.version|Missing \.target"),
    ]:
        if re.search(pattern, said):
            verdict = name
    if verdict == "ok" and " error " in said:
        raise SystemExit(f"not understood: {question} {said}")
    if base in ("sm_101a", "sm_101f") and "fatal" in said and verdict == "version":
        return None  # newer than 12.9, which alone takes these targets
    return f"{verdict}|{version}|{items}"


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    with ThreadPoolExecutor(jobs) as pool:
        lines = [line for line in pool.map(ask, questions()) if line]
    with gzip.GzipFile(os.path.join(oracle.HERE, "pairs.txt.gz"), "wb", 9, mtime=0) as out:
        out.write(("\n".join(lines) + "\n").encode())
    print(f"{len(lines)} modules, {sum(line.startswith('ok') for line in lines)} accepted")


if __name__ == "__main__":
    main()
