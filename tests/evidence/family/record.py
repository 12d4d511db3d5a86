"""Asks ptxas about the families beside atom, red and multimem.

Each folder beside this script is a group of families, with its axes.txt. Writes the group's forms.txt.gz (the whole product on ASKED; each legal
form at every pair of version and target; a line `PTX target…` for each class and below it, indented, its forms; what `sm_70<6.4` has is gone again
in PTX 6.4, what `sm_89>8.1` has is new there in PTX 8.1) and synchronization/samples.txt.gz (ld and st, whose product is too large: random members, and neighbours of legal ones by one or two
modifiers, lines `verdict target opcode`; the legal ones of them, thinned out, are in forms.txt.gz too).

Some errors are reported once a module only (st.async: "requires modifier '.completion_mechanism'"), so what is accepted beside others is asked once
more alone. sm_101a and sm_101f, which only an older assembler knows, are left out. With names of groups or families these alone are asked, and the
rest is kept. usage: record.py [JOBS [GROUP or FAMILY...]]
"""

import gzip
import itertools
import os
import random
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../legality"))
import fragments  # noqa: E402
import oracle  # noqa: E402
import textures  # noqa: E402
import versions  # noqa: E402

TARGETS = ["sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]
ASKED = [("9.5", target) for target in TARGETS] + [("6.3", "sm_70"), ("6.1", "sm_70"), ("3.2", "sm_20"), ("1.3", "sm_13")]
PAIRS = [pair for pair in versions.pairs() if pair[1] not in ("sm_101a", "sm_101f")]
CHUNK = 40_000
SAMPLES = 20_000
THINNED = 1_000
WORDS_OF_32_BITS = "b32 u32 s32 f16x2 bf16x2 tf32 e4m3x4 e5m2x4 e2m3x4 e3m2x4".split()
LD_ST = """mmio
weak relaxed acquire release volatile
cta cluster gpu sys
const global local param param::entry shared shared::cta shared::cluster
ca cg cs lu cv wb wt
L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate
L2::evict_normal L2::evict_first L2::evict_last
L2::cache_hint
L1::32B L2::64B L2::128B L2::256B
proxy::readonly
nc
v2 v4 v8
b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 b64 u64 s64 f64 b128 pred"""


def groups():
    """The names of the groups."""
    return sorted(name for name in os.listdir(HERE) if os.path.exists(os.path.join(HERE, name, "axes.txt")))


def axes(group):
    """Each line of a group's axes.txt as its first word and the rest."""
    with open(os.path.join(HERE, group, "axes.txt")) as file:
        return [line.strip().partition(" ")[::2] for line in file if not line.startswith("#")]


def pairs_asked(group):
    """The pairs at which the whole products of a group are asked."""
    return ASKED + [("9.5", target) for key, rest in axes(group) if key == "targets" for target in rest.split()]


def families(group):
    """Every (name, axes, shapes of operands) of a group. A name occurs once for each product that is asked of it."""
    found = []
    for key, rest in axes(group):
        if key == "family":
            found.append((rest, [], []))
        elif key == "with":
            found[-1][2].extend(shape.strip() for shape in f" {rest} ".split(" | "))
        elif key != "targets":
            found[-1][1].append([key, *rest.split()])
    return found


def chosen(only):
    """Every (group, names of its families to ask): all of them without names of groups and families."""
    for group in groups():
        names = sorted({name for name, _, _ in families(group)})
        asked = [name for name in names if not only or group in only or name in only]
        if asked:
            yield group, asked


def some(bank, count):
    """A list of registers in braces, one at least: an empty one is a syntax error, and what follows has to be asked again."""
    return "{" + ",".join(f"{bank}{n}" for n in range(max(count, 1))) + "}"


def tensor_operands(shape, words, rank):
    """A shape with what the words of a tensor copy ask for: coordinates, replaced properties, offsets, a mask of CTAs, a mask of bytes, ignored bytes."""
    coordinates = 5 if "tile::scatter4" in words or "tile::gather4" in words else rank
    replaced = ""
    if "override::global_address" in words:
        sizes = f",{some('h', rank)}"
        strides = f",{some('r', rank - 1)},h0"
        replaced = {"override::global_dim": sizes, "override::global_dim_stride": sizes + strides}
        counter = ",l0" if "counted::bytes" in words else ""
        replaced = ",l0" + counter + next((text for word, text in replaced.items() if word in words), "")
    offsets = {"im2col": max(rank - 2, 0), "im2col::w": 2, "im2col::w::128": 2}
    offsets = next((", " + some("h", count) for word, count in offsets.items() if word in words), "")
    multicast = next((word for word in words if word.startswith("multicast::cluster")), "")
    mask = {"": "", "multicast::cluster::32b": ", r0"}.get(multicast, ", h0")
    for key, text in (("n", some("r", coordinates)), ("o", replaced), ("i", offsets), ("c", mask)):
        shape = shape.replace("{" + key + "}", text)
    shape = shape.replace("{k}", ", h0" if "cp_mask" in words else "")
    return shape.replace("{g}", ", r1, r2" if "ignore_oob" in words else "")


def fill(shape, opcode):
    """A shape of operands for an opcode."""
    words = opcode.split(".")
    # A `.pred` beside another type changes nothing.
    types = [word for word in words if word in oracle.BANK or word in WORDS_OF_32_BITS]
    bank = oracle.BANK.get(next((word for word in types if word != "pred"), "pred" if types else ""), "r")
    lanes = next((oracle.VECTORS[word] for word in words if word in oracle.VECTORS), 1)
    rank = next((int(word[0]) for word in words if word in ("1d", "2d", "3d", "4d", "5d")), 0)
    shape = tensor_operands(fragments.fill(textures.fill(shape, opcode), opcode), words, rank)
    shape = shape.replace("{p}", ", l0" if "L2::cache_hint" in words else "")
    last = oracle.BANK.get(types[-1], "r") if types else "r"
    return shape.replace("{d}", oracle.register(bank, lanes, 0)).replace("{e}", oracle.register(last, 1, 0))


def ask(job):
    """The numbers of the lines that are refused. Some errors show only once others are gone, so what is left is asked again."""
    lines, version, target = job
    refused, live = set(), list(range(len(lines)))
    while live and (found := oracle.check([lines[at] for at in live], version, target)[0]):
        refused |= {live[at] for at in found}
        live = [at for at in live if at not in refused]
    return refused


def accepted(opcodes, shapes, version, target, pool):
    """The first shape with which each opcode is accepted, asked in a crowd and then alone."""
    questions = [(opcode, fill(shape, opcode)) for opcode in opcodes for shape in shapes]
    parts = [questions[at : at + CHUNK] for at in range(0, len(questions), CHUNK)]
    jobs = [([f"{opcode} {shape};" for opcode, shape in part], version, target) for part in parts]
    likely = [
        question
        for part, refused in zip(parts, pool.map(ask, jobs))
        for number, question in enumerate(part)
        if number not in refused
    ]
    found = {}
    with ThreadPoolExecutor(os.cpu_count()) as alone:
        verdicts = alone.map(lambda q: not ask(([f"{q[0]} {q[1]};"], version, target)), likely if len(likely) < 4000 else [])
        for (opcode, shape), good in itertools.zip_longest(likely, verdicts, fillvalue=True):
            if good:
                found.setdefault(opcode, shape)
    return found


def classes(forms, pool):
    """The forms by first version and targets. A form that no pair of these explains ends the run."""
    lines = [f"{opcode} {shape};" for opcode, shape in forms]
    answers = dict(zip(PAIRS, pool.map(ask, [(lines, *pair) for pair in PAIRS], chunksize=8)))
    newest = len(versions.VERSIONS) - 1
    order = {pair: versions.VERSIONS.index("6.0" if pair == versions.PREVIEW else pair[0]) for pair in PAIRS}
    known = {}
    for pair in PAIRS:
        known[pair[1]] = min(known.get(pair[1], 99), order[pair])
    found = defaultdict(list)
    for number, (opcode, _) in enumerate(forms):
        first, last = {}, {}
        for pair, refused in answers.items():
            if number not in refused:
                first[pair[1]] = min(first.get(pair[1], 99), order[pair])
                last[pair[1]] = max(last.get(pair[1], 0), order[pair])
        minimum = min(first.values())
        for pair, refused in answers.items():
            if (pair[1] in first and first[pair[1]] <= order[pair] <= last[pair[1]]) != (number not in refused):
                raise SystemExit(f"not separable: {opcode} at {pair}")
        late = {target for target, at in first.items() if at > max(minimum, known[target])}
        since = {target: ">" + versions.VERSIONS[first[target]] if target in late else "" for target in first}
        until = {target: "" if at == newest else "<" + versions.VERSIONS[at + 1] for target, at in last.items()}
        marked = [target + since[target] + until[target] for target in versions.TARGETS if target in first]
        found[minimum, tuple(marked)].append(opcode)
    return found


def random_members(axes, rng):
    """Members of the product of ld or st with few words, most of them with a type."""
    while True:
        places = sorted(rng.sample(range(len(axes) - 1), rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5])))
        yield [rng.choice(axes[place]) for place in places] + [rng.choice(axes[-1])] * (rng.random() < 0.97)


