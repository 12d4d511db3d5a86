#!/usr/bin/env python3
"""Records what a GPU computes for every scalar form that is legal on sm_90.

    record.py ptx FOLDER                     writes FOLDER/scalar_N.ptx and forms.tsv; needs `../family`
    ptxas -arch=sm_90 -o scalar_N.cubin scalar_N.ptx
    record.py run FOLDER OUT [dump]          on a machine with a GPU, CuPy and NumPy; reads FOLDER/*.cubin and forms.tsv

OUT then has what is beside this script:

    device.txt    the GPU and its driver
    forms.tsv.gz  a line per form: instruction, kinds of its sources, width of its destination, whether it has a second result
    approximate.gz  all results of the forms that approximate, in the layout of edges.gz
    digests.gz    for each form and each of its 8 blocks a digest of the results (operands.py), 32 bits
    edges.gz      for each form the results of the first EDGES tuples: 8 bytes, then a byte if there is a second result

With `dump`, OUT also has all distinct results, split and compressed, and for each form which of them are its own.

An instruction is spelled as in PTX; after an `@` are operands that are not registers: the table of a `lop3`, what sets and reads the carry
flag, `3` for a third source of `min` and `max`, or the selectors and signs of a video instruction.
"""
import gzip
import lzma
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = ["arithmetic", "movement", "video"]
SKIPPED = {"ldu", "prefetch", "prefetchu", "istypep"}
GROUP = 48
MODULES = 8
BLOCKS = 8
EDGES = 32
TABLES = [0x96, 0xE8, 0xCA, 0x01, 0x7F, 0x3C]


def legal():
    """Every opcode of the recorded families that is legal on sm_90."""
    for family in FAMILIES:
        good = False
        with gzip.open(os.path.join(HERE, "../family", family, "forms.txt.gz"), "rt") as file:
            for line in file:
                if not line.startswith(" "):
                    good = "sm_90" in line.split()
                elif good and line.strip().split(".")[0] not in SKIPPED:
                    yield line.strip()


def kind_of(ty):
    """The kind of operand values of a type."""
    return {"f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64", "f16x2": "f16x2", "bf16x2": "bf16x2", "pred": "pred", "u16x2": "i32", "s16x2": "i32"}.get(
        ty, "i16" if ty.endswith("x2") else "i" + ty[1:]
    )


TYPE = re.compile(r"^([busf](8|16|32|64)|bf16|tf32|f16x2|bf16x2|[us]16x2|e[45]m[23]x2|pred|[us][24])$")
UNARY = "abs neg not cnot brev popc clz bfind testp rcp sqrt rsqrt sin cos lg2 ex2 tanh mov".split()


def forms():
    """(instruction with its operands after `@`, kinds of the sources, type of the destination, arguments, second result)."""
    for opcode in sorted(set(legal())):
        name, *words = opcode.split(".")
        types = [word for word in words if TYPE.match(word)]
        if "b128" in words or any(word in ("v2", "v4") for word in words):
            continue
        if types != ["pred"] and types != ["pred", "pred"]:
            types = [ty for ty in types if ty != "pred"]
        yield from shapes(opcode, name, words, types)


