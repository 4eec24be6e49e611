"""Evaluates expressions of a kernel.

What Python can compute is computed now; what depends on values of run time
becomes ops. Objects of the language overload operators, so most of this is
Python's own evaluation, node by node. `and`, `or`, chained comparisons and
`a if c else b` evaluate what Python would, and nothing else.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from typing import Any

from tile.frontend import context, mistakes, scalars
from tile.frontend.buffers import Buffer, Element, Region, subscript, subscript_region
from tile.frontend.errors import CompileError, TileError, fail
from tile.frontend.ir import Block, Op
from tile.frontend.names import Scope
from tile.frontend.scalars import Value, is_runtime
from tile.frontend.source import Source

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^",
}
_PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
            ast.NotEq: "!="}


# Methods that change a list, dict or set.
_CHANGES = {"append", "extend", "insert", "pop", "remove", "clear", "update", "add", "discard",
            "setdefault", "popitem", "sort", "reverse"}


class LocalFunction:
    """A function or lambda that a kernel defines; a call is expanded in place."""

    def __init__(self, owner: Expressions, tree: ast.FunctionDef | ast.Lambda, scope: Scope):
        self.owner, self.tree, self.scope = owner, tree, scope
        self.__name__ = getattr(tree, "name", "<lambda>")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.owner.expand(self.tree, self.owner.source, self.scope, args, kwargs,
                                 self.__name__)


class Expressions:
    """The half of the interpreter that is about expressions."""

    source: Source
    scope: Scope
    base_depth: int  # of control flow, of this call
    statement_depth: int  # of control flow around the statement
    containers: dict[int, tuple[Any, int]]  # of Python, by id; where they were made

    def expand(self, tree: Any, source: Source, scope: Scope, args: Any, kwargs: Any,
               name: str) -> Any:
        raise NotImplementedError

    def place(self, node: ast.AST) -> Any:
        return context.at(self.source.location(node))

    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression; an element of a buffer is read."""
        value = self.evaluate_lazily(node)
        return value.load_scalar() if isinstance(value, Element) else value

    def evaluate_lazily(self, node: ast.expr) -> Any:
        """The same, but an element of a buffer stays a place."""
        method = getattr(self, "expr_" + type(node).__name__, None)
        with self.place(node):
            if method is None:
                word = type(node).__name__.lower()
                fail(f"`{word if word in ('yield', 'await') else ast.unparse(node)}` is not in "
                     "the language")
            try:
                return method(node)
            except TileError as error:
                if isinstance(error, CompileError) and error.location is None:
                    raise type(error)(error.message, context.location(), error.cure,
                                      error.notes) from error
                raise
            except RecursionError:
                raise
            except TypeError as error:
                raise CompileError(str(error), context.location()) from error
            except Exception as error:
                raise CompileError(f"{type(error).__name__}: {error}",
                                   context.location()) from error

    # -- Leaves and containers ------------------------------------------------

    def expr_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, complex):
            fail("complex numbers are not in the language", "keep two floats")
        return node.value

    def expr_Name(self, node: ast.Name) -> Any:
        value = self.scope.read(node.id)
        bound = getattr(value, "bound_size", None)
        return bound() if bound is not None else value

    def expr_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._items(node.elts))

    def expr_List(self, node: ast.List) -> Any:
        return self.remember(self._items(node.elts))

    def expr_Set(self, node: ast.Set) -> Any:
        return self.remember(set(self._items(node.elts)))

    def remember(self, container: Any) -> Any:
        """A container of Python, which may change where it was made, but not under
        a condition or in a loop of run time: that would happen once, and always."""
        self.containers[id(container)] = (container, context.current().depth)
        return container

    def check_change(self, container: Any) -> None:
        function = context.current()
        outside = function.kernel.depth if function.kernel else 0
        _, depth = self.containers.get(id(container), (None, outside))
        if isinstance(container, (list, dict, set)) and depth != function.depth:
            fail(f"a {type(container).__name__} of Python changes under a condition or in a loop "
                 "of run time", "use T.alloc_var, T.alloc_local or a tile, or loop with T.unroll")

    def expr_Dict(self, node: ast.Dict) -> Any:
        result: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(self.evaluate(value))
            else:
                result[self.evaluate(key)] = self.evaluate(value)
        return self.remember(result)

    def _items(self, nodes: list[ast.expr], lazily: bool = False) -> list[Any]:
        result: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                result.extend(self.evaluate(node.value))
            else:
                result.append(self.evaluate_lazily(node) if lazily else self.evaluate(node))
        return result

    def expr_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return "".join(str(self.evaluate(v)) for v in node.values)

    def expr_FormattedValue(self, node: ast.FormattedValue) -> Any:
        value = self.evaluate(node.value)
        if is_runtime(value):
            fail("a value of run time in a string", "T.print shows values of run time")
        spec = self.evaluate(node.format_spec) if node.format_spec else ""
        if node.conversion in (ord("r"), ord("a")):
            value = repr(value)
        return format(value, spec)

    def expr_Slice(self, node: ast.Slice) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if p is None else self.evaluate(p) for p in parts))

    def expr_NamedExpr(self, node: ast.NamedExpr) -> Any:
        if context.current().depth != self.statement_depth:
            fail(f"`{ast.unparse(node.target)} := …` is computed under a condition of run time",
                 f"write `{ast.unparse(node.target)} = …` before")
        value = self.evaluate(node.value)
        self.bind(node.target, value)
        return self.evaluate(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    def expr_Lambda(self, node: ast.Lambda) -> Any:
        return LocalFunction(self, node, self.scope)

    def expr_Attribute(self, node: ast.Attribute) -> Any:
        owner = self.evaluate_lazily(node.value)
        if not hasattr(owner, node.attr):
            mistakes.no_member(owner, node.attr)
        return getattr(owner, node.attr)

    def expr_Subscript(self, node: ast.Subscript) -> Any:
        owner = self.evaluate(node.value)
        key = self.evaluate(node.slice)
        if isinstance(owner, Buffer):
            return subscript(owner, key)
        if isinstance(owner, Region):
            return subscript_region(owner, key)
        if isinstance(owner, (list, tuple)) and is_runtime(key):
            fail("an index of run time into a list of Python",
                 "loop with T.unroll, whose indices are known when the kernel is compiled, "
                 "or use a shared tile with one dimension more")
        if isinstance(owner, dict) and is_runtime(key):
            fail("a key of run time into a dict of Python",
                 "write `if` and `elif`, or use a tensor or a tile as the table")
        try:
            return owner[key]
        except IndexError:
            fail(f"`{ast.unparse(node)}` is index {key} of {len(owner)}")
        except KeyError:
            fail(f"`{ast.unparse(node)}`: there is no {key!r}")

    # -- Operators ------------------------------------------------------------

    def expr_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.binary(_operator(node.op), left, right)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        for side in (left, right):
            if isinstance(side, (Buffer, Region)):
                fail(f"`{op}` of {side.kind_text}, which is no number",
                     "compute element by element in T.Parallel")
        return _PYTHON[op](left, right)

    def expr_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            return scalars.logical_not(value)
        if isinstance(value, (Buffer, Region)):
            fail(f"an operator on {value.kind_text}, which is no number",
                 "compute element by element in T.Parallel")
        if isinstance(node.op, ast.USub):
            return -value
        return ~value if isinstance(node.op, ast.Invert) else +value

    def expr_Compare(self, node: ast.Compare) -> Any:
        left = self.evaluate(node.left)
        pairs = list(zip(node.ops, node.comparators, strict=True))
        return self._compare_chain(left, pairs)

    def _compare_chain(self, left: Any, pairs: list[tuple[ast.cmpop, ast.expr]]) -> Any:
        (op, node), rest = pairs[0], pairs[1:]
        right = self.evaluate(node)
        result = self._compare_one(op, left, right)
        if not rest:
            return result
        return self.short_circuit("and", result, lambda: self._compare_chain(right, rest))

    def _compare_one(self, op: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(op, (ast.Is, ast.IsNot)):
            if is_runtime(left, right) and left is not None and right is not None:
                fail("`is` of a value of run time", "write ==, or !=")
            same = left is right
            return same if isinstance(op, ast.Is) else not same
        if isinstance(op, (ast.In, ast.NotIn)):
            found = self._contains(left, right)
            return found if isinstance(op, ast.In) else scalars.logical_not(found)
        name = _COMPARE[type(op)]
        if is_runtime(left, right):
            return scalars.compare(name, left, right)
        for side in (left, right):
            if isinstance(side, (Buffer, Region)) and name not in ("==", "!="):
                fail(f"`{name}` of {side.kind_text}, which is no number",
                     "compare element by element in T.Parallel, or use T.any_of, T.all_of")
        return {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
                "==": operator.eq, "!=": operator.ne}[name](left, right)

    def _contains(self, value: Any, container: Any) -> Any:
        if not is_runtime(value) and not (isinstance(container, (list, tuple))
                                          and is_runtime(*container)):
            return value in container
        result: Any = False
        for item in container:
            hit = scalars.compare("==", value, item)
            result = hit if result is False else scalars.logical("or", scalars.truth(result),
                                                                 scalars.truth(hit))
        return result

    def expr_BoolOp(self, node: ast.BoolOp) -> Any:
        op = "and" if isinstance(node.op, ast.And) else "or"
        return self._bool_chain(op, node.values)

    def _bool_chain(self, op: str, nodes: list[ast.expr]) -> Any:
        value = self.evaluate(nodes[0])
        if len(nodes) == 1:
            return value
        return self.short_circuit(op, value, lambda: self._bool_chain(op, nodes[1:]))

    def short_circuit(self, op: str, left: Any, right: Callable[[], Any]) -> Any:
        """`left and right()`. What follows is computed only where it counts,
        unless it costs and does nothing that could go wrong."""
        if not is_runtime(left):
            if bool(left) == (op == "or"):
                return left
            return right()
        left = scalars.truth(left)
        function = context.current()
        with context.into(Block(), left) as block:
            if op == "and":
                scalars.assume(left)
            value = scalars.truth(right())
        if not isinstance(value, Value):
            function.blocks[-1].extend(block)
            if value == (op == "and"):
                return left
            return value
        if block.is_pure():
            function.blocks[-1].extend(block)
            return scalars.logical(op, left, value)
        return self._logical_branch(op, left, block, value)

    def _logical_branch(self, op: str, left: Value, right: Block, value: Value) -> Value:
        """The same, where what is on the right is computed in a branch."""
        function = context.current()
        with context.into(right):
            context.emit(f"scf.yield {value.name} : i1")
        with context.into(Block()) as other:
            known = scalars.number(op == "or", scalars.BOOL)
            context.emit(f"scf.yield {known.name} : i1")
        then, otherwise = (right, other) if op == "and" else (other, right)
        name = function.name("is_" + op)
        function.append(Op(f"{name} = scf.if {left.name} -> (i1) {{", function.location,
                           [("", then), (" else {", otherwise)]))
        if op == "and":
            facts = function.conditions
            facts[name] = facts.get(left.name, []) + facts.get(value.name, [])
        return Value(name, scalars.BOOL)

    def expr_IfExp(self, node: ast.IfExp) -> Any:
        return self.choose(lambda: self.evaluate(node.test), lambda: self.evaluate(node.body),
                           lambda: self.evaluate(node.orelse))

    def choose(self, test: Callable[[], Any], first: Callable[[], Any],
               second: Callable[[], Any]) -> Any:
        """`first() if test() else second()`."""
        condition = test()
        if not is_runtime(condition):
            return first() if condition else second()
        condition = scalars.truth(condition)
        function = context.current()
        with context.into(Block(), condition) as then:
            scalars.assume(condition)
            a = scalars.plain(first())
        with context.into(Block(), condition) as otherwise:
            b = scalars.plain(second())
        dtype = scalars.unify_types(a, b)
        with context.into(then):
            a = scalars.to_value(a, dtype)
        with context.into(otherwise):
            b = scalars.to_value(b, dtype)
        if then.is_pure() and otherwise.is_pure():
            function.blocks[-1].extend(then)
            function.blocks[-1].extend(otherwise)
            return scalars.select(condition, a, b)
        for block, value in ((then, a), (otherwise, b)):
            with context.into(block):
                context.emit(f"scf.yield {value.name} : {dtype.mlir}")
        name = function.name("chosen")
        function.append(Op(f"{name} = scf.if {condition.name} -> ({dtype.mlir}) {{",
                           function.location, [("", then), (" else {", otherwise)]))
        return Value(name, dtype)

    # -- Calls ----------------------------------------------------------------

    def expr_Call(self, node: ast.Call) -> Any:
        function = self.evaluate_lazily(node.func)
        if getattr(function, "tile_lazy", False):
            return self._call_lazily(function, node)
        takes_places = getattr(function, "tile_places", False)
        args = self._items(node.args, takes_places)
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(self.evaluate(keyword.value))
            else:
                kwargs[keyword.arg] = (self.evaluate_lazily(keyword.value) if takes_places
                                       else self.evaluate(keyword.value))
        return self.call(function, args, kwargs)

    def _call_lazily(self, function: Any, node: ast.Call) -> Any:
        if len(node.args) != 3 or node.keywords:
            fail("T.if_then_else needs a condition and two values")
        test, first, second = node.args
        return self.choose(lambda: self.evaluate(test), lambda: self.evaluate(first),
                           lambda: self.evaluate(second))

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Calls what a kernel names: macros are expanded, all else is called."""
        from tile.language import builtin

        with context.at(context.location()):  # type: ignore[arg-type]
            expand = getattr(function, "expand_into", None)
            if expand is not None:
                return expand(self, args, kwargs)
            replaced = builtin.REPLACED.get(function) if _is_hashable(function) else None
            if replaced is not None:
                return replaced(*args, **kwargs)
            if getattr(function, "__name__", "") in _CHANGES:
                self.check_change(getattr(function, "__self__", None))
            if not callable(function):
                fail(f"a {type(function).__name__} cannot be called")
            mistakes.check_call(function, args, kwargs)
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                mistakes.call_failed(function, args, kwargs, error)
                raise

    # -- Comprehensions -------------------------------------------------------

    def expr_ListComp(self, node: ast.ListComp) -> Any:
        return self.remember(list(self._comprehension(node.elt, node.generators)))

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return list(self._comprehension(node.elt, node.generators))

    def expr_SetComp(self, node: ast.SetComp) -> Any:
        return set(self._comprehension(node.elt, node.generators))

    def expr_DictComp(self, node: ast.DictComp) -> Any:
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        return dict(self._comprehension(pair, node.generators))

    def _comprehension(self, element: ast.expr, generators: list[ast.comprehension]) -> list[Any]:
        outer, self.scope = self.scope, Scope(self.scope, self.scope.module)
        result: list[Any] = []
        try:
            self._generate(element, generators, result)
        finally:
            self.scope = outer
        return result

    def _generate(self, element: ast.expr, generators: list[ast.comprehension],
                  result: list[Any]) -> None:
        if not generators:
            result.append(self.evaluate(element))
            return
        first = generators[0]
        for item in self.python_iterable(first.iter):
            self.bind(first.target, item)
            if all(self._decide(test) for test in first.ifs):
                self._generate(element, generators[1:], result)

    def _decide(self, test: ast.expr) -> bool:
        value = self.evaluate(test)
        if is_runtime(value):
            fail("a condition of run time in a comprehension", "write a loop")
        return bool(value)

    def python_iterable(self, node: ast.expr) -> Any:
        """What a comprehension goes through; `range` is Python's."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) \
                and self.scope.find(node.func.id) is builtins.range:
            return range(*self._items(node.args))
        value = self.evaluate(node)
        if is_runtime(value) or isinstance(value, (Buffer, Region)) \
                or hasattr(value, "loop_kind"):
            fail("a comprehension goes through what is known when the kernel is compiled",
                 "write a loop")
        return value

    def bind(self, target: ast.expr, value: Any) -> None:
        raise NotImplementedError


def _operator(op: ast.operator) -> str:
    if type(op) not in _BINARY:
        fail("`@` is not in the language", "use T.gemm")
    return _BINARY[type(op)]


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return not isinstance(value, (Value, Element))
