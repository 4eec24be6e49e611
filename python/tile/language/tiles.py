"""Statements about whole tiles: copies, fills, products, reductions, scans."""

from __future__ import annotations

import itertools
import math
from typing import Any

from tile.dtypes import BY_NAME, DType, to_dtype
from tile.frontend import buffers, coded, context, elements, scalars
from tile.frontend.buffers import (
    FRAGMENT,
    GLOBAL,
    LOCAL,
    OPEN,
    SHARED,
    Buffer,
    Element,
    Region,
    memref_type,
    to_region,
)
from tile.frontend.errors import fail, unsupported
from tile.frontend.ir import Block, Op
from tile.frontend.scalars import Value


def _places(function: Any) -> Any:
    """Marks a function that takes `A[i, j]` as a place, not as a number."""
    function.tile_places = True
    return function


# -- Shapes that meet ---------------------------------------------------------

def _squeezed(shape: Any) -> list[int]:
    return [n for n in shape if n != 1]


def _reshaped(region: Region, shape: list[int]) -> Region | None:
    """The same window with dimensions of one element dropped or kept, so that its
    shape is `shape`; None where that is impossible."""
    dropped, at = [], 0
    for dim, size in enumerate(region.sizes):
        if at < len(shape) and size == shape[at]:
            at += 1
        elif size == 1:
            dropped.append(dim)
        else:
            return None
    if at < len(shape):
        return None
    return Region(region.buffer, region.offsets, region.sizes, tuple(dropped), region.ends)


def _corner(place: Element, shape: tuple[int, ...], what: str) -> Region:
    """A window whose first element is `place`; sizes come from the other side."""
    rank = place.buffer.ndim
    sizes = [1] * (rank - len(shape)) + list(shape)[max(0, len(shape) - rank):]
    if any(n != 1 for n in shape[:max(0, len(shape) - rank)]):
        fail(f"{what} of a tile with {len(shape)} dimensions and {place.buffer.label}, "
             f"which has {rank}")
    return Region(place.buffer, place.indices, sizes, tuple(range(rank - len(shape)))
                  if rank > len(shape) else ())


def _shape_of(value: Any) -> tuple[int, ...] | None:
    """The sizes that an operand gives; None for corners and dynamic tensors."""
    if isinstance(value, Element):
        return None
    if isinstance(value, Buffer) and any(not isinstance(n, int) for n in value.shape):
        return None
    return tuple(value.shape)


def _closed(region: Region, other: Any, what: str) -> Region:
    """A window with sizes that only the kernel knows takes those of the other side, up
    to where it ends."""
    if OPEN not in region.sizes:
        return region
    shape = _shape_of(other)
    if shape is None or OPEN in shape:
        buffers.check_closed(region, what)
    assert shape is not None
    dims = [d for d, n in enumerate(region.sizes) if d not in region.dropped]
    if len(dims) != len(shape):
        shape = tuple(_squeezed(shape))
        dims = [d for d in dims if region.sizes[d] != 1]
    if len(dims) != len(shape):
        fail(f"{what} of a window of {region.label} with {len(dims)} dimensions and a tile with "
             f"{len(shape)}")
    sizes = list(region.sizes)
    for dim, size in zip(dims, shape, strict=True):
        if sizes[dim] == OPEN:
            sizes[dim] = size
    return Region(region.buffer, region.offsets, sizes, region.dropped, region.ends)


def _as_window(value: Any, other: Any, what: str) -> Region:
    if isinstance(value, (Region,)):
        return _closed(value, other, what)
    if isinstance(value, Buffer) and _shape_of(value) is not None:
        shape = _shape_of(other)
        if value.space != GLOBAL or shape is None or \
                _squeezed(shape) == _squeezed(value.shape):
            return buffers.whole(value, what)
    shape = _shape_of(other)
    if shape is None:
        fail(f"{what} needs the size of one side, got two corners",
             "name a window, such as A[i:i + 64, j:j + 64]")
    if isinstance(value, Buffer):
        value = Element(value, [0] * value.ndim)
    return _corner(value, shape, what)


