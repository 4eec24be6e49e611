"""How the blocks of a launch meet, and how one launch follows another."""

from __future__ import annotations

from typing import Any

from tile.frontend import context
from tile.frontend.buffers import GLOBAL, Element, to_region
from tile.frontend.errors import fail


def sync_grid(counter: Any = None) -> None:
    """All blocks of the launch meet. `counter` is an element of an int32 tensor
    that begins as zero; it serves any number of barriers and launches."""
    what = "T.sync_grid"
    context.block_level(what)
    if (not isinstance(counter, Element) or counter.buffer.space != GLOBAL
            or counter.buffer.dtype.name != "int32"):
        fail(f"{what} needs a counter", "hand it an element of an int32 tensor of zeros, such as "
             "T.sync_grid(meet[0])")
    name, mlir = to_region(counter, "a barrier").operand()
    context.emit(f"tile.grid_sync {name} : {mlir}")


def pdl_sync() -> None:
    """Waits for the launch before this one, which may begin before that has ended."""
    context.block_level("T.pdl_sync")
    context.emit("tile.launch_wait")


def pdl_trigger() -> None:
    """The next launch may begin when all blocks have come here."""
    context.block_level("T.pdl_trigger")
    context.emit("tile.launch_next")


sync_grid.tile_places = True  # type: ignore[attr-defined]
