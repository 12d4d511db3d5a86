#!/usr/bin/env python3
"""Counts the calls in Python files that pass inline assembly, and those of which `ptx-atomics lint` reads a statement.

Usage: record.py PROGRAM FOLDER... > recorded.tsv

Calls are found with Python's own parser, so files that need a newer Python than this one are left out and named on standard error.
A row has a file with fewer statements than calls, the number of calls and that of statements; the last row has the sums.
"""

import ast
import pathlib
import re
import subprocess
import sys

# The functions, with the name and the position of the template among their arguments.
FUNCTIONS = {"inline_asm_elementwise": ("asm", 0), "inline_asm": ("asm_string", 2), "InlineAsm": ("asm", 1), "inline_ptx": ("ptx_code", 0)}


def template(call, aliases):
    """The argument of a call that is a template; None for another call."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    if isinstance(call.func, ast.Name):
        name = aliases.get(name, name)
    if name not in FUNCTIONS:
        return None
    word, position = FUNCTIONS[name]
    named = [keyword.value for keyword in call.keywords if keyword.arg == word]
    positional = call.args[: position + 1]
    if any(isinstance(argument, ast.Starred) for argument in positional):
        positional = []
    return next(iter(named + positional[position:]), None)


def calls(text):
    """The number of calls with a template."""
    nodes = list(ast.walk(ast.parse(text)))
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    aliases = {name.asname: name.name for node in imports for name in node.names if name.asname}
    return sum(template(node, aliases) is not None for node in nodes if isinstance(node, ast.Call))


def statements(program, file):
    """The number of statements with PTX that the program reads."""
    output = subprocess.run([program, "lint", file], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+) asm statements? in", output)
    return int(found.group(1)) if found else 0


def main():
    program, *folders = sys.argv[1:]
    files = all_calls = all_read = 0
    print("file\tcalls\tstatements")
    for folder in folders:
        for file in sorted(pathlib.Path(folder).rglob("*.py")):
            text = file.read_text(errors="replace") if file.is_file() else ""
            if not any(name in text for name in FUNCTIONS):
                continue
            try:
                count = calls(text)
            except (SyntaxError, ValueError) as error:
                print(f"{file}: {error}", file=sys.stderr)
                continue
            # Statements of CUDA C++ in strings are no calls.
            read = min(count, statements(program, str(file)))
            files, all_calls, all_read = files + (count > 0), all_calls + count, all_read + read
            if read < count:
                print(f"{file.relative_to(folder)}\t{count}\t{read}")
    print(f"{files} files\t{all_calls}\t{all_read}")


if __name__ == "__main__":
    main()
