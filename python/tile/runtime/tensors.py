"""Arrays of numpy, torch and everything else that speaks DLPack, as arguments.

Nothing is imported for it: what an object is, its module says.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
import sys
from typing import Any

from tile.dtypes import BY_NAME, DType, to_dtype
from tile.frontend.errors import TileError
from tile.runtime import library

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13


class ArgumentError(TileError):
    """An argument of a call is not as the kernel wants it."""


@dataclasses.dataclass
class Array:
    """Memory of an array; `owner` keeps it alive. Strides are in elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    device: int
    device_id: int
    owner: Any
    is_writable: bool = True

    def is_contiguous(self) -> bool:
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected and math.prod(self.shape) > 0:
                return False
            expected *= extent
        return True

    def to_dl(self) -> tuple[library.DLTensor, Any]:
        """A DLTensor, and what must live as long as it."""
        rank = len(self.shape)
        shape = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        strides = (ctypes.c_int64 * max(rank, 1))(*self.strides)
        bits = 8 if self.dtype.is_bool else self.dtype.bits
        tensor = library.DLTensor(
            self.address, library.DLDevice(self.device, self.device_id), rank,
            library.DLDataType(self.dtype.dlpack_code, bits, 1), shape, strides, 0)
        return tensor, (shape, strides)


def loaded(name: str) -> Any:
    """A module that the program has imported, or None."""
    return sys.modules.get(name)


def is_array(value: Any) -> bool:
    """Whether a value is an array, not a number."""
    if isinstance(value, (bool, int, float, str, bytes, type(None), tuple, list, dict)):
        return False
    return hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__") \
        or (hasattr(value, "shape") and hasattr(value, "dtype"))


def _module(value: Any) -> str:
    return type(value).__module__.split(".", 1)[0]


def describe(value: Any, name: str) -> Array:
    """Memory, shape and type of an array. Errors: ArgumentError names `name`."""
    try:
        if _module(value) == "numpy":
            return _from_numpy(value)
        if _module(value) == "torch" or hasattr(value, "data_ptr"):
            return _from_torch(value)
        return _from_dlpack(value)
    except (TypeError, AttributeError, BufferError) as error:
        raise ArgumentError(f"{name}: expected a tensor, got {type(value).__name__}: "
                            f"{error}") from error


def shape_and_dtype(value: Any, name: str) -> tuple[tuple[int, ...], DType]:
    """What an array looks like, without its memory: torch has arrays that have none.
    Errors: ArgumentError names `name`."""
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        array = describe(value, name)
        return array.shape, array.dtype
    try:
        return tuple(value.shape), _memory_dtype(value.dtype)
    except TypeError as error:
        raise ArgumentError(f"{name}: expected a tensor, got {type(value).__name__}: "
                            f"{error}") from error


def _memory_dtype(dtype: Any) -> DType:
    """The type of an array's elements; torch has one of pairs, float4_e2m1fn_x2: bytes."""
    return BY_NAME["uint8"] if str(dtype).endswith("_x2") else to_dtype(dtype)


def _from_numpy(value: Any) -> Array:
    size = value.dtype.itemsize
    if any(s % size for s in value.strides):
        raise TypeError("its strides are no multiples of the element size")
    strides = tuple(s // size for s in value.strides)
    if any(s < 0 for s in strides):
        raise TypeError("it has a negative stride; np.ascontiguousarray copies it")
    address = value.__array_interface__["data"][0]
    return Array(address, tuple(value.shape), strides, to_dtype(value.dtype), CPU, 0, value,
                 bool(value.flags.writeable))


def _from_torch(value: Any) -> Array:
    kind = value.device.type
    device = {"cpu": CPU, "cuda": CUDA}.get(kind)
    if device is None:
        raise TypeError(f"a tensor on the device {kind}")
    return Array(value.data_ptr(), tuple(value.shape), tuple(value.stride()),
                 _memory_dtype(value.dtype), device, value.device.index or 0, value)


class _ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", library.DLTensor), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


def _from_dlpack(value: Any) -> Array:
    capsule = value.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _ManagedTensor.from_address(get(capsule, b"dltensor")).tensor
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
    else:
        strides = contiguous_strides(shape)
    address = (tensor.data or 0) + tensor.byte_offset
    return Array(address, shape, strides, _dl_dtype(tensor.dtype), tensor.device.type,
                 tensor.device.id, (value, capsule))


def _dl_dtype(dtype: Any) -> DType:
    for candidate in BY_NAME.values():
        bits = 8 if candidate.is_bool else candidate.bits
        if (candidate.dlpack_code, bits) == (dtype.code, dtype.bits) \
                and candidate.name != "tfloat32":
            return candidate
    raise TypeError(f"DLPack type code {dtype.code} with {dtype.bits} bits")


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def _numpy_dtype(dtype: DType) -> Any:
    import numpy

    if dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"):
        try:
            import ml_dtypes
        except ImportError:
            return numpy.dtype("uint16" if dtype.bits == 16 else "uint8")
        return numpy.dtype(getattr(ml_dtypes, dtype.name))
    return numpy.dtype("float32" if dtype.name == "tfloat32" else dtype.name)


def new_like(template: Any, shape: tuple[int, ...], dtype: DType) -> Any:
    """An array of the library that `template` is of, on its device; numpy's where
    there is none, or the library is not known."""
    if template is not None and _module(template) == "torch":
        return sys.modules["torch"].empty(shape, dtype=dtype.as_torch(), device=template.device)
    if template is not None and _module(template) == "cupy":
        return sys.modules["cupy"].empty(shape, dtype=_numpy_dtype(dtype))
    import numpy

    return numpy.empty(shape, dtype=_numpy_dtype(dtype))


def memory_of(shape: tuple[Any, ...], dtype: DType) -> tuple[tuple[Any, ...], DType]:
    """Shape and type of the memory of a tensor: bytes, where two elements are in each."""
    if not dtype.is_packed:
        return shape, dtype
    return (*shape[:-1], shape[-1] // 2), BY_NAME["uint8"]


def fits(actual: DType, wanted: DType) -> bool:
    """Whether memory of one type may be read as another."""
    if actual == wanted or (actual.name, wanted.name) == ("float32", "tfloat32"):
        return True
    if wanted.is_packed:
        return actual.name in ("uint8", "int8")
    return actual.kind == "uint" and actual.bits == wanted.bits and wanted.name in (
        "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")
