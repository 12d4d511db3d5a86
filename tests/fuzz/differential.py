"""Compares ptxas and `ptx-atomics lint` on random instructions, and prints where they differ. Nothing is recorded.

An instruction is made in one of two ways. Either its opcode is one of the fixtures and of the pages of instructions, of most of which one modifier
is replaced, taken away or added, with registers of the opcode's types, addresses and numbers as operands. Or it is one of those in
tests/evidence/operands/kinds, which has a form of every family, or one that ptxas has accepted in this run, with a modifier or an operand changed:
such stand near the border between right and wrong. Many instructions stand in one module: ptxas names the line of each error, and after a syntax
error, which hides what follows, it is asked again without that line.

    python3 tests/fuzz/differential.py [--seconds N] [--seed N] [--jobs N] [--target sm_90]

prints the number of instructions, and a line for each difference: who rejects it, ours or ptxas', and the message. `--jobs` searches with as many
seeds, from that of `--seed` on. The program is `target/debug/ptx-atomics` or that of `PTX_ATOMICS_BIN`.
"""

import argparse
import gzip
import json
import multiprocessing
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
from kinds import DECLARATIONS, KINDS, TARGETS, split  # noqa: E402

PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(ROOT, "tests/.tools/bin/ptxas")
OURS = os.environ.get("PTX_ATOMICS_BIN") or os.path.join(ROOT, "target/debug/ptx-atomics")
LINES = 150
KIND_FOLDER = os.path.join(ROOT, "tests/evidence/operands/kinds")
# A register of each type. They are declared in DECLARATIONS.
REGISTERS = {
    "pred": "p", "b8": "b", "u8": "b", "s8": "b", "b16": "h", "u16": "h", "s16": "h", "f16": "h", "bf16": "h", "b32": "r", "u32": "r", "s32": "r",
    "f16x2": "r", "bf16x2": "r", "f32": "f", "b64": "l", "u64": "l", "s64": "l", "f64": "d", "b128": "q",
}
# How many accepted instructions are kept to be changed, at most.
KEPT = 4_000


def texts():
    """The fixtures and the pages."""
    for folder in ("tests/fixtures", "server/isa/pages"):
        for path, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith((".ptx", ".md")):
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        yield file.read()


def opcodes():
    """Opcodes of at least two parts in the fixtures and the pages."""
    found = set()
    for text in texts():
        found |= set(re.findall(r"(?<![\w.%])[a-z]\w*(?:(?:\.|::)[a-z0-9]\w*)+(?=\s+[%\[{a-zA-Z_])", text))
    return sorted(found)


def recorded(target):
    """The instructions of tests/evidence/operands/kinds that were asked for the target or for one of its family."""
    found = set()
    for name in sorted(os.listdir(KIND_FOLDER)):
        with gzip.open(os.path.join(KIND_FOLDER, name), "rt") as file:
            for line in list(file)[2:]:
                asked, _, text, _ = line.rstrip("\n").split("\t")
                if asked.rstrip("af") == target.rstrip("af"):
                    found.add(text)
    return sorted(found)


