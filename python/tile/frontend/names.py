"""Names of a function: what they stand for, and what a body assigns."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import Any

from tile.dtypes import DType
from tile.frontend import context
from tile.frontend.errors import fail

# Names that files give to modules, and how.
_IMPORTS = {"T": "import tile.language as T", "tile": "import tile", "np": "import numpy as np",
            "torch": "import torch", "math": "import math"}


class Unbound:
    """What a name stands for when it may not be read: why, and what to do."""

    def __init__(self, reason: str, cure: str | None = None):
        self.reason, self.cure = reason, cure


def _depth() -> int:
    function = context.maybe_current()
    return function.depth if function else 0


class Scope:
    """Variables of a function call, and where other names are looked up."""

    def __init__(self, outer: Scope | None, module: dict[str, Any],
                 closure: dict[str, Any] | None = None):
        self.outer, self.module, self.closure = outer, module, closure or {}
        self.variables: dict[str, Any] = {}
        self.declared: dict[str, DType] = {}  # of T.alloc_var
        self.nonlocal_names: set[str] = set()
        self.depth = _depth()  # of control flow where it began

    def _owner(self, name: str) -> Scope:
        if name in self.nonlocal_names and self.outer is not None:
            return self.outer._owner(name)
        return self

    def find(self, name: str) -> Any:
        """The value, or Unbound."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            if name in scope.closure:
                return scope.closure[name]
            if scope.outer is None:
                break
            scope = scope.outer
        if name in self.module:
            return self.module[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        return Unbound(f"the name {name} has no value", self._meant(name))

    def _meant(self, name: str) -> str | None:
        """What an unknown name may be: one of the language, or nearly one that is there."""
        import difflib

        from tile import language

        if name in _IMPORTS:
            return f"write `{_IMPORTS[name]}` at the top of the file"
        if hasattr(language, name):
            return f"is it T.{name}?"
        known: set[str] = set(self.module)
        scope: Scope | None = self
        while scope is not None:
            known |= {n for n, v in scope.variables.items() if not isinstance(v, Unbound)}
            scope = scope.outer
        found = difflib.get_close_matches(name, sorted(known), 1, 0.75)
        return f"is it {found[0]}?" if found else "assign it before, or name it after `as`"

    def read(self, name: str) -> Any:
        value = self.find(name)
        if isinstance(value, Unbound):
            fail(value.reason, value.cure)
        return value

    def local(self, name: str) -> Any:
        """The value of a variable of this function; Unbound where it has none."""
        scope = self._owner(name)
        return scope.variables.get(name, Unbound(f"the name {name} has no value"))

    def write(self, name: str, value: Any) -> None:
        owner = self._owner(name)
        if owner is not self and owner.depth != _depth():
            fail(f"`nonlocal {name}` is assigned under a condition or in a loop of run time",
                 "return the value and assign it there")
        owner.variables[name] = value

    def type_of(self, name: str) -> DType | None:
        """The type that T.alloc_var gave to a variable."""
        return self._owner(name).declared.get(name)

    def declare(self, name: str, dtype: DType) -> None:
        self._owner(name).declared[name] = dtype


def filled(node: ast.expr) -> tuple[str, ast.expr | None] | None:
    """`x` of `T.clear(x)`, and `x` with the value of `T.fill(x, 1)`: what assigns a
    variable, if x is one."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) \
            or node.keywords or not node.args or not isinstance(node.args[0], ast.Name):
        return None
    if node.func.attr == "clear" and len(node.args) == 1:
        return node.args[0].id, None
    if node.func.attr == "fill" and len(node.args) == 2:
        return node.args[0].id, node.args[1]
    return None


class _Assigned(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.elements: dict[str, None] = {}  # `x` of `x[0] = …` and `T.fill(x, …)`

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.names[node.id] = None

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            self.elements[node.value.id] = None
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        found = filled(node)
        if found is not None:
            self.elements[found[0]] = None
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names[node.name] = None

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def visit_ListComp(self, node: ast.ListComp) -> None:
        pass

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # type: ignore[assignment]


def assigned(body: Iterable[ast.stmt], scope: Scope) -> list[str]:
    """Names that statements assign, in the order of the text; `x[0] = …` and
    `T.fill(x, …)` assign the variable that T.alloc_var made."""
    visitor = _Assigned()
    for statement in body:
        visitor.visit(statement)
    variables = [n for n in visitor.elements if scope.type_of(n) is not None]
    return list(dict.fromkeys([*visitor.names, *variables]))


def indices_alone(body: Iterable[ast.stmt]) -> set[str]:
    """Names that are indices of loops in a body, and nothing else there."""
    indices: set[str] = set()
    others: set[str] = set()

    def visit(node: ast.AST, inside: frozenset[str]) -> None:
        if isinstance(node, ast.For):
            own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            indices.update(own)
            visit(node.iter, inside)
            for statement in node.body:
                visit(statement, inside | own)
            for statement in node.orelse:
                visit(statement, inside)
            return
        if isinstance(node, ast.Name) and (
                node.id not in inside or not isinstance(node.ctx, ast.Load)):
            others.add(node.id)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    for statement in body:
        visit(statement, frozenset())
    return indices - others


def changed_arrays(body: Iterable[ast.stmt]) -> set[str]:
    """Names whose elements statements may change: `x[i] = …`, or `x` handed to a
    function."""
    result: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                result.add(_root(node))
            elif isinstance(node, ast.Call):
                arguments = [*node.args, *(k.value for k in node.keywords)]
                result.update(a.id for a in arguments if isinstance(a, ast.Name))
    result.discard("")
    return result


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
