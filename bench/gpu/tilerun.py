"""Kernels of tile-compile from Python, by libtile-run (Tile/Run.h) and ctypes.

    device = Device()                       # PyTorch's context
    module = Module(device, "out/gemm")     # out/gemm.json and .cubin or .ptx
    run = module.bind([a, b, c, 0.5])       # tensors of PyTorch, numbers
    run()                                   # on PyTorch's current stream

A failed call raises Error with the messages of the library. Devices and modules
live as long as the process."""

import ctypes
import os

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KIND_TENSOR, KIND_INT, KIND_FLOAT = range(3)  # TileArgKind
DEVICE_CUDA = 2                               # kDLCUDA
DTYPES = {  # DLPack's code and bits
    torch.bool: (6, 8), torch.int8: (0, 8), torch.int16: (0, 16), torch.int32: (0, 32),
    torch.int64: (0, 64), torch.uint8: (1, 8), torch.float16: (2, 16),
    torch.bfloat16: (4, 16), torch.float32: (2, 32), torch.float64: (2, 64),
    torch.float8_e4m3fn: (10, 8), torch.float8_e5m2: (12, 8),
}


class Error(Exception):
    pass


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class LaunchArg(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("tensor", ctypes.c_void_p),
                ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


ON_DIAGNOSTIC = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def open_library(path=None):
    """libtile-run of `path`, $TILE_RUN_LIBRARY or the build tree."""
    path = path or os.environ.get("TILE_RUN_LIBRARY") or os.path.join(
        ROOT, "build", "lib", "libtile-run.so.0")
    library = ctypes.CDLL(path)
    library.tile_device_create_cuda.restype = ctypes.c_void_p
    library.tile_device_create_cuda.argtypes = [ctypes.c_void_p, ON_DIAGNOSTIC,
                                                ctypes.c_void_p]
    library.tile_module_create.restype = ctypes.c_void_p
    library.tile_module_create.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t,
        ctypes.c_char_p, ctypes.c_size_t]
    library.tile_module_launch.restype = ctypes.c_bool
    library.tile_module_launch.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(LaunchArg), ctypes.c_size_t]
    library.tile_diagnostic_format.restype = ctypes.c_size_t
    library.tile_diagnostic_format.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                               ctypes.c_size_t]
    return library


class Device:
    """The GPU of PyTorch's current context."""

    def __init__(self, library=None):
        torch.cuda.current_stream().synchronize()  # makes the context
        self.library = open_library(library)
        self.messages = []
        self.callback = ON_DIAGNOSTIC(self.note)
        self.handle = self.library.tile_device_create_cuda(None, self.callback, None)
        self.check(self.handle)

    def note(self, diagnostic, _):
        text = ctypes.create_string_buffer(4096)
        self.library.tile_diagnostic_format(diagnostic, text, len(text))
        self.messages.append(text.value.decode(errors="replace").strip())

    def check(self, result):
        if not result:
            text, self.messages = "\n".join(self.messages), []
            raise Error(text or "failed without a message")
        return result


class Module:
    """A host function that tile-compile made: BASE.json and BASE.cubin or .ptx."""

    def __init__(self, device, base):
        self.device = device
        with open(base + ".json", "rb") as file:
            metadata = file.read()
        image = base + (".cubin" if os.path.exists(base + ".cubin") else ".ptx")
        with open(image, "rb") as file:
            data = file.read()
        self.handle = device.check(device.library.tile_module_create(
            device.handle, os.path.basename(base).encode(), metadata, len(metadata),
            data, len(data)))

    def bind(self, arguments):
        """A function that launches the module with these arguments, which it
        keeps: tensors of the GPU, ints and floats."""
        keep, args = [arguments], (LaunchArg * len(arguments))()
        for i, argument in enumerate(arguments):
            if isinstance(argument, torch.Tensor):
                tensor = self.describe(argument, keep)
                args[i] = LaunchArg(KIND_TENSOR, ctypes.addressof(tensor), 0, 0.0)
            elif isinstance(argument, float):
                args[i] = LaunchArg(KIND_FLOAT, None, 0, argument)
            else:
                args[i] = LaunchArg(KIND_INT, None, argument, float(argument))

        def launch(_keep=keep):
            stream = torch.cuda.current_stream().cuda_stream
            self.device.check(self.device.library.tile_module_launch(
                self.handle, stream, args, len(args)))
        return launch

    @staticmethod
    def describe(tensor, keep):
        rank = tensor.dim()
        shape = (ctypes.c_int64 * rank)(*tensor.shape)
        strides = (ctypes.c_int64 * rank)(*tensor.stride())
        code, bits = DTYPES[tensor.dtype]
        result = DLTensor(tensor.data_ptr(), DEVICE_CUDA, tensor.device.index or 0, rank,
                          code, bits, 1, shape, strides, 0)
        keep += [shape, strides, result]
        return result
