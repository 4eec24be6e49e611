"""`break`, `continue` and `return` as variables.

A loop with them becomes one without: `break` sets a variable that the loop
looks at, and what follows a statement that may set it is done under a
condition. So the rest of the front end has loops with one way out. What follows
an `if` that returns goes into its branches, so that functions have one, too;
a loop that returns sets the result, breaks, and is followed by such an `if`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

BREAK, CONTINUE, RESULT, GONE = "_left_loop", "_skipped", "_returned", "_gone"


class _Finder(ast.NodeVisitor):
    """Whether statements hold a break or continue of the loop around them."""

    def __init__(self) -> None:
        self.has_break = self.has_continue = False
        self.word = "break"  # that the user wrote

    def visit_Break(self, node: ast.Break) -> None:
        self.has_break = True
        self.word = getattr(node, "word", "break")

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
    return _assign(name, ast.Constant(True), place)


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
        result.append(_with_bodies(statement, lambda part: rewrite(part, suffix)))
        rest = rewrite(body[number + 1:], suffix)
        if rest:
            result.append(_unless_left(rest, found, suffix, statement))
        return result
    return result


def _unless_left(rest: list[ast.stmt], found: _Finder, suffix: str, place: ast.stmt) -> ast.stmt:
    names = [BREAK + suffix] * found.has_break + [CONTINUE + suffix] * found.has_continue
    flags: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
    any_flag = flags[0] if len(flags) == 1 else ast.BoolOp(ast.Or(), flags)
    node = ast.If(ast.UnaryOp(ast.Not(), any_flag), rest, [])
    return ast.fix_missing_locations(ast.copy_location(node, place))


def tested_inside(loop: ast.While) -> ast.While:
    """`while test: body` as `while True: if not test: break; body`."""
    leave = ast.If(ast.UnaryOp(ast.Not(), loop.test), [ast.Break()], [])
    new = ast.While(ast.Constant(True), [ast.copy_location(leave, loop.test), *loop.body], [])
    return ast.fix_missing_locations(ast.copy_location(new, loop))


def leave_all(loops: list[ast.For], suffix: str) -> list[ast.stmt]:
    """Loops one in the other, from outside to inside, of which `break` leaves all."""
    flag = BREAK + suffix
    inner = loops[-1]
    inner.body = _with_flag(inner.body, flag)
    for outer in reversed(loops[:-1]):
        test = ast.If(ast.Name(flag, ast.Load()), [ast.Break()], [])
        outer.body = [inner, ast.fix_missing_locations(ast.copy_location(test, outer))]
        inner = outer
    return [_assign(flag, ast.Constant(False), inner), inner]


def _with_flag(body: list[ast.stmt], flag: str) -> list[ast.stmt]:
    """Sets `flag` before each break of the loop around `body`."""
    result: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Break):
            result.append(_set(flag, statement))
        result.append(_with_bodies(statement, lambda part: _with_flag(part, flag)))
    return result


def _with_bodies(statement: ast.stmt, change: Callable[[list[ast.stmt]], list[ast.stmt]]) \
        -> ast.stmt:
    """An `if` or `with` whose bodies are changed; others as they are."""
    if isinstance(statement, ast.If):
        new: ast.stmt = ast.If(statement.test, change(statement.body), change(statement.orelse))
    elif isinstance(statement, ast.With):
        new = ast.With(statement.items, change(statement.body))
    else:
        return statement
    return ast.fix_missing_locations(ast.copy_location(new, statement))


# -- Return -------------------------------------------------------------------

def _returns(statement: ast.stmt) -> list[ast.Return]:
    """Those of an `if` or a loop and the ones in it, not of functions."""
    if isinstance(statement, ast.Return):
        return [statement]
    if not isinstance(statement, (ast.If, ast.For, ast.While)):
        return []
    return [found for part in (*statement.body, *statement.orelse) for found in _returns(part)]


def early_returns(body: list[ast.stmt]) -> list[ast.Return]:
    """What returns under a condition or in a loop."""
    return [found for part in body if not isinstance(part, ast.Return) for found in _returns(part)]


def without_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a function with its result in the variable RESULT."""
    return _in_branches(_out_of_loops(body))


def _out_of_loops(body: list[ast.stmt]) -> list[ast.stmt]:
    """The same where no loop returns: it breaks, and an `if` after it returns."""
    result: list[ast.stmt] = []
    for statement in body:
        found = _returns(statement)
        if not found or isinstance(statement, (ast.Return, ast.If)):
            result.append(_with_bodies(statement, _out_of_loops) if found else statement)
            continue
        assert isinstance(statement, (ast.For, ast.While))
        inner = _as_breaks(_out_of_loops(statement.body))
        new: ast.stmt
        if isinstance(statement, ast.For):
            new = ast.For(statement.target, statement.iter, inner, statement.orelse)
        else:
            new = ast.While(statement.test, inner, statement.orelse)
        has_value = any(node.value is not None for node in found)
        back = ast.Return(ast.Name(RESULT, ast.Load()) if has_value else None)
        new = ast.copy_location(new, statement)
        parts = [_assign(name, ast.Constant(False), statement)
                 for name in [GONE] + [RESULT] * has_value]
        test = ast.If(ast.Name(GONE, ast.Load()), [ast.copy_location(back, found[0])], [])
        result += [*parts, ast.fix_missing_locations(new),
                   ast.fix_missing_locations(ast.copy_location(test, found[0]))]
    return result


def _as_breaks(body: list[ast.stmt]) -> list[ast.stmt]:
    """`return value` of the loop around `body` as RESULT = value and a break."""
    result: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Return):
            leave = ast.copy_location(ast.Break(), statement)
            leave.word = "return"  # type: ignore[attr-defined]
            is_known = isinstance(statement.value, ast.Name) and statement.value.id == RESULT
            value = [] if statement.value is None or is_known else [_result(statement.value,
                                                                            statement)]
            return [*result, *value, _set(GONE, statement), leave]
        result.append(_with_bodies(statement, _as_breaks) if isinstance(statement, ast.If)
                      else statement)
    return result


def _in_branches(body: list[ast.stmt]) -> list[ast.stmt]:
    """A branch that does not return goes on with what follows."""
    result: list[ast.stmt] = []
    for number, statement in enumerate(body):
        if isinstance(statement, ast.Return):
            return [*result, _result(statement.value, statement)]
        if isinstance(statement, ast.If) and _returns(statement):
            rest = body[number + 1:]
            node = ast.If(statement.test, _in_branches([*statement.body, *rest]),
                          _in_branches([*statement.orelse, *rest]))
            return [*result, ast.fix_missing_locations(ast.copy_location(node, statement))]
        result.append(statement)
    return [*result, _result(None, body[-1])] if body else []


def _result(value: ast.expr | None, place: ast.stmt) -> ast.stmt:
    return _assign(RESULT, value or ast.Constant(None), place)


def _assign(name: str, value: ast.expr, place: ast.stmt) -> ast.stmt:
    node = ast.Assign([ast.Name(name, ast.Store())], value)
    return ast.fix_missing_locations(ast.copy_location(node, place))
