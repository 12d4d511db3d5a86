"""Records what ptxas says about operands of atomics whose modifiers are legal.

Instructions are generated with a fixed seed: right operands of every role, of which some are then replaced by others, taken
away, doubled, wrapped in brackets or braces. They stand in modules of several shapes (`WRAPPERS`): flat, with nested
scopes that shadow names, in functions with parameters in registers, on other targets and versions.

`scopes.txt`: which declaration a name means, a small module a line (`SCOPES`), with the same marks.
`lines.txt.gz`: for each module `#` and the name of its wrapper, then a line for each instruction: `+` accepted, `-`
rejected. `wrappers.txt` has what stands around them. Instructions that are no PTX in the eyes of the assembler's
parser are left out: they are the grammar's business (tests/evidence/syntax).

The assembler reports some errors once in a module, and a fatal one hides what follows; therefore what it accepts is asked
again, without what it rejects, until it accepts all of the rest.

    python3 record.py            records anew
    python3 record.py --check    fails if what is recorded is not what the assembler says now
"""

import gzip
import os
import random
import re
import subprocess
import sys
import tempfile

from modules import REGISTERS, VECTOR_REGISTERS, WRAPPERS, ARCHITECTURES
from scopes import scopes

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")
LINES_OF_A_MODULE = 400
MODULES = {"atom": 20, "red": 18, "multimem.ld_reduce": 15, "multimem.st": 15, "multimem.red": 15}

# What is right: opcodes with the operands they take.

ATOM_TYPES = {
    "add": "u32 s32 u64 f32 f64", "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "exch": "b32 b64 b128", "cas": "b16 b32 b64 b128",
    "inc": "u32", "dec": "u32", "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64",
    "add.noftz": "f16 f16x2 bf16 bf16x2 f32",
}
VECTOR_TYPES = {"add": {"f32": (2, 4)}, "add.noftz": {"f16": (2, 4, 8), "bf16": (2, 4, 8), "f16x2": (2, 4), "bf16x2": (2, 4), "f32": (2, 4)}}
for _op in ("min.noftz", "max.noftz"):
    VECTOR_TYPES[_op] = {ty: sizes for ty, sizes in VECTOR_TYPES["add.noftz"].items() if ty != "f32"}
MULTIMEM_VECTORS = {"f16": (2, 4, 8), "bf16": (2, 4, 8), "f16x2": (2, 4), "bf16x2": (2, 4)}
SMALL_VECTORS = {"e4m3": (4, 8), "e5m2": (4, 8), "e4m3x2": (2, 4, 8), "e5m2x2": (2, 4, 8), "e4m3x4": (2, 4), "e5m2x4": (2, 4)}


def pick(rng, table):
    return rng.choice(sorted(table))


def opcode(rng, mnemonic, wrapper):
    """An opcode that the wrapper's module has: its text, type, lanes, state space, whether it compares and whether it wants a policy."""
    if mnemonic in ("atom", "red"):
        space = rng.choice(["", ".global", ".global", ".shared", ".shared::cta", ".shared::cluster"])
        if wrapper == "old":
            space = rng.choice(["", ".global", ".shared"])
            op = rng.choice(["add", "and", "min", "inc"] + ["exch", "cas"] * (mnemonic == "atom"))
            ty = rng.choice({"add": "u32 s32 u64 f32"}.get(op, {"and": "b32", "min": "u32 s32", "inc": "u32"}.get(op, "b32 b64")).split())
            return f"{mnemonic}{space}.{op}.{ty}", ty, 1, space, op == "cas", False
        if rng.random() < 0.4:
            space = rng.choice(["", ".global"])
            op = pick(rng, VECTOR_TYPES)
            ty = pick(rng, VECTOR_TYPES[op])
            lanes = rng.choice(VECTOR_TYPES[op][ty])
        else:
            op = pick(rng, {op: 0 for op in ATOM_TYPES if mnemonic == "atom" or op not in ("exch", "cas")})
            ty, lanes = rng.choice(ATOM_TYPES[op].split()), 1
        hint = rng.random() < 0.25 and "shared" not in space and op != "cas"
        words = [space[1:]] * bool(space) + [op] + ["L2::cache_hint"] * hint + [f"v{lanes}"] * (lanes > 1) + [ty]
        return ".".join([mnemonic] + words), ty, lanes, space, op == "cas", hint
    vectors = dict(MULTIMEM_VECTORS)
    order = ".relaxed.sys" if mnemonic == "multimem.red" else rng.choice(["", ".weak", ".relaxed.gpu"])
    space = rng.choice(["", ".global"])
    small = wrapper == "family" and mnemonic != "multimem.red"
    if small:
        vectors.update(SMALL_VECTORS)
    if mnemonic == "multimem.st":
        vectors["f32"] = (2, 4)
        scalars = "b32 b64 u32 s32 u64 s64 f32 f64 f16x2 bf16x2".split() + ["e4m3x4", "e5m2x4"] * small
        op = ""
    else:
        op = rng.choice([".add", ".min", ".and"])
        if op == ".add":
            vectors["f32"] = (2, 4)
        scalars = {".add": "u32 s32 u64 f32 f64 f16x2 bf16x2", ".min": "u32 s32 u64 s64", ".and": "b32 b64"}[op].split()
        if op == ".and":
            vectors = {}
        elif small:
            scalars += ["e4m3x4", "e5m2x4"]
    if vectors and rng.random() < 0.5:
        ty = pick(rng, vectors)
        lanes = rng.choice(vectors[ty])
        return f"{mnemonic}{order}{space}{op}.v{lanes}.{ty}", ty, lanes, space, False, False
    ty = rng.choice(scalars)
    return f"{mnemonic}{order}{space}{op}.{ty}", ty, 1, space, False, False


