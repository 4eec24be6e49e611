"""Memory of kernels: tensors, tiles, and windows and elements of them."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from tile.dtypes import BY_NAME, INDEX, DType
from tile.frontend import affine, context, scalars
from tile.frontend.errors import fail, unsupported
from tile.frontend.ir import Block, Op
from tile.frontend.scalars import Operators, Value

GLOBAL, SHARED, FRAGMENT, LOCAL = "global", "shared", "fragment", "local"
CLUSTER = "cluster"  # shared memory of another block
SPACES = {GLOBAL: None, SHARED: "#shared", FRAGMENT: "#fragment", LOCAL: "#private",
          CLUSTER: "#tile.cluster"}
SPACE_TEXT = {GLOBAL: "tensor", SHARED: "shared tile", FRAGMENT: "fragment",
              LOCAL: "local array", CLUSTER: "remote tile"}
Size = Any  # int or Value


def memref_type(shape: list[Size], dtype: DType, space: str,
                strides: list[int | None] | None = None) -> str:
    if dtype.is_packed and space == GLOBAL:
        shape = [*shape[:-1], shape[-1] // 2]
    extents = [str(n) if isinstance(n, int) else "?" for n in shape]
    layout = ""
    if strides is not None:
        inner = ", ".join("?" if s is None else str(s) for s in strides)
        layout = f", strided<[{inner}]>"
    memory = f", {SPACES[space]}" if SPACES[space] else ""
    return f"memref<{'x'.join([*extents, str(dtype.mlir)])}{layout}{memory}>"


def _no_sequence(memory: Any) -> NoReturn:
    fail(f"{memory.kind_text} is no list of Python: it cannot be taken apart, searched or counted",
         "use its shape, T.Parallel over its elements, or T.reduce_max and its like")


class Memory:
    """Where a buffer lies."""

    def __init__(self, buffer: Buffer):
        self.memory_of = buffer


class Buffer:
    """A tensor, a shared tile, a fragment or a local array."""

    def __init__(self, name: str, label: str, space: str, shape: list[Size], dtype: DType,
                 strides: list[int | None] | None = None):
        self.is_packed = dtype.is_packed and space == GLOBAL
        if self.is_packed and (strides is not None or not isinstance(shape[-1], int)
                               or shape[-1] % 2):
            unsupported(f"the last size of {label} is {shape[-1]}, and two elements of {dtype} are "
                        "in a byte", "it must be even, known when the kernel is compiled, and "
                        "without strides")
        self.name, self.label, self.space = name, label, space
        self.shape, self.dtype = tuple(shape), dtype
        self.type = memref_type(shape, dtype, space, strides)
        self.strides = strides
        self.is_written = False  # outside of element loops; of local arrays

    @property
    def kind_text(self) -> str:
        return f"the {SPACE_TEXT[self.space]} {self.label}"

    cure_text = "name an element of it, such as buffer[i, j]"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def data(self) -> Memory:
        """Its memory, for `T.Tensor(shape, dtype, buffer.data)`."""
        return Memory(self)

    def static_shape(self, what: str) -> list[int]:
        for extent in self.shape:
            if not isinstance(extent, int):
                fail(f"{what} needs sizes that are known when the kernel is compiled; "
                     f"those of {self.label} are not", "name a window of it, such as A[i, j]")
        return list(self.shape)

    def __getitem__(self, key: Any) -> Any:
        return subscript(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from tile.frontend import elements

        elements.assign(subscript(self, key), value)

    def __bool__(self) -> bool:
        fail(f"{self.kind_text} is no condition", self.cure_text)

    def __iter__(self, *_: Any) -> Any:
        _no_sequence(self)

    __contains__ = __len__ = __iter__

    def __repr__(self) -> str:
        return f"<{SPACE_TEXT[self.space]} {self.label}: {list(self.shape)} {self.dtype}>"


OPEN = 0  # a size that the other side of a copy gives


@dataclasses.dataclass
class Region:
    """A window of a buffer. Dimensions of `dropped` have one element and are
    not counted. Those of `ends` end where the kernel says, at the latest."""

    buffer: Buffer
    offsets: list[Any]  # int or Value
    sizes: list[int]
    dropped: tuple[int, ...] = ()
    ends: dict[int, Any] = dataclasses.field(default_factory=dict)

    @property
    def dtype(self) -> DType:
        return self.buffer.dtype

    @property
    def space(self) -> str:
        return self.buffer.space

    @property
    def label(self) -> str:
        return self.buffer.label

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(n for d, n in enumerate(self.sizes) if d not in self.dropped)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def kind_text(self) -> str:
        whole_text = self.buffer.kind_text
        return whole_text if self.is_whole() else f"a window of {whole_text}"

    def has_all(self) -> bool:
        """Whether no element of the buffer is outside."""
        return not self.ends and all(isinstance(n, int) and n == size
                   for n, size in zip(self.buffer.shape, self.sizes, strict=True)) \
            and all(scalars.constant_value(o) == 0 for o in self.offsets)

    def is_whole(self) -> bool:
        return not self.dropped and self.has_all()

    def __getitem__(self, key: Any) -> Any:
        return subscript_region(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from tile.frontend import elements

        elements.assign(subscript_region(self, key), value)

    def __iter__(self, *_: Any) -> Any:
        _no_sequence(self)

    __contains__ = __len__ = __iter__

    def operand(self, has_codes: bool = False) -> tuple[str, str]:
        """Name and type for a tile op; emits the window. Errors: it has codes, and the
        op knows none."""
        if self.dtype.is_coded and not has_codes:
            unsupported(f"{self.kind_text} of {self.dtype} is copied, filled and indexed only",
                        f"T.copy it to a tile of {coded_numbers(self.dtype)} first")
        if self.buffer.is_packed:
            return self._packed_operand()
        if self.is_whole():
            return self.buffer.name, self.buffer.type
        if self.has_all() and self.space != GLOBAL:
            mlir = memref_type(list(self.shape), self.dtype, self.space)
            text = f"tile.view {self.buffer.name} : {self.buffer.type} to {mlir}"
            return context.emit_value(text, f"{self.label}_view"), mlir
        return self._window(self.offsets, self.sizes)

    def window(self) -> tuple[str, str]:
        """The same; a window of tensors that are whole, too, as tensor maps need it."""
        if self.space == GLOBAL and self.is_whole() and not self.dtype.is_coded:
            return self._window(self.offsets, self.sizes)
        return self.operand()

    def _packed_operand(self) -> tuple[str, str]:
        """The bytes of a tensor with two elements in each."""
        from tile.frontend import coded

        if len(self.sizes) - 1 in (*self.dropped, *self.ends) or self.sizes[-1] % 2:
            fail(f"{self.kind_text} that is not of whole bytes of two elements")
        first = coded.half_of(self.offsets[-1], self.kind_text)
        return self._window([*self.offsets[:-1], first], [*self.sizes[:-1], self.sizes[-1] // 2])

    def _window(self, offsets: list[Any], extents: list[int]) -> tuple[str, str]:
        places = ", ".join(place_text(o) for o in offsets)
        drop = f" drop [{', '.join(map(str, self.dropped))}]" if self.dropped else ""
        sizes = ", ".join(map(str, extents))
        end = ""
        if self.ends:
            names = ", ".join(scalars.to_index(e).name for e in self.ends.values())
            end = f" end [{', '.join(map(str, self.ends))}] ({names})"
        text = (f"tile.region {self.buffer.name}[{places}] [{sizes}]{drop}{end}"
                f"{pad_text(self.buffer)}"
                f" : {self.buffer.type}")
        name = context.emit_value(text, f"{self.buffer.label}_tile")
        memory = SPACES[self.buffer.space]
        shape = [n for d, n in enumerate(extents) if d not in self.dropped]
        typed = "x".join([*map(str, shape), str(self.dtype.mlir)])
        return name, f"!tile.region<{typed}{', ' + memory if memory else ''}>"


def pad_text(buffer: Buffer) -> str:
    """What reads outside of a tensor give, where it is not 0."""
    kernel = context.current().kernel
    value = kernel.safe_values.get(id(buffer)) if kernel else None
    if value is None:
        return ""
    pad = scalars.to_value(value, buffer.dtype)
    return f" pad {pad.name} : {buffer.dtype.mlir} in"


def place_text(offset: Any) -> str:
    number = scalars.constant_value(offset)
    return str(number) if number is not None else scalars.to_index(offset).name


class Element(Operators):
    """One element of a buffer: where it lies, not yet its value."""

    def __init__(self, buffer: Buffer, indices: list[Any]):
        self.buffer, self.indices = buffer, indices

    @property
    def dtype(self) -> DType:
        return self.buffer.dtype

    @property
    def kind_text(self) -> str:
        return f"an element of {self.buffer.kind_text}"

    def astype(self, dtype: Any) -> Any:
        return self.load_scalar().astype(dtype)

    def load_scalar(self) -> Value:
        return load(self.buffer, self.indices)

    def __iter__(self) -> Any:
        fail(f"{self.kind_text} cannot be iterated over or taken apart")


# -- Subscripts ---------------------------------------------------------------

def _slice_bounds(part: slice, extent: Size, buffer: Buffer) -> tuple[Any, int, Any]:
    """Offset and number of elements; where only the kernel knows the number, it is OPEN,
    and the third is where they end."""
    label = buffer.label
    if part.step is not None and part.step != 1:
        fail(f"a window of {label} with step {part.step}", "write T.Parallel and index elements")
    start = 0 if part.start is None else scalars.plain(part.start)
    stop = extent if part.stop is None else scalars.plain(part.stop)
    start, stop = (_from_end(bound, extent) for bound in (start, stop))
    a, b = scalars.poly_of(start), scalars.poly_of(stop)
    length = None
    if a is not None and b is not None:
        length = affine.constant_of(affine.add(b, a, -1))
    if length is None:
        if buffer.space != GLOBAL:
            fail(f"the number of elements of a window of {label} is known at run time only",
                 "give both ends in terms of one offset, such as A[i:i + 64]")
        return start, OPEN, stop
    if length < 1:
        fail(f"a window of {label} with {length} elements")
    return start, length, None


def _from_end(index: Any, extent: Size) -> Any:
    """Python's negative indices."""
    if isinstance(index, int) and index < 0:
        return extent + index
    return index


