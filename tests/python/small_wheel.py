"""Packs a wheel from the program under test and the Python module: what `.ci/wheel` makes, without a build for release."""

import base64
import hashlib
import os
import stat
import sysconfig
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def version():
    """The version of the workspace."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def pack_wheel(folder):
    """Writes the wheel into a folder and returns its path. `PTX_ATOMICS` names the program."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    stem = f"{settings['name'].replace('-', '_')}-{version()}"
    metadata = f"Metadata-Version: 2.1\nName: {settings['name']}\nVersion: {version()}\nRequires-Python: {settings['requires-python']}\n"
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
        for group, entries in settings["entry-points"].items()
    )
    files = {f"{stem}.data/scripts/ptx-atomics": Path(os.environ["PTX_ATOMICS"]).read_bytes()}
    package = ROOT / "server/python/ptx_atomics"
    files |= {f"ptx_atomics/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    files[f"{stem}.dist-info/METADATA"] = metadata.encode()
    files[f"{stem}.dist-info/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{stem}.dist-info/entry_points.txt"] = points.encode()
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{stem}.dist-info/RECORD"] = f"{record}{stem}.dist-info/RECORD,,\n".encode()
    wheel = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFREG | (0o755 if "/scripts/" in name else 0o644)) << 16
            archive.writestr(entry, content)
    return wheel


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
