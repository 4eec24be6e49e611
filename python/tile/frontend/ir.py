"""Tile IR as text, built from ops and blocks.

A block is a list of ops. An op is its text, its location, and its regions,
which are blocks with the text that stands before each of them. Nothing is
written to text before a function is complete, so a block may be thrown away,
and ops may be added to an earlier block.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tile.frontend.errors import Location

INDENT = "  "


@dataclasses.dataclass
class Op:
    text: str  # up to the first region
    location: Location | None = None
    regions: list[tuple[str, Block]] = dataclasses.field(default_factory=list)
    tail: str = ""  # after the last region
    is_pure: bool = False  # may be executed although its value is not used


class Block:
    """Ops in order. `known` has the results of ops without effect, by their text."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.known: dict[str, str] = {}
        self.is_loop = False  # carried out more than once

    def append(self, op: Op) -> Op:
        self.ops.append(op)
        return op

    def is_pure(self) -> bool:
        return all(op.is_pure for op in self.ops)

    def extend(self, other: Block) -> None:
        self.ops.extend(other.ops)


class Printer:
    """Writes ops; locations as aliases `#locN` when they are wanted."""

    def __init__(self, with_locations: bool):
        self.with_locations = with_locations
        self.aliases: dict[Location, str] = {}

    def suffix(self, location: Location | None) -> str:
        if not self.with_locations or location is None:
            return ""
        name = self.aliases.setdefault(location, f"#loc{len(self.aliases)}")
        return f" loc({name})"

    def lines(self, block: Block, depth: int) -> Iterator[str]:
        pad = INDENT * depth
        for op in block.ops:
            if not op.regions:
                yield pad + op.text + self.suffix(op.location)
                continue
            for number, (before, region) in enumerate(op.regions):
                lead = op.text if number == 0 else "}"
                yield f"{pad}{lead}{before}"
                yield from self.lines(region, depth + 1)
            yield f"{pad}}}{op.tail}{self.suffix(op.location)}"

    def alias_lines(self) -> Iterator[str]:
        for location, name in self.aliases.items():
            file = location.file.replace("\\", "\\\\").replace('"', '\\"')
            yield f'{name} = loc("{file}":{location.line}:{location.column})'


def print_module(block: Block, with_locations: bool) -> str:
    """The text of a module whose ops are those of `block`."""
    printer = Printer(with_locations)
    body = list(printer.lines(block, 0))
    return "\n".join([*printer.alias_lines(), *body]) + "\n"
