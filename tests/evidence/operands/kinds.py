"""Records which kinds of operands ptxas accepts in each position of an instruction without memory.

For every family of a group one form of each list of types is taken from tests/evidence/family/GROUP/forms.txt.gz. Each of its operands is
replaced by each kind of KINDS, the others stay. Writes kinds/GROUP.txt.gz: first the declarations, as one line; the kinds; then a line
for each operand: target, index, instruction, and the indices of the kinds that are accepted. With names of families these alone are asked, and the
rest is kept.

usage: kinds.py GROUP [FAMILY...]
"""

import gzip
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../family"))
import record  # noqa: E402
from record import oracle  # noqa: E402

TARGETS = ["sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_107a"]
TYPES = """b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 u16x2 s16x2 u8x4 s8x4 b64 u64 s64 f64 f32x2 pred""".split()
DECLARATIONS = """.global .texref t; .global .surfref s; .global .u32 gv; .shared .u32 sv; .const .u32 cv; .func fn() { ret; } .entry k(.param .u32 pv) {
.reg .pred p<9>; .reg .b16 h<9>; .reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 l<9>; .reg .f64 d<9>; .reg .b128 q<9>;
.reg .b8 xb; .reg .u8 xu; .reg .s8 xs; .reg .u16 hu; .reg .s16 hs; .reg .f16 hf; .reg .u32 ru; .reg .s32 rs; .reg .f16x2 rh;
lab: .reg .u64 a, lu; .reg .b8 b<9>; .reg .s64 ls; .reg .v2 .b32 v2r; .reg .v4 .b32 v4r; .local .u32 lv;
L: T: .branchtargets L; C: .calltargets fn; P: .callprototype _ ();""".replace("\n", " ")
# Loads and stores have no axes; of their sampled forms one for each type and vector size, and one for each state space, is asked with the group that moves data.
LOADS_AND_STORES = {"ld": ["{d}, [a]{p}"], "st": ["[a], {d}{p}"]}
# Of the operands of instructions with many types, every so many are kept: conversions and memory accesses of different types are checked alike.
SAMPLED = {"cvt": 5, "ld": 3, "st": 3, "ldu": 9}
OTHER_STORES = re.compile(r" st\.(async|bulk)")
SPACES = """global shared shared::cta shared::cluster local const param param::entry param::func""".split()
KINDS = """p1 xb xu xs h1 hu hs hf r1 ru rs rh f1 l1 lu ls d1 q1 0 1 -1 31 255 256 65536 4294967296 -2147483649 1.0 0f3f800000
0d3ff0000000000000 1U 0x10 !p1 !r1 !1 -r1 _ gv sv cv lv pv fn gv+4 fn+4 r1+4 f1+4 [gv] [l1] [pv] %tid.x %clock64 %laneid %tid WARP_SZ
{r1} {r1,r2} {h1,h2} v2r v2r.x v4r p1|p2 r1|p1 p1|r1 _|p1 r1|_ p1|_ (1+2) (300-50) (1?2:3) -1.0 nosuch
[r1] [l1+4] [gv+4] [sv] [cv] [fn] [16] [a] lab lab+4 [lab] {l1,l2} {f1,f2} {d1,d2} {p1,p2} {r1,_} {_,_} {1,2} {h1} {l1} {r1,r2,r3} {r1,r2,r3,r4}
{f1,f2,f3,f4} {h1,h2,h3,h4} {l1,l2,l3,l4} {r1,r2,r3,r4,r5,r6,r7,r8} {r1,f1} {r1,h1} {r1,l1} {xb,xb} {xb,xb,xb,xb} [gv,{r1,r2}] [l1,{r1,r2}]
[l1,r1] [h1] [f1] !p1|p2 p1.x 3.5 8 16 32 64 127 128 -32768 32767 65535 0xffffffff 0xffffffffffffffff
k %clock %gridid %is_explicit_cluster !%is_explicit_cluster {1} {1.0} {f1} {gv} {1,2,3,4} {r1,1} {1,r1} {l1,1} {1,l1} {1,f1} {1,h1} {1.0,f1} {f1,1.0}
{0f3f800000,0f3f800000} {1.0,2.0} {_,r1} {gv,r1} {fn,r1} {%tid.x,%laneid} {hf,hf} {h1,hf} {hu,hf} {rh,rh} {rh,r1} {ru,rs} {ru,f1} {xu,xs} {q1,q2} {l1,d1} {p1,r1}
{d1,d2,d3,d4} {l1,l2,l3,l4,l5,l6,l7,l8} {f1,f2,f3,f4,f5,f6,f7,f8} [lv] [pv+4] [rs] [%laneid] [gv+(2*3)]
[l1,{r1}] [l1,{r1,r2,r3}] [l1,{r1,r2,r3,r4,r5}] [r1,{r1,r2}] [cv,{r1,r2}] [sv,{r1,r2}] [lv,{r1,r2}] [pv,{r1,r2}] [l1+16,{r1,r2}] [l1,{h1,h2}]
[l1,{l1,l2}] [l1,{f1,f2}] [l1,{rh,rh}] [l1,{1,2}] [l1,{1.0,2.0}] [l1,{_,r1}] [l1,{r1,rs}] [l1,v2r] [l1,l2,{r1,r2}] [l1,r1,{r1,r2}] [l1,l2,{r1}]
[l1,0,{r1}] {h1,h2,h3} {hu,hs} {h1,_} {v2r.x,r1} [v2r.x] [l1+l2] [gv+r1] [_] 2 3 4 12 15 17 33 1024 1048575 1048576 -2147483648 4294967295
L T C P T+4 [T] {L} -L
r1.b0 r1.b3 r1.b4 r1.h0 r1.h1 r1.h2 r1.h10 r1.h32 r1.h33 r1.h01 r1.h44 r1.b20 r1.b01 r1.b10 r1.b321 r1.b3210 r1.b7654 r1.b0123 r1.b8888 r1.x h1.b0
l1.h0 f1.b0 ru.h1 rs.b2 rh.b0 p1.b0 gv.b0 -r1.b0 -r1.h10 -f1 -1U t s [t] [s] [t+4] [t,{r1}] [t,{f1}] [t,r1] [t,f1] [t,{r1,r2}] [t,{f1,f2}] [t,{r1,f2}]
[t,{f1,r2}] [t,{r1,r2,r3,r4}] [t,{f1,f2,f3,f4}] [t,{r1,f1,f2,f3}] [t,{r1,r2,r3}] [t,{ru,rs}] [t,{h1,h2}] [t,{d1,d2}] [t,{l1,l2}] [t,{1,2}] [t,{1.0,2.0}]
[t,{r1,_}] [t,v2r] [t,v4r] [t,l1,{f1,f2}] [t,t,{f1,f2}] [t,gv,{f1,f2}] [t,r1,{f1,f2}] [t,l1,{r1,r2}] [l1,{f1}] [l1,l2,{f1,f2}] [a,{r1,r2}] [a,{f1,f2}]
[r1,{f1,f2}] [gv,{f1,f2}] [fn,{f1,f2}] [s,{r1}] [s,r1] [s,{r1,r2}] [s,{r1,r2,r3,r4}] [s,{f1,f2}] [s,{1,2}] [s,{h1,h2}] [s,{l1,l2}] [s,{ru,rs}] [s,{rh,rh}]
[s,v2r] [s,v4r] [s,l1,{r1,r2}] [s+4,{r1,r2}] {f1,f2,f3,f4}|p1 {r1,r2,r3,r4}|p1 {r1,r2,r3,r4}|r1 {f1,f2}|p1 {f1,_,f2,_} {_,_,_,_} {h1,h2,h3,h4}|p1""".split()
# The groups of which further forms are taken, so that each modifier of a family is in one: their operands depend on other modifiers than the type.
BY_MODIFIER = ["async_copies", "synchronization"]
# The groups of which only these forms are taken: their operands depend on few of the modifiers.
CHOSEN = {
    "video": """vadd.u32.u32.u32 vadd.s32.s32.s32.add vshl.u32.u32.u32.clamp vmad.s32.s32.s32 vmad.s32.s32.s32.po vset.u32.u32.lt vset.s32.s32.lt.min
vadd2.u32.u32.u32 vset2.s32.s32.lt.add vadd4.s32.s32.s32.add vset4.u32.u32.lt""",
    "texture": """tex.1d.v4.u32.s32 tex.2d.v4.f32.f32 tex.3d.v4.f16.f32 tex.a1d.v4.s32.f32 tex.a2d.v2.f16x2.f32 tex.cube.v4.f32.f32 tex.2dms.v4.u32.s32
tex.base.2d.v4.f32.f32 tex.level.2d.v4.f32.f32 tex.level.a1d.v4.u32.s32 tex.grad.2d.v4.f32.f32 tex.grad.a2d.v4.f32.f32 tld4.r.2d.v4.u32.f32 txq.width.b32
txq.level.width.b32 suld.b.1d.b8.trap suld.b.2d.v2.b64.trap suld.b.a2d.b32.trap sust.b.2d.v4.b32.trap sust.p.1d.b32.trap sured.b.add.2d.u64.trap
sured.p.min.1d.b32.trap suq.width.b32""",
    "fabric": """multimem.st.async.release.gpu.b8 multimem.st.async.release.gpu.b16 multimem.st.async.release.gpu.b32
multimem.st.async.release.gpu.f32 multimem.st.async.release.gpu.b64 multimem.st.async.release.gpu.global.f64 multimem.red.async.release.gpu.add.u32
multimem.red.async.release.gpu.add.s32 multimem.red.async.release.gpu.global.add.u64
fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.b128
fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.b128
fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.cp_mask.b128
fabric.try_red.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.add.u32
fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.add.u32.sync
fabric.try_get.async.tensor.2d.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.override::global_address.b128
fabric.try_put.async.tensor.1d.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.override::global_address.counted::bytes.b128
fabric.try_red.async.tensor.2d.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.L2::cache_hint.override::global_address.add""",
    "wmma": """wmma.load.a.sync.aligned.row.m16n16k16.f16 wmma.load.b.sync.aligned.col.m8n32k16.bf16 wmma.load.a.sync.aligned.row.m8n8k32.s4
wmma.load.c.sync.aligned.row.m16n16k16.f32 wmma.store.d.sync.aligned.row.m8n8k4.f64 wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32
wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32
wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32""",
}


