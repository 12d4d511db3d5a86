#!/usr/bin/env python3
"""Asks nvcc 13.5 which asm statements it takes, and writes its answers to answers.tsv.gz.

    record.py NVCC [INCLUDE]     asks what was not asked yet; take answers.tsv.gz away to ask all anew. NVCC is the compiler of the PyPI package nvidia-cuda-nvcc; it asks its ptxas about the text

A line is: target, `accept` or `reject`, the statement as a JSON string. Each is compiled in the function below, alone.
"""
import concurrent.futures
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

HEAD = "__global__ void k(unsigned* p, unsigned long long l, float f, double d, unsigned r, unsigned short h, __int128 q, unsigned* o) {\n"
TAIL = "\no[0] = r; o[1] = l; o[2] = f; o[3] = d; o[4] = h; o[5] = q;\n}\n"
TARGETS = [75, 80, 90, 100]


def widths(add):
    """The width and kind of a value, with each type."""
    value = {"h": "h", "r": "r", "l": "l", "f": "f", "d": "d", "q": "q"}
    types = ["u32", "s32", "b32", "u64", "b64", "f32", "f64"]
    for ty in types:
        op = "exch" if ty.startswith("b") else "add"
        for letter, name in value.items():
            add(f'asm volatile("atom.global.{op}.{ty} %0, [%1], %2;" : "={letter}"({name}) : "l"(p), "{letter}"({name}) : "memory");')
    for ty in ["f16", "bf16", "f16x2", "bf16x2"]:
        for letter in "hrfl":
            add(f'asm volatile("red.global.add.noftz.{ty} [%0], %1;" :: "l"(p), "{letter}"({value[letter]}) : "memory");')
    for letter in "rlq":
        add(f'asm volatile("atom.global.cas.b128 %0, [%1], %2, %2;" : "={letter}"({value[letter]}) : "l"(p), "{letter}"({value[letter]}) : "memory");')


def modifiers(add):
    """Modifiers on each target."""
    opcodes = [
        "red.relaxed.gpu.global.add.u32", "red.release.cluster.global.add.u32", "red.acquire.gpu.global.add.u32", "red.global.or.u32",
        "red.global.or.b32", "red.shared::cluster.add.u32", "red.global.add.u33", "red.global.u32", "red.global.global.add.u32",
        "red.gpu.sys.global.add.u32", "red.relaxed.global.add.u32", "red.add.global.u32", "red.global.inc.u32", "red.global.inc.s32",
        "red.global.cas.b32", "red.local.add.u32", "red.seq_cst.gpu.global.add.u32", "red.volatile.global.add.u32",
    ]
    for target in TARGETS:
        for opcode in opcodes:
            add(f'asm volatile("{opcode} [%0], %1;" :: "l"(p), "r"(r) : "memory");', target=target)
    for target in TARGETS:
        add(
            'asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" :: "l"(p), "f"(f) : "memory");',
            'asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" :: "l"(p), "r"(r) : "memory");',
            'asm volatile("fence.acq_rel.cluster;" ::: "memory");',
            'asm volatile("fence.sc.gpu;" ::: "memory");',
            'asm volatile("fence.proxy.async;" ::: "memory");',
            'asm volatile("st.release.gpu.global.b32 [%0], %1;" :: "l"(p), "r"(r) : "memory");',
            'asm volatile("ld.acquire.cluster.global.b32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");',
            'asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], %1;" :: "l"(p), "r"(r) : "memory");',
            'asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(r), "r"(r), "r"(r) : "memory");',
            target=target,
        )


def vectors(add):
    """Vectors of each length."""
    for count in range(1, 6):
        lanes = ", ".join(["%1"] * count)
        add(f'asm volatile("red.global.add.v2.f32 [%0], {{{lanes}}};" :: "l"(p), "f"(f) : "memory");')
        add(f'asm volatile("red.global.add.v4.f32 [%0], {{{lanes}}};" :: "l"(p), "f"(f) : "memory");')


