"""Scalars of run time: values of one element type, and what arithmetic means.

Operators mean what they mean in Python: `//` and `%` round down, comparisons
chain. Of two types the wider one is taken, floats before integers; a number of
Python takes the type of the other side.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from tile.dtypes import BY_NAME, INDEX, DType, article, to_dtype
from tile.frontend import affine, context
from tile.frontend.errors import fail

BOOL, I32, I64 = BY_NAME["bool"], BY_NAME["int32"], BY_NAME["int64"]
F32 = BY_NAME["float32"]
NUMBERS = (bool, int, float)
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


class Operators:
    """What can be computed with: values, and elements of buffers."""

    __slots__ = ()

    def _no_number(self, what: str) -> Any:
        fail(f"{what} needs a number that is known when the kernel is compiled, got "
             f"{getattr(self, 'kind_text', 'a value')} of run time")

    def __bool__(self) -> bool:
        fail("a condition of run time decides here in Python code that the compiler does not see",
             "use `if`, `and`, `or`, T.if_then_else in the kernel itself or in a T.macro")

    def __int__(self) -> int:
        return self._no_number("int()")

    def __index__(self) -> int:
        return self._no_number("an index of Python, such as that of a list or of range()")

    def __float__(self) -> float:
        return self._no_number("float()")

    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Any: return binary("+", self, other)
    def __radd__(self, other: Any) -> Any: return binary("+", other, self)
    def __sub__(self, other: Any) -> Any: return binary("-", self, other)
    def __rsub__(self, other: Any) -> Any: return binary("-", other, self)
    def __mul__(self, other: Any) -> Any: return binary("*", self, other)
    def __rmul__(self, other: Any) -> Any: return binary("*", other, self)
    def __truediv__(self, other: Any) -> Any: return binary("/", self, other)
    def __rtruediv__(self, other: Any) -> Any: return binary("/", other, self)
    def __floordiv__(self, other: Any) -> Any: return binary("//", self, other)
    def __rfloordiv__(self, other: Any) -> Any: return binary("//", other, self)
    def __mod__(self, other: Any) -> Any: return binary("%", self, other)
    def __rmod__(self, other: Any) -> Any: return binary("%", other, self)
    def __pow__(self, other: Any) -> Any: return binary("**", self, other)
    def __rpow__(self, other: Any) -> Any: return binary("**", other, self)
    def __lshift__(self, other: Any) -> Any: return binary("<<", self, other)
    def __rlshift__(self, other: Any) -> Any: return binary("<<", other, self)
    def __rshift__(self, other: Any) -> Any: return binary(">>", self, other)
    def __rrshift__(self, other: Any) -> Any: return binary(">>", other, self)
    def __and__(self, other: Any) -> Any: return binary("&", self, other)
    def __rand__(self, other: Any) -> Any: return binary("&", other, self)
    def __or__(self, other: Any) -> Any: return binary("|", self, other)
    def __ror__(self, other: Any) -> Any: return binary("|", other, self)
    def __xor__(self, other: Any) -> Any: return binary("^", self, other)
    def __rxor__(self, other: Any) -> Any: return binary("^", other, self)
    def __lt__(self, other: Any) -> Any: return compare("<", self, other)
    def __le__(self, other: Any) -> Any: return compare("<=", self, other)
    def __gt__(self, other: Any) -> Any: return compare(">", self, other)
    def __ge__(self, other: Any) -> Any: return compare(">=", self, other)
    def __eq__(self, other: Any) -> Any: return compare("==", self, other)
    def __ne__(self, other: Any) -> Any: return compare("!=", self, other)
    def __neg__(self) -> Any: return negate(self)
    def __pos__(self) -> Any: return self
    def __invert__(self) -> Any: return invert(self)
    def __abs__(self) -> Any: return absolute(self)


class Value(Operators):
    """A scalar that is known at run time only."""

    __slots__ = ("dtype", "name", "poly")

    def __init__(self, name: str, dtype: DType, poly: affine.Poly | None = None):
        self.name, self.dtype = name, dtype
        self.poly = affine.symbol(name) if poly is None and dtype is INDEX else poly

    def astype(self, dtype: Any) -> Any:
        return cast(self, to_dtype(dtype))

    @property
    def kind_text(self) -> str:
        return f"{article(self.dtype)} {self.dtype}"

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int) and key == 0:
            return self  # x[0] of a T.alloc_var is x
        fail(f"{self.kind_text} has no elements")

    def __repr__(self) -> str:
        return f"<{self.dtype} {self.name}>"

    def __iter__(self) -> Any:
        fail(f"{self.kind_text} of run time cannot be iterated over or taken apart")

    def __len__(self) -> int:  # noqa: PLE0303
        fail(f"{self.kind_text} has no length")


def is_runtime(*values: Any) -> bool:
    return any(isinstance(v, Value) or hasattr(v, "load_scalar") or hasattr(v, "runtime_value")
               for v in values)


# -- Constants ----------------------------------------------------------------

_FLOAT_FORMS = {"f16": ("e", 4), "f32": ("f", 8), "f64": ("d", 16)}


def _special_float(value: float, dtype: DType) -> str:
    """Infinities and NaN, as bits."""
    if dtype.mlir == "bf16":
        return f"0x{struct.pack('>f', value)[:2].hex().upper()}"
    if dtype.mlir in _FLOAT_FORMS:
        form, _ = _FLOAT_FORMS[dtype.mlir]
        return f"0x{struct.pack('>' + form, value).hex().upper()}"
    if dtype.mlir == "f8E5M2":
        return {math.inf: "0x7C", -math.inf: "0xFC"}.get(value, "0x7F")
    if math.isnan(value):
        return "0x7F"
    fail(f"{dtype} has no infinity", f"the greatest number is T.max_value('{dtype}')")


def float_text(value: float, dtype: DType) -> str:
    if math.isinf(value) or math.isnan(value):
        return _special_float(value, dtype)
    text = repr(float(value))
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa if "." in mantissa else mantissa + ".0"
    return mantissa + ("e" + exponent if exponent else "")


def number(value: Any, dtype: DType) -> Value:
    """A constant. Errors: the type does not hold it."""
    if dtype.is_coded:
        from tile.frontend import coded

        return coded.constant(value, dtype)
    if dtype.is_bool:
        text = "true" if value else "false"
        return Value(context.constant(text, dtype, text), dtype)
    if dtype.is_float:
        value = float(value)
        label = f"{value:g}".replace("-", "m").replace(".", "p").replace("+", "")
        return Value(context.constant(float_text(value, dtype), dtype, f"f{label}"), dtype)
    if isinstance(value, float):
        if not value.is_integer():
            fail(f"{value} is no {dtype}", "convert it, such as int(x), or write an integer")
        value = int(value)
    value = int(value)
    low, high = dtype.bounds()
    if not low <= value <= high:
        fail(f"{value} does not fit {dtype}, which has {low} to {high}",
             "give it a wider type, such as T.int64(x)")
    if dtype is INDEX:
        return Value(context.index_constant(value), INDEX, affine.constant(value))
    signed = value - 2**dtype.bits if value >= 2 ** (dtype.bits - 1) else value
    label = f"i{signed}".replace("-", "m")
    return Value(context.constant(str(signed), dtype, label), dtype, affine.constant(value))


def constant_value(value: Any) -> int | None:
    """The integer that a number or an index is, where it is known."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Value):
        return affine.constant_of(value.poly)
    return None


