"""A pytest plugin: with `--ptx-atomics`, checks the PTX that Triton, CuTe DSL, numba-cuda and NVRTC compiled during the session.

Errors fail the session, and the summary names the test that compiled the module.
"""

import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import pytest

from . import Finding, ProgramError
from ._compilers import CompiledModule, record_into
from ._functions import lint

_LEVELS = ("error", "warning", "info", "hint", "never")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("ptx-atomics")
    group.addoption("--ptx-atomics", action="store_true", help="check the PTX that is compiled during the session")
    group.addoption("--ptx-atomics-fail-on", choices=_LEVELS, default="error", help="lowest severity that fails the session")
    group.addoption("--ptx-atomics-preset", default=None, metavar="PRESET", help="rules: recommended, strict or all")


def pytest_configure(config: pytest.Config) -> None:
    """Records from here on."""
    if config.getoption("--ptx-atomics"):
        config.pluginmanager.register(_Session(config), "ptx-atomics-session")


class _Session:
    """The modules of one session, and what is found in them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.modules: List[CompiledModule] = []
        self.findings: List[Tuple[CompiledModule, Finding]] = []
        self.failure: Optional[str] = None
        self.dump = _cute_dump()
        self.remove = record_into(self.modules)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Checks the modules; a worker of xdist sends them to its controller."""
        self.remove()
        self.modules += self.dump.modules()
        output: Optional[Dict[str, Any]] = getattr(self.config, "workeroutput", None)
        if output is not None:
            output["ptx_atomics"] = [list(module) for module in self.modules]
            return
        self.modules[:] = _unique(self.modules)
        preset = self.config.getoption("--ptx-atomics-preset")
        try:
            for module in self.modules:
                found = lint(module.text, name=module.name, preset=preset)
                self.findings += [(module, finding) for finding in found]
        except ProgramError as error:
            self.failure = str(error)
        fails = self.failure is not None or any(self._fails(finding) for _, finding in self.findings)
        if fails and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes the modules of a worker of xdist."""
        sent = getattr(node, "workeroutput", {}).get("ptx_atomics", [])
        self.modules += [CompiledModule(*parts) for parts in sent]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints the findings, and how much was checked."""
        write = terminalreporter.write_line
        terminalreporter.section("ptx-atomics")
        for module, finding in self.findings:
            source = f" (from {finding.source[0].path}:{finding.source[0].line})" if finding.source else ""
            write(f"{finding}{source}")
            for line in _excerpt(module.text, finding):
                write(f"  {line}")
            if module.test:
                write(f"  compiled by {module.compiler} in {module.test}")
        if self.failure is not None:
            write(f"ptx-atomics: {self.failure}")
        write(f"modules checked: {len(self.modules)}; findings: {len(self.findings)}")

    def _fails(self, finding: Finding) -> bool:
        level = self.config.getoption("--ptx-atomics-fail-on")
        return level != "never" and _LEVELS.index(finding.severity) <= _LEVELS.index(level)


def _excerpt(text: str, finding: Finding) -> List[str]:
    """The line of a finding, and a line that marks the token."""
    lines = text.splitlines()
    if not 0 < finding.line <= len(lines):
        return []
    line = lines[finding.line - 1].replace("\t", " ")
    end = finding.end_column if finding.end_line == finding.line else len(line) + 1
    blank = len(line) - len(line.lstrip())
    marks = " " * (finding.column - 1) + "^" * max(1, end - finding.column)
    return [line[blank:], marks[min(blank, finding.column - 1) :]]


def _unique(modules: List[CompiledModule]) -> List[CompiledModule]:
    """Each text once, with the first test that compiled it."""
    return list({module.text: module for module in reversed(modules)}.values())[::-1]


class _CuteDump:
    """A folder that CuTe DSL writes its PTX to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def modules(self) -> List[CompiledModule]:
        """The modules in the folder. CuTe DSL does not say which test compiled them."""
        files = sorted(self.folder.rglob("*.ptx"))
        return [CompiledModule("CuTe DSL", "", file.name, file.read_text(errors="replace")) for file in files]


def _cute_dump() -> _CuteDump:
    folder = os.environ.get("CUTE_DSL_DUMP_DIR")
    if folder is None:
        folder = tempfile.mkdtemp(prefix="ptx-atomics-")
        os.environ["CUTE_DSL_DUMP_DIR"] = folder
    os.environ.setdefault("CUTE_DSL_KEEP", "ptx")
    return _CuteDump(Path(folder))
