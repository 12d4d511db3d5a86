"""Kernels that compute one product of matrices each, from values that they compute themselves: see `record.py`."""

# Word masks (and, or) that keep numbers of a type apart from infinities and near each other.
MASKS = {
    "f16": (0xBFFFBFFF, 0), "bf16": (0x87FF87FF, 0x38003800), "tf32": (0x87FFFFFF, 0x38000000), "f32": (0x87FFFFFF, 0x38000000),
    "e4m3": (0xBFBFBFBF, 0), "e5m2": (0xBFBFBFBF, 0), "s8": (0xFFFFFFFF, 0), "u8": (0xFFFFFFFF, 0), "s4": (0xFFFFFFFF, 0), "u4": (0xFFFFFFFF, 0),
    "b1": (0xFFFFFFFF, 0), "s32": (0xFFFFFFFF, 0), "e2m1": (0xFFFFFFFF, 0),
}
BITS = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
SHARED = 40960

HEAD = """.version 9.5
.target sm_90a
.address_size 64
.func (.reg .b32 %h) hash(.reg .b32 %i)
{
.reg .b32 %t;
mad.lo.u32 %h, %i, 0x9E3779B1, 0x1234567;
shr.u32 %t, %h, 16;
xor.b32 %h, %h, %t;
mul.lo.u32 %h, %h, 0x85EBCA6B;
shr.u32 %t, %h, 13;
xor.b32 %h, %h, %t;
mul.lo.u32 %h, %h, 0xC2B2AE35;
shr.u32 %t, %h, 16;
xor.b32 %h, %h, %t;
ret;
}
.func (.reg .b32 %m) pairs(.reg .b32 %i, .reg .b32 %table, .reg .b32 %count)
{
.reg .b32 %n, %d, %s, %x;
.reg .pred %p;
mov.u32 %m, 0;
mov.u32 %n, 0;
again:
mad.lo.u32 %x, %i, 8, %n;
call (%x), hash, (%x);
rem.u32 %x, %x, %count;
shl.b32 %x, %x, 2;
shr.u32 %d, %table, %x;
and.b32 %d, %d, 15;
shl.b32 %s, %n, 2;
shl.b32 %d, %d, %s;
or.b32 %m, %m, %d;
add.u32 %n, %n, 1;
setp.lt.u32 %p, %n, 8;
@%p bra again;
ret;
}
"""


def random_registers(name, count, ty, number):
    """Declares registers and fills them: word `thread * 256 + register` of an operand."""
    lines = []
    if ty == "f64":
        lines.append(f".reg .b64 %{name}<{count}>;")
        for at in range(count):
            lines += [f"add.u32 %i, %first, {number * 0x10000 + at};", "call (%x), hash, (%i);", "cvt.rn.f64.s32 %f, %x;", f"mul.rn.f64 %{name}{at}, %f, 0d3E10000000000000;"]
        return lines
    mask, bits = MASKS[ty]
    lines.append(f".reg .b32 %{name}<{count}>;")
    for at in range(count):
        lines += [f"add.u32 %i, %first, {number * 0x10000 + at};", "call (%x), hash, (%i);", f"and.b32 %x, %x, {mask:#x};", f"or.b32 %{name}{at}, %x, {bits:#x};"]
    return lines


def braces(name, count):
    return "{" + ", ".join(f"%{name}{at}" for at in range(count)) + "}"


