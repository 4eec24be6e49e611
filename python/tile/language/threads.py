"""What single threads do, and how they meet. Kernels on tiles need none of it:
the compiler orders what threads do to tiles."""

from __future__ import annotations

from typing import Any

from tile.dtypes import BY_NAME, INDEX
from tile.frontend import context, scalars
from tile.frontend.errors import fail
from tile.frontend.scalars import Value

WARP_SIZE = 32
_I32 = BY_NAME["int32"]


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
    name = scalars.number(-1 if mask is None else mask, _I32).name
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


def shfl_sync(value: Any, lane: Any) -> Value:
    """The value of the thread with this lane."""
    return _shuffle("idx", value, lane)


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
