"""Asks ptxas about many instructions at once.

One instruction stands on one line of one module, thousands of lines in a module; the assembler names the line of
each error. `-arch=compute_*` checks without generating code, so the answer is about legality alone.

How operands are chosen, so that only the modifiers decide: each spelling gets the operands that its type, vector
size, operation and hint ask for (`operands`). A spelling all of whose errors are about operands (OPERAND_ERRORS) is asked
again with every other operand shape (`other_operands`) and counts as legal if one of them is accepted.
"""

import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRATCH = os.path.join(HERE, "../../.tools/legality")
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")
# CUDA 12.9's assembler, the only one that checks sm_101a and sm_101f (pip: nvidia-cuda-nvcc-cu12==12.9.86).
PTXAS_12 = os.environ.get("PTX_ATOMICS_PTXAS_12") or os.path.join(HERE, "../../.tools/bin/ptxas12")

# The register of an element, by type: name of the bank. Everything not named is 32 bits wide.
BANKS = {
    "b": "b8 u8 s8 e4m3 e5m2 e2m1x2",
    "h": "b16 u16 s16 f16 bf16 e4m3x2 e5m2x2 e2m3x2 e3m2x2 ue8m0x2 s2f6x2 e2m1x4",
    "l": "b64 u64 s64 f32x2",
    "d": "f64",
    "f": "f32",
    "q": "b128",
    "p": "pred",
}
BANK = {name: bank for bank, names in BANKS.items() for name in names.split()}
VECTORS = {"v2": 2, "v4": 4, "v8": 8}

# What ptxas says when the operands, and not the modifiers, are at fault.
OPERAND_ERRORS = re.compile(r"Arguments mismatch|Vector operand is not allowed|Incorrect (number|size) of|Type of argument|Operand")


def register(bank, lanes, first):
    """One register, or a braced list of `lanes` of them starting at number `first`."""
    if lanes == 1:
        return f"{bank}{first}"
    return "{" + ",".join(f"{bank}{first + lane}" for lane in range(lanes)) + "}"


def write(mnemonic, bank, lanes, compare, hint):
    """The operands of an instruction of this mnemonic with elements of this bank."""
    data = [register(bank, lanes, 8 * n) for n in range(3)]
    if mnemonic == "multimem.ld_reduce":
        return f"{data[0]}, [a]"
    parts = [data[0], "[a]", data[1]] if mnemonic == "atom" else ["[a]", data[1]]
    if compare:
        parts.append(data[2])
    if hint:
        parts.append("l30")
    return ", ".join(parts)


def operands(mnemonic, words):
    """The operands that these modifiers ask for."""
    bank = next((BANK[w] for w in words if w in BANK), "r")
    lanes = next((VECTORS[w] for w in words if w in VECTORS), 1)
    return write(mnemonic, bank, lanes, "cas" in words, "L2::cache_hint" in words)


def other_operands(mnemonic, words):
    """Every other shape of operands that one could try on a spelling that is refused."""
    tried = operands(mnemonic, words)
    for bank in "rhlfdbq":
        for lanes in (1, 2, 4, 8):
            for compare in (False, True):
                for hint in (False, True):
                    shape = write(mnemonic, bank, lanes, compare, hint)
                    if shape != tried:
                        yield shape


def header(version, target):
    """The directives and registers before the instructions."""
    number = int(re.sub(r"\D", "", target.split(",")[0]))
    major, minor = (int(part) for part in version.split("."))
    lines = [f".version {version}", f".target {target}"]
    if (major, minor) >= (2, 3):
        lines.append(".address_size 64")
    lines.append(".func f() { ret; }" if (major, minor) >= (2, 0) else ".func f { ret; }")
    lines.append(".global .texref t; .global .surfref s;" if (major, minor) >= (1, 5) else ".tex .u32 t;")
    lines.append(".entry k() {")
    lines.append(".reg .pred p<32>; .reg .b16 h<32>; .reg .b32 r<32>; .reg .b64 l<32>; .reg .f32 f<32>; .reg .b8 b<32>;")
    if number >= 13:
        lines.append(".reg .f64 d<32>;")
    if (major, minor) >= (8, 3) and number >= 70:
        lines.append(".reg .b128 q<32>;")
    lines.append("L: .reg .u64 a;")
    if (major, minor) >= (5, 1) and number >= 30:
        lines.append("T: .branchtargets L;")
    return lines


def arch(target):
    """The architecture under which a module of this target is checked."""
    base = target.split(",")[0].strip()
    return "compute_" + base[3:] if base[-1] in "af" else "compute_121"


def check(lines, version, target, ptxas=None):
    """The errors per line (a list of messages for each refused line), and what was said of no line."""
    before = header(version, target)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write("\n".join(before + lines + ["ret;", "}"]) + "\n")
    old = re.match(r"sm_101[af]", target)
    tool = ptxas or (PTXAS_12 if old else PTXAS)
    try:
        command = [tool, "-arch=" + arch(target), "-o", os.devnull, file.name]
        said = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    finally:
        os.unlink(file.name)
    errors, rest = {}, []
    marker = f" {file.name}, line "
    for message in said.splitlines():
        _, found, place = message.partition(marker)
        if found:
            number, _, text = place.partition(";")
            index = int(number) - len(before) - 1
            if 0 <= index < len(lines):
                if not text.startswith((" warning", " info")):
                    errors.setdefault(index, []).append(text)
                continue
        rest.append(message)
    return errors, rest


def legal(spellings, version, target):
    """For each (mnemonic, words): whether the assembler takes it. Asks again with other operands where they were at fault."""
    lines = [f"{m}.{'.'.join(w)} {operands(m, w)};" for m, w in spellings]
    errors, rest = check(lines, version, target)
    aborted = [m for m in rest if "Ptx assembly aborted" not in m]
    if aborted or any("fatal" in text for texts in errors.values() for text in texts):
        raise RuntimeError(f"{version} {target}: {aborted[:3]}")
    verdict = [index not in errors for index in range(len(lines))]
    doubtful = [i for i, texts in errors.items() if all(OPERAND_ERRORS.search(t) for t in texts)]
    asked, owner = [], []
    for index in doubtful:
        m, w = spellings[index]
        for shape in other_operands(m, w):
            asked.append(f"{m}.{'.'.join(w)} {shape};")
            owner.append(index)
    if asked:
        again, _ = check(asked, version, target)
        for number, index in enumerate(owner):
            if number not in again:
                verdict[index] = True
    return verdict, errors
