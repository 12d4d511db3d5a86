#!/usr/bin/env python3
"""Record what the rules about synchronisation report for PTX modules of public libraries.

    record.py MODULES            lint the modules of a folder, write recorded.tsv
    record.py MODULES --check    compare with recorded.tsv; exit 1 on the first difference

MODULES has a folder for each repository, OWNER+NAME, with modules whose path is that of their source and whose ending is .ptx. Neither sources nor
modules are committed, and nothing here compiles them. A row of recorded.tsv has the repository, the source, the target, the number of kernels, the
digest of the PTX and the diagnostics.
"""
import collections, hashlib, json, os, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
LINT = os.environ.get("PTX_ATOMICS") or HERE.parents[2] / "target/release/ptx-atomics"
RULES = """cluster-scope divergent-barrier early-access-before-griddepcontrol maybe-divergent-barrier mbarrier-protocol missing-proxy-fence nc-of-written
    partial-arrival poll-without-acquire racing-access signal-without-release unacquired-flag uncommitted-async unfenced-mbarrier unreleased-flag warp-lock""".split()


def diagnostics(folder):
    command = [LINT, "lint", "--preset", "strict", "--format", "jsonl", "--color", "never", folder]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = collections.defaultdict(collections.Counter)
    for entry in map(json.loads, lines):
        if entry["code"] in RULES:
            found[pathlib.Path(entry["path"]).resolve()][entry["code"]] += 1
    return found


def main():
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    found = diagnostics(folder)
    lines = ["repository\tsource\ttarget\tkernels\tdigest\tdiagnostics"]
    for module in sorted(folder.glob("*/**/*.ptx")):
        text = module.read_text()
        kernels = len(re.findall(r"^\s*(?:\.visible |\.weak )?\.entry ", text, re.M))
        # The number of a compilation and paths are in comments and in .file directives.
        stable = re.sub(r"//.*|^\s*\.file.*", "", text, flags=re.M)
        counts = ", ".join(f"{code} {count}" for code, count in sorted(found[module].items())) or "none"
        repository, *source = module.relative_to(folder).with_suffix(".cu").parts
        target = re.search(r"^\.target (\w+)", text, re.M).group(1)
        if kernels:
            digest = hashlib.sha256(stable.encode()).hexdigest()[:16]
            lines.append(f"{repository.replace('+', '/')}\t{'/'.join(source)}\t{target}\t{kernels}\t{digest}\t{counts}")
    table = HERE / "recorded.tsv"
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv and table.read_text() != text:
        before = set(table.read_text().splitlines())
        sys.exit("differs: " + next((line for line in text.splitlines() if line not in before), "fewer rows"))
    table.write_text(text)


if __name__ == "__main__":
    main()
