"""Asks ptxas which names of instructions it knows, and which modifiers.

A name is what the assembler's lexer takes in one piece: `atom`, but also `mbarrier.try_wait`, whose words no blank parts. Of what it does not know it
says "Not a name of any known instruction", or "Unknown modifier". Candidates are every run of letters in the binary of the assembler itself and all
of its beginnings and ends, every word of up to five letters, and every name with one more word after it. What it takes only in order to say that it
does not take it (`cctl`), and what makes it crash (`_jcall`), is no name.

Writes instructions.txt and modifiers.txt. Ten minutes on two cores. usage: record.py
"""

import itertools
import os
import re
import string
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../legality"))
import oracle  # noqa: E402

PAIRS = [("9.5", "sm_100a"), ("9.5", "sm_90a"), ("5.0", "sm_30"), ("1.0", "sm_10")]
CHUNK = 50_000
ARGUMENTS = " " + ", ".join(["r0"] * 12)
NAME = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*\Z")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*(::[A-Za-z0-9_]+)*\Z")


def run(lines, version, target):
    """The messages by line, the first line that stops it, and whether it crashed."""
    before = oracle.header(version, target)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write("\n".join(before + lines + ["ret;", "}"]) + "\n")
    command = [oracle.PTXAS, "-arch=" + oracle.arch(target), "-o", os.devnull, file.name]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    os.unlink(file.name)
    said, fatal = {}, None
    for number, kind, text in re.findall(r", line (\d+); (\w+)\s*: (.*)", done.stderr):
        index = int(number) - len(before) - 1
        said.setdefault(index, []).append(text)
        if kind == "fatal" and fatal is None:
            fatal = min(max(index, 0), len(lines) - 1)
    return said, fatal, done.returncode < 0


def ask(lines, version="9.5", target="sm_100a"):
    """The messages for each line; `None` for one that is no instruction at all."""
    answers, parts = [], [lines]
    while parts:
        part = parts.pop()
        said, fatal, crashed = run(part, version, target) if part else ({}, None, False)
        if fatal is None and not crashed:
            answers += [said.get(index, []) for index in range(len(part))]
        elif len(part) == 1:
            answers.append(None)
        else:
            cut = [fatal, fatal + 1] if fatal is not None else [len(part) // 2]
            cuts = [0, *cut, len(part)]
            parts += reversed([part[a:b] for a, b in itertools.pairwise(cuts) if a < b])
    return answers


def known(candidates, line, refusal, pair=PAIRS[0]):
    """The candidates, written by `line`, of which the assembler does not say the refusal, with what it says."""
    candidates = sorted(candidates)
    for at in range(0, len(candidates), CHUNK):
        part = candidates[at : at + CHUNK]
        for word, said in zip(part, ask([line(word) for word in part], *pair)):
            if said is not None and not any(refusal in message for message in said):
                yield word, said


def runs():
    """Every run of letters in the binary, its beginnings and its ends."""
    found = set()
    with open(oracle.PTXAS, "rb") as file:
        data = file.read()
    for match in re.finditer(rb"[A-Za-z0-9_][A-Za-z0-9_.:]{0,60}", data):
        text = match.group().decode()
        found.update(re.split(r"[.:]", text))
        found.update(text[:end] for end in range(2, min(len(text), 40) + 1))
        found.update(text[start:] for start in range(1, len(text) - 1) if len(text) >= 5 and len(text) - start <= 40)
    return found


def words():
    """Every word of up to five letters, and with digits of up to three."""
    letters, both = string.ascii_lowercase, string.ascii_lowercase + string.digits
    for length in range(1, 6):
        yield from map("".join, itertools.product(letters, repeat=length))
    for length in range(2):
        yield from (a + "".join(rest) for a in letters for rest in itertools.product(both, repeat=length + 1))


def names(candidates):
    """The names among them: those that the assembler quotes whole when their operands are wrong."""
    likely = [name for name, _ in known(candidates, lambda name: name + ";", "Not a name of any known")]
    return {
        name for name, said in known(likely, lambda name: name + ARGUMENTS + ";", "Not a name") if any(f"'{name}'" in m for m in said)
    }


def main():
    texts = runs()
    short = set(words())
    instructions = names({text for text in texts if NAME.match(text)} | short) | {"call"}
    modifiers = dict(known({text for text in texts if WORD.match(text)} | short, lambda word: f"add.{word} r0;", "Unknown modifier"))
    parts = {part for name in instructions for part in name.split(".")} | {word for word in modifiers if NAME.match(word)}
    while True:
        firsts = {".".join(name.split(".")[:end]) for name in instructions for end in range(1, name.count(".") + 2)}
        longer = names({f"{first}.{part}" for first in firsts for part in parts})
        if longer <= instructions:
            break
        instructions |= longer
    for pair in PAIRS[1:]:
        there = {name for name, _ in known(instructions - {"call"}, lambda name: name + ";", "Not a name of any known", pair)}
        assert there == instructions - {"call"}, f"unknown at {pair}: {instructions - there}"
    for file, found in [("instructions.txt", instructions), ("modifiers.txt", set(modifiers))]:
        with open(os.path.join(HERE, file), "w") as out:
            out.write("".join(f"{text}\n" for text in sorted(found)))
        print(f"{file}: {len(found)}")


if __name__ == "__main__":
    main()
