"""What the loop statements of the language say; statements.py carries it out."""

from __future__ import annotations

import dataclasses
from typing import Any

from tile.frontend import context, scalars
from tile.frontend.errors import fail

SERIAL, PIPELINED, UNROLL, PARALLEL, GRID, PERSISTENT = (
    "serial", "pipelined", "unroll", "parallel", "grid", "persistent")
MAX_UNROLLED = 1024


@dataclasses.dataclass
class Loop:
    """The value of `T.serial(...)` and its like. Bounds are (start, stop, step)."""

    loop_kind: str
    bounds: list[tuple[Any, Any, Any]]
    num_stages: int = 0
    extra: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def kind_text(self) -> str:
        has_capital = self.loop_kind in (PARALLEL, PIPELINED, PERSISTENT)
        return f"a T.{self.loop_kind.capitalize() if has_capital else self.loop_kind} loop"

    def __iter__(self) -> Any:
        if context.maybe_current() is None:
            fail(f"{self.kind_text} outside of a kernel", "put it under `with T.Kernel(...)`")
        fail(f"{self.kind_text} outside of a kernel's `for`", "write it after `for … in`")


def bounds_of(args: tuple[Any, ...], what: str) -> tuple[Any, Any, Any]:
    """(start, stop, step) of the arguments of range."""
    values = [scalars.plain(a) for a in args]
    for value in values:
        if isinstance(value, float) or (scalars.is_runtime(value) and value.dtype.is_float):
            fail(f"{what} needs integers, got a float", "convert it with T.int32(x)")
    if len(values) == 1:
        return 0, values[0], 1
    if len(values) == 2:
        return values[0], values[1], 1
    if len(values) == 3:
        if values[2] == 0 and isinstance(values[2], int):
            fail(f"{what} with step 0")
        return values[0], values[1], values[2]
    fail(f"{what} needs a stop, or start, stop and step, got {len(values)} arguments")


def known_range(bounds: tuple[Any, Any, Any]) -> range | None:
    """The numbers of a loop whose bounds are known."""
    numbers = [scalars.constant_value(b) for b in bounds]
    if any(n is None for n in numbers):
        return None
    return range(*numbers)  # type: ignore[arg-type]
