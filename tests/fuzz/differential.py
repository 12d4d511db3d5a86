"""Compares ptxas and `ptx-atomics lint` on random instructions, and prints where they differ. Nothing is recorded.

Opcodes are those of the fixtures and of the pages of instructions; of most, one modifier is replaced, taken away or added. Operands are
registers of the opcode's types, addresses and numbers. Many instructions stand in one module: ptxas names the line of each error, and after a
syntax error, which hides what follows, it is asked again without that line.

    python3 tests/fuzz/differential.py [--seconds N] [--seed N]

prints the number of instructions, and a line for each difference: who rejects it, ours or ptxas', and the message.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, os.path.join(ROOT, "tests/evidence/operands"))
from modules import FLAT  # noqa: E402

PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(ROOT, "tests/.tools/bin/ptxas")
OURS = os.environ.get("PTX_ATOMICS_BIN") or os.path.join(ROOT, "target/debug/ptx-atomics")
LINES = 150
BANKS = "pred b8 u8 s8 b16 u16 s16 f16 f16x2 b32 u32 s32 f32 b64 u64 s64 f64 b128".split()


def opcodes():
    """Opcodes of at least two parts in the fixtures and the pages."""
    found = set()
    for folder in ("tests/fixtures", "server/isa/pages"):
        for path, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith((".ptx", ".md")):
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        found |= set(re.findall(r"(?<![\w.%])[a-z]\w*(?:(?:\.|::)[a-z0-9]\w*)+(?=\s+[%\[{a-zA-Z_])", file.read()))
    return sorted(found)


def operand(rng, types):
    ty = rng.choice(types)
    return rng.choice([f"{rng.choice('RSTU')}{ty}"] * 6 + ["[Rb64]", "[Ru64+8]", "[g]", "5", "1.0", "p", "0", "{Rb32,Sb32}"])


def instruction(rng, known, modifiers):
    parts = rng.choice(known).split(".")
    if rng.random() < 0.7 and len(parts) > 1:
        at = rng.randrange(1, len(parts))
        change = rng.randrange(3)
        if change == 0:
            parts[at] = rng.choice(modifiers)
        elif change == 1:
            del parts[at]
        else:
            parts.insert(at, rng.choice(modifiers))
    types = [part for part in parts if part in BANKS] or ["b32"]
    if parts[0] in ("setp", "set", "testp", "isspacep", "elect", "vote", "match"):
        types = types + ["pred"]
    first = {"ld": "r[", "st": "[r", "red": "[r", "atom": "r[r"}.get(parts[0])
    if first and rng.random() < 0.7:
        one = {"r": lambda: f"{rng.choice('RSTU')}{types[-1]}", "[": lambda: rng.choice(["[Rb64]", "[Ru64+8]", "[g]"])}
        operands = [one[kind]() for kind in first]
    else:
        operands = [operand(rng, types) for _ in range(rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5]))]
    return f"{'.'.join(parts)} {', '.join(operands)};"


def module(lines):
    before, after = FLAT.split("@@\n")
    return before + "\n".join(lines) + "\n" + after, before.count("\n") + 1


def assembler(lines, path):
    """The message about each line that ptxas rejects; the lines of syntax errors are in the second set."""
    errors, syntax = {}, set()
    while True:
        rest = [number for number in range(len(lines)) if number not in errors]
        text, first = module([lines[number] for number in rest])
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([PTXAS, "-arch=sm_90", "-o", "/dev/null", "-c", path], capture_output=True, text=True, check=False)
        new = False
        for line, kind, message in re.findall(r", line (\d+); (error|fatal)\s*: (.*)", done.stderr):
            at = int(line) - first
            if 0 <= at < len(rest) and rest[at] not in errors:
                errors[rest[at]] = message
                new = True
                if "Parsing error" in message or kind == "fatal":
                    syntax.add(rest[at])
        if done.returncode == 0:
            return errors, syntax
        if not new:
            return None


def ours(lines, path):
    """The message about each line that the linter rejects."""
    text, first = module(lines)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([OURS, "lint", "--format", "jsonl", path], capture_output=True, text=True, check=False)
    assert done.returncode < 2, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["line"] - first: one["message"] for one in found if one["severity"] == "error"}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    rng, known = random.Random(options.seed), opcodes()
    modifiers = sorted({part for name in known for part in name.split(".")[1:]})
    asked = accepted = unread = 0
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ptx")
        while time.monotonic() < end:
            lines = [instruction(rng, known, modifiers) for _ in range(LINES)]
            theirs = assembler(lines, path)
            if theirs is None:
                unread += 1
                continue
            errors, syntax = theirs
            # What hides other lines is asked about alone in tests/evidence/syntax.
            lines = [line for number, line in enumerate(lines) if number not in syntax]
            errors = [errors.get(number) for number in range(LINES) if number not in syntax]
            found = ours(lines, path)
            asked += len(lines)
            accepted += errors.count(None)
            for number, (line, error) in enumerate(zip(lines, errors)):
                if (error is None) != (number not in found):
                    who = "ours " if error is None else "ptxas"
                    print(f"{who} {line}  {found.get(number) or error}", flush=True)
    print(f"{asked} instructions, {accepted} accepted, {unread} modules without an answer; seed {options.seed}")


if __name__ == "__main__":
    main()