def poly_of(value: Any) -> affine.Poly | None:
    if isinstance(value, Value):
        return value.poly
    if isinstance(value, int):
        return affine.constant(int(value))
    return None


def of_poly(terms: Any) -> Any:
    """The number that a polynomial is, given as pairs of terms and factors."""
    total: Any = 0
    for term, factor in terms:
        product: Any = factor
        for name in term:
            product = binary("*", Value(name, INDEX), product)
        total = binary("+", total, product)
    return total


def range_of(value: Any) -> tuple[float, float]:
    return context.current().ranges.of(poly_of(value))


# -- Conversions --------------------------------------------------------------

def plain(value: Any) -> Any:
    """A number or Value; an element of a buffer is loaded, other numbers, such
    as those of numpy, become Python's. Errors: anything else."""
    if isinstance(value, (Value, *NUMBERS)):
        return value
    if hasattr(value, "load_scalar"):
        return value.load_scalar()
    if hasattr(value, "runtime_value"):
        return value.runtime_value()
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    kind = getattr(value, "kind_text", None) or f"a {type(value).__name__}"
    cure = getattr(value, "cure_text", None)
    if isinstance(value, (tuple, list)):
        cure = "name one of its parts"
    fail(f"expected a number, got {kind}", cure)


def to_value(value: Any, dtype: DType | None = None) -> Value:
    """`value` as one of run time; numbers have type `dtype`, or that which
    Python gives them."""
    value = plain(value)
    if isinstance(value, Value):
        if dtype is not None and dtype.is_coded:
            from tile.frontend import coded

            return value if value.dtype == dtype else coded.encode(value, dtype)
        return value if dtype is None else cast(value, dtype)
    if dtype is None:
        dtype = BOOL if isinstance(value, bool) else F32 if isinstance(value, float) else INDEX
        if dtype is INDEX and not -(2**31) <= value < 2**31:
            dtype = I64
    return number(value, dtype)


