"""Errors of the front end: each names the user's line and how to mend it."""

from __future__ import annotations

import dataclasses
import linecache
import os
import sys
import types
from typing import NoReturn


@dataclasses.dataclass(frozen=True)
class Location:
    """A place in Python source. Lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The line with a caret below, or nothing where the file is gone."""
        text = linecache.getline(self.file, self.line).rstrip("\n").expandtabs(1)
        if not text:
            return ""
        return f"\n    {text}\n    {' ' * (self.column - 1)}^"


class TileError(Exception):
    """Base of all errors of this package."""


class CompileError(TileError):
    """A kernel cannot be compiled. `location` is the user's line, `cure` says
    what to write instead; both may be None."""

    def __init__(self, message: str, location: Location | None = None,
                 cure: str | None = None, notes: tuple[str, ...] = ()):
        self.message, self.location, self.cure, self.notes = message, location, cure, notes
        super().__init__(self._text())

    def _text(self) -> str:
        text = self.message if self.location is None else f"{self.location}: {self.message}"
        if self.cure:
            text += f"; {self.cure}"
        if self.location is not None:
            text += self.location.excerpt()
        return "".join([text, *("\n  note: " + note for note in self.notes)])


class UnsupportedError(CompileError):
    """The language has it, the compiler not yet."""


def _calling_line() -> Location | None:
    """The line outside of this package that is being executed."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
    if frame is None or not os.path.exists(frame.f_code.co_filename):
        return None
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line)
    return Location(file, line, len(text) - len(text.lstrip()) + 1)


def _place() -> Location | None:
    """The line that is being compiled, or executed where Python runs a function itself."""
    from tile.frontend import context

    return context.location() if context.maybe_current() else _calling_line()


def fail(message: str, cure: str | None = None) -> NoReturn:
    """Raises a CompileError at the user's line."""
    raise CompileError(message, _place(), cure)


def unsupported(message: str, cure: str | None = None) -> NoReturn:
    """Raises an UnsupportedError at the user's line."""
    raise UnsupportedError(message, _place(), cure)
