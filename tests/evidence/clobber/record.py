"""Records when compilers move, merge or drop a load or store across an asm statement.

    python3 record.py nvrtc=/…/libnvrtc.so.13 nvcc=/…/bin/nvcc clang-22=clang-22 … > moved.txt

Each kernel below has loads and stores of 16 bits (L and S), and a statement (A) that does not name them. The PTX that a compiler
writes at -O3 is read back: where the order or the number of those three is another than in the source, the compiler took the
statement for something that neither reads nor writes that memory.

Asked again on 2026-11-29 with clang 19 and nvcc 13.5: the same answers. Each of the 24 kinds of statement below, volatile or without
outputs, is treated as if it had the clobber, in all 13 contexts; so the missing clobber is a matter of the preset `strict` there.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

HEADER = """
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#endif
static __device__ __forceinline__ void given_away(void* m) { asm volatile("// given away" :: "l"(m) : "memory"); }
"""

# name: text with its output first if it has one, whether it has one, whether it takes an address
KINDS = {
    "fence.acq_rel": ("fence.acq_rel.gpu;", False, False),
    "membar": ("membar.gl;", False, False),
    "fence.proxy": ("fence.proxy.async;", False, False),
    "bar.sync": ("bar.sync 0;", False, False),
    "barrier.cluster.wait": ("barrier.cluster.wait.acquire;", False, False),
    "mbarrier.init": ("mbarrier.init.b64 [%0], 1;", False, True),
    "mbarrier.arrive": ("{.reg .b64 s; mbarrier.arrive.b64 s, [%0];}", False, True),
    "mbarrier.try_wait": ("{.reg .pred p; mbarrier.try_wait.parity.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}", True, True),
    "ld.acquire": ("ld.acquire.gpu.b32 %0, [%1];", True, True),
    "ld.relaxed": ("ld.relaxed.gpu.b32 %0, [%1];", True, True),
    "ld.volatile": ("ld.volatile.b32 %0, [%1];", True, True),
    "ld": ("ld.b32 %0, [%1];", True, True),
    "st.release": ("st.release.gpu.b32 [%0], 1;", False, True),
    "st.relaxed": ("st.relaxed.gpu.b32 [%0], 1;", False, True),
    "st.volatile": ("st.volatile.b32 [%0], 1;", False, True),
    "st": ("st.b32 [%0], 1;", False, True),
    "atom.acq_rel": ("atom.acq_rel.gpu.add.u32 %0, [%1], 1;", True, True),
    "atom.relaxed": ("atom.relaxed.gpu.add.u32 %0, [%1], 1;", True, True),
    "red.release": ("red.release.gpu.add.u32 [%0], 1;", False, True),
    "red.relaxed": ("red.relaxed.gpu.add.u32 [%0], 1;", False, True),
    "cp.async": ("cp.async.ca.shared.global [%0], [%0], 4;", False, True),
    "cp.async.wait_all": ("cp.async.wait_all;", False, False),
    "cp.async.bulk": ("cp.async.bulk.global.shared::cta.bulk_group [%0], [%0], 16;", False, True),
    "prefetch": ("prefetch.L2 [%0];", False, True),
}

FORMS = {
    "asm": ("asm", ""),
    "asm volatile": ("asm volatile", ""),
    "asm memory": ("asm", ': "memory"'),
    "asm volatile memory": ("asm volatile", ': "memory"'),
}

# name: what the source does in order (":" begins a loop), and the source; @ is the statement, m the memory of 16 bits.
CONTEXTS = {
    "reload": ("LAL", "t += m[0]; @ t += 3 * m[0];"),
    "forward": ("SAL", "m[0] = n; @ t += m[0];"),
    "dead-store": ("SAS", "m[0] = n; @ m[0] = n + 1;"),
    "neighbour-load": ("LAL", "t += m[0]; @ t += 3 * m[1];"),
    "neighbour-store": ("SAS", "m[0] = n; @ m[1] = n + 1;"),
    "use-later": ("LA", "int x = m[0]; @ if (n == 77) t += x;"),
    "poll": ("L:AL", "t += m[0]; int i = 0;\n#pragma unroll 1\ndo { t = 3 * t; @ } while (++i < n && t != 9); t += m[0];"),
    "invariant-load": (":AL", "int i = 0;\n#pragma unroll 1\ndo { @ t += m[0]; } while (++i < n);"),
    "store-in-loop": (":SA", "int i = 0;\n#pragma unroll 1\ndo { m[0] = i; @ } while (++i < n);"),
    "sum-in-loop": (":LSA", "int i = 0;\n#pragma unroll 1\ndo { m[0] += i; @ } while (++i < n);"),
    "exchange": ("SAL", "m[first & 63] = n; @ t += m[n & 63];"),
    "inlined": ("LAL", "t += m[0]; t += help(a); t += 3 * m[0];"),
    "called": ("LAL", "t += m[0]; t += help(a); t += 3 * m[0];"),
}

TITLE = (
    "# compiler; form of the statement; kinds of instruction; case=what the compiler left of the source order "
    '(L a load, S a store, A the statement, ":" the head of a loop), or - where nothing changed'
)

# What becomes of the statement itself.
FATES = {
    "unused": ("A", "{ int kept = t; @ t = kept; }"),
    "twice": ("AA", "@ @"),
    "in-loop": (":A", "int i = 0;\n#pragma unroll 1\ndo { @ t = t * 5; } while (++i < n);"),
}

# Where m lies. `local` was given away before, `fresh` is given to the statement alone; `exchange` is what a block's threads hand over.
MEMORY = {
    "global": "short* m = given;",
    "shared": "extern __shared__ short room[]; short* m = room;",
    "local": "short m[2]; given_away(m);",
    "readonly": "const short* m = only_read;",
    "fresh": "short m[2];",
    "exchange": "__shared__ short room[64]; short* m = room;",
}


def statement(kind, form):
    text, output, address = KINDS[kind]
    word, clobber = FORMS[form]
    inputs = '"l"(a)' if address else ""
    outputs = '"=r"(v)' if output else ""
    line = f'{{ int v = 0; {word}("{text}" : {outputs} : {inputs} {clobber}); t += v; }}'
    return line


def kernel(name, kind, form, source, space, same, called):
    memory = MEMORY[space]
    inner = statement(kind, form) if kind else ""
    inlined = "__noinline__" if called else "__forceinline__"
    helper = f"static __device__ {inlined} int help_{name}(void* a) {{ int t = 0; {inner} return t; }}\n"
    source = source.replace("@", inner).replace("help(", f"help_{name}(")
    address = "(void*)m" if same else "other"
    last = "given_away(m);" if space == "local" else ""
    return (
        helper
        + f'extern "C" __global__ void {name}(int* out, short* given, void* other, int n, int first,\n    const short* __restrict__ only_read) {{\n{memory}\n'
        + f"void* a = {address}; (void)a; int t = 0;\n{source}\nout[0] = t; {last} }}\n"
    )


def events(body):
    """The accesses of 16 bits, statements and beginnings of loops in the order of the text."""
    found, inside = "", False
    body = body.replace("// given away", "")
    body = re.sub(r"//\s*begin inline asm\s*//\s*end inline asm", "", body)
    for line in body.splitlines():
        line = line.strip()
        if re.match(r"//\s*begin inline asm|(\{\s*)?call", line):
            found, inside = found + "A", "asm" in line
        elif re.match(r"//\s*end inline asm", line):
            inside = False
        elif not inside:
            if re.match(r"(@\S+\s+)?ld\.(?!param)\S*(?<!\d)[busf]?16\s", line):
                found += "L"
            elif re.match(r"(@\S+\s+)?st\.(?!param)\S*(?<!\d)[busf]?16\s", line):
                found += "S"
            elif re.match(r"\$\S+:", line):
                found += ":"
    return found


def compile_nvrtc(library, source):
    lib = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    check = lambda code: code and sys.exit(f"nvrtc: {code}")
    check(lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None))
    options = [b"--gpu-architecture=compute_90"]
    code = lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    if code:
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        sys.exit(log.value.decode()[:3000])
    check(lib.nvrtcGetPTXSize(program, ctypes.byref(size)))
    ptx = ctypes.create_string_buffer(size.value)
    check(lib.nvrtcGetPTX(program, ptx))
    return ptx.value.decode()


def compile_with(command, source):
    with tempfile.TemporaryDirectory() as folder:
        path, ptx = os.path.join(folder, "k.cu"), os.path.join(folder, "k.ptx")
        with open(path, "w") as file:
            file.write(source)
        subprocess.run([*command, path, "-o", ptx], check=True)
        with open(ptx) as file:
            return file.read()


def ask(name, program, source):
    if name.startswith("nvrtc"):
        return compile_nvrtc(program, source)
    if name.startswith("clang"):
        options = "-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -O3 -S -w -Xclang -target-feature -Xclang +ptx80"
        return compile_with([program, *options.split()], source)
    return compile_with([program, "-ptx", "-arch=compute_90", "-O3", "-w"], source)


def cases():
    for context, (wanted, source) in {**CONTEXTS, **FATES}.items():
        spaces = ["global", "shared", "local"] if context in CONTEXTS else ["global"]
        spaces = ["exchange"] if context == "exchange" else spaces
        spaces += ["fresh"] if context == "forward" else ["readonly"] if "S" not in wanted and "L" in wanted else []
        for space in spaces:
            for same in [True, False] if space != "fresh" else [True]:
                yield f"{context}.{space}.{'same' if same else 'other'}", wanted, source, space, same


def main():
    print(TITLE)
    for kind, (text, output, address) in KINDS.items():
        print("kind", kind, "output" if output else "-", "address" if address else "-", text)
    for compiler in sys.argv[1:]:
        name, program = compiler.split("=", 1)
        asked = {}
        for form in FORMS:
            source = HEADER
            for kind in [None, *KINDS] if form == "asm" else KINDS:
                for case, wanted, text, space, same in cases():
                    if kind and same and not KINDS[kind][2]:
                        continue
                    if kind is None and (same or wanted.strip(":A") == ""):
                        continue
                    label = f"k{len(asked)}"
                    asked[label] = (form, kind, case, wanted)
                    source += kernel(label, kind, form, text, space, same, case.startswith("called."))
            ptx = ask(name, program, source)
            for found in re.finditer(r"\.entry (k\d+)\(.*?\n\{(.*?)\n\}", ptx, re.S):
                label = found.group(1)
                asked[label] += (events(found.group(2)),)
        report(name, asked)


def plain(sequence, wanted):
    return sequence if ":" in wanted else sequence.replace(":", "")


def report(compiler, asked):
    """A line for kinds of which the same is true."""
    lines = defaultdict(dict)
    for form, kind, case, wanted, got in asked.values():
        # A loop has more labels than its own, and what ends with a loop may begin another block.
        got = re.sub(":+", ":", plain(got, wanted)).rstrip(":")
        moved = lines[(form, kind or "(none)")]
        expected = wanted if kind else wanted.replace("A", "")
        if got != expected:
            moved[case] = got or "nothing"
    groups = defaultdict(list)
    for (form, kind), moved in lines.items():
        groups[(form, tuple(sorted(moved.items())))].append(kind)
    for (form, moved), kinds in groups.items():
        print(f"{compiler}; {'(no statement)' if kinds == ['(none)'] else form}; {' '.join(kinds)}; " + (" ".join(f"{c}={g}" for c, g in moved) or "-"))


if __name__ == "__main__":
    main()
