#!/usr/bin/env python3
"""What reads of textures and accesses to surfaces give on an H100.

    record.py ptx                writes images.ptx
    record.py cubin FOLDER       writes FOLDER/images.cubin; needs ptxas
    record.py run FOLDER OUT     on a machine with a GPU: writes OUT/recorded.jsonl.gz

The recording has a launch per line: the options of `ptx-atomics run`, and the bytes of `out` and of `image` afterwards. What the GPU refuses has an
`error` instead.
"""
import base64
import ctypes
import gzip
import json
import multiprocessing
import os
import random
import struct
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tensors"))
import commands
from driver import Driver, Failed

from objects import FORMATS, Image

ROUNDS = 64
GEOMETRIES = ["1d", "2d", "3d", "a1d", "a2d"]
SIZES = {"1d": [24], "2d": [16, 6], "3d": [8, 4, 3], "a1d": [16, 3], "a2d": [8, 5, 3]}
WIDTHS = ["b8", "b16", "b32", "b64", "v2.b32", "v4.b32", "v2.b16", "v4.b8", "v2.b64"]

HEAD = """// Written by record.py.
.version 8.0
.target sm_90
.address_size 64
"""

# One thread: its rounds are executed one after another.
FRAME = """
.visible .entry {name}(.param .u64 image, .param .u64 at, .param .u64 in, .param .u64 out, .param .u32 rounds)
{{
	.reg .pred %p;
	.reg .b16 %h<4>;
	.reg .b32 %r<12>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [image];
	ld.param.u64 %rd2, [at];
	ld.param.u64 %rd3, [in];
	ld.param.u64 %rd4, [out];
	ld.param.u32 %r8, [rounds];
ROUND:
	ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%rd2];
{body}	add.u64 %rd2, %rd2, 16;
	add.u64 %rd3, %rd3, 16;
	add.u64 %rd4, %rd4, 16;
	sub.u32 %r8, %r8, 1;
	setp.ne.u32 %p, %r8, 0;
	@%p bra ROUND;
	ret;
}}
"""


def coordinates(geometry, floats=False):
    """The operand; registers 0 to 2 are x, y and z, 3 is the layer."""
    of = "%f" if floats else "%r"
    return {"1d": f"{{{of}0}}", "2d": f"{{{of}0, {of}1}}", "3d": f"{{{of}0, {of}1, {of}2, {of}2}}", "a1d": f"{{%r3, {of}0}}",
            "a2d": f"{{%r3, {of}0, {of}1, {of}1}}"}[geometry]


def texture_read(geometry, result, kind):
    body = "".join(f"\tmov.b32 %f{at}, %r{at};\n" for at in range(3)) if kind == "f32" else ""
    of = "f" if result == "f32" else "r"
    to = range(4) if result == "f32" else range(4, 8)
    registers = ", ".join(f"%{of}{at}" for at in to)
    body += f"\ttex.{geometry}.v4.{result}.{kind} {{{registers}}}, [%rd1, {coordinates(geometry, kind == 'f32')}];\n"
    return FRAME.format(name=f"tex_{geometry}_{result}_{kind}", body=body + f"\tst.global.v4.{result} [%rd4], {{{registers}}};\n")


def elements(width):
    """The registers of an access, and the type."""
    *vector, ty = width.split(".")
    count = int(vector[0][1:]) if vector else 1
    names = {"b8": "%h{}", "b16": "%h{}", "b32": "%r{}", "b64": "%rd{}"}[ty]
    first = {"b8": 0, "b16": 0, "b32": 4, "b64": 5}[ty]
    registers = [names.format(first + at) for at in range(count)]
    return "{" + ", ".join(registers) + "}", ty, "".join(f"{one}." for one in vector), registers[0] if count == 1 else None


def surface_access(kind, geometry, width, mode):
    registers, ty, vector, single = elements(width)
    opcode = f"{kind}.b.{geometry}.{vector}{ty}.{mode}"
    memory = f"{vector}{ty} "
    if kind == "suld":
        body = f"\t{opcode} {registers}, [%rd1, {coordinates(geometry)}];\n\tst.global.{memory}[%rd4], {single or registers};\n"
    else:
        body = f"\tld.global.{memory}{single or registers}, [%rd3];\n\t{opcode} [%rd1, {coordinates(geometry)}], {registers};\n"
    return FRAME.format(name=f"{kind}_{geometry}_{width.replace('.', '_')}_{mode}", body=body)


def query(kind, what):
    body = f"\t{kind}.{what}.b32 %r4, [%rd1];\n\tst.global.u32 [%rd4], %r4;\n"
    return FRAME.format(name=f"{kind}_{what}", body=body)


def module():
    text = HEAD
    for geometry in GEOMETRIES:
        for result in ["u32", "s32", "f32"]:
            text += "".join(texture_read(geometry, result, kind) for kind in ["s32", "f32"])
    for kind in ["suld", "sust"]:
        for geometry in GEOMETRIES:
            for mode in ["trap", "clamp", "zero"]:
                widths = WIDTHS if geometry == "2d" else ["b32"]
                text += "".join(surface_access(kind, geometry, width, mode) for width in widths)
    for what in ["width", "height", "depth"]:
        text += query("txq", what) + query("suq", what)
    return text


