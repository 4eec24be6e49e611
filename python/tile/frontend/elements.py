"""Stores and atomic updates of elements and windows."""

from __future__ import annotations

import itertools
import math
from typing import Any

from tile.frontend import buffers, context, scalars, staging
from tile.frontend.buffers import FRAGMENT, GLOBAL, Buffer, Element, Region
from tile.frontend.errors import fail
from tile.frontend.ir import Block, Op
from tile.frontend.scalars import Value

MAX_COPIED = 64


def assign(target: Element | Region, value: Any) -> None:
    """`buffer[...] = value`: a store, or of a window a copy or a fill."""
    if isinstance(target, Element):
        store(target.buffer, target.indices, value)
        return
    from tile.language import tiles

    if isinstance(value, (Buffer, Region)):
        tiles.copy(value, target)
    else:
        tiles.fill(target, value)


def store(buffer: Buffer, indices: list[Any], value: Any) -> None:
    """Writes an element; outside of a tensor nothing happens."""
    context.kernel(f"writing {buffer.label}")
    if isinstance(value, (Buffer, Region)):
        fail(f"an element of {buffer.label} cannot hold {value.kind_text}",
             "use T.copy, or name an element on the right")
    if buffer.is_packed:
        fail(f"an element of {buffer.label} is stored, and two of {buffer.dtype} are in a byte",
             "store it to a tile, and T.copy the tile")
    value = scalars.to_value(value, buffer.dtype)
    buffer.is_written = True
    if buffer.space == FRAGMENT and context.current().elements is None:
        _store_to_fragment(buffer, indices, value)
        return
    buffer = staging.stand_in(buffer, indices, True)
    guarded(buffer, indices, lambda: context.emit(
        f"memref.store {value.name}, {buffers.access(buffer, indices)} : {buffer.type}"))


def guarded(buffer: Buffer, indices: list[Any], action: Any) -> None:
    """Does `action` where the indices are inside of a tensor."""
    guard = buffers.inside(buffer, indices) if buffer.space == GLOBAL else None
    if guard is None:
        action()
        return
    with context.into(Block()) as block:
        action()
    function = context.current()
    function.append(Op(f"scf.if {guard.name} {{", function.location, [("", block)]))


def _store_to_fragment(buffer: Buffer, indices: list[Any], value: Value) -> None:
    """A loop over one element: whoever holds it stores. A place of run time is one of
    a shared tile, which the fragment passes."""
    function = context.current()
    target = buffer
    if any(scalars.constant_value(i) is None for i in indices):
        target = buffers.allocate(buffers.SHARED, buffer.static_shape("an element"), buffer.dtype,
                                  f"{buffer.label}_staged")
        context.emit(f"tile.copy {buffer.name} to {target.name} : {buffer.type}, {target.type}")
    with context.into(Block()) as block:
        context.emit(f"memref.store {value.name}, {buffers.access(target, indices)} : "
                     f"{target.type}")
    one = function.name("one")
    function.append(Op(f"tile.parallel ({one}) in [1] {{", function.location, [("", block)]))
    if target is not buffer:
        context.emit(f"tile.copy {target.name} to {buffer.name} : {target.type}, {buffer.type}")


def copy_all(source: Buffer, target: Buffer) -> None:
    """Copies one local array to another, element by element."""
    shape = source.static_shape("T.alloc_local")
    if math.prod(shape) > MAX_COPIED:
        fail(f"T.Parallel changes {source.label}, which has a value before and more than "
             f"{MAX_COPIED} elements", "set it in the loop, or use a fragment")
    for indices in itertools.product(*map(range, shape)):
        store(target, list(indices), buffers.load(source, list(indices)))


_KINDS = {"add": ("addf", "addi", "addi"), "max": ("maximumf", "maxs", "maxu"),
          "min": ("minimumf", "mins", "minu"), "and": (None, "andi", "andi"),
          "or": (None, "ori", "ori"), "xor": (None, "xori", "xori")}


def atomic(kind: str, buffer: Buffer, indices: list[Any], value: Any) -> Value | None:
    """An atomic update of one element by an element loop; the value before, but
    for a tensor of which it is not known that the place is inside."""
    if buffer.dtype.is_coded:
        fail(f"an atomic update of {buffer.dtype}", "update float32, and convert the result")
    value = scalars.to_value(value, buffer.dtype)
    column = 0 if buffer.dtype.is_float else 2 if buffer.dtype.kind == "uint" else 1
    op = _KINDS[kind][column]
    if op is None:
        fail(f"a bitwise update of {buffer.dtype}", "bits are those of integers")
    if buffer.space not in (GLOBAL, buffers.SHARED, buffers.CLUSTER):
        fail(f"an atomic update of {buffer.kind_text}, which no other thread sees")
    mlir = buffer.dtype.mlir
    result: list[Value] = []

    def update() -> None:
        text = (f"memref.atomic_rmw {op} {value.name}, {buffers.access(buffer, indices)} : "
                f"({mlir}, {buffer.type}) -> {mlir}")
        result.append(Value(context.emit_value(text, "old", pure=False), buffer.dtype))

    guard = buffers.inside(buffer, indices) if buffer.space == GLOBAL else None
    if guard is None:
        update()
        return result[0]
    zero = scalars.number(0, buffer.dtype)
    function = context.current()
    with context.into(Block()) as then:
        update()
        context.emit(f"scf.yield {result[0].name} : {mlir}")
    with context.into(Block()) as otherwise:
        context.emit(f"scf.yield {zero.name} : {mlir}")
    name = function.name("old")
    function.append(Op(f"{name} = scf.if {guard.name} -> ({mlir}) {{", function.location,
                       [("", then), (" else {", otherwise)]))
    return Value(name, buffer.dtype)
