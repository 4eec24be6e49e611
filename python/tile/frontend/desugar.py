"""`break`, `continue` and `return` as variables.

A loop with them becomes one without: `break` sets a variable that the loop
looks at, and what follows a statement that may set it is done under a
condition. So the rest of the front end has loops with one way out. What follows
an `if` that returns goes into its branches, so that functions have one, too.
"""

from __future__ import annotations

import ast

BREAK, CONTINUE, RESULT = "_left_loop", "_skipped", "_returned"


class _Finder(ast.NodeVisitor):
    """Whether statements hold a break or continue of the loop around them."""

    def __init__(self) -> None:
        self.has_break = self.has_continue = False

    def visit_Break(self, node: ast.Break) -> None:
        self.has_break = True

    def visit_Continue(self, node: ast.Continue) -> None:
        self.has_continue = True

    def visit_For(self, node: ast.For) -> None:
        pass

    visit_While = visit_FunctionDef = visit_Lambda = visit_For  # type: ignore[assignment]


def find(body: list[ast.stmt]) -> _Finder:
    finder = _Finder()
    for statement in body:
        finder.visit(statement)
    return finder


def _set(name: str, place: ast.stmt) -> ast.stmt:
    node = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(True))
    return ast.fix_missing_locations(ast.copy_location(node, place))


def rewrite(body: list[ast.stmt], suffix: str) -> list[ast.stmt]:
    """The body of a loop without break and continue of its own. Variables that
    it sets are BREAK + suffix and CONTINUE + suffix."""
    result: list[ast.stmt] = []
    for number, statement in enumerate(body):
        if isinstance(statement, ast.Break):
            return [*result, _set(BREAK + suffix, statement)]
        if isinstance(statement, ast.Continue):
            return [*result, _set(CONTINUE + suffix, statement)]
        found = find([statement])
        if not found.has_break and not found.has_continue:
            result.append(statement)
            continue
        result.append(_inside(statement, suffix))
        rest = rewrite(body[number + 1:], suffix)
        if rest:
            result.append(_unless_left(rest, found, suffix, statement))
        return result
    return result


def _inside(statement: ast.stmt, suffix: str) -> ast.stmt:
    if isinstance(statement, ast.If):
        new: ast.stmt = ast.If(statement.test, rewrite(statement.body, suffix),
                               rewrite(statement.orelse, suffix))
    elif isinstance(statement, ast.With):
        new = ast.With(statement.items, rewrite(statement.body, suffix))
    else:
        return statement
    return ast.fix_missing_locations(ast.copy_location(new, statement))


def _unless_left(rest: list[ast.stmt], found: _Finder, suffix: str, place: ast.stmt) -> ast.stmt:
    names = [BREAK + suffix] * found.has_break + [CONTINUE + suffix] * found.has_continue
    flags: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
    any_flag = flags[0] if len(flags) == 1 else ast.BoolOp(ast.Or(), flags)
    node = ast.If(ast.UnaryOp(ast.Not(), any_flag), rest, [])
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _returns(statement: ast.stmt) -> list[ast.Return]:
    """Those of an `if` and the ones in it, not of loops and functions."""
    if isinstance(statement, ast.Return):
        return [statement]
    if not isinstance(statement, ast.If):
        return []
    return [found for part in (*statement.body, *statement.orelse) for found in _returns(part)]


def returns_in_branches(body: list[ast.stmt]) -> list[ast.Return]:
    """What returns under a condition."""
    return [found for part in body if isinstance(part, ast.If) for found in _returns(part)]


def without_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a function with its result in the variable RESULT. A branch that does
    not return goes on with what follows."""
    result: list[ast.stmt] = []
    for number, statement in enumerate(body):
        if isinstance(statement, ast.Return):
            return [*result, _result(statement.value, statement)]
        if _returns(statement):
            assert isinstance(statement, ast.If)
            rest = body[number + 1:]
            node = ast.If(statement.test, without_returns([*statement.body, *rest]),
                          without_returns([*statement.orelse, *rest]))
            return [*result, ast.fix_missing_locations(ast.copy_location(node, statement))]
        result.append(statement)
    return [*result, _result(None, body[-1])] if body else []


def _result(value: ast.expr | None, place: ast.stmt) -> ast.stmt:
    node = ast.Assign([ast.Name(RESULT, ast.Store())], value or ast.Constant(None))
    return ast.fix_missing_locations(ast.copy_location(node, place))
