"""Functions of Python in kernels: with values of run time they are those of the
language, else Python's own."""

from __future__ import annotations

import builtins
import math as python_math
from typing import Any

from tile.dtypes import BY_NAME
from tile.frontend import scalars
from tile.frontend.buffers import Buffer, Region
from tile.frontend.errors import fail
from tile.language import debug, math


def _fold(op: str, python: Any) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        items = list(args[0]) if len(args) == 1 else list(args)
        if not scalars.is_runtime(*items):
            return python(*args, **kwargs)
        result = items[0]
        for item in items[1:]:
            result = scalars.extremum(op, result, item)
        return result

    return function


def _convert(name: str, python: Any) -> Any:
    def function(*args: Any) -> Any:
        if args and scalars.is_runtime(args[0]):
            return scalars.cast(args[0], BY_NAME[name])
        return python(*args)

    return function


def _one(runtime: Any, python: Any) -> Any:
    def function(*args: Any) -> Any:
        return runtime(*args) if scalars.is_runtime(*args) else python(*args)

    return function


def _rounded(function: Any) -> Any:
    """Python's rounding gives integers."""
    return lambda x: scalars.cast(function(x), BY_NAME["int32"])


def _sum(items: Any, start: Any = 0) -> Any:
    result = start
    for item in items:
        result = result + item
    return result


def _len(value: Any) -> Any:
    if isinstance(value, (Buffer, Region)):
        return value.shape[0]
    return builtins.len(value)


def _divmod(a: Any, b: Any) -> Any:
    return a // b, a % b


def _is_any(items: Any) -> Any:
    result: Any = False
    for item in items:
        result = item if result is False else scalars.logical(
            "or", scalars.to_value(result, scalars.BOOL), scalars.to_value(item, scalars.BOOL))
    return result if scalars.is_runtime(result) else builtins.bool(result)


def _is_all(items: Any) -> Any:
    result: Any = True
    for item in items:
        result = item if result is True else scalars.logical(
            "and", scalars.to_value(result, scalars.BOOL), scalars.to_value(item, scalars.BOOL))
    return result if scalars.is_runtime(result) else builtins.bool(result)


def _any(items: Any) -> Any:
    values = list(items)
    return _is_any(values) if scalars.is_runtime(*values) else builtins.any(values)


def _all(items: Any) -> Any:
    values = list(items)
    return _is_all(values) if scalars.is_runtime(*values) else builtins.all(values)


def _forbidden(name: str, cure: str) -> Any:
    def function(*_: Any, **__: Any) -> Any:
        fail(f"{name}() is not in the language of kernels", cure)

    return function


def _power(a: Any, b: Any) -> Any:
    return a**b


REPLACED: dict[Any, Any] = {
    builtins.min: _fold("min", builtins.min),
    builtins.max: _fold("max", builtins.max),
    builtins.abs: _one(scalars.absolute, builtins.abs),
    builtins.int: _convert("int32", builtins.int),
    builtins.float: _convert("float32", builtins.float),
    builtins.bool: _one(scalars.truth, builtins.bool),
    builtins.round: _one(_rounded(math.round), builtins.round),
    builtins.pow: _one(_power, builtins.pow),
    builtins.sum: _sum,
    builtins.len: _len,
    builtins.divmod: _divmod,
    builtins.any: _any,
    builtins.all: _all,
    builtins.print: debug.python_print,
    builtins.input: _forbidden("input", "give the kernel an argument"),
    builtins.open: _forbidden("open", "read the file before"),
    python_math.exp: _one(math.exp, python_math.exp),
    python_math.log: _one(math.log, python_math.log),
    python_math.log2: _one(math.log2, python_math.log2),
    python_math.sqrt: _one(math.sqrt, python_math.sqrt),
    python_math.sin: _one(math.sin, python_math.sin),
    python_math.cos: _one(math.cos, python_math.cos),
    python_math.tanh: _one(math.tanh, python_math.tanh),
    python_math.floor: _one(_rounded(math.floor), python_math.floor),
    python_math.ceil: _one(_rounded(math.ceil), python_math.ceil),
    python_math.pow: _one(_power, python_math.pow),
    python_math.fabs: _one(scalars.absolute, python_math.fabs),
}
