"""Sizes: of run time, and constants that arguments give."""

from __future__ import annotations

from typing import Any

from tile.dtypes import DType, to_dtype
from tile.frontend import context
from tile.frontend.errors import fail
from tile.frontend.program import new_output
from tile.frontend.types import Const, Dynamic, make_shape


def _names(text: str) -> list[str]:
    names = [n.strip() for n in text.replace(" ", ",").split(",") if n.strip()]
    for name in names:
        if not name.isidentifier():
            fail(f"{name!r} is no name for a size")
    if not names:
        fail("a size needs a name")
    return names


def dynamic(names: str, dtype: Any = "int32") -> Any:
    """A size of run time, or several: `m, n = T.dynamic("m, n")`."""
    kind: DType = to_dtype(dtype)
    result = [Dynamic(name, None, kind) for name in _names(names)]
    return result[0] if len(result) == 1 else tuple(result)


symbolic = dynamic


def const(names: str) -> Any:
    """Sizes that are constants of the kernel and follow from the shapes of the
    tensors that it is called with: `M, N = T.const("M, N")`."""
    function = context.current()
    interpreter = function.interpreter
    if interpreter is None:
        fail("T.const outside of a function under @tile.jit that launches kernels itself",
             "make the size an argument of the factory, or use T.dynamic")
    result: list[Const] = [interpreter.new_const(name) for name in _names(names)]
    return result[0] if len(result) == 1 else tuple(result)


def empty(shape: Any, dtype: Any = "float32", **ignored: Any) -> Any:
    """A tensor that the call allocates, beside its arguments, and may return."""
    return new_output(make_shape(shape), to_dtype(dtype))