def operands(add):
    """Operands of all kinds."""
    for rest in ["[%0], %1, %1;", "[%0];", "%0, %1;", "[%0], 1;", "[%0], 1.0;", "[%0+4], %1;", "[%0+-4], %1;", "[%0-4], %1;", "[%0], -%1;",
                 "[%0], {%1};", "[%1], %1;", "[%0], _;", "_, [%0], %1;", "[%0], %%tid.x;", "[%0], WARP_SZ;", "[%0+%1], %1;", "[%0], [%0];"]:
        add(f'asm volatile("red.global.add.u32 {rest}" :: "l"(p), "r"(r) : "memory");')
        add(f'asm volatile("{{ .reg .pred t; setp.ne.b32 t, %1, 0; @t red.global.add.u32 {rest} }}" :: "l"(p), "r"(r) : "memory");')
    add('asm volatile("@%1 red.global.add.u32 [%0], 1;" :: "l"(p), "r"(r) : "memory");')


def texts(add):
    """What the compiler does with the text."""
    text = "red.global.add.u32 [%0], %1;"
    add(
        f'asm volatile("{text}" :: "l"(p), "r"(r) : "cc");', f'asm volatile("{text}" :: "l"(p), "r"(r) : "memory", "cc");',
        f'asm volatile("{text}" :: "l"(p), "r"(r) : "r0");', f'asm volatile("{text}" :: "l"(p), "r"(r) : "memor" "y");',
        f'asm volatile("{text}" :: "l"(p), "r"(r) : "");', f'asm volatile("{text}" :: "l"(p), "r"(r));', f'asm("{text}" :: "l"(p), "r"(r));',
        f'__asm__ __volatile__("{text}" :: "l"(p), "r"(r) : "memory");', f'__asm("{text}" :: "l"(p), "r"(r));',
        f'asm volatile(u8"{text}" :: "l"(p), "r"(r));', f'asm volatile(L"{text}" :: "l"(p), "r"(r));', f'asm volatile(U"{text}" :: "l"(p), "r"(r));',
        f'asm volatile(R"({text})" :: "l"(p), "r"(r));', f'asm volatile(R"x({text})x" :: "l"(p), "r"(r));',
        'asm volatile("red.global" ".add" /* a */ ".u32 [%0], "\n"%1;" // b\n :: "l"(p), "r"(r));',
        'asm volatile("red.global.add.u32 \\\n[%0], %1;" :: "l"(p), "r"(r));', 'asm volatile("\\162ed.global.add.u32\\t[%0], %1\\073\\n" :: "l"(p), "r"(r));',
        'asm volatile("red.global.add.u32 [%0], %1" :: "l"(p), "r"(r));', 'asm volatile("red.global.add.u32 [%0], %2;" :: "l"(p), "r"(r));',
        'asm volatile("red.global.add.u32 [%0], %1; // %2" :: "l"(p), "r"(r));', 'asm volatile("red.global.add.u32 [%0], %1; // %" :: "l"(p), "r"(r));',
        'asm volatile("red.global.add.u32 [%0], %c1;" :: "l"(p), "n"(1));', 'asm volatile("red.global.add.u32 [%0], %n1;" :: "l"(p), "n"(1));',
        'asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "n"(1));', 'asm volatile("red.global.add.u32 [%0], %01;" :: "l"(p), "r"(r));',
        'asm volatile("red.global.add.u32 [%[a]], %[b];" :: [a] "l"(p), [b] "r"(r));', 'asm volatile("red.global.add.u32 [%0], %1;" :: [a] "l"(p), [b] "r"(r));',
        'asm volatile("mov.u32 %0, %laneid;" : "=r"(r));', 'asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));', 'asm volatile("mov.u32 %0, %r1;" : "=r"(r));',
        'asm volatile("{ .reg .b32 %t; mov.u32 %t, 1; mov.u32 %0, %t; }" : "=r"(r));', 'asm volatile("{ .reg .b32 %%t1; mov.u32 %%t1, 1; mov.u32 %0, %%t1; }" : "=r"(r));',
        'asm volatile("{ .reg .b32 t1; mov.u32 t1, %%laneid; }");', 'asm volatile("{ .reg .b32 t1; mov.u32 t1, %laneid; }");',
        'asm volatile("{ .reg .b32 t1; mov.u32 t1, %laneid; }" ::: "memory");', 'asm volatile("// %0 %% %=");', 'asm volatile("// %{ %| %}" : "+r"(r));',
        'asm volatile("{ L%=: bra.uni M%=; M%=: }" :: "r"(r));', 'asm volatile("{ bra.uni M; M: }");', 'asm volatile("{ .reg .b32 t;" "}");',
        'asm volatile("{ .reg .b32 t; }}");', 'asm volatile("red.global.add.u32 [%0], %1;;" :: "l"(p), "r"(r));', 'asm volatile("" ::: "memory");',
        'asm volatile(";");', 'asm volatile("red.global.add.u32 [%0], $1;" :: "l"(p));', 'asm volatile("/* red */" :: "r"(r));',
    )
    for constraint in ["r", "=r", "+r", "=&r", "+&r", "=n", "=C", "=m", "=i", "=g", "=x", "=", "=rl", "=r,l", "= r", "=a", "=0"]:
        add(f'asm volatile("mov.u32 %0, 1;" : "{constraint}"(r));')
    for constraint in ["r", "=r", "+r", "&r", "n", "i", "m", "ri", "x", "", "%r", "0", "b", "c", "a"]:
        add(f'asm volatile("mov.u32 %0, %1;" : "=r"(r) : "{constraint}"(4u));')
    for space in ["global", "shared", "local", "const", "param", "shared::cta", "generic"]:
        for op in ["min", "and", "dec", "cas"]:
            add(f'asm volatile("atom.{space}.{op}.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(r) : "memory");')


