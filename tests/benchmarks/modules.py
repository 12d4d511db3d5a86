"""Modules of any size for the benchmarks: a module of a compiler over and over with other names, or text that is made here.

Must not know what is measured.
"""
import gzip
import json
import re
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[1] / "evidence/public_code/recorded.jsonl.gz"
ATOMICS = {"atom", "red", "multimem", "fence", "membar", "mbarrier"}
TENSOR = {"tcgen05", "mma", "wgmma", "wmma", "ldmatrix", "stmatrix", "movmatrix", "tensormap"}
HEAD = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .global .align 8 .b8 table[4096];\n"
# What a compiler writes for a loop that adds up and notifies others; every copy has registers and labels of its own.
PIECE = """\tld.param.u64 %rd{a}, [{name}_param_0];
\tcvta.to.global.u64 %rd{b}, %rd{a};
\tmov.u32 %r{a}, %tid.x;
\tmul.wide.u32 %rd{c}, %r{a}, 4;
\tadd.s64 %rd{d}, %rd{b}, %rd{c};
$L_{label}:
\tld.global.u32 %r{b}, [%rd{d}+16];
\tsetp.eq.s32 %p{a}, %r{b}, {number};
\t@%p{a} bra $L_{label}_end;
\tadd.s32 %r{c}, %r{b}, 1;
\tatom.global.gpu.add.u32 %r{d}, [%rd{d}+32], %r{c};
\tst.global.u32 [%rd{d}+48], %r{d};
\tred.release.gpu.global.add.u32 [%rd{d}], 1;
\tbra.uni $L_{label};
$L_{label}_end:
"""


def piece(name, copy, label):
    a, b, c, d = (4 * copy + n for n in range(4))
    return PIECE.format(name=name, label=label, number=copy, a=a, b=b, c=c, d=d)


def function(name, copies):
    declared = f"\t.reg .pred %p<{4 * copies}>;\n\t.reg .b32 %r<{4 * copies}>;\n\t.reg .b64 %rd<{4 * copies}>;\n\n"
    body = "".join(piece(name, copy, f"{name}_{copy}") for copy in range(copies))
    return f"\n.visible .entry {name}(\n\t.param .u64 {name}_param_0\n)\n{{\n{declared}{body}\tret;\n}}\n"


def many_functions(size):
    """A module of functions of about 3 kB each."""
    made, length, count = [HEAD], len(HEAD), 0
    while length < size:
        made.append(function(f"kernel_{count}", 7))
        length += len(made[-1])
        count += 1
    return "".join(made)


