"""The Python module, as its users call it. `PTX_ATOMICS` is the program under test."""

import subprocess
import sys
from pathlib import Path

import ptx_atomics
import pytest

ROOT = Path(__file__).resolve().parents[2]
WRONG = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\nred.global.or.u32 [a], r;\nret;\n}\n"
KERNEL = (ROOT / "tests/fixtures/kernels/out_of_bounds.ptx").read_text()


def test_lint_returns_findings():
    [finding] = ptx_atomics.lint(WRONG)
    assert (finding.code, finding.severity, finding.line, finding.column) == ("illegal-type", "error", 5, 14)
    assert "requires a bit type" in finding.help
    assert str(finding).startswith("module.ptx:5:14: error[illegal-type]: ")
    assert ptx_atomics.lint(WRONG, rules={"illegal-type": "off"}) == []


def test_lint_takes_targets_and_languages():
    right = WRONG.replace("or.u32", "add.noftz.f16x2")
    assert ptx_atomics.lint(right) == []
    [finding] = ptx_atomics.lint(right, target=["sm_90", "sm_50"])
    assert "sm_50" in finding.message
    cuda = 'void f(int *p) { asm volatile("red.global.or.u32 [%0], 1;" :: "l"(p) : "memory"); }'
    assert [finding.code for finding in ptx_atomics.lint(cuda, name="k.cu")] == ["illegal-type"]


def test_evaluate():
    result = ptx_atomics.evaluate("atom.global.inc.u32", mem=7, b=7)
    assert (result.memory[0].bits, result.destination.value, result.error) == ("0x00000000", "7", None)
    assert ptx_atomics.evaluate("red.global.add.s32", mem=1, b=-2).memory[0].value == "-1"
    illegal = ptx_atomics.evaluate("red.global.or.u32", mem=7, b=7)
    assert (illegal.code, illegal.memory) == ("illegal-type", [])


def test_run_and_check():
    ran = ptx_atomics.run(KERNEL, block=9, args={"a": "u32[8]"}, expect={"a": [0, 1, 5]})
    assert ran.memory["a"] == list(range(8))
    assert [problem.code for problem in ran.problems] == ["out-of-bounds", "misaligned-access", "unexpected-value"]
    assert (ran.problems[0].thread.thread, ran.problems[0].lines) == (8, [13])
    checked = ptx_atomics.check(KERNEL, block=[2, 1], args={"a": "u32[8]"})
    assert checked.verdict == "refuted" and checked.problems


def test_paths_are_modules_and_sources(tmp_path, monkeypatch):
    module = tmp_path / "k.ptx"
    module.write_text(KERNEL)
    assert ptx_atomics.run(module, block=4, args={"a": "u32[8]"}).memory["a"][:4] == [0, 1, 2, 3]
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text(f'#!/bin/sh\necho "$*" > {tmp_path}/words\ncp {module} "$4"\n')
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    source = tmp_path / "k.cu"
    source.write_text("")
    checked = ptx_atomics.check(source, block=2, args={"a": "u32[8]"}, flags=["-arch=sm_90"])
    assert checked.verdict == "refuted"
    assert "-arch=sm_90" in (tmp_path / "words").read_text()
    source.write_text("//! check fill grid 1 block 2 a=u32[8]\n")
    with pytest.raises(ptx_atomics.ProgramError, match="launches in comments"):
        ptx_atomics.check(source)


def test_notes_of_a_run_are_no_problems():
    one_word = KERNEL.replace("st.global.u32 [%rd3], %r1;", "st.global.u32 [%rd1], 7;").replace("ld.global.u32 %r2, [%rd3+2];", "")
    ran = ptx_atomics.run(one_word, block=2, args={"a": "u32[8]"})
    assert (ran.problems, ran.memory["a"][0]) == ([], 7)
    assert [(note.code, note.lines) for note in ran.notes] == [("same-value-race", [13])]
    assert ptx_atomics.run(one_word, block=1, args={"a": "u32[8]"}).notes == ()


def test_errors_are_those_of_the_program(monkeypatch):
    with pytest.raises(ptx_atomics.ProgramError, match="unknown target"):
        ptx_atomics.lint(WRONG, target="sm_9")
    with pytest.raises(ptx_atomics.ProgramError, match="a"):
        ptx_atomics.run(KERNEL)
    monkeypatch.setenv("PTX_ATOMICS", "/nowhere/ptx-atomics")
    with pytest.raises(ptx_atomics.ProgramError, match="cannot run"):
        ptx_atomics.version()


def test_the_module_is_the_program():
    run = subprocess.run([sys.executable, "-m", "ptx_atomics", "lint", "-"], input=WRONG, capture_output=True, text=True)
    assert run.returncode == 1 and "error[illegal-type]" in run.stdout
    version = subprocess.run([sys.executable, "-m", "ptx_atomics", "-V"], capture_output=True, text=True).stdout
    assert version == f"ptx-atomics {ptx_atomics.version()}\n"
