"""Carries out the statements of a kernel.

A condition or a loop that is known when the kernel is compiled is carried out
now, as Python would; others become control flow of run time (control.py).
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from tile.dtypes import INDEX
from tile.frontend import (
    buffers,
    context,
    control,
    desugar,
    elements,
    guards,
    loops,
    names,
    scalars,
)
from tile.frontend.buffers import LOCAL, Buffer, Element, Region
from tile.frontend.errors import CompileError, TileError, fail
from tile.frontend.expressions import Expressions, LocalFunction
from tile.frontend.ir import Block, Op
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


class Interpreter(Expressions):
    """Builds the ops of a function from its tree."""

    def __init__(self, source: Source, scope: Scope):
        self.source, self.scope = source, scope
        self.base_depth = context.current().depth  # of control flow, of this call
        self.base_elements = context.current().elements
        self.num_calls = 0
        self.num_flags = 0

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
        saved = self.source, self.scope, self.base_depth, self.base_elements
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
            inner.variables.update(bound)
            if isinstance(tree, ast.Lambda):
                return self.evaluate(tree.body)
            return self.run_body(tree.body)
        except CompileError as error:
            note = f"expanded here: {place}"
            if place is None or note in error.notes:
                raise
            raise type(error)(error.message, error.location, error.cure,
                              (*error.notes, note)) from error
        finally:
            self.num_calls -= 1
            self.source, self.scope, self.base_depth, self.base_elements = saved

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
        extra = {}
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
            with self.place(statement):
                if method is None:
                    self._refuse(statement)
                try:
                    method(statement)
                except CompileError as error:
                    if error.location is not None:
                        raise
                    raise type(error)(error.message, context.location(), error.cure,
                                      error.notes) from error
                except (TileError, _Return, RecursionError):
                    raise
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
                          "is compiled"}
        fail(f"`{word or type(statement).__name__}` is not in the language of kernels",
             cures.get(word or ""))

    def stmt_Pass(self, node: ast.Pass) -> None:
        pass

    def stmt_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        value = self.evaluate_lazily(node.value)
        if isinstance(value, Loop):
            fail(f"{value.kind_text} without `for`", "write `for … in` before it")

    def stmt_Return(self, node: ast.Return) -> None:
        if context.current().depth != self.base_depth \
                or context.current().elements is not self.base_elements:
            fail("`return` under a condition or in a loop of run time",
                 "put what follows under the opposite condition")
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

    def _accumulates(self, place: Any) -> bool:
        return hasattr(place.buffer, "accumulate") and context.current().elements is not None

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
            if isinstance(place, Element) and self._accumulates(place):
                place.buffer.accumulate(place, op, self.evaluate(node.value))
                return
            if isinstance(place, Element):
                old = place.load_scalar()
                place.buffer[tuple(place.indices)] = self.binary(op, old,
                                                                 self.evaluate(node.value))
                return
            key = self.evaluate(node.target.slice)
            owner[key] = self.binary(op, owner[key], self.evaluate(node.value))
            return
        old = self.evaluate(_as_load(node.target))
        self.bind(node.target, self.binary(op, old, self.evaluate(node.value)))

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._bind_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            if isinstance(owner, Value) and isinstance(target.value, ast.Name) and key == 0:
                self._bind_name(target.value.id, value)  # x[0] of a T.alloc_var is x
                return
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
            fail(f"{value.kind_text} cannot be taken apart into {len(targets)} names")
        items = list(value)
        star = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
        if star:
            at, after = star[0], len(targets) - star[0] - 1
            middle = items[at:len(items) - after]
            items = [*items[:at], middle, *items[len(items) - after:]]
            targets = [t.value if isinstance(t, ast.Starred) else t for t in targets]
        if len(items) != len(targets):
            fail(f"{len(items)} values for {len(targets)} names")
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
        inner = node.body if not rest else [ast.copy_location(ast.With(rest, node.body), node)]
        enter = getattr(manager, "enter_kernel", None)
        if enter is None:
            with manager as value:
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, value)
                self.run(inner)
            return
        with enter() as value:
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
            self.run(inner)
        if getattr(manager, "ends_names", False):
            for name in names.assigned([node], self.scope):
                self.scope.write(name, Unbound(f"{name} has a value in the kernel only"))

    # -- Loops ----------------------------------------------------------------

    def stmt_For(self, node: ast.For) -> None:
        if node.orelse:
            fail("`for … else` is not in the language", "set a variable before `break`")
        iterable = self._iterable(node.iter)
        if isinstance(iterable, Loop):
            self._run_loop(node, iterable)
        elif is_runtime(iterable) or isinstance(iterable, (Buffer, Region)):
            kind = getattr(iterable, "kind_text", "a value of run time")
            fail(f"a loop goes through {kind}", "loop over indices, such as range(n)")
        else:
            self._unrolled(node, [(item,) for item in iterable])

    def _iterable(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) \
                and self.scope.find(node.func.id) is builtins.range:
            with self.place(node):
                bounds = loops.bounds_of(tuple(self._items(node.args)), "range")
                if context.current().kernel is None and not is_runtime(*bounds):
                    return range(*bounds)
                return Loop(loops.SERIAL, [bounds])
        return self.evaluate(node)

    def _run_loop(self, node: ast.For, loop: Loop) -> None:
        kind = loop.loop_kind
        if kind == loops.PARALLEL:
            self._elements(node, loop)
        elif kind == loops.GRID:
            self._grid(node, loop)
        elif kind == loops.PERSISTENT:
            self._persistent(node, loop)
        elif kind == loops.UNROLL:
            known = loops.known_range(loop.bounds[0])
            if known is not None and len(known) <= loops.MAX_UNROLLED:
                self._unrolled(node, [(i,) for i in known])
            else:
                self._serial(node, loop)
        else:
            self._serial(node, loop)

    def _unrolled(self, node: ast.For, items: list[tuple[Any]]) -> None:
        """A loop through things that are known: the body once for each."""
        body, flags = self._without_breaks(node.body)
        for name in flags:
            self.scope.write(name, False)
        for (item,) in items:
            for name in flags:
                if name.startswith(desugar.CONTINUE):
                    self.scope.write(name, False)
            left = next((f for f in flags if f.startswith(desugar.BREAK)), None)
            if left is not None and self.scope.local(left) is True:
                break
            if left is not None and is_runtime(self.scope.local(left)):
                target = ast.copy_location(ast.Assign([node.target], ast.Constant(None)), node)
                stay = scalars.logical_not(self.scope.local(left))
                control.branch(self.scope, stay, lambda item=item: self._round(node, body, item),
                               lambda: None, names.assigned([target, *body], self.scope))
            else:
                self._round(node, body, item)

    def _round(self, node: ast.For, body: list[ast.stmt], item: Any) -> None:
        self.bind(node.target, item)
        self.run(body)

    def _without_breaks(self, body: list[ast.stmt]) -> tuple[list[ast.stmt], list[str]]:
        """The body, and the variables that stand for its break and continue."""
        found = desugar.find(body)
        if not found.has_break and not found.has_continue:
            return body, []
        self.num_flags += 1
        suffix = f"_{self.num_flags}"
        flags = [desugar.BREAK + suffix] * found.has_break \
            + [desugar.CONTINUE + suffix] * found.has_continue
        return desugar.rewrite(body, suffix), flags

    def _serial(self, node: ast.For, loop: Loop) -> None:
        bounds = loop.bounds[0]
        if context.current().kernel is not None and any(
                isinstance(b, Value) and b.dtype.bits > 32 for b in bounds):
            bounds = tuple(scalars.to_index(b) for b in bounds)  # type: ignore[assignment]
        body, flags = self._without_breaks(node.body)
        label = node.target.id if isinstance(node.target, ast.Name) else "i"
        attributes = f" {{tile.num_stages = {loop.num_stages} : i32}}" if loop.num_stages else ""
        if any(f.startswith(desugar.BREAK) for f in flags):
            self._leavable(node, bounds, body, flags, label, attributes)
            return
        assigned = [n for n in names.assigned([node, *body], self.scope) if n not in flags]

        def round_of(index: Any) -> None:
            for flag in flags:
                self.scope.write(flag, False)
            self.bind(node.target, index)
            self.run(body)

        control.for_loop(self.scope, bounds, label, body, assigned, attributes, round_of)

    def _leavable(self, node: ast.For, bounds: tuple[Any, Any, Any], body: list[ast.stmt],
                  flags: list[str], label: str, attributes: str) -> None:
        """A loop with `break`: a while that counts."""
        start, stop, step = bounds
        if not isinstance(step, int):
            fail("`break` in a loop with a step of run time", "write a `while` loop")
        counter, left = f"_next_{label}_{self.num_flags}", flags[0]
        self.scope.write(counter, scalars.to_index(start))
        self.scope.write(left, False)
        end = scalars.to_index(stop)
        low = scalars.range_of(start)[0] if step > 0 else scalars.range_of(stop)[0] + 1

        def test() -> Any:
            ahead = scalars.compare("<" if step > 0 else ">", self.scope.local(counter), end)
            stay = scalars.logical_not(self.scope.local(left))
            return scalars.logical("and", scalars.to_value(scalars.truth(ahead), scalars.BOOL),
                                   scalars.to_value(stay, scalars.BOOL))

        def run() -> None:
            index = self.scope.local(counter)
            context.current().ranges.set(index.name, low, float("inf"))
            for flag in flags[1:]:
                self.scope.write(flag, False)
            self.bind(node.target, index)
            self.run(body)
            self.scope.write(counter, scalars.binary("+", index, step))

        assigned = [counter, left, *(n for n in names.assigned([node, *body], self.scope)
                                     if n not in flags)]
        carried_body = [*body, *ast.parse(f"{counter} = {left} = 0").body]
        control.while_loop(self.scope, carried_body, assigned, attributes, test, run)

    def stmt_While(self, node: ast.While) -> None:
        if node.orelse:
            fail("`while … else` is not in the language", "set a variable before `break`")
        if context.current().kernel is None:
            fail("`while` outside of a kernel", "compute it before, in Python")
        body, flags = self._without_breaks(node.body)
        for flag in flags:
            self.scope.write(flag, False)
        left = next((f for f in flags if f.startswith(desugar.BREAK)), None)

        def test() -> Any:
            stay = scalars.truth(self.evaluate(node.test))
            if left is None:
                return stay
            on = scalars.logical_not(self.scope.local(left))
            return scalars.logical("and", scalars.to_value(stay, scalars.BOOL),
                                   scalars.to_value(on, scalars.BOOL))

        def run() -> None:
            for flag in flags:
                if flag != left:
                    self.scope.write(flag, False)
            self.run(body)

        assigned = [n for n in names.assigned(body, self.scope) if n not in flags or n == left]
        if left is not None and left not in assigned:
            assigned.append(left)
        control.while_loop(self.scope, body, assigned, "", test, run)

    def _grid(self, node: ast.For, loop: Loop) -> None:
        """for i, j in T.grid(m, n): loops one in the other."""
        targets = _targets(node, len(loop.bounds))
        body = node.body
        for target, number in reversed(list(zip(targets, range(len(targets)), strict=True))):
            name = f"_bounds_{self.num_flags}_{number}"
            self.scope.write(name, Loop(loops.SERIAL, [loop.bounds[number]]))
            body = [ast.copy_location(
                ast.For(target, ast.copy_location(ast.Name(name, ast.Load()), node), body, []),
                node)]
        if desugar.find(node.body).has_break:
            fail("`break` in T.grid, which is several loops", "write the loops")
        self.num_flags += 1
        self.run(body)

    def _persistent(self, node: ast.For, loop: Loop) -> None:
        """Tiles `first, first + step, …` of a grid, as coordinates."""
        sizes = loop.extra["sizes"]
        targets = _targets(node, len(sizes))

        def round_of(number: Any) -> None:
            rest = number
            places = []
            for size in reversed(sizes):
                places.append(scalars.binary("%", rest, size))
                rest = scalars.binary("//", rest, size)
            for target, place in zip(targets, reversed(places), strict=True):
                self.bind(target, place)
            self.run(body)

        body, flags = self._without_breaks(node.body)
        if flags:
            fail("`break` and `continue` in T.Persistent", "put the rest under a condition")
        assigned = names.assigned([node, *body], self.scope)
        control.for_loop(self.scope, loop.bounds[0], "tile_number", body, assigned, "", round_of)

    # -- Loops over elements --------------------------------------------------

    def _elements(self, node: ast.For, loop: Loop) -> None:
        """T.Parallel: the body once for each element, in no order."""
        function = context.current()
        context.kernel("T.Parallel")
        if function.elements is not None:
            self._nested_elements(node, loop)
            return
        extents, targets, body = self._merged(node, loop)
        body, flags = self._without_breaks(body)
        if any(f.startswith(desugar.BREAK) for f in flags):
            fail("`break` in T.Parallel, whose elements are in no order",
                 "use T.serial, or a condition")
        assigned = names.assigned([node, *body], self.scope)
        before = {n: self.scope.local(n) for n in assigned}
        indices = [Value(function.name(t.id if isinstance(t, ast.Name) else "i"), INDEX)
                   for t in targets]
        for index, extent in zip(indices, extents, strict=True):
            function.ranges.set(index.name, 0, extent - 1)
            function.user_names.add(index.name)
        def build() -> None:
            own = self._own_arrays(body)
            for flag in flags:
                self.scope.write(flag, False)
            for target, index in zip(targets, indices, strict=True):
                self.bind(target, index)
            self.run(body)
            for name, array in own.items():
                self.scope.write(name, array)

        function.elements = elements_loop = context.ElementLoop(indices, extents)
        variables = dict(self.scope.variables)
        try:
            with context.into(Block()) as block:
                build()
            guarded = self._under_guard(block, variables, build)
        finally:
            function.elements = None
        block = guarded or block
        for op in elements_loop.before:
            function.append(op)
        head = f"tile.parallel ({', '.join(i.name for i in indices)}) in " \
               f"[{', '.join(map(str, extents))}] {{"
        function.append(Op(head, function.location, [("", block)]))
        self._forget_element_names(assigned, before)
        for reduce in elements_loop.after:
            reduce()

    def _under_guard(self, block: Block, variables: dict[str, Any], build: Any) -> Block | None:
        """The body once more, all of it under the guard of what it writes; None
        where there is no such guard."""
        guard = guards.common_guard(block)
        before = guards.needed_for(block, guard) if guard is not None else None
        if guard is None or before is None:
            return None
        function = context.current()
        self.scope.variables.clear()
        self.scope.variables.update(variables)
        with context.into(Block()) as outer:
            outer.ops = before
            for op in before:
                name, _, text = op.text.partition(" = ")
                outer.known[text] = name
            with context.into(Block()) as inner:
                scalars.assume(Value(guard, scalars.BOOL))
                build()
            function.append(Op(f"scf.if {guard} {{", function.location, [("", inner)]))
        return outer

    def _forget_element_names(self, assigned: list[str], before: dict[str, Any]) -> None:
        place = context.location()
        for name in assigned:
            if not control.same(before[name], self.scope.local(name)):
                self.scope.write(name, Unbound(
                    f"{name} is assigned in the T.Parallel at line {place.line if place else 0}, "
                    "where each element has its own",
                    "store it in a tile, or use T.reduce_sum and its like"))

    def _merged(self, node: ast.For, loop: Loop) -> tuple[list[int], list[ast.expr],
                                                          list[ast.stmt]]:
        """Extents, indices and body; loops that are one in the other are one."""
        extents = []
        for start, stop, _ in loop.bounds:
            extent = scalars.constant_value(stop)
            if extent is None or start != 0:
                fail("T.Parallel needs sizes that are known when the kernel is compiled",
                     "round up to the size of the tile and test the index in the body")
            if extent < 1:
                fail(f"T.Parallel over {extent} elements")
            extents.append(extent)
        targets = _targets(node, len(extents))
        body = node.body
        if len(body) == 1 and isinstance(body[0], ast.For) and not body[0].orelse \
                and isinstance(body[0].iter, ast.Call):
            inner = body[0].iter
            called = self.evaluate(inner.func)
            if getattr(called, "__name__", "") == "Parallel" and not (
                    {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)}
                    & {t.id for t in targets if isinstance(t, ast.Name)}):
                more = self._merged(body[0], self.evaluate(inner))
                return extents + more[0], targets + more[1], more[2]
        return extents, targets, body

    def _nested_elements(self, node: ast.For, loop: Loop) -> None:
        """T.Parallel in T.Parallel: each element goes through the inner one."""
        self._grid(node, Loop(loops.GRID, loop.bounds))

    def _own_arrays(self, body: list[ast.stmt]) -> dict[str, Buffer]:
        """Gives each element its own of the local arrays that the body changes;
        returns those of outside."""
        result = {}
        for name in sorted(names.changed_arrays(body)):
            array = self.scope.find(name)
            if not isinstance(array, Buffer) or array.space != LOCAL:
                continue
            result[name] = array
            shape = array.static_shape("T.alloc_local")
            own = buffers.allocate(LOCAL, shape, array.dtype, name)
            if array.is_written:
                elements.copy_all(array, own)
            self.scope.write(name, own)
        return result


def _targets(node: ast.For, count: int) -> list[ast.expr]:
    targets = list(node.target.elts) if isinstance(node.target, (ast.Tuple, ast.List)) \
        else [node.target]
    if len(targets) != count:
        fail(f"the loop has {count} indices, got {len(targets)} names")
    return targets


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
