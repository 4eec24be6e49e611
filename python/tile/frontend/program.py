"""Functions of the language, and the host functions that they become.

`@T.prim_func` has tensors and scalars as arguments. An eager function, under
`@tile.jit`, describes its tensors in annotations of its body, and its other
arguments are constants of the kernel. `@T.macro` is expanded where it is called.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import sys
from typing import Any

from tile.dtypes import INDEX, DType, is_text, to_dtype
from tile.frontend import context, mistakes, scalars
from tile.frontend.buffers import GLOBAL, Buffer, memref_type
from tile.frontend.errors import CompileError, Location, fail
from tile.frontend.ir import Block, Op, print_module
from tile.frontend.names import Scope, Unbound
from tile.frontend.source import Source, free_variables
from tile.frontend.statements import Interpreter
from tile.frontend.types import Const, Dynamic, TensorType

ALIASES = ["#shared = #gpu.address_space<workgroup>", "#fragment = #tile.fragment",
           "#private = #gpu.address_space<private>"]


@dataclasses.dataclass
class Parameter:
    """An argument of the host function."""

    name: str
    type: TensorType | DType
    is_output: bool = False  # allocated by the call


@dataclasses.dataclass
class Program:
    """A function as tile IR."""

    name: str
    parameters: list[Parameter]
    text: str  # with locations
    readable: str  # without
    results: list[int] | None  # of `return`: places in `parameters`
    returns_tuple: bool = False
    source_file: str = ""
    place: Location | None = None  # of the function
    configuration: dict[str, Any] = dataclasses.field(default_factory=dict)


class Macro:
    """A function that is expanded where a kernel calls it."""

    def __init__(self, function: Any):
        self.function = function
        functools.update_wrapper(self, function, updated=())

    @functools.cached_property
    def source(self) -> Source:
        return Source(self.function)

    def expand_into(self, interpreter: Interpreter, args: Any, kwargs: Any) -> Any:
        scope = Scope(None, self.function.__globals__, free_variables(self.function))
        return interpreter.expand(self.source.tree, self.source, scope, args, kwargs,
                                  self.function.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise CompileError(f"the macro {self.function.__name__} is called outside of a kernel",
                           None, "call it in a function with @tile.jit or @T.prim_func")


def macro(function: Any) -> Any:
    """Decorator: a function that is expanded where a kernel calls it."""
    from tile.frontend.expressions import LocalFunction

    return function if isinstance(function, LocalFunction) else Macro(function)


class PrimFunc:
    """A kernel with its arguments: `@T.prim_func`."""

    def __init__(self, function: Any, names: dict[str, Any] | None = None):
        self.function = function
        self.names = names or {}  # of the function around it, for annotations that are text
        functools.update_wrapper(self, function, updated=())

    @functools.cached_property
    def source(self) -> Source:
        return Source(self.function)

    def parameters(self) -> list[Parameter]:
        """Arguments with their types. Errors: one has none."""
        result = []
        spec = self.source.tree.args
        for node in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
            place = self.source.location(node)
            annotation = self.function.__annotations__.get(node.arg)
            if annotation is None:
                raise CompileError(f"the argument {node.arg} has no type", place,
                                   "write T.Tensor(shape, dtype), or T.int32 and its like")
            if is_text(annotation):
                annotation = self._annotation(annotation, place)
            result.append(Parameter(node.arg, parameter_type(annotation, node.arg, place)))
        return result

    def _annotation(self, text: str, place: Location) -> Any:
        names = {**self.function.__globals__, **self.names, **free_variables(self.function)}
        try:
            return eval(text, names)  # the user's own annotation
        except Exception as error:
            raise CompileError(f"the annotation `{text}` cannot be evaluated: {error}",
                               place) from error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise CompileError(f"{self.function.__name__} is not compiled", None,
                           "call tile.compile(func) or put @tile.jit around its factory")


def prim_func(function: Any = None, **_: Any) -> Any:
    """Decorator: a kernel whose arguments have types."""
    if function is None:
        return prim_func
    has_text = any(map(is_text, function.__annotations__.values()))
    return PrimFunc(function, dict(sys._getframe(1).f_locals) if has_text else None)


def parameter_type(annotation: Any, name: str, place: Location) -> TensorType | DType:
    if isinstance(annotation, TensorType):
        return annotation
    try:
        kind = to_dtype(annotation)
        if kind.is_coded:
            raise CompileError(f"{name} is a number of {kind}", place, "give it as T.float32")
        return kind
    except TypeError as error:
        raise CompileError(f"the type of {name} is {annotation!r}", place,
                           "write T.Tensor(shape, dtype), or T.int32 and its like") from error


# -- Building -----------------------------------------------------------------

def lower_prim_func(func: PrimFunc, options: dict[str, Any]) -> Program:
    """Tile IR of a prim_func."""
    function = context.Function(options)
    with context.building(function):
        parameters = func.parameters()
        scope = Scope(None, func.function.__globals__, free_variables(func.function))
        with context.at(func.source.location(func.source.tree)):
            for parameter in parameters:
                scope.variables[parameter.name] = declare(parameter)
        Interpreter(func.source, scope).run_body(func.source.tree.body)
        return finish(function, func.function.__name__, parameters, func.source)


def declare(parameter: Parameter) -> Any:
    """What stands for an argument in the function."""
    function = context.current()
    name = function.name(parameter.name)
    function.user_names.add(name)
    if isinstance(parameter.type, DType):
        dtype = parameter.type
        function.arguments.append((parameter, f"{name}: {dtype.mlir}"))
        return scalars.Value(name, dtype)
    shape, pending = [], []
    for dim, size in enumerate(parameter.type.shape):
        if isinstance(size, Const):
            fail(f"the size {size} of {parameter.name} is not known",
                 "T.const is for functions under @tile.jit that launch kernels themselves")
        if isinstance(size, Dynamic):
            value = scalars.Value(function.name(size.name), INDEX)
            function.user_names.add(value.name)
            function.ranges.set(value.name, 0, float("inf"))
            pending.append((dim, value, size))
            if size.operation is None:
                value = function.symbols.setdefault(size.name, value)
            size = value
        shape.append(size)
    strides = None if parameter.type.strides is None else list(parameter.type.strides)
    buffer = Buffer(name, parameter.name, GLOBAL, shape, parameter.type.dtype, strides)
    function.arguments.append((parameter, f"{name}: {buffer.type}"))
    for dim, value, size in pending:
        _declare_size(name, buffer, dim, value, size)
    return buffer


def _declare_size(name: str, buffer: Buffer, dim: int, value: scalars.Value,
                  size: Dynamic) -> None:
    """A size of an argument, and the symbol that follows from `symbol + number`."""
    function = context.current()
    blocks, function.blocks = function.blocks, [function.prologue]
    number = context.index_constant(dim)
    context.emit(f"{value.name} = memref.dim {name}, {number} : {buffer.type}")
    inverse = size.inverse()
    if inverse is not None and inverse[0] not in function.symbols:
        symbol, op, shift = inverse
        derived = scalars.binary(op, value, shift)
        function.ranges.set(derived.name, 0, float("inf"))
        function.symbols[symbol] = derived
    function.blocks = blocks


def finish(function: context.Function, name: str, parameters: list[Parameter],
           source: Source) -> Program:
    """The module of a function that has been built."""
    if not any("gpu.launch" in op.text for op in _all_ops(function.body)):
        raise CompileError(f"{name} launches no kernel", source.location(source.tree),
                           "write `with T.Kernel(blocks, threads=…) as bx:`")
    body = Block()
    used = " ".join(op.text for op in _all_ops(function.body))
    sizes: list[Op] = []
    for op in reversed(function.prologue.ops):
        if _is_used(op.text.split(" =")[0], used):
            sizes.insert(0, op)
            used += " " + op.text.split(" =")[1]
    body.ops = [*sizes, *function.body.ops, Op("return", source.location(source.tree))]
    used += " ".join(op.text for op in body.ops)
    constants = Block()
    constants.ops = [op for op in function.constants.ops
                     if _is_used(op.text.split(" =")[0], used)]
    body.ops = [*constants.ops, *body.ops]
    arguments = ", ".join(text for _, text in function.arguments)
    module = Block()
    for alias in ALIASES:
        if alias.split(" ")[0] in used:
            module.ops.append(Op(alias))
    head = f"func.func @{name}({arguments}) {{"
    module.ops.append(Op(head, source.location(source.tree), [("", body)]))
    ordered = [p for p, _ in function.arguments]
    return Program(name, ordered, print_module(module, True), print_module(module, False), None,
                   source_file=source.file, place=source.location(source.tree))


def _all_ops(block: Block) -> list[Op]:
    result = []
    for op in block.ops:
        result.append(op)
        for _, region in op.regions:
            result.extend(_all_ops(region))
    return result


def _is_used(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if end == len(text) or not (text[end].isalnum() or text[end] in "_$."):
            return True
        at = text.find(name, end)
    return False


# -- Eager functions ----------------------------------------------------------

@dataclasses.dataclass
class Argument:
    """A tensor that an eager function is called with; None where it is compiled
    without."""

    shape: tuple[int, ...] | None = None
    dtype: DType | None = None


class EagerInterpreter(Interpreter):
    """An Interpreter that knows annotations of tensors and T.empty."""

    def __init__(self, source: Source, scope: Scope, tensors: dict[str, Argument],
                 sizes: dict[str, int]):
        super().__init__(source, scope)
        self.tensors, self.sizes = tensors, sizes
        self.parameters: dict[str, Parameter] = {}
        self.waiting: list[tuple[str, ast.expr, Location]] = []
        self.constants: set[str] = set()  # of T.const

    def settle_ahead(self) -> None:
        """Declares the tensors whose annotations stand further down and can be read."""
        for node in self.source.tree.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) \
                    or node.target.id in self.parameters or node.target.id not in self.tensors:
                continue
            with contextlib.suppress(CompileError):
                self._settle(node.target.id, node.annotation, self.source.location(node))

    def annotate(self, name: str, annotation: ast.expr) -> None:
        if name in self.parameters:
            return  # settled ahead
        if name not in self.tensors:
            if isinstance(self.scope.find(name), Unbound):
                fail(f"the annotation is of {name}, which is no argument")
            return
        place = context.location()
        assert place is not None
        self.waiting.append((name, annotation, place))
        progress = True
        while progress:
            progress = False
            for entry in list(self.waiting):
                if self._settle(*entry):
                    self.waiting.remove(entry)
                    progress = True

    def _settle(self, name: str, annotation: ast.expr, place: Location) -> bool:
        """Binds what the shape of a tensor gives; False when a size of it is not
        known yet."""
        with context.at(place):
            try:
                described = parameter_type(self.evaluate(annotation), name, place)
            except CompileError as error:
                if "a size" in error.message and "expected a number" in error.message:
                    return False
                raise
            actual = self.tensors[name]
            if not isinstance(described, TensorType):
                self._declare(name, Parameter(name, described))
                return True
            if actual.shape is not None:
                self._match(name, described, actual)
            sizes = tuple(s.bound_size() if isinstance(s, Const) else s for s in described.shape)
            if any(isinstance(s, Const) for s in sizes):
                missing = next(s for s in sizes if isinstance(s, Const))
                fail(f"the size {missing} of {name} is not known", f"give {missing}=…")
            self._declare(name, Parameter(
                name, TensorType(sizes, described.dtype, described.strides)))
            return True

    def _match(self, name: str, described: TensorType, actual: Argument) -> None:
        assert actual.shape is not None
        shape = actual.shape
        if described.dtype.is_packed:
            shape = (*shape[:-1], 2 * shape[-1])
        if len(described.shape) != len(shape):
            fail(f"{name} has {len(shape)} dimensions, expected {len(described.shape)}")
        for dim, (size, extent) in enumerate(zip(described.shape, shape, strict=True)):
            if isinstance(size, Const) and size.value is None:
                size.value = int(extent)
            wanted = size.bound_size() if isinstance(size, Const) else size
            if isinstance(wanted, int) and wanted != extent:
                fail(f"size {dim} of {name} is {extent}, expected {wanted}")

    def _declare(self, name: str, parameter: Parameter) -> None:
        self.parameters[name] = parameter
        self.scope.variables[name] = declare(parameter)

    def new_const(self, name: str) -> Const:
        self.constants.add(name)
        return Const(name, self.sizes.get(name, self._extent(name)))

    def _extent(self, name: str) -> int | None:
        """What a later annotation of a tensor that the call has says of a size, so that
        statements between may compute with it. None: the annotation itself says."""
        for node in self.source.tree.body:
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) \
                    or not isinstance(node.annotation, ast.Call) or not node.annotation.args:
                continue
            actual, shape = self.tensors.get(node.target.id), self._meant(node.annotation.args[0])
            if actual is None or actual.shape is None \
                    or not isinstance(shape, (ast.Tuple, ast.List)):
                continue
            is_packed = actual.dtype in ("uint8", "int8")  # perhaps: two elements in each
            for size, extent in zip(shape.elts[:len(shape.elts) - is_packed], actual.shape,
                                    strict=False):
                meant = self._meant(size)
                if isinstance(meant, ast.Name) and meant.id == name:
                    return int(extent)
        return None

    def _meant(self, node: ast.expr) -> ast.expr:
        """What a name stands for that one statement of the body assigns: `shape = (M, K)`,
        `rows, columns = M, K`."""
        while isinstance(node, ast.Name):
            values = [value for statement in self.source.tree.body
                      if isinstance(statement, ast.Assign)
                      for target in statement.targets
                      for name, value in _pairs(target, statement.value) if name == node.id]
            if len(values) != 1 or isinstance(values[0], ast.Call):
                break
            node = values[0]
        return node


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    """Names that an assignment binds, with what they get where its text says so."""
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) \
            and len(target.elts) == len(value.elts):
        return [(t.id, v) for t, v in zip(target.elts, value.elts, strict=True)
                if isinstance(t, ast.Name)]
    return []


def lower_eager(function: Any, source: Source, constants: dict[str, Any],
                tensors: dict[str, Argument], sizes: dict[str, int],
                options: dict[str, Any]) -> Program:
    """Tile IR of an eager function. `constants` are the arguments that are no
    tensors; `sizes` of T.const may be given by name."""
    built = context.Function(options)
    with context.building(built):
        scope = Scope(None, function.__globals__, free_variables(function))
        scope.variables.update(constants)
        for name in tensors:
            scope.variables[name] = Unbound(f"the tensor {name} has no annotation yet",
                                            f"write `{name}: T.Tensor(shape, dtype)` first")
        interpreter = EagerInterpreter(source, scope, tensors, sizes)
        built.interpreter = interpreter
        with context.at(source.location(source.tree)):
            for node in source.tree.args.args:
                if node.annotation is not None and node.arg in tensors:
                    interpreter.annotate(node.arg, node.annotation)
        returned = interpreter.run_body(source.tree.body)
        for size in sizes:
            if size not in interpreter.constants:
                raise CompileError(f"{function.__name__} has no argument and no size {size}",
                                   source.location(source.tree),
                                   mistakes.suggestion(size, interpreter.constants))
        missing = [n for n in tensors if n not in interpreter.parameters]
        if missing:
            raise CompileError(f"the tensor {missing[0]} has no annotation",
                               source.location(source.tree),
                               f"write `{missing[0]}: T.Tensor(shape, dtype)` in the body")
        program = finish(built, function.__name__, [], source)
    _set_results(program, built, returned, source)
    return program


def _set_results(program: Program, built: context.Function, returned: Any,
                 source: Source) -> None:
    items = returned if isinstance(returned, (tuple, list)) else [returned]
    places = {text.split(":")[0]: i for i, (_, text) in enumerate(built.arguments)}
    if returned is None:
        outputs = [i for i, p in enumerate(program.parameters) if p.is_output]
        program.results = None if not outputs else []
        return
    program.results = []
    program.returns_tuple = isinstance(returned, (tuple, list))
    for item in items:
        if not isinstance(item, Buffer) or item.name not in places:
            raise CompileError(f"{program.name} returns something that is no tensor",
                               source.location(source.tree),
                               "return what T.empty made, or an argument")
        program.results.append(places[item.name])


def new_output(shape: tuple[Any, ...], dtype: DType) -> Buffer:
    """T.empty: a tensor that the call allocates and returns."""
    function = context.current()
    if function.kernel is not None:
        fail("T.empty in a kernel", "make outputs before `with T.Kernel`; tiles are "
             "T.alloc_shared and T.alloc_fragment")
    if function.interpreter is None:
        fail("T.empty outside of a function under @tile.jit", "make the tensor an argument")
    sizes = tuple(s.bound_size() if isinstance(s, Const) else s for s in shape)
    for size in sizes:
        if isinstance(size, Const):
            fail(f"the size {size} of a tensor of T.empty is not known",
                 f"it follows from no annotation that stands before; use it in one, or give "
                 f"{size}=…")
    if any(not size.is_known() for size in sizes if isinstance(size, Dynamic)):
        function.interpreter.settle_ahead()
    name = f"out{sum(1 for p, _ in function.arguments if p.is_output)}"
    parameter = Parameter(name, TensorType(sizes, dtype), True)
    return declare_output(parameter)


class OutputBuffer(Buffer):
    """A tensor of T.empty, which is called as the variable that it is assigned
    to first."""

    parameter: Parameter
    is_named = False

    def rename(self, name: str) -> None:
        function = context.current()
        if self.is_named:
            return
        old, self.name = self.name, function.name(name)
        self.label = self.parameter.name = name
        self.is_named = True
        for place, (parameter, text) in enumerate(function.arguments):
            if parameter is self.parameter:
                function.arguments[place] = (parameter, self.name + text[len(old):])


def declare_output(parameter: Parameter) -> OutputBuffer:
    function = context.current()
    assert isinstance(parameter.type, TensorType)
    name = function.name(parameter.name)
    shape = []
    for size in parameter.type.shape:
        shape.append(size.runtime_value() if isinstance(size, Dynamic) else size)
    buffer = OutputBuffer(name, parameter.name, GLOBAL, shape, parameter.type.dtype)
    buffer.parameter = parameter
    text = memref_type(shape, parameter.type.dtype, GLOBAL)
    function.arguments.append((parameter, f"{name}: {text}"))
    return buffer

