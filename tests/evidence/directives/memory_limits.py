"""Asks ptxas, with code generation, how much static shared memory a kernel may have at each target, and when it counts.

Writes memory_limits.txt: `=target bytes`, the most bytes of one shared variable; then `+` accepted or `-` rejected, the target and a module's text.
usage: memory_limits.py [--check]
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = os.environ.get("PTX_ATOMICS_PTXAS") or os.path.join(HERE, "../../.tools/bin/ptxas")
RECORDED = os.path.join(HERE, "memory_limits.txt")
TARGETS = """sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100f sm_100a sm_103 sm_103f sm_103a sm_107 sm_107f sm_107a sm_110 sm_110f sm_110a
sm_120 sm_120f sm_120a sm_121 sm_121f sm_121a""".split()
STORE = "st.shared.b8 [s], 1;"
SHAPES = [
    ".shared .b8 s[{}]; .entry k() { " + STORE + " ret; }",
    ".shared .b8 s[{}]; .entry k() { ret; }",
    ".shared .b8 s[{}]; .entry k() { .reg .b32 r; ret; mov.b32 r, s; }",
    ".shared .b8 s[{}]; .func g() { " + STORE + " ret; } .func h() { call g; ret; } .entry k() { call h; ret; }",
    ".shared .b8 s[{}]; .func g() { " + STORE + " ret; } .entry k() { ret; }",
    ".entry k() { .shared .b8 s[{}]; ret; }",
    ".func g() { .shared .b8 s[{}]; ret; } .entry k() { call g; ret; }",
    ".extern .shared .b8 s[]; .shared .b8 t[{}]; .entry k() { " + STORE + " ret; }",
    ".shared .b8 t; .shared .align 16 .b8 s[{}]; .entry k() { st.shared.b8 [t], 1; ret; } .entry l() { " + STORE + " ret; }",
    ".shared .b8 t; .shared .align 16 .b8 s[{}]; .entry k() { st.shared.b8 [t], 1; " + STORE + " ret; }",
]
CONSTANT = [
    ".const .b8 s[65536]; .entry k() { ret; }",
    ".const .b8 s[65537]; .entry k() { ret; }",
    ".const .b8 s[40000]; .const .b8 t[30000];",
    ".const .b8 s; .const .b64 t; .const .b8 u[65520];",
    ".const .b8 s; .const .b64 t; .const .b8 u[65521];",
    ".visible .const .align 4 .b8 s[65533]; .const .align 8 .b8 t;",
    ".weak .const .b32 s[16384]; .const .b8 t;",
]


def accepted(target, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a.ptx"), "w") as file:
            file.write(f".version 9.5\n.target {target}\n.address_size 64\n{text}\n")
        return subprocess.run([PTXAS, f"-arch={target}", "a.ptx", "-o", "a.cubin"], cwd=folder, capture_output=True).returncode == 0


def most(target):
    """The most bytes of a shared variable."""
    low, high = 0, 1 << 20
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepted(target, SHAPES[0].replace("{}", str(middle))) else (low, middle)
    return low


def main():
    limits = {target: most(target) for target in TARGETS}
    said = [f"={target} {bytes}" for target, bytes in limits.items()]
    texts = [(target, shape.replace("{}", str(limits[target] + more))) for target in ("sm_80", "sm_90a", "sm_120a") for shape in SHAPES for more in (0, 1)]
    texts += [("sm_90", text) for text in CONSTANT]
    said += [f"{'+' if accepted(*case) else '-'}{case[0]} {case[1]}" for case in texts]
    text = "\n".join(said) + "\n"
    if "--check" in sys.argv:
        with open(RECORDED) as file:
            sys.exit("what is recorded is not what the assembler says now" if file.read() != text else 0)
    with open(RECORDED, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
