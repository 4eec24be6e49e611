"""Pipelines by hand: mbarriers, asynchronous copies, roles of warpgroups.

Kernels need none of it: T.Pipelined makes all of it. It is for files that say
who waits for whom themselves.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

from tile.dtypes import BY_NAME
from tile.frontend import context, role_statements, scalars
from tile.frontend.errors import fail, unsupported
from tile.frontend.ir import Block, Op
from tile.language import clusters
from tile.language.tiles import gemm, meet

WARPS_PER_GROUP = 4
_I32 = BY_NAME["int32"]


class Barriers:
    """A row of mbarriers; `barriers[i]` is one of them."""

    kind_text = "a row of barriers"

    def __init__(self, counts: list[int]):
        self.rows: list[tuple[str, int]] = []  # name, number of slots
        self.is_named = False  # or used, so that names stay
        self.num_slots = len(counts)
        kinds = [counts] if len(set(counts)) == 1 else [[c] for c in counts]
        for row in kinds:
            mlir = f"!tile.barrier<{len(row)}>"
            name = context.emit_entry(f"tile.barrier_alloc : {mlir}", "barrier")
            kernel = context.current().kernel
            assert kernel is not None
            kernel.entry.append(Op(f"tile.barrier_init {name} arrivals {row[0]} : {mlir}",
                                   context.location()))
            self.rows.append((name, len(row)))

    def name_in_kernel(self, name: str) -> None:
        """Called as the first variable that they are assigned to."""
        function = context.current()
        if self.is_named or function.kernel is None:
            return
        self.is_named = True
        for number, (old, count) in enumerate(self.rows):
            new = function.name(name)
            for op in function.kernel.entry.ops:
                for before, after in ((f"{old} = ", f"{new} = "),
                                      (f"tile.barrier_init {old} ", f"tile.barrier_init {new} ")):
                    if op.text.startswith(before):
                        op.text = after + op.text[len(before):]
            self.rows[number] = new, count

    def __getitem__(self, index: Any) -> Slot:
        self.is_named = True
        return Slot(self, index)

    def __len__(self) -> int:
        return self.num_slots


class Slot:
    """One mbarrier of a row."""

    kind_text = "a barrier"

    def __init__(self, barriers: Barriers, index: Any):
        self.barriers, self.index = barriers, index

    def operand(self) -> tuple[str, str]:
        """`%barrier[%slot]` and the type of the row."""
        rows = self.barriers.rows
        number = scalars.constant_value(self.index)
        if number is not None and not 0 <= number < self.barriers.num_slots:
            fail(f"barrier {number} of {self.barriers.num_slots}")
        if len(rows) == 1:
            name, count = rows[0]
            return f"{name}[{scalars.to_index(self.index).name}]", f"!tile.barrier<{count}>"
        if number is None:
            fail("a barrier at a place of run time, in a row whose barriers count differently",
                 "make a row for each count")
        zero = context.index_constant(0)
        return f"{rows[number][0]}[{zero}]", "!tile.barrier<1>"


def _slot(value: Any, what: str) -> tuple[str, str]:
    if isinstance(value, Barriers):
        if value.num_slots != 1:
            fail(f"{what} of a row of {value.num_slots} barriers", "name one, such as barriers[0]")
        value = value[0]
    if not isinstance(value, Slot):
        fail(f"{what} needs a barrier of T.alloc_barrier")
    return value.operand()


def alloc_barrier(arrive_count: Any) -> Barriers:
    """mbarriers, one for each number of arrivals."""
    context.block_level("T.alloc_barrier")
    counts = list(arrive_count) if isinstance(arrive_count, (list, tuple)) else [arrive_count]
    numbers = [scalars.constant_value(scalars.plain(c)) for c in counts]
    if not numbers or any(n is None or n < 1 for n in numbers):
        fail(f"T.alloc_barrier of {arrive_count!r} arrivals")
    return Barriers([int(n) for n in numbers if n is not None])


def _arrive(barrier: Any, by: str, what: str, rank: Any = None) -> None:
    kernel = context.block_level(what)
    slot, mlir = _slot(barrier, what)
    at = "" if rank is None else f" at {clusters.check_rank(rank, kernel, what)}"
    context.emit(f"tile.barrier_arrive {slot}{at} by <{by}> : {mlir}")


def barrier_arrive(barrier: Any, cta_id: Any = None) -> None:
    """Each thread of the block, or of its role, arrives; with `cta_id` at the barrier of
    the block of this rank in the cluster."""
    _arrive(barrier, "threads", "T.barrier_arrive", cta_id)


def mbarrier_arrive(mbarrier: Any, cta_id: Any = None) -> None:
    """The same."""
    _arrive(mbarrier, "threads", "T.mbarrier_arrive", cta_id)


def cp_async_barrier_noinc(barrier: Any) -> None:
    """Each thread arrives when its asynchronous copies so far have landed."""
    _arrive(barrier, "cp_async", "T.cp_async_barrier_noinc")


def barrier_wait(barrier: Any, parity: Any = 0) -> None:
    """Waits until the phase of this parity has completed."""
    context.block_level("T.barrier_wait")
    slot, mlir = _slot(barrier, "T.barrier_wait")
    context.emit(f"tile.barrier_wait {slot} parity {scalars.to_value(parity, _I32).name} : {mlir}")


def mbarrier_wait_parity(mbarrier: Any, parity: Any = 0) -> None:
    """The same."""
    barrier_wait(mbarrier, parity)


def mbarrier_expect_tx(mbarrier: Any, tx: int) -> None:
    """The phase waits for so many bytes more of asynchronous copies."""
    context.block_level("T.mbarrier_expect_tx")
    slot, mlir = _slot(mbarrier, "T.mbarrier_expect_tx")
    context.emit(f"tile.barrier_expect {slot} bytes {int(tx)} {{no_arrival}} : {mlir}")


def tma_copy(src: Any, dst: Any, barrier: Any = None, multicast: Any = None,
             **ignored: Any) -> None:
    """A copy by TMA that completes on a barrier; without one it is waited for. With
    `multicast` it writes the tile in each block of the cluster whose rank is a bit of that
    mask, and completes on the barrier there: each of them expects the bytes itself, by
    T.mbarrier_expect_tx."""
    context.block_level("T.tma_copy")
    source, target = meet(src, dst, "T.tma_copy")
    if multicast is not None:
        _multicast(source, target, barrier, multicast)
        return
    x, y = source.window(), target.window()
    if barrier is None:
        context.emit(f"tile.copy {x[0]} to {y[0]} {{instr = #tile.instr<tma>}} : {x[1]}, {y[1]}")
        return
    slot, mlir = _slot(barrier, "T.tma_copy")
    num_bytes = math.prod(source.shape) * source.dtype.bits // 8
    context.emit(f"tile.barrier_expect {slot} bytes {num_bytes} {{no_arrival}} : {mlir}")
    context.emit(f"tile.copy {x[0]} to {y[0]} signal {slot} of {mlir} "
                 f"{{instr = #tile.instr<tma>}} : {x[1]}, {y[1]}")


def _multicast(source: Any, target: Any, barrier: Any, multicast: Any) -> None:
    if barrier is None:
        fail("T.tma_copy to several blocks needs a barrier",
             "each block waits for its own barrier: barrier=T.alloc_barrier(…)")
    slot, mlir = _slot(barrier, "T.tma_copy")
    mask = scalars.to_value(multicast, _I32)
    x, y = source.window(), target.window()
    context.emit(f"tile.copy {x[0]} to {y[0]} signal {slot} of {mlir} multicast {mask.name} "
                 f"{{instr = #tile.instr<tma>}} : {x[1]}, {y[1]}")


def async_copy(src: Any, dst: Any, **ignored: Any) -> None:
    """A copy by cp.async that is not waited for."""
    context.block_level("T.async_copy")
    source, target = meet(src, dst, "T.async_copy")
    x, y = source.operand(), target.operand()
    context.emit(f"tile.copy {x[0]} to {y[0]} {{async, instr = #tile.instr<cp_async>}} : "
                 f"{x[1]}, {y[1]}")


for _function in (tma_copy, async_copy):
    _function.tile_places = True  # type: ignore[attr-defined]


def ptx_commit_group() -> None:
    """Closes a group of asynchronous copies."""
    context.block_level("T.ptx_commit_group")
    context.emit("tile.cp_async_commit")


def ptx_wait_group(pending: int) -> None:
    """Waits until at most `pending` groups are under way."""
    context.block_level("T.ptx_wait_group")
    context.emit(f"tile.cp_async_wait pending {int(pending)}")


cp_async_commit, cp_async_wait = ptx_commit_group, ptx_wait_group
wgmma_gemm = gemm


def wait_wgmma(pending: int = 0) -> None:
    """Products that were issued are waited for already."""
    context.block_level("T.wait_wgmma")


# -- Roles --------------------------------------------------------------------

class Role:
    """`with T.ws(i):` is done by warpgroup i alone, beside the others."""

    ends_names = False

    def __init__(self, groups: tuple[int, ...]):
        self.groups = groups

    def enter_kernel(self) -> Any:
        kernel = context.block_level("T.ws")
        role_statements.check_depth("T.ws")
        threads = math.prod(kernel.threads)
        if list(self.groups) != sorted(set(self.groups)) or not self.groups \
                or (self.groups[-1] + 1) * 128 > threads \
                or self.groups[-1] - self.groups[0] + 1 != len(self.groups):
            fail(f"T.ws of warpgroups {list(self.groups)} in a block of {threads} threads")
        return enter_role(f"ws{self.groups[0]}", WARPS_PER_GROUP * self.groups[0],
                          WARPS_PER_GROUP * len(self.groups))


@contextlib.contextmanager
def enter_role(name: str, first: int, count: int) -> Iterator[None]:
    """What is inside is done by `count` warps from `first` on."""
    kernel, function = context.block_level("T.ws"), context.current()
    if kernel.roles and function.blocks[-1].ops[-1:] != [kernel.roles_op]:
        unsupported("statements of the whole block between two T.ws",
                    "move them before the first one")
    with context.into(Block()) as block:
        kernel.role_registers = None
        yield None
    limit = f" registers {kernel.role_registers}" if kernel.role_registers else ""
    role = Op(f'tile.role "{name}" warps {count}{limit} {{', context.location(), [("", block)])
    kernel.roles.append((first, role))
    if kernel.roles_op is None:
        kernel.roles_op = context.emit("tile.specialize {")
    body = Block()
    for _, op in sorted(kernel.roles, key=lambda entry: entry[0]):
        body.append(op)
    kernel.roles_op.regions = [("", body)]


def ws(*groups: int) -> Role:
    """Warpgroups that the statements inside are for."""
    return Role(tuple(int(g) for g in groups))


def set_max_nreg(count: int, is_increase: int = 1) -> None:
    """How many registers a thread of the role has."""
    context.block_level("T.set_max_nreg").role_registers = int(count)


def disable_warp_group_reg_alloc() -> None:
    """A wish about registers, which the compiler shares out."""


def annotate_producer_reg_dealloc(count: int = 24) -> None:
    """A wish about registers, which the compiler shares out."""


def annotate_consumer_reg_alloc(count: int = 240) -> None:
    """A wish about registers, which the compiler shares out."""
