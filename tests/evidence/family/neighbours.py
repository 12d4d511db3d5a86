"""Asks ptxas for the neighbours of legal forms by one modifier: one more at the end, one less, another one in its place; each modifier that it knows, so
that also one that stands there already is doubled.

Writes neighbours.txt.gz of each group: `target form`, and then of the neighbours that are accepted `+word` (one more), `-2` (without the second) and `2=word` (another in
its place). Verdicts that show only where nothing else is wrong are had by asking again without what was refused. The assembler crashes on some. Ten
minutes on two cores. With names of groups or families these alone are asked, and the rest is kept. usage: neighbours.py [JOBS [GROUP or FAMILY...]]
"""

import gzip
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import record
from record import oracle

HERE = record.HERE
TARGETS = ["sm_90a", "sm_100a"]
# The groups with families that only a newer target has.
NEWER = {"undocumented": ["sm_90a", "sm_107a"], "fabric": [*TARGETS, "sm_107a"]}
FORMS = 8
# What modifiers.txt does not have: it was made of the runs of letters in the assembler.
MORE = """acc::f16 acc::f32 check_layout fabric::fabric fabric::generic generic::fabric layout::v0 layout::v1 multicast::cluster::32b
override::global_address phase_type::conditional phase_type::primary""".split()
# Shapes of operands that a neighbour may want.
MORE_SHAPES = {
    "mbarrier.arrive": ["_, [a]", "l0, [a], r0"],
    "mbarrier.arrive_drop": ["_, [a]", "l0, [a], r0"],
    "mbarrier.arrive.expect_tx": ["_, [a], r0"],
    "mbarrier.arrive_drop.expect_tx": ["_, [a], r0"],
    "tcgen05.mma": ["[r0], l0, l1, [r4], r1, p0", "[r0], [r2], l1, [r4], r1, p0", "[r0], l0, l1, [r4], r1, [r2], [r3], p0"],
    "tcgen05.mma.ws": ["[r0], l0, l1, [r4], r1, p0"],
}
ATOMIC = {
    "atom.add.u32": "{d}, [a], {d}{p} | {d}, [a], {d}, {d}{p}",
    "atom.relaxed.gpu.global.cas.b64": "{d}, [a], {d}{p} | {d}, [a], {d}, {d}{p}",
    "atom.shared.add.noftz.f16": "{d}, [a], {d}{p} | {d}, [a], {d}, {d}{p}",
    "atom.global.add.noftz.v2.bf16": "{d}, [a], {d}{p} | {d}, [a], {d}, {d}{p}",
    "red.add.u32": "[a], {d}{p}",
    "red.release.sys.global.add.f64": "[a], {d}{p}",
    "red.shared.and.b32": "[a], {d}{p}",
    "red.global.add.v2.f32": "[a], {d}{p}",
    "multimem.ld_reduce.relaxed.sys.global.add.u32": "{d}, [a]",
    "multimem.ld_reduce.weak.add.v4.f32": "{d}, [a]",
    "multimem.ld_reduce.global.min.u64": "{d}, [a]",
    "multimem.st.release.gpu.global.b32": "[a], {d}",
    "multimem.st.weak.v4.f32": "[a], {d}",
    "multimem.red.relaxed.sys.global.add.u32": "[a], {d}",
    "multimem.red.release.gpu.add.v2.bf16x2": "[a], {d}",
}


def refused(questions, target):
    """The numbers of the (opcode, operands) that are refused; of a crash, the one that does it."""
    lines = [f"{opcode} {shape};" for opcode, shape in questions]
    before = oracle.header("9.5", target)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write("\n".join(before + lines + ["ret;", "}"]) + "\n")
        file.flush()
        command = [oracle.PTXAS, "-arch=" + oracle.arch(target), "-o", os.devnull, file.name]
        crashed = subprocess.run(command, capture_output=True).returncode < 0
    if not crashed:
        return record.ask((lines, "9.5", target))
    if len(questions) == 1:
        return {0}
    half = len(questions) // 2
    return refused(questions[:half], target) | {half + number for number in refused(questions[half:], target)}


