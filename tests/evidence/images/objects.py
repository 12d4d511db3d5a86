"""Texture and surface objects through the CUDA driver."""
import ctypes
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

# The number of a `CUarray_format`, and the bytes of a channel.
FORMATS = {"u8": (1, 1), "u16": (2, 2), "u32": (3, 4), "s8": (8, 1), "s16": (9, 2), "s32": (10, 4), "f16": (16, 2), "f32": (32, 4)}
LAYERED, SURFACE = 1, 2
READ_AS_INTEGER = 1
ADDRESS_MODES = {"clamp": 1, "border": 3}
HOST, ARRAY = 1, 3


class ArrayDescription(ctypes.Structure):
    _fields_ = [("width", c_size_t), ("height", c_size_t), ("depth", c_size_t), ("format", c_int), ("channels", c_uint), ("flags", c_uint)]


class Side(ctypes.Structure):
    """Where a copy reads or writes."""
    _fields_ = [("x", c_size_t), ("y", c_size_t), ("z", c_size_t), ("level", c_size_t), ("type", c_int), ("host", c_void_p),
                ("device", c_uint64), ("array", c_void_p), ("reserved", c_void_p), ("pitch", c_size_t), ("height", c_size_t)]


class Copy(ctypes.Structure):
    _fields_ = [("source", Side), ("destination", Side), ("width", c_size_t), ("height", c_size_t), ("depth", c_size_t)]


class Linear(ctypes.Structure):
    _fields_ = [("pointer", c_uint64), ("format", c_int), ("channels", c_uint), ("bytes", c_size_t)]


class Pitched(ctypes.Structure):
    _fields_ = [("pointer", c_uint64), ("format", c_int), ("channels", c_uint), ("width", c_size_t), ("height", c_size_t), ("pitch", c_size_t)]


class Resource(ctypes.Union):
    _fields_ = [("array", c_void_p), ("linear", Linear), ("pitched", Pitched), ("reserved", c_int * 32)]


class ResourceDescription(ctypes.Structure):
    _fields_ = [("type", c_int), ("resource", Resource), ("flags", c_uint)]


class TextureDescription(ctypes.Structure):
    _fields_ = [("address", c_int * 3), ("filter", c_int), ("flags", c_uint), ("anisotropy", c_uint), ("level_filter", c_int),
                ("bias", c_float), ("lowest", c_float), ("highest", c_float), ("border", c_float * 4), ("reserved", c_int * 12)]


class Image:
    """An array, or linear memory, with an object for it."""

    def __init__(self, driver, image, data):
        self.driver, self.image = driver, image
        code, size = FORMATS[image.ty]
        self.row = image.sizes[0] * size * image.channels
        self.array, self.address, self.handle = c_void_p(), c_uint64(), c_uint64()
        resource = ResourceDescription()
        if image.linear:
            driver.call("cuMemAlloc_v2", byref(self.address), c_size_t(len(data)))
            driver.call("cuMemcpyHtoD_v2", self.address, data, c_size_t(len(data)))
            resource.type = 2 if len(image.sizes) == 1 else 3
            if resource.type == 2:
                resource.resource.linear = Linear(self.address.value, code, image.channels, len(data))
            else:
                resource.resource.pitched = Pitched(self.address.value, code, image.channels, image.sizes[0], image.sizes[1], self.row)
        else:
            spatial = image.sizes[:-1] if image.layered else image.sizes
            height = spatial[1] if len(spatial) > 1 else 0
            depth = image.sizes[-1] if image.layered else spatial[2] if len(spatial) > 2 else 0
            flags = (LAYERED if image.layered else 0) | (SURFACE if image.usage == "surface" else 0)
            description = ArrayDescription(spatial[0], height, depth, code, image.channels, flags)
            driver.call("cuArray3DCreate_v2", byref(self.array), byref(description))
            self.extent = (self.row, max(height, 1), max(depth, 1))
            self.copy(bytearray(data), to_array=True)
            resource.type, resource.resource.array = 0, self.array
        if image.usage == "surface":
            driver.call("cuSurfObjectCreate", byref(self.handle), byref(resource))
        else:
            texture = TextureDescription()
            texture.address[:] = [ADDRESS_MODES[image.address]] * 3
            texture.flags = 0 if image.read == "normalized" else READ_AS_INTEGER
            driver.call("cuTexObjectCreate", byref(self.handle), byref(resource), byref(texture), None)

    def copy(self, data, to_array):
        host = (ctypes.c_uint8 * len(data)).from_buffer(data)
        width, height, depth = self.extent
        memory = Side(type=HOST, host=ctypes.addressof(host), pitch=width, height=height)
        array = Side(type=ARRAY, array=self.array)
        copy = Copy(memory, array, width, height, depth) if to_array else Copy(array, memory, width, height, depth)
        self.driver.call("cuMemcpy3D_v2", byref(copy))

    def contents(self, count):
        data = bytearray(count)
        if not self.image.linear:
            self.copy(data, to_array=False)
        return bytes(data)
