"""NVIDIA's run-time compilers, which turn CUDA C++ into PTX inside this process and need no GPU.

`tests/install` puts three of them into tests/.tools; they share no library and live side by side.
"""
import ctypes, glob, pathlib

SITE = next(iter(sorted(pathlib.Path(__file__).resolve().parents[1].glob(".tools/venv/lib/python3*/site-packages"))), None)


class Refused(Exception):
    """The compiler took exception to the source; the message is its log."""


class Compiler:
    """One version of the compiler and the headers that came with it."""

    def __init__(self, version, library, includes):
        if SITE is None:
            raise FileNotFoundError("no compilers: run tests/install")
        self.version = version
        self.includes = [f"-I{SITE / folder}" for folder in includes if (SITE / folder).is_dir()]
        path = SITE / library
        for builtins in glob.glob(str(path.parent / f"libnvrtc-builtins.so.{version}")):
            ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)
        self.lib = ctypes.CDLL(str(path))
        self.lib.nvrtcGetErrorString.restype = ctypes.c_char_p

    def ptx(self, source, options, name="own.cu", headers=True):
        """The PTX text of one source."""
        lib, program = self.lib, ctypes.c_void_p()
        self.check(lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None))
        try:
            given = [o.encode() for o in [*options, *(self.includes if headers else [])]]
            answer = lib.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
            if answer:
                raise Refused(self.text(program, lib.nvrtcGetProgramLogSize, lib.nvrtcGetProgramLog))
            return self.text(program, lib.nvrtcGetPTXSize, lib.nvrtcGetPTX)
        finally:
            lib.nvrtcDestroyProgram(ctypes.byref(program))

    def text(self, program, size_of, read):
        size = ctypes.c_size_t()
        self.check(size_of(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(read(program, buffer))
        return buffer.value.decode()

    def check(self, answer):
        if answer:
            raise RuntimeError(self.lib.nvrtcGetErrorString(answer).decode())


def compiler(version):
    """The compiler of CUDA 11.8, 12.9 or 13.5."""
    cu12 = ["nvidia/cuda_runtime/include", "nvidia/cuda_nvcc/include", "nvidia/cuda_cccl/include"]
    return {
        "11.8": lambda: Compiler("11.8", "nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2", []),
        "12.9": lambda: Compiler("12.9", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", cu12),
        "13.5": lambda: Compiler("13.5", "nvidia/cu13/lib/libnvrtc.so.13",
                                 ["nvidia/cu13/include", "nvidia/cu13/include/cccl"]),
    }[version]()
