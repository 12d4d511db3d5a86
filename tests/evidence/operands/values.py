"""Records which constants ptxas accepts where an instruction takes an integer constant: bounds, multiples, and sizes that belong together.

Asks about each operand of the recordings of kinds.py that takes one of the integers there: it is replaced by each of VALUES, the others stay.
Writes values.txt.gz: the declarations, as one line; VALUES; PAIRED; then a line for each operand: target, index, instruction, and the indices of
the constants that are accepted. Of the instructions of RELATED the two operands after the address are replaced at once, by each two of PAIRED; their lines have
both indices, as `2,3`, and the number of a pair is that of its first constant times the number of constants, plus that of its second. Instructions of
FURTHER are asked for other targets too, on which other constants are accepted.

    python3 values.py            records anew
    python3 values.py --check    fails if what is recorded is not what the assembler says now
"""

import gzip
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from kinds import DECLARATIONS, refused, split

HERE = os.path.dirname(os.path.abspath(__file__))
INTEGERS = {"0", "1", "-1", "16", "31", "32", "64", "128", "256"}
VALUES = """0 1 -1 2 3 4 5 7 8 12 13 15 16 17 24 31 32 33 48 63 64 65 96 127 128 129 255 256 512 1023 1024 1025 4096 65535 65536 1048575 1048576
8388608 16777208 16777216 16777224 2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296 4294967297 8589934592 9223372036854775807
0x8000000000000000 0xffffffffffffffff 0U 1U 0.5 1.0 0f3f000000 0d4000000000000000""".split()
PAIRED = "0 1 -1 -2 2 4 8 15 16 17 1024 2147483647 2147483648 0xffffffff 4294967296 4294967297 4294967304 1U".split()
RELATED = [
    "createpolicy.range.L2::evict_first.b64 l0, [a], r0, r1;",
    "createpolicy.range.global.L2::evict_last.b64 l0, [a], r0, r1;",
    "cp.async.ca.shared.global [a], [a], 4, r1;",
    "cp.async.ca.shared.global [a], [a], 16, r1;",
    "cp.async.cg.shared.global.L2::cache_hint [a], [a], 16, r1, l0;",
]
FURTHER = {"tensormap.replace.": ["sm_90a", "sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_120a"], "st.bulk": ["sm_107a", "sm_120a"]}


def recorded():
    """Target, index and instruction of each operand that takes an integer constant."""
    found = set()
    for name in sorted(os.listdir(os.path.join(HERE, "kinds"))):
        with gzip.open(os.path.join(HERE, "kinds", name), "rt") as file:
            lines = file.read().splitlines()
        integers = {number for number, kind in enumerate(lines[1].split()) if kind in INTEGERS}
        for line in lines[2:]:
            target, at, instruction, good = line.split("\t")
            if integers & {int(number) for number in good.split()}:
                others = [other for start, targets in FURTHER.items() if instruction.startswith(start) for other in targets]
                found |= {(one, int(at), instruction) for one in [target, *others]}
    return sorted(found)


def asked(instruction, replaced):
    """The instruction with some operands replaced: index and text."""
    opcode, _, rest = instruction.rstrip(";").partition(" ")
    operands = split(rest)
    for at, text in replaced:
        operands[at] = text
    return f"{opcode} {', '.join(operands)};"


def line(target, instruction, places, lines):
    """What is recorded about the instruction with these lines."""
    bad = refused(lines, target)
    good = " ".join(str(number) for number in range(len(lines)) if number not in bad)
    return f"{target}\t{places}\t{instruction}\t{good}"


def one(question):
    """The line of one operand."""
    target, at, instruction = question
    return line(target, instruction, at, [asked(instruction, [(at, value)]) for value in VALUES])


def two(instruction):
    """The line of two operands that belong together."""
    lines = [asked(instruction, [(2, one), (3, other)]) for one in PAIRED for other in PAIRED]
    return line("sm_90a", instruction, "2,3", lines)


def main():
    with ThreadPoolExecutor() as pool:
        lines = [*pool.map(one, recorded()), *pool.map(two, RELATED)]
    text = "\n".join([DECLARATIONS, " ".join(VALUES), " ".join(PAIRED), *lines]) + "\n"
    path = os.path.join(HERE, "values.txt.gz")
    if "--check" in sys.argv:
        with gzip.open(path, "rt") as file:
            sys.exit(None if file.read() == text else "values.txt.gz differs from what the assembler says")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.encode())
    print(f"{len(lines)} operands")


if __name__ == "__main__":
    main()