@dataclass
class Object:
    """A texture or surface."""
    usage: str
    ty: str
    sizes: list
    channels: int = 1
    layered: bool = False
    linear: bool = False
    address: str = "clamp"
    read: str = "element"

    def element_bytes(self):
        return FORMATS[self.ty][1] * self.channels

    def bytes(self):
        count = self.element_bytes()
        for one in self.sizes:
            count *= one
        return count

    def data(self, seed):
        rng = random.Random(seed)
        return bytes(rng.randrange(256) for _ in range(self.bytes()))

    def specification(self, of):
        channels = f"x{self.channels}" if self.channels > 1 else ""
        text = f"{self.usage}({self.ty}{channels}[{'x'.join(map(str, self.sizes))}]"
        text += ",layered" if self.layered else ""
        text += f",address={self.address}" if self.address != "clamp" else ""
        text += f",read={self.read}" if self.read != "element" else ""
        return text + (f",of={of})" if self.linear else ")")


@dataclass
class Case:
    """A launch."""
    kernel: str
    image: Object
    at: list


def spots(rng, image, scale=1, outside=True, floats=False, step=1):
    """Coordinates of each round: x, y, z and the layer."""
    spatial = image.sizes[:-1] if image.layered else image.sizes
    layers = image.sizes[-1] if image.layered else 1
    found = []
    for _ in range(ROUNDS):
        one = []
        for at in range(3):
            size = spatial[at] if at < len(spatial) else 1
            size *= scale if at == 0 else 1
            margin = 3 if outside else 0
            if floats:
                one.append(struct.unpack("<i", struct.pack("<f", rng.randrange(-margin * 16, (size + margin) * 16) / 16))[0])
            else:
                value = rng.randrange(-margin, size + margin) if at > 0 or step == 1 else rng.randrange(-margin, size // step + margin) * step
                one.append(value)
        one.append(rng.randrange(-2, layers + 2) if outside else rng.randrange(layers))
        found.append(one)
    return found


def all_cases():
    rng = random.Random(29)
    for geometry in GEOMETRIES:
        layered = geometry.startswith("a")
        for address in ["clamp", "border"]:
            for kind in ["s32", "f32"]:
                for ty in ["u32", "f32"]:
                    if geometry == "1d" and kind == "s32":
                        continue  # Only of linear memory.
                    image = Object("texture", ty, SIZES[geometry], layered=layered, address=address)
                    yield Case(f"tex_{geometry}_{ty}_{kind}", image, spots(rng, image, floats=kind == "f32"))
    for ty, result in [("u8", "u32"), ("u16", "u32"), ("s8", "s32"), ("s16", "s32"), ("s32", "s32"), ("f16", "f32"), ("f32", "u32"), ("u32", "f32"), ("f16", "u32")]:
        for channels in [1, 2, 4]:
            image = Object("texture", ty, SIZES["2d"], channels, address="border" if channels == 2 else "clamp")
            yield Case(f"tex_2d_{result}_s32", image, spots(rng, image))
    for ty in ["u8", "s8", "u16", "s16"]:
        for channels in [1, 4]:
            image = Object("texture", ty, [32, 8], channels, read="normalized")
            yield Case("tex_2d_f32_s32", image, [[at % 32, at // 32, 0, 0] for at in range(256)])
    yield Case("tex_2d_f32_s32", Object("texture", "f16", [64, 16]), [[at % 64, at // 64, 0, 0] for at in range(1024)])
    yield Case("tex_1d_u32_s32", Object("texture", "u32", [24]), [[0, 0, 0, 0]])
    for ty, channels in [("f32", 1), ("f32", 2), ("u8", 4), ("u32", 4), ("s16", 1), ("f16", 2)]:
        result = "f32" if ty.startswith("f") else "u32" if ty.startswith("u") else "s32"
        image = Object("texture", ty, [64], channels, linear=True)
        yield Case(f"tex_1d_{result}_s32", image, spots(rng, image))
        image = Object("texture", ty, [64, 4], channels, linear=True)
        yield Case(f"tex_2d_{result}_s32", image, spots(rng, image))
    # Just below the next element, and what is no number.
    odd = [2.998, 2.999, 2.9995, 2.9999, 2.99999, 0.0, -0.0, -0.001, 3.0, 5.5, 1e9, -1e9, float("inf"), float("-inf"), float("nan"), 4.996, 4.998]
    bits = [[struct.unpack("<i", struct.pack("<f", one))[0], 0, 0, 0] for one in odd]
    for address in ["clamp", "border"]:
        yield Case("tex_1d_f32_f32", Object("texture", "f32", [24], address=address), bits)
    for geometry in GEOMETRIES:
        for mode in ["clamp", "zero", "trap"]:
            for kind in ["suld", "sust"]:
                image = Object("surface", "u32", SIZES[geometry], layered=geometry.startswith("a"))
                yield Case(f"{kind}_{geometry}_b32_{mode}", image, spots(rng, image, 4, mode != "trap", step=4))
    for width in WIDTHS:
        for mode in ["clamp", "zero", "trap"]:
            for kind in ["suld", "sust"]:
                _, ty, vector, _ = elements(width)
                size = int(ty[1:]) // 8 * (int(vector[1]) if vector else 1)
                name = f"{kind}_2d_{width.replace('.', '_')}_{mode}"
                for ty, channels in [("u8", 1), ("u32", 4), ("u16", 2)]:
                    image = Object("surface", ty, SIZES["2d"], channels)
                    yield Case(name, image, spots(rng, image, image.element_bytes(), mode != "trap", step=size))
    # Not aligned.
    for mode in ["clamp", "zero", "trap"]:
        for kind in ["suld", "sust"]:
            yield Case(f"{kind}_2d_b32_{mode}", Object("surface", "u8", SIZES["2d"]), [[1, 0, 0, 0]])
    for kind in ["suld", "sust"]:
        for at in [[64, 0, 0, 0], [-4, 0, 0, 0], [0, 6, 0, 0]]:
            yield Case(f"{kind}_2d_b32_trap", Object("surface", "u32", SIZES["2d"]), [at])
    for geometry in GEOMETRIES:
        for usage, kind in [("texture", "txq"), ("surface", "suq")]:
            for what in ["width", "height", "depth"]:
                yield Case(f"{kind}_{what}", Object(usage, "u16", SIZES[geometry], 2, layered=geometry.startswith("a")), [[0, 0, 0, 0]])


def options(case, data, seed):
    """The options of `ptx-atomics run`. Linear memory of a texture is `in`."""
    image, (size, width) = case.image, (FORMATS[case.image.ty][1], 2 * FORMATS[case.image.ty][1])
    values = [f"0x{int.from_bytes(data[at:at + size], 'little'):0{width}x}" for at in range(0, len(data), size)]
    at = [str(number) for one in case.at for number in one]
    given = inputs(len(case.at), seed)
    used = f"={','.join(map(str, given))}" if case.kernel.startswith("sust") else ""
    buffer = f"u{8 * size}[{len(values)}]={','.join(values)}" if image.linear else f"u32[{len(given)}]{used}"
    arguments = [f"image={image.specification('in')}" + ("" if image.linear else f"={','.join(values)}"), f"in={buffer}"]
    arguments += [f"at=s32[{len(at)}]={','.join(at)}", f"out=u32[{len(at)}]={','.join(['0xeeeeeeee'] * len(at))}", f"rounds=u32={len(case.at)}"]
    return ["--kernel", case.kernel, *(part for argument in arguments for part in ("--arg", argument))]


def inputs(rounds, seed):
    rng = random.Random(1000 + seed)
    return [rng.randrange(1 << 32) for _ in range(4 * rounds)]


def run(driver, case, seed):
    data, rounds = case.image.data(seed), len(case.at)
    image = Image(driver, case.image, data)
    at = driver.upload([number & 0xffffffff for one in case.at for number in one])
    given, out = driver.upload(inputs(rounds, seed)), driver.upload([0xeeeeeeee] * (4 * rounds))
    driver.launch(case.kernel, 1, 1, [image.handle, ctypes.c_uint64(at), ctypes.c_uint64(given), ctypes.c_uint64(out), ctypes.c_uint32(rounds)])
    words = driver.download(out, 4 * rounds)
    found = {"out": base64.b64encode(struct.pack(f"<{4 * rounds}I", *words)).decode()}
    if case.kernel.startswith("sust"):
        found["image"] = base64.b64encode(image.contents(len(data))).decode()
    return found


def work(folder, first, results):
    """Runs cases from a number on; a mistake of a kernel leaves the context of the process unusable."""
    with open(os.path.join(folder, "images.cubin"), "rb") as image:
        driver = Driver(image.read())
    for at, case in enumerate(all_cases()):
        if at < first:
            continue
        try:
            results.put((at, run(driver, case, at)))
        except Failed as error:
            results.put((at, {"error": str(error)}))
            if "Launch" in str(error) or "Synchronize" in str(error):
                return
    results.put((None, None))


def record(folder, out):
    cases, found, context = list(all_cases()), {}, multiprocessing.get_context("spawn")
    while len(found) < len(cases):
        results = context.Queue()
        worker = context.Process(target=work, args=(folder, len(found), results))
        worker.start()
        while len(found) < len(cases):
            try:
                at, result = results.get(timeout=30)
            except Exception:
                at, result = len(found), {"error": "no end"}
            if at is None:
                break
            found[at] = result
            if "error" in result:
                break
        worker.kill()
        worker.join()
    lines = []
    for at, case in enumerate(cases):
        lines.append(json.dumps({"options": options(case, case.image.data(at), at), **found[at]}))
        if "error" in found[at]:
            print(at, case.kernel, case.image.specification("data"), case.at[:1], found[at])
    with gzip.GzipFile(os.path.join(out, "recorded.jsonl.gz"), "wb", mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())
    print(len(lines), "launches")


if __name__ == "__main__":
    commands.main("images", module, record, __doc__)
