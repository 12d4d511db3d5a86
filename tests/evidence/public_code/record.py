"""Single instructions as public code writes them, and mutants of them, asked at six pairs of PTX version and target.

    cargo test --release -p ptx-atomics-tests --test public_code list_statements -- --ignored
    python3 record.py STATEMENTS [SEED]

The first command writes the `asm` statements of a folder of clones (its doc comment says how). The second one reads their instructions, gives
registers names by type, drops what names anything else, changes one token of some, asks ptxas' check, and writes recorded.jsonl.gz: for
each pair the head of the module and the lines with their verdicts. No text of the repositories is kept but opcodes and shapes of operands.
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
sys.path[:0] = [os.path.join(HERE, "../mutants"), os.path.join(HERE, "../legality")]
import oracle  # noqa: E402
import record as mutants  # noqa: E402

PAIRS = [("6.4", "sm_70"), ("7.1", "sm_80"), ("8.0", "sm_90a"), ("8.3", "sm_89"), ("8.7", "sm_100a"), ("9.0", "sm_120a")]
# The register names of each type.
NAMES = {
    ".pred": "p", ".b8": "xb", ".u8": "xu", ".s8": "xs", ".b16": "h", ".u16": "hu", ".s16": "hs", ".f16": "hf", ".b32": "r", ".u32": "ru",
    ".s32": "rs", ".f32": "f", ".b64": "l", ".u64": "lu", ".s64": "ls", ".f64": "d", ".f16x2": "rh",
}  # fmt: skip
BEFORE = ".entry k()\n{\n" + "".join(f".reg {ty} {name}<300>;\n" for ty, name in NAMES.items())
DECLARATION = re.compile(r"\.reg\s*(\.v[24])?\s*(\.\w+)\s+(.*)", re.S)
INSTRUCTION = re.compile(r"(@!?\s*[\w$%]+\s+)?([a-z]\w*(?:\.[\w:]+)*)\s*(.*)", re.S)
NAME = re.compile(r"(?<![\w.$%])[%A-Za-z_$][\w$]*")
KEPT = re.compile(r"%(tid|ntid|ctaid|nctaid|laneid|warpid|smid|clock|clock64|globaltimer|lanemask_\w+|cluster_\w+)$")
MUTANTS = 2


def parts(text):
    """The declarations and instructions of a statement, without comments, braces of blocks and labels."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = text.removeprefix(".address_size 64\n").removeprefix(".func f()\n")
    for part in text.split(";"):
        part = " ".join(part.split())
        while True:
            shorter = re.sub(r"^(?:[{}]|[\w$%]+\s*:(?!:))\s*", "", part)
            if shorter == part:
                break
            part = shorter
        if part:
            yield part


def normalized(text):
    """The instructions of a statement with registers named by their types."""
    types = {}
    for part in parts(text):
        declaration = DECLARATION.match(part)
        if declaration:
            vector, ty, names = declaration.groups()
            for name in names.split(","):
                base, _, count = name.strip().partition("<")
                for member in [f"{base}{n}" for n in range(min(int(count[:-1]), 300))] if count[:-1].isdigit() else [base]:
                    types[member] = None if vector else ty
            continue
        instruction = INSTRUCTION.fullmatch(part)
        if not instruction or part.startswith("."):
            continue
        guard, opcode, operands = instruction.groups()
        given, unknown = {}, []

        def rename(match):
            name = match[0]
            if name in ("_", "WARP_SZ") or KEPT.match(name):
                return name
            if name not in given:
                ty = types.get(name)
                if ty not in NAMES:
                    unknown.append(name)
                    return name
                given[name] = NAMES[ty] + str(sum(NAMES[types[other]] == NAMES[ty] for other in given))
            return given[name]

        line = (NAME.sub(rename, guard) if guard else "") + opcode + " " + NAME.sub(rename, operands)
        if not unknown:
            yield " ".join(line.split()) + ";"


def ask(lines, version, target):
    """Whether ptxas' check accepts each line, `None` where it crashes. Asks again without rejected lines until none is left, for an error may
    hide others."""
    head = f".version {version}\n.target {target}\n.address_size 64\n{BEFORE}"
    first = head.count("\n") + 1
    left, accepted = list(range(len(lines))), [True] * len(lines)
    while left:
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(head + "\n".join(lines[at] for at in left) + "\nret;\n}\n")
            file.flush()
            done = subprocess.run([mutants.PTXAS, f"-arch={oracle.arch(target)}", "-o", "/dev/null", file.name], capture_output=True, text=True)
        numbers = re.findall(r"line (\d+); (?:error|fatal)", done.stderr)
        wrong = {left[int(number) - first] for number in numbers if 0 <= int(number) - first < len(left)}
        if not wrong:
            if done.returncode and len(left) == 1:
                accepted[left[0]] = None
            elif done.returncode:
                # The assembler crashes.
                half = len(left) // 2
                for part in (left[:half], left[half:]):
                    for at, verdict in zip(part, ask([lines[at] for at in part], version, target)):
                        accepted[at] = verdict
            break
        for at in wrong:
            accepted[at] = False
        left = [at for at in left if at not in wrong]
    return accepted


def mutant(rng, line, pool):
    """One token of a line changed, so that it stays one statement."""
    changed = mutants.mutate(rng, line[:-1], pool)
    if not changed or changed.strip() == line[:-1] or any(sign in changed for sign in ';:"@') and ":" not in line and "@" not in line:
        return None
    if changed.count("{") != changed.count("}") or not re.match(r"[@a-z]", changed) or ";" in changed:
        return None
    return " ".join(changed.split()) + ";"


def main():
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    texts = [json.loads(line) for line in open(sys.argv[1])]
    lines = sorted({line for text in texts for line in normalized(text) if len(line) < 900})
    print(len(texts), "statements,", len(lines), "instructions", flush=True)
    tokens = [token for line in lines for token in mutants.TOKEN.findall(line)] + mutants.WORDS
    pool = {kind: sorted({token for token in tokens if mutants.kind(token) == kind}) for kind in ("dotted", "word", "number")}
    pool["sign"] = ["{", "}", "[", "]", ",", "!", "-", "+", "|"]
    pool["register"] = ["%tid", "%tid.x", "%clock64", "%nosuch"]
    asked = {pair: list(lines) for pair in PAIRS}
    for line in lines:
        for _ in range(MUTANTS):
            changed = mutant(rng, line, pool)
            if changed:
                asked[rng.choice(PAIRS)].append(changed)
    with gzip.GzipFile(os.path.join(HERE, "recorded.jsonl.gz"), "wb", mtime=0) as out:
        for (version, target), questions in asked.items():
            verdicts = []
            for start in range(0, len(questions), 400):
                part = questions[start : start + 400]
                answers = zip(part, ask(part, version, target))
                verdicts += [(line, accepted) for line, accepted in answers if accepted is not None]
            recorded = {"version": version, "target": target, "before": BEFORE, "lines": verdicts}
            out.write((json.dumps(recorded) + "\n").encode())
            print(version, target, len(verdicts), sum(accepted for _, accepted in verdicts), flush=True)


if __name__ == "__main__":
    main()
