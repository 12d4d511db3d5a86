"""The commands of the scripts that record launches of tensor copies, textures and surfaces."""
import os
import subprocess
import sys

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.tools/bin")


def main(stem, module, run, usage):
    """The commands of a script that records launches: `module` makes the text of STEM.ptx beside it, `run` records on a GPU."""
    folder = os.path.dirname(os.path.abspath(sys.argv[0]))
    ptx = os.path.join(folder, f"{stem}.ptx")
    match sys.argv[1:]:
        case ["ptx"]:
            with open(ptx, "w") as out:
                out.write(module())
        case ["cubin", to]:
            subprocess.run([os.path.join(TOOLS, "ptxas"), "-arch=sm_90a", ptx, "-o", os.path.join(to, f"{stem}.cubin")], check=True)
        case ["run", cubins, to]:
            run(cubins, to)
        case _:
            sys.exit(usage)
