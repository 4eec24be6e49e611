"""Loops: what stands after `for … in`."""

from __future__ import annotations

from typing import Any

from tile.frontend import loops, scalars
from tile.frontend.errors import fail
from tile.frontend.loops import Loop, bounds_of


def serial(*bounds: Any, **ignored: Any) -> Loop:
    """An ordinary loop, of the whole block or of one element."""
    return Loop(loops.SERIAL, [bounds_of(bounds, "T.serial")])


def unroll(*bounds: Any, **ignored: Any) -> Loop:
    """A loop whose body stands there once for each round; its index is known
    when the kernel is compiled."""
    return Loop(loops.UNROLL, [bounds_of(bounds, "T.unroll")])


def vectorized(*bounds: Any, **ignored: Any) -> Loop:
    """A loop over neighbours."""
    return Loop(loops.UNROLL, [bounds_of(bounds, "T.vectorized")])


def Pipelined(*bounds: Any, num_stages: int = 0, order: Any = None, stage: Any = None,
              sync: Any = None, group: Any = None, **ignored: Any) -> Loop:
    """A loop whose copies run ahead of its products by `num_stages` rounds. Who
    runs when is chosen by the compiler."""
    if not isinstance(num_stages, int) or num_stages < 0:
        fail(f"num_stages must be a number from 0, got {num_stages!r}")
    bounds = (*bounds, *(ignored[name] for name in ("start", "stop") if name in ignored))
    start, stop, step = bounds_of(bounds, "T.Pipelined")
    return Loop(loops.PIPELINED, [(start, stop, step)], num_stages)


def Parallel(*extents: Any, **ignored: Any) -> Loop:
    """All elements of a space, in no order, shared by the threads of the block."""
    if not 1 <= len(extents) <= 5:
        fail(f"T.Parallel needs 1 to 5 sizes, got {len(extents)}")
    return Loop(loops.PARALLEL, [(0, scalars.plain(e), 1) for e in extents])


def grid(*extents: Any) -> Loop:
    """Loops one in the other."""
    if not extents:
        fail("T.grid needs a size")
    return Loop(loops.GRID, [(0, scalars.plain(e), 1) for e in extents])


def Persistent(domain: Any, wave_size: Any, index: Any, group_size: Any = None,
               **ignored: Any) -> Loop:
    """The tiles of a grid that block `index` of `wave_size` blocks computes."""
    sizes = list(domain)
    total: Any = 1
    for size in sizes:
        total = scalars.binary("*", total, size)
    return Loop(loops.PERSISTENT, [(index, total, wave_size)], extra={"sizes": sizes})
