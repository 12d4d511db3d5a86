#!/usr/bin/env python3
"""Verdicts of `ptx-atomics check` on kernels of Indigo3, by the bug that their file names say is planted.

    indigo3.py SUITE [COUNT]   prints the table; COUNT kernels, drawn with a fixed seed, or all

SUITE is a checkout of burtscher/Indigo3Suite in which `generate_all_codes.py CUDA` has run with

    bug: {all}   pattern: {all}   option: {all, ~CudaAtomic}   dataType: {IntType}

in codeGen/configure.txt. nvcc is the one on PATH, or that of tests/.tools. The kernels are neither committed nor kept.
"""
import collections
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
os.environ["PATH"] += f":{ROOT / 'tests/.tools/bin'}"

# What a version is chosen for; the rest of its name is drawn at random.
CHOICES = re.compile(r"^(BFS|CC|MIS|MST|SSSP|TC)_CUDA_([EV])|_(Data|Topo|Pull|Push|Thread|Warp|Block)(?=_|$)")
BUG = re.compile(r"_((?!No)[A-Za-z]+Bug)(?=_|$)")

# A triangle: three vertices, six directed edges. Two vertices have something to do for the third one.
MAXIMUM = 2**31 - 1
BUFFERS = {
    "nindex": "u32[4]=0,2,4,6",
    "nlist": "u32[6]=1,2,0,2,0,1",
    "eweight": "u32[6]=1,2,1,3,2,3",
    "sp": "u32[6]=0,0,1,1,2,2",
    "dist": f"u32[3]={MAXIMUM},1,5",
    "dist_n": f"u32[3]={MAXIMUM},1,5",
    "label": "u32[3]=2,0,1",
    "label_n": "u32[3]=2,0,1",
    "priority": "u32[3]=1,3,2",
    "status": "u8[12]=0",
    "status_n": "u8[12]=0",
    "lost": "u8[12]=0",
    "wl1": "u32[2]=1,2",
    "wl2": "u32[6]=0",
    "wl2size": "u32[1]=0",
    "time": "u32[6]=0",
    "goagain": "u32[1]=0",
    "g_count": "u32[1]=0",
    "included": "u8[8]=0",
    "parent": "u32[3]=0,1,2",
    "minv": f"u32[3]={MAXIMUM}",
}
VALUES = {"nodes": 3, "edges": 6, "wl1size": 2, "iter": 1, "src": 0, "size": 3}


def arguments(signature):
    """The options for the parameters of a kernel, by their names."""
    words = []
    for at, parameter in enumerate(signature.split(",")):
        name = parameter.split()[-1].lstrip("*")
        if "ECLgraph" in parameter:
            parts = (f"{at}+0=u32=3", f"{at}+4=u32=6", *(f"{at}+{8 + 8 * i}={BUFFERS[n]}" for i, n in enumerate(("nindex", "nlist", "eweight"))))
            words += [word for part in parts for word in ("--arg", part)]
        else:
            value = f"u32={VALUES[name]}" if name in VALUES else BUFFERS[name]
            words += ["--arg", f"{at}={value}"]
    return words


def ctas(name, text, bug):
    """The CTAs of two threads that the host would launch for these sizes, and one more where a guard is left out."""
    over_edges = "_E_" in name or name.endswith("_E")
    work = 2 if "_Data_" in name else 6 if over_edges else 3
    count = work if "_Block_" in name or "_Warp_" in name else (work + 1) // 2
    return count + (bug == "ExcessThreadsBug")


def check(path, bug, folder):
    text = path.read_text()
    text = re.sub(r"(ThreadsPerBlock|WarpSize) = \d+", r"\1 = 2", text)
    source = Path(folder) / "kernel.cu"
    source.write_text(text)
    module = Path(folder) / "kernel.ptx"
    include = path.parents[3] / "lib"
    # CUDA 13 has no `clockRate` any more, which the host code prints.
    compiler = ["nvcc", "-ptx", "-arch=sm_80", "-w", "-DclockRate=major", "-DmemoryClockRate=minor", "-I", include]
    done = subprocess.run([*compiler, source, "-o", module], capture_output=True, text=True)
    if done.returncode:
        return "not compiled", 0.0
    kernels = re.findall(r"__global__[^;{()]*?\b(\w+)\(([^)]*)\)\s*\{", text)
    kernel, signature = next((k, s) for k, s in kernels if k not in ("init", "mis_last_pass"))
    entry = next(e for e in re.findall(r"\.entry (\w+)\(", module.read_text()) if re.search(rf"_?\d{kernel}|\b{kernel}", e))
    command = [BINARY, "check", module, "--kernel", entry, "--grid", str(ctas(path.stem, text, bug)), "--block", "2", "--format", "json"]
    limit = 8 if bug else 20
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    within = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    done = subprocess.run([*command, *arguments(signature)], capture_output=True, text=True, preexec_fn=within)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode < 0:
        return "time was over", seconds
    if not done.stdout:
        sys.exit(f"{path}: {' '.join(map(str, command))}: {done.stderr}")
    return json.loads(done.stdout)["verdict"], seconds


def chosen(suite):
    """One version of each combination of choices with at most one bug."""
    versions = collections.defaultdict(list)
    for path in sorted((suite / "generatedCodes/CUDA").rglob("*.cu")):
        bugs = BUG.findall(path.stem)
        # Sums of a warp by shuffles need 32 lanes.
        if path.stem.startswith("PR") or "Reduction" in path.stem or len(bugs) + ("RaceBug" in path.stem) - ("RaceBug" in bugs) > 1:
            continue
        versions[("_".join(m.group(0).strip("_") for m in CHOICES.finditer(path.stem)), *bugs)].append(path)
    draw = random.Random(3)
    return [(draw.choice(paths), key[1] if len(key) > 1 else "") for key, paths in sorted(versions.items())]


def main():
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "generatedCodes/CUDA").is_dir():
        sys.exit(__doc__)
    versions = chosen(Path(sys.argv[1]).resolve())
    if len(sys.argv) > 2:
        versions = random.Random(5).sample(versions, min(int(sys.argv[2]), len(versions)))
    table, spent = collections.defaultdict(collections.Counter), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path, bug in sorted(versions):
            verdict, seconds = check(path, bug, folder)
            table[bug or "none"][verdict] += 1
            spent[bug or "none"] += seconds
            if verdict != "refuted" and bug or verdict == "refuted" and not bug:
                print(f"{path.stem}: {verdict}", file=sys.stderr)
    verdicts = sorted({verdict for counts in table.values() for verdict in counts})
    print(f"| planted | kernels | {' | '.join(verdicts)} | seconds |")
    print("|---" * (len(verdicts) + 3) + "|")
    for bug, counts in sorted(table.items()):
        print(f"| {bug} | {sum(counts.values())} | {' | '.join(str(counts[verdict]) for verdict in verdicts)} | {spent[bug]:.0f} |")


main()
