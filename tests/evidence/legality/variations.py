"""Asks ptxas about spellings outside the product: other orders, words given twice, two words of an axis, strange words.

Writes variations.txt.gz, lines `verdict version target spelling`: 10,000 random orders of legal forms, each at 9.5 and at a
random pair, and 30,000 legal forms with one or two random changes in random order at random pairs. The random numbers
have a fixed seed. usage: variations.py [JOBS]
"""

import gzip
import os
import random
import sys
from concurrent.futures import ProcessPoolExecutor

import oracle
import versions

# Words of the product, words of other instructions, and words of nothing. Left out are words that are not modifiers
# for the assembler's own syntax (.reg, .pragma, .unified) and type words that it drops silently (.pred, .texref, .samplerref,
# .surfref, .b6x16_p32).
WORDS = """
and or xor cas exch add inc dec min max popc relaxed acquire release acq_rel weak volatile mmio sc seq_cst cta cluster gpu sys gl
global shared shared::cta shared::cluster local const param noftz ftz sat rn rz L2::cache_hint L2::128B L2::evict_last
L1::no_allocate v2 v4 v8 v16 v3 acc::f32 acc::f16 u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 b128 f16 f16x2 bf16 bf16x2 f32
f32x2 f64 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 u16x2 s16x2 tf32 b1 sync async NaN foo bar u33 i32 sub system device Global ADD
""".split()


def change(rng, words):
    """One random change: a word more, a word twice, a word less, a word replaced."""
    words = list(words)
    kind = rng.choice(["insert", "double", "remove", "replace", "replace"])
    if kind == "insert" or not words:
        words.append(rng.choice(WORDS))
    elif kind == "double":
        words.append(rng.choice(words))
    elif kind == "remove":
        words.remove(rng.choice(words))
    else:
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return words


def questions():
    """All (version, target, opcode, words), with a fixed seed."""
    rng = random.Random(20)
    with gzip.open(os.path.join(oracle.HERE, "forms.txt.gz"), "rt") as file:
        forms = [versions.split(line.strip()) for line in file if line.startswith(" ")]
    pairs = sorted(pair for pair in versions.pairs() if float(pair[0]) >= 1.2)
    modern = [pair for pair in pairs if float(pair[0]) >= 7.0 and int(pair[1].strip("sm_af")) >= 70]
    for opcode, words in rng.sample(forms, 10_000):
        rng.shuffle(words)
        yield "9.5", "sm_100a", opcode, words
        yield *rng.choice(modern), opcode, words
    for _ in range(30_000):
        opcode, words = rng.choice(forms)
        for _ in range(rng.choice([1, 1, 2])):
            words = change(rng, words)
        rng.shuffle(words)
        # Right after `red`, `.async` makes another instruction.
        if words and words[0] != "async":
            yield *rng.choice(modern + pairs[::9]), opcode, words


def ask(job):
    """The verdicts for one pair."""
    (version, target), spellings = job
    verdict, _ = oracle.legal(spellings, version, target)
    return [(good, version, target, opcode, words) for good, (opcode, words) in zip(verdict, spellings)]


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    by_pair = {}
    for version, target, opcode, words in questions():
        by_pair.setdefault((version, target), []).append((opcode, words))
    lines = []
    with ProcessPoolExecutor(jobs) as pool:
        for answers in pool.map(ask, sorted(by_pair.items())):
            for good, version, target, opcode, words in answers:
                lines.append(f"{'legal' if good else 'illegal'} {version} {target} {'.'.join([opcode] + words)}\n")
    with gzip.GzipFile(os.path.join(oracle.HERE, "variations.txt.gz"), "wb", 9, mtime=0) as out:
        out.write("".join(lines).encode())
    print(f"{len(lines)} asked, {sum(line.startswith('legal') for line in lines)} legal")


if __name__ == "__main__":
    main()