WIDTHS = {"bf16": 16, "f16x2": 32, "bf16x2": 32, "e4m3": 8, "e5m2": 8, "e4m3x2": 16, "e5m2x2": 16, "e4m3x4": 32, "e5m2x4": 32}


def banks(ty):
    """Register types that one may expect to hold a value of a type."""
    width = WIDTHS.get(ty) or int(ty[1:])
    if ty in REGISTERS:
        return [ty, ty, f"b{width}"]
    return [f"b{width}"]


NAMES = (
    [f"{bank}{ty}" for ty in REGISTERS for bank in "RS"]
    + [f"{name}.{part}" for name in VECTOR_REGISTERS for part in "xy"]
    + VECTOR_REGISTERS
    + "g s c gg gf gv dyn eg l ls lg prm prm32 a pol a32 p q outer sibling deeper late Label Back".split()
    + "kernel before after declared nope nope.x %r0 %r2 %r4 %r5 %r04 %r %f1 %f2 %f4 %rd0 %rd4".split()
    + "%tid %tid.x %tid.q %ctaid.y %clock %clock64 %laneid %globaltimer %envreg3 %is_explicit_cluster %foo".split()
    + "V2b32.w V4f32.z V2b32.q V2b32.xy V4b32.r V2f32.g Ru32.x g.x p.x %clock.x kernel.x".split()
)
LITERALS = "1 -1 0 7 0x1F 017 0b101 1U 0x1ffffffff WARP_SZ 1.0 -1.5 1e3 .5 0f3F800000 0d3FF0000000000000 (1) (1.5) -(2)".split() + [
    "1+2", "(1+2)*3", "1?2:3", "!1", "~5", "1<<4", "1.0+1", "1.0*2.0", "1.0<2.0", "1<2", "WARP_SZ*2", "(.s64)1", "(.u64)1.0", "!1.0", "1|2", "1.0+2.0",
    "(0f3F800000)", "1.5+2", "1==1", "1.0==1.0", "~1.0", "1.0?1:2", "1?1.0:2.0", "1&&1", "1.0&&1.0", "-(1.0)", "-(-1)", "(.f32)1",
]
SUMS = [f"{name}+{offset}" for name in "Ru32 Rs64 Rb32 Rb16 Rb64 Rb128 Rf32 Rf64 Rf16 Rf16x2 Rpred g gg gf s c l prm kernel before Label a nope %r2 %clock %rd4".split()
        for offset in ("4", "-4", "0", "WARP_SZ", "1.0")]
ADDRESSES = ["a", "Rb64", "Ru64", "Rs64", "Rb32", "Ru32", "Rb16", "Ru8", "g", "s", "gg", "gf", "gv", "dyn", "eg", "ls", "%rd1"]
OTHERS = ["-Ru32", "-a", "!p", "!Ru32", "-g", "!kernel", "g[0]", "g[Ru32]", "gg[0]", "Ru32[0]", "Ru32[1]", "nope[0]", "_", "[a]", "[g]", "[nope]", "g[1+1]", "%r2[0]"]


def register(rng, ty):
    return rng.choice("RSTU") + rng.choice(banks(ty))