def split(operands):
    """The operands of an instruction."""
    parts, depth = [""], 0
    for c in operands:
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def refused(lines, target):
    """The numbers of the lines that are refused, whatever else stands beside them."""
    header = f".version 9.5\n.target {target}\n.address_size 64\n{DECLARATIONS}\n"
    bad, live = set(), list(range(len(lines)))
    while live:
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(header + "\n".join(lines[at] for at in live) + "\nret; }\n")
            file.flush()
            command = [oracle.PTXAS, "-arch=" + oracle.arch(target), "-o", os.devnull, file.name]
            said = subprocess.run(command, capture_output=True, text=True)
        numbers = [int(number) for number in re.findall(rf"{file.name}, line (\d+); (?:error|fatal)", said.stderr)]
        new = {live[number - 5] for number in numbers if 0 <= number - 5 < len(live)}
        if not new:
            if said.returncode != 0:
                half = len(live) // 2
                if half == 0:
                    return bad | set(live)
                first, second = [lines[at] for at in live[:half]], [lines[at] for at in live[half:]]
                bad |= {live[at] for at in refused(first, target)} | {live[half + at] for at in refused(second, target)}
            return bad
        bad |= new
        live = [at for at in live if at not in new]
    return bad


def families_of(group):
    """The families of a group with the shapes of their operands, and the loads and stores."""
    return record.shapes_of(group) | (LOADS_AND_STORES if group == "movement" else {})


