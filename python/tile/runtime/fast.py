"""Calls of a kernel that Python has checked once, by the extension in C.

A launcher takes tensors like those of the last call. What is not as it was it
leaves to Python, so that nothing depends on it being there.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from tile.dtypes import DType
from tile.frontend.types import Dynamic, TensorType
from tile.runtime import device, library, tensors

if TYPE_CHECKING:
    from tile.runtime.kernel import JITKernel

NAME = "_launch.abi3.so"


@functools.cache
def extension() -> Any:
    """The module in C; None where it was not built, or TILE_NO_EXTENSION is set."""
    if os.environ.get("TILE_NO_EXTENSION"):
        return None
    for folder in library.folders():
        path = folder / NAME
        if path.exists():
            loader = importlib.machinery.ExtensionFileLoader("_launch", str(path))
            spec = importlib.util.spec_from_loader("_launch", loader)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            return module
    return None


class Counts(NamedTuple):
    """What a kernel counts on."""

    alignment: bool  # addresses and pitches are multiples of 16 bytes
    rows: bool       # and last extents


def make_launcher(kernel: JITKernel, on: device.Device, module: Any, values: list[Any],
                  counts_on: Counts, stream_of: Any, empty: Any) -> Any:
    """A launcher for calls like the one with `values`; None where there is no
    extension, or the kernel has arguments that it does not know."""
    found = extension()
    arrays = [v for v, p in zip(values, kernel.parameters, strict=True)
              if isinstance(p.type, TensorType)]
    types = _types(arrays)
    if found is None or not types:
        return None
    symbols: dict[str, int] = {}
    parameters = []
    for parameter, value in zip(kernel.parameters, values, strict=True):
        entry = _parameter(parameter, value, symbols)
        if entry is None:
            return None
        parameters.append(entry)
    address = ctypes.cast(on.api.tile_module_launch, ctypes.c_void_p).value
    try:
        return found.Launcher(address, module, types, arrays[0].get_device(), stream_of, empty,
                              *counts_on, tuple(parameters), tuple(kernel.results),
                              tuple(values))
    except ValueError:
        return None


def _types(arrays: list[Any]) -> tuple[type, ...]:
    """The types that tensors may have: one, and with torch's own its parameters of
    modules. Nothing where there are others."""
    found = {type(a) for a in arrays}
    torch = tensors.loaded("torch")
    own = (torch.Tensor, torch.nn.Parameter) if torch is not None else ()
    if found and found <= set(own):
        return own
    return tuple(found) if len(found) == 1 else ()


def _parameter(parameter: Any, value: Any, symbols: dict[str, int]) -> Any:
    kind = parameter.type
    if isinstance(kind, DType):
        return ("f" if kind.is_float else "i", False, None, 0, 0, (), None)
    if kind.strides is not None or kind.dtype.is_coded or not hasattr(value, "get_device"):
        return None
    dims = []
    for size in kind.shape:
        if not isinstance(size, Dynamic):
            dims.append(int(size))
        elif size.operation is None:
            dims.append(-1 - symbols.setdefault(size.name, len(symbols)))
        else:
            return None
    options = {"dtype": value.dtype, "device": value.device} if parameter.is_output else None
    dtype = kind.dtype
    bits = 8 if dtype.is_bool else dtype.bits
    return ("t", parameter.is_output, value.dtype, dtype.dlpack_code, bits, tuple(dims), options)


def torch_stream() -> Any:
    """A function that gives the current stream of a GPU, as a number; None
    without torch."""
    torch = tensors.loaded("torch")
    if torch is None:
        return None
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw or (lambda number: torch.cuda.current_stream(number).cuda_stream)


def torch_empty() -> Any:
    """torch.empty, where there is torch."""
    torch = tensors.loaded("torch")
    return torch.empty if torch is not None else None
