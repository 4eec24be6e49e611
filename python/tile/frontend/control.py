"""Branches and loops of run time, and the variables that pass through them.

A variable that a branch assigns is a result of the branch; one that a loop
assigns and that had a value before is carried from round to round. Their types
must be known before the body is built, so a body whose variable turns out to
have a wider type is built again.
"""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Callable
from typing import Any

from tile.dtypes import INDEX, DType
from tile.frontend import affine, context, desugar, names, scalars, uniform
from tile.frontend.errors import fail
from tile.frontend.ir import Block, Op
from tile.frontend.names import Scope, Unbound
from tile.frontend.scalars import NUMBERS, Value

MAX_ATTEMPTS = 4
RESULT_DIFFERS = ("a function returns a number on one path and something else on another",
                  "return numbers on every path, or on none")


def is_scalar(value: Any) -> bool:
    return isinstance(value, (Value, *NUMBERS))


def type_of(value: Any) -> DType:
    """The type that a variable with this value has."""
    if isinstance(value, Value):
        return value.dtype
    return scalars.unify_types(value, value)


def same(a: Any, b: Any) -> bool:
    """Whether a variable has not changed."""
    if a is b:
        return True
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        return type(a) is type(b) and a == b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return isinstance(a, Value) and isinstance(b, Value) and a.name == b.name \
        and a.dtype is b.dtype


def results(variables: list[str]) -> list[str]:
    """SSA names for results that are variables."""
    function = context.current()
    fresh = [function.name(v.strip("_")) for v in variables]
    function.user_names.update(fresh)
    return fresh


# -- Branches -----------------------------------------------------------------

def branch(scope: Scope, condition: Value, then: Callable[[], None],
           otherwise: Callable[[], None], assigned: list[str]) -> None:
    """`if condition: then() else: otherwise()`; `assigned` are the variables
    that one of them may assign."""
    function = context.current()
    before = {n: scope.local(n) for n in assigned}
    blocks, after = [], []
    for body, is_then in ((then, True), (otherwise, False)):
        with context.into(Block(), condition) as block:
            if is_then:
                scalars.assume(condition)
            body()
        blocks.append(block)
        after.append({n: scope.local(n) for n in assigned})
        for name, value in before.items():
            scope.write(name, value)
    changed: list[tuple[str, DType]] = []
    for name in assigned:
        a, b = after[0][name], after[1][name]
        if same(a, b):
            scope.write(name, a)
        elif is_scalar(a) and is_scalar(b):
            changed.append((name, scope.type_of(name) or scalars.unify_types(a, b)))
        else:
            scope.write(name, _unbound_after_branch(name, a, b))
    for block, values in zip(blocks, after, strict=True):
        with context.into(block):
            yield_values([(values[n], t) for n, t in changed])
    regions = [("", blocks[0])]
    if blocks[1].ops:
        regions.append((" else {", blocks[1]))
    if not changed:
        function.append(Op(f"scf.if {condition.name} {{", function.location, regions))
        return
    fresh = results([n for n, _ in changed])
    types = ", ".join(str(t.mlir) for _, t in changed)
    function.append(Op(f"{', '.join(fresh)} = scf.if {condition.name} -> ({types}) {{",
                       function.location, regions))
    for (name, dtype), result in zip(changed, fresh, strict=True):
        value = Value(result, dtype)
        if dtype is INDEX:
            bounds = [scalars.range_of(values[name]) for values in after]
            function.ranges.set(result, min(b[0] for b in bounds), max(b[1] for b in bounds))
        scope.write(name, value)


def yield_values(values: list[tuple[Any, DType]]) -> None:
    """Ends a block with values of the given types."""
    if values:
        converted = [scalars.to_value(v, t) for v, t in values]
        context.emit(f"scf.yield {', '.join(v.name for v in converted)} : "
                     f"{', '.join(str(t.mlir) for _, t in values)}")


def _unbound_after_branch(name: str, a: Any, b: Any) -> Unbound:
    place = context.location()
    where = f" at line {place.line}" if place else ""
    if name == desugar.RESULT:
        return Unbound(*RESULT_DIFFERS)
    if isinstance(a, Unbound) or isinstance(b, Unbound):
        return Unbound(f"{name} has a value on one path only of the `if`{where}",
                       "give it one before the `if`, or on both paths")
    return Unbound(f"{name} stands for different things after the paths of the `if`{where}, "
                   "which is decided at run time", "only numbers can differ")


# -- Loops --------------------------------------------------------------------