def neighbours(axes, legal, rng):
    """Legal forms with one or two modifiers changed."""
    slot = {word: place for place, axis in enumerate(axes) for word in axis}
    while True:
        words = rng.choice(legal).split(".")[1:]
        for _ in range(rng.choice([1, 1, 2])):
            place = rng.randrange(len(axes))
            words = [word for word in words if slot[word] != place] + [rng.choice(axes[place])] * (rng.random() < 0.75)
        yield sorted(words, key=slot.get)


def kept(group, asked):
    """What a group's forms.txt.gz has of other families than these."""
    found, path = defaultdict(list), os.path.join(HERE, group, "forms.txt.gz")
    if not os.path.exists(path):
        return found
    names = sorted((name for name, _, _ in families(group)), key=len, reverse=True)
    with gzip.open(path, "rt") as file:
        for line in file:
            if line.startswith(" "):
                form = line.strip()
                name = next((name for name in names if form == name or form.startswith(name + ".")), form)
                if name not in asked:
                    found[key].append(form)
            else:
                version, *targets = line.split()
                key = versions.VERSIONS.index(version), tuple(targets)
    return found


def shapes_of(group):
    """The shapes of operands of each family of a group."""
    found = defaultdict(list)
    for name, _, shapes in families(group):
        found[name] += [shape for shape in shapes if shape not in found[name]]
    return found


