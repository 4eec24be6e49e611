"""Other sizes for a program, by its syntax tree.

Names that the caller gave a value have it as default of a parameter, as parameter
within a function, in calls, assignments, dicts and as option of the command line.
Numbers that nobody named and that are at least 1024 become the limit, where they
are sizes: in assignments, defaults, calls of the program's own functions and of
those that make tensors. Kernels stay as they are.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import Any

LARGE = 1024
_KERNELS = frozenset(("jit", "prim_func", "macro", "autotune"))
_MAKERS = frozenset(("randn", "rand", "empty", "zeros", "ones"))
_NO_SIZES = frozenset(("threads", "warmup", "rep", "seed", "timeout", "num_stages"))


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Values by name, and what large numbers become: None leaves them."""

    named: dict[str, Any] = dataclasses.field(default_factory=dict)
    limit: int | None = None

    def compile(self, source: bytes, path: str) -> types.CodeType:
        """The code of a file with these sizes; lines stay where they are."""
        tree = ast.parse(source, path)
        if self.named or self.limit is not None:
            tree = ast.fix_missing_locations(_Changer(self, tree).visit(tree))
        return compile(tree, path, "exec", dont_inherit=True)


def parse_setting(text: str) -> tuple[str, Any]:
    """`heads=4` as a name and a value: a number, True, None, a string … Errors:
    ValueError."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"{text!r} is not NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _constant(node: ast.expr) -> int | None:
    """The value of a number, or of an expression of numbers such as 32 * 1024."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp):
        left, right = _constant(node.left), _constant(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, (ast.Pow, ast.LShift)) and 0 <= right < 64:
            return left ** right if isinstance(node.op, ast.Pow) else left << right
    return None


def _last_name(node: ast.expr) -> str:
    """`jit` of `tile.jit(out_idx=[1])`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_kernel(node: ast.FunctionDef) -> bool:
    """Whether a function is one of the language, or has one that it returns."""
    return any(_last_name(d) in _KERNELS for d in node.decorator_list) or any(
        isinstance(inner, ast.FunctionDef) and any(
            _last_name(d) == "prim_func" for d in inner.decorator_list)
        for inner in ast.walk(node))


class _Changer(ast.NodeTransformer):
    def __init__(self, sizes: Sizes, tree: ast.Module):
        self.named, self.limit = sizes.named, sizes.limit
        self.functions = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self.functions |= {a.asname or a.name for a in node.names}

    # -- One value ------------------------------------------------------------

    def _limited(self, node: ast.expr) -> ast.expr:
        """A number, or the numbers of a tuple or list, not above the limit."""
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self._limited(e) for e in node.elts]
            return node
        value = _constant(node)
        if self.limit is None or value is None or value < LARGE:
            return node
        return ast.copy_location(ast.Constant(min(value, self.limit)), node)

    def _called(self, name: str | None, node: ast.expr) -> ast.expr:
        """What a name gets. What is computed stays: it may be a tensor of that name."""
        if name in self.named and (isinstance(node, (ast.Constant, ast.Attribute, ast.UnaryOp))
                                   or _constant(node) is not None):
            return self._value(name, node)
        return node if name in _NO_SIZES else self._limited(node)

    def _value(self, name: str | None, at: ast.AST) -> ast.expr:
        text = repr(self.named[name or ""])
        return ast.copy_location(ast.parse(text, mode="eval").body, at)

    # -- Where values are -----------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args]
        is_kernel = _is_kernel(node)
        first = len(every) - len(arguments.defaults)
        pairs: list[tuple[ast.arg, Any, int]] = [
            (every[first + i], arguments.defaults, i) for i in range(len(arguments.defaults))]
        pairs += [(a, arguments.kw_defaults, i) for i, a in enumerate(arguments.kwonlyargs)]
        for parameter, defaults, number in pairs:
            default = defaults[number]
            if default is not None and (not is_kernel or parameter.arg in self.named):
                defaults[number] = self._called(parameter.arg, default)
        if is_kernel:
            return node
        self.generic_visit(node)
        node.body[:0] = [self._given(a.arg, node.body[0])
                         for a in [*every, *arguments.kwonlyargs] if a.arg in self.named]
        return node

    def _given(self, name: str, at: ast.stmt) -> ast.stmt:
        """The statement that gives a parameter its value, unless it is a tensor."""
        text = (f"if type({name}).__name__ in ('int', 'float', 'bool', 'str', 'NoneType'): "
                f"{name} = {self.named[name]!r}")
        statement = ast.parse(text).body[0]
        for inner in ast.walk(statement):
            if hasattr(inner, "lineno"):
                ast.copy_location(inner, at)
        return statement

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = _last_name(node.func)
        if name == "add_argument":
            return self._option(node)
        owner = _last_name(node.func.value) if isinstance(node.func, ast.Attribute) else name
        has_sizes = name in _MAKERS or not {name, owner}.isdisjoint(self.functions)
        for keyword in node.keywords:
            if keyword.arg in self.named or has_sizes:
                keyword.value = self._called(keyword.arg, keyword.value)
        if has_sizes:
            node.args = [self._limited(a) for a in node.args]
        return node

    def _option(self, node: ast.Call) -> ast.Call:
        """`add_argument("--heads", default=…)`."""
        names = [a.value.lstrip("-").replace("-", "_") for a in node.args
                 if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        name = next((n for n in names if n in self.named), names[-1] if names else None)
        for keyword in node.keywords:
            if keyword.arg == "default":
                keyword.value = self._called(name, keyword.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        for target in node.targets:
            if isinstance(target, ast.Name):
                node.value = self._called(target.id, node.value)
            elif isinstance(target, ast.Tuple):
                self._unpack(target, node)
        return node

    def _unpack(self, target: ast.Tuple, node: ast.Assign) -> None:
        """`batch, heads = 8, 32`, and `batch, heads = options()`."""
        names = [t.id if isinstance(t, ast.Name) else None for t in target.elts]
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(names):
            node.value.elts = [self._called(n, v)
                               for n, v in zip(names, node.value.elts, strict=True)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None and isinstance(node.target, ast.Name):
            node.value = self._called(node.target.id, node.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        for number, key in enumerate(node.keys):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                node.values[number] = self._called(key.value, node.values[number])
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self.named:
            node.iter = ast.copy_location(
                ast.Tuple([self._value(node.target.id, node.iter)], ast.Load()), node.iter)
        else:
            node.iter = self._limited(node.iter)
        return node
