"""Carries out the statements of a kernel.

A condition or a loop that is known when the kernel is compiled is carried out
now, as Python would; others become control flow of run time (control.py).
"""

from __future__ import annotations

import ast
from typing import Any

from tile.frontend import (
    context,
    control,
    desugar,
    names,
    role_statements,
    scalars,
)
from tile.frontend.buffers import Buffer, Element, Region
from tile.frontend.errors import CompileError, TileError, fail
from tile.frontend.expressions import LocalFunction
from tile.frontend.loop_statements import LoopStatements
from tile.frontend.loops import Loop
from tile.frontend.names import Scope, Unbound
from tile.frontend.scalars import Value, is_runtime
from tile.frontend.source import Source

MAX_DEPTH = 40
_AUGMENTED = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
              ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>",
              ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}


class _Return(Exception):
    """`return` of a function that is expanded."""

    def __init__(self, value: Any):
        self.value = value


class Interpreter(LoopStatements):
    """Builds the ops of a function from its tree."""

    def __init__(self, source: Source, scope: Scope):
        self.source, self.scope = source, scope
        self.base_depth = context.current().depth  # of control flow, of this call
        self.base_elements = context.current().elements
        self.containers: dict[int, tuple[Any, int]] = {}
        self.num_calls = 0
        self.num_flags = 0
        self.statement_depth = 0  # of control flow around the statement

    # -- Functions ------------------------------------------------------------

    def run_body(self, body: list[ast.stmt]) -> Any:
        """Carries out the body of a function; what it returns."""
        try:
            self.run(body)
        except _Return as result:
            return result.value
        return None

    def expand(self, tree: Any, source: Source, scope: Scope, args: Any, kwargs: Any,
               name: str) -> Any:
        """A call of a function by its tree, in place. `scope` is where it was
        defined."""
        inner = Scope(scope, scope.module)
        saved = (self.source, self.scope, self.base_depth, self.base_elements,
                 self.statement_depth)
        bound = self._bind_arguments(tree.args, inner, args, kwargs, name)
        self.num_calls += 1
        if self.num_calls > MAX_DEPTH:
            fail(f"calls of {name} are nested more than {MAX_DEPTH} deep",
                 "a recursion must end at a condition that is known when the kernel is compiled")
        place = context.location()
        try:
            self.source, self.scope = source, inner
            self.base_depth = context.current().depth
            self.base_elements = context.current().elements
            self.statement_depth = self.base_depth
            inner.variables.update(bound)
            if isinstance(tree, ast.Lambda):
                return self.evaluate(tree.body)
            if desugar.early_returns(tree.body):
                early = self.run_body(desugar.without_returns(tree.body))
                result = inner.find(desugar.RESULT) if early is None else early
                if isinstance(result, Unbound):
                    fail(f"{name} returns a number on one path and something else on another",
                         "return numbers on every path, or on none")
                return result
            return self.run_body(tree.body)
        except CompileError as error:
            note = f"expanded here: {place}"
            if place is None or note in error.notes:
                raise
            raise type(error)(error.message, error.location, error.cure,
                              (*error.notes, note)) from error
        finally:
            self.num_calls -= 1
            (self.source, self.scope, self.base_depth, self.base_elements,
             self.statement_depth) = saved

    def _bind_arguments(self, spec: ast.arguments, scope: Scope, args: Any, kwargs: Any,
                        name: str) -> dict[str, Any]:
        positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        result: dict[str, Any] = dict(zip(positional, args, strict=False))
        if len(args) > len(positional):
            if spec.vararg is None:
                fail(f"{name} takes {len(positional)} arguments, got {len(args)}")
        if spec.vararg is not None:
            result[spec.vararg.arg] = tuple(args[len(positional):])
        known = {*positional, *(a.arg for a in spec.kwonlyargs)}
        extra: dict[str, Any] = {}
        for key, value in kwargs.items():
            if key in result:
                fail(f"{name} got {key} twice")
            (result if key in known else extra)[key] = value
        if spec.kwarg is not None:
            result[spec.kwarg.arg] = extra
        elif extra:
            fail(f"{name} has no argument {next(iter(extra))}")
        defaults = dict(zip(positional[len(positional) - len(spec.defaults):], spec.defaults,
                            strict=True))
        defaults.update({a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
                         if d is not None})
        outer, self.scope = self.scope, scope
        try:
            for key in [*positional, *(a.arg for a in spec.kwonlyargs)]:
                if key not in result:
                    if key not in defaults:
                        fail(f"{name} misses the argument {key}")
                    result[key] = self.evaluate(defaults[key])
        finally:
            self.scope = outer
        return result

    # -- Statements -----------------------------------------------------------

    def run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            method = getattr(self, "stmt_" + type(statement).__name__, None)
            self.statement_depth = context.current().depth
            with self.place(statement):
                if method is None:
                    self._refuse(statement)
                    continue
                try:
                    method(statement)
                except CompileError as error:
                    if error.location is not None:
                        raise
                    raise type(error)(error.message, context.location(), error.cure,
                                      error.notes) from error
                except (TileError, _Return, RecursionError):
                    raise
                except TypeError as error:
                    raise CompileError(str(error), context.location()) from error
                except Exception as error:
                    raise CompileError(f"{type(error).__name__}: {error}",
                                       context.location()) from error

    def _refuse(self, statement: ast.stmt) -> None:
        word = {"Try": "try", "TryStar": "try", "Raise": "raise", "ClassDef": "class",
                "Import": "import", "ImportFrom": "import", "AsyncFor": "async",
                "AsyncWith": "async", "AsyncFunctionDef": "async", "Match": "match",
                "Delete": "del", "Global": "global"}.get(type(statement).__name__)
        cures = {"match": "write if and elif", "import": "import at the top of the file",
                 "raise": "use T.device_assert, or `assert` of what is known when the kernel "
                          "is compiled",
                 "try": "nothing is raised in a kernel: test before", "global": "return the value, "
                 "or store it in a tensor", "del": "leave the name alone",
                 "class": "define it outside of the kernel", "async": "copies are asynchronous "
                 "in T.Pipelined"}
        fail(f"`{word or type(statement).__name__}` is not in the language of kernels",
             cures.get(word or ""))

    def stmt_Pass(self, node: ast.Pass) -> None:
        pass

    def stmt_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        found = names.filled(node.value)
        if found is not None and self.scope.type_of(found[0]) is not None:
            self._bind_name(found[0], self.evaluate(found[1]) if found[1] else 0)
            return
        value = self.evaluate_lazily(node.value)
        if isinstance(value, Loop):
            fail(f"{value.kind_text} without `for`", "write `for … in` before it")

    def stmt_Return(self, node: ast.Return) -> None:
        kernel = context.current().kernel
        if kernel is not None and self.num_calls == 0 \
                and context.current().depth == kernel.depth:
            fail("`return` in a kernel, whose threads go on to its end",
                 "put what follows under the opposite condition; return tensors after the kernel")
        if context.current().depth != self.base_depth \
                or context.current().elements is not self.base_elements:
            fail("`return` in a `with` under a condition or in a loop of run time",
                 "set a variable, and test it after the `with`")
        raise _Return(None if node.value is None else self.evaluate(node.value))

    def stmt_Assert(self, node: ast.Assert) -> None:
        value = self.evaluate(node.test)
        if not is_runtime(value):
            if not value:
                text = self.evaluate(node.msg) if node.msg else ast.unparse(node.test)
                fail(f"assertion failed: {text}")
            return
        from tile.language import debug

        text = self.evaluate(node.msg) if node.msg else ast.unparse(node.test)
        debug.device_assert(value, str(text))

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> None:
        function: Any = LocalFunction(self, node, self.scope)
        for decorator in reversed(node.decorator_list):
            wrap = self.evaluate(decorator)
            function = wrap(function)
        self.scope.write(node.name, function)

    def stmt_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocal_names.update(node.names)

    # -- Assignments ----------------------------------------------------------

    def _assign_to_reducer(self, node: ast.Assign) -> bool:
        """`r[i] = T.max(r[i], x)`, or `r[i] = r[i] + x`, of a reducer."""
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Subscript):
            return False
        owner = self.evaluate(target.value)
        if not hasattr(owner, "accumulate") or context.current().elements is None:
            return False
        same = ast.unparse(target)
        if isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Add):
            op, sides = "+", [node.value.left, node.value.right]
        elif isinstance(node.value, ast.Call) and len(node.value.args) == 2:
            op = getattr(self.evaluate(node.value.func), "__name__", "")
            sides = list(node.value.args)
        else:
            op, sides = "=", []
        rest = [s for s in sides if ast.unparse(s) != same]
        if len(rest) != 1:
            fail("a reducer is only added to in T.Parallel",
                 f"write `{same} += …`, or `{same} = T.max({same}, …)`")
        owner.accumulate(owner[self.evaluate(target.slice)], op, self.evaluate(rest[0]))
        return True

    def stmt_Assign(self, node: ast.Assign) -> None:
        if self._assign_to_reducer(node):
            return
        value = self.evaluate(node.value)
        for target in node.targets:
            self.bind(target, value)

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            if isinstance(node.target, ast.Name):
                self.annotate(node.target.id, node.annotation)
            return
        value = self.evaluate(node.value)
        self.bind(node.target, value)

    def annotate(self, name: str, annotation: ast.expr) -> None:
        """`name: annotation`, which in an eager function describes a tensor."""

    def stmt_AugAssign(self, node: ast.AugAssign) -> None:
        op = _AUGMENTED.get(type(node.op))
        if op is None:
            fail("`@=` is not in the language", "use T.gemm")
        if isinstance(node.target, ast.Subscript):
            owner = self.evaluate(node.target.value)
            place = None
            if isinstance(owner, (Buffer, Region)):
                place = owner[self.evaluate(node.target.slice)]
            if isinstance(place, Region):
                fail(f"`{ast.unparse(node)}` of a window",
                     "compute element by element in T.Parallel")
            accumulate = getattr(getattr(place, "buffer", None), "accumulate", None)
            if isinstance(place, Element) and accumulate and context.current().elements:
                accumulate(place, op, self.evaluate(node.value))
                return
            if isinstance(place, Element):
                old = place.load_scalar()
                place.buffer[tuple(place.indices)] = self.binary(op, old,
                                                                 self.evaluate(node.value))
                return
            key = self.evaluate(node.target.slice)
            self.check_change(owner)
            owner[key] = self.binary(op, owner[key], self.evaluate(node.value))
            return
        old = self.evaluate(_as_load(node.target))
        self.bind(node.target, self.binary(op, old, self.evaluate(node.value)))

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._bind_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            if isinstance(owner, Value) and isinstance(target.value, ast.Name):
                if not isinstance(key, int) or key != 0 \
                        or self.scope.type_of(target.value.id) is None:
                    fail(f"{target.value.id} is {owner.kind_text}, which has no elements",
                         f"write `{target.value.id} = …`, or make it a tile or a tensor")
                self._bind_name(target.value.id, value)  # x[0] of a T.alloc_var is x
                return
            self.check_change(owner)
            owner[key] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            if isinstance(owner, (Buffer, Region, Value)):
                fail(f"`{ast.unparse(target)}` cannot be assigned")
            setattr(owner, target.attr, value)
        else:
            fail(f"`{ast.unparse(target)}` cannot be assigned")

    def _unpack(self, targets: list[ast.expr], value: Any) -> None:
        if isinstance(value, (Value, Buffer, Region)):
            kernel = context.current().kernel
            is_block = kernel is not None and any(value is b for b in kernel.blocks)
            fail(f"{value.kind_text} cannot be taken apart into {len(targets)} names",
                 "a grid with one number of blocks has one index" if is_block else None)
        items = list(value)
        star = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
        if star:
            at, after = star[0], len(targets) - star[0] - 1
            middle = items[at:len(items) - after]
            items = [*items[:at], middle, *items[len(items) - after:]]
            targets = [t.value if isinstance(t, ast.Starred) else t for t in targets]
        if len(items) != len(targets):
            fail(f"{len(items)} values for {len(targets)} names", "name as many as there are")
        for target, item in zip(targets, items, strict=True):
            self.bind(target, item)

    def _bind_name(self, name: str, value: Any) -> None:
        declare = getattr(value, "declared_type", None)
        if declare is not None:
            self.scope.declare(name, declare)
            value = value.initial
        if hasattr(value, "runtime_value") and context.current().kernel is not None:
            value = value.runtime_value()
        dtype = self.scope.type_of(name)
        if dtype is not None and control.is_scalar(value):
            value = scalars.to_value(value, dtype)
        label_value(value, name)
        self.scope.write(name, value)

    # -- Branches -------------------------------------------------------------

    def stmt_If(self, node: ast.If) -> None:
        condition = self.evaluate(node.test)
        if isinstance(condition, (Buffer, Region)):
            fail(f"{condition.kind_text} is no condition", "use T.any_of or T.all_of")
        condition = scalars.truth(condition) if is_runtime(condition) else condition
        if not is_runtime(condition):
            self.run(node.body if condition else node.orelse)
            return
        assigned = names.assigned([*node.body, *node.orelse], self.scope)
        control.branch(self.scope, condition, lambda: self.run(node.body),
                       lambda: self.run(node.orelse), assigned)

    # -- With -----------------------------------------------------------------

    def stmt_With(self, node: ast.With) -> None:
        item, rest = node.items[0], node.items[1:]
        manager = self.evaluate(item.context_expr)
        inner: list[ast.stmt] = node.body
        if rest:
            inner = [ast.copy_location(ast.With(rest, node.body), node)]
        enter = getattr(manager, "enter_kernel", None)
        if enter is None:
            with manager as value:
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, value)
                self.run(inner)
            return
        is_kernel = getattr(manager, "ends_names", False)
        found = desugar.early_returns(inner) if is_kernel else []
        if found and all(node.value is None for node in found):
            inner = desugar.without_returns(inner)
        with enter() as value:
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
            if is_kernel:
                self._run_kernel(inner)
            else:
                self.run(inner)
        if is_kernel:
            for name in names.assigned([node], self.scope):
                self.scope.write(name, Unbound(f"{name} has a value in the kernel only"))


    def _run_kernel(self, body: list[ast.stmt]) -> None:
        for number, statement in enumerate(body):
            with self.place(statement):
                pieces = role_statements.take_apart(self, body[number:])
            if pieces is not None:
                role_statements.run(self, pieces)
                return
            self.run([statement])


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    fail(f"`{ast.unparse(node)}` cannot be changed")


def label_value(value: Any, name: str) -> None:
    """Values and tiles are called as the first variable that they are assigned
    to, where they have just been made."""
    function = context.current()
    if isinstance(value, Value):
        old = value.name
        value.name = function.rename(function.blocks[-1], old, name)
        if value.name != old and value.poly == {(old,): 1}:
            value.poly = {(value.name,): 1}
    elif isinstance(value, Buffer):
        rename = getattr(value, "rename", None)
        if rename is not None:
            rename(name)
        elif function.kernel is not None and value.name not in function.user_names:
            value.name = function.rename(function.kernel.entry, value.name, name)
            if value.name in function.user_names:
                value.label = name
    else:
        name_in_kernel = getattr(value, "name_in_kernel", None)
        if name_in_kernel is not None:
            name_in_kernel(name)
