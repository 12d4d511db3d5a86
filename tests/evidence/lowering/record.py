#!/usr/bin/env python3
"""What every legal form of atom, red and multimem becomes: asks ptxas, reads the machine code back with nvdisasm.

    record.py                 records all targets (some ten minutes on two cores)
    record.py sm_90           records one target
    record.py ones            records what becomes another sequence where the value is the constant 1, into ones.txt.gz
    record.py --check [PART]  compares with what is recorded; PART = every how many-th form is asked (default 16)
    record.py --show TARGET FORM [used|unused] [varying|uniform]   prints the disassembly of one kernel

The forms are those of evidence/legality/forms.txt.gz. Each stands alone in a kernel: its operands are loaded from memory
by thread index, so that nothing is known of them; where the result is used it is stored. The address is once loaded by
thread index (varying) and once a kernel parameter (uniform), since the assembler sums over the warp where it knows the
address to be uniform.

Recorded is, in program order, what touches memory or orders it, by its name with all modifiers; `{ … }` is a loop. What the
kernel itself needs (plain LDG, STG, arithmetic, moves) is left out. Where the lanes of a warp are summed first, what does that
(REDUX, SHFL) stands first, before a `|`, each name once, and what the branches of the sum repeat (the access, for a warp that is
not whole) stands once after it: the schedule around it says nothing. `local` is the load and store of a generic address that turns
out to be one's own local memory.
A file a target: first the distinct sequences, numbered; then a line a form: the form and the numbers for
(used varying, used uniform, unused varying, unused uniform) of an atom, (varying, uniform) of anything else.
In ones.txt.gz stands, for each target, how many forms were asked: all scalar integer ones of atom and red without a cache hint, with an
address that varies; and those that are another sequence than with a value from memory: the form, a tab, the sequence with the result
used, a tab, and unused.
Words that the assembler takes and ignores (`.acc::f32` on an atom) are asked too and must change nothing.
"""

import gzip
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(HERE, "../../.tools/bin")
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(BIN, "ptxas")
NVDISASM = os.environ.get("PTX_ATOMICS_NVDISASM") or os.path.join(BIN, "nvdisasm")
FORMS = os.path.join(HERE, "../legality/forms.txt.gz")

# The targets, and where the forms are asked that only its variant with `a` has.
TARGETS = {"sm_75": None, "sm_80": None, "sm_86": None, "sm_90": None, "sm_100": "sm_100a", "sm_120": "sm_120a"}

BANKS = {
    "b": "b8 u8 s8 e4m3 e5m2",
    "h": "b16 u16 s16 f16 bf16 e4m3x2 e5m2x2",
    "l": "b64 u64 s64",
    "d": "f64",
    "f": "f32",
    "q": "b128",
}
BANK = {name: bank for bank, names in BANKS.items() for name in names.split()}
WIDTH = {"b": 8, "h": 16, "r": 32, "f": 32, "l": 64, "d": 64, "q": 128}
PER_MODULE = 300


def forms(target):
    """The forms that are legal on a target, in a fixed order."""
    legal, found = False, []
    for line in gzip.open(FORMS, "rt"):
        if line[0] != " ":
            legal = target in line.split()
        elif legal:
            found.append(line.strip())
    return sorted(found)


def variants(form):
    """(used, uniform) of each kernel that a form is asked in."""
    results = (True, False) if form.startswith("atom.") else (True,)
    return [(used, uniform) for used in results for uniform in (False, True)]


