"""What single threads do, and how they meet. Kernels on tiles need none of it:
the compiler orders what threads do to tiles."""

from __future__ import annotations

from typing import Any

from tile.dtypes import BY_NAME, INDEX
from tile.frontend import context, scalars
from tile.frontend.errors import fail
from tile.frontend.scalars import Value

WARP_SIZE = 32
_I32, _U32 = BY_NAME["int32"], BY_NAME["uint32"]


def _mask(threads: Any) -> Value:
    """A bit for each thread of a warp; -1 is all."""
    return scalars.to_value(threads % 2**32 if isinstance(threads, int) else threads, _U32)


def sync_threads(barrier_id: int | None = None, arrive_count: int | None = None) -> None:
    """All threads of the block meet, or `arrive_count` of them at a barrier."""
    context.block_level("T.sync_threads")
    if (barrier_id is None) != (arrive_count is None):
        fail("T.sync_threads needs a barrier and a number of threads, or neither")
    attributes = "" if barrier_id is None else (
        f" {{id = {int(barrier_id)} : i64, threads = {int(arrive_count or 0)} : i64}}")
    context.emit(f"tile.barrier_sync{attributes}")


def sync_warp(mask: int | None = None) -> None:
    """The threads of a warp meet."""
    context.block_level("T.sync_warp")
    name = _mask(-1 if mask is None else mask).name
    context.emit(f"nvvm.bar.warp.sync {name} : i32")


def _shuffle(mode: str, value: Any, amount: Any) -> Value:
    context.kernel(f"T.shfl_{mode}")
    number = scalars.to_value(value)
    if number.dtype is INDEX:
        number = scalars.cast(number, _I32)
    offset = scalars.to_value(amount, _I32)
    width = scalars.number(WARP_SIZE, _I32)
    function = context.current()
    result, is_valid = function.name("shuffled"), function.name("is_valid")
    context.emit(f"{result}, {is_valid} = gpu.shuffle {mode} {number.name}, {offset.name}, "
                 f"{width.name} : {number.dtype.mlir}")
    return Value(result, number.dtype)


def shfl_xor(value: Any, offset: Any) -> Value:
    """The value of the thread whose lane differs in the bits of `offset`."""
    return _shuffle("xor", value, offset)


def shfl_down(value: Any, offset: Any) -> Value:
    """The value of the thread `offset` lanes further."""
    return _shuffle("down", value, offset)


def shfl_up(value: Any, offset: Any) -> Value:
    """The value of the thread `offset` lanes before."""
    return _shuffle("up", value, offset)


def shfl_sync(*arguments: Any) -> Value:
    """The value of the thread with this lane: `(value, lane)`, or `(mask, value, lane)` of
    a whole warp."""
    if len(arguments) not in (2, 3):
        fail(f"T.shfl_sync needs a value and a lane, got {len(arguments)} arguments")
    return _shuffle("idx", *arguments[-2:])


def _vote(kind: str, mask: Any, condition: Any, result: str) -> Value:
    context.kernel(f"T.{kind}_sync")
    threads = _mask(mask)
    test = scalars.to_value(scalars.truth(condition), scalars.BOOL)
    text = f"nvvm.vote.sync {kind} {threads.name}, {test.name} -> {result}"
    return Value(context.emit_value(text, f"is_{kind}", pure=False),
                 scalars.BOOL if result == "i1" else _U32)


def any_sync(mask: Any, condition: Any) -> Value:
    """Whether a thread of the warp, of those in `mask`, has the condition."""
    return _vote("any", mask, condition, "i1")


def all_sync(mask: Any, condition: Any) -> Value:
    """Whether all threads of the warp that are in `mask` have the condition."""
    return _vote("all", mask, condition, "i1")


def ballot_sync(mask: Any, condition: Any) -> Value:
    """The threads of the warp that have the condition, a bit each."""
    return _vote("ballot", mask, condition, "i32")


def ballot(condition: Any) -> Value:
    """The same of a whole warp."""
    return ballot_sync(-1, condition)


def _thread_number(what: str) -> Any:
    kernel = context.kernel(what)
    number: Any = 0
    for dim, size in reversed(list(enumerate(kernel.threads))):
        if size > 1:
            number = scalars.binary("+", scalars.binary("*", number, size),
                                    kernel.thread_ids[dim])
    return number


def get_lane_idx(warp_size: int = WARP_SIZE) -> Any:
    """The place of the thread in its warp."""
    return scalars.binary("%", _thread_number("T.get_lane_idx"), warp_size)


def get_warp_idx(warp_size: int = WARP_SIZE) -> Any:
    """The number of the thread's warp."""
    return scalars.binary("//", _thread_number("T.get_warp_idx"), warp_size)


def get_warp_group_idx(warp_size: int = WARP_SIZE, warps_per_group: int = 4) -> Any:
    """The number of the thread's warpgroup."""
    return scalars.binary("//", _thread_number("T.get_warp_group_idx"),
                          warp_size * warps_per_group)


def shuffle_elect(thread_extent: int = 0) -> Any:
    """Whether this is the first thread of `thread_extent`, or of the block."""
    number = _thread_number("T.shuffle_elect")
    if thread_extent:
        number = scalars.binary("%", number, thread_extent)
    return scalars.compare("==", number, 0)


def fence_proxy_async() -> None:
    """What threads wrote to shared memory becomes visible to asynchronous copies."""
    context.block_level("T.fence_proxy_async")
    context.emit("tile.fence_proxy")


def _warp_reduce(op: str, value: Any) -> Any:
    result = scalars.to_value(value)
    for offset in (16, 8, 4, 2, 1):
        other = shfl_xor(result, offset)
        result = scalars.binary("+", result, other) if op == "+" else \
            scalars.extremum(op, result, other)
    return result


def warp_reduce_sum(value: Any) -> Any:
    """The sum of a value over the threads of a warp, in every one of them."""
    return _warp_reduce("+", value)


def warp_reduce_max(value: Any) -> Any:
    """The greatest over the threads of a warp."""
    return _warp_reduce("max", value)


def warp_reduce_min(value: Any) -> Any:
    """The smallest over the threads of a warp."""
    return _warp_reduce("min", value)
