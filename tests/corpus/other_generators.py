"""Modules of nvcc on Thrust, CUB's device-wide algorithms and CUTLASS, of clang, of Triton and of numba-cuda."""
import concurrent.futures, os, pathlib, subprocess

import cutlass_kernels

HERE = pathlib.Path(__file__).resolve().parent
DEVICE_WIDE = """#include <{header}>
#include <thrust/device_ptr.h>
void own({type} *p, {type} *q, int n)
{{
    thrust::device_ptr<{type}> a(p), b(q);
    {call};
}}
"""
CALLS = {
    "sort": ("thrust/sort.h", "thrust::sort(a, a + n)"),
    "sort_by_key": ("thrust/sort.h", "thrust::stable_sort_by_key(a, a + n, b)"),
    "reduce": ("thrust/reduce.h", "*p = thrust::reduce(a, a + n)"),
    "scan": ("thrust/scan.h", "thrust::inclusive_scan(a, a + n, b)"),
    "unique": ("thrust/unique.h", "thrust::unique(a, a + n)"),
    "merge": ("thrust/merge.h", "thrust::merge(a, a + n, b, b + n, a + n)"),
    "histogram": ("cub/device/device_histogram.cuh",
                  "size_t s; cub::DeviceHistogram::HistogramEven(nullptr, s, p, (int *)q, 65, 0, 64, n)"),
    "topk": ("cub/device/device_select.cuh", "size_t s; cub::DeviceSelect::Unique(nullptr, s, p, q, q, n)"),
}


def run(path, command, **more):
    """Make one module by a command; a complaint where that fails."""
    out = subprocess.run(command, capture_output=True, text=True, **more)
    return path, f"{path.name}: {out.stderr[-1500:]}" if out.returncode else None


def commands(corpus, tools, work):
    """The module and the command of everything that a program of its own makes."""
    for i, (name, (header, call)) in enumerate(CALLS.items()):
        for j, type_ in enumerate(["int", "double"]):
            source = work / f"{name}_{type_}.cu"
            source.write_text(DEVICE_WIDE.format(header=header, type=type_, call=call))
            arch = ["75", "80", "90", "100", "121"][(i + j) % 5]
            option = [[], ["-lineinfo"], ["-G"], ["-rdc=true"]][(i + 2 * j) % 4]
            path = corpus / f"nvcc-{name}-{type_}-{arch}-{'-'.join(o.strip('-') for o in option) or 'plain'}.ptx"
            yield path, [tools / "bin/nvcc", "-std=c++17", "-ptx", f"-arch=compute_{arch}", *option, source, "-o", path]
    cutlass = next(tools.glob("venv/lib/python3*/site-packages/cutlass_library/source/include"), None)
    assert cutlass, "no CUTLASS: run tests/install --full"
    for i, (name, text, oldest) in enumerate(cutlass_kernels.sources()):
        source = work / f"cutlass_{name}.cu"
        source.write_text(text)
        for arch, option in ((max(oldest, 75), []), ("90", ["-lineinfo"]), ("120", ["-G"] if i % 2 else [])):
            path = corpus / f"nvcc-cutlass-{name}-{arch}-{''.join(option).strip('-') or 'plain'}.ptx"
            yield path, [tools / "bin/nvcc", "-std=c++17", "-w", "-ptx", f"-arch=compute_{arch}", *option, f"-I{cutlass}",
                         source, "-o", path]
    # Old releases of clang know neither the newest targets nor how to raise the PTX version for them.
    release = subprocess.run([tools / "bin/clang", "-dumpversion"], capture_output=True, text=True).stdout
    new = int(release.split(".")[0] or 0) >= 22
    archs, raised = (["50", "70", "90a", "100", "121"], "+ptx88") if new else (["50", "70", "80"], "+ptx70")
    for source in sorted((HERE / "clang").glob("*.cu")):
        for arch in archs:
            for option in (["-O0", "-g"], ["-O2"], ["-O3", "-gline-tables-only"]):
                path = corpus / f"clang-{source.stem}-{arch}-{''.join(option)}.ptx"
                yield path, [tools / "bin/clang", "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "-S",
                             f"--cuda-gpu-arch=sm_{arch}", "-Xclang", "-target-feature", "-Xclang", raised, *option, source, "-o", path]


def all_modules(corpus, tools):
    """The modules that were made and the complaints about those that were not."""
    work = tools / "corpus-sources"
    work.mkdir(exist_ok=True)
    asked = list(commands(corpus, tools, work))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda a: run(*a), asked))
    paths = [path for path, complaint in answers if complaint is None]
    complaints = [complaint for _, complaint in answers if complaint]
    python = tools / "venv/bin/python"
    for script in ("with_triton.py", "with_numba.py"):
        out = subprocess.run([python, HERE / script, corpus], capture_output=True, text=True)
        if out.returncode:
            complaints.append(f"{script}: {out.stderr[-1500:]}")
        paths += [corpus / line for line in out.stdout.split()]
    return paths, complaints