def lane(rng, ty, wild):
    if rng.random() >= wild:
        return register(rng, ty)
    kind = rng.random()
    if kind < 0.4:
        width = WIDTHS.get(ty) or int(ty[1:])
        same = [name for name in REGISTERS if name.endswith(str(width)) or (width == 32 and name in ("pred", "f16x2"))]
        return rng.choice("RSTU") + rng.choice(same)
    if kind < 0.55:
        return rng.choice([literal for literal in LITERALS if not re.search("[<=&?]|!", literal)])
    if kind < 0.65:
        return "_"
    return rng.choice(NAMES)


def braces(rng, ty, lanes, wild):
    return "{" + rng.choice([", ", ","]).join(lane(rng, ty, wild) for _ in range(lanes)) + "}"


def any_operand(rng, ty, lanes):
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(NAMES)
    if kind < 0.62:
        return rng.choice(LITERALS)
    if kind < 0.7:
        return rng.choice(SUMS)
    if kind < 0.78:
        return rng.choice(OTHERS)
    if kind < 0.92:
        return braces(rng, ty, rng.choice([lanes, lanes, lanes, 1, 2, 3, 4]), rng.choice([0.15, 0.5, 1]))
    return "[" + rng.choice(NAMES) + "]"


def any_address(rng):
    kind = rng.random()
    if kind < 0.45:
        inner = rng.choice(NAMES)
    elif kind < 0.6:
        inner = rng.choice(LITERALS)
    elif kind < 0.8:
        inner = rng.choice(SUMS)
    else:
        return rng.choice(NAMES + SUMS + LITERALS + OTHERS + ["{a}"])
    return f"[{inner}]"


def right(rng, role, ty, lanes, mnemonic):
    if role == "address":
        inner = rng.choice(ADDRESSES)
        return f"[{inner}{rng.choice(['', '', '+4', '+-4', '+(1+2)', '+0x100'])}]"
    if role == "policy":
        return rng.choice(["pol", "Rb64", "Ru64", "Rs64", "1", "0x14F0000000000000", "V2b64.x", "WARP_SZ"])
    if role == "destination" and mnemonic == "atom" and rng.random() < 0.15:
        return "_"
    if lanes > 1:
        return braces(rng, ty, lanes, 0)
    if role == "value" and rng.random() < 0.3 and "f16" not in ty:
        return rng.choice(["1", "-5", "0x10", "WARP_SZ"] if ty[0] in "bus" else ["1.0", "0f3F800000", "-2.5"])
    return register(rng, ty)


def instruction(rng, mnemonic, wrapper):
    text, ty, lanes, _, compares, hint = opcode(rng, mnemonic, wrapper)
    roles = ["destination"] * (mnemonic in ("atom", "multimem.ld_reduce")) + ["address"]
    roles += ["value"] * (mnemonic != "multimem.ld_reduce") + ["value"] * compares + ["policy"] * hint
    operands = [right(rng, role, ty, lanes, mnemonic) for role in roles]
    for _ in range(rng.choice([0, 0, 1, 1, 1, 1, 2])):
        at = rng.randrange(len(operands)) if operands else 0
        kind = rng.random()
        if not operands:
            operands.append(any_operand(rng, ty, lanes))
        elif kind < 0.72:
            role = roles[at] if at < len(roles) else "value"
            if role == "address":
                operands[at] = any_address(rng)
            elif lanes > 1 and role != "policy" and rng.random() < 0.6:
                operands[at] = braces(rng, ty, rng.choice([lanes] * 8 + [2, 4, 8, 1, 3]), rng.choice([0.2, 0.5, 1]))
            elif rng.random() < 0.35:
                operands[at] = rng.choice("RS") + rng.choice(REGISTERS)
            else:
                operands[at] = any_operand(rng, ty, lanes)
        elif kind < 0.78:
            operands.insert(at, any_operand(rng, ty, lanes))
        elif kind < 0.84:
            del operands[at]
        elif kind < 0.88:
            operands.append(rng.choice(["pol", "1", "Rb64", "Ru32"]))
        elif kind < 0.91:
            operands[at] = operands[at].strip("[]") if operands[at].startswith("[") else f"[{operands[at]}]"
        elif kind < 0.94:
            other = rng.randrange(len(operands))
            operands[at], operands[other] = operands[other], operands[at]
        elif kind < 0.97 and at == 0:
            operands[0] += rng.choice(["|p", "|_", "|q", "|Ru32"])
        else:
            operands[at] = rng.choice(VECTOR_REGISTERS)
    guard = ""
    if rng.random() < 0.12:
        guard = rng.choice(["@p ", "@!p ", "@q ", "@Rpred ", "@" + rng.choice([n for n in NAMES if "." not in n]) + " ",
                            "@!" + rng.choice([n for n in NAMES if "." not in n]) + " "])
    if wrapper == "old":
        new = r"%(envreg3|globaltimer|is_explicit_cluster)\b"
        guard, operands = re.sub(new, "%laneid", guard), [re.sub(new, "%laneid", operand) for operand in operands]
        operands = [re.sub(r"\b[RSTU](f16x2|f16|b128)\b|\bV\d\w+(\.\w+)?", "Rb16", operand) for operand in operands]
    # Parentheses there are the results or arguments of a call in the eyes of a parser that does not know mnemonics.
    operands[:2] = [operand.strip("()") if operand.startswith("(") else operand for operand in operands[:2]]
    return f"{guard}{text} {', '.join(operands)};"


