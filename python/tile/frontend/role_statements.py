"""Roles that a kernel writes in pieces: `with T.ws(0):` more than once or in loops, and
`if T.get_thread_binding() < 32:` around statements of tiles.

A role is one program from its first statement to the end of the kernel. So the rest of
the kernel is taken apart: each role gets the loops around its own pieces, and the
assignments of numbers between them.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import itertools
import math
from typing import Any

from tile.frontend import buffers, context, scalars
from tile.frontend.errors import fail, unsupported

_WARP = 32
_MEETING = 15  # number of the barrier where roles meet
_TILE_STATEMENTS = frozenset((
    "Parallel", "copy", "gemm", "fill", "clear", "reduce_sum", "reduce_max", "reduce_min",
    "reduce_absmax", "reduce_abssum", "cumsum", "tma_copy", "alloc_fragment", "transpose"))


@dataclasses.dataclass(frozen=True)
class Warps:
    """A run of warps, from the first to before the last."""

    first: int
    last: int


@dataclasses.dataclass
class Piece:
    """What a run of warps does in a statement."""

    warps: Warps
    body: list[ast.stmt]


def take_apart(interpreter: Any, body: list[ast.stmt]) -> list[Piece] | None:
    """The rest of a kernel as one piece for each role; None where it needs none, or
    where each role stands there once, at the top."""
    kernel = context.current().kernel
    assert kernel is not None
    if kernel.roles or not _has_roles(interpreter, body[0]):
        return None
    pieces = [_pieces(interpreter, statement) for statement in body]
    found = [piece.warps for some in pieces for piece in some or []]
    with_roles = [node for node in body if _has_roles(interpreter, node)]
    if all(isinstance(node, ast.With) for node in with_roles) and len(set(found)) == len(found):
        return None
    every: set[Warps] = set()
    for node in body:
        every |= _warps_in(interpreter, node)
    _check_runs(sorted(every, key=lambda w: w.first))
    runs = _covering(every, kernel)
    return [Piece(w, _project(interpreter, body, w, runs[0])) for w in runs]


def _covering(found: set[Warps], kernel: Any) -> list[Warps]:
    """The runs, and what no run has, in the order of warps."""
    result, at = [], 0
    total = math.prod(kernel.threads) // _WARP
    for warps in sorted(found, key=lambda w: w.first):
        if warps.first > at:
            result.append(Warps(at, warps.first))
        result.append(warps)
        at = warps.last
    if at < total:
        result.append(Warps(at, total))
    return result


def _check_runs(runs: list[Warps]) -> None:
    for one, other in itertools.pairwise(runs):
        if other.first < one.last:
            unsupported(f"roles that share warps: {one.first} to {one.last - 1} and "
                        f"{other.first} to {other.last - 1}", "name each warpgroup in one role")


# -- What a statement says of roles -------------------------------------------

def _is_ws(node: ast.stmt) -> bool:
    if not isinstance(node, ast.With) or len(node.items) != 1:
        return False
    call = node.items[0].context_expr
    return isinstance(call, ast.Call) and (
        call.func.attr if isinstance(call.func, ast.Attribute) else
        call.func.id if isinstance(call.func, ast.Name) else "") == "ws"


def _has_tiles(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
               and node.func.attr in _TILE_STATEMENTS
               for statement in body for node in ast.walk(statement))


def _pieces(interpreter: Any, node: ast.stmt) -> list[Piece] | None:
    """The roles of `with T.ws(…)`, and of a condition on the number of the thread."""
    if _is_ws(node):
        assert isinstance(node, ast.With)
        groups = interpreter.evaluate(node.items[0].context_expr).groups
        if not groups or list(groups) != list(range(groups[0], groups[-1] + 1)):
            return None
        return [Piece(Warps(4 * groups[0], 4 * (groups[-1] + 1)), node.body)]
    if isinstance(node, ast.If) and _has_tiles([node]):
        return _branches(interpreter, node, 0)
    return None


def _branches(interpreter: Any, node: ast.If, first: int) -> list[Piece] | None:
    """`if tx < 128: … elif tx < 256: … else: …`, from warp `first` on."""
    kernel = context.current().kernel
    assert kernel is not None
    test, total = node.test, math.prod(kernel.threads)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 \
            or not isinstance(test.ops[0], (ast.Lt, ast.GtE)) \
            or not _is_thread(interpreter, test.left) or kernel.threads[0] != total:
        return None
    limit = interpreter.evaluate(test.comparators[0])
    if not isinstance(limit, int) or limit % _WARP or not first * _WARP < limit < total:
        return None
    below, above = (node.body, node.orelse) if isinstance(test.ops[0], ast.Lt) else \
        (node.orelse, node.body)
    middle = limit // _WARP
    result = [Piece(Warps(first, middle), below)]
    further = _branches(interpreter, above[0], middle) \
        if len(above) == 1 and isinstance(above[0], ast.If) else None
    return result + (further or [Piece(Warps(middle, total // _WARP), above)])


def _is_thread(interpreter: Any, node: ast.expr) -> bool:
    """Whether an expression is the number of the thread."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "get_thread_binding" \
            and not node.args
    value = interpreter.scope.find(node.id) if isinstance(node, ast.Name) else None
    kernel = context.current().kernel
    assert kernel is not None
    return isinstance(value, scalars.Value) and any(
        value.name == number.name for number in kernel.thread_ids.values())


