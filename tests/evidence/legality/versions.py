"""Asks ptxas about every form that product.py found legal, at every valid pair of PTX version and target.

Writes forms.txt.gz. Each answer is explained by one minimum version and one set of targets per form (checked here, an
exception ends the run), so that is what is recorded: a line `PTX target…` and below it, indented, the forms of that
class. Half an hour on two cores. usage: versions.py [JOBS]
"""

import gzip
import os
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor

import oracle

NEWEST = [5, 3, 2, 3, 1, 5, 8, 8, 5]
VERSIONS = [f"{major}.{minor}" for major, newest in enumerate(NEWEST, 1) for minor in range(newest + 1)]
# The first version that knows a target, as measured by pairs.py.
SINCE = {
    "1.0": "10 11", "1.2": "12 13", "2.0": "20 21", "3.0": "30", "3.1": "35", "4.0": "32 50", "4.1": "37 52", "4.2": "53",
    "5.0": "60 61 62", "6.0": "70", "6.1": "72", "6.3": "75", "7.0": "80", "7.1": "86", "7.4": "87", "7.8": "89 90",
    "8.0": "90a", "8.6": "100 100a 101 101a", "8.7": "120 120a",
    "8.8": "100f 101f 103 103a 103f 120f 121 121a 121f", "9.0": "88 110 110a 110f", "9.4": "107 107a 107f",
}
TARGETS = {f"sm_{name}": version for version, names in SINCE.items() for name in names.split()}

# sm_70 is taken one version before it came, with all that came with it: such a module counts as one of 6.0.
PREVIEW = ("5.1", "sm_70")


def pairs():
    """Every pair of target and version that can be asked: 12.9, which alone takes sm_101a and sm_101f, ends at 8.8."""
    for target, since in TARGETS.items():
        last = "8.8" if target in ("sm_101a", "sm_101f") else "9.5"
        for version in VERSIONS[VERSIONS.index(since) : VERSIONS.index(last) + 1]:
            yield version, target
    yield PREVIEW


def read_forms():
    """Every spelling that is legal at 9.5 on sm_90 or sm_100a."""
    forms = set()
    for target in ("sm_90", "sm_100a"):
        with open(os.path.join(oracle.SCRATCH, f"product-{target}.txt")) as file:
            forms.update(file.read().split())
    return sorted(forms)


def split(form):
    """A form as (opcode, words)."""
    parts = form.split(".")
    opcode = 2 if parts[0] == "multimem" else 1
    return ".".join(parts[:opcode]), parts[opcode:]


def ask(pair):
    """A bit for each form: legal at this pair."""
    verdict, _ = oracle.legal([split(form) for form in read_forms()], *pair)
    return pair, bytes(verdict)


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    forms = read_forms()
    answers = {}
    with ProcessPoolExecutor(jobs) as pool:
        for pair, verdict in pool.map(ask, pairs()):
            answers[pair] = verdict
            if len(answers) % 50 == 0:
                print(len(answers), pair, sum(verdict), flush=True)
    order = {pair: VERSIONS.index("6.0" if pair == PREVIEW else pair[0]) for pair in answers}
    classes = defaultdict(list)
    for index, form in enumerate(forms):
        first = {}
        for (version, target), verdict in answers.items():
            if verdict[index]:
                first[target] = min(first.get(target, 99), order[version, target])
        minimum = min(first.values())
        for (version, target), verdict in answers.items():
            explained = target in first and order[version, target] >= minimum
            if explained != bool(verdict[index]):
                raise SystemExit(f"not separable: {form} at {version} {target}")
        classes[minimum, tuple(target for target in TARGETS if target in first)].append(form)
    with gzip.GzipFile(os.path.join(oracle.HERE, "forms.txt.gz"), "wb", 9, mtime=0) as out:
        for (minimum, targets), members in sorted(classes.items()):
            out.write(f"{VERSIONS[minimum]} {' '.join(targets)}\n".encode())
            for form in members:
                out.write(f" {form}\n".encode())
    print(f"{len(answers)} pairs, {len(forms)} forms, {len(classes)} classes")


if __name__ == "__main__":
    main()
