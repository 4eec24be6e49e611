"""Tensors that a table of addresses names: each of a group has memory of its own."""

from __future__ import annotations

from typing import Any

from tile.dtypes import BY_NAME, to_dtype
from tile.frontend import context, scalars
from tile.frontend.buffers import GLOBAL, Buffer, memref_type
from tile.frontend.errors import fail, unsupported
from tile.frontend.scalars import Value
from tile.frontend.types import Const, Dynamic

ptr = BY_NAME["int64"]  # an address, of a tensor in global memory


def make_tensor(pointer: Any, shape: Any, dtype: Any = "float32", strides: Any = None) -> Buffer:
    """The tensor at an address, such as an element of a `T.Tensor([n], T.ptr)`; rows are
    without gaps, unless strides say else. Nobody checks that memory is there."""
    context.block_level("T.make_tensor")
    kind = to_dtype(dtype)
    if kind.is_coded:
        unsupported(f"T.make_tensor of {kind}", "name its bytes, as uint8")
    address = scalars.to_value(pointer)
    if address.dtype.is_float or address.dtype.bits != 64:
        fail(f"T.make_tensor of {address.dtype}",
             "give an address of 64 bits, an element of a T.Tensor([n], T.ptr)")
    sizes = _numbers(shape if isinstance(shape, (tuple, list)) else [shape])
    steps = _dense(sizes) if strides is None else _numbers(strides)
    if len(steps) != len(sizes):
        fail(f"T.make_tensor with {len(sizes)} sizes and {len(steps)} strides")
    name = context.current().name("tensor")
    if strides is None and all(isinstance(n, int) for n in sizes):
        mlir = memref_type(sizes, kind, GLOBAL)
        context.emit(f"{name} = tile.tensor_at {address.name} : {mlir}")
        return Buffer(name, "the tensor", GLOBAL, sizes, kind)
    first = context.emit_value(f"tile.tensor_at {address.name} : memref<{kind.mlir}>", "first")
    known = [s if isinstance(s, int) else None for s in steps]
    mlir = memref_type(sizes, kind, GLOBAL, known)
    context.emit(f"{name} = memref.reinterpret_cast {first} to offset: [0], "
                 f"sizes: [{_texts(sizes)}], strides: [{_texts(steps)}] : "
                 f"memref<{kind.mlir}> to {mlir}")
    return Buffer(name, "the tensor", GLOBAL, sizes, kind, known)


def _numbers(sizes: Any) -> list[Any]:
    result = []
    for size in sizes:
        value = size.runtime_value() if isinstance(size, Dynamic) else \
            size.bound_size() if isinstance(size, Const) else scalars.plain(size)
        number = scalars.constant_value(value)
        if number is None and isinstance(value, float):
            fail(f"T.make_tensor of a size of {value}", "a size is an integer")
        result.append(number if number is not None else scalars.to_index(value))
    return result


def _dense(sizes: list[Any]) -> list[Any]:
    steps: list[Any] = []
    step: Any = 1
    for size in reversed(sizes):
        steps.insert(0, step)
        step = scalars.plain(scalars.binary("*", step, size))
    return [s if isinstance(s, int) else scalars.to_index(s) for s in steps]


def _texts(numbers: list[int | Value]) -> str:
    return ", ".join(n.name if isinstance(n, Value) else str(n) for n in numbers)
