#!/usr/bin/env python3
"""Whether the rules about synchronisation and `ptx-atomics check` agree on the kernels in tests/fixtures/synchronisation.

    rules.py            writes rules.md beside this script
    rules.py --check    exits with 1 if the table is another one

Each kernel is checked as it is, where the rules report nothing, and without each marked line, where the rule in the marker reports it
(`conformance/removed_order.rs` tests the rules).
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tables import write_or_check

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BINARY = os.environ.get("PTX_ATOMICS", ROOT / "target/release/ptx-atomics")
FIXTURES = ROOT / "tests/fixtures/synchronisation"
TABLE = HERE / "rules.md"
# The launches of kernels that these do not suit: sizes, arguments other than zeros and 2, and what an earlier kernel does.
DEFAULT = ("--grid 1 --block 64", "--grid 2 --block 2")
CLUSTER = "--grid 2 --cluster 2"
# A descriptor for `wgmma`: 64 rows of 32 bytes from the begin of shared memory on, without a swizzle.
DESCRIPTOR = "u64=68720001024"
LAUNCHES = {
    "arrivals.count_of_warps": ["--block 64"],
    "clusters_and_grids.cluster_barrier": [CLUSTER],
    "clusters_and_grids.copied_by_another": ["--block 129 --arg 0=u32[128] --earlier 0=writes"],
    "clusters_and_grids.dependent": ["--block 2 --earlier 0=writes"],
    "clusters_and_grids.dependent_write": ["--block 2 --earlier 0=reads"],
    "clusters_and_grids.waits_on_a_path": ["--block 2 --earlier 0=writes"],
    "clusters_and_grids.written_table": ["--block 1"],
    "flags.atomic_poll": ["--grid 2"],
    "flags.fences": ["--grid 2"],
    "flags.membars": ["--grid 2"],
    "flags.message": ["--grid 2"],
    "flags.pause": ["--grid 2"],
    "locks.both_lock": ["--grid 2"],
    "locks.one_cta": ["--block 33"],
    "locks.pass_on": ["--grid 2"],
    "partial_phases.leaders": ["--block 160 --arg 1=u32=6"],
    "pipelines.remembered": ["--block 32 --shared 512 --arg 2=u32=128"],
    "pipelines.chain": ["--grid 2"],
    "cuda_barrier._Z5tma2d14CUtensorMap_stii": ["--block 2 --arg 0=tensor(u32[64x16],box=64x8) --arg 1=u32=0 --arg 2=u32=0"],
    "proxy_fences.change_in_place": ["--block 64"],
    "proxy_fences.fenced_mbarrier": ["--block 1"],
    "proxy_fences.known_offsets": ["--shared 2048"],
    "proxy_fences.unknown_offsets": ["--block 2 --shared 2048 --arg 1=u32=16"],
    "proxy_fences.tensor_store": ["--block 32 --arg 0=tensor(f16[64x16],box=64x16)"],
    "proxy_fences.wgmma_of_copies": [f"--block 1 --arg 1={DESCRIPTOR} --arg 2=tensor(f16[64x128],box=64x128)"],
    "proxy_fences.wgmma_of_stores": [f"--block 128 --arg 2={DESCRIPTOR}"],
    "tensor_copies.cluster_histogram": ["--grid 4 --block 1"],
    "tensor_copies.epilogue": ["--block 128 --shared 2048 --arg 0=tensor(f16[64x16],box=64x16) --arg 1=u32=0"],
    "tensor_copies.epilogue_loop": ["--block 128 --shared 16384 --arg 0=tensor(f16[64x64],box=64x64) --arg 1=u32=1"],
    "tensor_copies.multicast": ["--grid 2 --block 1 --arg 0=tensor(f32[32x32],box=32x32)"],
    "tensor_copies.pipeline": ["--block 160 --shared 65600 --arg 0=tensor(f16[64x128],box=64x128) --arg 1=u32=1"],
    "tensor_copies.tensor_cores": [f"--block 128 --shared 4096 --arg 1={DESCRIPTOR} --arg 2={DESCRIPTOR}"],
    "tensor_copies.two_copies": ["--block 2 --arg 0=u32[2048]", "--block 1 --arg 0=u32[2048]"],
    "tensor_memory.matmul": ["--block 128 --shared 131200 --arg 0=tensor(f16[64x128],box=64x128) --arg 1=tensor(f16[64x128],box=64x128) "
                             f"--arg 2={DESCRIPTOR} --arg 3={DESCRIPTOR} --arg 4=u32=1"],
    "tensor_memory.scales": [f"--block 64 --shared 8208 --arg 0=u32[64] --arg 1={DESCRIPTOR}"],
    "threads_flags.DeepEP_136": ["--block 1"],
    "threads_flags.cccl_3131": ["--earlier 0=writes"],
    "called_flags.reads_after_own_fence": [""],
    "flags.first_load_before_loop": [""],
    "locks.counters": ["--grid 2"],
    "tensor_copies.reduce_and_signal": ["--block 2"],
    "threads_flags.TensorRT_LLM_19425": ["--block 2"],
    "threads_flags.rust_cuda_400": [""],
    "threads_flags.vllm_57059": [""],
    "threads_flags.llama_cpp_22522": ["--block 2 --earlier 1=reads"],
    "threads_proxies.DeepEP_293": [""],
    "threads_proxies.FlashKDA_24_empty_sequence": ["--block 256 --arg 1=u32=0"],
    "threads_proxies.FlashKDA_24_mbarrier": ["--block 1"],
    "threads_proxies.Fuser_1552": [""],
    "threads_proxies.cutlass_2960": ["--block 128 --arg 0=tensor(u32[64x4],box=64x1)"],
    "threads_proxies.sglang_38829": [CLUSTER],
    "threads_proxies.sglang_39124": [f"--block 128 --arg 1={DESCRIPTOR}"],
}

# The other side of kernels that wait for one or tell one: the numbers of their parameters with a flag and
# with data, what a thread of another kernel does with these at the same time, and whether it is one of the host.
WAITS = "WAIT: ld.acquire.sys.global.u32 r, [f]; setp.eq.u32 p, r, 0; @p bra WAIT; ld.global.u32 r, [d];"
TELLS = "st.global.u32 [d], 7; st.release.sys.global.u32 [f], 1;"
COUNTS = "red.relaxed.sys.global.add.u32 [f], 1;"
PARTNERS = {
    "called_flags.reads_after_own_fence": (0, 0, "st.global.u32 [d+64], 7; st.release.gpu.global.u32 [f], 1;", ""),
    "flags.first_load_before_loop": (0, 1, TELLS, "host"),
    "locks.counters": (0, 0, COUNTS, ""),
    "tensor_copies.reduce_and_signal": (1, 0, WAITS, ""),
    "threads_flags.TensorRT_LLM_19425": (1, 0, WAITS, "host"),
    "threads_flags.rust_cuda_400": (0, 0, COUNTS, "host"),
    "threads_flags.vllm_57059": (0, 1, WAITS, "host"),
}


def partner(key):
    """The text of the kernel at the other side, and the option that runs it beside."""
    if key not in PARTNERS:
        return "", []
    flag, data, body, where = PARTNERS[key]
    text = (".visible .entry other_side(.param .u64 flag_there, .param .u64 data_there)\n{\n.reg .pred p; .reg .b32 r; .reg .b64 f, d;\n"
            f"ld.param.u64 f, [flag_there];\nld.param.u64 d, [data_there];\n{body}\nret;\n}}\n")
    return text, ["--beside", " ".join(f"other_side {where} grid 1 block 1 flag_there={flag} data_there={data}".split())]


MARK = re.compile(r"//- (.*)$|//\+ ([^:]*): (.*)$")

# Why a rule reports a line without which no launch has a new problem.
NO_WAIT = "nobody waits in the kernel; `threads.md` has a thread that does"
BY_RULE = {
    "unfenced-mbarrier": "the model does not say that a completion reaches the mbarrier through the async proxy, see `threads.md`",
    "partial-arrival": NO_WAIT,
}
BY_KERNEL = {
    "flags.grid_barrier": "its CTAs write the same elements as it is",
    "flags.shared_flag": "its lanes write one word as it is",
    "cuda_pipeline._Z6cgcopyPKfPfi": "its copies are out of bounds and race in these launches as it is",
    "proxy_fences.changed_map": "its map is nowhere initialized; `tensor_map_replaced.ptx` in `tests/fixtures/kernels` has one that is",
    "tensor_memory.descriptor": "its map is nowhere initialized",
    "tensor_copies.tensor_cores": "registers that an operation still writes are not followed",
    "tensor_copies.remote_store": "its mbarrier expects 256 threads of each CTA; `threads.md` has one",
    "tensor_memory.grid_barrier": "its CTAs write the same elements as it is",
    "threads_proxies.sglang_38829": "both CTAs write one word as it is; `threads.md` has one that does",
    "threads_flags.TensorRT_LLM_8612": "it waits for eight CTAs; `threads.md` has two",
    "clusters_and_grids.remote_generic_store": NO_WAIT,
    "clusters_and_grids.remote_store": NO_WAIT,
    "clusters_and_grids.remote_explicit": NO_WAIT,
    "threads_proxies.flashinfer_2550": NO_WAIT,
}

HEAD = """\
# Rules and `check` on the same kernels