def known_forms(group):
    """The legal forms of a group, the shortest first."""
    known = []
    for folder in {group, "synchronization" if group == "movement" else group}:
        with gzip.open(os.path.join(HERE, "../family", folder, "forms.txt.gz"), "rt") as file:
            known += [line.strip() for line in file if line.startswith(" ") and (folder == group or not OTHER_STORES.match(line))]
    return sorted(known, key=lambda form: (len(form), form))


def forms(group, only):
    """One form of each family and list of types, and the shapes of operands of the family."""
    known = known_forms(group)
    families = families_of(group)
    for name, shapes in families.items():
        if only and name not in only:
            continue
        longer = [other for other in families if other.startswith(name + ".")]
        taken, covered = set(), set()
        for form in known:
            if not f"{form}.".startswith(name + ".") or any(f"{form}.".startswith(other + ".") for other in longer):
                continue
            words = form.split(".")
            if group in CHOSEN:
                if form in CHOSEN[group].split():
                    yield form, shapes
                continue
            key = tuple(word for word in words if word in TYPES), "bool" if {"and", "or"} & set(words[1:]) else ""
            if group == "movement":
                key += tuple(word for word in words if word in oracle.VECTORS or word in SPACES and "u32" in words)
            further = group in BY_MODIFIER and not covered.issuperset(words)
            if not further and ("pred" in words[1:] and len(key[0]) > 1 or key in taken):
                continue
            taken.add(key)
            covered.update(words)
            yield form, shapes