def meet(a: Any, b: Any, what: str) -> tuple[Region, Region]:
    """Two operands as windows of one shape. Corners take the sizes of the other
    side, dimensions of one element do not count. Errors: other sizes."""
    x, y = _as_window(a, b, what), _as_window(b, a, what)
    if _squeezed(x.sizes) != _squeezed(y.sizes):
        fail(f"{what} of {list(x.shape)} and {list(y.shape)}, which differ",
             "name a window of the larger one, such as A[i:i + n, :]")
    for shape in (list(y.shape), list(x.shape), _squeezed(x.sizes) or [1]):
        left, right = _reshaped(x, shape), _reshaped(y, shape)
        if left is not None and right is not None:
            return left, right
    fail(f"{what} of {list(x.shape)} and {list(y.shape)}, whose dimensions of one element "
         "stand in different places")


def _check_operand(value: Any, what: str) -> None:
    if not isinstance(value, (Buffer, Region, Element)):
        context.kernel(what)
        kind = getattr(value, "kind_text", None) or f"a {type(value).__name__}"
        fail(f"{what} needs a tile, a tensor or a window, got {kind}")


# -- Copies -------------------------------------------------------------------

_EVICTION = {"evict_normal": "normal", "evict_first": "first", "evict_last": "last",
             0: "normal", 1: "first", 2: "last"}


def _copy_attributes(source: Region, target: Region, options: dict[str, Any]) -> str:
    parts = []
    if options.get("eviction_policy") is not None:
        policy = _EVICTION.get(options["eviction_policy"])
        if policy is None:
            fail(f"eviction_policy {options['eviction_policy']!r}",
                 "use evict_normal, evict_first or evict_last")
        if GLOBAL in (source.space, target.space):
            parts.append(f"eviction = #tile.eviction<{policy}>")
    no_tma = options.get("disable_tma") or context.current().options.get("disable_tma")
    if no_tma and (source.space, target.space) == (GLOBAL, SHARED):
        parts.append("prefer = #tile.instr<cp_async>")
    elif no_tma and (source.space, target.space) == (SHARED, GLOBAL):
        parts.append("prefer = #tile.instr<simt>")
    width = options.get("coalesced_width")
    if width is not None:
        parts.append(f"vector_width = {width} : i64")
    return f" {{{', '.join(parts)}}}" if parts else ""


def _converts_directly(source: DType, target: DType) -> bool:
    """Whether tile.copy converts as this language does."""
    if source.mlir == target.mlir or (source.is_float and target.is_float):
        return True
    if source.is_float or target.is_float:
        return False
    return source.bits >= target.bits or source.kind in ("int", "bool")


@_places
def copy(src: Any, dst: Any, coalesced_width: int | None = None, disable_tma: bool = False,
         eviction_policy: Any = None, **ignored: Any) -> None:
    """Copies a tile: dst = src, converted to the type of dst.

    Either side is a tensor, a tile, a window `A[i:i + 64, j:j + 64]`, or the
    corner of one, `A[i, j]`, which takes its sizes from the other side. What is
    read outside of a tensor is 0, what is written there is dropped.
    """
    _check_operand(src, "T.copy")
    _check_operand(dst, "T.copy")
    if isinstance(src, Element) and isinstance(dst, Element):
        elements.store(dst.buffer, dst.indices, src.load_scalar())
        return
    context.kernel("T.copy")
    options = {"coalesced_width": coalesced_width, "disable_tma": disable_tma,
               "eviction_policy": eviction_policy}
    if _copies_elements(src, dst):
        _copy_by_elements(src, dst)
        return
    context.block_level("T.copy")
    if _repeats(src, dst):
        _copy_repeated(to_region(src, "T.copy"), to_region(dst, "T.copy"))
        return
    source, target = meet(src, dst, "T.copy")
    target.buffer.is_written = True
    if source.dtype.is_coded or target.dtype.is_coded:
        _copy_coded(source, target, options)
    elif not _converts_directly(source.dtype, target.dtype):
        _copy_in_loop(source, target)
    elif source.space == target.space == GLOBAL:
        middle = Region(buffers.allocate(FRAGMENT, list(source.shape), source.dtype, "moved"),
                        [0] * source.ndim, list(source.shape))
        emit_copy(source, middle, options)
        emit_copy(middle, target, options)
    else:
        emit_copy(source, target, options)