def _check_constant(index: Any, extent: Size, dim: int, buffer: Buffer) -> None:
    number = scalars.constant_value(index)
    if number is None or not isinstance(extent, int):
        return
    if not 0 <= number < extent and buffer.space != GLOBAL:
        fail(f"index {number} is outside of dimension {dim} of {buffer.label}, which has {extent}")


def _index(value: Any, label: str) -> Any:
    value = scalars.plain(value)
    if isinstance(value, float) or (isinstance(value, Value) and value.dtype.is_float):
        fail(f"an index of {label} must be an integer, got a float",
             "convert it with T.int32(x)")
    if isinstance(value, Value) and value.dtype is not INDEX:
        value = scalars.to_index(value)
    return int(value) if isinstance(value, bool) else value


def _expand(key: Any, rank: int, label: str) -> list[Any]:
    parts = list(key) if isinstance(key, (tuple, list)) else [key]
    if any(p is Ellipsis for p in parts):
        at = next(i for i, p in enumerate(parts) if p is Ellipsis)
        parts[at:at + 1] = [slice(None)] * (rank - len(parts) + 1)
    if len(parts) > rank:
        fail(f"{len(parts)} indices of {label}, which has {rank} dimension{'s' * (rank != 1)}")
    return parts


def subscript(buffer: Buffer, key: Any) -> Element | Region:
    """buffer[key]: an element where every dimension has an index, else a window.
    Dimensions that are left out are whole."""
    parts = _expand(key, buffer.ndim, buffer.label)
    if len(parts) == buffer.ndim and not any(isinstance(p, slice) for p in parts):
        indices = [_from_end(_index(p, buffer.label), n)
                   for p, n in zip(parts, buffer.shape, strict=True)]
        for dim, index in enumerate(indices):
            _check_constant(index, buffer.shape[dim], dim, buffer)
        return Element(buffer, indices)
    parts += [slice(None)] * (buffer.ndim - len(parts))
    offsets, sizes, dropped, ends = [], [], [], {}
    for dim, (part, extent) in enumerate(zip(parts, buffer.shape, strict=True)):
        if isinstance(part, slice):
            offset, size, end = _slice_bounds(part, extent, buffer)
            if end is not None:
                ends[dim] = end
        else:
            offset, size = _from_end(_index(part, buffer.label), extent), 1
            dropped.append(dim)
        _check_constant(offset, extent, dim, buffer)
        offsets.append(offset)
        sizes.append(size)
    return Region(buffer, offsets, sizes, tuple(dropped), ends)