def legal_forms(group, asked, pool):
    """The legal forms of families, with the operands each was accepted with; a form of two products comes twice."""
    for name, axes, shapes in families(group):
        if name not in asked:
            continue
        members = [".".join([name] + [word for word in choice if word != "-"]) for choice in itertools.product(*axes)]
        members = list(dict.fromkeys(members))
        forms = {}
        for pair in pairs_asked(group):
            for opcode, shape in accepted(members, shapes, *pair, pool).items():
                forms.setdefault(opcode, shape)
        yield from sorted(forms.items())
        print(f"{name}: {len(members)} asked, {len(forms)} legal", flush=True)


def loads_and_stores():
    """Samples of ld and st, and some of the legal ones with their operands."""
    samples, forms, rng = [], [], random.Random(11)
    axes = [line.split() for line in LD_ST.splitlines()]
    for name, operands in [("ld", "{d}, [a]{p}"), ("st", "[a], {d}{p}")]:
        shape = lambda opcode: fill(operands, opcode)
        legal = {}
        for source in (random_members(axes, rng), None):
            source = source or neighbours(axes, sorted(legal), rng)
            members = [".".join([name] + words) for words in itertools.islice(source, SAMPLES)]
            for target in ["sm_90", "sm_100a"]:
                refused = ask(([f"{opcode} {shape(opcode)};" for opcode in members], "9.5", target))
                for number, opcode in enumerate(members):
                    samples.append(f"{'illegal' if number in refused else 'legal'} {target} {opcode}")
                    if number not in refused:
                        legal[opcode] = shape(opcode)
        forms += rng.sample(sorted(legal.items()), THINNED)
        print(f"{name}: {len(legal)} legal ones among the samples", flush=True)
    return samples, forms


def write(path, lines):
    """Writes lines to a compressed file, the same bytes each time."""
    with gzip.GzipFile(path, "wb", 9, mtime=0) as out:
        out.write("".join(f"{line}\n" for line in lines).encode())


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    only = sys.argv[2:]
    with ProcessPoolExecutor(jobs) as pool:
        for group, asked in chosen(only):
            found = kept(group, asked)
            forms = list(dict(legal_forms(group, asked, pool)).items())
            if group == "synchronization" and (not only or group in only):
                samples, sampled = loads_and_stores()
                forms += sampled
                write(os.path.join(HERE, group, "samples.txt.gz"), samples)
            for key, members in classes(forms, pool).items():
                found[key] += members
            lines = []
            for (minimum, targets), members in sorted(found.items()):
                lines.append(f"{versions.VERSIONS[minimum]} {' '.join(targets)}")
                lines += [f" {form}" for form in sorted(set(members))]
            write(os.path.join(HERE, group, "forms.txt.gz"), lines)
            print(f"{group}: {sum(map(len, found.values()))} forms, {len(found)} classes", flush=True)


if __name__ == "__main__":
    main()
