#!/usr/bin/env python3
"""Tensor copies of pixels (`.im2col`), and with maps whose properties a kernel has replaced, on an H100.

    modes.py ptx                writes modes.ptx
    modes.py cubin FOLDER       writes FOLDER/modes.cubin; needs ptxas
    modes.py run FOLDER OUT     on a machine with a GPU: writes OUT/modes.jsonl.gz

The recording is as that of record.py.
"""
import ctypes
from dataclasses import dataclass, field
from itertools import count

import commands
import record
from cases import SHARED_WORDS, SIZES, Tensor, random_words
from record import THREADS, coordinates, kernel, loop

# Replaced properties: the words after `tensormap.replace.tile`, the type, whether there is an ordinal.
PROPERTIES = {
    "global_address": ("b64", False), "global_dim": ("b32", True), "global_stride": ("b64", True), "box_dim": ("b32", True),
    "element_stride": ("b32", True), "elemtype": ("b32", False), "swizzle_mode": ("b32", False), "fill_mode": ("b32", False),
}
IMMEDIATE = ["elemtype", "swizzle_mode", "fill_mode"]


def offsets(rank):
    return "{" + ", ".join(f"%o{at}" for at in range(rank - 2)) + "}"


def waited(rank, instruction, fill=""):
    """Shared memory is filled with a pattern, an instruction of the first thread copies to it, and all of it is written to `out`."""
    body = "\tmov.u32 %r9, 0xeeeeeeee;\n" + loop("FILL", "\tst.shared.u32 [%r7], %r9;\n") + fill
    body += "\tfence.proxy.async;\n\tbar.sync 0;\n\t@%p1 bra BEGUN;\n\tmbarrier.init.shared::cta.b64 [full], 1;\n"
    body += "\tfence.mbarrier_init.release.cluster;\n\tfence.proxy.async;\n"
    body += "\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [full], %r15;\nBEGUN:\n\tbar.sync 0;\n\t@%p1 bra WAIT;\n"
    body += instruction
    body += "WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0;\n\t@!%p4 bra WAIT;\n"
    return body + loop("SHOW", "\tld.shared.u32 %r9, [%r7];\n\tst.global.u32 [%rd6], %r9;\n")


def pixel_load(rank):
    body = f"\tcp.async.bulk.tensor.{rank}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r3], [%rd2, {coordinates(rank)}], [full], {offsets(rank)};\n"
    names = "".join(f", .param .u16 o{at}" for at in range(rank - 2))
    loads = "\tld.param.u32 %r15, [bytes];\n" + "".join(f"\tld.param.u16 %o{at}, [o{at}];\n" for at in range(rank - 2))
    return kernel(f"pixels_{rank}d", rank, "out", waited(rank, body), ", .param .u32 bytes" + names, loads)


def pixel_store(rank, op=None):
    opcode = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{op}" if op else f"cp.async.bulk.tensor.{rank}d.global.shared::cta"
    body = loop("FILL", "\tld.global.u32 %r9, [%rd6];\n\tst.shared.u32 [%r7], %r9;\n")
    body += "\tfence.proxy.async;\n\tbar.sync 0;\n\t@%p1 bra END;\n"
    body += f"\t{opcode}.im2col_no_offs.bulk_group [%rd2, {coordinates(rank)}], [%r3];\n"
    body += "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\nEND:\n"
    return kernel(f"pixel_{op or 'store'}_{rank}d", rank, "in", body)


def replaced(prop, ordinal=0, value=None):
    """The map is copied to shared memory, a property is replaced there, and the map goes to `maps`, from where a box is copied."""
    ty, has_ordinal = PROPERTIES[prop]
    given = ("%rd7" if ty == "b64" else "%r19") if value is None else str(value)
    fill = "\tshl.b32 %r16, %r4, 2;\n\tsetp.gt.u32 %p3, %r4, 31;\n\t@%p3 bra MADE;\n"
    fill += "\tmov.u32 %r18, room2;\n\tadd.u32 %r18, %r18, %r16;\n\tcvt.u64.u32 %rd6, %r16;\n\tadd.u64 %rd6, %rd1, %rd6;\n"
    fill += "\tld.param.b32 %r17, [%rd6];\n\tst.shared.b32 [%r18], %r17;\n\tbar.warp.sync -1;\n\t@%p1 bra REPLACED;\n"
    fill += "\tld.param.u64 %rd7, [value];\n\tcvt.u32.u64 %r19, %rd7;\n"
    fill += f"\ttensormap.replace.tile.{prop}.shared::cta.b1024.{ty} [room2], {f'{ordinal}, ' if has_ordinal else ''}{given};\n"
    fill += "REPLACED:\n\tbar.warp.sync -1;\n\tld.param.u64 %rd7, [maps];\n"
    fill += "\ttensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd7], [room2], 128;\nMADE:\n"
    body = "\tld.param.u64 %rd7, [maps];\n\tfence.proxy.tensormap::generic.acquire.gpu [%rd7], 128;\n"
    body += f"\tcp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%rd7, {coordinates(2)}], [full];\n"
    name = f"replace_{prop}" + (f"_{ordinal}" if has_ordinal else "") + (f"_{value}" if value is not None else "")
    return kernel(name, 2, "out", waited(2, body, fill), ", .param .u32 bytes, .param .u64 maps, .param .u64 value", "\tld.param.u32 %r15, [bytes];\n")