def to_index(value: Any) -> Value:
    """The same as an index. Errors: floats, which are no places."""
    value = plain(value)
    if isinstance(value, float) or (isinstance(value, Value) and value.dtype.is_float):
        fail("an index must be an integer, got a float", "convert it with T.int32(x)")
    return to_value(value, INDEX)


def _convert(name: str, op: str, source: DType, target: DType) -> Value:
    return Value(context.emit_value(f"{op} {name} : {source.mlir} to {target.mlir}", "x"), target)


def _float_to_float(value: Value, dtype: DType) -> Value:
    source = value.dtype
    if source.bits < dtype.bits:
        return _convert(value.name, "arith.extf", source, dtype)
    if source.bits > dtype.bits:
        return _convert(value.name, "arith.truncf", source, dtype)
    return _float_to_float(_float_to_float(value, F32), dtype)


def _from_index(value: Value, dtype: DType) -> Value:
    if dtype.is_integer:
        poly = value.poly
        result = _convert(value.name, "arith.index_cast", INDEX, dtype)
        result.poly = poly if dtype.bits >= 32 else None
        return result
    return cast(_from_index(value, I32), dtype)


def _integer_to_integer(value: Value, dtype: DType) -> Value:
    source = value.dtype
    if source.bits == dtype.bits:
        return Value(value.name, dtype, value.poly)
    if source.bits > dtype.bits:
        return _convert(value.name, "arith.trunci", source, dtype)
    op = "arith.extui" if source.kind in ("uint", "bool") else "arith.extsi"
    return _convert(value.name, op, source, dtype)


def cast(value: Any, dtype: DType) -> Any:
    """Converts as C does: floats to integers towards zero, integers are cut.
    A number of Python becomes a constant."""
    value = plain(value)
    if not isinstance(value, Value):
        if context.maybe_current() is None:
            return float(value) if dtype.is_float else bool(value) if dtype.is_bool else int(value)
        if dtype.is_integer and isinstance(value, float):
            value = int(value)
        return number(value, dtype)
    source = value.dtype
    if dtype.is_coded:
        from tile.frontend import coded

        return coded.decode(coded.encode(value, dtype), dtype)
    if source.mlir == dtype.mlir:
        return value if source is dtype else Value(value.name, dtype, value.poly)
    if dtype.is_bool:
        return compare("!=", value, 0)
    if source is INDEX:
        return _from_index(value, dtype)
    if dtype is INDEX:
        poly = value.poly
        wide = value if source.bits >= 32 else _integer_to_integer(value, I32) \
            if not source.is_float else cast(value, I32)
        if wide.dtype.is_float:
            wide = cast(wide, I32)
        name = context.emit_value(f"arith.index_cast {wide.name} : {wide.dtype.mlir} to index", "i")
        return Value(name, INDEX, poly)
    if source.is_float and dtype.is_float:
        return _float_to_float(value, dtype)
    if source.is_float:
        wide = value if source.bits >= 16 else _float_to_float(value, F32)
        op = "arith.fptoui" if dtype.kind == "uint" else "arith.fptosi"
        return _convert(wide.name, op, wide.dtype, dtype)
    if dtype.is_float:
        op = "arith.uitofp" if source.kind in ("uint", "bool") else "arith.sitofp"
        if dtype.bits < 16:
            return _float_to_float(_convert(value.name, op, source, F32), dtype)
        return _convert(value.name, op, source, dtype)
    return _integer_to_integer(value, dtype)


