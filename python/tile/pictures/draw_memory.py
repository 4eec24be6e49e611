"""Shared memory over time: which tile has which bytes while which ops run."""

from __future__ import annotations

import math

from tile.pictures.anatomy import Anatomy, Tile
from tile.pictures.svg import INK, LINE, MUTED, Canvas, Picture, colour

WIDTH, HEIGHT, LEFT, TOP = 640, 300, 96, 56


def lifetime(tile: Tile, anatomy: Anatomy) -> tuple[int, int]:
    """Numbers of the first and the last op that may find something in a tile: a
    loop that uses it does so to its end, unless the tile is used only there."""
    ops = [anatomy.ops[n] for n in tile.uses]
    if not ops:
        return 0, 0
    first, last = ops[0].number, ops[-1].number
    common = set.intersection(*(set(op.loops) for op in ops))
    for loop in {n for op in ops for n in op.loops} - common:
        inside = [op.number for op in anatomy.ops if loop in op.loops]
        first, last = min(first, loop), max(last, *inside)
    return first, last


def draw(anatomy: Anatomy) -> Picture:
    """Ops from left to right, bytes from the bottom up."""
    canvas = Canvas()
    title = f"shared memory: {anatomy.shared_bytes} bytes"
    canvas.text(8, 20, title, 13)
    canvas.text(8, 38, "ops from left to right; below, where each tile is used", 11, MUTED)
    total = max(anatomy.shared_bytes, 1)
    scale, per_op = HEIGHT / total, WIDTH / max(len(anatomy.ops), 1)
    bottom = TOP + HEIGHT
    canvas.rect(LEFT, TOP, WIDTH, HEIGHT, "#f8f9fa", stroke=LINE)
    _roles(canvas, anatomy, per_op, bottom)
    tiles = [t for t in anatomy.tiles if t.offset is not None]
    for number, tile in enumerate(tiles):
        _tile(canvas, anatomy, tile, number, scale, per_op, bottom)
    for barrier in anatomy.barriers:
        y = bottom - (barrier.offset + 8 * barrier.slots) * scale
        canvas.rect(LEFT, y, WIDTH, max(8 * barrier.slots * scale, 1), INK,
                    f"{barrier.name}: {barrier.slots} mbarriers at byte {barrier.offset}")
    edges = {0, anatomy.shared_bytes, *(t.offset for t in tiles if t.offset is not None)}
    for edge in sorted(edges):
        canvas.text(LEFT - 8, bottom - edge * scale + 4, f"{edge:,}", 10, MUTED, "end")
    return canvas.picture(title, f"{len(tiles)} tiles, {len(anatomy.barriers)} groups of mbarriers")


def _tile(canvas: Canvas, anatomy: Anatomy, tile: Tile, number: int, scale: float,
          per_op: float, bottom: float) -> None:
    assert tile.offset is not None
    size = math.prod(tile.shape) * tile.elem_bits // 8
    first, last = lifetime(tile, anatomy)
    for slot in range(tile.slots):
        start = tile.offset + slot * size // tile.slots
        y = bottom - (start + size // tile.slots) * scale
        ring = f", slot {slot} of {tile.slots}" if tile.slots > 1 else ""
        canvas.rect(LEFT + first * per_op, y, (last - first + 1) * per_op,
                    max(size // tile.slots * scale, 1), colour(number),
                    f"{tile.name}{ring}: {size // tile.slots} bytes at {start}", "#ffffff",
                    tile=tile.name, slot=slot, offset=start)
    middle = bottom - (tile.offset + size / 2) * scale
    canvas.text(LEFT + first * per_op + 6, middle + 4, tile.name, 11, "#ffffff")
    for use in tile.uses:
        x = LEFT + (use + 0.5) * per_op
        canvas.line(x, bottom + 4 + number * 6, x, bottom + 9 + number * 6, colour(number), 2)


def _roles(canvas: Canvas, anatomy: Anatomy, per_op: float, bottom: float) -> None:
    """Where the part of each role begins."""
    for role, warps in anatomy.roles.items():
        numbers = [op.number for op in anatomy.ops if op.role == role]
        if numbers:
            x = LEFT + numbers[0] * per_op
            canvas.line(x, TOP, x, bottom, MUTED, dashes="3 3")
            canvas.text(x + 4, TOP - 4, f"{role}, {warps} warp{'s' * (warps > 1)}", 10, MUTED)
