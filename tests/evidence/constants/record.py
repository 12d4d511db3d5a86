"""Asks ptxas which constants it takes, in the places of places.txt, and writes answers.txt; with --check it compares instead.

An answer is `taken`, `overflow` or `division` as the assembler words it, or `other` where it refuses the module for something else.
A minute on two cores. usage: record.py [--check]
"""

import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS", os.path.join(HERE, "../../.tools/bin/ptxas"))
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
INTEGERS = """0 1 4294967295 4294967296 4294967297 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616
18446744073709551619 18446744073709551620 99999999999999999999 184467440737095516160 0xFFFFFFFF 0x100000000 0xFFFFFFFFFFFFFFFF 0xFFFFFFFFFFFFFFFFF
0x10000000000000000 0x00000000000000000001 0X8000000000000000 0x80000000000000000 01777777777777777777777 07777777777777777777777 02000000000000000000000
18446744073709551615U 18446744073709551616U 99999999999999999999U 0xFFFFFFFFFFFFFFFFFU 4294967296U""".split()
INTEGERS += ["0b" + "1" * 64, "0b" + "1" * 65, "0b1" + "0" * 64, "0b1" + "0" * 65]
FLOATS = """1e400 1e308 1.8e308 1.7976931348623157e308 1.7976931348623159e308 1e-307 1e-308 1e-320 1e-400 2.2250738585072014e-308 2.2250738585072013e-308
2.2250738585072011e-308 0e-400 0.0e400 0.0 0e400 0.000e-999 1.e400 .5e309 .5e400 1E400 1e+400 1.0e-0310 -1e400 1e308*10.0 1e-300*1e-300 1.0/0.0 1.0/(1.0-1.0)
1.0/0d0000000000000000 1.0/0d8000000000000000 1.0/-0.0 1.0/(1e308*10.0) 1.0/(1e-300*1e-300) 5e-324 4.9e-324""".split()
FLOATS += ["1" + "0" * 308 + ".0", "1" + "0" * 309 + ".0", "0." + "0" * 306 + "1", "0." + "0" * 310 + "1"]
EXPRESSIONS = """1/0 1%(0) 1/0U 0/0 1?2:1/0 0?1/0:2 0&&(1/0) 1||(1/0) 1/(WARP_SZ-32) 1/WARP_SZ 1/(1>2) 1/(2>1) 1/(0xFFFFFFFFFFFFFFFF+1) 1/0xFFFFFFFFFFFFFFFF+1
1/!5 1/!0 1/~0 1/~0xFFFFFFFFFFFFFFFF 1/-0 1/-1 1/(.s64)0 1/(.u64)0 1/(.s64)4 1/(1/2) 1/(1<<64) 1/(1<<63<<1) 1/(1>>70) 1/(1>>64) 1/(-1>>63) 1/((-1>>63)+1)
1/((-1U>>63)-1) 1/(-1/2) 1/(-1/2U) 1/(0x8000000000000000/-1) 1/(-1<0) 1/(-1<0U) 1/(-1>0U) 1/(0xFFFFFFFFFFFFFFFF>0) 1/(0xFFFFFFFFFFFFFFFF<0) 1/(-1%2) 1/(-2%2) 1/(-1U%5)
1/(3&4) 1/(3|4) 1/(3^3) 1/(1==2) 1/(1!=2) 1/(5<=4) 1/(1?0:1) 1/(0?0:1) 1/(0?1:0) 1/((1?-1:1U)>0) 1/(1.0<2.0) 1/(1.0>2.0) 1/18446744073709551616 1/(2*3-6) 1/(2*(3-3))
6/2/0 6/2/1 6/(2/3)*4 1/(1-1*1) 4/(1,0) 8/(1+1>1==1) 7%(8-8) 7%8 7%WARP_SZ 1/(2&&0) 1/(0||0) 1/(0||3) 1/+0 1/(+0) 1/((((0)))) 1/0x0 1/00 1/0b0 1/(5-5U) 1/(1-2>>1)""".split()
WORDS = {"double": FLOATS, "doubles": FLOATS}


def literals():
    """Random integers about the borders; the same ones each time."""
    chosen = random.Random(18)
    for _ in range(60):
        base, radix = chosen.choice([("", 10), ("0x", 16), ("0", 8), ("0b", 2)])
        value, digits = chosen.getrandbits(chosen.choice([31, 33, 63, 64, 65, 68])) | 1, ""
        while value:
            value, digit = divmod(value, radix)
            digits = "0123456789ABCDEF"[digit] + digits
        yield base + digits


def cases():
    random_ones = list(literals())
    with open(os.path.join(HERE, "places.txt"), encoding="ascii") as file:
        places = [line.rstrip("\n").split(" | ", 1) for line in file if not line.startswith("#")]
    for place, text in places:
        constants = WORDS.get(place) or INTEGERS + (random_ones if place in ("move", "location", "section") else [])
        if place in ("move", "offset", "atomic", "value", "values"):
            constants = constants + EXPRESSIONS
        if place in ("size", "alignment", "registers", "comment", "pragma"):
            constants = constants + ["1/0"]
        for constant in constants:
            # The marker of `@@DWARF` is none of ours.
            yield place, constant, re.sub("(?<!@)@(?!@)", lambda _, c=constant: c, text).replace("\\n", "\n")


def ask(case):
    place, constant, text = case
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(HEAD + text + "\n")
        file.flush()
        done = subprocess.run([PTXAS, "-arch=compute_121", "-o", os.devnull, file.name], capture_output=True, text=True)
    said = done.stdout + done.stderr
    verdict = "taken"
    if done.returncode:
        verdict = "overflow" if "Constant overflow" in said else "division" if "division by zero" in said else "other"
    return f"{verdict} | {place} | {constant}\n"


def main():
    path = os.path.join(HERE, "answers.txt")
    with ThreadPoolExecutor(2) as pool:
        answers = "".join(pool.map(ask, cases()))
    if "--check" in sys.argv:
        with open(path, encoding="ascii") as file:
            sys.exit("answers.txt differs" if file.read() != answers else 0)
    with open(path, "w", encoding="ascii") as file:
        file.write(answers)


main()
