"""Asks LLVM which templates and lists of constraints it accepts for NVPTX, and records the answers.

    python tests/evidence/llvm/record.py > tests/evidence/llvm/answers.jsonl

Needs llvmlite. Each statement is compiled in a process of its own, because LLVM aborts on some of them.
"""

import json
import subprocess
import sys

TEMPLATES = [
    # operands
    "x $0, $1;", "x ${0}, ${1};", "x $01;", "x $2;", "x ${2};", "x $99999999999;", "x ${0:r};", "x ${0:h};", "x ${0:c};", "x ${0:ab};",
    "x ${0:};", "x ${};", "x ${a};", "x ${0", "x $;", "x $", "x $a;", "x $$;", "x $$a, $$0;", "x $ 0;", "x %0, %r1, %%;", "x $-1;",
    # braces and alternatives
    "{ x {a, b}, {$0}; }", "{a|b}", "$(a$|b$)", "$(a$|$0$)", "$(a$|$7$)", "$(a$|${0:h}$)", "$(a", "a$)", "a$|b", "$(a $(b$) $)", "$()",
    # special words
    "x${:uid}:", "x ${:private}a;", "x ${:comment} a", "x ${:foo};", "x ${:};",
]
CONSTRAINTS = [
    "=r,r", "=&r,r", "=r,0", "=r,1", "=r,=r,0,1", "r,=r", "=r,r,~{memory}", "=r,~{memory},r", "=r,r,~{cc},~{foo}", "=r,r,~memory", "r,,r", "r,",
    ",r", "", " r", "=r, r", "{r}", "rm", "ri", "%r", "+r", "=", "=r,&r",
] + list("abcdefghjkltuvwxyzACGHNQRSTUWXYZ")

TYPES = {"b": "i1", "h": "i16", "c": "i16", "l": "i64", "N": "i64", "f": "float", "d": "double"}


def module(template, constraints):
    """A function with one statement; `None` if the list cannot be split."""
    outputs, inputs, types = [], [], []
    for code in constraints.split(",") if constraints else []:
        letter = code.strip().lstrip("=&+%")
        kind = types[int(letter)] if letter.isdigit() and int(letter) < len(types) else TYPES.get(letter, "i32")
        if not code.strip().startswith("~"):
            types.append(kind)
            (outputs if code.startswith("=") else inputs).append(kind)
    result = {0: "void", 1: outputs[0] if outputs else ""}.get(len(outputs), "{" + ", ".join(outputs) + "}")
    text = "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\{ord(c):02X}" for c in template)
    parameters = ", ".join(f"{kind} %a{number}" for number, kind in enumerate(inputs))
    name = "" if result == "void" else "%x = "
    call = f'{name}call {result} asm sideeffect "{text}", "{constraints}"({parameters})'
    return f'target triple="nvptx64-nvidia-cuda"\ndefine void @f({parameters}) {{\n  {call}\n  ret void\n}}\n'


def compile_one():
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu="sm_90", features="+ptx83")
    machine.emit_assembly(llvm.parse_assembly(sys.stdin.read()))


def main():
    if sys.argv[1:] == ["one"]:
        return compile_one()
    pairs = [(template, "=r,r") for template in TEMPLATES] + [("x;", constraints) for constraints in CONSTRAINTS]
    for template, constraints in pairs:
        text = module(template, constraints)
        run = subprocess.run([sys.executable, __file__, "one"], input=text, capture_output=True, text=True)
        accepted = run.returncode == 0 and "error:" not in run.stderr
        print(json.dumps({"template": template, "constraints": constraints, "accepted": accepted}))


main()
