#!/usr/bin/env python3
"""Listings of kernels with atomics, as the disassemblers print them in all their modes.

    record.py           assembles and disassembles anew, writes TARGET.MODE.sass.gz
    record.py --check   compares with what is recorded

The kernels are those of evidence/lowering: of the forms that together become every machine instruction recorded there, some for each
target. A kernel is named after its form (`red_global_add_u32`), the one with a uniform address ends in `_uniform`, the one whose result
nobody reads in `_unused`. In the plain mode there are PLAIN kernels a target, in each other mode OTHER.
"""

import gzip
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("lowering", os.path.join(HERE, "../lowering/record.py"))
lowering = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lowering)
CUOBJDUMP = os.environ.get("PTX_ATOMICS_CUOBJDUMP") or os.path.join(lowering.BIN, "cuobjdump")

PLAIN, OTHER = 40, 4
MODES = {
    "plain": [lowering.NVDISASM, "-c"],
    "whole": [lowering.NVDISASM],
    "hex": [lowering.NVDISASM, "-c", "-hex"],
    "registers": [lowering.NVDISASM, "-c", "-plr"],
    "lines": [lowering.NVDISASM, "-c", "-gi"],
    "cuobjdump": [CUOBJDUMP, "-sass"],
}


def chosen(target, count):
    """`count` kernels, spread over the forms that together become every machine instruction."""
    table, seen, forms = lowering.read(target), set(), []
    for form in sorted(table, key=lambda form: (len(form), form)):
        names = {word for sequence in table[form] for word in sequence.split()}
        if not names <= seen:
            seen |= names
            forms.append(form)
    kernels = []
    for at in range(count):
        form = forms[at * len(forms) // count]
        asked = lowering.variants(form)
        used, uniform = asked[at % len(asked)]
        name = re.sub(r"\W+", "_", form) + ("" if used else "_unused") + ("_uniform" if uniform else "")
        kernels.append((form, lowering.kernel(name, form, used, uniform)))
    return kernels


def listing(target, mode):
    """What a disassembler prints of the kernels."""
    plain = set(lowering.forms(target))
    kernels = chosen(target, PLAIN if mode == "plain" else OTHER)
    texts = []
    # What only the variant with all features has is assembled for that.
    for architecture in (target, lowering.TARGETS[target]):
        code = [code for form, code in kernels if (form in plain) == (architecture == target)]
        if code and architecture:
            texts.append(disassemble(code, architecture, mode))
    return "".join(texts)


def disassemble(code, architecture, mode):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernels.ptx"), "w") as file:
            file.write(f".version 9.5\n.target {architecture}\n.address_size 64\n" + "\n".join(code) + "\n")
        options = ["-lineinfo"] if mode == "lines" else []
        command = [lowering.PTXAS, f"-arch={architecture}", "-w", *options, "kernels.ptx", "-o", "kernels.cubin"]
        subprocess.run(command, check=True, cwd=folder)
        environment = {**os.environ, "PATH": lowering.BIN + ":" + os.environ.get("PATH", "")}
        command = [*map(str, MODES[mode]), "kernels.cubin"]
        text = subprocess.run(command, check=True, cwd=folder, env=environment, capture_output=True, text=True).stdout
        return text.replace(folder, "/kernels")


def main(arguments):
    wrong = 0
    for target in lowering.TARGETS:
        for mode in MODES:
            path, text = os.path.join(HERE, f"{target}.{mode}.sass.gz"), listing(target, mode)
            if arguments == ["--check"]:
                same = gzip.open(path, "rt").read() == text
                wrong += not same
                if not same:
                    print(f"{target} {mode}: the listing is another one now")
            else:
                with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
                    packed.write(text.encode())
                print(f"{target} {mode}: {len(text.splitlines())} lines")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main(sys.argv[1:])
