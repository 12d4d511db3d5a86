"""The CUDA driver through ctypes: modules, memory, launches and tensor maps."""
import ctypes
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p

SWIZZLES = {"none": 0, "32": 1, "64": 2, "128": 3}
FILLS = {"zero": 0, "nan": 1}
# The numbers of `CUtensorMapDataType`, and the bytes of an element.
TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "s32": (3, 4), "u64": (4, 8), "s64": (5, 8), "f16": (6, 2), "f32": (7, 4), "f64": (8, 8), "bf16": (9, 2)}


class Failed(Exception):
    """A call of the driver that has failed."""


class Driver:
    """A context on the first device with a module in it."""

    def __init__(self, image):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context, self.module = c_int(), c_void_p(), c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", byref(self.module), image)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise Failed(f"{name}: {code}")

    def upload(self, words):
        """A buffer with these words; returns its address."""
        address, data = c_uint64(), (c_uint32 * len(words))(*words)
        self.call("cuMemAlloc_v2", byref(address), c_size_t(ctypes.sizeof(data)))
        self.call("cuMemcpyHtoD_v2", address, data, c_size_t(ctypes.sizeof(data)))
        return address.value

    def download(self, address, count):
        data = (c_uint32 * count)()
        self.call("cuMemcpyDtoH_v2", data, c_uint64(address), c_size_t(ctypes.sizeof(data)))
        return list(data)

    def free(self, address):
        self.call("cuMemFree_v2", c_uint64(address))

    def tensor_map(self, tensor, address):
        """The 128 bytes of a map of a `cases.Tensor` at an address, which are aligned to 64."""
        rank, (code, size) = len(tensor.sizes), TYPES[tensor.ty]
        room = (ctypes.c_uint8 * 256)()
        start = -ctypes.addressof(room) % 64
        sizes, strides = (c_uint64 * rank)(*tensor.sizes), (c_uint64 * max(rank - 1, 1))(*tensor.byte_strides(size))
        box, steps = (c_uint32 * rank)(*tensor.box), (c_uint32 * rank)(*(tensor.steps or [1] * rank))
        self.call(
            "cuTensorMapEncodeTiled", c_void_p(ctypes.addressof(room) + start), c_int(code), c_uint32(rank), c_void_p(address), sizes,
            strides, box, steps, c_int(0), c_int(SWIZZLES[tensor.swizzle]), c_int(0), c_int(FILLS[tensor.fill]))
        return bytes(room[start:start + 128])

    def launch(self, kernel, ctas, threads, arguments, shared=0):
        """Launches a kernel with so many bytes of dynamic shared memory and waits for its end. Arguments are ctypes values."""
        self.begin(kernel, ctas, threads, arguments, shared)
        self.call("cuCtxSynchronize")

    def begin(self, kernel, ctas, threads, arguments, shared=0):
        """Launches a kernel."""
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), self.module, kernel.encode())
        pointers = (c_void_p * len(arguments))(*[ctypes.addressof(one) for one in arguments])
        self.call("cuLaunchKernel", function, ctas, 1, 1, threads, 1, 1, shared, None, pointers, None)
