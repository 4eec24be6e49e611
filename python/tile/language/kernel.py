"""The launch: blocks, threads, memory of the kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tile.dtypes import DType, to_dtype
from tile.frontend import buffers, context, scalars
from tile.frontend.buffers import FRAGMENT, GLOBAL, LOCAL, SHARED, Buffer, memref_type
from tile.frontend.errors import fail, unsupported
from tile.frontend.ir import Block, Op
from tile.frontend.scalars import Value
from tile.frontend.types import Const, Dynamic, make_shape
from tile.language import clusters

MAX_THREADS = 1024


class Kernel:
    """`with T.Kernel(gx, gy, threads=128) as (bx, by):` launches the body for
    each block of a grid."""

    ends_names = True

    def __init__(self, *blocks: Any, threads: Any = None, prelude: Any = None,
                 cluster_dims: Any = None, **ignored: Any):
        if not 1 <= len(blocks) <= 3:
            fail(f"T.Kernel needs 1 to 3 numbers of blocks, got {len(blocks)}")
        if context.maybe_current() is None:
            fail("T.Kernel is for kernels")
        if context.current().kernel is not None:
            fail("a T.Kernel in a T.Kernel", "write one after the other")
        if prelude is not None:
            unsupported("source in CUDA C++ in T.Kernel")
        self.blocks = [self._extent(b) for b in blocks]
        self.threads = self._thread_counts(threads)
        self.cluster = clusters.cluster_counts(cluster_dims)

    def _extent(self, value: Any) -> Any:
        value = scalars.plain(value)
        if isinstance(value, float) or (isinstance(value, Value) and value.dtype.is_float):
            fail("a number of blocks must be an integer, got a float",
                 "use `//` or T.ceildiv instead of `/`")
        if isinstance(value, int) and value < 0:
            fail(f"T.Kernel of {value} blocks")
        return value

    def _thread_counts(self, threads: Any) -> list[int]:
        threads = 128 if threads is None else threads
        counts = list(threads) if isinstance(threads, (tuple, list)) else [threads]
        for count in counts:
            if isinstance(count, float):
                fail(f"{count} threads", "a number of threads is an integer")
        numbers = [scalars.constant_value(scalars.plain(n)) for n in counts]
        if any(n is None for n in numbers):
            fail("the number of threads is known at run time only",
                 "it must be a constant of the kernel")
        result = [int(n) for n in numbers if n is not None] + [1] * (3 - len(numbers))
        total = result[0] * result[1] * result[2]
        if not 1 <= total <= MAX_THREADS:
            fail(f"{total} threads in a block, which has 1 to {MAX_THREADS}")
        return result

    @contextlib.contextmanager
    def enter_kernel(self) -> Iterator[Any]:
        function = context.current()
        grid = [scalars.to_index(b).name for b in [*self.blocks, 1, 1][:3]]
        kernel = context.Kernel(self.blocks, self.threads, cluster=self.cluster)
        if function.options.get("no_roles"):
            kernel.config["specialize"] = "#tile.specialize<off>"
        is_single = self.threads == [1, 1, 1]  # a warp, whose threads all are thread 0
        sizes = [context.index_constant(n) for n in ([32, 1, 1] if is_single else self.threads)]
        named = [function.name(n) for n in ("bx", "by", "bz")]
        threads = [function.name(n) for n in ("tx", "ty", "tz")]
        names = [function.name(n) for n in ("gx", "gy", "gz", "nx", "ny", "nz")]
        for dim, name in enumerate(named):
            kernel.blocks.append(Value(name, scalars.INDEX))
            high = scalars.range_of(self.blocks[dim])[1] if dim < len(self.blocks) else 1
            function.ranges.set(name, 0, max(high - 1, 0))
        for dim, name in enumerate(threads):
            kernel.thread_ids[dim] = scalars.number(0, scalars.INDEX) if is_single else \
                Value(name, scalars.INDEX)
            function.ranges.set(name, 0, self.threads[dim] - 1)
        function.kernel = kernel
        place = function.location
        try:
            with context.into(Block()) as body:
                kernel.depth = function.depth
                self._remember_grid(kernel)
                count = len(self.blocks)
                yield kernel.blocks[0] if count == 1 else tuple(kernel.blocks[:count])
        finally:
            function.kernel = None
        function.location = place
        self._launch(kernel, body, grid, sizes, (named, threads, names))

    def _remember_grid(self, kernel: context.Kernel) -> None:
        """Block ids are below the number of blocks."""
        from tile.frontend import affine

        ranges = context.current().ranges
        for block, extent in zip(kernel.blocks, self.blocks, strict=False):
            poly = scalars.poly_of(extent)
            if poly is None:
                continue
            above = affine.add(block.poly, poly, -1)
            above = affine.add(above, affine.constant(1)) if above is not None else None
            if above is not None:
                ranges.facts.append(above)

    def _cluster_text(self) -> str:
        if self.cluster is None:
            return ""
        function = context.current()
        ids = ", ".join(function.name(n) for n in ("kx", "ky", "kz"))
        counts = ", ".join(f"{function.name(n)} = {context.index_constant(size)}"
                           for n, size in zip(("hx", "hy", "hz"), self.cluster, strict=True))
        return f"clusters({ids}) in ({counts}) "

    def _launch(self, kernel: context.Kernel, body: Block, grid: list[str], sizes: list[str],
                ids: tuple[list[str], list[str], list[str]]) -> None:
        function = context.current()
        named, threads, names = ids
        block = Block()
        block.extend(kernel.constants)
        config = ", ".join(f"{k} = {v}" for k, v in kernel.config.items())
        if config:
            block.append(Op(f"tile.kernel_config {{{config}}}", function.location))
        launched = list(named)
        if kernel.swizzle is not None:
            launched[:2] = [function.name("raw_bx"), function.name("raw_by")]
            block.append(Op(f"{named[0]}, {named[1]} = tile.block_swizzle {launched[0]}, "
                            f"{launched[1]} of {names[0]}, {names[1]} {kernel.swizzle}",
                            function.location))
        block.extend(kernel.entry)
        block.extend(body)
        block.append(Op("gpu.terminator", function.location))
        blocks = ", ".join(f"{n} = {g}" for n, g in zip(names[:3], grid, strict=True))
        counts = ", ".join(f"{n} = {s}" for n, s in zip(names[3:], sizes, strict=True))
        text = (f"gpu.launch {self._cluster_text()}blocks({', '.join(launched)}) in ({blocks}) "
                f"threads({', '.join(threads)}) in ({counts}) {{")
        function.append(Op(text, function.location, [("", block)]))


def get_thread_binding(dim: int = 0) -> Value:
    """The id of the thread in its block."""
    ids = context.kernel("T.get_thread_binding").thread_ids
    return _dimension(list(ids.values()), dim, "T.get_thread_binding")


def thread_binding(*bounds: Any, thread: str = "threadIdx.x") -> Value:
    """The same by CUDA's name, with as many threads as the launch has."""
    dims = {f"{kind}.{axis}": (kind, dim) for kind in ("threadIdx", "blockIdx")
            for dim, axis in enumerate("xyz")}
    if thread not in dims:
        fail(f"T.thread_binding of {thread!r}", f"known are {', '.join(dims)}")
    kind, dim = dims[thread]
    kernel = context.kernel("T.thread_binding")
    extent = scalars.plain(bounds[-1]) if bounds else None
    if kind == "blockIdx":
        return get_block_binding(dim)
    if isinstance(extent, int) and extent != kernel.threads[dim]:
        fail(f"T.thread_binding of {extent} threads", f"the block has {kernel.threads[dim]}")
    return get_thread_binding(dim)


