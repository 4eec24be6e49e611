"""Atomic updates, of an element or of a whole tile."""

from __future__ import annotations

from typing import Any

from tile.frontend import buffers, context, elements, scalars, uniform
from tile.frontend.buffers import GLOBAL, SHARED, Buffer, Element, Region, to_region
from tile.frontend.errors import fail, unsupported
from tile.frontend.scalars import Value
from tile.language.tiles import meet

_RELAXED = (None, "relaxed", 0)


def _check_order(memory_order: Any) -> None:
    if memory_order not in _RELAXED:
        unsupported(f"an atomic update of memory order {memory_order!r}",
                    "updates are relaxed")


def _atomic(kind: str, dst: Any, value: Any, memory_order: Any, return_prev: bool) -> Any:
    what = f"T.atomic_{kind}"
    context.kernel(what)
    _check_order(memory_order)
    if isinstance(dst, Value):
        fail(f"{what} of a number", "name the place, such as C[i, j]")
    is_tile = isinstance(value, (Buffer, Region))
    if isinstance(dst, Element) and not is_tile:
        number = value.load_scalar() if isinstance(value, Element) else value
        number = scalars.to_value(number, dst.buffer.dtype)
        if context.current().elements is not None or uniform.varies([number, *dst.indices]):
            return elements.atomic(kind, dst.buffer, dst.indices, number)
        return _one_of_block(kind, dst, number, return_prev)
    context.block_level(f"{what} of a tile")
    return _tile(kind, dst, value, return_prev, what)


def _one_of_block(kind: str, dst: Element, number: Any, return_prev: bool) -> Value | None:
    """One update for the block."""
    buffer = dst.buffer
    value = scalars.to_value(number, buffer.dtype)
    window = to_region(dst, "an atomic update")
    name, mlir = window.operand()
    if not return_prev:
        context.emit(f"tile.atomic {kind} {value.name} to {name} : {buffer.dtype.mlir}, {mlir}")
        return None
    old = buffers.allocate(SHARED, [1], buffer.dtype, "old")
    context.emit(f"tile.atomic {kind} {value.name} to {name} old {old.name} : "
                 f"{buffer.dtype.mlir}, {mlir}, {old.type}")
    return buffers.load(old, [0])


def _tile(kind: str, dst: Any, value: Any, return_prev: bool, what: str) -> Any:
    if not isinstance(value, (Buffer, Region)):
        target = to_region(dst, what)
        number = scalars.to_value(value, target.dtype)
        name, mlir = target.operand()
        context.emit(f"tile.atomic {kind} {number.name} to {name} : {target.dtype.mlir}, {mlir}")
        return None
    source, target = meet(value, dst, what)
    if target.space not in (GLOBAL, SHARED):
        fail(f"{what} into {target.kind_text}, which no other thread sees")
    x, y = source.operand(), target.operand()
    if not return_prev:
        context.emit(f"tile.atomic {kind} {x[0]} to {y[0]} : {x[1]}, {y[1]}")
        return None
    old = buffers.allocate(buffers.FRAGMENT, list(target.shape), target.dtype, "old")
    context.emit(f"tile.atomic {kind} {x[0]} to {y[0]} old {old.name} : {x[1]}, {y[1]}, "
                 f"{old.type}")
    return old


def atomic_add(dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False,
               use_tma: bool = False) -> Any:
    """dst += value, an element or a whole tile, whoever else adds to it."""
    return _atomic("add", dst, value, memory_order, return_prev)


def atomic_max(dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False) -> Any:
    """dst = the greater of dst and value."""
    return _atomic("max", dst, value, memory_order, return_prev)


def atomic_min(dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False) -> Any:
    """dst = the smaller of dst and value."""
    return _atomic("min", dst, value, memory_order, return_prev)


def atomic_or(dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False) -> Any:
    """dst |= value."""
    return _atomic("or", dst, value, memory_order, return_prev)


def atomic_and(dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False) -> Any:
    """dst &= value."""
    return _atomic("and", dst, value, memory_order, return_prev)


def _vector(count: int, dst: Any, value: Any, memory_order: Any) -> None:
    """`count` neighbours of the last dimension."""
    if not isinstance(dst, Element) or not isinstance(value, Element):
        fail(f"T.atomic_addx{count} needs the first of {count} elements on both sides")
    for k in range(count):
        to = Element(dst.buffer, [*dst.indices[:-1], scalars.binary("+", dst.indices[-1], k)])
        take = Element(value.buffer,
                       [*value.indices[:-1], scalars.binary("+", value.indices[-1], k)])
        _atomic("add", to, take.load_scalar(), memory_order, False)


def atomic_addx2(dst: Any, value: Any, memory_order: Any = None, **_: Any) -> None:
    """Two neighbours at once."""
    _vector(2, dst, value, memory_order)


def atomic_addx4(dst: Any, value: Any, memory_order: Any = None, **_: Any) -> None:
    """Four neighbours at once."""
    _vector(4, dst, value, memory_order)


def atomic_load(src: Any, memory_order: Any = None) -> Any:
    """An element as others update it."""
    if not isinstance(src, Element):
        fail("T.atomic_load needs an element, such as A[i]")
    return _atomic("or" if src.dtype.is_integer else "add", src, 0, None, True)


def atomic_store(dst: Any, value: Any, memory_order: Any = None) -> None:
    """Sets an element that others update."""
    unsupported("T.atomic_store", "use an ordinary store where nobody updates the element")


_TAKE_PLACES: tuple[Any, ...] = (
    atomic_add, atomic_max, atomic_min, atomic_or, atomic_and, atomic_addx2, atomic_addx4,
    atomic_load, atomic_store)
for _function in _TAKE_PLACES:
    _function.tile_places = True
