"""Numbers that are codes in memory: powers of two in a byte (float8_e8m0fnu), floats and
integers of 4 bits.

tile IR has no such types, so a code is an i8. Elements that are read become numbers
that hold them exactly, and what is stored becomes a code. Tiles have a code in each
byte; tensors have two of 4 bits, the first in the low half.
"""

from __future__ import annotations

from typing import Any

from tile.dtypes import BY_NAME, DType
from tile.frontend import context, scalars
from tile.frontend.errors import fail
from tile.frontend.scalars import Value

_U8, _U16, _U32, _I8 = (BY_NAME[n] for n in ("uint8", "uint16", "uint32", "int8"))
_F16, _F32 = BY_NAME["float16"], BY_NAME["float32"]
NUMBERS_OF = {"float8_e8m0fnu": _F32, "float4_e2m1fn": _F16, "int4": _I8, "uint4": _U8}

# Of float4_e2m1fn: from where on a size has at least code 1, 2, …; halves go to even codes.
_STEPS = ((0.25, ">"), (0.75, ">="), (1.25, ">"), (1.75, ">="), (2.5, ">"), (3.5, ">="),
          (5.0, ">"))


def number_type(dtype: DType) -> DType:
    """The type that holds the numbers of a coded one exactly."""
    return NUMBERS_OF[dtype.name]


def _bits(value: Value, dtype: DType) -> Value:
    name = context.emit_value(f"arith.bitcast {value.name} : {value.dtype.mlir} to {dtype.mlir}",
                              "bits")
    return Value(name, dtype)


def decode(code: Value, dtype: DType) -> Value:
    """The number of a code."""
    byte = Value(code.name, _U8)
    if dtype.name == "float8_e8m0fnu":
        wide = scalars.cast(byte, _U32)
        bits = scalars.binary("<<", wide, 23)
        bits = _either(scalars.compare("==", wide, 0), 0x00400000, bits)  # 2^-127
        bits = _either(scalars.compare("==", wide, 255), 0x7FC00000, bits)
        return _bits(bits, _F32)
    if dtype.name == "float4_e2m1fn":
        # Exponent and mantissa in the places of a float16, whose exponents are 14 less.
        wide = scalars.cast(byte, _U16)
        size = scalars.binary("<<", scalars.binary("&", wide, 7), 9)
        sign = scalars.binary("<<", scalars.binary("&", wide, 8), 12)
        return scalars.binary("*", _bits(scalars.binary("|", size, sign), _F16), 16384.0)
    low = scalars.binary("&", byte, 15)
    if dtype.kind == "uint":
        return low
    return scalars.binary(">>", Value(scalars.binary("<<", low, 4).name, _I8), 4)


def encode(value: Value, dtype: DType) -> Value:
    """The code of the nearest number; floats that are too great become the greatest, or
    NaN where there is one."""
    if dtype.name == "float8_e8m0fnu":
        bits = _bits(scalars.cast(value, _F32), _U32)
        is_normal = scalars.cast(scalars.compare(">", bits, 0x007FFFFF), _U32)
        half = scalars.binary("+", is_normal, 0x003FFFFF)  # 2^-127 is a half itself
        nearest = scalars.binary(">>", scalars.binary("+", bits, half), 23)
        is_nan = scalars.compare(">", bits, 0x7F800000)  # or negative
        return Value(scalars.cast(_either(is_nan, 255, nearest), _U8).name, dtype)
    if dtype.name == "float4_e2m1fn":
        wide = scalars.cast(value, _F32)
        size = scalars.absolute(wide)
        code: Any = scalars.binary(">>", _bits(wide, _U32), 31 - 3)
        code = scalars.binary("&", code, 8)
        for step, op in _STEPS:
            code = scalars.binary("+", code, scalars.cast(scalars.compare(op, size, step), _U32))
        return Value(scalars.cast(code, _U8).name, dtype)
    byte = scalars.cast(value, _I8 if dtype.kind == "int" else _U8)
    return Value(scalars.binary("&", Value(byte.name, _U8), 15).name, dtype)


def _either(condition: Any, number: int, otherwise: Value) -> Value:
    return scalars.select(condition, scalars.number(number, otherwise.dtype), otherwise)


def constant(number: Any, dtype: DType) -> Value:
    """The code of a number of Python. Errors: an integer that does not fit."""
    kind = number_type(dtype)
    low, high = dtype.bounds()
    if dtype.is_integer and not low <= number <= high:
        fail(f"{number} does not fit {dtype}, which has {low} to {high}")
    return encode(scalars.number(number, kind), dtype)


# -- Two codes in a byte ------------------------------------------------------

def half_of(index: Any, what: str) -> Any:
    """The byte that a window begins at. Errors: it may begin in the middle of one."""
    poly = scalars.poly_of(index)
    if poly is None or any(factor % 2 for factor in poly.values()):
        fail(f"{what} begins at a place that may be odd, and two elements are in a byte",
             "write it as a multiple of 2, such as `k * 64`")
    return scalars.binary("//", index, 2)


def nibble(byte: Value, index: Any) -> Value:
    """The code with this index of the two in a byte."""
    shift = scalars.cast(scalars.binary("*", scalars.binary("%", index, 2), 4), _U8)
    shift = scalars.to_value(shift, _U8)
    return scalars.binary("&", scalars.binary(">>", Value(byte.name, _U8), shift), 15)


def pair(first: Value, second: Value) -> Value:
    """The byte of two codes."""
    high = scalars.binary("<<", Value(second.name, _U8), 4)
    return scalars.binary("|", Value(first.name, _U8), high)
