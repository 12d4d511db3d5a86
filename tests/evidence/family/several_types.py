"""Asks ptxas for arithmetic and conversions with two or three types, each with the registers that the types ask for.

Writes several_types.txt.gz: `#version target`, then `+` accepted or `-` rejected and the instruction. The types of each opcode were found with a single wrong
operand: what the assembler then says tells whether it knows the types. Of all pairs and triples of 52 types, with 40 opcodes of arithmetic, logic and conversion,
on sm_107a, those below were the only ones without rows. usage: several_types.py [--check]
"""

import gzip
import itertools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")
RECORDED = os.path.join(HERE, "several_types.txt.gz")
PAIRS = [("9.5", "sm_100a"), ("9.4", "sm_103a"), ("9.5", "sm_107a"), ("9.4", "sm_107f"), ("9.3", "sm_100a"), ("9.5", "sm_100f"), ("9.5", "sm_120a"), ("9.5", "sm_90")]
EIGHTS = "e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4 ue8m0x4".split()
REGISTERS = {"e2m1x4": "h", "f32x2": "l", "f32": "f", "f64": "d", "e2m1x2": "b", **dict.fromkeys("e4m3x2 e5m2x2 e2m3x2 e3m2x2 s2f6x2 ue5m3x2 ue8m0x2".split(), "h")}
NARROW = "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 s2f6x2 ue5m3x2 ue8m0x2".split()

# Shapes of ldmatrix with the registers of a thread.
LOADED = [("m8n16", "x1", 1), ("m8n16", "x2", 2), ("m8n16", "x4", 4), ("m16n16", "x1", 2), ("m16n16", "x2", 4), ("m8n8", "x1", 1), ("m8n8", "x4", 4)]


def register(ty, number):
    return f"{REGISTERS.get(ty, 'r')}{number}"


def instruction(opcode, modifiers, types, operands):
    registers = ", ".join(register(ty, number) for number, ty in enumerate(operands))
    return f"{opcode}{modifiers}.{'.'.join(types)} {registers};"


def asked():
    """All instructions."""
    modifiers = ["", ".rn", ".rz", ".rm", ".satfinite", ".rn.satfinite", ".sat", ".ftz", ".rz.ftz", ".rn.ftz"]
    mixed = [("f32x2", "f16x2", "f32x2"), ("f32x2", "bf16x2", "f32x2"), ("f16x2", "f32x2", "f32x2"), ("bf16x2", "f32x2", "f32x2"), ("f16x2", "f16x2", "bf16x2"),
             ("bf16x2", "bf16x2", "f16x2"), ("f16x2", "bf16x2", "bf16x2"), ("bf16x2", "f16x2", "bf16x2")]
    for opcode, modifier in itertools.product(("add", "sub"), modifiers):
        for d, a in itertools.product(EIGHTS, EIGHTS):
            yield instruction(opcode, modifier, (d, a), (d, a, d))
        for types in mixed:
            yield instruction(opcode, modifier, types, types)
    for modifier in modifiers:
        for types in itertools.chain(itertools.product(EIGHTS, repeat=3), mixed):
            yield instruction("mul", modifier, types, types)
            yield instruction("fma", modifier, types, (*types, types[0]))
    for rounding, saturation, relu, scaled in itertools.product((".rn", ".rz", ".rp"), ("", ".satfinite"), ("", ".relu"), ("", ".scaled::n2::ue8m0")):
        modifier = rounding + saturation + relu + scaled
        scale = ["bf16"] if scaled else []
        for ty in NARROW:
            for source in ("f32", "f16x2", "bf16x2"):
                operands = [ty, source] + [source] * (source == "f32")
                registers = ", ".join([register(name, number) for number, name in enumerate(operands)] + ["h9"] * len(scale))
                yield f"cvt{modifier}.{ty}.{source} {registers};"
                if source != "f32":
                    registers = ", ".join([register(source, 0), register(ty, 1)] + ["h9"] * len(scale))
                    yield f"cvt{modifier}.{source}.{ty} {registers};"
    for (shape, repeat, count), trans, space in itertools.product(LOADED, ("", ".trans"), ("", ".shared")):
        for types in ("s8.s4", "u8.u4", "u8.s4", "s8.u4"):
            registers = ", ".join(f"r{number}" for number in range(count))
            yield f"ldmatrix.sync.aligned.{shape}.{repeat}{trans}{space}.{types} {{{registers}}}, [l0];"


def verdicts(lines, version, target):
    """The indices of the lines that are rejected. Some errors show only once others are gone, so what is left is asked again."""
    live, refused = list(range(len(lines))), set()
    registers = " ".join(f".reg .{ty} {bank}<32>;" for bank, ty in {"r": "b32", "l": "b64", "h": "b16", "b": "b8", "f": "f32", "d": "f64"}.items())
    head = f".version {version}\n.target {target}\n.address_size 64\n.entry k() {{ {registers}\n"
    while live:
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(head + "\n".join(lines[at] for at in live) + "\n}\n")
            file.flush()
            arch = "compute_" + (target[3:] if target[-1] in "af" else "121")
            said = subprocess.run([PTXAS, "--compile-only", "-arch=" + arch, file.name, "-o", os.devnull], stderr=subprocess.PIPE, text=True).stderr
        found = {live[int(number) - 5] for number in re.findall(r", line (\d+); (?:error|fatal)", said)}
        if not found:
            return refused
        refused |= found
        live = [at for at in live if at not in found]
    return refused


def record(path, said):
    """Writes what the assembler says, the same bytes for the same text; with --check, exits with whether it is what was written before."""
    text = said.encode()
    if "--check" in sys.argv:
        with gzip.open(path) as file:
            sys.exit("what is recorded is not what the assembler says now" if file.read() != text else 0)
    with gzip.GzipFile(path, "wb", 9, mtime=0) as file:
        file.write(text)


def main():
    lines = list(dict.fromkeys(asked()))
    said = []
    for version, target in PAIRS:
        refused = verdicts(lines, version, target)
        print(version, target, len(lines), "asked", len(lines) - len(refused), "accepted", file=sys.stderr)
        said.append(f"#{version} {target}")
        said += [f"{'-' if at in refused else '+'}{line}" for at, line in enumerate(lines)]
    record(RECORDED, "\n".join(said) + "\n")


if __name__ == "__main__":
    main()
