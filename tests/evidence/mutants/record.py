"""One-token mutants of compiler-made modules, and what ptxas' check says about each.

    python3 record.py MODULES MUTANTS [SEED [FILE]]

Takes modules of tests/.tools/corpus (made by tests/corpus/generate.py --full; PTX_ATOMICS_CORPUS names another folder), in turn of each
generator and source, changes one token of one line at a time, and writes recorded.jsonl.gz or FILE: for each module its name, its text, and its mutants as `[line, new text, accepted]`,
lines from 0.
"""

import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get("PTX_ATOMICS_CORPUS") or os.path.join(HERE, "../../.tools/corpus")
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")
LARGEST = 48_000
TOKEN = re.compile(r'"[^"]*"|[%$A-Za-z_][\w$]*|\.[A-Za-z_][\w]*(?:::\w+)*|\d[\w.]*|[^\s\w]')
# Words that modules of the corpus rarely have.
WORDS = """.u8 .s8 .b8 .u16 .s16 .b16 .f16 .bf16 .u32 .s32 .b32 .f32 .u64 .s64 .b64 .f64 .pred .b128 .f16x2 .v2 .v4 .v8 .global .shared
.local .param .const .gpu .cta .sys .cluster .acquire .release .relaxed .acq_rel .volatile .rn .rz .ftz .sat .approx .full .wide .lo .hi .eq .lt
.ne .num .cc .uni .sync .aligned .add .min .max .and .or .xor .cas .exch .nc .ca .cg .cs .L1::no_allocate .L2::128B .noftz .reg .align .entry
.func .visible .extern""".split()


def verdict(text, target):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        arch = target.replace("sm_", "compute_")
        done = subprocess.run([PTXAS, f"-arch={arch}", "-o", "/dev/null", file.name], capture_output=True)
    return done.returncode == 0


def kind(token):
    if token.startswith("%"):
        return "register"
    if token.startswith("."):
        return "dotted"
    if token[0].isdigit():
        return "number"
    return "word" if re.match(r"\w", token) else "sign"


def mutate(rng, line, pool):
    """The line with one token deleted, repeated, exchanged with the next, replaced or inserted."""
    tokens = [match.span() for match in TOKEN.finditer(line.split("//")[0])]
    if not tokens:
        return None
    at = rng.randrange(len(tokens))
    start, end = tokens[at]
    token = line[start:end]
    same = pool[kind(token)]
    any_kind = pool[rng.choice(sorted(pool))]
    choice = rng.randrange(10)
    if choice < 2:
        return line[:start] + line[end:]
    if choice == 2:
        return line[:end] + ("" if token.startswith(".") else " ") + token + line[end:]
    if choice == 3 and at + 1 < len(tokens):
        next_start, next_end = tokens[at + 1]
        return line[:start] + line[next_start:next_end] + line[end:next_start] + token + line[next_end:]
    if choice < 8:
        return line[:start] + rng.choice(same) + line[end:]
    if choice == 8:
        return line[:start] + rng.choice(any_kind) + line[end:]
    inserted = rng.choice(any_kind)
    return line[:end] + ("" if inserted.startswith(".") else " ") + inserted + line[end:]


def modules(count, rng):
    """Small modules of as many generators, sources and targets as there are."""
    of_source = {}
    for name in sorted(os.listdir(CORPUS)):
        path = os.path.join(CORPUS, name)
        if name.endswith(".ptx") and os.path.getsize(path) <= LARGEST:
            of_source.setdefault(tuple(name.split("-")[:2]), []).append(path)
    for paths in of_source.values():
        rng.shuffle(paths)
    chosen = []
    while len(chosen) < count and any(of_source.values()):
        for source in sorted(of_source):
            if of_source[source]:
                chosen.append(of_source[source].pop())
    return chosen[:count]


def pools(text, shared):
    """What tokens of a module are replaced with, by kind: words of all modules, and registers, numbers and signs of its own."""
    pool = {"dotted": sorted({token for token in shared if kind(token) == "dotted"})}
    pool["word"] = sorted({token for token in shared if kind(token) == "word"})
    for of_kind in ("register", "number", "sign"):
        pool[of_kind] = sorted({token for token in TOKEN.findall(text) if kind(token) == of_kind})
    pool["number"] += ["255", "256", "4294967296", "0f3F800000", "1.0"]
    pool["register"] += ["%undeclared", "%tid.x", "%p1", "%r1", "%rd1", "%f1"]
    return pool


def ask(rng, text, written, pool, mutants):
    """Mutants of some lines as `[line, new text, accepted]`."""
    target = re.search(r"^\.target\s+(\w+)", text, re.M)[1]
    lines = text.split("\n")
    asked = {}
    for _ in range(mutants):
        at = rng.choice(written)
        mutant = mutate(rng, lines[at], pool)
        if mutant is None or mutant == lines[at] or (at, mutant) in asked:
            continue
        changed = "\n".join([*lines[:at], mutant, *lines[at + 1 :]])
        asked[at, mutant] = verdict(changed, target)
    return [[at, mutant, accepted] for (at, mutant), accepted in asked.items()]


def shared_tokens(texts):
    """The tokens of all modules, and words that they rarely have."""
    return [token for text in texts for token in TOKEN.findall(re.sub("//.*", "", text))] + WORDS


def is_code(line):
    """Whether a line has more than comments, and does not say what the module is for."""
    return line.split("//")[0].strip() and not line.startswith((".version", ".target"))


def main():
    count, mutants = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    recording = sys.argv[4] if len(sys.argv) > 4 else os.path.join(HERE, "recorded.jsonl.gz")
    paths = modules(count, rng)
    texts = {path: open(path).read() for path in paths}
    shared = shared_tokens(texts.values())
    total = [0, 0]
    with gzip.GzipFile(recording, "wb", mtime=0) as out:
        for path in paths:
            text = texts[path]
            target = re.search(r"^\.target\s+(\w+)", text, re.M)[1]
            if not verdict(text, target):
                continue
            written = [at for at, line in enumerate(text.split("\n")) if is_code(line)]
            recorded = ask(rng, text, written, pools(text, shared), mutants)
            for _, _, accepted in recorded:
                total[accepted] += 1
            module = {"name": os.path.basename(path), "text": text, "mutants": recorded}
            out.write((json.dumps(module) + "\n").encode())
            print(os.path.basename(path), len(recorded), total, flush=True)


if __name__ == "__main__":
    main()
