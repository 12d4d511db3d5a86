"""Runs the kernels of `forms.py` on an H200 and records what they leave: see README.md.

`record.py build` assembles them (`ptxas` in PATH) to kernels.cubin beside kernels.ptx.gz. `record.py run` launches them on a GPU and writes
kernels.bin.gz: for each kernel, in the order of kernels.tsv, its first 1024 words and the CRC-32 of all of them."""
import ctypes
import gzip
import pathlib
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).parent
KEPT = 1024


def build():
    import forms
    kernels = forms.forms()
    text = forms.HEAD + "".join(kernel["text"] for kernel in kernels)
    (HERE / "kernels.ptx").write_text(text)
    subprocess.run(["ptxas", "-arch=sm_90a", HERE / "kernels.ptx", "-o", HERE / "kernels.cubin"], check=True)
    (HERE / "kernels.ptx").unlink()
    (HERE / "kernels.ptx.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    (HERE / "kernels.tsv").write_text("".join(f"{kernel['name']}\t{kernel['words']}\n" for kernel in kernels))


def run():
    sys.path.insert(0, str(HERE.parent / "tensors"))
    from driver import Driver
    driver = Driver((HERE / "kernels.cubin").read_bytes())
    recorded = b""
    for line in (HERE / "kernels.tsv").read_text().splitlines():
        name, words = line.split("\t")
        words = int(words)
        buffer = driver.upload([0] * words)
        driver.launch(name, 1, 128 if name.startswith("w") else 32, [ctypes.c_uint64(buffer)])
        data = bytes((ctypes.c_uint32 * words)(*driver.download(buffer, words)))
        recorded += data[:4 * KEPT] + zlib.crc32(data).to_bytes(4, "little")
        driver.free(buffer)
    (HERE / "kernels.bin.gz").write_bytes(gzip.compress(recorded, 9, mtime=0))


if __name__ == "__main__":
    {"build": build, "run": run}[sys.argv[1]]()