def kernel(name, threads, body, results, wide=False):
    """A kernel that writes its result registers: register by register, thread by thread."""
    lines = [f".visible .entry {name}(.param .u64 out)", f".reqntid {threads}", "{", ".reg .b32 %i, %x, %y, %thread, %first;", ".reg .b64 %out, %at, %desc;", ".reg .f64 %f;", ".reg .pred %p;"]
    lines += ["ld.param.u64 %out, [out];", "cvta.to.global.u64 %out, %out;", "mov.u32 %thread, %tid.x;", "shl.b32 %first, %thread, 8;"]
    lines += body
    size = 8 if wide else 4
    lines += [f"mad.wide.u32 %at, %thread, {size}, %out;"]
    for at, register in enumerate(results):
        lines.append(f"st.global.b{size * 8} [%at+{at * size * threads}], {register};")
    lines += ["ret;", "}"]
    return {"name": name, "threads": threads, "words": len(results) * threads * size // 4, "text": "\n".join(lines) + "\n"}


def registers(elements, ty, threads):
    return max(elements * BITS[ty] // threads // max(BITS[ty], 32), 1)


def mma(opcode, shape, types, a_elements=None, batch=1, extra=(), suffix="", name=None):
    m, n, k = shape
    d, a, b, c = types
    counts = [registers(e * batch, ty, 32) for e, ty in ((m * n, d), (a_elements or m * k, a), (n * k, b), (m * n, c))]
    body = random_registers("a", counts[1], a, 1) + random_registers("b", counts[2], b, 2) + random_registers("c", counts[3], c, 3)
    body += [f".reg .b{64 if d == 'f64' else 32} %d<{counts[0]}>;"] + list(extra)
    body.append(f"{opcode} {braces('d', counts[0])}, {braces('a', counts[1])}, {braces('b', counts[2])}, {braces('c', counts[3])}{suffix};")
    return kernel(name or "k_" + opcode.replace(".", "_").replace("::", "_") + suffix.replace(", ", "_").replace("%", ""), 32, body, [f"%d{at}" for at in range(counts[0])], d == "f64")


PAIRS = ("0xEDC984", 6)
ONES = ("0xE4", 2)


def sparse(shape, types, a, selector, ordered=True, pairs=PAIRS, words=""):
    m, n, k = shape
    d, at, bt, c = types
    kind = "sp::ordered_metadata" if ordered else "sp"
    opcode = f"mma.{kind}.sync.aligned.m{m}n{n}k{k}.row.col{words}.{d}.{at}.{bt}.{c}"
    extra = [".reg .b32 %meta, %table, %count;", f"mov.u32 %table, {pairs[0]};", f"mov.u32 %count, {pairs[1]};", "add.u32 %i, %first, 0x40000;", "call (%meta), pairs, (%i, %table, %count);"]
    return mma(opcode, shape, types, a_elements=m * k // 2, extra=extra, suffix=f", %meta, {selector}")


def wgmma(shape, types, a=None, b=(0, 0, 256, 0), majors=(0, 0), scales=(1, 1), scale_d=1, sp=None, words=""):
    """`a` and `b`: the offset, leading and stride bytes, and the swizzle of their descriptors; a in registers if there is none."""
    m, n, k = shape
    d, at, bt = types
    count = registers(m * n, d, 128)
    body = [f".shared .align 1024 .b8 memory_{{name}}[{SHARED}];", ".reg .b32 %shared;", ".reg .b64 %da, %db, %base;"]
    body += ["mov.u32 %shared, memory_{name};", "mov.u32 %y, %thread;", "fill:", "add.u32 %i, %y, 0x50000;", "call (%x), hash, (%i);"]
    mask, bits = MASKS[bt]
    body += [f"and.b32 %x, %x, {mask:#x};", f"or.b32 %x, %x, {bits:#x};", "mad.lo.u32 %i, %y, 4, %shared;", "st.shared.b32 [%i], %x;", "add.u32 %y, %y, 128;", f"setp.lt.u32 %p, %y, {SHARED // 4};", "@%p bra fill;"]
    body += ["fence.proxy.async;", "bar.sync 0;", "cvt.u64.u32 %base, %shared;", "shr.u64 %base, %base, 4;"]

    def descriptor(register, parts):
        offset, leading, stride, swizzle = parts
        value = offset >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62
        return [f"mov.b64 {register}, {value:#x};", f"add.u64 {register}, {register}, %base;"]
    body += descriptor("%db", b)
    body += random_registers("d", count, d, 3)
    if a:
        body += descriptor("%da", a)
        source = "%da"
    else:
        body += random_registers("a", 4, at, 1)
        source = braces("a", 4)
    meta = ""
    if sp is not None:
        table, choices, selector = sp
        body += [".reg .b32 %meta, %table, %count;", f"mov.u32 %table, {table};", f"mov.u32 %count, {choices};", "add.u32 %i, %first, 0x40000;", "call (%meta), pairs, (%i, %table, %count);"]
        meta = f", %meta, {selector}"
    body += [f"setp.eq.u32 %p, {scale_d}, 1;", "wgmma.fence.sync.aligned;"]
    rest = ""
    if d != "s32":
        rest = f", {scales[0]}, {scales[1]}"
        if at in ("f16", "bf16"):
            rest += f", {majors[0]}, {majors[1]}" if a else f", {majors[1]}"
    kind = ".sp" if sp is not None else ""
    opcode = f"wgmma.mma_async{kind}.sync.aligned.m{m}n{n}k{k}{words.replace('.and.popc', '')}.{d}.{at}.{bt}{'.and.popc' if 'popc' in words else ''}"
    body += [f"{opcode} {braces('d', count)}, {source}, %db{meta}, %p{rest};", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    name = f"w{kind[1:]}_n{n}k{k}_{d}_{at}_{bt}" + (f"_a{a[0]}_{a[1]}_{a[2]}_{a[3]}" if a else "_reg") + f"_b{b[0]}_{b[1]}_{b[2]}_{b[3]}" + f"_t{majors[0]}{majors[1]}"
    name += ("_neg%d%d" % (scales[0] < 0, scales[1] < 0) if scales != (1, 1) else "") + ("_zero" if not scale_d else "") + (f"_sel{sp[2]}" if sp else "") + words.replace(".", "_")
    body = [line.replace("{name}", name) if "memory_" in line else line for line in body]
    return kernel(name, 128, body, [f"%d{at}" for at in range(count)])


def wmma_fragment(matrix, layout, shape, ty, size):
    """Dumps the fragment of a matrix whose elements are their own indices in memory."""
    m, n, k = shape
    rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[matrix]
    bits = BITS[ty]
    words = rows * columns * bits // 32
    count = size
    stride = columns if layout == "row" else rows
    name = f"f_{matrix}_{layout}_m{m}n{n}k{k}_{ty}"
    body = [f".shared .align 128 .b8 memory_{name}[{max(rows * columns * bits // 8, 128)}];", ".reg .b32 %shared, %z;", f"mov.u32 %shared, memory_{name};", "mov.u32 %y, %thread;", "fill:"]
    if bits >= 32:
        body += ["mov.u32 %x, %y;"]
    elif bits == 16:
        body += ["shl.b32 %x, %y, 1;", "add.u32 %z, %x, 1;", "shl.b32 %z, %z, 16;", "or.b32 %x, %x, %z;"]
    else:
        body += ["mov.u32 %x, %y;"] if bits < 8 else ["and.b32 %z, %y, 63;", "mul.lo.u32 %x, %z, 0x04040404;", "add.u32 %x, %x, 0x03020100;"]
    body += ["mad.lo.u32 %i, %y, 4, %shared;", "st.shared.b32 [%i], %x;", "add.u32 %y, %y, 32;", f"setp.lt.u32 %p, %y, {words};", "@%p bra fill;", "bar.warp.sync 0xffffffff;"]
    if bits == 64:
        return None
    body += [f".reg .b32 %d<{count}>;"] if ty not in ("f32",) else [f".reg .f32 %d<{count}>;"]
    load = f"wmma.load.{matrix}.sync.aligned.{layout}.m{m}n{n}k{k}.shared.{ty}"
    body += [f"{load} {braces('d', count)}, [%shared], {stride};"]
    return kernel(name, 32, body, [f"%d{at}" for at in range(count)])


def wmma_product(layouts, shape, types, sizes, words="", prefix=""):
    m, n, k = shape
    d, a, b, c = types
    body = random_registers("a", sizes[0], a, 1) + random_registers("b", sizes[1], b, 2) + random_registers("c", sizes[2], c, 3)
    body += [f".reg .b{64 if d == 'f64' else 32} %d<{sizes[3]}>;"]
    names = f"{d}.{c}" if a == "f16" else f"{d}.{a}.{b}.{c}"
    opcode = f"wmma.mma{prefix}.sync.aligned.{layouts[0]}.{layouts[1]}.m{m}n{n}k{k}.{names}{words}"
    body.append(f"{opcode} {braces('d', sizes[3])}, {braces('a', sizes[0])}, {braces('b', sizes[1])}, {braces('c', sizes[2])};")
    return kernel("p_" + opcode.replace(".", "_"), 32, body, [f"%d{at}" for at in range(sizes[3])], d == "f64")


def forms():
    found = []
    add = found.append
    f16, f32 = ("f16",) * 4, ("f32", "f16", "f16", "f32")
    # m8n8k4, 4 and 1 bits, and forms of sm_75 and later that were not recorded.
    for la in ("row", "col"):
        for lb in ("row", "col"):
            add(mma(f"mma.sync.aligned.m8n8k4.{la}.{lb}.f16.f16.f16.f16", (8, 8, 4), f16, batch=4))
            add(mma(f"mma.sync.aligned.m8n8k4.{la}.{lb}.f32.f16.f16.f32", (8, 8, 4), f32, batch=4))
            add(mma(f"mma.sync.aligned.m8n8k4.{la}.{lb}.f32.f16.f16.f16", (8, 8, 4), ("f32", "f16", "f16", "f16"), batch=4))
    for a in ("s8", "u8"):
        for b in ("s8", "u8"):
            for shape in ((8, 8, 16), (16, 8, 16), (16, 8, 32)):
                for sat in ("", ".satfinite"):
                    add(mma(f"mma.sync.aligned.m{shape[0]}n8k{shape[2]}.row.col{sat}.s32.{a}.{b}.s32", shape, ("s32", a, b, "s32")))
    for a in ("s4", "u4"):
        for b in ("s4", "u4"):
            for shape in ((8, 8, 32), (16, 8, 32), (16, 8, 64)):
                add(mma(f"mma.sync.aligned.m{shape[0]}n8k{shape[2]}.row.col.satfinite.s32.{a}.{b}.s32", shape, ("s32", a, b, "s32")))
    for shape in ((8, 8, 128), (16, 8, 128), (16, 8, 256)):
        for op in ("xor", "and"):
            add(mma(f"mma.sync.aligned.m{shape[0]}n8k{shape[2]}.row.col.s32.b1.b1.s32.{op}.popc", shape, ("s32", "b1", "b1", "s32")))
    for rnd in ("rz", "rm", "rp"):
        add(mma(f"mma.sync.aligned.m8n8k4.row.col.{rnd}.f64.f64.f64.f64", (8, 8, 4), ("f64",) * 4))
    for a in ("e4m3", "e5m2"):
        for b in ("e4m3", "e5m2"):
            for k in (16, 32):
                for d in ("f32", "f16"):
                    add(mma(f"mma.sync.aligned.m16n8k{k}.row.col.{d}.{a}.{b}.{d}", (16, 8, k), (d, a, b, d)))
    # Sparse.
    for ordered in (True, False):
        for selector in range(4):
            add(sparse((16, 8, 16), f32, None, selector, ordered))
            add(sparse((16, 8, 8), ("f32", "tf32", "tf32", "f32"), None, selector, ordered, ONES))
        for selector in range(2):
            add(sparse((16, 8, 32), f32, None, selector, ordered))
            add(sparse((16, 8, 16), ("f32", "tf32", "tf32", "f32"), None, selector, ordered, ONES))
            add(sparse((16, 8, 32), ("s32", "s8", "s8", "s32"), None, selector, ordered))
            add(sparse((16, 8, 64), ("s32", "s4", "u4", "s32"), None, selector, ordered))
        add(sparse((16, 8, 32), f16, None, 0, ordered))
        add(sparse((16, 8, 32), ("f32", "bf16", "bf16", "f32"), None, 0, ordered))
        add(sparse((16, 8, 64), ("s32", "u8", "s8", "s32"), None, 0, ordered))
        add(sparse((16, 8, 128), ("s32", "s4", "s4", "s32"), None, 0, ordered))
        add(sparse((16, 8, 64), ("f32", "e4m3", "e5m2", "f32"), None, 0, ordered))
    # wgmma: K-major operands of 32 bytes; swizzles 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
    K = {0: (128, 256), 1: (0, 1024), 2: (0, 512), 3: (0, 256)}
    half = ("f32", "f16", "f16")
    a_at = 32768
    for swizzle, (leading, stride) in K.items():
        for at in (0, 32) if swizzle in (1, 2) else (0,):
            add(wgmma((64, 64, 16), half, (a_at + at, leading, stride, swizzle), (at, leading, stride, swizzle)))
    for n in (8, 16, 24, 40, 128, 200, 256):
        add(wgmma((64, n, 16), half, (a_at, 0, 1024, 1), (0, 0, 1024, 1)))
    add(wgmma((64, 256, 16), half, None, (0, 0, 1024, 1)))
    # The other major: leading and stride in both orders, to see which is which.
    MN = {0: [(128, 1024), (1024, 128), (256, 128), (128, 256)], 1: [(2048, 1024), (1024, 2048)], 2: [(1024, 512), (512, 1024)], 3: [(512, 256), (256, 512)]}
    for swizzle, pairs in MN.items():
        for leading, stride in pairs:
            n = 64 if swizzle != 1 else 128
            add(wgmma((64, n, 16), half, (a_at, *K[1], 1), (0, leading, stride, swizzle), (0, 1)))
            add(wgmma((64, n, 16), half, (a_at, leading, stride, swizzle), (0, *K[1], 1), (1, 0)))
            add(wgmma((64, n, 16), half, None, (0, leading, stride, swizzle), (0, 1)))
    add(wgmma((64, 64, 16), half, (a_at, 2048, 1024, 1), (0, 2048, 1024, 1), (1, 1)))
    for scales in ((-1, 1), (1, -1), (-1, -1)):
        add(wgmma((64, 16, 16), half, (a_at, 0, 1024, 1), (0, 0, 1024, 1), scales=scales))
    add(wgmma((64, 16, 16), half, (a_at, 0, 1024, 1), (0, 0, 1024, 1), scale_d=0))
    for types, k in ((("f16", "f16", "f16"), 16), (("f32", "bf16", "bf16"), 16), (("f32", "tf32", "tf32"), 8)) + tuple(
            ((d, a, b), 32) for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")) + tuple((("s32", a, b), 32) for a in ("s8", "u8") for b in ("s8", "u8")):
        add(wgmma((64, 32, k), types, (a_at, 0, 1024, 1), (0, 0, 1024, 1)))
        add(wgmma((64, 16, k), types, None, (0, 0, 1024, 1)))
    add(wgmma((64, 32, 32), ("s32", "s8", "s8"), (a_at, 0, 1024, 1), (0, 0, 1024, 1), words=".satfinite"))
    add(wgmma((64, 32, 256), ("s32", "b1", "b1"), (a_at, 0, 1024, 1), (0, 0, 1024, 1), words=".and.popc"))
    # Sparse wgmma: a has half as many bytes of each row as b.
    for selector in (0, 1):
        add(wgmma((64, 32, 32), half, (a_at, 0, 1024, 1), (0, 0, 1024, 1), sp=(*PAIRS, selector)))
        add(wgmma((64, 32, 32), half, None, (0, 0, 1024, 1), sp=(*PAIRS, selector)))
        add(wgmma((64, 32, 16), ("f32", "tf32", "tf32"), (a_at, 0, 1024, 1), (0, 0, 1024, 1), sp=(*ONES, selector)))
    add(wgmma((64, 32, 64), ("f32", "e4m3", "e4m3"), (a_at, 0, 1024, 1), (0, 0, 1024, 1), sp=(*PAIRS, 0)))
    add(wgmma((64, 32, 64), ("s32", "s8", "s8"), (a_at, 0, 1024, 1), (0, 0, 1024, 1), sp=(*PAIRS, 0)))
    # wmma: fragments and products.
    for shape in ((16, 16, 16), (8, 32, 16), (32, 8, 16)):
        m, n, k = shape
        for layout in ("row", "col"):
            for ty in ("f16", "bf16", "s8"):
                for matrix, elements in (("a", m * k), ("b", n * k)):
                    size = 8 if ty == "f16" else elements * BITS[ty] // 1024
                    if ty == "bf16":
                        size = elements * 16 // 1024
                    add(wmma_fragment(matrix, layout, shape, ty, size))
            for ty, size in (("f16", 4), ("f32", 8), ("s32", 8)):
                add(wmma_fragment("c", layout, shape, ty, size))
        for la in ("row", "col"):
            for lb in ("row", "col"):
                for d in ("f32", "f16"):
                    for c in ("f32", "f16"):
                        add(wmma_product((la, lb), shape, (d, "f16", "f16", c), (8, 8, 8 if c == "f32" else 4, 8 if d == "f32" else 4)))
                add(wmma_product((la, lb), shape, ("f32", "bf16", "bf16", "f32"), (m * k // 64, n * k // 64, 8, 8)))
                add(wmma_product((la, lb), shape, ("s32", "s8", "s8", "s32"), (m * k // 128, n * k // 128, 8, 8)))
                add(wmma_product((la, lb), shape, ("s32", "u8", "u8", "s32"), (m * k // 128, n * k // 128, 8, 8), ".satfinite"))
    for layout in ("row", "col"):
        add(wmma_fragment("a", layout, (16, 16, 8), "tf32", 4))
        add(wmma_fragment("b", layout, (16, 16, 8), "tf32", 4))
        add(wmma_fragment("c", layout, (16, 16, 8), "f32", 8))
    for la in ("row", "col"):
        for lb in ("row", "col"):
            add(wmma_product((la, lb), (16, 16, 8), ("f32", "tf32", "tf32", "f32"), (4, 4, 8, 8)))
            add(wmma_product((la, lb), (8, 8, 4), ("f64",) * 4, (1, 1, 2, 2)))
    add(wmma_fragment("a", "row", (8, 8, 32), "s4", 1))
    add(wmma_fragment("b", "col", (8, 8, 32), "s4", 1))
    add(wmma_fragment("c", "row", (8, 8, 32), "s32", 2))
    add(wmma_product(("row", "col"), (8, 8, 32), ("s32", "s4", "s4", "s32"), (1, 1, 2, 2)))
    add(wmma_product(("row", "col"), (8, 8, 128), ("s32", "b1", "b1", "s32"), (1, 1, 2, 2), prefix=".xor.popc"))
    return [one for one in found if one]