class Instructions:
    """A source of random instructions."""

    def __init__(self, seed, target):
        self.rng = random.Random(seed)
        self.known = opcodes()
        self.accepted = recorded(target)
        parts = [name.split(".")[1:] for name in self.known] + [line.split()[0].rstrip(";").split(".")[1:] for line in self.accepted]
        self.modifiers = sorted({part for one in parts for part in one})

    def accept(self, line):
        """Keeps an instruction to change it."""
        if len(self.accepted) < KEPT:
            self.accepted.append(line)
        else:
            self.accepted[self.rng.randrange(KEPT)] = line

    def next(self):
        """An instruction."""
        if self.accepted and self.rng.random() < 0.75:
            return self.near(self.rng.choice(self.accepted))
        return self.fresh()

    def changed(self, parts):
        """The parts of an opcode with a modifier replaced, removed or added."""
        rng = self.rng
        at = rng.randrange(1, len(parts) + 1)
        change = rng.randrange(3)
        if change == 2 or at == len(parts):
            return [*parts[:at], rng.choice(self.modifiers), *parts[at:]]
        return [*parts[:at], *([] if change == 1 else [rng.choice(self.modifiers)]), *parts[at + 1 :]]

    def operand(self, types):
        """An operand of one of the types, or something else."""
        rng = self.rng
        return f"{REGISTERS[rng.choice(types)]}{rng.randrange(9)}" if rng.random() < 0.6 else rng.choice(KINDS)

    def near(self, line):
        """An instruction with one change."""
        rng = self.rng
        opcode, _, rest = line.rstrip(";").partition(" ")
        operands = split(rest) if rest else []
        change = rng.randrange(8)
        if change < 4 or not operands:
            opcode = ".".join(self.changed(opcode.split(".")))
        elif change < 6:
            operands[rng.randrange(len(operands))] = rng.choice(KINDS)
        elif change == 6:
            del operands[rng.randrange(len(operands))]
        else:
            operands.insert(rng.randrange(len(operands) + 1), rng.choice(KINDS))
        return f"{opcode} {', '.join(operands)};"

    def fresh(self):
        """A known opcode, often with a change, and random operands."""
        rng = self.rng
        parts = rng.choice(self.known).split(".")
        if rng.random() < 0.7:
            parts = self.changed(parts)
        types = [part for part in parts if part in REGISTERS] or ["b32"]
        if parts[0] in ("setp", "set", "testp", "isspacep", "elect", "vote", "match"):
            types = types + ["pred"]
        first = {"ld": "r[", "st": "[r", "red": "[r", "atom": "r[r"}.get(parts[0])
        if first and rng.random() < 0.7:
            one = {"r": lambda: f"{REGISTERS[types[-1]]}{rng.randrange(9)}", "[": lambda: rng.choice(["[l1]", "[lu+8]", "[gv]", "[sv]"])}
            operands = [one[kind]() for kind in first]
        else:
            operands = [self.operand(types) for _ in range(rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5]))]
        return f"{'.'.join(parts)} {', '.join(operands)};"


def module(lines, target):
    """A module with the instructions, and the line of the first."""
    before = f".version 9.5\n.target {target}\n.address_size 64\n{DECLARATIONS}\n"
    return before + "\n".join(lines) + "\nret; }\n", before.count("\n") + 1


def assembler(lines, path, target):
    """The message about each line that ptxas rejects; the lines of syntax errors are in the second set."""
    errors, syntax = {}, set()
    while True:
        rest = [number for number in range(len(lines)) if number not in errors]
        text, first = module([lines[number] for number in rest], target)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        arch = target.replace("sm_", "compute_")
        done = subprocess.run([PTXAS, "-arch=" + arch, "-o", "/dev/null", "-c", path], capture_output=True, text=True, check=False)
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


def ours(lines, path, target):
    """The message about each line that the linter rejects."""
    text, first = module(lines, target)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([OURS, "lint", "--format", "jsonl", path], capture_output=True, text=True, check=False)
    assert done.returncode < 2, done.stderr + text
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["line"] - first: one["message"] for one in found if one["severity"] == "error"}


def report_alone(line, path, target):
    """Prints a difference that remains where the instruction stands alone: ptxas blames some errors on the next line."""
    theirs = assembler([line], path, target)
    found = ours([line], path, target)
    if theirs is not None and bool(theirs[0]) != bool(found):
        print(f"ptxas {line}  {theirs[0][0]}" if theirs[0] else f"ours  {line}  {next(iter(found.values()))}", flush=True)


def search(seed, seconds, target):
    """Asks with one seed. Returns the numbers of instructions, of accepted ones, and of modules without an answer."""
    source = Instructions(seed, target)
    asked = accepted = unread = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ptx")
        while time.monotonic() < end:
            lines = [source.next() for _ in range(LINES)]
            theirs = assembler(lines, path, target)
            if theirs is None:
                unread += 1
                continue
            errors, syntax = theirs
            # What hides other lines is asked about alone in tests/evidence/syntax.
            lines = [line for number, line in enumerate(lines) if number not in syntax]
            errors = [errors.get(number) for number in range(LINES) if number not in syntax]
            found = ours(lines, path, target)
            asked += len(lines)
            accepted += errors.count(None)
            for number, (line, error) in enumerate(zip(lines, errors)):
                if error is None:
                    source.accept(line)
                if (error is None) != (number not in found):
                    report_alone(line, path, target)
    return asked, accepted, unread


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--target", default="sm_90", choices=["sm_90", *TARGETS])
    options = options.parse_args()
    seeds = range(options.seed, options.seed + options.jobs)
    with multiprocessing.Pool(options.jobs) as pool:
        found = pool.starmap(search, [(seed, options.seconds, options.target) for seed in seeds])
    asked, accepted, unread = map(sum, zip(*found))
    print(f"{asked} instructions, {accepted} accepted, {unread} modules without an answer; {options.target}, seeds {seeds[0]} to {seeds[-1]}")


if __name__ == "__main__":
    main()
