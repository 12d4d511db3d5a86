"""The steps of tests/run that build, test and lint, with their times.

    python3 tests/steps.py

Builds the program as `cargo run --release` does, then the tests, and says how many crates of the program the second build compiled again: none, or
the step fails. Runs each binary of tests as cargo does, and at the end prints the times by step, the slowest tests, and `N passed, N failed`.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CARGO = os.environ.get("CARGO", "cargo")
# How many of the slowest tests are printed.
SLOWEST = 10
# A result line of Rust's test harness; the time is an unstable option of it, which needs RUSTC_BOOTSTRAP.
RESULT = re.compile(r"^test (.+?) \.\.\. (ok|FAILED|ignored\b.*?)(?: <([0-9.]+)s>)?$")


class Steps:
    """Times of the steps that were taken."""

    def __init__(self):
        self.rows = []
        self.failed = False

    def take(self, name, action):
        """Does a step; a step that returns False has failed, and the next ones are taken all the same."""
        print(f"\n== {name}", flush=True)
        wall, processor = time.monotonic(), processor_seconds()
        if action() is False:
            self.failed = True
            print(f"failed: {name}", flush=True)
        self.rows.append((name, time.monotonic() - wall, processor_seconds() - processor))

    def print(self):
        print(f"\n{'step':40} {'wall s':>8} {'processor s':>12}")
        rows = [*self.rows, ("all", *(sum(row[column] for row in self.rows) for column in (1, 2)))]
        for name, wall, processor in rows:
            print(f"{name:40} {wall:8.0f} {processor:12.0f}")


def processor_seconds():
    """Processor time of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def succeeds(command, **options):
    return subprocess.run(command, cwd=ROOT, **options).returncode == 0


def artifacts(arguments):
    """What cargo builds: its messages about artifacts. Ends the program where it fails."""
    command = [CARGO, *arguments, "--message-format=json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"tests/run: {' '.join(arguments)} failed")
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [message for message in messages if message["reason"] == "compiler-artifact"]


def crate(artifact):
    """What tells crates apart that are compiled with other features, for another kind of target, or as a harness of unit tests."""
    target, profile = artifact["target"], artifact["profile"]
    return artifact["package_id"], target["name"], tuple(target["kind"]), profile["test"]


def run_binary(binary):
    """Runs a binary of tests as cargo does: its name, the lines that it printed, its exit code, and the seconds of processor time that it took."""
    package = Path(binary["manifest_path"]).parent
    environment = {**os.environ, "CARGO": CARGO, "RUSTC_BOOTSTRAP": "1"}
    command = [binary["executable"], "-Zunstable-options", "--report-time"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=package, env=environment, stdout=output)
        # As `process.wait()`, with the processor time of the process and of those that it waited for.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        lines = output.read().decode(errors="replace").splitlines()
    name = f"{package.relative_to(ROOT)} {binary['target']['name']}"
    return name, lines, process.returncode, used.ru_utime + used.ru_stime


def linked():
    """The packages that the program is linked from, as `name version`: not those of procedural macros and build scripts."""
    command = [CARGO, "tree", "--package", "ptx-atomics", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return {" ".join(line.split()[:2]).replace(" v", " ") for line in done.stdout.splitlines() if line.strip()}


def package(artifact):
    """The package of an artifact, as `name version`. Its identifier ends with `#name@version`, or `folder#version` where both names agree."""
    path, _, rest = artifact["package_id"].partition("#")
    name, _, version = rest.rpartition("@")
    return f"{name or path.rsplit('/', 1)[-1]} {version}"


class Tests:
    """The binaries of tests, and what they said."""

    def __init__(self):
        self.program = []
        self.binaries = []
        self.times = []
        self.processor = []
        self.passed = self.failed = self.ignored = 0

    def build_program(self):
        self.program = artifacts(["build", "--release"])
        print(f"{sum(not one['fresh'] for one in self.program)} crates compiled")

    def build(self):
        built = artifacts(["test", "--release", "--workspace", "--no-run"])
        of_program = {crate(one) for one in self.program}
        compiled = [one for one in built if not one["fresh"]]
        again = [one for one in compiled if crate(one) in of_program]
        # What procedural macros are built from is no part of the program: the tests have some of it as libraries, with other features.
        of_tests = sorted({package(one) for one in again} - linked())
        again = sorted(package(one) for one in again if package(one) not in of_tests)
        harnesses = sum(one["profile"]["test"] for one in compiled)
        print(f"{len(compiled) - harnesses} crates and {harnesses} binaries of tests compiled")
        print(f"{len(again)} crates of the program compiled again{': ' if again else ''}{', '.join(again)}")
        if of_tests:
            print(f"crates of procedural macros that the tests use as libraries: {', '.join(of_tests)}")
        self.binaries = [one for one in built if one["profile"]["test"] and one["executable"]]
        return not again

    def run(self):
        # Two at a time: each has a test that runs alone at its end.
        with ThreadPoolExecutor(2) as workers:
            for run in as_completed([workers.submit(run_binary, binary) for binary in self.binaries]):
                self.read(*run.result())
        print(f"\n{self.passed} passed, {self.failed} failed, {self.ignored} skipped")
        return self.failed == 0

    def read(self, name, lines, code, processor):
        """Counts the results of a binary, and prints what else it said."""
        print(f"\n{name}")
        self.processor.append((processor, name))
        failed = self.failed
        for line in lines:
            found = RESULT.match(line)
            if found is None:
                print(line)
                continue
            test, result, seconds = found.groups()
            self.passed += result == "ok"
            self.failed += result == "FAILED"
            self.ignored += result.startswith("ignored")
            self.times.append((float(seconds or 0), f"{name}: {test}"))
            if result == "FAILED":
                print(line)
        if code != 0 and self.failed == failed:
            print(f"{name} ended with {code} before its last test")
            self.failed += 1
        sys.stdout.flush()

    def print_slowest(self):
        rows = [(f"the slowest {SLOWEST} tests", self.times), (f"the {SLOWEST} binaries with most processor time", self.processor)]
        for title, times in rows:
            print(f"\n{title}")
            for seconds, name in sorted(times, reverse=True)[:SLOWEST]:
                print(f"{seconds:8.1f} s  {name}")


def main():
    steps, tests = Steps(), Tests()
    if succeeds([CARGO, "fmt", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        steps.take("formatting", lambda: succeeds([CARGO, "fmt", "--all", "--check"]))
    steps.take("program", tests.build_program)
    steps.take("tests: build", tests.build)
    steps.take("tests: run", tests.run)
    steps.take("examples in documentation", lambda: succeeds([CARGO, "test", "--quiet", "--release", "--workspace", "--doc"]))
    if succeeds([CARGO, "clippy", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        lints = [CARGO, "clippy", "--quiet", "--workspace", "--all-targets", "--release", "--", "--deny", "warnings"]
        steps.take("lints", lambda: succeeds(lints))
    tests.print_slowest()
    steps.print()
    sys.exit(steps.failed)


if __name__ == "__main__":
    main()