def subscript_region(region: Region, key: Any) -> Element | Region:
    """The same of a window: offsets add up."""
    check_closed(region, "a window of a window")
    dims = [d for d in range(len(region.sizes)) if d not in region.dropped]
    parts = _expand(key, len(dims), region.label)
    parts += [slice(None)] * (len(dims) - len(parts))
    offsets, sizes, dropped = list(region.offsets), list(region.sizes), list(region.dropped)
    for dim, part in zip(dims, parts, strict=True):
        if isinstance(part, slice):
            offset, sizes[dim], end = _slice_bounds(part, region.sizes[dim], region.buffer)
            if end is not None:
                fail(f"the number of elements of a window of a window of {region.label} is known "
                     "at run time only", "name a window of the tensor")
        else:
            offset, sizes[dim] = _from_end(_index(part, region.label), region.sizes[dim]), 1
            dropped.append(dim)
        offsets[dim] = scalars.binary("+", offsets[dim], offset)
    if len(dropped) == len(sizes):
        return Element(region.buffer, offsets)
    return Region(region.buffer, offsets, sizes, tuple(sorted(dropped)))


def check_closed(region: Region, what: str) -> None:
    """Errors: only the kernel knows the size of a window, and nothing else gives it."""
    if OPEN in region.sizes:
        fail(f"{what}: the number of elements of a window of {region.label} is known at run time "
             "only", "give both ends in terms of one offset, such as A[i:i + 64]")