def get_thread_bindings() -> list[Value]:
    """The three ids of the thread in its block."""
    return list(context.kernel("T.get_thread_bindings").thread_ids.values())


def get_block_binding(dim: int = 0) -> Value:
    """The id of the block in the grid."""
    return _dimension(context.kernel("T.get_block_binding").blocks, dim, "T.get_block_binding")


def _dimension(ids: list[Value], dim: int, what: str) -> Value:
    if not 0 <= dim < len(ids):
        fail(f"{what} of dimension {dim}", f"there are {len(ids)}, counted from 0")
    return ids[dim]


def get_block_bindings() -> list[Value]:
    """The ids of the block."""
    kernel = context.kernel("T.get_block_bindings")
    return list(kernel.blocks[:len(kernel.grid)])


def get_thread_extent(dim: int = 0) -> int:
    """How many threads a block has along a dimension."""
    return context.kernel("T.get_thread_extent").threads[dim]


def get_block_extent(dim: int = 0) -> Any:
    """How many blocks there are along a dimension."""
    return context.kernel("T.get_block_extent").grid[dim]


def use_swizzle(panel_size: int = 10, order: str = "row", enable: bool = True,
                **ignored: Any) -> None:
    """Orders blocks in panels, so that those that run together share operands."""
    kernel = context.kernel("T.use_swizzle")
    if order not in ("row", "col", "column"):
        fail(f"T.use_swizzle in order {order!r}", "use 'row' or 'col'")
    if enable and len(kernel.grid) > 1:  # a grid of one dimension has one order
        raster = "row" if order == "row" else "column"
        kernel.swizzle = (f"{{panel = {int(panel_size)} : i64, "
                          f"raster = #tile.raster<{raster}>}}")


