"""Clusters: blocks that run side by side and reach each other's shared memory."""

from __future__ import annotations

from typing import Any

from tile.frontend import context, scalars
from tile.frontend.buffers import CLUSTER, SHARED, Buffer
from tile.frontend.errors import fail

MAX_BLOCKS = 16


def cluster_counts(dims: Any) -> list[int] | None:
    """Blocks of a cluster in x, y and z; None where there are none."""
    if dims is None:
        return None
    counts = list(dims) if isinstance(dims, (tuple, list)) else [dims]
    numbers = [scalars.constant_value(scalars.plain(n)) for n in counts]
    if not 1 <= len(numbers) <= 3 or any(n is None or n < 1 for n in numbers):
        fail(f"cluster_dims of {dims!r}", "give 1 to 3 numbers of blocks, such as (2, 1, 1)")
    result = [int(n) for n in numbers if n is not None] + [1] * (3 - len(numbers))
    total = result[0] * result[1] * result[2]
    if total > MAX_BLOCKS:
        fail(f"a cluster of {total} blocks", "8 always find place, 16 on some GPUs")
    return None if total == 1 else result


def cluster_sync() -> None:
    """All threads of the cluster meet; what they wrote, the others see."""
    context.block_level("T.cluster_sync")
    context.emit("tile.cluster_sync")


def block_rank_in_cluster() -> Any:
    """The number of the block in its cluster: x + nx (y + ny z)."""
    kernel = context.kernel("T.block_rank_in_cluster")
    rank: Any = 0
    for axis, size in reversed(list(zip("xyz", kernel.cluster or (), strict=False))):
        place: Any = 0
        if size > 1:
            name = context.emit_value(f"gpu.cluster_block_id {axis}", f"cluster_{axis}")
            context.current().ranges.set(name, 0, size - 1)
            place = scalars.Value(name, scalars.INDEX)
        rank = scalars.binary("+", scalars.binary("*", rank, size), place)
    return rank


def remote(tile: Buffer, rank: Any) -> Buffer:
    """The shared tile of the block of this rank: to copy, fill, read and update. Between a
    write by one block and a read by another there is a T.cluster_sync, and between a read
    and the next write."""
    kernel = context.block_level("T.remote")
    if not isinstance(tile, Buffer) or tile.space != SHARED:
        fail("T.remote needs a shared tile", "allocate it with T.alloc_shared")
    number, count = check_rank(rank, kernel, "T.remote"), tile.shape
    name = context.emit_value(f"tile.remote {tile.name} at {number} : {tile.type}",
                              f"{tile.label}_remote")
    return Buffer(name, tile.label, CLUSTER, list(count), tile.dtype)


def check_rank(rank: Any, kernel: context.Kernel, what: str) -> str:
    """The SSA name of a rank. Errors: no such block."""
    sizes = kernel.cluster or [1, 1, 1]
    total = sizes[0] * sizes[1] * sizes[2]
    number = scalars.constant_value(scalars.plain(rank))
    if number is not None and not 0 <= number < total:
        fail(f"{what} of block {number} of a cluster of {total}",
             "T.Kernel(…, cluster_dims=(2, 1, 1)) makes clusters")
    return scalars.to_index(rank).name
