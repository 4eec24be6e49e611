"""Functions of numbers. Names that begin with two underscores are the fast
forms: one instruction, with its error."""

from __future__ import annotations

import builtins
import math as python_math
from typing import Any

from tile.dtypes import BY_NAME, INDEX, DType, max_finite, to_dtype
from tile.frontend import coded, context, scalars
from tile.frontend.errors import fail
from tile.frontend.scalars import Value

_FAST = {"exp", "exp2", "log", "log2", "sin", "cos", "tan", "tanh", "powf"}


def _flags(name: str, fast: bool) -> str:
    wanted = fast or bool(context.current().options.get("fast_math"))
    return " fastmath<afn>" if wanted and name in _FAST else ""


def _number(value: Any, what: str) -> Any:
    value = scalars.plain(value)
    if isinstance(value, Value) and not value.dtype.is_float:
        return scalars.cast(value, scalars.F32)
    if isinstance(value, (bool, int)):
        return float(value)
    if not isinstance(value, (float, Value)):
        fail(f"{what} needs a number")
    return value


def _unary(python: Any, op: str = "", fast: bool = False) -> Any:
    """A function of one number: an op of the dialect `math`, of the same name as the
    function of Python that computes constants unless `op` says another."""
    op = op or python.__name__
    name = "__" + op if fast else op

    def function(x: Any) -> Any:
        value = _number(x, f"T.{name}")
        if not isinstance(value, Value):
            return python(value)
        return scalars.unary_math("math." + op, value, _flags(op, fast))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{op} of a number; an integer is taken as float32."
    function.python = python  # type: ignore[attr-defined]
    return function


def _fast(function: Any) -> Any:
    """The fast form of a function."""
    return _unary(function.python, function.__name__, True)


exp = _unary(python_math.exp)
exp2 = _unary(lambda x: 2.0**x, "exp2")
log = _unary(python_math.log)
log2 = _unary(python_math.log2)
log10 = _unary(python_math.log10)
log1p = _unary(python_math.log1p)
expm1 = _unary(python_math.expm1)
sqrt = _unary(python_math.sqrt)
rsqrt = _unary(lambda x: 1 / python_math.sqrt(x), "rsqrt")
sin = _unary(python_math.sin)
cos = _unary(python_math.cos)
tan = _unary(python_math.tan)
asin = _unary(python_math.asin)
acos = _unary(python_math.acos)
atan = _unary(python_math.atan)
sinh = _unary(python_math.sinh)
cosh = _unary(python_math.cosh)
tanh = _unary(python_math.tanh)
erf = _unary(python_math.erf)
__exp, __exp2, __log, __log2, __log10 = map(_fast, (exp, exp2, log, log2, log10))
__sin, __cos, __tan = map(_fast, (sin, cos, tan))


def _rounding(name: str, python: Any, op: str = "") -> Any:
    op = op or name

    def function(x: Any) -> Any:
        value = scalars.plain(x)
        if not isinstance(value, Value):
            return python(value)
        if not value.dtype.is_float:
            return value
        return scalars.unary_math("math." + op, value)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{op}; integers are as they are."
    return function


def _to_even(x: Any) -> float:
    return float(builtins.round(x))


floor = _rounding("floor", python_math.floor)
ceil = _rounding("ceil", python_math.ceil)
trunc = _rounding("trunc", python_math.trunc)
round = _rounding("round", _to_even, "roundeven")
nearbyint = _rounding("nearbyint", _to_even, "roundeven")


def abs(x: Any) -> Any:
    """The magnitude of a number."""
    return scalars.absolute(x)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    value = _number(x, "T.sigmoid")
    if not isinstance(value, Value):
        return 1 / (1 + python_math.exp(-value))
    return 1.0 / (1.0 + exp(-value))