def promote(a: DType, b: DType) -> DType:
    """The type of an operation on both."""
    if a.mlir == b.mlir and a.kind == b.kind:
        return a
    if a.is_float and b.is_float:
        return a if a.bits > b.bits else b if b.bits > a.bits else F32
    if a.is_float or b.is_float:
        return a if a.is_float else b
    if a.is_bool or b.is_bool:
        return b if a.is_bool else a
    if INDEX in (a, b) and max(a.bits, b.bits) <= 32:
        other = b if a is INDEX else a
        return INDEX if other.kind == "int" or other.bits < 32 else other
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if a.kind == "uint" else b


def _number_type(value: Any, other: DType) -> DType:
    """The type that a number takes beside a value of type `other`."""
    if isinstance(value, float) and not other.is_float:
        return F32
    if isinstance(value, bool) or other.is_float:
        return other
    if other.is_bool:
        return INDEX
    low, high = other.bounds()
    if low <= value <= high:
        return other
    return I64 if not -(2**31) <= value < 2**31 else I32


def unify_types(a: Any, b: Any) -> DType:
    """The type that holds both of two values or numbers."""
    if isinstance(a, Value) and isinstance(b, Value):
        return promote(a.dtype, b.dtype)
    if isinstance(a, Value):
        return promote(a.dtype, _number_type(b, a.dtype))
    if isinstance(b, Value):
        return promote(_number_type(a, b.dtype), b.dtype)
    if isinstance(a, bool) and isinstance(b, bool):
        return BOOL
    return F32 if isinstance(a, float) or isinstance(b, float) else INDEX


def unify(a: Any, b: Any) -> tuple[Value, Value, DType]:
    """Both as values of one type."""
    a, b = plain(a), plain(b)
    dtype = unify_types(a, b)
    return to_value(a, dtype), to_value(b, dtype), dtype


# -- Arithmetic ---------------------------------------------------------------

PYTHON_OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    "**": lambda a, b: a**b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}
_INTEGER_OPS = {"+": "addi", "-": "subi", "*": "muli", "&": "andi", "|": "ori", "^": "xori"}
_FLOAT_OPS = {"+": "addf", "-": "subf", "*": "mulf", "/": "divf"}
BASES = {"+": "sum", "-": "difference", "*": "product", "/": "quotient", "//": "quotient",
         "%": "remainder", "min": "least", "max": "most"}


def _emit(op: str, a: Value, b: Value, dtype: DType, base: str = "v",
          poly: affine.Poly | None = None, pure: bool = True, flags: str = "") -> Value:
    text = f"{op} {a.name}, {b.name}{flags} : {dtype.mlir}"
    return Value(context.emit_value(text, base, pure=pure), dtype, poly)


def binary(op: str, a: Any, b: Any) -> Any:
    a, b = plain(a), plain(b)
    if not isinstance(a, Value) and not isinstance(b, Value):
        return PYTHON_OPERATORS[op](a, b)
    if op == "**":
        return power(a, b)
    if op in ("<<", ">>"):
        return _shift(op, a, b)
    a, b, dtype = unify(a, b)
    if dtype.is_float:
        return _float_binary(op, a, b, dtype)
    if dtype.is_bool and op not in ("&", "|", "^"):
        a, b, dtype = cast(a, INDEX), cast(b, INDEX), INDEX
    return _integer_binary(op, a, b, dtype)


def _float_binary(op: str, a: Value, b: Value, dtype: DType) -> Value:
    if op in _FLOAT_OPS:
        flags = ""  # fast: a product and a sum round once, a quotient may be a product
        if context.current().options.get("fast_math"):
            flags = " fastmath<contract,arcp>" if op == "/" else " fastmath<contract>"
        return _emit("arith." + _FLOAT_OPS[op], a, b, dtype, BASES[op], flags=flags)
    if op == "//":
        return unary_math("math.floor", _float_binary("/", a, b, dtype))
    if op == "%":
        whole = _float_binary("//", a, b, dtype)
        return _float_binary("-", a, _float_binary("*", whole, b, dtype), dtype)
    fail(f"`{op}` needs integers, got {dtype}", "convert the operands with T.int32(x)")