def whole(buffer: Buffer, what: str) -> Region:
    """All of a buffer as a window."""
    return Region(buffer, [0] * buffer.ndim, buffer.static_shape(what))


def to_region(value: Any, what: str) -> Region:
    """A buffer, a window, or an element as a window of one element."""
    if isinstance(value, Buffer):
        return whole(value, what)
    if isinstance(value, Element):
        rank = value.buffer.ndim
        return Region(value.buffer, value.indices, [1] * rank, tuple(range(rank - 1)))
    if isinstance(value, Region):
        check_closed(value, what)
        return value
    context.kernel(what)
    kind = getattr(value, "kind_text", None) or f"a {type(value).__name__}"
    fail(f"{what} needs a tile, a tensor or a window, got {kind}")


# -- Loads --------------------------------------------------------------------

def inside(buffer: Buffer, indices: list[Any]) -> Value | None:
    """Whether indices are inside of a tensor; None where that is known."""
    function = context.current()
    result: Value | None = None
    for index, extent in zip(indices, buffer.shape, strict=True):
        a, b = scalars.poly_of(index), scalars.poly_of(extent)
        excess = affine.add(a, b, -1) if a is not None and b is not None else None
        facts = [affine.add(excess, affine.constant(1)) if excess is not None else None,
                 affine.add({}, a, -1) if a is not None else None]
        if all(function.ranges.at_most_zero(fact) for fact in facts):
            continue
        i, n = scalars.to_index(index), scalars.to_index(extent)
        name = context.emit_value(f"arith.cmpi ult, {i.name}, {n.name} : index", "is_inside")
        function.conditions[name] = [fact for fact in facts if fact is not None]
        here = Value(name, scalars.BOOL)
        result = here if result is None else scalars.logical("and", result, here)
    return result


