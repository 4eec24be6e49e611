"""Carries out the loops of a kernel.

A loop through what is known when the kernel is compiled is its body, once for
each thing; others become loops of run time (control.py), and T.Parallel a loop
over elements (guards.py).
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
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
    staging,
)
from tile.frontend.buffers import LOCAL, Buffer, Region
from tile.frontend.errors import fail
from tile.frontend.expressions import Expressions
from tile.frontend.ir import Block, Op
from tile.frontend.loops import Loop
from tile.frontend.names import Unbound
from tile.frontend.scalars import Value, is_runtime


class LoopStatements(Expressions):
    """The part of the interpreter that is about loops."""

    num_flags: int  # variables that stand for break and continue

    def run(self, body: list[ast.stmt]) -> None:
        raise NotImplementedError

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
                control.branch(self.scope, stay, functools.partial(self._round, node, body, item),
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
            fail(f"`{desugar.find(node.body).word}` in a loop with a step of run time",
                 "write a `while` loop")
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
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)):
            node = desugar.tested_inside(node)
        body, flags = self._without_breaks(node.body)
        for flag in flags:
            self.scope.write(flag, False)
        left = next((f for f in flags if f.startswith(desugar.BREAK)), None)

        def test() -> Any:
            if left is None:
                return scalars.truth(self.evaluate(node.test))
            on = scalars.logical_not(self.scope.local(left))
            return self.short_circuit("and", on, lambda: self.evaluate(node.test))

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
        """for i, j in T.grid(m, n): loops one in the other, all of which `break` leaves."""
        self.num_flags += 1
        nest: list[ast.For] = []
        for number, target in enumerate(_targets(node, len(loop.bounds))):
            name = f"_bounds_{self.num_flags}_{number}"
            self.scope.write(name, Loop(loops.SERIAL, [loop.bounds[number]]))
            through = ast.copy_location(ast.Name(name, ast.Load()), node)
            nest.append(ast.copy_location(ast.For(target, through, node.body, []), node))
        if len(nest) > 1 and desugar.find(node.body).has_break:
            self.run(desugar.leave_all(nest, f"_{self.num_flags}"))
            return
        for outer, inner in itertools.pairwise(nest):
            outer.body = [inner]
        self.run([nest[0]])

    def _persistent(self, node: ast.For, loop: Loop) -> None:
        """Tiles `first, first + step, …` of a grid, as coordinates."""
        sizes = loop.extra["sizes"]
        targets = _targets(node, len(sizes))

        def places_of(number: Any) -> list[Any]:
            rest, places = number, []
            for size in reversed(sizes):
                places.append(scalars.binary("%", rest, size))
                rest = scalars.binary("//", rest, size)
            return places[::-1]

        self.num_flags += 1
        number, places = f"tile_number_{self.num_flags}", f"_places_{self.num_flags}"
        self.scope.write(places, places_of)
        call = ast.Call(ast.Name(places, ast.Load()), [ast.Name(number, ast.Load())], [])
        bind = ast.Assign([ast.Tuple(targets, ast.Store())], call)
        flat = ast.For(ast.Name(number, ast.Store()), ast.Constant(None),
                       [ast.copy_location(bind, node), *node.body], [])
        self._serial(ast.fix_missing_locations(ast.copy_location(flat, node)), loop)

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
            fail(f"`{desugar.find(node.body).word}` in T.Parallel, whose elements are in no order",
                 "use T.serial, or a condition")
        assigned = names.assigned([node, *body], self.scope)
        before = {n: self.scope.local(n) for n in assigned}
        indices = [Value(function.name(t.id if isinstance(t, ast.Name) else "i"), INDEX)
                   for t in targets]
        known = frozenset(function.user_names)
        function.user_names |= {index.name for index in indices}

        def make(shifts: dict[int, context.Shift]) -> context.ElementLoop:
            sizes = [shifts[n].extent if n in shifts else e for n, e in enumerate(extents)]
            for index, extent in zip(indices, sizes, strict=True):
                function.ranges.set(index.name, 0, extent - 1)
            return context.ElementLoop(indices, sizes, shifts=shifts, known=known)

        def build() -> None:
            self.scope.variables.clear()
            self.scope.variables.update(variables)
            assert function.elements is not None
            if function.elements.draws is not None:
                function.elements.draws = 0
            own = self._own_arrays(body)
            for flag in flags:
                self.scope.write(flag, False)
            self._shifted_body(targets, extents, body)
            for name, array in own.items():
                self.scope.write(name, array)

        variables = dict(self.scope.variables)
        try:
            elements_loop, block = staging.rebuilt(make, build)
            guarded = self._under_guard(block, build)
        finally:
            function.elements = None
        block = guarded or block
        for op in elements_loop.before:
            function.append(op)
        head = f"tile.parallel ({', '.join(i.name for i in indices)}) in " \
               f"[{', '.join(map(str, elements_loop.extents))}] {{"
        function.append(Op(head, function.location, [("", block)]))
        self._forget_element_names(assigned, before)
        for reduce in elements_loop.after:
            reduce()

    def _shifted_body(self, targets: list[ast.expr], extents: list[int],
                      body: list[ast.stmt]) -> None:
        """The body of a loop over elements, for those that the user's loop has."""
        function = context.current()
        loop = function.elements
        assert loop is not None
        tests: list[Value] = []
        for number, (target, index) in enumerate(zip(targets, loop.indices, strict=True)):
            if number in loop.shifts:
                index = scalars.binary("-", index, scalars.of_poly(loop.shifts[number].ahead))
                both = scalars.compare(">=", index, 0), scalars.compare("<", index,
                                                                        extents[number])
                tests += [test for test in both if isinstance(test, Value)]
            self.bind(target, index)
        if not tests:
            self.run(body)
            return
        is_there = functools.reduce(functools.partial(scalars.logical, "and"), tests)
        with context.into(Block()) as inner:
            scalars.assume(is_there)
            self.run(body)
        function.append(Op(f"scf.if {is_there.name} {{", function.location, [("", inner)]))

    def _under_guard(self, block: Block, build: Any) -> Block | None:
        """The body once more, all of it under the guard of what it writes; None
        where there is no such guard."""
        guard = guards.common_guard(block)
        before = guards.needed_for(block, guard) if guard is not None else None
        if guard is None or before is None:
            return None
        function = context.current()
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
            if isinstance(stop, float):
                fail(f"T.Parallel over {stop} elements", "a number of elements is an integer")
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