def _same(value: Value, constant: int) -> bool:
    return value.dtype is INDEX and affine.constant_of(value.poly) == constant


def _integer_binary(op: str, a: Value, b: Value, dtype: DType) -> Value:
    if op == "/":
        fail("`/` of two integers", "use `//`, which rounds down, or convert one to a float")
    if op in ("//", "%"):
        return _divide(op, a, b, dtype)
    poly = None
    if dtype is INDEX and op in ("+", "-", "*"):
        if op == "*" and (_same(a, 1) or _same(b, 0)):
            return b
        if (op == "*" and (_same(b, 1) or _same(a, 0))) or (op in "+-" and _same(b, 0)):
            return a
        if op == "+" and _same(a, 0):
            return b
        if a.poly is not None and b.poly is not None:
            poly = affine.multiply(a.poly, b.poly) if op == "*" else \
                affine.add(a.poly, b.poly, 1 if op == "+" else -1)
        folded = affine.constant_of(poly)
        if folded is not None and -(2**31) <= folded < 2**31:
            return number(folded, INDEX)
    return _emit("arith." + _INTEGER_OPS[op], a, b, dtype, BASES.get(op, "bits"), poly)


def _is_natural(value: Value) -> bool:
    return value.dtype.kind == "uint" or range_of(value)[0] >= 0


def _divide(op: str, a: Value, b: Value, dtype: DType) -> Value:
    """Rounds down, as Python does; where nothing is negative, as hardware does."""
    if dtype is INDEX and _same(b, 1):
        return a if op == "//" else number(0, INDEX)
    divisor = constant_value(b)
    if divisor == 0:
        fail("division by zero")
    pure = divisor is not None
    if _is_natural(a) and _is_natural(b):
        result = _emit("arith.divui" if op == "//" else "arith.remui", a, b, dtype, BASES[op],
                       pure=pure)
    elif op == "//":
        result = _emit("arith.floordivsi", a, b, dtype, BASES[op], pure=pure)
    else:
        result = _floor_remainder(a, b, dtype, pure)
    if dtype is INDEX:
        low, high = _divided_range(op, range_of(a), range_of(b))
        context.current().ranges.set(result.name, low, high)
    return result


def _floor_remainder(a: Value, b: Value, dtype: DType, pure: bool) -> Value:
    rest = _emit("arith.remsi", a, b, dtype, "rest", pure=pure)
    zero = number(0, dtype)
    shifted = _emit("arith.addi", rest, b, dtype, "shifted")
    if range_of(b)[0] > 0:
        is_other = _compare_integers("lt", rest, zero)
    else:
        signs = _emit("arith.xori", rest, b, dtype, "signs")
        differ = _compare_integers("lt", signs, zero)
        is_rest = _compare_integers("ne", rest, zero)
        is_other = _emit("arith.andi", differ, is_rest, BOOL, "is_other")
    return select(is_other, shifted, rest)


def _divided_range(op: str, bounds: tuple[float, float],
                   divisors: tuple[float, float]) -> tuple[float, float]:
    """Bounds of a quotient or remainder that is rounded down."""
    low, high = bounds
    if op == "%":
        if divisors[0] > 0:
            top = divisors[1] - 1
            return 0, min(top, high) if low >= 0 else top
        if divisors[1] < 0:
            return divisors[0] + 1, 0
        return -math.inf, math.inf
    if divisors[0] > 0:
        ends = [_floor(low, d) for d in divisors] + [_floor(high, d) for d in divisors]
        return min(ends), max(ends)
    return -math.inf, math.inf


def _floor(value: float, divisor: float) -> float:
    if math.isinf(value):
        return value
    return (0 if value >= 0 else -1) if math.isinf(divisor) else value // divisor