def coded_numbers(dtype: DType) -> DType:
    from tile.frontend import coded

    return coded.number_type(dtype)


def load_code(buffer: Buffer, indices: list[Any]) -> Value:
    """The code of an element; outside of a tensor 0."""
    from tile.frontend import coded

    if not buffer.is_packed:
        return _load(buffer, indices)
    bytes_of = Buffer(buffer.name, buffer.label, GLOBAL,
                      [*buffer.shape[:-1], buffer.shape[-1] // 2], BY_NAME["uint8"])
    byte = _load(bytes_of, [*indices[:-1], scalars.binary("//", indices[-1], 2)])
    return coded.nibble(byte, indices[-1])


def access(buffer: Buffer, indices: list[Any]) -> str:
    """`name[i, j]` of a memref op."""
    return f"{buffer.name}[{', '.join(scalars.to_index(i).name for i in indices)}]"


def load(buffer: Buffer, indices: list[Any]) -> Value:
    """The value of an element. Outside of a tensor it is 0, or what
    T.annotate_safe_value says."""
    context.kernel(f"reading {buffer.label}")
    if buffer.dtype.is_coded:
        from tile.frontend import coded

        return coded.decode(load_code(buffer, indices), buffer.dtype)
    return _load(buffer, indices)


def _load(buffer: Buffer, indices: list[Any]) -> Value:
    if buffer.space == FRAGMENT:
        if context.current().elements is None:
            return _load_from_fragment(buffer, indices)
        from tile.frontend import staging

        buffer = staging.stand_in(buffer, indices, False)
    guard = inside(buffer, indices) if buffer.space == GLOBAL else None
    if guard is None:
        place = access(buffer, indices)
        return _loaded(buffer, f"memref.load {place} : {buffer.type}")
    function = context.current()
    mlir = buffer.dtype.mlir
    with context.into(Block()) as then:
        value = _loaded(buffer, f"memref.load {access(buffer, indices)} : {buffer.type}")
        context.emit(f"scf.yield {value.name} : {mlir}")
    with context.into(Block()) as otherwise:
        kernel = function.kernel
        safe = kernel.safe_values.get(id(buffer), 0) if kernel else 0
        context.emit(f"scf.yield {scalars.to_value(safe, buffer.dtype).name} : {mlir}")
    name = function.name(f"{buffer.label}_value")
    function.append(Op(f"{name} = scf.if {guard.name} -> ({mlir}) {{", function.location,
                       [("", then), (" else {", otherwise)]))
    return Value(name, buffer.dtype)


def _loaded(buffer: Buffer, text: str) -> Value:
    return Value(context.emit_value(text, f"{buffer.label}_value", pure=False), buffer.dtype)


def _load_from_fragment(buffer: Buffer, indices: list[Any]) -> Value:
    """By way of shared memory: who asks may be another thread."""
    if any(scalars.constant_value(i) is None for i in indices):
        scratch = allocate(SHARED, buffer.static_shape("an element"), buffer.dtype,
                           f"{buffer.label}_staged")
        context.emit(f"tile.copy {buffer.name} to {scratch.name} : {buffer.type}, {scratch.type}")
        return _loaded(buffer, f"memref.load {access(scratch, indices)} : {scratch.type}")
    shape = [1] * buffer.ndim
    scratch = allocate(SHARED, shape, buffer.dtype, f"{buffer.label}_element")
    name, mlir = Region(buffer, indices, shape).operand(True)
    context.emit(f"tile.copy {name} to {scratch.name} : {mlir}, {scratch.type}")
    return _loaded(buffer, f"memref.load {access(scratch, [0] * buffer.ndim)} : {scratch.type}")


def allocate(space: str, shape: list[int], dtype: DType, label: str) -> Buffer:
    """A tile of the kernel."""
    function = context.current()
    result = Buffer("", label, space, shape, dtype)
    text = f"tile.alloc : {result.type}"
    if space == LOCAL and function.elements is not None:
        result.name = context.emit_value(text, label, pure=False)
    else:
        result.name = context.emit_entry(text, label)
    return result