def accepted(form, shapes):
    """The lines of a form: one for each operand, with each list of operands that it accepts."""
    for target in TARGETS:
        asked = [f"{form} {record.fill(shape, form)};" for shape in shapes]
        bad = refused(asked, target)
        right = [line for at, line in enumerate(asked) if at not in bad]
        if right:
            break
    else:
        print("no operands fit:", form)
        return
    for instruction in dict.fromkeys(right):
        opcode, _, rest = instruction.rstrip(";").partition(" ")
        operands = split(rest) if rest else []
        for at in range(len(operands)):
            asked = [f"{opcode} {', '.join(operands[:at] + [kind] + operands[at + 1 :])};" for kind in KINDS]
            bad = refused(asked, target)
            good = " ".join(str(number) for number in range(len(KINDS)) if number not in bad)
            yield f"{target}\t{at}\t{instruction}\t{good}"


def kept(group, only):
    """The lines of a group's recording that are of none of these families."""
    path = os.path.join(HERE, "kinds", f"{group}.txt.gz")
    if not only or not os.path.exists(path):
        return []
    with gzip.open(path, "rt") as file:
        names = sorted(families_of(group), key=len, reverse=True)
        of = lambda opcode: next((name for name in names if f"{opcode}.".startswith(name + ".")), None)
        return [line.rstrip("\n") for line in list(file)[2:] if of(line.split("\t")[2].split(" ")[0].rstrip(";")) not in only]


def sampled(lines):
    """The lines of a recording, of instructions with many types only some."""
    count = {}
    for line in lines:
        name = line.split("\t")[2].split(".")[0]
        count[name] = count.get(name, 0) + 1
        if count[name] % SAMPLED.get(name, 1) == 0:
            yield line


def main():
    group, only = sys.argv[1], sys.argv[2:]
    lines = kept(group, only)
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda question: list(accepted(*question)), forms(group, only)):
            lines += found
    lines = list(sampled(lines)) if not only else lines
    record.write(os.path.join(HERE, "kinds", f"{group}.txt.gz"), [DECLARATIONS, " ".join(KINDS), *lines])
    print(len(lines), "operands of", len(KINDS), "kinds each")


if __name__ == "__main__":
    main()