def pow(x: Any, y: Any) -> Any:
    """x to the power y; of integers only small constant powers."""
    return scalars.plain(x) ** scalars.plain(y)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y)."""
    return _binary_float("math.atan2", y, x, python_math.atan2)


def copysign(x: Any, y: Any) -> Any:
    """The magnitude of x with the sign of y."""
    return _binary_float("math.copysign", x, y, python_math.copysign)


def _binary_float(op: str, a: Any, b: Any, python: Any) -> Any:
    a, b = _number(a, op), _number(b, op)
    if not scalars.is_runtime(a, b):
        return python(a, b)
    x, y, dtype = scalars.unify(a, b)
    return Value(context.emit_value(f"{op} {x.name}, {y.name} : {dtype.mlir}", "v"), dtype)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""
    values = [_number(v, "T.fma") for v in (a, b, c)]
    dtype = scalars.unify(scalars.unify(values[0], values[1])[0], values[2])[2]
    x, y, z = (scalars.to_value(v, dtype) for v in values)
    text = f"math.fma {x.name}, {y.name}, {z.name} : {dtype.mlir}"
    return Value(context.emit_value(text, "fma"), dtype)


def isnan(x: Any) -> Any:
    """Whether x is not a number."""
    value = scalars.to_value(_number(x, "T.isnan"))
    return scalars.compare("!=", value, value)


def isinf(x: Any) -> Any:
    """Whether x is infinite."""
    value = scalars.to_value(_number(x, "T.isinf"))
    return scalars.compare("==", abs(value), python_math.inf)


def isfinite(x: Any) -> Any:
    """Whether x is neither infinite nor NaN."""
    value = scalars.to_value(_number(x, "T.isfinite"))
    return scalars.compare("<", abs(value), python_math.inf)


def clamp(x: Any, low: Any, high: Any) -> Any:
    """x, but at least low and at most high."""
    return scalars.extremum("min", scalars.extremum("max", x, low), high)


def min(*values: Any) -> Any:
    """The smallest; NaN gives NaN."""
    return _fold("min", values)


def max(*values: Any) -> Any:
    """The greatest; NaN gives NaN."""
    return _fold("max", values)


def _fold(op: str, values: tuple[Any, ...]) -> Any:
    if len(values) < 2:
        fail(f"T.{op} needs two values or more", "T.reduce_max and its like are for tiles")
    result = values[0]
    for value in values[1:]:
        result = scalars.extremum(op, result, value)
    return result


def ceildiv(a: Any, b: Any) -> Any:
    """a / b, rounded up."""
    from tile.frontend.types import Dynamic

    if all(isinstance(v, (Dynamic, int)) for v in (a, b)) and not (
            isinstance(a, int) and isinstance(b, int)):
        return Dynamic(f"ceildiv({a}, {b})", ("ceildiv", a, b))
    return scalars.ceildiv(a, b)


def floordiv(a: Any, b: Any) -> Any:
    """a // b."""
    return scalars.binary("//", a, b)


def floormod(a: Any, b: Any) -> Any:
    """a % b; the sign is that of b."""
    return scalars.binary("%", a, b)


def truncdiv(a: Any, b: Any) -> Any:
    """a / b, rounded towards zero, as C does."""
    return _truncated("div", a, b)


def truncmod(a: Any, b: Any) -> Any:
    """What truncdiv leaves; the sign is that of a."""
    return _truncated("rem", a, b)


def _truncated(op: str, a: Any, b: Any) -> Any:
    if not scalars.is_runtime(a, b):
        quotient = int(a / b)
        return quotient if op == "div" else a - quotient * b
    x, y, dtype = scalars.unify(a, b)
    sign = "u" if dtype.kind == "uint" else "s"
    return Value(context.emit_value(f"arith.{op}{sign}i {x.name}, {y.name} : {dtype.mlir}", "v",
                                    pure=scalars.constant_value(y) is not None), dtype)


def cast(x: Any, dtype: Any) -> Any:
    """x as `dtype`: floats to integers towards zero."""
    return scalars.cast(x, to_dtype(dtype))


def Cast(dtype: Any, x: Any) -> Any:
    """T.cast with the type first."""
    return cast(x, dtype)


