#!/usr/bin/env python3
"""Ask the assembler whether each one-question module is PTX as far as syntax goes.

    record.py            write the verdicts into the case files
    record.py --check    compare instead of writing; exit 1 on the first difference

A case file is a list of cases:

    === NAME WRAP [escaped]
    source, any number of lines
    --- VERDICT

WRAP says what surrounds the source: `raw` nothing, `module` and `body` the file wrap.WRAP.ptx,
in which the line {{}} gives way to the source. In an `escaped` case \\n \\r \\t \\\\ and \\xNN are
decoded and the line end before the verdict does not count. Lines before the first case are remarks.

VERDICT is what the assembler says:

    accepted                     no complaint
    semantic: MESSAGE            it refused the meaning (first complaint), not the syntax
    syntax LINE: MESSAGE         it could not read the module; LINE counts in the wrapped module
    header: MESSAGE              it looked no further than for `.version` and `.target`: no question of syntax

The assembler words a syntax error as a *fatal* "Parsing error near", or as one of the complaints about
single bytes in SYNTAX below.
"""
import concurrent.futures, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or HERE.parents[1] / ".tools/bin/ptxas"
SYNTAX = re.compile(r"Parsing error near|non-ASCII character|[Uu]nexpected EOF")
HEADER = re.compile(r"Missing \.(version|target) directive at start of file")
PLACE = re.compile(r"^ptxas (?:\S*, line (\d+); )?(fatal|error|warning)\s*: (.*)$")


def wrapped(wrap, source):
    if wrap == "raw":
        return source
    head, tail = (HERE / f"wrap.{wrap}.ptx").read_bytes().split(b"{{}}\n")
    return head + source + tail


def unescaped(text):
    table = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}
    def one(match):
        key = match.group(1)
        return (bytes([int(key[1:], 16)]) if key[0] == "x" else table[key]).decode("latin-1")
    return re.sub(r"\\(x[0-9a-fA-F]{2}|.)", one, text).encode("latin-1")


def cases(path):
    """(header line, name, wrap, flags, source text) of each case, after the remarks."""
    remarks, found, lines = [], [], None
    for line in path.read_text().split("\n"):
        if line.startswith("=== "):
            _, name, wrap, *flags = line.split()
            lines = []
            found.append((line, name, wrap, flags, lines))
        elif line.startswith("--- "):
            found[-1] += (line[4:],)
            lines = None
        elif lines is not None:
            lines.append(line)
        elif not found:
            remarks.append(line)
    return remarks, found


def module(case):
    _, _, wrap, flags, lines = case[:5]
    text = "\n".join(lines)
    source = unescaped(text) if "escaped" in flags else (text + "\n").encode()
    return wrapped(wrap, source)


def ask(data):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "q.ptx"
        path.write_bytes(data)
        out = subprocess.run([PTXAS, "-arch=compute_121", path, "-o", os.devnull], capture_output=True)
    said = (out.stdout + out.stderr).decode("utf-8", "replace")
    first = None
    for line in said.splitlines():
        match = PLACE.match(line)
        if not match or match.group(2) == "warning" or "aborted due to errors" in line:
            continue
        place, kind, message = match.groups()
        message = message.replace(f"{folder}/", "")
        if kind == "fatal" and SYNTAX.search(message):
            place = place or (re.search(r"on line (\d+)", message) or [0, "0"])[1]
            return f"syntax {place}: {message}"
        if HEADER.search(message):
            return f"header: {message}"
        first = first or f"semantic: {'fatal: ' if kind == 'fatal' else ''}{message}"
    if out.returncode == 0:
        return "accepted"
    if first is None:
        sys.exit(f"the assembler gives no answer (exit {out.returncode}) to:\n{data.decode('latin-1')}")
    return first


def main():
    check = "--check" in sys.argv[1:]
    total = {"accepted": 0, "semantic": 0, "syntax": 0, "header": 0}
    seen, differences = {}, 0
    for path in sorted(HERE.glob("*.txt")):
        remarks, found = cases(path)
        modules = [module(case) for case in found]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = list(pool.map(ask, modules))
        text = list(remarks)
        for case, verdict, data in zip(found, verdicts, modules):
            if case[1] in seen or data in seen:
                sys.exit(f"{path.name}: {case[1]} repeats {seen.get(case[1]) or seen[data]}")
            seen[case[1]] = seen[data] = f"{path.name} {case[1]}"
            total[re.match(r"\w+", verdict)[0]] += 1
            if check and verdict != case[5]:
                print(f"{path.name}: {case[1]}: recorded {case[5]!r}, now {verdict!r}")
                differences += 1
            text += [case[0], *case[4], "--- " + verdict]
        if not check:
            path.write_text("\n".join(text) + "\n")
    print(", ".join(f"{count} {kind}" for kind, count in total.items()), "=", sum(total.values()), "cases")
    sys.exit(1 if differences else 0)


main()
