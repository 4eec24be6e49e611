"""Types of the arguments of kernels, and sizes that are known late."""

from __future__ import annotations

import dataclasses
from typing import Any

from tile.dtypes import BY_NAME, DType, to_dtype
from tile.frontend import context, scalars
from tile.frontend.errors import fail
from tile.frontend.scalars import Operators


class Dynamic(Operators):
    """A size of run time: `T.dynamic("m")`, or an expression of such."""

    def __init__(self, name: str, operation: tuple[str, Any, Any] | None = None,
                 dtype: DType = BY_NAME["int32"]):
        self.name, self.operation, self.dtype = name, operation, dtype

    def __iter__(self) -> Any:
        fail(f"{self.name} is one size, and cannot be taken apart",
             'name each: m, n = T.dynamic("m, n")')

    kind_text = "a size"

    def runtime_value(self) -> Any:
        """Its value in the function that is being built. Errors: there is none."""
        if context.maybe_current() is None:
            fail(f"the size {self} is known at run time only",
                 "outside of a kernel there are its +, -, *, //, % and T.ceildiv; compute the "
                 "rest in the kernel")
        if self.operation is not None:
            op, a, b = self.operation
            if op == "ceildiv":
                return scalars.ceildiv(a, b)
            return scalars.binary(op, a, b)
        symbols = context.current().symbols
        if self.name not in symbols:
            fail(f"the size {self.name} is that of no argument",
                 f"use T.dynamic('{self.name}') as a size of a tensor")
        return symbols[self.name]

    def is_known(self) -> bool:
        """Whether an argument of the function that is being built gives it."""
        if self.operation is None:
            return self.name in context.current().symbols
        return all(part.is_known() for part in self.operation[1:] if isinstance(part, Dynamic))

    def known(self, sizes: dict[str, int]) -> int:
        """Its value where sizes are known."""
        if self.operation is None:
            return sizes[self.name]
        op, a, b = self.operation
        a, b = (v.known(sizes) if isinstance(v, Dynamic) else v for v in (a, b))
        return -(-a // b) if op == "ceildiv" else scalars.PYTHON_OPERATORS[op](a, b)

    def inverse(self) -> tuple[str, str, int] | None:
        """(symbol, operator, number) where this is `symbol ± number`: the symbol is
        this, operator, number. None for other expressions."""
        if self.operation is None:
            return self.name, "+", 0
        op, a, b = self.operation
        if isinstance(b, Dynamic) and isinstance(a, int) and op == "+":
            a, b = b, a
        if op not in ("+", "-") or not isinstance(a, Dynamic) or a.operation is not None \
                or not isinstance(b, int):
            return None
        return a.name, "-" if op == "+" else "+", b

    def __repr__(self) -> str:
        if self.operation is None:
            return self.name
        op, a, b = self.operation
        return f"({a} {op} {b})"

    # Of sizes and numbers an operator makes an expression, which shapes are made
    # of; with values of run time it computes.
    def combine(self, op: str, a: Any, b: Any) -> Any:
        if all(isinstance(v, (Dynamic, int)) for v in (a, b)):
            return Dynamic(f"({a} {op} {b})", (op, a, b))
        return scalars.binary(op, a, b)

    def __add__(self, other: Any) -> Any: return self.combine("+", self, other)
    def __radd__(self, other: Any) -> Any: return self.combine("+", other, self)
    def __sub__(self, other: Any) -> Any: return self.combine("-", self, other)
    def __rsub__(self, other: Any) -> Any: return self.combine("-", other, self)
    def __mul__(self, other: Any) -> Any: return self.combine("*", self, other)
    def __rmul__(self, other: Any) -> Any: return self.combine("*", other, self)
    def __floordiv__(self, other: Any) -> Any: return self.combine("//", self, other)
    def __rfloordiv__(self, other: Any) -> Any: return self.combine("//", other, self)
    def __mod__(self, other: Any) -> Any: return self.combine("%", self, other)
    def __rmod__(self, other: Any) -> Any: return self.combine("%", other, self)
    def __neg__(self) -> Any: return self.combine("-", 0, self)

    def __eq__(self, other: Any) -> Any:
        if context.maybe_current() is None or isinstance(other, Dynamic):
            return isinstance(other, Dynamic) and self.name == other.name
        return scalars.compare("==", self, other)

    def __hash__(self) -> int:
        return hash(self.name)


class Const(Operators):
    """A size that the shape of an argument gives when the kernel is compiled:
    one of `T.const("M, N")`."""

    def __init__(self, name: str, value: int | None = None):
        self.name, self.value = name, value

    def bound_size(self) -> Any:
        """The number, or the object itself while it is not known."""
        return self if self.value is None else self.value

    def __iter__(self) -> Any:
        fail(f"{self.name} is one size, and cannot be taken apart",
             'name each: M, N = T.const("M, N")')

    kind_text = "a size"
    cure_text = "its number follows from the annotations of tensors, which must stand before"

    def __repr__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True)
class TensorType:
    """What an argument has to be: sizes are numbers, Dynamic or Const; strides
    are numbers, None (any), or missing: rows without gaps."""

    shape: tuple[Any, ...]
    dtype: DType
    strides: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        return f"T.Tensor({self.shape}, {self.dtype.name!r})"


def make_shape(shape: Any) -> tuple[Any, ...]:
    """Sizes of the language as a tuple. Errors: what is no size."""
    parts = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    result = []
    for part in parts:
        if isinstance(part, (Dynamic, Const)):
            result.append(part)
        elif isinstance(part, scalars.Value):
            result.append(_static(part))
        elif hasattr(part, "__index__") and not isinstance(part, bool):
            size = part.__index__()
            if size < 0:
                fail(f"a size of {size}")
            result.append(size)
        else:
            fail(f"a size must be an integer, T.dynamic or T.const, got {part!r}")
    return tuple(result)


def _static(value: Any) -> Any:
    number = scalars.constant_value(value)
    return value if number is None else number


class TensorFactory:
    """`T.Tensor`: called, `T.Tensor((M, K), dtype)`, or subscripted,
    `T.Tensor[[M, K], dtype]`."""

    def __init__(self, name: str, must_have_strides: bool = False):
        self.__name__, self.must_have_strides = name, must_have_strides

    def __call__(self, shape: Any, *args: Any, dtype: Any = None, strides: Any = None) -> Any:
        rest = list(args)
        if self.must_have_strides and strides is None:
            if not rest:
                fail("T.StridedTensor needs strides")
            strides = rest.pop(0)
        if dtype is None:
            dtype = rest.pop(0) if rest else "float32"
        if rest and hasattr(rest[0], "memory_of"):
            from tile.language import tiles

            return tiles.view(rest[0].memory_of, list(shape), dtype)
        if strides is None and rest and isinstance(rest[0], (tuple, list)):
            strides = rest.pop(0)
        known = None if strides is None else tuple(
            s if isinstance(s, int) else None for s in strides)
        return TensorType(make_shape(shape), to_dtype(dtype), known)

    def __getitem__(self, key: Any) -> Any:
        has_type = isinstance(key, tuple) and len(key) >= 2 and (
            isinstance(key[0], (tuple, list)) or isinstance(key[1], (str, DType)))
        return self(*key) if has_type else self(key)
