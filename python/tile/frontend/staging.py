"""Fragments that a loop over elements indexes by other than its own indices.

The dialect keeps fragments in registers, whose numbers are constants: an element
of T.Parallel has the elements of a fragment that bear its own indices. Where a
body names others, the fragment passes a shared tile: it is copied there before the
loop, the body works on the copy, and what the body writes comes back after it. Places
that are all the same number of steps away need none: the loop goes through those of
the fragment, and its own indices are so many less.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from tile.frontend import affine, buffers, context, guards, scalars
from tile.frontend.buffers import FRAGMENT, SHARED, Buffer
from tile.frontend.ir import Block, Op
from tile.frontend.scalars import Value


@dataclasses.dataclass
class Use:
    """How a body accesses a fragment."""

    buffer: Buffer
    places: set[tuple[Any, ...]] = dataclasses.field(default_factory=set)
    offsets: set[tuple[Any, ...]] = dataclasses.field(default_factory=set)  # see _offset
    is_plain: bool = True  # indices of the loop and constants
    is_read: bool = False
    is_stored: bool = False
    is_covered: bool = False  # every element is written by each round of the loop


def stand_in(buffer: Buffer, indices: list[Any], is_store: bool) -> Buffer:
    """The tile that an access of `buffer` is to; notes the access."""
    loop = context.current().elements
    if loop is None or buffer.space != FRAGMENT:
        return buffer
    use = loop.uses.setdefault(id(buffer), Use(buffer))
    names = [_plain_index(i, n, loop) for i, n in zip(indices, buffer.shape, strict=True)]
    use.offsets.add(tuple(_offset(i, n, loop)
                          for i, n in zip(indices, buffer.shape, strict=True)))
    for dim, name in enumerate(names):
        if isinstance(name, str):
            indices[dim] = next(own for own in loop.indices if own.name == name)
    named = [n for n in names if isinstance(n, str)]
    use.is_plain &= None not in names and len(named) == len(set(named))
    use.places.add(tuple(names))
    use.is_stored |= is_store
    use.is_read |= not is_store
    if is_store and len(context.current().blocks) == loop.depth and _covers(buffer, indices, loop):
        use.is_covered = True
    return loop.stand_ins.get(id(buffer), buffer)


def _plain_index(index: Any, extent: Any, loop: context.ElementLoop) -> str | int | None:
    """The name of the loop's index, or a constant; None for all others."""
    number = scalars.constant_value(index)
    if number is not None:
        return number
    for own, own_extent in zip(loop.indices, loop.extents, strict=True):
        if isinstance(index, Value) and own_extent == extent and (
                index.name == own.name or index.poly == own.poly):
            return own.name
    return None


def _offset(index: Any, extent: Any, loop: context.ElementLoop) -> context.Shift | None:
    """Which index of the loop this is, by how many steps ahead, of how many places;
    None for all others. Steps may be of run time, where they are known before the loop."""
    poly = scalars.poly_of(index)
    for number, own in enumerate(loop.indices):
        ahead = affine.add(poly, own.poly, -1) if poly is not None else None
        if ahead is not None and isinstance(extent, int) and all(
                name in loop.known for term in ahead for name in term):
            return context.Shift(number, tuple(sorted(ahead.items())), extent)
    return None


def _covers(buffer: Buffer, indices: list[Any], loop: context.ElementLoop) -> bool:
    """Whether these places of all rounds are all of the fragment: each index runs
    through its dimension, up or down, with an index of the loop of its own."""
    seen = set()
    for index, extent in zip(indices, buffer.shape, strict=True):
        poly = scalars.poly_of(index) or {}
        terms = [term for term in poly if term]
        if len(terms) != 1 or len(terms[0]) != 1 or abs(poly[terms[0]]) != 1 \
                or scalars.range_of(index) != (0, extent - 1):
            return False
        seen.add(terms[0][0])
    return seen == {own.name for own, n in zip(loop.indices, loop.extents, strict=True) if n > 1} \
        and len(seen) == buffer.ndim


