#!/usr/bin/env python3
"""Make modules of PTX with real generators, to see that the grammar reads each of them.

    generate.py          over a thousand modules in a few minutes: NVIDIA's run-time compilers on the sources
                         in own/ and on CUB, for every target that each compiler knows
    generate.py --full   also nvcc on Thrust, CUB's device-wide algorithms and CUTLASS, clang, Triton and
                         numba-cuda, which `tests/install --full` installs

The modules go to tests/.tools/corpus, which git ignores: what is made from other people's headers is not
ours to publish. Every module is shown to the assembler; one that it refuses is a failure. What was made
from the same source with the same options before is not made again.
"""
import concurrent.futures, hashlib, json, multiprocessing, os, pathlib, re, subprocess, sys, zlib

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parent / ".tools"
CORPUS = TOOLS / "corpus"
sys.path.insert(0, str(HERE))
import block_algorithms, nvrtc, other_generators

TARGETS = {
    "11.8": "35 37 50 52 53 60 61 62 70 72 75 80 86 87 89 90",
    "12.9": "50 52 53 60 61 62 70 72 75 80 86 87 89 90 90a 100 100a 100f 101 101a 103 103a 120 120a 120f 121 121a",
    "13.5": "75 80 86 87 88 89 90 90a 100 100a 100f 103 103a 110 110a 120 120a 120f 121 121a 121f",
}
OPTIONS = {
    "plain": [],
    "lineinfo": ["-lineinfo"],
    "debug": ["-G"],
    "rdc": ["-rdc=true"],
    "fast": ["--use_fast_math", "--extra-device-vectorization", "-lineinfo"],
    "debug-rdc": ["-G", "-rdc=true"],
}
# At these every option is tried on every source; elsewhere the options take turns.
THOROUGH = {("12.9", "52"), ("13.5", "90"), ("13.5", "100a")}

# How the names of the modules of other_generators.py start.
OTHERS = ("nvcc", "clang", "triton", "numba")

compilers = {}


def number(target):
    return int(re.match(r"\d+", target)[0])


def remark(source, key):
    """What a line `// KEY: VALUE` at the top of a source says."""
    match = re.search(rf"^// {key}: *(.*)$", source, re.M)
    return match[1].split() if match else []


def jobs():
    """(name, source, version, options, headers) of every module of the run-time compilers."""
    sources = {path.stem: path.read_text() for path in sorted((HERE / "own").glob("*.cu"))}
    sources["atomics"] = (HERE.parent / "fixtures/compiled/atomics.cu").read_text()
    for name, source in sorted(sources.items()):
        headers = re.search(r"^// headers$", source, re.M) is not None
        oldest = int((remark(source, "oldest") or ["0"])[0])
        standard = (remark(source, "std") or ["14"])[0]
        versions = remark(source, "versions") or (["12.9", "13.5"] if headers else list(TARGETS))
        possible = remark(source, "options") or list(OPTIONS)
        for version in versions:
            for turn, target in enumerate(TARGETS[version].split(), zlib.crc32(f"{name} {version}".encode())):
                if number(target) < oldest:
                    continue
                names = possible if (version, target) in THOROUGH else [possible[turn % len(possible)]]
                for option in names:
                    options = [*OPTIONS[option], f"--std=c++{standard}", f"--gpu-architecture=compute_{target}"]
                    yield f"nvrtc{version}-{name}-{target}-{option}", source, version, options, headers
    for index, (name, source) in enumerate(block_algorithms.sources()):
        for version in ("12.9", "13.5"):
            targets = [t for t in TARGETS[version].split() if number(t) >= 80]
            target = targets[(index * 5 + 3) % len(targets)]
            option = list(OPTIONS)[(index + int(version[0:2])) % len(OPTIONS)]
            options = [*OPTIONS[option], "--std=c++17", f"--gpu-architecture=compute_{target}"]
            yield f"cub{version}-{name}-{target}-{option}", source, version, options, True


def assembler_s_complaint(path):
    """What the assembler says against a module; None where it takes it."""
    target = re.search(r"^\.target\s+sm_(\w+)", path.read_text(errors="replace"), re.M)[1]
    old = number(target) == 101
    ptxas = TOOLS / "bin" / ("ptxas12" if old else "ptxas")
    arch = "121" if target.isdigit() and not old else target
    asked = [ptxas, f"-arch=compute_{arch}", path, "-o", os.devnull]
    out = subprocess.run(asked, capture_output=True, text=True)
    if out.returncode and "--compile-only" in out.stdout + out.stderr:
        out = subprocess.run([*asked, "--compile-only"], capture_output=True, text=True)
    return out.stdout + out.stderr if out.returncode else None


def compiled(job):
    """Make one module; a complaint where that fails."""
    name, source, version, options, headers = job
    if version not in compilers:
        compilers[version] = nvrtc.compiler(version)
    path = CORPUS / f"{name}.ptx"
    try:
        path.write_text(compilers[version].ptx(source, options, f"{name}.cu", headers))
    except nvrtc.Refused as refusal:
        return f"{name}: {refusal}"
    complaint = assembler_s_complaint(path)
    return complaint and f"{name}: the assembler: {complaint}"


def main():
    full = sys.argv[1:] == ["--full"]
    if sys.argv[1:] and not full:
        sys.exit(__doc__)
    if not (TOOLS / "bin/ptxas").exists():
        sys.exit("generate.py: run tests/install first")
    CORPUS.mkdir(parents=True, exist_ok=True)
    ledger = CORPUS / "made.json"
    made = json.loads(ledger.read_text()) if ledger.exists() else {}
    pins = (HERE.parent / "requirements.txt").read_text()
    wanted = {job[0]: (hashlib.sha256(repr((pins, job)).encode()).hexdigest(), job) for job in jobs()}
    for path in CORPUS.glob("*.ptx"):
        if path.stem not in wanted and not path.stem.startswith(OTHERS):
            path.unlink()
    # The slow ones first, so that no core waits for the last.
    queue = sorted((job for name, (key, job) in wanted.items() if made.get(name) != key), key=lambda job: not job[4])
    complaints = []
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        for job, complaint in zip(queue, pool.map(compiled, queue)):
            made[job[0]] = None if complaint else wanted[job[0]][0]
            complaints += [complaint] if complaint else []
        if full:
            paths, failures = other_generators.all_modules(CORPUS, TOOLS)
            answers = pool.map(assembler_s_complaint, paths)
            complaints += failures
            complaints += [f"{path.name}: the assembler: {answer}" for path, answer in zip(paths, answers) if answer]
    ledger.write_text(json.dumps({name: key for name, key in made.items() if name in wanted and key}))
    if complaints:
        print(*complaints, sep="\n", file=sys.stderr)
        sys.exit(f"generate.py: {len(complaints)} modules could not be made")
    print(len(list(CORPUS.glob("*.ptx"))), "modules,", sum(p.stat().st_size for p in CORPUS.glob("*.ptx")) >> 20, "MiB")


if __name__ == "__main__":
    main()