def _shift(op: str, a: Any, b: Any) -> Value:
    if isinstance(b, int) and isinstance(a, Value):
        b = number(b, a.dtype)
    a, b, dtype = unify(a, b)
    if dtype.is_float:
        fail(f"`{op}` needs integers, got {dtype}")
    if dtype.is_bool:
        a, b, dtype = cast(a, INDEX), cast(b, INDEX), INDEX
    amount = constant_value(b)
    if op == "<<":
        poly = None
        if dtype is INDEX and amount is not None and 0 <= amount < 31 and a.poly is not None:
            poly = affine.multiply(a.poly, affine.constant(1 << amount))
        return _emit("arith.shli", a, b, dtype, "shifted", poly)
    if dtype is INDEX and amount is not None and 0 <= amount < 31:
        return _divide("//", a, number(1 << amount, INDEX), INDEX)
    name = "arith.shrui" if dtype.kind == "uint" else "arith.shrsi"
    return _emit(name, a, b, dtype, "shifted")


def power(a: Any, b: Any) -> Any:
    """Small constant powers are products, others math.powf."""
    exponent = b if isinstance(b, int) and not isinstance(b, bool) else None
    if exponent is not None and 0 <= exponent <= 8:
        result: Any = number(1, a.dtype)
        if exponent == 0:
            return result
        result = a
        for _ in range(exponent - 1):
            result = binary("*", result, a)
        return result
    a, b, dtype = unify(a, b)
    if not dtype.is_float:
        fail("`**` of integers needs a constant exponent from 0 to 8",
             "convert to a float, or use `<<` for powers of two")
    return _emit("math.powf", a, b, dtype, "power")


def negate(a: Any) -> Any:
    a = to_value(a)
    if a.dtype.is_float:
        return Value(context.emit_value(f"arith.negf {a.name} : {a.dtype.mlir}", "negative"),
                     a.dtype)
    return binary("-", 0, a)


def invert(a: Any) -> Any:
    a = to_value(a)
    if a.dtype.is_bool:
        return logical_not(a)
    if a.dtype.is_float:
        fail(f"`~` needs an integer, got {a.dtype}")
    return binary("^", a, -1 if a.dtype.kind == "int" else a.dtype.bounds()[1])


def absolute(a: Any) -> Any:
    a = plain(a)
    if not isinstance(a, Value):
        return abs(a)
    if a.dtype.is_float:
        return unary_math("math.absf", a)
    if _is_natural(a):
        return a
    return unary_math("math.absi", a)


def unary_math(op: str, a: Value, flags: str = "") -> Value:
    text = f"{op} {a.name}{flags} : {a.dtype.mlir}"
    return Value(context.emit_value(text, op.split(".")[1]), a.dtype)


# -- Comparisons, choices -----------------------------------------------------

_FLOAT_PREDICATES = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}


def _compare_integers(predicate: str, a: Value, b: Value) -> Value:
    sign = "" if predicate in ("eq", "ne") else "u" if a.dtype.kind in ("uint", "bool") else "s"
    text = f"arith.cmpi {sign}{predicate}, {a.name}, {b.name} : {a.dtype.mlir}"
    return Value(context.emit_value(text, "is_" + predicate), BOOL)


def compare(op: str, a: Any, b: Any) -> Any:
    if b is None or a is None:
        return op == "!="
    if isinstance(a, str) or isinstance(b, str):
        text, other = (a, b) if isinstance(a, str) else (b, a)
        fail(f"`{op}` of {getattr(other, 'kind_text', 'a number')} and the text {text!r}",
             "compare numbers; what is known when the kernel is compiled is no argument of it")
    a, b = plain(a), plain(b)
    if not isinstance(a, Value) and not isinstance(b, Value):
        return PYTHON_OPERATORS[op](a, b)
    a, b, dtype = unify(a, b)
    predicate = COMPARISONS[op]
    if dtype.is_float:
        text = f"arith.cmpf {_FLOAT_PREDICATES[predicate]}, {a.name}, {b.name} : {dtype.mlir}"
        return Value(context.emit_value(text, "is_" + predicate), BOOL)
    if dtype is INDEX:
        known = _known(predicate, a, b)
        if known is not None:
            return known
    result = _compare_integers(predicate, a, b)
    if dtype is INDEX:
        _remember(result, predicate, a, b)
    return result


def _known(predicate: str, a: Value, b: Value) -> bool | None:
    """What a comparison of indices gives, where both are constants."""
    m, n = affine.constant_of(a.poly), affine.constant_of(b.poly)
    if m is None or n is None:
        return None
    return {"lt": m < n, "le": m <= n, "gt": m > n, "ge": m >= n, "eq": m == n,
            "ne": m != n}[predicate]