def unfinished(add):
    """Templates that end within an instruction, as they do while somebody types."""
    for text, lists in [
        ("ld.acquire.gpu.global.u32 %0, [%1];", ': "=r"(r) : "l"(p)'),
        ("mov.u32 %0, %%tid.x;", ': "=r"(r)'),
        ("ex2.approx.f32 %0, %1;", ': "=f"(f) : "f"(f)'),
        ("lop3.b32 %0, %1, %2, %1, 0x96;", ': "=r"(r) : "r"(r), "r"(r)'),
        ("mov.b64 %0, {%1, %2};", ': "=l"(l) : "r"(r), "r"(r)'),
        ("cp.async.cg.shared.global [%0], [%1], 16;", ':: "r"(r), "l"(p)'),
    ]:
        for end in range(text.index(" "), len(text)):
            if text[end] in " ,[]{}%;" or text[end - 1] in " ,[]{}%.+":
                add(f'asm volatile("{text[:end]}" {lists});')
    for text in ["mov.b64 %0, {%1, %1", "st.global.u32 [%0", "st.global.u32 [%0+", "mov.b64 %0, {%1}, ", "@%1 st.global.u32 [%0", "mov", "mov.", "L: mov.u32 %1,"]:
        add(f'asm volatile("{text}" :: "l"(p), "r"(r));', f'asm volatile("st.global.u32 [%0], 1; {text}" :: "l"(p), "r"(r));')


def statements():
    """Pairs of target and statement."""
    found = []

    def add(*all, target=90):
        found.extend((target, one) for one in all)

    for part in [widths, modifiers, vectors, operands, texts, unfinished]:
        part(add)
    return found


def ask(nvcc, include, target, statement):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "a.cu"
        source.write_text(HEAD + statement + TAIL)
        command = [nvcc, f"-arch=compute_{target}", "-std=c++17", "-ptx", str(source), "-o", str(source) + ".ptx"]
        command += [f"-I{include}"] if include else []
        if subprocess.run(command, capture_output=True, timeout=120).returncode:
            return "reject"
        # Below sm_90 nvcc hands the text on without having its assembler look at it.
        ptxas = [str(pathlib.Path(nvcc).parent / "ptxas"), f"-arch=compute_{target}", str(source) + ".ptx", "-o", str(source) + ".o"]
        return "reject" if subprocess.run(ptxas, capture_output=True, timeout=120).returncode else "accept"


def main():
    nvcc, include = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    all = list(dict.fromkeys(statements()))
    out = pathlib.Path(__file__).parent / "answers.tsv.gz"
    known = {}
    if out.exists():
        for line in gzip.decompress(out.read_bytes()).decode().splitlines():
            target, answer, statement = line.split("\t")
            known[int(target), json.loads(statement)] = answer
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda one: known.get(one) or ask(nvcc, include, *one), all))
    lines = [f"{target}\t{answer}\t{json.dumps(statement)}\n" for (target, statement), answer in zip(all, answers)]
    out.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(len(all), answers.count("reject"), "rejected")


main()