@dataclasses.dataclass
class Carried:
    """Variables that a loop passes from round to round."""

    names: list[str]
    initial: list[Any]
    types: list[DType]
    varying: set[str] = dataclasses.field(default_factory=set)  # that differ between threads
    found_varying: set[str] = dataclasses.field(default_factory=set)  # at the end of a round

    @staticmethod
    def of(scope: Scope, body: list[ast.stmt]) -> Carried:
        """Those that the body assigns and that have a value before. Indices of loops in
        the body begin anew there."""
        for name in names.indices_alone(body):
            if is_scalar(scope.local(name)):
                scope.write(name, Unbound(f"{name} was the index of a loop in another loop"))
        chosen = [n for n in names.assigned(body, scope) if is_scalar(scope.local(n))]
        initial = [scope.local(n) for n in chosen]
        types = [scope.type_of(n) or type_of(v) for n, v in zip(chosen, initial, strict=True)]
        varying = {n for n, v in zip(chosen, initial, strict=True) if uniform.varies([v])}
        return Carried(chosen, initial, types, varying)

    def enter(self, scope: Scope) -> list[str]:
        """Arguments of a body; the variables stand for them."""
        fresh = results(self.names)
        for name, result, dtype in zip(self.names, fresh, self.types, strict=True):
            scope.write(name, Value(result, dtype))
            if name in self.varying:
                context.current().varying.add(result)
        return fresh

    def finals(self, scope: Scope) -> list[Any]:
        """Their values at the end of a body."""
        values = []
        for name in self.names:
            value = scope.local(name)
            if not is_scalar(value):
                if name == desugar.RESULT:
                    fail(*RESULT_DIFFERS)
                fail(f"{name} is a number before the loop and something else after a round",
                     "use another name in the loop")
            values.append(value)
        self.found_varying = {n for n, v in zip(self.names, values, strict=True)
                              if uniform.varies([v])}
        return values

    def widened(self, scope: Scope, finals: list[Any]) -> list[DType]:
        """Their types, where values at the end of a body do not fit: the first
        types hold those of before the loop."""
        result = []
        for name, dtype, value in zip(self.names, self.types, finals, strict=True):
            declared = scope.type_of(name)
            probe = Value("", dtype, {})
            result.append(declared or scalars.unify_types(probe, value))
        return result


def build_rounds(scope: Scope, carried: Carried,
                 build: Callable[[], tuple[Block, Any, list[Any]]]) -> tuple[Block, Any]:
    """Calls `build`, which builds a body with `carried.types` and gives its
    block, other parts and the values of the variables at the end of a round,
    until they are what was assumed of them; ends the block. Other variables are as before
    each time."""
    function = context.current()
    variables = dict(scope.variables)
    types = carried.types
    for _ in range(MAX_ATTEMPTS):
        snapshot = function.snapshot()
        block, parts, finals = build()
        widened = carried.widened(scope, finals)
        has_more = not carried.found_varying <= carried.varying
        carried.varying |= set(carried.names) if has_more else set()
        if not has_more and all(a.mlir == b.mlir and a.kind == b.kind
                                for a, b in zip(widened, carried.types, strict=True)):
            with context.into(block):
                yield_values(list(zip(finals, carried.types, strict=True)))
            return block, parts
        function.restore(snapshot)
        scope.variables.clear()
        scope.variables.update(variables)
        types, carried.types = carried.types, widened
    changed = [n for n, a, b in zip(carried.names, types, carried.types, strict=True) if a != b]
    fail(f"the type of {', '.join(changed)} changes from round to round",
         "give it one with T.alloc_var, or convert what is assigned")


def leave(scope: Scope, before: dict[str, Any], carried: Carried, fresh: list[str],
          assigned: list[str], what: str) -> None:
    """After a loop: carried variables are its results, others have no value."""
    place = context.location()
    where = f" at line {place.line}" if place else ""
    function = context.current()
    for name in assigned:
        if name in carried.names:
            continue
        old, new = before.get(name), scope.local(name)
        if old is None or isinstance(old, Unbound):
            scope.write(name, Unbound(f"{name} has a value only inside of {what}{where}",
                                      f"give it one before {what}"))
        elif not same(old, new):
            scope.write(name, Unbound(f"{name} stands for something else in {what}{where}",
                                      "only numbers can change in a loop of run time"))
    for name, dtype, result in zip(carried.names, carried.types, fresh, strict=True):
        value = Value(result, dtype)
        if dtype is INDEX:
            function.ranges.set(result, -math.inf, math.inf)
        scope.write(name, value)