def module():
    text = record.HEAD.replace("record.py", "modes.py").replace(".target sm_90\n", ".target sm_90a\n")
    for rank in [3, 4, 5]:
        text += pixel_load(rank) + pixel_store(rank)
    text += pixel_store(4, "add")
    for prop, (_, has_ordinal) in PROPERTIES.items():
        if prop in IMMEDIATE:
            values = {"elemtype": [0, 1, 6, 7], "swizzle_mode": [0, 1, 2, 3], "fill_mode": [0, 1]}[prop]
            text += "".join(replaced(prop, value=value) for value in values)
        elif prop == "global_stride":
            text += replaced(prop, 0)
        else:
            text += "".join(replaced(prop, ordinal) for ordinal in ([0, 1] if has_ordinal else [0]))
    frame = "\t.shared .align 128 .b8 room2[128];\n\t.reg .b16 %o<3>;\n"
    return text.replace("\t.shared .align 8 .b64 full;\n", frame + "\t.shared .align 8 .b64 full;\n")


@dataclass
class Pixels(Tensor):
    """A map for pixels: the box is its channels."""
    lower: list = field(default_factory=list)
    upper: list = field(default_factory=list)
    pixels: int = 1

    def box_bytes(self):
        return SIZES[self.ty] * self.box[0] * self.pixels

    def specification(self):
        def x(values):
            return "x".join(map(str, values))
        text = super().specification().replace(f",box={x(self.box)}", f",im2col,channels={self.box[0]},pixels={self.pixels},lower={x(self.lower)},upper={x(self.upper)}")
        return text


NUMBERS = count(1)


@dataclass
class Mode:
    """A launch of a kernel of the module."""
    kernel: str
    tensor: Tensor
    coordinates: list
    offsets: list = field(default_factory=list)
    bytes: int | None = None
    # Bytes after the begin of `data`, or a number.
    value: int | None = None
    base: int = 0
    seed: int = field(default_factory=NUMBERS.__next__)

    def loads(self):
        return not self.kernel.startswith("pixel_")

    def given(self):
        words, specification = SHARED_WORDS, self.tensor.specification()
        if self.kernel == "replace_global_address":
            specification = specification.replace("of=data", "of=out")
        found = {"data": f"u32[{self.tensor.words()}]=random({self.seed})", "map": specification}
        found |= {"out": f"u32[{words}]"} if self.loads() else {"in": f"u32[{words}]=random({self.seed + 1000})"}
        found["base"] = f"u32={self.base}"
        if self.loads():
            found["bytes"] = f"u32={self.bytes or self.tensor.box_bytes()}"
        found |= {f"o{at}": f"u16={value}" for at, value in enumerate(self.offsets)}
        if self.value is not None:
            found |= {"maps": "u8[128]", "value": "data" if self.kernel == "replace_global_address" else f"u64={self.value}"}
        return found | {f"c{at}": f"s32={value}" for at, value in enumerate(self.coordinates)}

    def options(self):
        found = ["--kernel", self.kernel, "--grid", "1", "--block", "128"]
        return found + [word for name, value in self.given().items() for word in ("--arg", f"{name}={value}")]


def pixels(ty, sizes, channels, count, lower, upper, **more):
    return Pixels(ty, sizes, [channels] + [1] * (len(sizes) - 1), lower=lower, upper=upper, pixels=count, **more)


