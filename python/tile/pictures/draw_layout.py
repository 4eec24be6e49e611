"""The layout of a tile: which thread holds an element, or in which banks it lies."""

from __future__ import annotations

import dataclasses
import math

from tile.pictures.anatomy import Tile
from tile.pictures.svg import MUTED, Canvas, Picture, hue
from tile.runtime import library

NUM_BANKS, BANK_BYTES, LANES = 32, 4, 32
MAX_RUN_BYTES = 16
CELL, ROW = 46, 18
NO_PLACE = -1


@dataclasses.dataclass
class Cell:
    """A run of columns that lie together."""

    column: int
    count: int
    place: int  # of the first: a byte, or register + 2^16 lane + 2^24 warp

    @property
    def register(self) -> int:
        return self.place & 0xFFFF

    @property
    def lane(self) -> int:
        return self.place >> 16 & 0xFF

    @property
    def warp(self) -> int:
        return self.place >> 24

    @property
    def bank(self) -> int:
        return self.place // BANK_BYTES % NUM_BANKS


def cells(places: list[int], step: int, max_run: int) -> list[Cell]:
    """Runs of a row whose places go up by `step`."""
    result: list[Cell] = []
    for column, place in enumerate(places):
        last = result[-1] if result else None
        if last and last.count < max_run and last.place != NO_PLACE \
                and place == last.place + last.count * step:
            last.count += 1
        else:
            result.append(Cell(column, 1, place))
    return result


def describe(tile: Tile, facts: library.LayoutFacts) -> str:
    """The numbers of a layout."""
    if tile.is_fragment:
        copies = f", each element {facts.num_copies} times" if facts.num_copies > 1 else ""
        threads = facts.num_lanes * facts.num_warps
        return f"{facts.num_registers} registers in each of {threads} threads{copies}"
    ring = f", a ring of {tile.slots} slots" if tile.slots > 1 else ""
    return f"{facts.size_bytes} bytes over {NUM_BANKS} banks{ring}"


def draw(tile: Tile, chip: str, rows: int = 32, columns: int = 16) -> Picture:
    """The first rows and runs of columns of the first slot. Colours are banks or
    lanes; the number in a cell is one, and the mouse shows all."""
    facts, places = tile.places(chip)
    width = tile.shape[-1] if tile.shape else 1
    height = tile.shape[-2] if len(tile.shape) > 1 else 1
    step = 1 if tile.is_fragment else tile.elem_bits // 8
    max_run = max(1, MAX_RUN_BYTES * 8 // tile.elem_bits)
    canvas = Canvas()
    shape = "x".join(map(str, tile.shape))
    title = f"{tile.name}: {shape} of {tile.element}, {tile.layout}"
    canvas.text(8, 20, title, 13)
    canvas.text(8, 38, describe(tile, facts), 11, MUTED)
    top, left, shown = 62, 44, 0
    for row in range(min(rows, height)):
        found = cells(places[row * width:(row + 1) * width], step, max_run)
        shown = max(shown, min(columns, len(found)))
        canvas.text(left - 8, top + row * ROW + 13, str(row), 10, MUTED, "end")
        for number, cell in enumerate(found[:columns]):
            x, y = left + number * CELL, top + row * ROW
            _cell(canvas, tile, cell, row, x, y)
            if row == 0:
                canvas.text(x + 2, top - 6, str(cell.column), 10, MUTED)
    rest = _rest(tile, height, width, rows, columns, shown)
    if rest:
        canvas.text(8, canvas.height + 18, rest, 11, MUTED)
    return canvas.picture(title, describe(tile, facts))


def _cell(canvas: Canvas, tile: Tile, cell: Cell, row: int, x: float, y: float) -> None:
    last = cell.column + cell.count - 1
    columns = str(cell.column) if cell.count == 1 else f"{cell.column} to {last}"
    if cell.place == NO_PLACE:
        canvas.rect(x, y, CELL - 2, ROW - 2, "#f3f4f6", f"[{row}, {columns}]: nowhere")
        return
    if tile.is_fragment:
        tip = (f"[{row}, {columns}]: warp {cell.warp}, lane {cell.lane}, register "
               f"{cell.register}" + (f" to {cell.register + cell.count - 1}"
                                     if cell.count > 1 else ""))
        fill, label = hue(cell.lane / LANES), f"w{cell.warp} t{cell.lane}"
        canvas.rect(x, y, CELL - 2, ROW - 2, fill, tip, lane=cell.lane, warp=cell.warp)
    else:
        tip = f"[{row}, {columns}]: byte {cell.place}, bank {cell.bank}"
        fill, label = hue(cell.bank / NUM_BANKS), f"b{cell.bank}"
        canvas.rect(x, y, CELL - 2, ROW - 2, fill, tip, bank=cell.bank)
    canvas.text(x + CELL / 2 - 1, y + 12, label, 9, anchor="middle")


def _rest(tile: Tile, height: int, width: int, rows: int, columns: int, shown: int) -> str:
    """What is not in the picture."""
    parts = []
    if height > rows:
        parts.append(f"{height - rows} more rows")
    if shown == columns:
        parts.append(f"the first {columns} runs of {width} columns")
    outer = math.prod(tile.shape[:-2])
    if outer == tile.slots > 1:
        parts.append("slot 0; the others are alike")
    elif outer > 1:
        parts.append(f"the first of {outer} matrices")
    return "; ".join(parts)
