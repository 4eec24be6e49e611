"""Printing and checking in kernels."""

from __future__ import annotations

import builtins
import json
from typing import Any

from tile.frontend import buffers, context, scalars
from tile.frontend.buffers import GLOBAL, Buffer, Region
from tile.frontend.errors import fail
from tile.frontend.scalars import Value

MAX_TEXT = 512


def _text(message: str) -> str:
    clean = "".join(c if 32 <= ord(c) < 127 else "?" for c in message)[:MAX_TEXT]
    return json.dumps(clean)


def print(value: Any = None, msg: str = "") -> None:
    """Shows a number, or all elements of a shared tile or fragment."""
    context.kernel("T.print")
    if isinstance(value, str):
        value, msg = None, value
    if isinstance(value, (Buffer, Region)):
        _print_tile(value, msg or value.label)
        return
    if value is None:
        context.emit(f"tile.print {_text(msg)}")
        return
    number = scalars.to_value(value)
    context.emit(f"tile.print {_text(msg or 'value')}({number.name} : {number.dtype.mlir})")


def _print_tile(tile: Buffer | Region, msg: str) -> None:
    buffer = tile if isinstance(tile, Buffer) else tile.buffer
    whole = isinstance(tile, Buffer) or tile.is_whole()
    if buffer.space == GLOBAL or not whole:
        fail(f"T.print of {tile.kind_text}", "T.copy it to a shared tile first")
    context.block_level("T.print of a tile")
    context.emit(f"tile.print {_text(msg)}({buffer.name} : {buffer.type})")


def device_assert(condition: Any, msg: str = "assertion failed") -> None:
    """Ends the program with an error where the condition does not hold."""
    context.kernel("T.device_assert")
    test = scalars.truth(condition)
    if not isinstance(test, Value):
        if not test:
            fail(f"assertion failed: {msg}")
        return
    context.emit(f"tile.assert {test.name}, {_text(msg)}")


def assume(condition: Any) -> None:
    """Promises that the condition holds; guards that follow from it are left out."""
    test = scalars.truth(condition)
    if isinstance(test, Value):
        scalars.assume(test)


def python_print(*values: Any, **kwargs: Any) -> None:
    """`print` in a kernel: now, or at run time where a value is of then."""
    if not scalars.is_runtime(*values) and not any(isinstance(v, buffers.Buffer)
                                                   for v in values):
        builtins.print(*values, **kwargs)
        return
    words = [v for v in values if isinstance(v, str)]
    for value in values:
        if not isinstance(value, str):
            print(value, " ".join(words))