Written by `rules.py`: kernels of `tests/fixtures/synchronisation`, as they are and without each marked line, at 2 CTAs of 2 threads and at one CTA of 64, or at the launch that the script
gives for the kernel, with buffers of zeros. Kernels with one side of an exchange run beside a thread with the other one (`--beside`). Notes of `check` (`unordered-access`) count, too. The kernels were written for the rules and not for a launch, so some have problems as they are.
*Agree*: without the line, `check` finds a problem that it does not find with it. *Rule alone*: the rule reports the line, and these launches show nothing new; the reason stands after it. A launch that
takes more than 2 seconds of processor time is left out.

"""


def kernels(text):
    for found in re.finditer(r"\.visible \.entry (\w+)\((.*?)\)(.*?)^\}", text, re.S | re.M):
        yield found


def arguments(parameters, given):
    for at, parameter in enumerate(p for p in parameters.split(",") if p.strip()):
        wide = ".u64" in parameter or ".b64" in parameter
        if f"--arg {at}=" not in given:
            yield from ("--arg", f"{at}=u32[1024]" if wide else f"{at}=u32=2")


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))


def problems(text, file, name, parameters):
    """The problems of all launches, each with the text of its line; `None` if none could be run."""
    # A tensor map needs a launch of its own.
    if "[" in parameters and f"{file}.{name}" not in LAUNCHES:
        return None
    found, ran = set(), False
    other, beside = partner(f"{file}.{name}")
    text = text.rstrip("\n") + "\n" + other
    lines = text.splitlines()
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as module:
        module.write(text)
        module.flush()
        for launch in LAUNCHES.get(f"{file}.{name}", DEFAULT):
            options = [*launch.split(), *arguments(parameters, launch), *beside, "--max-states", "2000", "--max-instructions", "20000"]
            command = [str(BINARY), "check", module.name, "--kernel", name, *options]
            done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
            ran |= done.returncode in (0, 1, 3)
            for at, code in re.findall(r":(\d+):\d+: (?:error|info)\[([\w-]+)\]", done.stdout + done.stderr):
                found.add((launch, code, lines[int(at) - 1].split("//")[0].strip()))
    return found if ran else None


def reason(file, kernel, rule):
    """Why the rule is alone."""
    return BY_KERNEL.get(f"{file}.{kernel}") or BY_RULE.get(rule) or "NO REASON"


def compare(before, after):
    """What a removed line changes."""
    if before is None or after is None:
        return "not run"
    new = sorted({code for _, code, _ in after - before})
    return f"agree: {', '.join(new)}" if new else "rule alone"


def main():
    rows, counts = [], Counter()
    for path in sorted(FIXTURES.glob("*.ptx")):
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        for kernel in kernels(text):
            name, parameters = kernel.group(1), kernel.group(2)
            first, last = text.count("\n", 0, kernel.start()), text.count("\n", 0, kernel.end())
            marks = [(at, MARK.search(lines[at])) for at in range(first, last)]
            as_is, changed = problems(text, path.stem, name, parameters), []
            for at, mark in ((at, mark) for at, mark in marks if mark):
                new = lines[:at] + [(mark.group(3) or "") + "\n"] + lines[at + 1:]
                after = problems("".join(new), path.stem, name, parameters) if as_is is not None else None
                answer, rule = compare(as_is, after), (mark.group(1) or mark.group(2)).strip()
                counts[rule, answer.split(":")[0]] += 1
                if answer == "rule alone":
                    answer += f" ({reason(path.stem, name, rule)})"
                changed.append(f"`{rule}` {answer}")
            codes = "not run" if as_is is None else ", ".join(sorted({code for _, code, _ in as_is}))
            rows.append(f"| {path.stem} | {name} | {codes} | {'; '.join(changed)} |\n")
    rules = sorted({rule for rule, _ in counts})
    summary = "| rule | agree | rule alone | not run |\n|---|---|---|---|\n"
    for rule in rules:
        summary += f"| `{rule}` | " + " | ".join(str(counts[rule, what]) for what in ("agree", "rule alone", "not run")) + " |\n"
    if "NO REASON" in "".join(rows):
        sys.exit("a rule is alone without a reason:\n" + "".join(row for row in rows if "NO REASON" in row))
    table = HEAD + summary + "\n| file | kernel | problems as it is | without a marked line |\n|---|---|---|---|\n" + "".join(rows)
    print(summary)
    write_or_check(TABLE, table)


main()