def accepted(questions, target):
    """Those of the (opcode, operands) that are accepted together."""
    while questions and (bad := refused(questions, target)):
        questions = [question for number, question in enumerate(questions) if number not in bad]
    return questions


def chosen(group):
    """Some legal forms of each family of a group, with its shapes of operands."""
    with gzip.open(os.path.join(HERE, group, "forms.txt.gz"), "rt") as file:
        forms = sorted(line.strip() for line in file if line.startswith(" "))
    families = list(record.shapes_of(group).items())
    if group == "synchronization":
        families += [("ld", ["{d}, [a]{p}"]), ("st", ["[a], {d}{p}"])]
    names = sorted((name for name, _ in families), key=len, reverse=True)
    of = {}
    for form in forms:
        name = next(name for name in names if form == name or form.startswith(name + "."))
        of.setdefault(name, []).append(form)
    rng = random.Random(18)
    for name, shapes in families:
        shapes = shapes + MORE_SHAPES.get(name, [])
        members = of.get(name, [])
        for form in sorted(rng.sample(members, min(5 * FORMS if name in ("ld", "st") else FORMS, len(members)))):
            yield name, form, shapes
    for form, shapes in ATOMIC.items() if group == "synchronization" else ():
        name = ".".join(form.split(".")[: 2 if form.startswith("multimem") else 1])
        yield name, form, [shape.strip() for shape in shapes.split("|")]


def neighbours(name, form, words):
    """Every neighbour, by its sign."""
    first = name.count(".") + 1
    parts = form.split(".")
    found = {f"+{word}": f"{form}.{word}" for word in words}
    for at in range(first, len(parts)):
        found[f"-{at}"] = ".".join(parts[:at] + parts[at + 1 :])
        found |= {f"{at}={word}": ".".join(parts[:at] + [word] + parts[at + 1 :]) for word in words if word != parts[at]}
    return found


def ask(job):
    """The line of a form: its neighbours on a target that are accepted; nothing where it is refused itself."""
    target, name, form, shapes, words = job
    if not any(accepted([(form, record.fill(shape, form))], target) for shape in shapes):
        return None
    asked = neighbours(name, form, words)
    questions = [(opcode, record.fill(shape, opcode)) for opcode in asked.values() for shape in shapes]
    fitting = {opcode for opcode, _ in accepted(questions, target)}
    return " ".join([target, form, *(sign for sign, opcode in asked.items() if opcode in fitting)])


def modifiers():
    """The modifiers that are asked, in alphabetical order; family.rs reads the same."""
    with open(os.path.join(HERE, "../names/modifiers.txt")) as file:
        known = file.read().split()
    return sorted({word for word in known + MORE if not word[0].isdigit()})


def kept(group, only):
    """The lines of a group's recording that are of none of these families."""
    path = os.path.join(HERE, group, "neighbours.txt.gz")
    if not only or group in only or not os.path.exists(path):
        return []
    with gzip.open(path, "rt") as file:
        of = lambda line: any(f"{line.split()[1]}.".startswith(f"{name}.") for name in only)
        return [line.rstrip("\n") for line in list(file)[1:] if not of(line)]


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    only = sys.argv[2:]
    words = modifiers()
    for group, names in record.chosen(only):
        wanted = lambda name: not only or group in only or name in names
        asked = [(target, *question, words) for target in NEWER.get(group, TARGETS) for question in chosen(group) if wanted(question[0])]
        with ThreadPoolExecutor(jobs) as pool:
            lines = kept(group, only) + [line for line in pool.map(ask, asked) if line]
        record.write(os.path.join(HERE, group, "neighbours.txt.gz"), [" ".join(words), *lines])
        print(f"{group}: {len(lines)} forms with {len(words)} words each", flush=True)


if __name__ == "__main__":
    main()
