#!/usr/bin/env python3
"""Compile kernels of public libraries and record what the rules about synchronisation report for them.

    record.py            compile what is missing, lint, write recorded.tsv
    record.py --check    compare with recorded.tsv; exit 1 on the first difference

The sources are checkouts in PTX_ATOMICS_SOURCES (OWNER+NAME), or are fetched from GitHub. Neither they nor the PTX are committed: a row of recorded.tsv
has the repository, the source, the target, the number of kernels, the digest of the PTX and the diagnostics. Sources that need other libraries or
more than four minutes are left out.
"""
import collections, hashlib, json, os, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1]
OUTPUT = TESTS / ".tools/libraries"
SOURCES = pathlib.Path(os.environ.get("PTX_ATOMICS_SOURCES") or OUTPUT / "sources")
NVCC = os.environ.get("PTX_ATOMICS_NVCC") or TESTS / ".tools/bin/nvcc"
LINT = os.environ.get("PTX_ATOMICS") or TESTS.parent / "target/release/ptx-atomics"
RULES = """cluster-scope divergent-barrier early-access-before-griddepcontrol maybe-divergent-barrier mbarrier-protocol missing-proxy-fence nc-of-written
    partial-arrival poll-without-acquire racing-access signal-without-release unacquired-flag uncommitted-async unfenced-mbarrier unreleased-flag warp-lock""".split()
TIMEOUT = 240

# Repository, sources, target, folders of headers.
LIBRARIES = [
    ("NVIDIA/cuda-samples", "Samples/*/*/*.cu", "sm_90", ["Common"]),
    ("HazyResearch/ThunderKittens", "kernels/**/*.cu", "sm_90a", ["include", "prototype"]),
    ("NVIDIA/cutlass", "examples/cute/tutorial/**/*.cu", "sm_90a", ["include", "tools/util/include", "examples/common"]),
    ("NVIDIA/cutlass", "examples/4[89]_hopper*/*.cu", "sm_90a", ["include", "tools/util/include", "examples/common"]),
    ("moderngpu/moderngpu", "demo/bfs*.cu", "sm_90", ["src"]),
]


def checkout(repository):
    folder = SOURCES / repository.replace("/", "+")
    if not folder.exists():
        folder.mkdir(parents=True)
        for command in (["init", "-q"], ["fetch", "-q", "--depth", "1", f"https://github.com/{repository}", "HEAD"], ["checkout", "-q", "FETCH_HEAD"]):
            subprocess.run(["git", "-C", folder, *command], check=True)
    return folder


def compiled(repository, folder, source, target, headers):
    name = f"{repository}/{source.relative_to(folder)}".replace("/", "+").removesuffix(".cu")
    output = OUTPUT / f"{name}.ptx"
    failed = output.with_suffix(".failed")
    if not output.exists() and not failed.exists():
        command = [NVCC, "-ptx", f"-arch={target}", "-std=c++20", "--expt-relaxed-constexpr", "--extended-lambda", "-w", "-o", output, source, f"-I{source.parent}"]
        try:
            done = subprocess.run(command + [f"-I{folder / header}" for header in headers], capture_output=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            done = None
        if done is None or done.returncode != 0:
            output.unlink(missing_ok=True)
            failed.write_bytes(done.stderr[:2000] if done else b"timeout")
    return output if output.exists() else None


def diagnostics():
    command = [LINT, "lint", "--preset", "strict", "--format", "jsonl", "--color", "never", OUTPUT]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = collections.defaultdict(collections.Counter)
    for entry in map(json.loads, lines):
        if entry["code"] in RULES:
            found[pathlib.Path(entry["path"]).name][entry["code"]] += 1
    return found


def main():
    OUTPUT.mkdir(parents=True, exist_ok=True)
    rows = []
    for repository, pattern, target, headers in LIBRARIES:
        folder = checkout(repository)
        for source in sorted(folder.glob(pattern)):
            module = compiled(repository, folder, source, target, headers)
            if module:
                rows.append((repository, str(source.relative_to(folder)), target, module))
    found = diagnostics()
    lines = ["repository\tsource\ttarget\tkernels\tdigest\tdiagnostics"]
    for repository, source, target, module in rows:
        text = module.read_text()
        kernels = len(re.findall(r"^\s*(?:\.visible |\.weak )?\.entry ", text, re.M))
        # The number of a compilation and paths are in comments and in .file directives.
        stable = re.sub(r"//.*|^\s*\.file.*", "", text, flags=re.M)
        counts = ", ".join(f"{code} {count}" for code, count in sorted(found[module.name].items())) or "none"
        if kernels:
            lines.append(f"{repository}\t{source}\t{target}\t{kernels}\t{hashlib.sha256(stable.encode()).hexdigest()[:16]}\t{counts}")
    table = HERE / "recorded.tsv"
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv and table.read_text() != text:
        before = set(table.read_text().splitlines())
        sys.exit("differs: " + next(line for line in text.splitlines() + ["fewer rows"] if line not in before))
    table.write_text(text)


if __name__ == "__main__":
    main()
