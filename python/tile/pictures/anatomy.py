"""What the compiler made of a kernel: tiles with their layouts and bytes, roles,
barriers, and the ops that use them, read from the last stage that has tiles."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

from tile.frontend.errors import CompileError, Location
from tile.runtime import compiler, library

STAGE = "tile-insert-sync"  # all is decided, nothing is lowered
BLOCK = "block"  # where no role is around an op
_LOCATION = re.compile(r'^#(loc\d*) = loc\("((?:[^"\\]|\\.)*)":(\d+):(\d+)\)')
_OP = re.compile(r'^ *(?:(%[\w:, %]+) = )?"?(\w+(?:\.\w+)?)"?')
_AT = re.compile(r' loc\(#?(loc\d*)\)$')
_INLINE = re.compile(r' loc\("(?:[^"\\]|\\.)*":\d+:\d+\)')
_MEMREF = re.compile(r"memref<((?:\d+x)*)(\w+), #(gpu\.address_space<workgroup>|tile\.fragment)")
_WIDTHS = {"index": 64, "bf16": 16, "tf32": 32}


@dataclasses.dataclass
class Op:
    """A line of the stage."""

    number: int
    name: str
    text: str
    place: Location | None
    role: str
    loops: tuple[int, ...]  # numbers of the loops around it


@dataclasses.dataclass
class Tile:
    """A tile of shared memory or registers, under the variable's name."""

    name: str
    is_fragment: bool
    shape: tuple[int, ...]
    element: str
    layout: str | None
    offset: int | None  # in bytes, in shared memory
    place: Location | None
    slots: int = 1  # of a ring: its first dimension
    uses: list[int] = dataclasses.field(default_factory=list)  # numbers of ops

    @property
    def elem_bits(self) -> int:
        digits = re.sub(r"^\D*", "", self.element)
        return _WIDTHS.get(self.element) or int(re.match(r"\d+", digits)[0])  # type: ignore[index]

    def places(self, chip: str) -> tuple[library.LayoutFacts, list[int]]:
        """Of each element, as the compiler reads the layout."""
        if self.layout is None:
            raise CompileError(f"{self.name} has no layout")
        return compiler.compiler_for(chip).places(self.layout, self.shape, self.elem_bits)


@dataclasses.dataclass
class Barrier:
    """mbarriers, one for each slot."""

    name: str
    slots: int
    offset: int
    arrivals: int = 1
    waiters: list[str] = dataclasses.field(default_factory=list)  # roles
    arrivers: list[str] = dataclasses.field(default_factory=list)
    bytes: int = 0  # that copies bring


@dataclasses.dataclass
class Anatomy:
    """One launch."""

    tiles: list[Tile] = dataclasses.field(default_factory=list)
    barriers: list[Barrier] = dataclasses.field(default_factory=list)
    roles: dict[str, int] = dataclasses.field(default_factory=dict)  # their warps
    ops: list[Op] = dataclasses.field(default_factory=list)
    shared_bytes: int = 0
    num_threads: int = 0

    def tile(self, name: str) -> Tile:
        for found in self.tiles:
            if found.name == name:
                return found
        known = ", ".join(t.name for t in self.tiles)
        raise CompileError(f"there is no tile {name}; there are {known}")


def locations(text: str) -> dict[str, Location]:
    """What `#loc3` stands for."""
    result = {}
    for line in text.splitlines():
        match = _LOCATION.match(line)
        if match:
            result[match[1]] = Location(match[2], int(match[3]), int(match[4]))
    return result


def without_location(line: str) -> str:
    return _INLINE.sub("", _AT.sub("", line))


def place_of(line: str, known: dict[str, Location]) -> Location | None:
    match = _AT.search(line)
    return known.get(match[1]) if match else None


@dataclasses.dataclass(frozen=True)
class Variable:
    """A tile as the kernel has it."""

    name: str
    rank: int


def variables(source: str) -> dict[Location, list[Variable]]:
    """Tiles by the place of their allocation, from the text of the front end."""
    known = locations(source)
    result: dict[Location, list[Variable]] = {}
    for line in source.splitlines():
        match = re.match(r" *%(\w+) = tile\.(?:alloc|barrier_alloc)\b", line)
        place = place_of(line, known)
        if match and place is not None:
            shape = re.search(r"memref<((?:\d+x)*)", line)
            rank = shape[1].count("x") if shape else 0
            result.setdefault(place, []).append(Variable(match[1], rank))
    return result


def anatomy(kernel: Any, chip: str | None = None) -> list[Anatomy]:
    """The launches of a kernel, in order."""
    chip = chip or kernel.chip()
    stages = compiler.compiler_for(chip).stages(kernel.name, kernel.program.text)
    text = next(t for name, t in stages if name.startswith(STAGE))
    return read(text, variables(kernel.program.text))


def read(text: str, names: dict[Location, list[Variable]]) -> list[Anatomy]:
    """The same of the text of a stage."""
    known = locations(text)
    names = {place: list(found) for place, found in names.items()}
    result: list[Anatomy] = []
    reader: _Reader | None = None
    for line in text.splitlines():
        if " gpu.launch " in line:
            reader = _Reader(known, names, line)
            result.append(reader.anatomy)
        elif reader is not None:
            if line.strip().startswith("gpu.terminator"):
                reader.finish()
                reader = None
            else:
                reader.line(line)
    return result


