"""One-token mutants of the heads of functions, declarations and directives of compiler-made modules, and what ptxas' check says about each.

    python3 record_directives.py MUTANTS [SEED]

Takes the modules of recorded.jsonl.gz, and writes directives.jsonl.gz in the same format.
"""

import gzip
import json
import os
import random
import re
import sys

from record import HERE, ask, is_code, pools, shared_tokens

# Sections of debug data are long and alike: at most this many lines of each module.
SECTION_LINES = 12


def directive_lines(rng, text):
    """The numbers of the lines of heads, declarations and directives."""
    found, in_section = [], []
    head = section = False
    for at, line in enumerate(text.split("\n")):
        code = line.split("//")[0].strip()
        if not is_code(line):
            continue
        head = head or bool(re.match(r"(\.(visible|extern|weak)\s+)*\.(entry|func)\b", code))
        if section:
            in_section.append(at)
        elif head or code.startswith("."):
            found.append(at)
        section = (section or code.startswith(".section")) and "}" not in code
        head = head and not code.endswith((";", "{"))
    return found + rng.sample(in_section, min(SECTION_LINES, len(in_section)))


def main():
    mutants = int(sys.argv[1])
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    modules = [json.loads(line) for line in gzip.open(os.path.join(HERE, "recorded.jsonl.gz"))]
    shared = shared_tokens(module["text"] for module in modules)
    total = [0, 0]
    with gzip.GzipFile(os.path.join(HERE, "directives.jsonl.gz"), "wb", mtime=0) as out:
        for module in modules:
            text = module["text"]
            recorded = ask(rng, text, directive_lines(rng, text), pools(text, shared), mutants)
            for _, _, accepted in recorded:
                total[accepted] += 1
            out.write((json.dumps({**module, "mutants": recorded}) + "\n").encode())
            print(module["name"], len(recorded), total, flush=True)


if __name__ == "__main__":
    main()
