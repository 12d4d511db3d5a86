"""Compile the sources of our own in `sources` against the libraries that `tests/install` has put into tests/.tools.

A source says at its top for which targets it is compiled (`// targets: sm_90a sm_100a`) and which packages it needs beside CUDA (`// packages: cutlass`).
A module that was made from the same text by the same packages is not made again, so an interrupted run goes on where it ended.
PTX_ATOMICS_MODULES is another folder for the modules than tests/.tools/libraries, PTX_ATOMICS_PACKAGES another one with Python's packages.
"""
import hashlib, os, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1]
TOOLS = TESTS / ".tools"
# The modules are in a folder of this one whose name is that of the repository in the table.
MODULES = pathlib.Path(os.environ.get("PTX_ATOMICS_MODULES") or TOOLS / "libraries")
NAME = "sources"
OPTIONS = ["-ptx", "-std=c++17", "-O3", "-w", "--expt-relaxed-constexpr", "--extended-lambda"]
HEADERS = {"cutlass": "cutlass_library/source/include"}
# Processor time of one compilation, in seconds, and its memory, in bytes.
LIMITS = ["prlimit", "--cpu=600", "--as=8000000000"]


def packages():
    """The folder of Python's packages."""
    given = os.environ.get("PTX_ATOMICS_PACKAGES")
    return pathlib.Path(given) if given else next(TOOLS.glob("venv/lib/python3*/site-packages"), TOOLS)


def remark(text, key):
    """The words of a line `// KEY: WORDS` of a source."""
    match = re.search(rf"^// {key}: *(.*)$", text, re.M)
    return match[1].split() if match else []


def headers(text, source):
    """The options for the headers of the packages that a source needs."""
    folders = [packages() / HEADERS[name] for name in remark(text, "packages")]
    missing = [folder for folder in folders if not folder.is_dir()]
    if missing:
        sys.exit(f"{source.name}: no {missing[0]}; run tests/install --full")
    return [f"-I{folder}" for folder in folders]


def modules():
    """The folder of the modules of all sources, compiled one after another."""
    pins = b"".join((TESTS / name).read_bytes() for name in ("requirements.txt", "requirements-full.txt"))
    wanted = set()
    for source in sorted((HERE / "sources").glob("*.cu")):
        text = source.read_text()
        for target in remark(text, "targets"):
            module = MODULES / NAME / target / f"{source.stem}.ptx"
            wanted.add(module)
            command = [*LIMITS, TOOLS / "bin/nvcc", *OPTIONS, f"-arch={target}", *headers(text, source)]
            key = hashlib.sha256(pins + repr((text, OPTIONS, target)).encode()).hexdigest()
            made = module.with_suffix(".key")
            if module.exists() and made.exists() and made.read_text() == key:
                continue
            module.parent.mkdir(parents=True, exist_ok=True)
            made.unlink(missing_ok=True)
            done = subprocess.run([*command, source, "-o", module], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{source.name} for {target}: {done.stderr[-2000:]}")
            made.write_text(key)
    for module in set(MODULES.glob(f"{NAME}/**/*.ptx")) - wanted:
        module.unlink()
    return MODULES
