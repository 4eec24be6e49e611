"""One guard for the body of a loop over elements.

Accesses of tensors are guarded one by one. Where all that a body does to memory
is under one and the same guard, the whole body may stand under it: then what
is read needs no guards of its own, and neighbours move together.
"""

from __future__ import annotations

import re

from tile.frontend.ir import Block, Op

_EFFECTS = ("memref.store", "memref.atomic_rmw", "tile.print", "tile.assert", "scf.while",
            "scf.for")
_NAME = re.compile(r"%[\w$.]+")
_GUARD = re.compile(r"scf\.if (%[\w$.]+) \{$")


def has_effects(op: Op) -> bool:
    """Whether an op changes memory, or may go on for long."""
    return any(op.text.startswith(e) or f" = {e}" in op.text for e in _EFFECTS) or any(
        has_effects(inner) for _, block in op.regions for inner in block.ops)


def guard_of(op: Op) -> str | None:
    """The condition of a branch that has no other side; None of other ops."""
    match = _GUARD.match(op.text)
    return match.group(1) if match is not None and len(op.regions) == 1 else None


def common_guard(block: Block) -> str | None:
    """The condition under which a body does everything that it does to memory;
    None where there is no such, or nothing else is guarded."""
    guards: set[str] = set()
    for op in block.ops:
        if not has_effects(op):
            continue
        guard = guard_of(op)
        if guard is None:
            return None
        guards.add(guard)
    has_reads = any(op.regions and not has_effects(op) for op in block.ops)
    return guards.pop() if len(guards) == 1 and has_reads else None


def needed_for(block: Block, name: str) -> list[Op] | None:
    """The ops of a block that `name` is computed by, in order; None where one of
    them may not be executed early."""
    wanted, chosen = {name}, []
    for op in reversed(block.ops):
        left, equals, right = op.text.partition(" = ")
        results = set(_NAME.findall(left)) if equals and left.startswith("%") else set()
        if not results & wanted:
            continue
        if op.regions or not op.is_pure:
            return None
        wanted |= set(_NAME.findall(right))
        chosen.append(op)
    return chosen[::-1]
