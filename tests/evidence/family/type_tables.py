"""Asks ptxas which types each instruction's name accepts: alone, in pairs, and in those triples of which two are the same.

Each is asked with one operand of a wrong kind. If the assembler knows the types for the name it complains about the operands, otherwise about the types; neither
depends on version, target or other modifiers, so that one pair of version and target tells it for all. What it knows it may still reject.
Writes type_tables.txt.gz: a name with types a line. All types are here that `add` knows as words, but `b8x16`, `b1024`, `pred` and the opaque ones, which every name
ignores. usage: type_tables.py [--check]. Takes half an hour on an idle core.
"""

import itertools
import os
import re
import subprocess
import tempfile

from several_types import HERE, PTXAS, record

RECORDED = os.path.join(HERE, "type_tables.txt.gz")
NAMES = os.path.join(HERE, "../../../server/isa/src/names/list.rs")
TYPES = """u2 u4 u8 u8x4 u16 u16x2 u32 u64 s2 s4 s8 s8x4 s16 s16x2 s32 s64 b1 b2 b4 b8 b16 b32 b64 b128 f16 f16x2 f32 f32x2 f64 bf16 bf16x2 tf32 e2m1 e2m1x2
e2m1x4 e2m3 e2m3x2 e2m3x4 e3m2 e3m2x2 e3m2x4 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 ue4m3 ue5m3x2 ue8m0 ue8m0x2 ue8m0x4 s2f6x2""".split()
UNKNOWN = re.compile(r"line (\d+); error\s*: (?:Unexpected instruction types|Unknown modifier|Not a name|Illegal modifier)")
PART = 50_000


def names():
    with open(NAMES) as file:
        return re.search(r'INSTRUCTIONS: &str = "(.*?)"', file.read(), re.S)[1].replace("\\\n", " ").split()


def known(lines):
    """Those of the lines whose types the assembler knows."""
    found = []
    for start in range(0, len(lines), PART):
        part = lines[start:start + PART]
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(".version 9.5\n.target sm_107a\n.address_size 64\n.entry k() { .reg .b32 q;\n" + "\n".join(f"{line} q;" for line in part) + "\n ret; }\n")
            file.flush()
            said = subprocess.run([PTXAS, "--compile-only", "-arch=compute_107a", file.name, "-o", os.devnull], capture_output=True, text=True).stderr
        unknown = {int(number) - 5 for number in UNKNOWN.findall(said)}
        found += [line for at, line in enumerate(part) if at not in unknown]
    return found


def asked(name):
    pairs = list(itertools.product(TYPES, TYPES))
    triples = dict.fromkeys(triple for a, b in pairs for triple in ((a, a, b), (a, b, a), (b, a, a)))
    return [f"{name}.{'.'.join(types)}" for types in itertools.chain(((ty,) for ty in TYPES), pairs, triples)]


def main():
    record(RECORDED, "".join(line + "\n" for name in names() for line in known(asked(name))))


if __name__ == "__main__":
    main()