def _repeats(src: Any, dst: Any) -> bool:
    """Whether both sides have sizes, and those of `src` are fewer, or 1: its elements
    stand in several places of `dst`."""
    a, b = _shape_of(src), _shape_of(dst)
    if a is None or b is None or OPEN in (*a, *b) or _squeezed(a) == _squeezed(b):
        return False
    if isinstance(src, Buffer) and src.space == GLOBAL:
        return False  # a tensor is the corner of a window
    padded = (1,) * (len(b) - len(a)) + a
    return len(a) <= len(b) and all(m in (1, n) for m, n in zip(padded, b, strict=True))


def _copy_repeated(source: Region, target: Region) -> None:
    """`dst[i, j] = src[j]`, or `src[i, 0]`."""
    target.buffer.is_written = True
    shift = target.ndim - source.ndim
    kept = [d for d in range(source.ndim) if source.shape[d] == target.shape[d + shift]]
    if not _squeezed(source.shape):
        first = source[(0,) * source.ndim]
        fill(target, first.load_scalar() if isinstance(first, Element) else first)
        return
    if source.space == target.space == GLOBAL \
            or not _converts_directly(source.dtype, target.dtype):
        _repeat_in_loop(source, target, kept, shift)
        return
    flat = _reshaped(source, [source.shape[d] for d in kept])
    assert flat is not None
    repeated = [d for d in range(target.ndim) if d - shift not in kept]
    x, y = flat.operand(), target.operand()
    context.emit(f"tile.arrange {x[0]} to {y[0]} broadcast [{', '.join(map(str, repeated))}] : "
                 f"{x[1]}, {y[1]}")


def _repeat_in_loop(source: Region, target: Region, kept: list[int], shift: int) -> None:
    def body(indices: list[Value]) -> None:
        place = tuple(indices[d + shift] if d in kept else 0 for d in range(source.ndim))
        elements.assign(target[tuple(indices)], source[place].load_scalar())

    element_loop(list(target.shape), body)


def _copy_coded(source: Region, target: Region, options: dict[str, Any]) -> None:
    """A copy of codes, or one that makes or reads them. Bytes of two codes pass a shared
    tile of bytes, which is copied as a whole."""
    if source.dtype != target.dtype:
        if target.buffer.is_packed:
            middle = _shared_like(source, target.dtype)
            _copy_in_loop(source, middle)
            source = middle
        else:
            _copy_in_loop(source, target)
            return
    if source.buffer.is_packed == target.buffer.is_packed:
        if source.space == target.space == GLOBAL:
            middle = _bytes_of(source) if source.buffer.is_packed else _shared_like(source)
            emit_copy(source, middle, options)
            emit_copy(middle, target, options)
        else:
            emit_copy(source, target, options)
        return
    if source.buffer.is_packed:
        packed = _bytes_of(source)
        emit_copy(source, packed, options)

        def unpack(indices: list[Value]) -> None:
            byte = buffers.load(packed.buffer, [*indices[:-1],
                                                scalars.binary("//", indices[-1], 2)])
            code = Value(coded.nibble(byte, indices[-1]).name, target.dtype)
            elements.assign(target[tuple(indices)], code)

        element_loop(list(target.shape), unpack)
        return
    if source.space == FRAGMENT:
        middle = _shared_like(source)
        emit_copy(source, middle, options)
        source = middle
    packed = _bytes_of(target)

    def pack(indices: list[Value]) -> None:
        first = scalars.binary("*", indices[-1], 2)
        codes = [source[(*indices[:-1], place)] for place in (first, scalars.binary("+", first, 1))]
        byte = coded.pair(*(buffers.load_code(c.buffer, c.indices) for c in codes))
        elements.store(packed.buffer, indices, byte)

    element_loop(list(packed.shape), pack)
    emit_copy(packed, target, options)


