"""`@tile.jit` and `tile.compile`: functions of the language as kernels."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from tile.dtypes import is_text
from tile.frontend.errors import CompileError
from tile.frontend.program import (
    Argument,
    PrimFunc,
    Program,
    lower_eager,
    lower_prim_func,
)
from tile.frontend.source import Source, launches_directly
from tile.frontend.types import Dynamic, TensorType
from tile.options import make_options
from tile.runtime.kernel import JITKernel
from tile.runtime.tensors import ArgumentError, is_array, shape_and_dtype


def normalise_target(target: Any) -> str | None:
    """"sm_90a" of a target as users name it; None where it is left open."""
    if target is None or target in ("auto", "cuda"):
        return None
    text = str(target)
    for part in text.replace("=", " ").split():
        if part.startswith("sm_"):
            return part
    raise CompileError(f"target {text!r}", None, "name a chip, such as sm_90a or sm_80")


def _out_idx(value: Any) -> list[int] | None:
    if value is None:
        return None
    return list(value) if isinstance(value, (list, tuple)) else [value]


def compile(func: Any, out_idx: Any = None, target: Any = None, pass_configs: Any = None,
            **ignored: Any) -> JITKernel:
    """A kernel of a prim_func. `out_idx` names the arguments that each call
    allocates and returns. Nothing is compiled for a chip before it is needed."""
    if isinstance(func, JITKernel):
        return func
    if not isinstance(func, PrimFunc):
        raise CompileError(f"tile.compile of a {type(func).__name__}", None,
                           "put @T.prim_func above the function")
    program = lower_prim_func(func, make_options(pass_configs))
    return JITKernel(program, normalise_target(target), _out_idx(out_idx))


@dataclasses.dataclass
class _Variant:
    """A kernel of an eager function, and the shapes that it is for: a number, or
    None where any will do."""

    shapes: dict[str, tuple[int | None, ...]]
    kernel: JITKernel


class JITFunction:
    """What @tile.jit makes of a function: kernels by the constants that it is
    called with, and for an eager function by the shapes of its tensors."""

    __name__: str

    def __init__(self, function: Any, out_idx: Any = None, target: Any = None,
                 pass_configs: Any = None):
        self.function, self.out_idx = function, out_idx
        self.target, self.options = normalise_target(target), make_options(pass_configs)
        self.pass_configs = pass_configs
        self.source = Source(function)
        self.is_eager = launches_directly(self.source.tree)
        self.signature = inspect.signature(function)
        self.kernels: dict[Any, Any] = {}
        self.lock = threading.RLock()
        self._last: JITKernel | None = None  # of a call with tensors alone
        functools.update_wrapper(self, function, updated=())

    # -- Factories ------------------------------------------------------------

    def _from_factory(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> JITKernel:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key = _key(bound.arguments)
        with self.lock:
            if key not in self.kernels:
                result = self.function(*args, **kwargs)
                if not isinstance(result, PrimFunc):
                    raise CompileError(
                        f"{self.function.__name__} returns a {type(result).__name__}",
                        self.source.location(self.source.tree),
                        "return a function under @T.prim_func, or launch a kernel itself with "
                        "`with T.Kernel(...)`")
                program = lower_prim_func(result, self.options)
                self.kernels[key] = JITKernel(program, self.target, _out_idx(self.out_idx))
            return self.kernels[key]

    # -- Eager functions ------------------------------------------------------

    @functools.cached_property
    def tensor_names(self) -> list[str]:
        """Arguments that the function describes as tensors or numbers of run time."""
        names = [n for n in self.signature.parameters]
        described = {node.target.id for node in self.source.tree.body
                     if isinstance(node, ast.AnnAssign) and node.value is None
                     and isinstance(node.target, ast.Name)}
        for name, parameter in self.signature.parameters.items():
            annotation = parameter.annotation
            text = annotation if is_text(annotation) else ""
            if isinstance(annotation, TensorType) or ".Tensor" in text or "StridedTensor" in text:
                described.add(name)
        return [n for n in names if n in described]

    def _eager(self, arguments: dict[str, Any], sizes: dict[str, int]) -> JITKernel:
        """The kernel for arguments; `sizes` gives those of T.const by name."""
        constants = {n: v for n, v in arguments.items() if n not in self.tensor_names}
        for name, value in constants.items():
            if is_array(value) and getattr(value, "ndim", 0) > 0:
                raise ArgumentError(f"{self.__name__}: {name} is a tensor, but the function does "
                                    f"not say which; write `{name}: T.Tensor(shape, dtype)`")
        tensors, shapes, dtypes = {}, {}, {}
        for name in self.tensor_names:
            value = arguments.get(name)
            tensors[name] = Argument()
            if is_array(value):
                shape, dtype = shape_and_dtype(value, f"{self.__name__}: argument {name}")
                tensors[name] = Argument(shape, dtype)
                shapes[name], dtypes[name] = shape, str(dtype)
        key = _key(constants), _key(sizes), tuple(dtypes.items())
        with self.lock:
            variants: list[_Variant] = self.kernels.setdefault(key, [])
            for variant in variants:
                if all(_matches(variant.shapes.get(n), s) for n, s in shapes.items()):
                    return variant.kernel
            program = lower_eager(self.function, self.source, constants, tensors, sizes,
                                  self.options)
            kernel = JITKernel(program, self.target, _out_idx(self.out_idx))
            variants.append(_Variant(_shapes_of(program), kernel))
            return kernel

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.is_eager:
            return self._from_factory(args, kwargs)
        if self._last is not None and not kwargs and self._last._fast is not None:
            result = self._last._fast(*args)
            if result is not NotImplemented:
                return result
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}: {error}") from error
        bound.apply_defaults()
        for name in self.tensor_names:
            value = bound.arguments[name]
            if not is_array(value) and not hasattr(value, "__index__") \
                    and not isinstance(value, float):
                raise ArgumentError(f"{self.__name__}: argument {name}: expected a tensor, got "
                                    f"{value!r}")
        kernel = self._eager(dict(bound.arguments), {})
        has_tensors_alone = not kwargs and len(args) == len(kernel.inputs)
        self._last = kernel if has_tensors_alone else None
        return kernel(**{p.name: bound.arguments[p.name] for p in kernel.inputs})

    def compile(self, *args: Any, **kwargs: Any) -> JITKernel:
        """The kernel without running it. Of an eager function sizes of T.const
        may be given by name in place of tensors."""
        if not self.is_eager:
            return self._from_factory(args, kwargs)
        known = self.signature.parameters
        sizes = {k: v for k, v in kwargs.items() if k not in known}
        bound = self.signature.bind_partial(*args, **{k: v for k, v in kwargs.items()
                                                      if k in known})
        bound.apply_defaults()
        return self._eager(dict(bound.arguments), sizes)

    def get_kernel_source(self, *args: Any, **kwargs: Any) -> str:
        """PTX of the kernel for these arguments."""
        return self.compile(*args, **kwargs).get_kernel_source()

    def get_tir(self, *args: Any, **kwargs: Any) -> str:
        """Tile IR of the kernel for these arguments."""
        return self.compile(*args, **kwargs).ir


def _key(values: dict[str, Any]) -> tuple[Any, ...]:
    return tuple((name, _hashable(value)) for name, value in values.items())


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((k, _hashable(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple(_hashable(v) for v in value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return type(value).__name__, value


def _matches(wanted: tuple[int | None, ...] | None, shape: tuple[int, ...]) -> bool:
    if wanted is None or len(wanted) != len(shape):
        return False
    return all(w is None or w == n for w, n in zip(wanted, shape, strict=True))


def _shapes_of(program: Program) -> dict[str, tuple[int | None, ...]]:
    return {p.name: tuple(None if isinstance(s, Dynamic) else s for s in p.type.shape)
            for p in program.parameters if isinstance(p.type, TensorType)}


def jit(function: Any = None, *, out_idx: Any = None, target: Any = None,
        pass_configs: Any = None, **ignored: Any) -> Any:
    """Decorator: a function that launches kernels, or that returns a prim_func.

    An eager function has tensors, which annotations in its body describe, and
    constants; calling it compiles once for each set of constants and runs. A
    factory returns a prim_func; calling it gives a kernel.
    """
    if function is None:
        def decorate(inner: Callable[..., Any]) -> JITFunction:
            return JITFunction(inner, out_idx, target, pass_configs)

        return decorate
    if isinstance(function, PrimFunc):
        return compile(function, out_idx, target, pass_configs)
    return JITFunction(function, out_idx, target, pass_configs)

