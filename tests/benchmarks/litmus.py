#!/usr/bin/env python3
"""How long the outcomes of litmus tests with eight threads take.

    cargo build --profile dist --features dist
    tests/benchmarks/litmus.py [--rounds N] [--keep FOLDER] [BINARY]

Each line: the median processor time of the whole command, alone; the choices of what each read reads, which is what a search that prunes nothing
has to check one by one; the time for each of these; and the outcomes. "all" asks for every register, "two" for those of the condition.
The start of the process is measured in turn with it and stands in the last column. The search has one thread, so on an idle machine
the time on the clock is the same.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile

THREADS = 8
STRENGTHS = {
    "weak": ("st.weak", "ld.weak", None),
    "relaxed": ("st.relaxed.gpu", "ld.relaxed.gpu", None),
    "ra": ("st.release.gpu", "ld.acquire.gpu", None),
    "fence.sc": ("st.relaxed.gpu", "ld.relaxed.gpu", "fence.sc.gpu"),
}


def message_passing():
    """One after the other passes the message on; the last looks whether it knows what the first wrote."""
    middle = [[("R", f"x{at}"), ("W", f"x{at + 1}")] for at in range(1, THREADS - 1)]
    return [[("W", "x0"), ("W", "x1")], *middle, [("R", f"x{THREADS - 1}"), ("R", "x0")]]


def store_buffering():
    return [[("W", f"x{at}"), ("R", f"x{(at + 1) % THREADS}")] for at in range(THREADS)]


def load_buffering():
    return [[("R", f"x{at}"), ("W", f"x{(at + 1) % THREADS}")] for at in range(THREADS)]


def independent_reads(locations):
    """Each location has one thread that writes it; the others read all of them, each beginning with another one."""
    names = [f"x{at}" for at in range(locations)]
    reads = [[("R", names[(reader + at) % locations]) for at in range(locations)] for reader in range(THREADS - locations)]
    return [[("W", name)] for name in names] + reads


SHAPES = {
    "MP": message_passing(),
    "SB": store_buffering(),
    "LB": load_buffering(),
    "IRIW, 2 locations": independent_reads(2),
    "IRIW, 4 locations": independent_reads(4),
}


def program(threads, strength, observe_all):
    """The litmus test, and how many choices there are of what each read reads."""
    store, load, fence = STRENGTHS[strength]
    writes = [location for thread in threads for kind, location in thread if kind == "W"]
    columns, registers, choices = [], [], 1
    for number, thread in enumerate(threads):
        column = []
        for at, (kind, location) in enumerate(thread):
            if at and fence:
                column.append(fence)
            if kind == "W":
                column.append(f"{store} {location}, 1")
            else:
                registers.append(f"P{number}:r{at}")
                column.append(f"{load} r{at}, {location}")
                choices *= 1 + writes.count(location)
        columns.append(column)
    heads = " | ".join(f"P{at}@cta {at},gpu 0" for at in range(len(columns)))
    rows = range(max(map(len, columns)))
    body = "".join(" | ".join(c[at] if at < len(c) else "" for c in columns) + " ;\n" for at in rows)
    inits = " ".join(f"{register}=0;" for register in registers) if observe_all else ""
    claim = f"exists ({registers[-2]} == 1 /\\ {registers[-1]} == 0)"
    return f"PTX eight\n{{ {inits} }}\n{heads} ;\n{body}{claim}\n", choices


def seconds(command):
    """Processor time of a command, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default="target/dist/ptx-atomics")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", type=pathlib.Path, help="write the litmus tests there")
    options = parser.parse_args()
    print("| shape | strength | asked | ms | choices | ns each | outcomes | start, ms |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for shape, threads in SHAPES.items():
            for strength in STRENGTHS:
                for asked in ("two", "all"):
                    text, choices = program(threads, strength, asked == "all")
                    path = folder / f"{shape}-{strength}-{asked}.litmus".replace(", ", "-").replace(" ", "-")
                    path.write_text(text)
                    times, starts, output = [], [], b""
                    for _ in range(options.rounds):
                        time_taken, output = seconds([options.binary, "litmus", "--format", "jsonl", str(path)])
                        times.append(time_taken)
                        starts.append(seconds([options.binary, "--version"])[0])
                    answer = json.loads(output)
                    assert answer["complete"], path
                    took, start = statistics.median(times), statistics.median(starts)
                    each = f"{took * 1e9 / choices:.0f}" if choices >= 1000 else ""
                    count = len(answer["outcomes"])
                    print(f"| {shape} | {strength} | {asked} | {took * 1e3:.1f} | {choices} | {each} | {count} | {start * 1e3:.1f} |")


if __name__ == "__main__":
    main()
