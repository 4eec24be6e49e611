"""Runs a program that was written for a GPU on a machine without one.

The emulator stands for the GPU, the host's memory for the GPU's, and sizes become
smaller: those that the caller names, or all that are large.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

from tile.rehearsal import host
from tile.rehearsal.sizes import Sizes
from tile.runtime import device


@dataclasses.dataclass(frozen=True)
class Plan:
    """How a program is to be run."""

    program: pathlib.Path
    arguments: list[str] = dataclasses.field(default_factory=list)
    target: str | None = None
    sizes: Sizes = dataclasses.field(default_factory=Sizes)


def run(plan: Plan) -> dict[str, Any]:
    """Runs a program as `python PROGRAM` does, and returns its names. What it raises,
    the caller gets."""
    main = types.ModuleType("__main__")
    main.__file__ = str(plan.program)
    code = plan.sizes.compile(plan.program.read_bytes(), str(plan.program))
    with _surroundings(plan, main), host.without_gpu():
        exec(code, main.__dict__)
    return main.__dict__


@contextlib.contextmanager
def _surroundings(plan: Plan, main: types.ModuleType) -> Iterator[None]:
    """What a program finds: its arguments, its folder, the emulator."""
    argv, environment, before = sys.argv, dict(os.environ), sys.modules.get("__main__")
    finder = _Finder(plan.program.parent, plan.sizes)
    sys.argv = [str(plan.program), *plan.arguments]
    sys.path.insert(0, str(plan.program.parent))
    sys.meta_path.insert(0, finder)
    sys.modules["__main__"] = main
    os.environ["TILE_EMULATE"] = "1"
    token = device.is_rehearsal.set(True)
    if plan.target:
        os.environ["TILE_TARGET"] = plan.target
    try:
        yield
    finally:
        device.is_rehearsal.reset(token)
        sys.argv = argv
        sys.path.remove(str(plan.program.parent))
        sys.meta_path.remove(finder)
        if before is not None:
            sys.modules["__main__"] = before
        os.environ.clear()
        os.environ.update(environment)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module with other sizes, and keeps nothing of it on disk."""

    def __init__(self, name: str, path: str, sizes: Sizes):
        super().__init__(name, path)
        self.sizes = sizes

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return self.sizes.compile(self.get_data(path), path)


class _Finder:
    """Finds the modules that lie beside the program."""

    def __init__(self, folder: pathlib.Path, sizes: Sizes):
        self.folder, self.sizes = folder, sizes

    def find_spec(self, name: str, path: Sequence[str] | None = None,
                  target: Any = None) -> importlib.machinery.ModuleSpec | None:
        file = self.folder.joinpath(*name.split(".")).with_suffix(".py")
        if not file.is_file():
            return None
        return importlib.util.spec_from_file_location(
            name, file, loader=_Loader(name, str(file), self.sizes))