def one_function(size):
    """A module whose one function takes all of it."""
    return HEAD + function("kernel", max(1, size // len(piece("kernel", 10_000, "kernel_10000"))))


def repeated(text, size):
    """A module over and over with other names, until it has a size."""
    head, body = re.match(r"(?s)(.*?\.address_size\s+\d+\n)(.*)", text).groups()
    names = set(re.findall(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", body))
    names |= set(re.findall(r"(?m)^(?:\.\w+\s+)*\.(?:global|const|shared)\b[^;=]*?([\w$]+)\s*(?:\[[^;]*?)?[;=]", body))
    pattern = re.compile(r"(?<![\w$%.])(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")(?![\w$])")
    made, length, copy = [head], 0, 0
    while length < size:
        made.append(pattern.sub(lambda match: f"{match.group()}_{copy}", body))
        length += len(made[-1])
        copy += 1
    return "".join(made)


def recorded(target, mnemonics=None):
    """The instructions of public code that the assembler accepts for a target, and the module's start and registers for them."""
    for line in gzip.open(RECORDED, "rt"):
        pair = json.loads(line)
        if pair["target"] == target:
            break
    head = f".version {pair['version']}\n.target {target}\n.address_size 64\n"
    mnemonic = lambda text: re.match(r"(?:@\S+\s+)?(\w+)", text).group(1)
    chosen = [text for text, accepted in pair["lines"] if accepted and (mnemonics is None or mnemonic(text) in mnemonics)]
    return head, pair["before"], chosen


def of_instructions(size, target, mnemonics=None, spell=lambda text, number: f"\t{text}\n"):
    """A module of functions of 400 instructions that public code has, over and over."""
    head, before, chosen = recorded(target, mnemonics)
    made, length, at = [head], 0, 0
    while length < size:
        body = "".join(spell(chosen[(at + n) % len(chosen)], at + n) for n in range(400))
        made.append(before.replace("k()", f"k{at}()") + body + "ret;\n}\n")
        length += len(made[-1])
        at += 400
    return "".join(made)


def atomics(size):
    """A module of atomics, fences and barriers alone."""
    return of_instructions(size, "sm_90a", ATOMICS)


def tensor(size):
    """A module of tensor instructions alone."""
    return of_instructions(size, "sm_100a", TENSOR)


def hand_spelt(size):
    """A module of all kinds of instructions, laid out in several ways, with labels and comments."""
    ways = [
        "    {text}\n", "\t{text} // step {number}\n", "{text}\n\n", "  {text}  /* {number} */\n", "L{number}: {text}\n",
        "\t{spaced}\n",
    ]
    spell = lambda text, number: ways[number % len(ways)].format(text=text, number=number, spaced=text.replace(", ", " ,\n\t\t"))
    return of_instructions(size, "sm_90a", spell=spell)


def evaluations(size):
    """Lines for `eval --batch`."""
    forms = ["atom.global.add.u32\tglobal\t{:08x}\t{:08x}\t-", "red.global.max.s32\tglobal\t{:08x}\t{:08x}\t-",
             "atom.global.exch.b32\tglobal\t{:08x}\t{:08x}\t-", "red.global.add.f32\tglobal\t{:08x}\t{:08x}\t-"]
    lines = "".join(form.format(n * 2654435761 % 2**32, n * 40503 % 2**32) + "\n" for n in range(64) for form in forms)
    return lines * (size // len(lines) + 1)


# A function or statement with inline assembly for each host: text before all, the text of each, and text after all.
HOSTS = {
    "Python": ("py", "import cutlass\nfrom triton.language import inline_asm_elementwise\n", '''
def add_{n}(pointer, value):
    """Adds and returns what was there."""
    return inline_asm_elementwise(
        """
        {{
            .reg .pred %p;
            setp.ne.b32 %p, $2, {n};
            @%p atom.relaxed.gpu.global.add.u32 $0, [$1], $2;
        }}
        """,
        "=r,l,r", [pointer, value], dtype=int, is_pure=False, pack=1)
''', ""),
    "LLVM IR": ("ll", 'target triple = "nvptx64-nvidia-cuda"\n', '''
define i32 @add_{n}(ptr %p, i32 %x) {{
  %y = add i32 %x, {n}
  %1 = call i32 asm sideeffect "atom.relaxed.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,~{{memory}}"(ptr %p, i32 %y)
  ret i32 %1
}}
''', ""),
    "Rust": ("rs", "use core::arch::asm;\n", '''
pub unsafe fn add_{n}(p: *mut u32, x: u32) -> u32 {{
    let old: u32;
    asm!("atom.relaxed.gpu.global.add.u32 {{}}, [{{}}], {{}};", out(reg32) old, in(reg64) p, in(reg32) x + {n});
    old
}}
''', ""),
    "Markdown": ("md", "# Notes\n", '''
Example {n} adds to a counter and returns what was there:

```cuda
__device__ unsigned add_{n}(unsigned *p, unsigned x) {{
  unsigned old;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(x) : "memory");
  return old;
}}
```
''', ""),
}


def in_host(name, size):
    """A text of a host with inline assembly, and the ending of its file's name."""
    ending, before, each, after = HOSTS[name]
    count = size // len(each) + 1
    return before + "".join(each.format(n=n) for n in range(count)) + after, ending


def store_buffering(threads):
    """A litmus test: each thread writes its place and reads its neighbour's, a `fence.sc` between."""
    registers = "".join(f" P{n}:r0=0;" for n in range(threads))
    places = "".join(f" x{n}=0;" for n in range(threads))
    row = lambda cell: " | ".join(cell(n) for n in range(threads)) + " ;\n"
    return (f"PTX SB{threads}\n{{{places}{registers} }}\n" + row(lambda n: f"P{n}@cta {n},gpu 0")
            + row(lambda n: f"st.relaxed.gpu x{n}, 1") + row(lambda n: "fence.sc.gpu")
            + row(lambda n: f"ld.relaxed.gpu r0, x{(n + 1) % threads}")
            + "exists (" + " /\\ ".join(f"P{n}:r0 == 0" for n in range(threads)) + ")\n")
