#!/usr/bin/env python3
"""Record what the rules about synchronisation report for PTX modules of public libraries.

    record.py --sources          compile the sources of our own in `sources` against libraries from PyPI, lint, replace their rows in recorded.tsv
    record.py MODULES            lint the modules of a folder, replace their rows in recorded.tsv
    record.py … --check          compare with their rows in recorded.tsv; exit 1 on the first difference
    record.py --count            print how many kernels recorded.tsv has, and how many of them have no diagnostic

MODULES has a folder for each repository, OWNER+NAME, with modules whose path is that of their source and whose ending is .ptx. Neither sources nor
modules of others are committed, and nothing here compiles them. A row of recorded.tsv has the repository, the source, the target, the number of kernels,
the number of those without a diagnostic, the digest of the PTX and the diagnostics. Rows of modules that are not in the folder stay.
"""
import collections, hashlib, json, os, pathlib, re, subprocess, sys

sys.dont_write_bytecode = True

import own_sources

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "recorded.tsv"
HEAD = "repository\tsource\ttarget\tkernels\tsilent\tdigest\tdiagnostics"
LINT = os.environ.get("PTX_ATOMICS") or HERE.parents[2] / "target/release/ptx-atomics"
RULES = """cluster-scope divergent-barrier early-access-before-griddepcontrol maybe-divergent-barrier mbarrier-protocol missing-proxy-fence nc-of-written
    partial-arrival poll-without-acquire racing-access signal-without-release unacquired-flag uncommitted-async unfenced-mbarrier unreleased-flag warp-lock""".split()
ENTRY = re.compile(r"^\s*(?:\.visible |\.weak )?\.entry ")


def diagnostics(folder):
    """The rules and lines of the diagnostics of each module."""
    command = [LINT, "lint", "--preset", "strict", "--format", "jsonl", "--color", "never", "--max-findings", "100000", folder]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = collections.defaultdict(list)
    for entry in map(json.loads, lines):
        if entry.get("code") in RULES:
            found[pathlib.Path(entry["path"]).resolve()].append((entry["code"], entry["line"]))
    return found


def row(folder, module, found):
    """The row of a module without its repository and source; None if it has no kernel."""
    text = module.read_text()
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines, 1) if ENTRY.match(line)]
    if not starts:
        return None
    # A diagnostic before the first kernel is in a device function, which is no kernel.
    reported = {sum(start <= line for start in starts) for _, line in found} - {0}
    # The number of a compilation and paths are in comments and in .file directives, and a digest of them is in the names of internal variables.
    stable = re.sub(r"//.*|^\s*\.file.*", "", text, flags=re.M)
    stable = re.sub(r"_INTERNAL_\w{8}_", "_INTERNAL_", stable)
    codes = collections.Counter(code for code, _ in found)
    counts = ", ".join(f"{code} {count}" for code, count in sorted(codes.items())) or "none"
    target = re.search(r"^\.target (\w+)", text, re.M).group(1)
    digest = hashlib.sha256(stable.encode()).hexdigest()[:16]
    return f"{target}\t{len(starts)}\t{len(starts) - len(reported)}\t{digest}\t{counts}"


def recorded():
    """The rows of the table by repository and source."""
    rows = [line.split("\t", 2) for line in TABLE.read_text().splitlines()[1:]] if TABLE.exists() else []
    return {(repository, source): rest for repository, source, rest in rows}


def main():
    table = recorded()
    if "--count" in sys.argv:
        cells = [rest.split("\t") for rest in table.values()]
        kernels, silent = (sum(int(row[column]) for row in cells) for column in (1, 2))
        return print(f"{len(cells)} modules, {kernels} kernels, {silent} without a diagnostic")
    if "--sources" in sys.argv:
        folder = own_sources.modules().resolve()
    elif len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_dir():
        folder = pathlib.Path(sys.argv[1]).resolve()
    else:
        sys.exit(__doc__)
    found = diagnostics(folder)
    if "--sources" in sys.argv and "--check" not in sys.argv:
        table = {key: rest for key, rest in table.items() if key[0] != own_sources.NAME}
    for module in sorted(folder.glob("*/**/*.ptx")):
        repository, *source = module.relative_to(folder).with_suffix(".cu").parts
        key = (repository.replace("+", "/"), "/".join(source))
        new = row(folder, module, found[module])
        if new and "--check" in sys.argv and table.get(key) != new:
            sys.exit(f"differs: {' '.join(key)}: {new}, recorded: {table.get(key)}")
        if new:
            table[key] = new
    if "--check" not in sys.argv:
        TABLE.write_text(HEAD + "\n" + "".join(f"{a}\t{b}\t{rest}\n" for (a, b), rest in sorted(table.items())))


if __name__ == "__main__":
    main()
