"""Tiles that a loop over elements adds to: `r[i] += …` for every i and j.

The terms of a loop are stored in a fragment of its own, which is reduced after
the loop.
"""

from __future__ import annotations

import math
from typing import Any

from tile.dtypes import to_dtype
from tile.frontend import buffers, context, scalars
from tile.frontend.buffers import FRAGMENT, Buffer, Element
from tile.frontend.errors import fail
from tile.frontend.ir import Op
from tile.frontend.scalars import Value

_OPS = {"sum": ("+", 0), "max": ("max", -math.inf), "min": ("min", math.inf)}


class Reducer(Buffer):
    """A fragment whose elements are sums, maxima or minima."""

    def __init__(self, name: str, shape: list[int], dtype: Any, op: str):
        super().__init__(name, "reducer", FRAGMENT, shape, dtype)
        self.op = op

    def accumulate(self, place: Element, op: str, value: Any) -> None:
        """`place op= value` in a loop over elements."""
        if op != _OPS[self.op][0]:
            fail(f"`{op}` with a reducer of {self.op}")
        function = context.current()
        loop = function.elements
        assert loop is not None and function.kernel is not None
        dims = [self._dimension(i, loop) for i in place.indices]
        kept = [d for d in dims if d is not None]
        if kept != sorted(kept):
            fail("indices of a reducer in another order than those of the loop")
        terms = buffers.allocate(FRAGMENT, list(loop.extents), self.dtype, "terms")
        neutral = scalars.to_value(self._neutral(), self.dtype)
        loop.before.append(Op(f"tile.fill {terms.name}, {neutral.name} : {terms.type}, "
                              f"{self.dtype.mlir}", function.location))
        number = scalars.to_value(value, self.dtype)
        context.emit(f"memref.store {number.name}, "
                     f"{buffers.access(terms, list(loop.indices))} : {terms.type}")
        loop.after.append(lambda: self._reduce(terms, kept))

    def _neutral(self) -> Any:
        value = _OPS[self.op][1]
        if self.dtype.is_float:
            return value
        low, high = self.dtype.bounds()
        return {0: 0, -math.inf: low, math.inf: high}[value]

    def _dimension(self, index: Any, loop: context.ElementLoop) -> int | None:
        for number, parallel in enumerate(loop.indices):
            if isinstance(index, Value) and index.name == parallel.name:
                return number
        if scalars.constant_value(index) is None:
            fail("an index of a reducer must be one of the loop, or a constant")
        return None

    def _reduce(self, terms: Buffer, kept: list[int]) -> None:
        source, shape = terms, list(terms.shape)
        gone = [d for d in range(len(shape)) if d not in kept]
        for number, dim in enumerate(reversed(gone)):
            del shape[dim]
            is_last = number == len(gone) - 1
            fits = is_last and (shape or [1]) == list(self.shape)
            target: Buffer = self if fits else buffers.allocate(FRAGMENT, shape or [1],
                                                                self.dtype, "partial")
            flag = "" if fits else " {clear}"
            context.emit(f"tile.reduce {self.op} {source.name} to {target.name} dim {dim}{flag} : "
                         f"{source.type}, {target.type}")
            source = target
        if source is not self:
            fail("a reducer whose shape is not that of its indices")


def alloc_reducer(shape: Any, dtype: Any, op: str = "sum", replication: Any = None) -> Reducer:
    """A fragment for `r[i] += …` (or T.max, T.min) in T.Parallel over more than i.
    T.clear or T.fill sets it first; T.finalize_reducer ends it."""
    context.block_level("T.alloc_reducer")
    if op not in _OPS:
        fail(f"a reducer of {op!r}", f"known are {', '.join(_OPS)}")
    sizes = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    kind = to_dtype(dtype)
    mlir = buffers.memref_type(sizes, kind, FRAGMENT)
    return Reducer(context.emit_entry(f"tile.alloc : {mlir}", "reducer"), sizes, kind, op)


def finalize_reducer(reducer: Reducer) -> None:
    """From here on the reducer is read; every loop has been reduced already."""
    context.block_level("T.finalize_reducer")
