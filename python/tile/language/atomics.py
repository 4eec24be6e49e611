"""Atomic updates, of an element or of a whole tile."""

from __future__ import annotations

from typing import Any

from tile.frontend import buffers, context, elements, scalars, uniform
from tile.frontend.buffers import GLOBAL, SHARED, Buffer, Element, Region, to_region
from tile.frontend.errors import fail, unsupported
from tile.frontend.scalars import Value
from tile.language.tiles import meet

# Names of orders, and their numbers in C++.
_ORDERS = {None: None, "relaxed": None, 0: None, "acquire": "acquire", 2: "acquire",
           "consume": "acquire", 1: "acquire", "release": "release", 3: "release",
           "acq_rel": "acq_rel", 4: "acq_rel", "seq_cst": "seq_cst", 5: "seq_cst"}


def _order(memory_order: Any, what: str, allowed: tuple[str, ...]) -> str | None:
    """What the dialect calls the order; None: relaxed."""
    if memory_order not in _ORDERS:
        fail(f"{what} of memory order {memory_order!r}",
             "orders are relaxed, acquire, release, acq_rel and seq_cst")
    order = _ORDERS[memory_order]
    if order and order not in allowed:
        fail(f"{what} of memory order {order!r}", f"it may be {', '.join(allowed)}")
    return order


_UPDATE = ("acquire", "release", "acq_rel", "seq_cst")


def _attribute(order: str | None) -> str:
    return f" {{order = #tile.order<{order}>}}" if order else ""


def _atomic(kind: str, dst: Any, value: Any, memory_order: Any, return_prev: bool) -> Any:
    what = f"T.atomic_{kind}"
    context.kernel(what)
    order = _order(memory_order, what, _UPDATE)
    if isinstance(dst, Value):
        fail(f"{what} of a number", "name the place, such as C[i, j]")
    is_tile = isinstance(value, (Buffer, Region))
    if isinstance(dst, Element) and not is_tile:
        number = value.load_scalar() if isinstance(value, Element) else value
        number = scalars.to_value(number, dst.buffer.dtype)
        if uniform.is_of_thread([number, *dst.indices]):
            _block_orders(order, what)
            return elements.atomic(kind, dst.buffer, dst.indices, number)
        return _one_of_block(kind, dst, number, return_prev, order)
    context.block_level(f"{what} of a tile")
    return _tile(kind, dst, value, return_prev, what, order)


def _block_orders(order: str | None, what: str) -> None:
    """Threads of their own have relaxed accesses only."""
    if order:
        unsupported(f"{what} of memory order {order!r} by single threads",
                    "an update of the whole block has orders")


def _one_of_block(kind: str, dst: Element, number: Any, return_prev: bool,
                  order: str | None) -> Value | None:
    """One update for the block."""
    buffer = dst.buffer
    value = scalars.to_value(number, buffer.dtype)
    window = to_region(dst, "an atomic update")
    name, mlir = window.operand()
    if not return_prev:
        context.emit(f"tile.atomic {kind} {value.name} to {name}{_attribute(order)} : "
                     f"{buffer.dtype.mlir}, {mlir}")
        return None
    old = buffers.allocate(SHARED, [1], buffer.dtype, "old")
    context.emit(f"tile.atomic {kind} {value.name} to {name} old {old.name}{_attribute(order)} : "
                 f"{buffer.dtype.mlir}, {mlir}, {old.type}")
    return buffers.load(old, [0])


def _tile(kind: str, dst: Any, value: Any, return_prev: bool, what: str,
          order: str | None) -> Any:
    if not isinstance(value, (Buffer, Region)):
        target = to_region(dst, what)
        number = scalars.to_value(value, target.dtype)
        name, mlir = target.operand()
        context.emit(f"tile.atomic {kind} {number.name} to {name}{_attribute(order)} : "
                     f"{target.dtype.mlir}, {mlir}")
        return None
    source, target = meet(value, dst, what)
    if target.space not in (GLOBAL, SHARED):
        fail(f"{what} into {target.kind_text}, which no other thread sees")
    x, y = source.operand(), target.operand()
    if not return_prev:
        context.emit(f"tile.atomic {kind} {x[0]} to {y[0]}{_attribute(order)} : {x[1]}, {y[1]}")
        return None
    old = buffers.allocate(buffers.FRAGMENT, list(target.shape), target.dtype, "old")
    context.emit(f"tile.atomic {kind} {x[0]} to {y[0]} old {old.name}{_attribute(order)} : "
                 f"{x[1]}, {y[1]}, {old.type}")
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
    """An element as others update it. Unless told otherwise, of order seq_cst
    for the block, and relaxed for single threads."""
    what = "T.atomic_load"
    context.kernel(what)
    if not isinstance(src, Element):
        fail(f"{what} needs an element, such as A[i]")
    is_of_thread = uniform.is_of_thread(src.indices)
    if memory_order is None and not is_of_thread:
        memory_order = "seq_cst"
    order = _order(memory_order, what, ("acquire", "seq_cst"))
    if is_of_thread:
        _block_orders(order, what)
        kind = "or" if src.buffer.dtype.is_integer else "add"
        return elements.atomic(kind, src.buffer, src.indices, 0)
    name, mlir = to_region(src, "an atomic load").operand()
    seen = buffers.allocate(SHARED, [1], src.buffer.dtype, "seen")
    context.emit(f"tile.atomic_load {name} to {seen.name}{_attribute(order)} : {mlir}, {seen.type}")
    return buffers.load(seen, [0])


def atomic_store(dst: Any, value: Any, memory_order: Any = "seq_cst") -> None:
    """Sets an element that others update."""
    what = "T.atomic_store"
    context.kernel(what)
    order = _order(memory_order, what, ("release", "seq_cst"))
    if not isinstance(dst, Element):
        fail(f"{what} needs an element, such as A[i]")
    number = value.load_scalar() if isinstance(value, Element) else value
    number = scalars.to_value(number, dst.buffer.dtype)
    if uniform.is_of_thread([number, *dst.indices]):
        unsupported(f"{what} by single threads", "one of the whole block, or an ordinary store")
    _one_of_block("exchange", dst, number, False, order)


_TAKE_PLACES: tuple[Any, ...] = (
    atomic_add, atomic_max, atomic_min, atomic_or, atomic_and, atomic_addx2, atomic_addx4,
    atomic_load, atomic_store)
for _function in _TAKE_PLACES:
    _function.tile_places = True
