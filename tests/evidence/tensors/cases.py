"""The tensor copies that are recorded."""
from dataclasses import dataclass, field
from itertools import count

# Words of shared memory, and those of `out` and `in`.
SHARED_WORDS = 2048
REDUCTIONS = {
    "add": ["u32", "s32", "u64", "f16", "bf16", "f32", "f64", "s64"],
    "min": ["u32", "s32", "u64", "s64", "f16", "bf16"],
    "max": ["u32", "s32", "u64", "s64", "f16", "bf16"],
    "inc": ["u32"],
    "dec": ["u32"],
    "and": ["u32", "u64"],
    "or": ["s32", "s64"],
    "xor": ["u32", "u64"],
}
SIZES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u32": 4, "s32": 4, "f32": 4, "u64": 8, "s64": 8, "f64": 8}


@dataclass
class Tensor:
    """A tensor map."""
    ty: str
    sizes: list
    box: list
    strides: list | None = None
    steps: list | None = None
    swizzle: str = "none"
    fill: str = "zero"

    def byte_strides(self, size):
        """The strides of all dimensions but the first."""
        if self.strides:
            return self.strides
        found = []
        for one in self.sizes[:-1]:
            size *= one
            found.append(size)
        return found

    def words(self):
        """The words from the first element to the end of the last one."""
        size = SIZES[self.ty]
        strides = [size, *self.byte_strides(size)]
        return (sum((n - 1) * stride for n, stride in zip(self.sizes, strides)) + size + 3) // 4

    def box_bytes(self):
        steps = self.steps or [1] * len(self.box)
        product = SIZES[self.ty] * self.box[0]
        for one, step in zip(self.box[1:], steps[1:]):
            product *= -(-one // step)
        return product

    def specification(self):
        def x(values):
            return "x".join(map(str, values))
        text = f"tensor({self.ty}[{x(self.sizes)}],box={x(self.box)}"
        text += f",strides={x(self.strides)}" if self.strides else ""
        text += f",steps={x(self.steps)}" if self.steps else ""
        text += f",swizzle={self.swizzle}" if self.swizzle != "none" else ""
        text += f",fill={self.fill}" if self.fill != "zero" else ""
        return text + ",of=data)"


@dataclass
class Case:
    """A launch of a kernel of the module."""
    kernel: str
    tensor: Tensor
    coordinates: list
    base: int = 0
    ctas: int = 1
    seed: int = field(default_factory=count(1).__next__)

    def loads(self):
        return self.kernel.startswith(("load", "spread"))

    def other(self):
        """The buffer beside the tensor: what is read or written of shared memory."""
        words = SHARED_WORDS * self.ctas
        return ("out", f"u32[{words}]", [0] * words) if self.loads() else ("in", f"u32[{words}]=random({self.seed + 1000})", random_words(words, self.seed + 1000))

    def options(self):
        """The options of `ptx-atomics run`."""
        name, specification, _ = self.other()
        given = {"data": f"u32[{self.tensor.words()}]=random({self.seed})", "map": self.tensor.specification(), name: specification, "base": f"u32={self.base}"}
        if self.loads():
            given["bytes"] = f"u32={self.tensor.box_bytes()}"
        given.update({f"c{at}": f"s32={value}" for at, value in enumerate(self.coordinates)})
        found = ["--kernel", self.kernel, "--grid", str(self.ctas), "--block", "128"]
        return found + [word for name, value in given.items() for word in ("--arg", f"{name}={value}")]


def random_words(number, seed):
    """What `random(SEED)` stands for in elements of 32 bits."""
    mask, state, found = (1 << 64) - 1, seed, []

    def below(bound):
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        return (mixed ^ (mixed >> 31)) % bound

    for _ in range(number):
        below(1 << 53)
        below(mask)
        found.append(below(mask) & 0xFFFFFFFF)
    return found


def copies(direction):
    """Copies in one direction, with every rank, border, stride, step and swizzle."""
    def case(tensor, *coordinates, base=0):
        return Case(f"{direction}_{len(coordinates)}d", tensor, list(coordinates), base)

    # What is outside before the tensor can only be read.
    before = direction == "load"
    # The last two of these do not begin at multiples of 16 bytes.
    for at in [0, 180, 196, 252] + [-8, -64] * before + [199, 250]:
        yield case(Tensor("u32", [199], [64]), at)
    yield case(Tensor("u8", [333], [48]), 304)
    for x, y in [(16, 3), (48, 12), (0, 16), (64, 0)] + [(-16, -2), (-2147483648, 2147483647)] * before + [(5, 3)]:
        yield case(Tensor("u8", [64, 16], [32, 8]), x, y, base=128)
    for ty in ["u16", "f16", "bf16", "f32", "s32", "u64", "s64", "f64"]:
        yield case(Tensor(ty, [16, 12], [8, 9]), 8, -4 if before else 6)
    if not before:
        yield case(Tensor("u32", [16, 12], [8, 9]), -8, 0)
        yield case(Tensor("u32", [16, 12], [8, 9]), 0, -1)
    yield case(Tensor("u16", [41, 9], [24, 6], strides=[96]), 24, 4)
    yield case(Tensor("u32", [16, 6, 4], [12, 5, 3]), 8, -1 if before else 3, 2)
    yield case(Tensor("u16", [24, 5, 3, 4], [16, 2, 2, 3]), -8 if before else 16, 4, 1, 2)
    yield case(Tensor("u8", [32, 3, 4, 2, 3], [16, 2, 3, 2, 2]), 16, -1 if before else 2, 2, 0, 2)
    yield case(Tensor("u16", [24, 10, 7], [8, 7, 5], steps=[1, 3, 2]), 8, -1 if before else 4, 3)
    yield case(Tensor("u32", [8, 10], [4, 8], steps=[2, 5]), 4, 1)
    for swizzle in ["32", "64", "128"]:
        for row in sorted({16, 32, int(swizzle) // 2, int(swizzle)} & set(range(16, int(swizzle) + 1))):
            for base in [0, 128, 640]:
                yield case(Tensor("u8", [160, 24], [row, 20], swizzle=swizzle), 48, 2, base=base)
        yield case(Tensor("f16", [64, 24], [int(swizzle) // 2, 9], swizzle=swizzle), 40, -3 if before else 19)
        yield case(Tensor("u32", [32, 6, 5], [int(swizzle) // 4, 4, 3], swizzle=swizzle), 4, 1, 2, base=256)


def all_cases():
    yield from copies("load")
    for ty in ["f16", "bf16", "f32", "f64"]:
        yield Case("load_2d", Tensor(ty, [16, 6], [8, 4], fill="nan"), [16 - 16 // SIZES[ty], 3])
    yield Case("spread_2d", Tensor("u16", [32, 9], [32, 6], swizzle="64"), [8, 5], base=128, ctas=2)
    yield from copies("store")
    for op, types in REDUCTIONS.items():
        for ty in types:
            yield Case(f"{op}_2d", Tensor(ty, [16, 24], [16, 20]), [16 // SIZES[ty], 8])
