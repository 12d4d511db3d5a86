"""Launches of kernels: their arguments, and what NumPy says that memory holds afterwards."""
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

# What a buffer holds afterwards depends on the schedule.
UNORDERED = None

TYPES = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8": "s8", "int32": "s32", "int64": "s64",
         "float16": "f16", "float32": "f32", "float64": "f64"}


@dataclass
class Launch:
    """A launch; `reference` gets the arguments and returns the buffers that change, by their number. Without one, a GPU has to be asked."""
    module: str
    kernel: str
    arguments: list
    reference: Callable | None
    grid: str = "1"
    block: str = "1"
    cluster: str = "1"
    shared: int = 0
    # How far floats may be from the reference, relative to it: for instructions that approximate.
    relative: float = 0.0
    # Whether the compiler or a library leaves accesses to the same address without order, which does no harm.
    races: bool = False
    # Without a reference: the arguments whose contents depend on the schedule.
    unordered: tuple = ()

    def buffers(self):
        return [number for number, one in enumerate(self.arguments) if isinstance(one, np.ndarray)]

    def options(self):
        """The options of `ptx-atomics run`."""
        found = ["--kernel", self.kernel, "--grid", self.grid, "--block", self.block]
        found += ["--cluster", self.cluster] if self.cluster != "1" else []
        found += ["--shared", str(self.shared)] if self.shared else []
        for number, argument in enumerate(self.arguments):
            found += ["--arg", f"{number}={specification(argument)}"]
        return found

    def expected(self):
        """The contents of each buffer according to the reference; without one, those before."""
        if self.reference is None:
            return [UNORDERED if number in self.unordered else self.arguments[number] for number in self.buffers()]
        changed = self.reference(*[one.copy() if isinstance(one, np.ndarray) else one for one in self.arguments])
        memory = []
        for number in self.buffers():
            given = self.arguments[number]
            contents = changed.get(number, given)
            if contents is not UNORDERED:
                contents = np.asarray(contents).astype(given.dtype).reshape(given.shape)
            memory.append(contents)
        return memory


@dataclass
class Launches:
    """The launches of a module."""
    module: str
    list: list = field(default_factory=list)

    def add(self, *arguments, kernel=None, **options):
        """Adds a launch of the kernel that is named as the function that computes the reference."""
        def decorated(reference):
            self.list.append(Launch(self.module, kernel or reference.__name__, list(arguments), reference, **options))
            return reference
        return decorated


def specification(argument):
    """An argument as `--arg` takes it."""
    if not isinstance(argument, np.ndarray):
        value = argument if isinstance(argument, np.generic) else np.uint32(argument)
        return f"{TYPES[value.dtype.name]}={number(value)}"
    values = argument.ravel()
    given = np.trim_zeros(values, "b") if not np.signbit(values).any() else values
    text = f"{TYPES[values.dtype.name]}[{len(values)}]"
    return text + ("=" + ",".join(map(number, given)) if len(given) else "")


def number(value):
    return repr(float(value)) if isinstance(value, np.floating) else str(int(value))


def plain(contents):
    """Contents of a buffer as JSON has them: infinities and NaN are strings."""
    if contents is UNORDERED:
        return None
    return [one if np.isfinite(one) else {"nan": "NaN"}.get(str(one), str(one)) for one in contents.ravel().tolist()]


def words(count, seed, bits=24):
    """Words that a seed determines."""
    value, found = seed, []
    for _ in range(count):
        value = (value * 1664525 + 1013904223) & 0xFFFFFFFF
        found.append(value >> (32 - bits))
    return np.array(found, dtype=np.uint32)


def zeros(count, ty=np.uint32):
    return np.zeros(count, dtype=ty)


def small_floats(count, seed, ty=np.float32):
    """Multiples of 1/8 from -16 to 16, whose sums and products are exact."""
    return ((words(count, seed, 8).astype(np.float64) - 128) / 8).astype(ty)


def singles(count):
    """Floating-point numbers from small to large."""
    return np.array([(-1) ** k * 1.7 ** (k - count // 2) for k in range(count)], dtype=np.float32)


def mixed(x):
    """The hash function of the kernels."""
    x = np.asarray(x, dtype=np.uint32).copy()
    x ^= x >> 16
    x = (x.astype(np.uint64) * 0x7FEB352D).astype(np.uint32)
    x ^= x >> 15
    x = (x.astype(np.uint64) * 0x846CA68B).astype(np.uint32)
    return x ^ (x >> 16)
