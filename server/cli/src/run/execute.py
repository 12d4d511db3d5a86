"""Executes a file of Python and writes the modules that its compilers make into the folder of the first argument."""

import os
import pathlib
import runpy
import sys

folder, file = sys.argv[1:3]
sys.argv = [file]
sys.path[0] = os.path.dirname(os.path.abspath(file))
modules = []
try:
    from ptx_atomics._compilers import record_into

    record_into(modules)
except ImportError:
    # Triton and CuTe DSL write theirs by themselves.
    pass
try:
    runpy.run_path(file, run_name="__main__")
finally:
    for number, module in enumerate(modules):
        pathlib.Path(folder, f"recorded-{number}.ptx").write_text(module.text)