def shapes(opcode, name, words, types):
    first, last = types[0], types[-1]
    kind = kind_of(first)
    wide = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}.get(first)
    if name in ("set", "setp"):
        extra = ["pred"] if set(words) & {"and", "or", "xor"} else []
        pair = name == "setp" and last not in ("f16", "bf16")
        yield opcode, [kind_of(last)] * 2 + extra, "pred" if name == "setp" else first, "{d}|{s}" if pair else "{d}", "pred" if pair else None
    elif name == "slct":
        yield opcode, [kind, kind, kind_of(last)], first, "{d}", None
    elif name == "selp":
        yield opcode, [kind, kind, "pred"], first, "{d}", None
    elif name == "testp":
        yield opcode, [kind], "pred", "{d}", None
    elif name in ("shl", "shr"):
        yield opcode, [kind, "count"], first, "{d}", None
    elif name == "shf":
        yield opcode, ["i32", "i32", "count"], first, "{d}", None
    elif name == "lop3":
        for table in TABLES:
            extra = ", {3}" if len(words) > 1 else ""
            kinds = ["i32"] * 3 + (["pred"] if extra else [])
            yield f"{opcode}@{table:#04x}", kinds, first, ("{d}|{s}" if extra else "{d}") + ", {0}, {1}, {2}, " + str(table) + extra, "pred" if extra else None
    elif name in ("popc", "clz", "bfind"):
        yield opcode, [kind], "u32", "{d}", None
    elif name == "bfe":
        yield opcode, [kind, "count", "count"], first, "{d}", None
    elif name == "bfi":
        yield opcode, [kind, kind, "count", "count"], first, "{d}", None
    elif name == "bmsk":
        yield opcode, ["count", "count"], "b32", "{d}", None
    elif name == "szext":
        yield opcode, [kind, "count"], first, "{d}", None
    elif name == "fns":
        yield opcode, ["i32", "count", "i32"], first, "{d}", None
        yield opcode + "@near", ["i32", "count", "count"], first, "{d}", None
    elif name in ("dp4a", "dp2a"):
        yield opcode, ["i32"] * 3, "s32" if "s32" in types else "u32", "{d}", None
    elif name == "cvt" and "pack" in words:
        yield opcode, ["i32", "i32"] + (["i32"] if len(types) == 3 else []), "b32", "{d}", None
    elif name == "cvt":
        pair = first.endswith("x2") and last == "f32"
        # Conversions between bf16 and 8 bits accept no wider registers.
        small = "b8" if last == "bf16" and first in ("u8", "s8") else {"u8": "b32", "s8": "s32"}.get(first, first)
        yield opcode, [kind_of(last)] * (2 if pair else 1), small, "{d}", None
    elif name in ("add", "sub", "addc", "subc", "mad", "madc") and ("cc" in words or name.endswith("c")):
        kinds = [kind] * (3 if name.startswith("mad") else 2)
        for sets in ("add", "sub"):
            for reads in ("add", "sub"):
                if (sets == reads) or (first == "u32" and "pred" not in words):
                    if name.endswith("c") or sets == "add":
                        yield f"{opcode}@{sets},{reads}", kinds + ["pred"], first, "carry", first
    elif name.startswith("v"):
        yield from video(opcode, name, words)
    elif name in UNARY:
        yield opcode, [kind], first, "{d}", None
    elif name in ("fma", "mad", "mad24", "clmad", "sad"):
        whole = wide if "wide" in words else first
        yield opcode, [kind, kind, kind_of(whole)], whole, "{d}", None
    elif name == "prmt":
        yield opcode, ["i32"] * 3, "b32", "{d}", None
    else:
        yield opcode, [kind, kind], wide if "wide" in words else first, "{d}", None