def misfits(loop: context.ElementLoop) -> list[Use]:
    """Fragments that registers cannot serve: by other indices, or written at one place
    and accessed at another."""
    return [use for use in loop.uses.values()
            if not hasattr(use.buffer, "accumulate")
            and (not use.is_plain or (use.is_stored and len(use.places) > 1))]


def shifts_of(loop: context.ElementLoop, block: Block) -> dict[int, context.Shift]:
    """How far to shift indices of a loop with this body, by their number, so that
    fragments are read at indices of the loop; nothing where that does not serve all."""
    result: dict[int, context.Shift] = {}
    for use in loop.uses.values():
        for shift in (s for offsets in use.offsets for s in offsets):
            if shift is None or (shift.ahead and use.is_stored) \
                    or result.setdefault(shift.number, shift) != shift:
                return {}
    if any(_drops(block, loop, shift) for shift in result.values()):
        return {}
    return {n: s for n, s in result.items() if s.ahead or s.extent != loop.extents[n]}


def _drops(block: Block, loop: context.ElementLoop, shift: context.Shift) -> bool:
    """Whether a body does something where the fragment has no place."""
    place = affine.add(loop.indices[shift.number].poly, dict(shift.ahead))

    def is_inside() -> bool:
        ranges, zero = context.current().ranges, affine.constant(0)
        last = affine.constant(shift.extent - 1)
        return place is not None and ranges.at_most_zero(affine.add(zero, place, -1)) \
            and ranges.at_most_zero(affine.add(place, last, -1))

    if is_inside():
        return False
    for op in block.ops:
        if not guards.has_effects(op):
            continue
        guard = guards.guard_of(op)
        if guard is None:
            return True
        with context.into(Block()):
            scalars.assume(Value(guard, scalars.BOOL))
            if not is_inside():
                return True
    return False


def stage(loop: context.ElementLoop, found: list[Use]) -> None:
    """Gives `loop`, whose body is not built yet, a shared tile for each fragment."""
    place = context.current().location
    for use in found:
        fragment = use.buffer
        tile = buffers.allocate(SHARED, fragment.static_shape("T.Parallel"), fragment.dtype,
                                f"{fragment.label}_staged")
        loop.stand_ins[id(fragment)] = tile
        if use.is_read or not use.is_covered:
            loop.before.append(_copy(fragment, tile, place))
            if use.is_stored:
                _clear_at_first(fragment)
        if use.is_stored:
            loop.after.append(lambda tile=tile, fragment=fragment: context.current().append(
                _copy(tile, fragment, place)))


def _clear_at_first(fragment: Buffer) -> None:
    """What the loop leaves alone has a value, even where nothing was written yet."""
    function = context.current()
    assert function.kernel is not None
    if not function.kernel.roles:
        zero = scalars.number(0, fragment.dtype)
        function.kernel.entry.append(Op(f"tile.fill {fragment.name}, {zero.name} : "
                                        f"{fragment.type}, {fragment.dtype.mlir}",
                                        function.location))


def _copy(source: Buffer, target: Buffer, place: Any) -> Op:
    return Op(f"tile.copy {source.name} to {target.name} : {source.type}, {target.type}", place)


def rebuilt(make: Any, build: Any) -> tuple[context.ElementLoop, Block]:
    """The body of a loop over elements, once more where indices have to be shifted or
    fragments to be staged. `make` gives the loop, `build` fills the current block."""
    function = context.current()
    start = function.snapshot()
    found: list[Use] = []
    shifts: dict[int, context.Shift] = {}
    while True:
        function.elements = loop = make(shifts)
        stage(loop, found)
        with context.into(Block()) as block:
            loop.depth = len(function.blocks)
            build()
        more = [use for use in misfits(loop) if id(use.buffer) not in loop.stand_ins]
        if not more:
            return loop, block
        shifted = {} if shifts or found else shifts_of(loop, block)
        if shifted:
            shifts = shifted
        else:
            found += more
        function.restore(start)
