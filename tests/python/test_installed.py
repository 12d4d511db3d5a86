"""The wheel as users install it: each way of using it ends with a finding. Nothing is fetched."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import virtualenv
from small_wheel import ROOT, pack_wheel, version

WRONG = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\nred.global.or.u32 [a], r;\nret;\n}\n"


def clean_environment(**variables):
    """Without the program under test and its module: what is installed counts."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PTX_ATOMICS", "PYTHONPATH", "PYTEST_CURRENT_TEST")}
    return {**kept, **variables}


def run(*command, folder, **variables):
    return subprocess.run([*map(str, command)], cwd=folder, env=clean_environment(**variables), capture_output=True, text=True)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """A folder that pip takes packages from."""
    folder = tmp_path_factory.mktemp("index")
    pack_wheel(folder)
    return folder


@pytest.fixture(scope="module")
def installed(index, tmp_path_factory):
    """The folder with the programs of a fresh environment that has the wheel alone."""
    folder = tmp_path_factory.mktemp("fresh")
    made = run(sys.executable, "-m", "venv", folder / "venv", folder=folder)
    assert made.returncode == 0, made.stderr
    bin = folder / "venv/bin"
    pip = run(bin / "python", "-m", "pip", "install", "--no-index", "--find-links", index, "ptx-atomics", folder=folder)
    assert pip.returncode == 0, pip.stdout + pip.stderr
    return bin


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "wrong.ptx").write_text(WRONG)
    return tmp_path


def test_the_program_and_the_module(installed, folder):
    for command in [(installed / "ptx-atomics",), (installed / "python", "-m", "ptx_atomics")]:
        done = run(*command, "lint", "wrong.ptx", folder=folder, PATH="/usr/bin:/bin")
        assert done.returncode == 1 and "error[illegal-type]" in done.stdout, done.stdout + done.stderr
    assert run(installed / "ptx-atomics", "-V", folder=folder).stdout == f"ptx-atomics {version()}\n"


def test_the_functions(installed, folder):
    script = f"""
import ptx_atomics
text = open("wrong.ptx").read()
kernel = open({str(ROOT / "tests/fixtures/kernels/out_of_bounds.ptx")!r}).read()
print(ptx_atomics.lint(text)[0].code)
print(ptx_atomics.evaluate("red.global.or.u32", mem=7, b=7).code)
print(ptx_atomics.check(kernel, block=[2, 1], args={{"a": "u32[8]"}}).verdict)
print(ptx_atomics.find_program())
"""
    done = run(installed / "python", "-c", script, folder=folder)
    assert done.stdout.split() == ["illegal-type", "illegal-type", "refuted", str(installed / "ptx-atomics")], done.stderr


def test_pytest_finds_the_plugin(installed, folder):
    # pytest itself is that of the tests.
    site = run(installed / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).stdout.strip()
    (Path(site) / "pytest_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (folder / "cuda/bindings").mkdir(parents=True)
    (folder / "cuda/bindings/nvrtc.py").write_text("def nvrtcGetPTX(program, buffer):\n    buffer[:] = program\n")
    test = f"def test_kernel():\n    from cuda.bindings.nvrtc import nvrtcGetPTX\n    nvrtcGetPTX({WRONG.encode()!r}, bytearray())\n"
    (folder / "test_kernel.py").write_text(test)
    done = run(installed / "python", "-m", "pytest", "-q", "--ptx-atomics", folder=folder)
    assert done.returncode == 1 and "1 passed" in done.stdout, done.stdout + done.stderr
    assert "nvrtc.ptx:5:14: error[illegal-type]" in done.stdout
    assert "compiled by NVRTC in test_kernel.py::test_kernel" in done.stdout


def test_pre_commit_installs_the_mirror(index, folder):
    mirror = folder / "mirror"
    made = run(ROOT / ".ci/mirror", mirror, folder=folder)
    assert made.returncode == 0, made.stderr
    (folder / "work").mkdir()
    (folder / "work/wrong.ptx").write_text(WRONG)
    identity = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false")
    for repository in [mirror, folder / "work"]:
        for arguments in [("init", "-q"), ("add", "-A"), ("commit", "-qm", "t")]:
            assert run("git", *identity, *arguments, folder=repository).returncode == 0
    # setuptools, which builds the mirror, comes with virtualenv.
    embedded = Path(virtualenv.__file__).parent / "seed/wheels/embed"
    sources = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": f"{index} {embedded}", "PRE_COMMIT_HOME": str(folder / "cache")}

    def hook(name):
        command = [sys.executable, "-m", "pre_commit", "try-repo", mirror, name, "--all-files"]
        return run(*command, folder=folder / "work", PATH="/usr/bin:/bin", **sources)

    found = hook("ptx-atomics")
    assert found.returncode == 1 and "error[illegal-type]" in found.stdout, found.stdout + found.stderr
    fixed = hook("ptx-atomics-fix")
    assert "files were modified by this hook" in fixed.stdout, fixed.stdout + fixed.stderr
    assert hook("ptx-atomics").returncode == 0