def video(opcode, name, words):
    """A form of a video instruction with whole registers, and with parts of them."""
    count = {"2": 2, "4": 4}.get(name[-1], 1)
    number = sum(map(ord, opcode))
    second = set(words) & {"add", "min", "max"}
    if count > 1:
        lanes = {2: ("h", "hs", 4), 4: ("b", "bs", 8)}[count]
        pick = lambda seed: "." + lanes[0] + "".join(str((number * 7 + seed * 5 + at * (3 + seed)) % lanes[2]) for at in range(count))
        masks = {2: [".h0", ".h1", ".h10"], 4: [".b0", ".b3", ".b20", ".b310", ".b3210"]}[count]
        yield opcode, ["i32"] * 3, "u32", "{d}, {0}, {1}, {2}", None
        mask = masks[number % len(masks)]
        yield f"{opcode}@d{mask} a{pick(1)} b{pick(2)} c", ["i32"] * 3, "u32", f"{{d}}{mask}, {{0}}{pick(1)}, {{1}}{pick(2)}, {{2}}", None
        return
    parts = [".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
    part = lambda seed: parts[(number + seed * 5) % len(parts)]
    if name == "vmad":
        yield opcode, ["i32"] * 3, "u32", "{d}, {0}, {1}, {2}", None
        yield f"{opcode}@d a{part(1)} b{part(2)} c", ["i32"] * 3, "u32", f"{{d}}, {{0}}{part(1)}, {{1}}{part(2)}, {{2}}", None
        for signs in ("a", "b", "c", "ab"):
            if "po" in words:
                break
            texts = [("-" if letter in signs else "") + letter for letter in "abc"]
            operands = ", ".join(("-" if letter in signs else "") + f"{{{at}}}" for at, letter in enumerate("abc"))
            yield f"{opcode}@d {' '.join(texts)}", ["i32"] * 3, "u32", f"{{d}}, {operands}", None
        return
    kinds = ["i32", "count" if name in ("vshl", "vshr") else "i32"]
    if second:
        yield opcode, kinds + ["i32"], "u32", "{d}, {0}, {1}, {2}", None
        yield f"{opcode}@d a{part(1)} b{part(2)} c", kinds + ["i32"], "u32", f"{{d}}, {{0}}{part(1)}, {{1}}{part(2)}, {{2}}", None
        return
    yield opcode, kinds, "u32", "{d}, {0}, {1}", None
    yield f"{opcode}@d a{part(1)} b{part(2)}", kinds, "u32", f"{{d}}, {{0}}{part(1)}, {{1}}{part(2)}", None
    yield f"{opcode}@d{part(3)} a{part(1)} b{part(4)} c", kinds + ["i32"], "u32", f"{{d}}{part(3)}, {{0}}{part(1)}, {{1}}{part(4)}, {{2}}", None


# PTX


def bits_of(kind):
    return {"pred": 1, "count": 32, "f16x2": 32, "bf16x2": 32}.get(kind) or int(re.sub(r"[a-z]+", "", kind))


def width_of(ty):
    """The width of the register of a destination."""
    if ty == "pred":
        return 1
    if ty in ("f16x2", "bf16x2", "u16x2", "s16x2", "tf32"):
        return 32
    return 16 if ty.endswith("x2") else int(ty.lstrip("busfx"))


def instruction(form, number):
    """The lines that execute a form and store its results."""
    name, kinds, ty, arguments, second = form
    width, opcode = width_of(ty), name.partition("@")[0]
    sources = [f"%s{at}_{max(bits_of(kind), 16) if kind != 'pred' else 1}" for at, kind in enumerate(kinds)]
    if "bf16" in opcode and kinds[0] == "i8":
        sources[0] = "%s0_8"
    out = f"%d{width}"
    if arguments == "carry":
        variant = name.partition("@")[2].split(",")
        carry, word = f"%s{len(kinds) - 1}_1", {32: "32", 64: "64", 16: "32"}[width]
        lines = [f"selp.u32 %w0, 1, 0, {carry};"]
        lines += ["add.cc.u32 %w1, %w0, -1;" if variant[0] == "add" else "sub.cc.u32 %w1, 0, %w0;"]
        lines += [f"{opcode} {out}, {', '.join(sources[:-1])};"]
        lines += ["addc.u32 %w2, 0, 0;" if variant[1] == "add" else "subc.u32 %w2, 0, 0;"]
        lines += ["and.b32 %w2, %w2, 1;", "setp.ne.u32 %d1b, %w2, 0;"]
        extra = "%d1b"
    else:
        if "{0}" not in arguments:
            arguments += "".join(f", {source}" for source in sources)
        lines = [f"{opcode} {arguments.format(*sources, d=out, s='%d1b')};"]
        extra = "%d1b" if second else None
    lines += {1: ["selp.b64 %v, 1, 0, %d1;"], 8: ["cvt.u64.u8 %v, %d8;"], 16: ["cvt.u64.u16 %v, %d16;"], 32: ["cvt.u64.u32 %v, %d32;"], 64: ["mov.b64 %v, %d64;"]}[width]
    lines += [f"st.global.b64 [%out + {number * 16}], %v;"]
    lines += [f"selp.b64 %v, 1, 0, {extra};", f"st.global.b64 [%out + {number * 16 + 8}], %v;"] if extra else []
    return lines


def load(at, kind):
    width = 1 if kind == "pred" else max(bits_of(kind), 16)
    name = f"%s{at}_{width}"
    convert = {1: f"setp.ne.u64 {name}, %v, 0;", 16: f"cvt.u16.u64 {name}, %v;", 32: f"cvt.u32.u64 {name}, %v;", 64: f"mov.b64 {name}, %v;"}
    narrow = [f"cvt.u8.u64 %s{at}_8, %v;"] if kind == "i8" else []
    return [f"ld.global.b64 %v, [%in{at}];", convert[width]] + narrow


def kernel(name, group):
    kinds = group[0][1]
    lines = [".reg .pred %out_of_range, %d1, %d1b;", ".reg .b8 %d8, %s0_8;", ".reg .b16 %d16;", ".reg .b32 %d32, %w<4>, %index, %count;", ".reg .b64 %d64, %v, %at, %out, %in<4>, %wide;"]
    lines += [f".reg .pred %s{at}_1; .reg .b16 %s{at}_16; .reg .b32 %s{at}_32; .reg .b64 %s{at}_64;" for at in range(4)]
    lines += ["mov.u32 %w0, %ctaid.x;", "mov.u32 %w1, %ntid.x;", "mov.u32 %w2, %tid.x;", "mad.lo.u32 %index, %w0, %w1, %w2;"]
    lines += ["ld.param.u32 %count, [count];", "setp.ge.u32 %out_of_range, %index, %count;", "@%out_of_range ret;"]
    lines += ["mul.wide.u32 %at, %index, 8;"]
    for at, kind in enumerate(kinds):
        lines += [f"ld.param.u64 %in{at}, [in{at}];", f"add.u64 %in{at}, %in{at}, %at;"] + load(at, kind)
    lines += [f"mul.wide.u32 %at, %index, {len(group) * 16};", "ld.param.u64 %out, [out];", "add.u64 %out, %out, %at;"]
    for number, form in enumerate(group):
        lines += instruction(form, number)
    lines += ["ret;"]
    head = ".param .u64 in0, .param .u64 in1, .param .u64 in2, .param .u64 in3, .param .u64 out, .param .u32 count"
    return f".visible .entry {name}({head})\n{{\n" + "\n".join(f"    {line}" for line in lines) + "\n}\n"


def groups(all_forms):
    """Forms with the same kinds of sources, up to GROUP of them."""
    by_kinds, alone = {}, []
    for form in all_forms:
        # The assembler merges some `set` of one kernel into wrong code.
        wrong = form[0].startswith("set.") and form[2] in ("f16", "bf16", "f32") and form[1][-1] == "pred" and form[1][0][0] == "i"
        (alone if wrong else by_kinds.setdefault(tuple(form[1]), [])).append(form)
    yield from ([form] for form in alone)
    for kinds in sorted(by_kinds):
        forms_of = by_kinds[kinds]
        for at in range(0, len(forms_of), GROUP):
            yield forms_of[at : at + GROUP]


def write_ptx(folder):
    os.makedirs(folder, exist_ok=True)
    parts = [[] for _ in range(MODULES)]
    with open(os.path.join(folder, "forms.tsv"), "w") as table:
        for number, group in enumerate(groups(forms())):
            parts[number % MODULES].append(kernel(f"group_{number}", group))
            for name, kinds, ty, _, second in group:
                table.write(f"{number}\t{name}\t{','.join(kinds)}\t{width_of(ty)}\t{int(bool(second))}\n")
    for number, part in enumerate(parts):
        with open(os.path.join(folder, f"scalar_{number}.ptx"), "w") as file:
            file.write(".version 9.5\n.target sm_90\n.address_size 64\n\n" + "\n".join(part))


# On the GPU


def read_forms(folder):
    with open(os.path.join(folder, "forms.tsv")) as file:
        for line in file:
            number, name, kinds, width, second = line.rstrip("\n").split("\t")
            yield int(number), name, kinds.split(","), int(width), second == "1"


def results_of(folder):
    """Each form with its values and second results."""
    import cupy
    import numpy as np

    import operands

    modules = [cupy.RawModule(path=os.path.join(folder, f"scalar_{number}.cubin")) for number in range(MODULES)]
    listed, inputs = {}, {}
    for row in read_forms(folder):
        listed.setdefault(row[0], []).append(row)
    for number, rows in listed.items():
        kinds = tuple(rows[0][2])
        if kinds not in inputs:
            inputs[kinds] = [cupy.asarray(operands.column(list(kinds), at)) for at in range(len(kinds))]
        sources = inputs[kinds] + [inputs[kinds][0]] * (4 - len(kinds))
        count = operands.tuples_of(list(kinds))
        out = cupy.zeros((count, len(rows), 2), dtype=np.uint64)
        kernel = modules[number % MODULES].get_function(f"group_{number}")
        kernel(((count + 127) // 128,), (128,), (*sources, out, np.uint32(count)))
        host = cupy.asnumpy(out)
        for at, row in enumerate(rows):
            yield row, np.ascontiguousarray(host[:, at, 0]), np.ascontiguousarray(host[:, at, 1])


def stored(values, second, width, has_second):
    """Results as bytes: values little-endian in the width of the destination, then the second results."""
    import numpy as np

    kind = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[width]
    return values.astype(kind).tobytes() + (second.astype(np.uint8).tobytes() if has_second else b"")


def compress(job):
    number, text = job
    return number, lzma.compress(text, preset=3)


def run(folder, out, dump):
    import operands

    digests, edge_results, approximate, table, index, whole, seen = [], [], [], [], [], {}, {}
    for row, values, second in results_of(folder):
        number, name, kinds, width, has_second = row
        digests.append(operands.digest(values, second, len(values) // BLOCKS).tobytes())
        edge_results.append(stored(values[:EDGES], second[:EDGES], width, has_second))
        if "approx" in name or "full" in name:
            approximate.append(stored(values, second, width, has_second))
        table.append(f"{name}\t{','.join(kinds)}\t{width}\t{int(has_second)}\n")
        if dump:
            key = (digests[-1], len(values), width, has_second, tuple(kinds))
            seen.setdefault(key, len(whole))
            if seen[key] == len(whole):
                whole[len(whole)] = stored(values, second, width, has_second)
            index.append(f"{seen[key]}\n")
    names = {"digests.gz": digests, "edges.gz": edge_results, "approximate.gz": approximate}
    names["forms.tsv.gz"] = [line.encode() for line in table]
    for name, content in names.items():
        with gzip.GzipFile(os.path.join(out, name), "wb", 9, mtime=0) as file:
            file.write(b"".join(content))
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    with open(os.path.join(out, "device.txt"), "w") as file:
        file.write(subprocess.run(query, capture_output=True, text=True).stdout)
        file.write(os.environ.get("PTXAS", "") + "\n")
    if dump:
        with open(os.path.join(out, "dump_index.txt"), "w") as file:
            file.writelines(index)
        write_dump(whole, out)


def write_dump(whole, out):
    """All results in a few files of at most 15 MiB: an index of lengths, then the compressed parts."""
    from concurrent.futures import ProcessPoolExecutor

    chunks, size, part = [], 0, []
    for number in range(len(whole)):
        part.append(whole[number])
        size += len(whole[number])
        if size > 4_000_000:
            chunks.append(b"".join(part))
            part, size = [], 0
    chunks.append(b"".join(part))
    with ProcessPoolExecutor() as pool:
        packed = dict(pool.map(compress, enumerate(chunks)))
    files, size = [[]], 0
    for number in range(len(chunks)):
        if size + len(packed[number]) > 15 << 20:
            files.append([])
            size = 0
        files[-1].append(packed[number])
        size += len(packed[number])
    print("dump:", len(whole), "distinct,", sum(map(len, whole.values())), "bytes,", len(files), "files")
    for number, parts in enumerate(files):
        with open(os.path.join(out, f"dump_{number}.bin"), "wb") as file:
            for content in parts:
                file.write(len(content).to_bytes(8, "little") + content)


if __name__ == "__main__":
    if sys.argv[1] == "ptx":
        write_ptx(sys.argv[2])
    else:
        sys.path.insert(0, HERE)
        run(sys.argv[2], sys.argv[3], sys.argv[4:] == ["dump"])