def kernel(name, form, used, uniform, value=None):
    """A kernel with this one instruction; `value` is the constant that it combines memory with, None for one from memory."""
    words = form.split(".")
    bank = next((BANK[w] for w in words if w in BANK), "r")
    lanes = next((int(w[1]) for w in words if w in ("v2", "v4", "v8")), 1)
    moved, size = f"b{WIDTH[bank]}", WIDTH[bank] // 8
    returns = words[0] == "atom" or "ld_reduce" in words

    def register(first):
        each = [f"{bank}{first + lane}" for lane in range(lanes)]
        return each[0] if lanes == 1 else "{" + ",".join(each) + "}"

    def load(first, offset):
        return [f"ld.global.{moved} {bank}{first + n}, [x+{offset + n * size}];" for n in range(lanes)]

    lines = [f".visible .entry {name}(.param .u64 p, .param .u64 u) {{", ".reg .b64 x, a, policy; .reg .b32 t;"]
    lines.append(f".reg .{'f' if bank in 'fd' else 'b'}{WIDTH[bank]} {bank}<24>;")
    lines.append("ld.param.u64 x, [p]; mov.u32 t, %tid.x; mad.wide.u32 x, t, 256, x;")
    lines.append("ld.param.u64 a, [u];" if uniform else "ld.global.u64 a, [x];")
    operands = [register(0), "[a]"] if returns else ["[a]"]
    if "ld_reduce" not in words:
        lines += load(8, 16) if value is None else []
        operands.append(register(8) if value is None else value)
    if "cas" in words:
        lines += load(16, 80)
        operands.append(register(16))
    if "L2::cache_hint" in words:
        lines.append("ld.global.u64 policy, [x+8];")
        operands.append("policy")
    lines.append(f"{form} {', '.join(operands)};")
    if returns and used:
        lines += [f"st.global.{moved} [x+{144 + n * size}], {bank}{n};" for n in range(lanes)]
    return "\n".join(lines + ["ret;", "}"])


def disassemble(kernels, target):
    """The text of nvdisasm for a module of these kernels."""
    with tempfile.TemporaryDirectory() as folder:
        source, image = os.path.join(folder, "m.ptx"), os.path.join(folder, "m.cubin")
        with open(source, "w") as file:
            file.write(f".version 9.5\n.target {target}\n.address_size 64\n" + "\n".join(kernels) + "\n")
        subprocess.run([PTXAS, f"-arch={target}", "-w", source, "-o", image], check=True)
        return subprocess.run([NVDISASM, "-c", image], check=True, capture_output=True, text=True).stdout


KERNEL = re.compile(r"^\.text\.(\w+):")
LABEL = re.compile(r"^(\.L_x_\d+):")
LINE = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)")
KEPT = re.compile(r"(ATOM|RED|LDGMC|MEMBAR|FENCE|ERRBAR|CGAERRBAR|CCTL|QSPC|LDS|STS|LD\.|ST\.|LDG.*STRONG|STG.*STRONG)")
# The last branch of a generic address: an ordinary load and store, whose width says nothing.
LOCAL = re.compile(r"(\S )(?:LD\.E(?:\.64|\.128)?(?:\.SYS)? )?ST\.E(?:\.64|\.128)?(?:\.SYS)?(?=$| CCTL)")
SUMS = re.compile(r"(C?REDUX|SHFL)")


def sequences(text, storing):
    """The recorded sequence of each kernel of a disassembly; those named in `storing` have no store but their instruction's."""
    found, name, code, labels = {}, None, [], {}

    def finish():
        if name:
            found[name] = sequence(code, labels, name in storing)

    for line in text.splitlines():
        if match := KERNEL.match(line):
            finish()
            name, code, labels = match[1], [], {}
        elif match := LABEL.match(line):
            labels[match[1]] = len(code)
        elif match := LINE.match(line):
            code.append((match[2], match[3]))
    finish()
    return found


def sequence(code, labels, stores):
    """What of a kernel's instructions is recorded, loops in braces, sums over the warp first."""
    opened, closed = {}, {}
    for at, (name, operands) in enumerate(code):
        if name == "BRA":
            target = labels[re.search(r"\.L_x_\d+", operands)[0]]
            if target < at:
                opened[target] = opened.get(target, 0) + 1
                closed[at] = True
    words, sums = [], set()
    for at, (name, _) in enumerate(code):
        words += ["{"] * opened.get(at, 0)
        if SUMS.match(name):
            sums.add(name)
        elif KEPT.match(name) or stores and name.startswith("STG."):
            words.append(name)
        if at in closed:
            words.append("}")
    if sums:
        words = sorted(sums) + ["|"] + list(dict.fromkeys(words))
    return LOCAL.sub(r"\1local", " ".join(words))


def ask(job):
    """The sequences of some forms, a list for each."""
    target, asked = job
    names = [(f"k{n}_{v}", form, used, uniform) for n, form in enumerate(asked) for v, (used, uniform) in enumerate(variants(form))]
    storing = {name for name, form, _, _ in names if form.startswith("multimem.st")}
    found = sequences(disassemble([kernel(*each) for each in names], target), storing)
    return [[found[f"k{n}_{v}"] for v in range(len(variants(form)))] for n, form in enumerate(asked)]


