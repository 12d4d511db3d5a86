"""The pytest plugin in sessions of its own, with stand-ins for the compilers: their modules and functions, without what they do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = ".version 8.0\\n.target sm_90\\n.visible .entry k() {\\n.reg .b64 a; .reg .b32 r;\\n"
COMPILERS = {
    "triton/compiler/compiler.py": "class CompiledKernel:\n    def __init__(self, text):\n        self.name, self.asm = 'add', {'ptx': text}\n",
    "triton/backends/nvidia/compiler.py": "class CUDABackend:\n    def make_cubin(self, src, metadata, opt, capability):\n        raise RuntimeError('`ptxas` failed')\n",
    "numba/cuda/codegen.py": "class CUDACodeLibrary:\n    name = 'f'\n    text = ''\n    def get_asm_str(self, cc=None):\n        return self.text\n",
    "cuda/bindings/nvrtc.py": "def nvrtcGetPTX(program, buffer):\n    buffer[:] = program\n    return (0,)\n",
}
TESTS = f"""
import os, pathlib
HEAD = "{HEAD}"
WRONG = HEAD + "red.global.or.u32 [a], r;\\nret;\\n}}\\n"
RIGHT = HEAD + "red.global.or.b32 [a], r;\\nret;\\n}}\\n"
def test_triton():
    from triton.compiler.compiler import CompiledKernel
    CompiledKernel(RIGHT)
    CompiledKernel(WRONG)
    CompiledKernel(WRONG)
def test_numba():
    from numba.cuda.codegen import CUDACodeLibrary
    library = CUDACodeLibrary()
    library.text = WRONG.replace("or.u32", "and.u32")
    assert library.get_asm_str() == library.text
def test_nvrtc():
    from cuda.bindings.nvrtc import nvrtcGetPTX
    buffer = bytearray(0)
    assert nvrtcGetPTX(WRONG.replace("or.u32", "xor.u32").encode() + b"\\0", buffer) == (0,)
def test_cute():
    folder = pathlib.Path(os.environ["CUTE_DSL_DUMP_DIR"])
    (folder / "gemm.ptx").write_text(WRONG.replace("or.u32", "or.f32"))
"""


@pytest.fixture
def session(tmp_path):
    for name, text in COMPILERS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "test_kernels.py").write_text(TESTS)
    here = Path(__file__).resolve().parents[2] / "server/python"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{here}"}
    environment.pop("PYTEST_CURRENT_TEST", None)

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "ptx_atomics.pytest_plugin"]
        return subprocess.run([*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_findings_fail_the_session_and_name_the_test(session):
    done = session("--ptx-atomics")
    assert "4 passed" in done.stdout and done.returncode == 1, done.stdout + done.stderr
    assert "add.ptx:5:14: error[illegal-type]" in done.stdout
    for compiler, test in [("Triton", "test_triton"), ("numba", "test_numba"), ("NVRTC", "test_nvrtc")]:
        assert f"compiled by {compiler} in test_kernels.py::{test}" in done.stdout, done.stdout
    assert "gemm.ptx:5:14" in done.stdout
    assert "modules checked: 5; findings: 4" in done.stdout, "each text once"


def test_a_kernel_that_the_assembler_rejects_is_checked(session, tmp_path):
    (tmp_path / "test_kernels.py").write_text(
        TESTS.split("def test_triton")[0]
        + "def test_rejected():\n    from triton.backends.nvidia.compiler import CUDABackend\n"
        + "    CUDABackend().make_cubin(WRONG, {'name': 'sum'}, None, 90)\n"
    )
    done = session("--ptx-atomics")
    assert "1 failed" in done.stdout and done.returncode == 1, done.stdout + done.stderr
    assert "sum.ptx:5:14: error[illegal-type]" in done.stdout
    assert "  red.global.or.u32 [a], r;\n               ^^^" in done.stdout, "the token is marked"
    assert "compiled by Triton in test_kernels.py::test_rejected" in done.stdout


def test_levels_and_absence(session):
    assert session("--ptx-atomics", "--ptx-atomics-fail-on", "never").returncode == 0
    without = session()
    assert without.returncode == 1 and "CUTE_DSL_DUMP_DIR" in without.stdout, "nothing is set without the option"
    assert "modules checked" not in without.stdout