# What the assembler says.

SENTINEL = "red.global.add.u32 [Ru32];"


def ask(wrapper, lines):
    """The lines at fault by index, the index of a line that ends the parse, and whether all lines were read."""
    before, after = WRAPPERS[wrapper].split("@@\n")
    first = before.count("\n") + 1
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write(before + "\n".join(lines + [SENTINEL]) + "\n" + after)
    try:
        arch = ARCHITECTURES.get(wrapper, "compute_121")
        out = subprocess.run([PTXAS, "-arch=" + arch, file.name, "-o", "/dev/null"], capture_output=True, text=True)
    finally:
        os.unlink(file.name)
    wrong, syntax = set(), None
    for number, message in re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", out.stdout + out.stderr):
        at = int(number) - first
        if not 0 <= at <= len(lines):
            continue
        wrong.add(at)
        if "Parsing error" in message or "yntax error" in message:
            syntax = at
    return wrong - {len(lines)}, syntax, len(lines) in wrong


def verdicts(wrapper, lines):
    """`+`, `-` or `~` (no PTX) for each line."""
    lines, said = list(lines), {}

    def without(at, verdict):
        said[at] = verdict
        lines[at] = ""

    while True:
        wrong, syntax, complete = ask(wrapper, lines)
        if syntax is not None:
            without(syntax, "~")
        elif not complete:
            low, high = 0, len(lines)
            while high - low > 1:
                middle = (low + high) // 2
                prefix = lines[:middle] + [""] * (len(lines) - middle)
                _, syntax, complete = ask(wrapper, prefix)
                low, high = (middle, high) if complete or syntax is not None else (low, middle)
            without(low, "-")
        elif wrong:
            for at in wrong:
                without(at, "-")
        else:
            return [said.get(at, "+") for at in range(len(lines))]


def record():
    parts, counts = [], {}
    for mnemonic, modules in MODULES.items():
        for number in range(modules):
            rng = random.Random(f"{mnemonic} {number}")
            kinds = ["flat", "nested", "function", "family"] + ["old"] * (mnemonic in ("atom", "red"))
            if mnemonic.startswith("multimem.") and mnemonic != "multimem.red":
                kinds.append("family")
            wrapper = kinds[number % len(kinds)]
            lines = sorted({instruction(rng, mnemonic, wrapper) for _ in range(LINES_OF_A_MODULE)})
            rng.shuffle(lines)
            said = verdicts(wrapper, lines)
            kept = [f"{verdict}{line}" for verdict, line in zip(said, lines) if verdict != "~"]
            counts.setdefault(mnemonic, []).extend(said)
            parts.append("\n".join([f"#{wrapper}"] + kept))
    for mnemonic, said in counts.items():
        print(mnemonic, {verdict: said.count(verdict) for verdict in "+-~"})
    return "\n".join(parts) + "\n"


def write(name, text):
    path = os.path.join(HERE, name)
    if name.endswith(".gz"):
        with open(path, "wb") as file:
            file.write(gzip.compress(text.encode(), mtime=0))
    else:
        with open(path, "w") as file:
            file.write(text)


def read(name):
    with open(os.path.join(HERE, name), "rb") as file:
        data = file.read()
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode()


if __name__ == "__main__":
    files = {"wrappers.txt": "".join(f"#{name}\n{text}" for name, text in WRAPPERS.items()), "scopes.txt": scopes(), "lines.txt.gz": record()}
    if "--check" in sys.argv:
        differ = [name for name, text in files.items() if read(name) != text]
        sys.exit(f"not what is recorded: {', '.join(differ)}" if differ else 0)
    for name, text in files.items():
        write(name, text)