def record(target, every=1):
    """form -> sequences, for every `every`-th form of a target; the ignored words left out."""
    plain, variant = forms(target), TARGETS[target]
    jobs = [(target, plain[::every])]
    if variant:
        known = set(plain)
        jobs.append((variant, [form for form in forms(variant) if form not in known][::every]))
    jobs = [(t, asked[i : i + PER_MODULE]) for t, asked in jobs for i in range(0, len(asked), PER_MODULE)]
    with multiprocessing.Pool(2, os.nice, (10,)) as pool:
        answers = pool.map(ask, jobs, 1)
    table = {form: found for (_, asked), answer in zip(jobs, answers) for form, found in zip(asked, answer)}
    for form in list(table):
        without = re.sub(r"\.acc::f(16|32)", "", form)
        if without != form and "ld_reduce" not in form:
            ignored = table.pop(form)
            if without in table and table[without] != ignored:
                raise SystemExit(f"{target}: {form} is not what {without} is")
    return table


def integer(form):
    """Whether the constant 1 is asked of a form."""
    words = form.split(".")
    scalar = not any(word in ("v2", "v4", "v8", "L2::cache_hint") or word.startswith("acc::") for word in words)
    return words[0] in ("atom", "red") and scalar and words[-1] in ("u32", "s32", "b32", "u64", "s64", "b64")


def ask_ones(job):
    target, asked = job
    names = {f"k{n}_{used:d}": (form, used) for n, form in enumerate(asked) for used in ([True, False] if form.startswith("atom.") else [True])}
    found = sequences(disassemble([kernel(name, *each, False, "1") for name, each in names.items()], target), set())
    return {names[name]: sequence for name, sequence in found.items()}


def record_ones():
    """The lines of ones.txt.gz."""
    lines = []
    for target in TARGETS:
        asked, usual = [form for form in forms(target) if integer(form)], read(target)
        jobs = [(target, asked[i : i + PER_MODULE]) for i in range(0, len(asked), PER_MODULE)]
        with multiprocessing.Pool(2, os.nice, (5,)) as pool:
            found = {form: sequence for answer in pool.map(ask_ones, jobs, 1) for form, sequence in answer.items()}
        lines.append(f"{target} {len(asked)}")
        for form in asked:
            results = [found[form, used] for used in ([True, False] if form.startswith("atom.") else [True])]
            if results != usual[form][::2]:
                lines.append("\t".join([form, *results]))
    return "".join(line + "\n" for line in lines)


def path(target):
    return os.path.join(HERE, f"{target}.txt.gz")


def pack(name, text):
    with open(path(name), "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text.encode())


def write(target, table):
    numbers = {}
    lines = []
    for form in sorted(table):
        lines.append(" ".join([form] + [str(numbers.setdefault(each, len(numbers))) for each in table[form]]))
    text = "".join(f"{number} {each}\n" for each, number in numbers.items()) + "".join(line + "\n" for line in lines)
    pack(target, text)
    print(f"{target}: {len(lines)} forms, {len(numbers)} sequences")


def read(target):
    texts, table = {}, {}
    for line in gzip.open(path(target), "rt"):
        first, _, rest = line.rstrip("\n").partition(" ")
        if first.isdigit():
            texts[first] = rest
        else:
            table[first] = [texts[number] for number in rest.split()]
    return table


def check(every):
    wrong = 0
    for target in TARGETS:
        recorded = read(target)
        for form, found in record(target, every).items():
            if recorded.get(form) != found:
                wrong += 1
                print(f"{target}: {form}: recorded {recorded.get(form)}, now {found}")
    if every == 1 and gzip.open(path("ones"), "rt").read() != record_ones():
        wrong += 1
        print("ones: what becomes of the constant 1 is something else now")
    sys.exit(wrong != 0)


def main(arguments):
    match arguments:
        case ["--check", *every]:
            check(int(every[0]) if every else 16)
        case ["--show", target, form, *how]:
            print(disassemble([kernel("k", form, "unused" not in how, "uniform" in how)], target))
        case ["ones"]:
            pack("ones", record_ones())
        case _:
            for target in arguments or TARGETS:
                write(target, record(target))


if __name__ == "__main__":
    main(sys.argv[1:])
