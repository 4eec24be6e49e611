"""Kernels as operators of torch: `torch.compile` takes them as they are, autograd
goes through them, and CUDA graphs record their launches.

    matmul_op = tile.torch_op("mylib::matmul", matmul, backward=gradients)
    c = matmul_op(a, b)

torch sees an operator that it does not look into, with a rule for the shapes of its
results, which is the front end's: nothing is compiled for a chip to learn them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from tile.compiling import JITFunction
from tile.dtypes import is_text
from tile.frontend.errors import CompileError
from tile.frontend.types import Dynamic, TensorType
from tile.runtime.kernel import JITKernel

_CONSTANTS = {bool: "bool", int: "int", float: "float", str: "str"}


def torch_op(name: str, function: JITFunction | JITKernel,
             backward: Callable[..., Any] | None = None, mutates: Iterable[str] = ()) -> Any:
    """Registers a kernel, or a function under @tile.jit that launches kernels, as the
    operator `name`, "library::operator", and returns it.

    `mutates` names the tensors that the kernel writes in place. `backward(ctx, *grads)`
    gives the gradients of the tensors, in their order; `ctx.saved_tensors` has the
    tensors of the call and then its results. Constants that are numbers, text or
    truths are arguments of the operator; others keep their defaults.
    """
    import torch

    if not hasattr(torch.library, "custom_op"):
        raise CompileError(f"torch {torch.__version__} has no torch.library.custom_op", None,
                           "torch 2.4 and later have it")
    if not isinstance(function, (JITFunction, JITKernel)) or \
            (isinstance(function, JITFunction) and not function.is_eager):
        raise CompileError(f"{name} is no kernel", None, "give a function under @tile.jit that "
                           "launches kernels itself, or what its factory returns")
    described = _Operator(function, frozenset(mutates))
    op = torch.library.custom_op(name, described.call, mutates_args=tuple(mutates),
                                 schema=described.schema())
    op.register_fake(described.fake)
    if backward is not None:
        described.register_autograd(op, backward)
    return op


class _Operator:
    """A kernel as torch describes operators."""

    def __init__(self, function: JITFunction | JITKernel, mutates: frozenset[str]):
        self.function, self.mutates = function, mutates
        if isinstance(function, JITKernel):
            self.tensors = [p.name for p in function.inputs if isinstance(p.type, TensorType)]
            self.arguments = [p.name for p in function.inputs]
            self.num_results = len(function.results)
            self.is_tuple = function.program.returns_tuple
        else:
            self.tensors = [n for n in function.tensor_names if not self._is_number(n)]
            self.arguments = [n for n, p in function.signature.parameters.items()
                              if n in function.tensor_names or type(p.default) in _CONSTANTS
                              or p.default is inspect.Parameter.empty]
            self.num_results, self.is_tuple = _results(function.source.tree)
        unknown = mutates - set(self.tensors)
        if unknown:
            raise CompileError(f"{function.__name__} has no tensor {', '.join(sorted(unknown))}")

    def _is_number(self, name: str) -> bool:
        """Whether an annotation of the body says that an argument is a number of run
        time: `n: T.int32`."""
        assert isinstance(self.function, JITFunction)
        for node in self.function.source.tree.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) \
                    and node.target.id == name:
                return not ast.unparse(node.annotation).split("(", maxsplit=1)[0].endswith("Tensor")
        return False

    # -- Schema ---------------------------------------------------------------

    def schema(self) -> str:
        """`(Tensor A, Tensor(a1!) C, int block=128) -> Tensor`."""
        parts = [self._argument(number, name) for number, name in enumerate(self.arguments)]
        results = ["Tensor"] * self.num_results
        result = results[0] if self.num_results == 1 and not self.is_tuple \
            else f"({', '.join(results)})"
        return f"({', '.join(parts)}) -> {result}"

    def _argument(self, number: int, name: str) -> str:
        if name in self.tensors:
            return f"Tensor(a{number}!) {name}" if name in self.mutates else f"Tensor {name}"
        if isinstance(self.function, JITKernel):
            kind = next(p.type for p in self.function.inputs if p.name == name)
            is_float = not isinstance(kind, TensorType) and kind.is_float
            return f"{'float' if is_float else 'int'} {name}"
        default = self.function.signature.parameters[name].default
        if default is inspect.Parameter.empty:
            return f"SymInt {name}" if name in self.function.tensor_names else f"int {name}"
        text = f'"{default}"' if is_text(default) else str(default)
        return f"{_CONSTANTS[type(default)]} {name}={text}"

    # -- Calls ----------------------------------------------------------------

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        return {**dict(zip(self.arguments, args, strict=False)), **kwargs}

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(**self._bind(args, kwargs))

    def fake(self, *args: Any, **kwargs: Any) -> Any:
        """Results without contents, for tensors without contents."""
        import torch

        values = self._bind(args, kwargs)
        kernel = self.function if isinstance(self.function, JITKernel) \
            else self.function.compile(**values)
        sizes: dict[str, Any] = {}
        for parameter in kernel.inputs:
            if isinstance(parameter.type, TensorType):
                _take_sizes(parameter.type, values[parameter.name].shape, sizes)
        like = next(values[n] for n in self.tensors)
        results = []
        for place in kernel.results:
            parameter = kernel.parameters[place]
            assert isinstance(parameter.type, TensorType)
            shape = [s.known(sizes) if isinstance(s, Dynamic) else s for s in parameter.type.shape]
            results.append(torch.empty(shape, device=like.device,
                                       dtype=parameter.type.dtype.as_torch()))
        if not results:
            return None
        return results[0] if self.num_results == 1 and not self.is_tuple else tuple(results)

    # -- Gradients ------------------------------------------------------------

    def register_autograd(self, op: Any, backward: Callable[..., Any]) -> None:
        is_tensor = [name in self.tensors for name in self.arguments]

        def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            results = output if isinstance(output, tuple) else (output,)
            given = [v for v, wanted in zip(inputs, is_tensor, strict=True) if wanted]
            ctx.save_for_backward(*given, *results)
            ctx.constants = {n: v for n, v, wanted in
                             zip(self.arguments, inputs, is_tensor, strict=True) if not wanted}

        def gradients(ctx: Any, *grads: Any) -> Any:
            result = backward(ctx, *grads)
            given = list(result) if isinstance(result, (tuple, list)) else [result]
            if len(given) != sum(is_tensor):
                raise CompileError(f"the backward of {self.function.__name__} gives {len(given)} "
                                   f"gradients for {sum(is_tensor)} tensors")
            return tuple(given.pop(0) if wanted else None for wanted in is_tensor)

        op.register_autograd(gradients, setup_context=keep)


def _results(tree: ast.FunctionDef) -> tuple[int, bool]:
    """How many tensors a function returns, and whether as a tuple."""
    last = tree.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return 0, False
    if isinstance(last.value, ast.Tuple):
        return len(last.value.elts), True
    return 1, False


def _take_sizes(kind: TensorType, shape: Any, sizes: dict[str, Any]) -> None:
    """Sizes of run time that the shape of an argument shows."""
    for size, extent in zip(kind.shape, shape, strict=True):
        if not isinstance(size, Dynamic):
            continue
        inverse = size.inverse()
        if size.operation is None:
            sizes.setdefault(size.name, extent)
        elif inverse is not None:
            symbol, op, number = inverse
            sizes.setdefault(symbol, extent + (number if op == "+" else -number))
