"""What is wrong with a call or a name, in words of the language."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from typing import Any

from tile.frontend.buffers import Buffer, Region
from tile.frontend.errors import fail
from tile.frontend.scalars import is_runtime

LANGUAGE = "tile.language"
# Libraries that compute with arrays, not with values of a kernel.
_ARRAYS = ("numpy", "torch", "scipy", "cupy", "jax")
_ALIKE = 0.75  # of difflib's measure: `trans_B` is transpose_B


def suggestion(name: str, known: Iterable[str], prefix: str = "") -> str | None:
    """A cure that names what was probably meant."""
    found = difflib.get_close_matches(name, list(known), 1, _ALIKE)
    return f"is it {prefix}{found[0]}?" if found else None


def no_member(owner: Any, name: str) -> None:
    """`owner.name`, which is not there."""
    is_language = getattr(owner, "__name__", "") == LANGUAGE
    kind = "T" if is_language else getattr(owner, "kind_text", None) or (
        f"the module {owner.__name__}" if inspect.ismodule(owner)
        else f"a {type(owner).__name__}")
    names = [n for n in dir(owner) if not n.startswith("_")]
    cure = _of_arrays(name) if isinstance(owner, (Buffer, Region)) else None
    fail(f"{kind} has no {name}", cure or suggestion(name, names, "T." if is_language else ""))


_METHODS = {"sum": "T.reduce_sum", "max": "T.reduce_max", "min": "T.reduce_min",
            "amax": "T.reduce_max", "any": "T.any_of", "all": "T.all_of",
            "fill_": "T.fill", "zero_": "T.clear", "copy_": "T.copy", "clone": "T.copy",
            "permute": "T.transpose", "T": "T.transpose", "matmul": "T.gemm", "dot": "T.gemm",
            "to": "T.copy, which converts", "float": "T.copy, which converts",
            "half": "T.copy, which converts", "size": "shape"}


def _of_arrays(name: str) -> str | None:
    """What stands for a method of arrays."""
    import tile.language

    known = _METHODS.get(name) or (f"T.{name}" if hasattr(tile.language, name) else None)
    return f"use {known}" if known else None


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return f"T.{name}" if _module_of(function).startswith("tile.") else name


def _module_of(function: Any) -> str:
    return getattr(function, "__module__", None) or type(function).__module__ or ""


def check_call(function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Errors: a function of another library gets what only the kernel knows; a function
    of the language gets a keyword that is nearly one of its own."""
    if _module_of(function).partition(".")[0] in _ARRAYS:
        _check_foreign(function, [*args, *kwargs.values()])
    if kwargs and _module_of(function).startswith(LANGUAGE):
        _check_keywords(function, kwargs)


def _check_foreign(function: Any, values: list[Any]) -> None:
    bad = next((v for v in values if is_runtime(v) or isinstance(v, (Buffer, Region))), None)
    if bad is None:
        return
    import tile.language

    name = getattr(function, "__name__", "a function")
    kind = getattr(bad, "kind_text", None) or "a value"
    cure = f"use T.{name}" if hasattr(tile.language, name) else \
        "compute element by element, with functions of T"
    fail(f"{_module_of(function).partition('.')[0]}'s {name} of {kind}, which only the kernel "
         "knows", cure)


def _check_keywords(function: Any, kwargs: dict[str, Any]) -> None:
    """Keywords that say how another compiler works are passed by; those that are
    misspelled would change what the kernel means."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    for name in kwargs:
        cure = None if name in known else suggestion(name, known)
        if cure:
            fail(f"{_name_of(function)} has no argument {name}", cure)


def call_failed(function: Any, args: list[Any], kwargs: dict[str, Any], error: TypeError) -> None:
    """Explains a TypeError of a call where the arguments do not fit; else does nothing."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as mismatch:
        names = ", ".join(n for n, p in signature.parameters.items()
                          if p.kind is not inspect.Parameter.VAR_KEYWORD)
        fail(f"{_name_of(function)}: {mismatch}", f"its arguments are {names}")