def _shared_like(region: Region, dtype: DType | None = None) -> Region:
    return buffers.whole(buffers.allocate(SHARED, list(region.shape), dtype or region.dtype,
                                          f"{region.label}_codes"), "T.copy")


def _bytes_of(region: Region) -> Region:
    shape = [*region.shape[:-1], region.shape[-1] // 2]
    return buffers.whole(buffers.allocate(SHARED, shape, BY_NAME["uint8"],
                                          f"{region.label}_bytes"), "T.copy")


def emit_copy(source: Region, target: Region, options: dict[str, Any]) -> None:
    x, y = source.operand(True), target.operand(True)
    attributes = _copy_attributes(source, target, options)
    context.emit(f"tile.copy {x[0]} to {y[0]}{attributes} : {x[1]}, {y[1]}")


def _copies_elements(src: Any, dst: Any) -> bool:
    """Whether a copy is of one element, in T.Parallel, or of one thread: to or from an
    array that each thread has for itself, at places of which each may have others."""
    if context.current().elements is not None:
        return True
    if LOCAL not in (_space_of(src), _space_of(dst)):
        return False
    shape = next((s for s in (_shape_of(src), _shape_of(dst)) if s and OPEN not in s), (0,))
    return all(isinstance(n, int) for n in shape) and math.prod(shape) <= elements.MAX_COPIED


def _space_of(value: Any) -> Any:
    buffer = value.buffer if isinstance(value, (Region, Element)) else value
    return getattr(buffer, "space", None)


def _copy_by_elements(src: Any, dst: Any) -> None:
    source, target = meet(src, dst, "T.copy")
    for place in itertools.product(*map(range, target.shape)):
        elements.assign(target[place], source[place].load_scalar())


def _copy_in_loop(source: Region, target: Region) -> None:
    """A copy that converts as tile.copy does not: element by element."""
    def body(indices: list[Value]) -> None:
        value = source[tuple(indices)].load_scalar()
        elements.assign(target[tuple(indices)], value)

    element_loop(list(target.shape), body)


def element_loop(extents: list[int], body: Any) -> None:
    """A tile.parallel that the language needs itself."""
    function = context.current()
    indices = [Value(function.name(n), scalars.INDEX) for n, _ in zip("ijklm", extents,
                                                                     strict=False)]
    for index, extent in zip(indices, extents, strict=True):
        function.ranges.set(index.name, 0, extent - 1)
    function.elements = context.ElementLoop(indices, extents)
    try:
        with context.into(Block()) as block:
            body(indices)
    finally:
        function.elements = None
    names = ", ".join(i.name for i in indices)
    function.append(Op(f"tile.parallel ({names}) in [{', '.join(map(str, extents))}] {{",
                       function.location, [("", block)]))


@_places
def fill(buffer: Any, value: Any) -> None:
    """Sets every element of a tile, a tensor or a window to a number."""
    _check_operand(buffer, "T.fill")
    if isinstance(buffer, Element):
        elements.store(buffer.buffer, buffer.indices, value)
        return
    context.kernel("T.fill")
    target = to_region(buffer, "T.fill")
    if isinstance(value, (Buffer, Region)):
        fail(f"T.fill with {value.kind_text}, which is no number", "use T.copy")
    number = scalars.to_value(value, target.dtype)
    target.buffer.is_written = True
    if target.buffer.is_packed:
        middle = _shared_like(target)
        fill(middle, number)
        copy(middle, target)
        return
    if context.current().elements is not None:
        if target.space != LOCAL:
            context.block_level("T.fill")
        for place in itertools.product(*map(range, target.shape)):
            elements.assign(target[place], number)
        return
    name, mlir = target.operand(True)
    context.emit(f"tile.fill {name}, {number.name} : {mlir}, {target.dtype.mlir}")


@_places
def clear(buffer: Any) -> None:
    """Sets every element to 0."""
    fill(buffer, 0)


@_places
def transpose(src: Any, dst: Any) -> None:
    """Exchanges the last two dimensions."""
    context.block_level("T.transpose")
    if isinstance(src, Element):
        shape = list(_shape_of(dst) or ())
        shape[-2:] = shape[:-3:-1]
        source, target = _corner(src, tuple(shape), "T.transpose"), to_region(dst, "T.transpose")
    elif isinstance(dst, Element):
        source = to_region(src, "T.transpose")
        shape = list(source.shape)
        shape[-2:] = shape[:-3:-1]
        target = _corner(dst, tuple(shape), "T.transpose")
    else:
        source, target = to_region(src, "T.transpose"), to_region(dst, "T.transpose")
    if list(source.shape[-2:]) != list(target.shape[-2:])[::-1] or \
            source.shape[:-2] != target.shape[:-2]:
        fail(f"T.transpose of {list(source.shape)} to {list(target.shape)}")
    x, y = source.operand(), target.operand()
    context.emit(f"tile.transpose {x[0]} to {y[0]} : {x[1]}, {y[1]}")


@_places
def c2d_im2col(img: Any, col: Any, nhw_step: Any, c_step: Any, kernel: Any, stride: Any,
               dilation: Any, pad: Any, **ignored: Any) -> None:
    """Copies a tile of the matrix that a convolution multiplies. `img` is a tensor
    of images, pixels and channels; the tile has number `nhw_step` among the rows
    and `c_step` among the columns."""
    context.block_level("T.c2d_im2col")
    tile = to_region(col, "T.c2d_im2col")
    if not isinstance(img, Buffer) or img.space != GLOBAL or not 3 <= img.ndim <= 5:
        fail("T.c2d_im2col needs a tensor of images, pixels and channels")
    rows, columns = tile.shape[-2:]
    row = scalars.to_index(scalars.binary("*", nhw_step, rows))
    column = scalars.to_index(scalars.binary("*", c_step, columns))

    def each(value: Any) -> str:
        items = list(value) if isinstance(value, (tuple, list)) else [value] * (img.ndim - 2)
        return f"[{', '.join(map(str, items))}]"

    text = (f"tile.im2col {img.name}[{row.name}, {column.name}] [{rows}, {columns}] "
            f"kernel {each(kernel)} stride {each(stride)} dilation {each(dilation)} "
            f"pad {each(pad)} : {img.type}")
    name = context.emit_value(text, f"{img.label}_tile")
    target, mlir = tile.operand()
    context.emit(f"tile.copy {name} to {target} : !tile.region<{rows}x{columns}x"
                 f"{img.dtype.mlir}>, {mlir}")


# -- Views --------------------------------------------------------------------

def view(src: Buffer, shape: Any = None, dtype: Any = None) -> Buffer:
    """The same memory with another shape or element type."""
    if not isinstance(src, Buffer):
        fail("T.view needs a whole tile")
    kind = src.dtype if dtype is None else to_dtype(dtype)
    if src.space == GLOBAL and (src.is_packed or kind.is_packed):
        unsupported(f"T.view of the tensor {src.label}, which has two elements in a byte")
    sizes = list(src.shape) if shape is None else list(
        shape if isinstance(shape, (tuple, list)) else [shape])
    if src.space == GLOBAL:
        return _view_tensor(src, sizes, kind)
    context.block_level("T.view")
    sizes = [scalars.plain(n) for n in sizes]
    mlir = memref_type(sizes, kind, src.space)
    text = f"tile.view {src.name} : {src.type} to {mlir}"
    return Buffer(context.emit_value(text, f"{src.label}_view"), src.label, src.space, sizes, kind)


def _view_tensor(src: Buffer, sizes: list[Any], dtype: DType) -> Buffer:
    """A tensor with another shape, made on the host before the launch."""
    if dtype.mlir != src.dtype.mlir:
        unsupported(f"T.view of the tensor {src.label} as {dtype}",
                    "view it in Python, and give the kernel what comes out")
    if src.strides is not None:
        fail(f"T.view of {src.label}, whose rows have gaps")
    with context.on_host():
        sizes = [scalars.plain(n) for n in sizes]
        strides: list[Any] = []
        step: Any = 1
        for size in reversed(sizes):
            strides.insert(0, step)
            step = scalars.binary("*", step, size)
        texts = [", ".join(buffers.place_text(n) for n in values) for values in (sizes, strides)]
        mlir = memref_type(sizes, dtype, GLOBAL)
        name = context.emit_value(
            f"memref.reinterpret_cast {src.name} to offset: [0], sizes: [{texts[0]}], "
            f"strides: [{texts[1]}] : {src.type} to {mlir}", f"{src.label}_view")
    return Buffer(name, src.label, GLOBAL, sizes, dtype)


def reshape(src: Buffer, shape: Any) -> Buffer:
    """The same memory with another shape."""
    return view(src, shape)


# -- Products -----------------------------------------------------------------

class GemmWarpPolicy:
    """How the warps of a block share the rows and columns of a product."""

    Square, FullRow, FullCol = "square", "full_row", "full_col"


MMA_ROWS, MMA_COLUMNS = 16, 8  # of the smallest product of a warp


def _policy(policy: Any, rows: int, columns: int) -> list[str]:
    """The attribute; none where the product is too small to be shared in that way."""
    known = (GemmWarpPolicy.Square, GemmWarpPolicy.FullRow, GemmWarpPolicy.FullCol)
    if policy not in known:
        fail(f"the policy {policy!r} of a product",
             "use T.GemmWarpPolicy.Square, FullRow or FullCol")
    kernel = context.kernel("T.gemm")
    num_warps = max(math.prod(kernel.threads) // 32, 1)
    fits = {GemmWarpPolicy.FullRow: rows % (MMA_ROWS * num_warps) == 0,
            GemmWarpPolicy.FullCol: columns % (MMA_COLUMNS * num_warps) == 0}
    return [f"policy = #tile.warp_policy<{policy}>"] if fits.get(policy) else []


def _fitting_transposes(a: Region, b: Region, c: Region) -> str | None:
    """What would make the shapes of a product fit."""
    for flags in itertools.product((False, True), repeat=2):
        (m, k), (k_b, n) = (x.shape[::-1] if flag else x.shape
                            for x, flag in zip((a, b), flags, strict=True))
        if k == k_b and tuple(c.shape) == (m, n):
            return f"transpose_A={flags[0]}, transpose_B={flags[1]} would fit"
    return None


def _factor(value: Any, what: str) -> Region:
    region = to_region(value, what)
    if region.space == GLOBAL:
        fail(f"T.gemm of the tensor {region.label}", "T.copy it to a shared tile first")
    if region.space == LOCAL:
        fail(f"T.gemm of the local array {region.label}", "use T.alloc_fragment")
    shape = _squeezed(region.shape)
    flat = _reshaped(region, list(region.shape)[-2:] if len(shape) <= 2 else shape)
    if flat is None or flat.ndim != 2:
        fail(f"{what} of T.gemm must have 2 dimensions, got {list(region.shape)}",
             "name a window, such as A[0, :, :]")
    return _as_numbers(flat) if flat.dtype.is_packed else flat


def _as_numbers(factor: Region) -> Region:
    """A factor of 4 bits as one of the type that matrix instructions have."""
    numbers = _shared_like(factor, coded.number_type(factor.dtype))
    _copy_in_loop(factor, numbers)
    return numbers


@_places
def gemm(A: Any, B: Any, C: Any, transpose_A: bool = False, transpose_B: bool = False,
         policy: str = GemmWarpPolicy.Square, clear_accum: Any = False, k_pack: int = 1,
         **ignored: Any) -> None:
    """C += A · B of tiles; A and B in shared memory or fragments, C a fragment."""
    context.block_level("T.gemm")
    a, b, c = _factor(A, "A"), _factor(B, "B"), _factor(C, "C")
    rows, depth = a.shape[::-1] if transpose_A else a.shape
    depth_b, columns = b.shape[::-1] if transpose_B else b.shape
    if depth != depth_b or tuple(c.shape) != (rows, columns):
        fail(f"T.gemm of {rows} x {depth} and {depth_b} x {columns} into "
             f"{' x '.join(map(str, c.shape))}", _fitting_transposes(a, b, c)
             or "A has M x K elements, B K x N, C M x N")
    if c.space != FRAGMENT:
        fail(f"T.gemm into {c.kind_text}", "make C with T.alloc_fragment and copy it afterwards")
    attributes = [name for name, wanted in (("transpose_a", transpose_A),
                                            ("transpose_b", transpose_B)) if wanted]
    if a.dtype.mlir == "f32":
        attributes.append('precision = "tf32"')
    attributes += _policy(policy, rows, columns)
    clears = scalars.truth(clear_accum)
    clear_text = ""
    if isinstance(clears, Value) or clears:
        clear_text = f" clear {scalars.to_value(clears, scalars.BOOL).name}"
    x, y, z = a.operand(), b.operand(), c.operand()
    braces = f" {{{', '.join(attributes)}}}" if attributes else ""
    context.emit(f"tile.gemm {x[0]}, {y[0]}, {z[0]}{clear_text}{braces} : "
                 f"({x[1]}, {y[1]}, {z[1]})")


@_places
def gemm_sp(A: Any, E: Any, B: Any, C: Any, transpose_A: bool = False,
            transpose_B: bool = False, policy: str = GemmWarpPolicy.Square,
            clear_accum: Any = False, transpose_E: bool = False, **ignored: Any) -> None:
    """C += S · B, where A has the half of S that is not 0 and E says where it is."""
    context.block_level("T.gemm_sp")
    if transpose_A:
        unsupported("T.gemm_sp with transpose_A", "store A by rows")
    if transpose_E:
        unsupported("T.gemm_sp with transpose_E", "store E by rows")
    a, e, b, c = (_factor(v, n) for v, n in ((A, "A"), (E, "E"), (B, "B"), (C, "C")))
    attributes = ["transpose_b"] if transpose_B else []
    if a.dtype.mlir == "f32":
        attributes.append('precision = "tf32"')
    attributes += _policy(policy, *c.shape)
    clear_text = f" clear {scalars.to_value(scalars.truth(clear_accum), scalars.BOOL).name}" \
        if isinstance(clear_accum, Value) or clear_accum else ""
    operands = [r.operand() for r in (a, e, b, c)]
    braces = f" {{{', '.join(attributes)}}}" if attributes else ""
    context.emit(f"tile.gemm_sp {', '.join(o[0] for o in operands)}{clear_text}{braces} : "
                 f"({', '.join(o[1] for o in operands)})")


# -- Reductions and scans -----------------------------------------------------

def _dimension(dim: int, rank: int, what: str) -> int:
    if not -rank <= dim < rank:
        fail(f"{what} along dimension {dim} of {rank}")
    return dim % rank


def _tile_operand(value: Any, what: str) -> Region:
    region = to_region(value, what)
    if region.space in (GLOBAL, LOCAL):
        fail(f"{what} of {region.kind_text}", "T.copy it to a fragment or a shared tile first")
    return region


def _computable(region: Region) -> Region:
    """The same numbers in a type that can be computed with: 8-bit floats as f32."""
    if not region.dtype.is_float or region.dtype.bits > 8 or region.dtype.is_coded:
        return region
    wide = buffers.allocate(FRAGMENT, list(region.shape), BY_NAME["float32"],
                            f"{region.label}_numbers")
    copy(region, wide)
    return to_region(wide, "T.copy")


def _reduce(kind: str, src: Any, dst: Any, dim: int, clear: bool) -> None:
    what = f"T.reduce_{kind}"
    context.block_level(what)
    source, target = _tile_operand(src, what), _tile_operand(dst, what)
    source = _computable(source)
    dim = _dimension(dim, source.ndim, what)
    if source.dtype.kind == "uint" and kind in ("max", "min"):
        unsupported(f"{what} of {source.dtype}, which compares without a sign",
                    "convert to a wider signed type")
    shape = list(source.shape)
    without = shape[:dim] + shape[dim + 1:]
    kept = shape[:dim] + [1] + shape[dim + 1:]
    if list(target.shape) not in (without, kept):
        fail(f"{what} of {shape} along dimension {dim} into {list(target.shape)}, "
             f"expected {without or kept}")
    x, y = source.operand(), target.operand()
    flag = " {clear}" if clear else ""
    context.emit(f"tile.reduce {kind} {x[0]} to {y[0]} dim {dim}{flag} : {x[1]}, {y[1]}")


def reduce_sum(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """out = the sum along a dimension; without `clear` it is added to out."""
    _reduce("sum", buffer, out, dim, clear)


def reduce_max(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """The greatest along a dimension."""
    _reduce("max", buffer, out, dim, clear)


def reduce_min(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """The smallest along a dimension."""
    _reduce("min", buffer, out, dim, clear)


def reduce_abssum(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """The sum of magnitudes along a dimension."""
    _reduce("abssum", buffer, out, dim, clear)


def reduce_absmax(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """The greatest magnitude along a dimension."""
    _reduce("absmax", buffer, out, dim, clear)


def reduce_bitand(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """Bitwise and along a dimension."""
    _reduce("and", buffer, out, dim, clear)


def reduce_bitor(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """Bitwise or along a dimension."""
    _reduce("or", buffer, out, dim, clear)


def reduce_bitxor(buffer: Any, out: Any, dim: int = -1, clear: bool = True) -> None:
    """Bitwise exclusive or along a dimension."""
    _reduce("xor", buffer, out, dim, clear)


def _scan(kind: str, src: Any, dst: Any, dim: int, reverse: bool) -> None:
    what = "T.cumsum" if kind == "sum" else f"T.cum{kind}"
    context.block_level(what)
    source = _tile_operand(src, what)
    target = source if dst is None else _tile_operand(dst, what)
    if list(source.shape) != list(target.shape):
        fail(f"{what} of {list(source.shape)} into {list(target.shape)}, which differ")
    x, y = source.operand(), target.operand()
    flag = " {reverse}" if reverse else ""
    context.emit(f"tile.scan {kind} {x[0]} to {y[0]} dim "
                 f"{_dimension(dim, source.ndim, what)}{flag} : {x[1]}, {y[1]}")


def cumsum(src: Any, dst: Any = None, dim: int = 0, reverse: bool = False) -> None:
    """Running sums along a dimension, in place without `dst`."""
    _scan("sum", src, dst, dim, reverse)


def cummax(src: Any, dst: Any = None, dim: int = 0, reverse: bool = False) -> None:
    """Running maxima along a dimension, in place without `dst`."""
    _scan("max", src, dst, dim, reverse)


def _mask(value: Any, what: str) -> tuple[str, str]:
    region = to_region(value, what)
    if region.dtype.is_bool and region.space != LOCAL:
        return region.operand()
    mask = buffers.allocate(SHARED, list(region.shape), scalars.BOOL, "mask")

    def body(indices: list[Value]) -> None:
        elements.store(mask, list(indices), scalars.truth(region[tuple(indices)].load_scalar()))

    element_loop(list(region.shape), body)
    return mask.name, mask.type


def any_of(buffer: Any) -> Value:
    """Whether an element of a tile or window is not 0; the same for the block."""
    context.block_level("T.any_of")
    name, mlir = _mask(buffer, "T.any_of")
    return Value(context.emit_value(f"tile.any_of {name} : {mlir}", "is_any", pure=False),
                 scalars.BOOL)


def all_of(buffer: Any) -> Value:
    """Whether no element of a tile or window is 0; the same for the block."""
    context.block_level("T.all_of")
    name, mlir = _mask(buffer, "T.all_of")
    return Value(context.emit_value(f"tile.all_of {name} : {mlir}", "is_all", pure=False),
                 scalars.BOOL)