def _remember(result: Value, predicate: str, a: Value, b: Value) -> None:
    if a.poly is None or b.poly is None:
        return
    one = affine.constant(1)
    difference = affine.add(a.poly, b.poly, -1)
    reverse = affine.add(b.poly, a.poly, -1)
    if difference is None or reverse is None:
        return
    table: dict[str, list[affine.Poly | None]] = {
        "lt": [affine.add(difference, one)], "le": [difference],
        "gt": [affine.add(reverse, one)], "ge": [reverse], "eq": [difference, reverse]}
    facts = table.get(predicate, [])
    context.current().conditions[result.name] = [f for f in facts if f is not None]


def assume(condition: Value) -> None:
    """What `condition` says holds in the rest of the current block: polynomials
    that are at most 0."""
    facts = context.current().conditions.get(condition.name, [])
    context.current().ranges.facts.extend(facts)


def truth(value: Any) -> Any:
    """bool(value), of run time where that is."""
    if is_runtime(value):
        value = plain(value)
    if not isinstance(value, Value):
        return bool(value)
    return value if value.dtype.is_bool else compare("!=", value, 0)


def logical_not(value: Any) -> Any:
    value = truth(value)
    if not isinstance(value, Value):
        return not value
    return _emit("arith.xori", value, number(True, BOOL), BOOL, "is_not")


def logical(op: str, a: Value, b: Value) -> Value:
    """`and`, `or` of two conditions that are both evaluated."""
    result = _emit("arith.andi" if op == "and" else "arith.ori", a, b, BOOL, "is_" + op)
    if op == "and":
        table = context.current().conditions
        table[result.name] = table.get(a.name, []) + table.get(b.name, [])
    return result


def select(condition: Value, a: Value, b: Value) -> Value:
    text = f"arith.select {condition.name}, {a.name}, {b.name} : {a.dtype.mlir}"
    result = Value(context.emit_value(text, "chosen"), a.dtype)
    if a.dtype is INDEX:
        (low_a, high_a), (low_b, high_b) = range_of(a), range_of(b)
        context.current().ranges.set(result.name, min(low_a, low_b), max(high_a, high_b))
    return result


def extremum(op: str, a: Any, b: Any) -> Any:
    """`min` or `max`; NaN gives NaN."""
    a, b = plain(a), plain(b)
    if not isinstance(a, Value) and not isinstance(b, Value):
        return min(a, b) if op == "min" else max(a, b)
    a, b, dtype = unify(a, b)
    if dtype.is_float:
        return _emit(f"arith.{op}imumf", a, b, dtype, BASES[op])
    if dtype is INDEX:
        m, n = affine.constant_of(a.poly), affine.constant_of(b.poly)
        if m is not None and n is not None:
            return number(min(m, n) if op == "min" else max(m, n), INDEX)
    sign = "u" if dtype.kind in ("uint", "bool") else "s"
    result = _emit(f"arith.{op}{sign}i", a, b, dtype, BASES[op])
    if dtype is INDEX:
        pick = min if op == "min" else max
        (low_a, high_a), (low_b, high_b) = range_of(a), range_of(b)
        context.current().ranges.set(result.name, pick(low_a, low_b), pick(high_a, high_b))
    return result


def ceildiv(a: Any, b: Any) -> Any:
    """a / b, rounded up."""
    a, b = plain(a), plain(b)
    if not isinstance(a, Value) and not isinstance(b, Value):
        return -(-a // b)
    a, b, dtype = unify(a, b)
    if dtype.is_float:
        fail("ceildiv needs integers")
    if dtype is INDEX and _same(b, 1):
        return a
    divisor = constant_value(b)
    natural = _is_natural(a) and _is_natural(b)
    op = "arith.ceildivui" if natural else "arith.ceildivsi"
    result = _emit(op, a, b, dtype, "blocks", pure=divisor is not None)
    if dtype is INDEX and divisor and divisor > 0:
        low, high = range_of(a)
        context.current().ranges.set(result.name,
                                     low if math.isinf(low) else -(-low // divisor),
                                     high if math.isinf(high) else -(-high // divisor))
    return result
