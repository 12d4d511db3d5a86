"""The tables that the scripts in this folder write."""
import sys


def write_or_check(path, table):
    """Writes a table, or ends the script with `--check`: with 1 if the stored table is another one."""
    if "--check" in sys.argv[1:]:
        sys.exit(table != path.read_text())
    path.write_text(table)
