"""Whether a value is the same for all threads of a block.

Statements are of the whole block unless they are about what a thread has for
itself: its id, a local array, a shuffled value.
"""

from __future__ import annotations

import re
from typing import Any

from tile.frontend import context
from tile.frontend.ir import Block, Op

_NAME = re.compile(r"%[\w$.]+")


def _definitions(blocks: list[Block]) -> dict[str, Op]:
    """The op that makes each value that can be seen here."""
    result: dict[str, Op] = {}
    for block in blocks:
        for op in block.ops:
            left, equals, _ = op.text.partition(" = ")
            if equals and left.startswith("%"):
                result.update(dict.fromkeys(_NAME.findall(left), op))
    return result


def _operands(op: Op) -> set[str]:
    names = set(_NAME.findall(op.text.partition(" = ")[2]))
    for _, block in op.regions:
        for inner in block.ops:
            names |= _operands(inner) | set(_NAME.findall(inner.text))
    return names


def _is_of_thread(op: Op) -> bool:
    texts = [op.text, *(inner.text for _, block in op.regions for inner in block.ops)]
    return any(("memref.load" in t and "#private>" in t) or "gpu.shuffle" in t
               or "nvvm.vote" in t for t in texts)


def is_of_thread(values: list[Any]) -> bool:
    """Whether a statement about these values, here, is of single threads."""
    function = context.current()
    return function.elements is not None or varies([*values, *function.guards])


def varies(values: list[Any]) -> bool:
    """Whether one of the values may differ between threads."""
    function = context.current()
    kernel = function.kernel
    if kernel is None:
        return False
    ids = {value.name for value in kernel.thread_ids.values()} | function.varying
    known = _definitions([kernel.entry, *function.blocks])
    pending = [v.name for v in values if hasattr(v, "name")]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in ids:
            return True
        if name in seen or name not in known:
            continue
        seen.add(name)
        if _is_of_thread(known[name]):
            return True
        pending.extend(_operands(known[name]))
    return False
