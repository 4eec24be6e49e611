"""Element types: one table for the language, tile IR, arrays and DLPack."""

from __future__ import annotations

import dataclasses
from typing import Any

BOOL, INT, UINT, FLOAT = "bool", "int", "uint", "float"


class _Named(type):
    """Of one argument, the class gives the type that it names: `T.dtype("float16")`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs:
            return to_dtype(args[0])
        return super().__call__(*args, **kwargs)


def is_text(value: Any) -> bool:
    """Whether a value is a string and no DType."""
    return isinstance(value, str) and not isinstance(value, DType)


@dataclasses.dataclass(frozen=True, eq=False)
class DType(str, metaclass=_Named):
    """An element type, whose text is its name. Called with a value, it converts:
    `T.float32(x)`."""

    name: str
    kind: str
    bits: int
    mlir: str  # of coded ones that of their codes
    dlpack_code: int

    def __new__(cls, name: str, *_: Any) -> DType:
        return str.__new__(cls, name)

    def __call__(self, value: Any) -> Any:
        from tile.frontend import scalars

        return scalars.cast(value, self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self.name == other.name and self.mlir == other.mlir
        if isinstance(other, str):
            return self.name == _ALIASES.get(other, other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    @property
    def is_float(self) -> bool:
        return self.kind == FLOAT

    @property
    def is_coded(self) -> bool:
        """Whether tile IR has codes in place of the numbers (coded.py)."""
        return self.name in CODED

    @property
    def is_packed(self) -> bool:
        """Whether tensors have two elements in a byte."""
        return self.bits == 4

    @property
    def is_integer(self) -> bool:
        return self.kind in (INT, UINT)

    @property
    def is_bool(self) -> bool:
        return self.kind == BOOL

    @property
    def size_bytes(self) -> int:
        return max(self.bits, 8) // 8

    def as_torch(self) -> Any:
        """torch's type of this name."""
        import torch

        return getattr(torch, "float32" if self.name == "tfloat32" else self.name)

    def bounds(self) -> tuple[int, int]:
        """Smallest and greatest integer of the type."""
        if self.kind == BOOL:
            return 0, 1
        if self.kind == UINT:
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


DataType = DType
CODED = ("float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4")

# name, kind, bits, MLIR type, code of DLPack 1.1
_TABLE = [
    DType("bool", BOOL, 1, "i1", 6),
    DType("int8", INT, 8, "i8", 0),
    DType("int16", INT, 16, "i16", 0),
    DType("int32", INT, 32, "i32", 0),
    DType("int64", INT, 64, "i64", 0),
    DType("uint8", UINT, 8, "i8", 1),
    DType("uint16", UINT, 16, "i16", 1),
    DType("uint32", UINT, 32, "i32", 1),
    DType("uint64", UINT, 64, "i64", 1),
    DType("float16", FLOAT, 16, "f16", 2),
    DType("float32", FLOAT, 32, "f32", 2),
    DType("float64", FLOAT, 64, "f64", 2),
    DType("bfloat16", FLOAT, 16, "bf16", 4),
    DType("tfloat32", FLOAT, 32, "f32", 2),
    DType("float8_e4m3fn", FLOAT, 8, "f8E4M3FN", 10),
    DType("float8_e5m2", FLOAT, 8, "f8E5M2", 12),
    DType("float8_e8m0fnu", FLOAT, 8, "i8", 14),
    DType("float4_e2m1fn", FLOAT, 4, "i8", 17),
    DType("int4", INT, 4, "i8", 0),
    DType("uint4", UINT, 4, "i8", 1),
]
BY_NAME = {dtype.name: dtype for dtype in _TABLE}

# The type of indices in kernels: an int32 to the user, `index` in tile IR.
INDEX = DType("int32", INT, 32, "index", 0)

_ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "e4m3_float8": "float8_e4m3fn",
    "float8_e4m3": "float8_e4m3fn",
    "e5m2_float8": "float8_e5m2",
    "handle": "int64",
    "ptr": "int64",
}
_MAX_EXACT = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38,
              "float32": 3.4028234663852886e38, "tfloat32": 3.4028234663852886e38,
              "float64": 1.7976931348623157e308, "float8_e4m3fn": 448.0,
              "float8_e5m2": 57344.0, "float8_e8m0fnu": 2.0**127, "float4_e2m1fn": 6.0}


def article(dtype: DType) -> str:
    """`a` or `an`, before the name."""
    return "an" if dtype.name.startswith("int") else "a"


def max_finite(dtype: DType) -> float:
    """The greatest finite number of a float type."""
    return _MAX_EXACT[dtype.name]


def to_dtype(value: Any) -> DType:
    """The type that a string, a DType, or a dtype of numpy, torch or ml_dtypes
    names. Errors: TypeError with the names that are known."""
    if isinstance(value, DType):
        return value
    if value is float:
        return BY_NAME["float32"]
    if value is int:
        return BY_NAME["int32"]
    if value is bool:
        return BY_NAME["bool"]
    name = value if isinstance(value, str) else getattr(value, "name", None) or str(value)
    name = str(name).rsplit(".", 1)[-1]
    if isinstance(value, type):
        name = value.__name__.rstrip("_")
    name = _ALIASES.get(name, name)
    if name not in BY_NAME:
        import difflib

        close = difflib.get_close_matches(name, BY_NAME, 1)
        raise TypeError(f"expected a data type, got {value!r}; " + (
            f"is it {close[0]}?" if close else f"known are {', '.join(BY_NAME)}"))
    return BY_NAME[name]
