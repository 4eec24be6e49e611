"""Pictures of kernels, one call each. They are SVG, which notebooks show:

    tile.pictures.layout(kernel, "A_tile")      who holds what, in which banks
    tile.pictures.shared_memory(kernel)         which tile has which bytes when
    tile.pictures.barriers(kernel)              who fills what for whom
    tile.pictures.schedule(kernel, a, b)        who waits for whom, on the emulator
    tile.pictures.roofline(kernel, a, b)        what it computes for each byte

A kernel is what `tile.compile` or `function.compile(…)` gives. `launch` counts the
launches of a kernel that has several.
"""

from __future__ import annotations

from typing import Any

from tile.frontend.errors import CompileError
from tile.pictures.anatomy import Anatomy, anatomy
from tile.pictures.svg import Picture

__all__ = ["Anatomy", "Picture", "anatomy", "barriers", "layout", "roofline", "schedule",
           "shared_memory"]


def _launch(kernel: Any, target: str | None, number: int) -> Anatomy:
    found = anatomy(kernel, target)
    if number >= len(found):
        raise CompileError(f"{kernel.name} has {len(found)} launches, not {number + 1}")
    return found[number]


def layout(kernel: Any, tile: str, target: str | None = None, launch: int = 0, rows: int = 32,
           columns: int = 16) -> Picture:
    """Who holds each element of a tile, or in which bank it lies. `tile` is the name
    of its variable."""
    from tile.pictures import draw_layout as drawing

    chip = target or kernel.chip()
    return drawing.draw(_launch(kernel, chip, launch).tile(tile), chip, rows, columns)


def shared_memory(kernel: Any, target: str | None = None, launch: int = 0) -> Picture:
    """The bytes of shared memory, op by op."""
    from tile.pictures import draw_memory as drawing

    return drawing.draw(_launch(kernel, target, launch))


def barriers(kernel: Any, target: str | None = None, launch: int = 0) -> Picture:
    """Roles and the mbarriers between them."""
    from tile.pictures import draw_barriers as drawing

    return drawing.draw(_launch(kernel, target, launch))


def schedule(kernel: Any, *args: Any, block: int = 0, **kwargs: Any) -> Picture:
    """A Gantt chart of a call, which the emulator makes."""
    from tile.pictures import draw_schedule as drawing
    from tile.profiler import emulated_profile

    trace = emulated_profile(kernel, args, kwargs).trace
    return drawing.draw(trace, _launch(kernel, None, 0), block)


def roofline(kernel: Any, *args: Any, milliseconds: float | None = None, work: Any = None,
             **kwargs: Any) -> Picture:
    """What a call computes for each byte, beside what the GPU can do. The emulator
    counts, which needs arguments in memory of the program, unless `work` says how
    much it is. `milliseconds` is a time that was measured; of tensors on a GPU it is
    measured here."""
    from tile.pictures import draw_roofline as drawing
    from tile.profiler import emulated_profile, is_on_gpu, profile

    if is_on_gpu(args, kwargs):
        if work is None:
            raise CompileError("the work of a call on a GPU is not counted", None,
                               "give work=tile.pictures.roofline.Work(operations, bytes)")
        milliseconds = milliseconds or profile(kernel, args, kwargs).milliseconds
    elif work is None:
        work = drawing.read_statistics(emulated_profile(kernel, args, kwargs).statistics)
    return drawing.draw(work, kernel.chip(), milliseconds, kernel.name)