def all_cases():
    for direction in ["pixels", "pixel_store"]:
        loads = direction == "pixels"
        at = [1, 2, 3] if loads else []
        for lower, upper in [([0], [0]), ([-1], [-1]), ([-2], [1]), ([1], [-2])]:
            for start in [lower[0], 4, 9 + upper[0]]:
                yield Mode(f"{direction}_3d", pixels("u16", [16, 10, 4], 8, 24, lower, upper), [8, start, 0], at[:1])
        for swizzle, channels in [("none", 16), ("32", 16), ("64", 16), ("128", 64)]:
            yield Mode(f"{direction}_4d", pixels("f16", [64, 7, 6, 3], channels, 40, [-1, -1], [-1, -1], swizzle=swizzle), [0, 2, 3, 1], [1, 2] if loads else [])
        yield Mode(f"{direction}_4d", pixels("u8", [48, 9, 8, 2], 32, 50, [-1, -1], [-1, -1], steps=[1, 2, 2, 1]), [16, -1, -1, 0], [0, 0] if loads else [])
        yield Mode(f"{direction}_4d", pixels("u8", [48, 9, 8, 2], 32, 50, [-1, 0], [0, -1], steps=[1, 2, 3, 1]), [16, 1, 3, 0], [2, 1] if loads else [])
        yield Mode(f"{direction}_4d", pixels("u32", [20, 5, 5, 2], 8, 30, [0, 0], [-2, -2]), [16, 0, 0, 1], [2, 2] if loads else [])
        yield Mode(f"{direction}_5d", pixels("u32", [8, 4, 3, 3, 2], 4, 60, [-1, -1, 0], [-1, 0, -1]), [4, 0, 1, 2, 0], at)
        yield Mode(f"{direction}_5d", pixels("u32", [8, 4, 3, 3, 2], 8, 64, [-1, -1, -1], [0, 0, 0], steps=[1, 1, 2, 2, 1]), [0, 3, 2, 2, 0], [0, 1, 1] if loads else [])
    for channels in [8]:
        yield Mode("pixels_4d", pixels("f16", [16, 5, 4, 2], channels, 30, [-1, -1], [-1, -1], fill="nan"), [8, 1, 2, 1], [2, 2])
        yield Mode("pixel_add_4d", pixels("u32", [16, 5, 4, 2], channels, 20, [0, 0], [0, 0]), [8, 1, 2, 0])
    plain = Tensor("u32", [32, 12], [8, 6])
    bytes = {"box_dim_0": 4 * 4 * 6, "box_dim_1": 4 * 8 * 3}
    for name, value in [("global_address", 0), ("global_dim_0", 20), ("global_dim_1", 5), ("global_stride_0", 64), ("box_dim_0", 4), ("box_dim_1", 3), ("element_stride_0", 1), ("element_stride_1", 2)]:
        size = 4 * 8 * 3 if name == "element_stride_1" else bytes.get(name)
        yield Mode(f"replace_{name}", plain, [16, 3], bytes=size, value=value)
    for value, size in [(0, 8 * 6 * 4), (1, 8 * 6 * 4), (6, 8 * 6 * 4), (7, 8 * 6 * 4)]:
        element = {0: 1, 1: 2, 6: 2, 7: 4}[value]
        yield Mode(f"replace_elemtype_{value}", Tensor("u32", [32, 12], [16, 6]), [16, 3], bytes=16 * 6 * element, value=0)
    for value in [0, 1, 2, 3]:
        yield Mode(f"replace_swizzle_mode_{value}", plain, [16, 3], value=0)
    for value in [0, 1]:
        yield Mode(f"replace_fill_mode_{value}", Tensor("f32", [32, 12], [8, 6]), [28, 8], value=0)


def tensor_map(driver, tensor, address):
    """The bytes of a map for boxes or pixels."""
    if not isinstance(tensor, Pixels):
        return driver.tensor_map(tensor, address)
    from ctypes import c_int, c_uint32, c_uint64, c_void_p
    from driver import FILLS, SWIZZLES, TYPES
    rank, (code, size) = len(tensor.sizes), TYPES[tensor.ty]
    room = (ctypes.c_uint8 * 256)()
    start = -ctypes.addressof(room) % 64
    sizes, strides = (c_uint64 * rank)(*tensor.sizes), (c_uint64 * (rank - 1))(*tensor.byte_strides(size))
    lower, upper = (c_int * (rank - 2))(*tensor.lower), (c_int * (rank - 2))(*tensor.upper)
    steps = (c_uint32 * rank)(*(tensor.steps or [1] * rank))
    driver.call(
        "cuTensorMapEncodeIm2col", c_void_p(ctypes.addressof(room) + start), c_int(code), c_uint32(rank), c_void_p(address), sizes, strides, lower, upper,
        c_uint32(tensor.box[0]), c_uint32(tensor.pixels), steps, c_int(0), c_int(SWIZZLES[tensor.swizzle]), c_int(0), c_int(FILLS[tensor.fill]))
    return bytes(room[start:start + 128])


def run(driver, case):
    count = case.tensor.words()
    data = driver.upload(random_words(count, case.seed))
    other = driver.upload([0] * SHARED_WORDS if case.loads() else random_words(SHARED_WORDS, case.seed + 1000))
    tensor = (ctypes.c_uint8 * 128).from_buffer_copy(tensor_map(driver, case.tensor, data if case.kernel != "replace_global_address" else other))
    arguments = [tensor, ctypes.c_uint64(data), ctypes.c_uint64(other), ctypes.c_uint32(case.base)]
    arguments += [ctypes.c_uint32(case.bytes or case.tensor.box_bytes())] if case.loads() else []
    arguments += [ctypes.c_uint16(one) for one in case.offsets]
    if case.value is not None:
        maps = driver.upload([0] * 32)
        arguments += [ctypes.c_uint64(maps), ctypes.c_uint64(data if case.kernel == "replace_global_address" else case.value)]
    driver.launch(case.kernel, 1, THREADS, arguments + [ctypes.c_int32(one) for one in case.coordinates])
    found = {"data": record.packed(driver.download(data, count))}
    if case.loads():
        found["out"] = record.packed(driver.download(other, SHARED_WORDS))
    driver.free(data)
    driver.free(other)
    return found


if __name__ == "__main__":
    commands.main("modes", module, lambda folder, out: record.record(folder, out, "modes", "modes"), __doc__)
