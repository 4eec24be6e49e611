"""Tensors that kernels reach by an address in a table, not as an argument.

A GPU has one memory. The emulator knows what a launch may touch, so it is told.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Sequence
from typing import Any

from tile.runtime import library, tensors

_reached: dict[int, tuple[int, Any]] = {}  # bytes and weak owner, by address


def pointers(arrays: Sequence[Any]) -> Any:
    """The addresses of arrays, for a `T.Tensor([n], T.ptr)`: an int64 array of the same
    library and device. Kernels reach the arrays as long as they live."""
    if not arrays:
        raise tensors.ArgumentError("tile.pointers of no arrays")
    found = [tensors.describe(a, f"array {n}") for n, a in enumerate(arrays)]
    for array, owner in zip(found, arrays, strict=True):
        if array.device == tensors.CPU:
            remember(owner)
    table = tensors.new_like(arrays[0], (len(found),), tensors.BY_NAME["int64"])
    for number, array in enumerate(found):
        table[number] = array.address
    return table


def remember(array: Any) -> None:
    """Lets kernels on the emulator reach an array, as long as it lives."""
    found = tensors.describe(array, "an array")
    size = found.dtype.size_bytes * (1 + sum(
        (n - 1) * s for n, s in zip(found.shape, found.strides, strict=True)))
    if math.prod(found.shape) > 0:
        _reached[found.address] = size, weakref.ref(array)


def _living() -> dict[int, int]:
    for address, (_, owner) in list(_reached.items()):
        if owner() is None:
            del _reached[address]
    return {address: size for address, (size, _) in _reached.items()}


def map_into(api: Any, emulator: Any, arguments: Any) -> list[int]:
    """Makes them known to an emulator, but for those that are arguments of the launch;
    returns their addresses."""
    mapped = []
    given = []
    for entry in arguments:
        if entry.kind == library.ARG_TENSOR and entry.tensor:
            tensor = library.DLTensor.from_address(entry.tensor)
            given.append((tensor.data or 0) + tensor.byte_offset)
    for address, size in _living().items():
        if any(address <= first < address + size for first in given):
            continue
        if api.tile_emu_map_host(emulator, address, size, b"a tensor of a table").code == 0:
            mapped.append(address)
    return mapped


def unmap(api: Any, emulator: Any, addresses: list[int]) -> None:
    for address in addresses:
        api.tile_emu_free(emulator, ctypes.c_void_p(address))
