"""Asks ptxas for the instructions of several_types.py at every target of PTX 9.0 to 9.5.

Writes type_targets.txt.gz: of each set of instructions that are accepted at the same pairs of version and target, a line `#` with these pairs, then
the instructions, one a line. Instructions that are accepted nowhere come last, after a line `#` alone. usage: type_targets.py [--check]
"""

import concurrent.futures
import itertools
import os
import sys

import several_types as types

sys.path.insert(0, os.path.join(types.HERE, "../legality"))
import versions  # noqa: E402

RECORDED = os.path.join(types.HERE, "type_targets.txt.gz")
VERSIONS = ("9.0", "9.1", "9.2", "9.3", "9.4", "9.5")


def main():
    lines = list(dict.fromkeys(types.asked()))
    pairs = [pair for pair in versions.pairs() if pair[0] in VERSIONS and not pair[1].startswith("sm_101")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        refused = dict(zip(pairs, pool.map(lambda pair: types.verdicts(lines, *pair), pairs)))
    groups = {}
    for at, line in enumerate(lines):
        accepted = " ".join(f"{version}/{target}" for version, target in pairs if at not in refused[version, target])
        groups.setdefault(accepted, []).append(line)
    print(len(lines), "instructions at", len(pairs), "pairs:", sum(len(group) for accepted, group in groups.items() if accepted), "accepted somewhere", file=sys.stderr)
    ordered = sorted(groups.items(), key=lambda group: (not group[0], group))
    types.record(RECORDED, "".join(line + "\n" for line in itertools.chain.from_iterable(["#" + accepted, *group] for accepted, group in ordered)))


if __name__ == "__main__":
    main()