class _Reader:
    """Reads the body of a launch, line by line."""

    def __init__(self, known: dict[str, Location], names: dict[Location, list[Variable]],
                 head: str):
        self.known, self.names = known, names
        self.anatomy = Anatomy()
        self.owners: dict[str, Tile | Barrier] = {}  # by value: tiles, their windows, barriers
        self.stack: list[tuple[str, int]] = []  # open regions: name, number of the op
        self.shared = re.search(r"dynamic_shared_memory_size %c(\d+)", head)
        threads = re.findall(r"%\w+ = %c(\d+)", head.partition("threads(")[2])
        self.anatomy.num_threads = int(threads[0]) if threads else 0

    def line(self, text: str) -> None:
        stripped = text.strip()
        if stripped.startswith("}"):
            self.stack and self.stack.pop()
            if stripped.endswith("{"):  # `} else {`, `} do {`
                self.stack.append(("else", len(self.anatomy.ops)))
            return
        match = _OP.match(text)
        if match is None:
            return
        op = Op(len(self.anatomy.ops), match[2], without_location(stripped),
                place_of(text, self.known), self._role(),
                tuple(n for name, n in self.stack if name in ("scf.for", "scf.while")))
        self.anatomy.ops.append(op)
        self._define(op, match[1] or "")
        self._use(op)
        if stripped.endswith("{"):
            self.stack.append((op.name, op.number))

    def _role(self) -> str:
        inside = [n for name, n in self.stack if name == "tile.role"]
        match = re.search(r'"(\w+)"', self.anatomy.ops[inside[-1]].text) if inside else None
        return match[1] if match else BLOCK

    def _define(self, op: Op, results: str) -> None:
        result = re.split("[:,]", results, maxsplit=1)[0].strip()
        if op.name == "tile.alloc":
            self._tile(op, result)
        elif op.name == "tile.barrier_alloc":
            offset = re.search(r"offset = (\d+)", op.text)
            slots = re.search(r"!tile\.barrier<(\d+)", op.text)
            barrier = Barrier(self._variable(op, "barrier").name, int(slots[1]) if slots else 1,
                              int(offset[1]) if offset else 0)
            self.anatomy.barriers.append(barrier)
            self.owners[result] = barrier
        elif op.name in ("tile.region", "tile.view"):
            source = re.search(r"tile\.\w+ (%\w+)", op.text)
            owner = self.owners.get(source[1]) if source else None
            if owner is not None:
                self.owners[result] = owner
            else:
                self.owners.pop(result, None)
        elif op.name == "tile.role":
            warps = re.search(r"warps (\d+)", op.text)
            role = re.search(r'"(\w+)"', op.text)
            if warps and role:
                self.anatomy.roles[role[1]] = int(warps[1])
        elif result:
            self.owners.pop(result, None)

    def _variable(self, op: Op, otherwise: str) -> Variable:
        """What the kernel calls it; what the compiler made has no rank there."""
        names = self.names.get(op.place) if op.place else None
        if names:
            return names.pop(0) if len(names) > 1 else names[0]
        return Variable(f"{otherwise} of line {op.place.line}" if op.place else otherwise, 0)

    def _tile(self, op: Op, result: str) -> None:
        match = _MEMREF.search(op.text)
        if match is None:
            return
        layout = re.search(r'layout = #tile\.layout<"([^"]*)">', op.text)
        offset = re.search(r"offset = (\d+)", op.text)
        variable = self._variable(op, "staging")
        shape = tuple(int(n) for n in match[1].split("x") if n)
        tile = Tile(variable.name, match[3] == "tile.fragment", shape, match[2],
                    layout[1] if layout else None, int(offset[1]) if offset else None, op.place)
        if variable.rank and len(shape) == variable.rank + 1:
            tile.slots = shape[0]
        self.anatomy.tiles.append(tile)
        self.owners[result] = tile

    def _use(self, op: Op) -> None:
        if op.name.endswith("alloc"):
            return
        if op.name == "tile.channel_barriers":
            self._channel(op)
            return
        for value in re.findall(r"%\w+", op.text):
            owner = self.owners.get(value)
            if isinstance(owner, Tile) and op.number not in owner.uses:
                owner.uses.append(op.number)
        self._barrier(op)

    def _barrier(self, op: Op) -> None:
        for value in re.findall(r"%\w+", op.text):
            barrier = self.owners.get(value)
            if not isinstance(barrier, Barrier):
                continue
            if op.name == "tile.barrier_init":
                count = re.search(r"arrivals (\d+)", op.text)
                barrier.arrivals = int(count[1]) if count else 1
                continue
            roles = barrier.waiters if op.name == "tile.barrier_wait" else barrier.arrivers
            if op.role not in roles:
                roles.append(op.role)
            expected = re.search(r"bytes (\d+)", op.text)
            if expected:
                barrier.bytes = max(barrier.bytes, int(expected[1]))

    def _channel(self, op: Op) -> None:
        rings = [self.owners.get(v) for v in
                 re.findall(r"%\w+", op.text.partition("(")[2].partition(")")[0])]
        names = ", ".join(dict.fromkeys(r.name for r in rings if isinstance(r, Tile)))
        for word in ("full", "empty"):
            value = re.search(rf"\b{word} (%\w+)", op.text)
            barrier = self.owners.get(value[1]) if value else None
            if isinstance(barrier, Barrier):
                barrier.name = f"{word}: {names}"

    def finish(self) -> None:
        ends = [0]
        for tile in self.anatomy.tiles:
            if tile.offset is not None:
                ends.append(tile.offset + math.prod(tile.shape) * tile.elem_bits // 8)
        ends += [b.offset + 8 * b.slots for b in self.anatomy.barriers]
        self.anatomy.shared_bytes = int(self.shared[1]) if self.shared else max(ends)
