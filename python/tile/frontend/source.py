"""The syntax tree of a function, with the places of its file."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from tile.frontend.errors import CompileError, Location


class Source:
    """A function's tree. `tree` has the lines and columns of the file."""

    def __init__(self, function: Any):
        code = function.__code__
        self.file: str = code.co_filename
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError) as error:
            raise CompileError(
                f"the source of {function.__name__} cannot be read: {error}",
                Location(self.file, code.co_firstlineno, 1),
                "kernels must stand in a file or a cell of a notebook") from error
        text = "".join(lines)
        dedented = textwrap.dedent(text)
        first_line = text.split("\n", 1)[0]
        self.indent = len(first_line) - len(first_line.lstrip())
        try:
            module = ast.parse(dedented)
        except SyntaxError as error:
            raise CompileError(f"the source of {function.__name__} cannot be parsed: {error.msg}",
                               Location(self.file, first, 1)) from error
        tree = module.body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise CompileError("a kernel must be an ordinary function, made by `def`",
                               Location(self.file, first, 1))
        ast.increment_lineno(tree, first - 1)
        self.tree = tree

    def location(self, node: ast.AST) -> Location:
        return Location(self.file, getattr(node, "lineno", 1),
                        getattr(node, "col_offset", 0) + self.indent + 1)


def free_variables(function: Any) -> dict[str, Any]:
    """What a function sees of the functions around it; those without a value yet
    are left out."""
    result = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            result[name] = cell.cell_contents
        except ValueError:
            continue
    return result


def launches_directly(tree: ast.FunctionDef) -> bool:
    """Whether the body itself has a `with T.Kernel(...)`, not a function in it."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.With) and any(_is_kernel(item.context_expr)
                                              for item in node.items):
            return True
        pending.extend(ast.iter_child_nodes(node))
    return False


def _is_kernel(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else \
        node.func.id if isinstance(node.func, ast.Name) else ""
    return name == "Kernel"