def for_loop(scope: Scope, bounds: tuple[Any, Any, Any], label: str, body: list[ast.stmt],
             assigned: list[str], attributes: str, run: Callable[[Any], None]) -> None:
    """`for label in range(*bounds)` as an scf.for. `run` builds the body for an
    index; `assigned` are the variables that it may assign."""
    function = context.current()
    start, stop, step = bounds
    backwards = isinstance(step, int) and step < 0
    if not isinstance(step, int) and scalars.range_of(step)[0] < 1:
        fail("a step of run time that may be 0 or negative",
             "use T.max(step, 1), or a `while` loop")
    if backwards:
        count = scalars.ceildiv(scalars.binary("-", start, stop), -step)
        low, high, stride = scalars.to_index(0), scalars.to_index(count), scalars.to_index(1)
    else:
        low, high, stride = (scalars.to_index(b) for b in bounds)
    carried = Carried.of(scope, body)
    before = {n: scope.local(n) for n in assigned}

    def build() -> tuple[Block, Any, list[Any]]:
        index = Value(function.name(label), INDEX)
        function.user_names.add(index.name)
        _bound_index(index, low, high)
        if uniform.varies([low, high, stride]):
            function.varying.add(index.name)
        with context.into(Block(), low, high, stride) as block:
            block.is_loop = True
            fresh = carried.enter(scope)
            _remember_bounds(index, low, high)
            run(scalars.binary("+", scalars.binary("*", index, step), start)
                if backwards else index)
            finals = carried.finals(scope)
        return block, (index, fresh), finals

    block, (index, arguments) = build_rounds(scope, carried, build)
    head = f"scf.for {index.name} = {low.name} to {high.name} step {stride.name}"
    fresh = []
    if carried.names:
        initial = [scalars.to_value(v, t)
                   for v, t in zip(carried.initial, carried.types, strict=True)]
        pairs = ", ".join(f"{a} = {v.name}" for a, v in zip(arguments, initial, strict=True))
        types = ", ".join(str(t.mlir) for t in carried.types)
        fresh = results(carried.names)
        head = f"{', '.join(fresh)} = {head} iter_args({pairs}) -> ({types})"
    function.append(Op(head + " {", function.location, [("", block)], attributes))
    leave(scope, before, carried, fresh, assigned, "the loop")


def _bound_index(index: Value, low: Value, high: Value) -> None:
    ranges = context.current().ranges
    bottom, top = scalars.range_of(low)[0], scalars.range_of(high)[1]
    ranges.set(index.name, bottom, top - 1)


def _remember_bounds(index: Value, low: Value, high: Value) -> None:
    """index < high, index >= low."""
    ranges = context.current().ranges
    if index.poly is None or high.poly is None or low.poly is None:
        return
    above = affine.add(index.poly, high.poly, -1)
    above = affine.add(above, affine.constant(1)) if above is not None else None
    below = affine.add(low.poly, index.poly, -1)
    ranges.facts.extend(p for p in (above, below) if p is not None)


def while_loop(scope: Scope, body: list[ast.stmt], assigned: list[str], attributes: str,
               test: Callable[[], Any], run: Callable[[], None]) -> None:
    """`while test(): run()` as an scf.while."""
    function = context.current()
    carried = Carried.of(scope, body)
    before = {n: scope.local(n) for n in assigned}

    def build() -> tuple[Block, Any, list[Any]]:
        with context.into(Block()) as head:
            arguments = carried.enter(scope)
            condition = scalars.to_value(scalars.truth(test()), scalars.BOOL)
            types = ", ".join(str(t.mlir) for t in carried.types)
            values = f" {', '.join(arguments)} : {types}" if arguments else ""
            context.emit(f"scf.condition({condition.name}){values}")
            if uniform.varies([condition]):
                function.varying.add(condition.name)
        with context.into(Block(), condition) as block:
            block.is_loop = True
            inner = carried.enter(scope)
            run()
            finals = carried.finals(scope)
        return block, (arguments, head, inner), finals

    block, (arguments, head, inner) = build_rounds(scope, carried, build)
    if not carried.names:
        with context.into(block):
            context.emit("scf.yield")
    initial = [scalars.to_value(v, t) for v, t in zip(carried.initial, carried.types, strict=True)]
    pairs = ", ".join(f"{a} = {v.name}" for a, v in zip(arguments, initial, strict=True))
    types = ", ".join(str(t.mlir) for t in carried.types)
    fresh = results(carried.names)
    text = f"scf.while ({pairs}) : ({types}) -> ({types}) {{" if fresh else \
        "scf.while : () -> () {"
    if fresh:
        text = f"{', '.join(fresh)} = {text}"
    label = ""
    if inner:
        typed = ", ".join(f"{n}: {t.mlir}" for n, t in zip(inner, carried.types, strict=True))
        label = f" do {{\n^bb0({typed}):"
    else:
        label = " do {"
    tail = f" attributes{attributes}" if attributes else ""
    function.append(Op(text, function.location, [("", head), (label, block)], tail))
    leave(scope, before, carried, fresh, assigned, "the loop")