def reinterpret(x: Any, dtype: Any) -> Any:
    """The bits of x as `dtype`, which has as many."""
    if isinstance(dtype, Value) or not isinstance(x, (Value, *scalars.NUMBERS)):
        x, dtype = dtype, x
    target, value = to_dtype(dtype), scalars.to_value(x)
    source = value.dtype
    if source.bits != target.bits:
        fail(f"T.reinterpret of {source} as {target}, which has {target.bits} bits")
    if source is INDEX:
        value = scalars.cast(value, BY_NAME["int32"])
    if target.is_coded:
        return coded.decode(value, target)
    if value.dtype.mlir == target.mlir:
        return Value(value.name, target)
    text = f"arith.bitcast {value.name} : {value.dtype.mlir} to {target.mlir}"
    return Value(context.emit_value(text, "bits"), target)


def infinity(dtype: Any) -> Any:
    """Infinity; of integers and of floats without one the greatest number."""
    kind = to_dtype(dtype)
    if kind.name == "float8_e4m3fn" or not kind.is_float:
        return max_value(dtype)
    return _typed(python_math.inf, kind)


def max_value(dtype: Any) -> Any:
    """The greatest number that is not infinite."""
    kind = to_dtype(dtype)
    return _typed(max_finite(kind) if kind.is_float else kind.bounds()[1], kind)


def min_value(dtype: Any) -> Any:
    """The smallest number that is not infinite."""
    kind = to_dtype(dtype)
    return _typed(-max_finite(kind) if kind.is_float else kind.bounds()[0], kind)


def _typed(value: Any, dtype: DType) -> Any:
    """A constant: Python's number, which takes the type of what it meets."""
    return float(value) if dtype.is_float else int(value)


def if_then_else(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; only one is evaluated. Called by a function of
    Python, which has evaluated both: that one is taken."""
    return Select(condition, a, b)


if_then_else.tile_lazy = True  # type: ignore[attr-defined]


def Select(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; both are evaluated."""
    test = scalars.truth(condition)
    if not isinstance(test, Value):
        return a if test else b
    x, y, _ = scalars.unify(a, b)
    return scalars.select(test, x, y)


def bitwise_and(a: Any, b: Any) -> Any:
    """a & b."""
    return scalars.binary("&", a, b)


def bitwise_or(a: Any, b: Any) -> Any:
    """a | b."""
    return scalars.binary("|", a, b)


def bitwise_xor(a: Any, b: Any) -> Any:
    """a ^ b."""
    return scalars.binary("^", a, b)


def bitwise_not(a: Any) -> Any:
    """~a."""
    return scalars.invert(a)


def shift_left(a: Any, b: Any) -> Any:
    """a << b."""
    return scalars.binary("<<", a, b)


def shift_right(a: Any, b: Any) -> Any:
    """a >> b."""
    return scalars.binary(">>", a, b)


def popcount(x: Any) -> Any:
    """How many bits of an integer are 1."""
    return _bits("ctpop", x)


def clz(x: Any) -> Any:
    """How many bits of an integer are 0 before the first 1."""
    return _bits("ctlz", x)


def _bits(op: str, x: Any) -> Any:
    value = scalars.to_value(x)
    if value.dtype.is_float:
        fail(f"bits of {value.dtype}", "use T.reinterpret")
    if value.dtype is INDEX:
        value = scalars.cast(value, BY_NAME["int32"])
    return scalars.unary_math("math." + op, value)


def Not(x: Any) -> Any:
    """not x."""
    return scalars.logical_not(x)


def And(*values: Any) -> Any:
    """All of them; every one is evaluated."""
    return _logical("and", values)


def Or(*values: Any) -> Any:
    """Any of them; every one is evaluated."""
    return _logical("or", values)


def _logical(op: str, values: tuple[Any, ...]) -> Any:
    result = scalars.truth(values[0])
    for value in values[1:]:
        if not scalars.is_runtime(result, value):
            result = (result and value) if op == "and" else (result or value)
            continue
        result = scalars.logical(op, scalars.to_value(result, scalars.BOOL),
                                 scalars.to_value(scalars.truth(value), scalars.BOOL))
    return result