def _inner(node: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(node, (ast.For, ast.While)):
        return [node.body]
    return []


def _has_roles(interpreter: Any, node: ast.stmt) -> bool:
    return bool(_warps_in(interpreter, node))


def _warps_in(interpreter: Any, node: ast.stmt) -> set[Warps]:
    if _is_ws(node) or isinstance(node, ast.If):
        return {piece.warps for piece in _pieces(interpreter, node) or []}
    return {w for body in _inner(node) for n in body
            if isinstance(n, (ast.With, ast.For, ast.While)) for w in _warps_in(interpreter, n)}


# -- The program of one role --------------------------------------------------

def _project(interpreter: Any, body: list[ast.stmt], warps: Warps,
             first: Warps) -> list[ast.stmt]:
    """What `warps` do. Statements of the whole block about shared tiles are done by the
    `first` role, between two barriers of all."""
    result: list[ast.stmt] = []
    for node in body:
        pieces = _pieces(interpreter, node)
        if pieces is not None:
            for piece in pieces:
                if piece.warps == warps:
                    result += piece.body
        elif _inner(node) and _has_roles(interpreter, node):
            changed = copy.copy(node)
            changed.body = _project(  # type: ignore[attr-defined]
                interpreter, node.body, warps, first)  # type: ignore[attr-defined]
            if changed.body:  # type: ignore[attr-defined]
                result.append(changed)
        elif _is_of_numbers(node):
            result.append(node)
        elif _is_of_shared_tiles(interpreter, node):
            meet = _meeting(interpreter, node)
            result += [meet, node, meet] if warps == first else [meet, meet]
        else:
            with interpreter.place(node):
                unsupported("statements of the whole block between roles",
                            "move them before the first role, or into one")
    return [] if all(map(_is_of_numbers, result)) else result


def _is_of_numbers(node: ast.stmt) -> bool:
    """Whether each role may do a statement for itself."""
    if isinstance(node, (ast.Pass, ast.AnnAssign)) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return True
    if not isinstance(node, (ast.Assign, ast.AugAssign)):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(t, ast.Name) for t in targets) and not any(
        isinstance(n, ast.Attribute) and n.attr.startswith("alloc_") and n.attr != "alloc_var"
        for n in ast.walk(node.value))


def _is_of_shared_tiles(interpreter: Any, node: ast.stmt) -> bool:
    """Whether a statement copies or fills, and no thread has a part of it for itself."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call) \
            or not isinstance(node.value.func, ast.Attribute) \
            or node.value.func.attr not in ("copy", "fill", "clear"):
        return False
    values = [interpreter.scope.find(n.id) for n in ast.walk(node) if isinstance(n, ast.Name)]
    return not any(getattr(v, "space", None) in (buffers.FRAGMENT, buffers.LOCAL) for v in values)


def _meeting(interpreter: Any, node: ast.stmt) -> ast.stmt:
    """Where all threads of the block meet, and see what the others wrote."""
    kernel = context.current().kernel
    assert kernel is not None
    total = math.prod(kernel.threads)

    def meet() -> None:
        context.emit("tile.fence_proxy")
        context.emit(f"tile.barrier_sync {{id = {_MEETING} : i64, threads = {total} : i64}}")

    name = "_roles_meet"
    interpreter.scope.write(name, meet)
    call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))
    return ast.fix_missing_locations(ast.copy_location(call, node))


def run(interpreter: Any, pieces: list[Piece]) -> None:
    """Makes the roles."""
    from tile.language.barriers import enter_role

    for piece in pieces:
        name = f"ws{piece.warps.first // 4}" if piece.warps.first % 4 == 0 else \
            f"warp{piece.warps.first}"
        with enter_role(name, piece.warps.first, piece.warps.last - piece.warps.first):
            interpreter.run(piece.body)


def check_depth(what: str) -> None:
    """Fails where a role is opened in a loop that was not taken apart."""
    function = context.current()
    kernel = context.block_level(what)
    if function.depth != kernel.depth:
        fail(f"{what} under a condition or in a loop", "put the loop into each T.ws")