# -- Memory -------------------------------------------------------------------

def _shape(shape: Any, what: str) -> list[int]:
    sizes = make_shape(tuple(scalars.plain(s) if not isinstance(s, Const) else s
                             for s in (shape if isinstance(shape, (tuple, list)) else [shape])))
    for size in sizes:
        if not isinstance(size, int):
            fail(f"{what} of a size that is known at run time only",
                 "tiles have constant sizes; loop over them")
        if size < 1:
            fail(f"{what} of size {size}")
    if not sizes:
        sizes = (1,)
    return list(sizes)


def _alloc(space: str, shape: Any, dtype: Any, what: str) -> Buffer:
    kernel = context.kernel(what)
    assert kernel is not None
    if context.current().elements is not None and space != LOCAL:
        fail(f"{what} in T.Parallel", "allocate tiles outside of the loop over elements")
    kind = to_dtype(dtype)
    return buffers.allocate(space, _shape(shape, what), kind, what.rsplit("_", maxsplit=1)[-1])


def alloc_shared(shape: Any, dtype: Any, scope: str = "shared.dyn") -> Buffer:
    """A tile in shared memory; its contents are not defined."""
    return _alloc(SHARED, shape, dtype, "T.alloc_shared")


def alloc_fragment(shape: Any, dtype: Any, scope: str = "local.fragment") -> Buffer:
    """A tile in the registers of the block's threads."""
    return _alloc(FRAGMENT, shape, dtype, "T.alloc_fragment")


def alloc_local(shape: Any, dtype: Any, scope: str = "local") -> Buffer:
    """An array of each thread; in T.Parallel of each element."""
    return _alloc(LOCAL, shape, dtype, "T.alloc_local")


class Variable:
    """What T.alloc_var gives: the name that it is assigned to is a variable of
    this type."""

    def __init__(self, dtype: DType, initial: Any):
        self.declared_type, self.initial = dtype, initial


def alloc_var(dtype: Any, init: Any = None, *rest: Any, scope: str = "local.var",
              **ignored: Any) -> Variable:
    """A scalar that `x = …` changes and keeps its type; 0 at first."""
    context.kernel("T.alloc_var")
    kind = to_dtype(dtype)
    if kind.is_coded:
        fail(f"a variable of {kind}", f"use {buffers.coded_numbers(kind)}, and store it to a tile")
    if isinstance(init, str):  # the scope, in an older form
        init = None
    value = scalars.to_value(0 if init is None else init, kind)
    return Variable(kind, value)


def alloc_global(shape: Any, dtype: Any) -> Buffer:
    """A workspace in global memory, for what one kernel hands to the next."""
    function = context.current()
    if function.kernel is not None:
        fail("T.alloc_global in a kernel", "make it before `with T.Kernel`")
    kind = to_dtype(dtype)
    sizes = [s.runtime_value() if isinstance(s, Dynamic) else s.bound_size()
             if isinstance(s, Const) else scalars.plain(s)
             for s in (shape if isinstance(shape, (tuple, list)) else [shape])]
    dynamic = ", ".join(scalars.to_index(s).name for s in sizes if not isinstance(s, int))
    mlir = memref_type(sizes, kind, GLOBAL)
    name = context.emit_value(f"memref.alloc({dynamic}) : {mlir}", "workspace", pure=False)
    return Buffer(name, "workspace", GLOBAL, sizes, kind)


# -- Options of the kernel ----------------------------------------------------

def annotate_layout(layouts: Any, **ignored: Any) -> None:
    """Layouts of tiles. The compiler chooses them; what a kernel asks for is not
    needed for its result."""
    context.kernel("T.annotate_layout")
    if not isinstance(layouts, dict):
        fail(f"T.annotate_layout of {type(layouts).__name__}",
             "write T.annotate_layout({tile: layout})")


def annotate_safe_value(values: dict[Buffer, Any]) -> None:
    """What is read outside of tensors, in place of 0."""
    kernel = context.kernel("T.annotate_safe_value")
    for buffer, value in values.items():
        kernel.safe_values[id(buffer)] = value


def annotate_l2_hit_ratio(ratios: Any) -> None:
    """A wish about the L2 cache, which is not needed for the result."""


def annotate_restrict_buffers(*tensors: Any) -> None:
    """Tensors of a kernel never overlap; the launcher checks it."""


def annotate_min_blocks_per_sm(count: int) -> None:
    """As many blocks must fit on a multiprocessor at the same time."""
    context.kernel("T.annotate_min_blocks_per_sm").config["min_blocks"] = f"{int(count)} : i64"


def func_attr(attributes: Any) -> None:
    """Attributes of functions of another compiler."""
