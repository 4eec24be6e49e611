"""A Gantt chart of roles and rings, from a trace of the emulator. It shows who waits
for whom; ticks are instructions, not the time of a GPU."""

from __future__ import annotations

import dataclasses
import json
import re

from tile.pictures.anatomy import Anatomy
from tile.pictures.svg import LINE, MUTED, Canvas, Picture

WIDTH, ROW, LEFT, TOP = 760, 16, 210, 60
KINDS = {"wait": ("waits", "#e3e6ea"), "product": ("products", "#4e79a7"),
         "copy": ("loads and stores", "#59a14f"), "issue": ("issues copies", "#f28e2b"),
         "asynchronous": ("in flight", "#b07aa1")}


@dataclasses.dataclass
class Span:
    kind: str
    name: str
    start: float
    length: float
    thread: int
    ptx_line: int = 0


@dataclasses.dataclass
class Row:
    name: str
    spans: list[Span]


def spans_of(trace: str, block: int = 0) -> tuple[dict[int, str], list[Span]]:
    """Threads of a block by number, and what they did."""
    events = json.loads(trace)["traceEvents"]
    blocks = sorted({e["pid"] for e in events if e["name"] == "process_name"})
    if block >= len(blocks):
        return {}, []
    chosen = [e for e in events if e["pid"] == blocks[block]]
    names = {e["tid"]: e["args"]["name"] for e in chosen if e["name"] == "thread_name"}
    spans = [Span(e["cat"], e["name"], e["ts"], e["dur"], e["tid"],
                  e.get("args", {}).get("ptx_line", 0)) for e in chosen if e["ph"] == "X"]
    return names, spans


def rows_of(trace: str, anatomy: Anatomy | None = None, block: int = 0) -> list[Row]:
    """Warps by role, asynchronous operations by kind, mbarriers by slot."""
    names, spans = spans_of(trace, block)
    by_thread: dict[int, list[Span]] = {}
    for span in spans:
        by_thread.setdefault(span.thread, []).append(span)
    warps = sorted((n for n in names if "warp " in names[n] and names[n].startswith("role")),
                   key=lambda n: (names[n].split(" (")[0], n))
    rows = [Row(names[n], by_thread.get(n, [])) for n in warps]
    kinds: dict[str, list[Span]] = {}
    for number, found in sorted(by_thread.items()):
        if number not in warps:
            kinds.setdefault(names[number].rpartition(",")[0] or names[number], []).extend(found)
    rows += [Row(name, found) for name, found in kinds.items()]
    waits: dict[int, list[Span]] = {}
    for span in spans:
        match = re.match(r"wait: mbarrier dynamic smem\+(\d+)", span.name)
        if match:
            waits.setdefault(int(match[1]), []).append(span)
    return rows + [Row(_slot(at, anatomy), found) for at, found in sorted(waits.items())]


def _slot(at: int, anatomy: Anatomy | None) -> str:
    """The name of the mbarrier at a byte of shared memory."""
    for barrier in anatomy.barriers if anatomy else []:
        slot = (at - barrier.offset) // 8
        if 0 <= slot < barrier.slots:
            return f"wait for {barrier.name} [{slot}]"
    return f"wait for mbarrier at {at}"


def draw(trace: str, anatomy: Anatomy | None = None, block: int = 0) -> Picture:
    rows = rows_of(trace, anatomy, block)
    end = max((s.start + s.length for r in rows for s in r.spans), default=1.0)
    canvas = Canvas()
    title = f"schedule of block {block} on the emulator: {end:.0f} ticks"
    canvas.text(8, 20, title, 13)
    x = 8.0
    for word, fill in KINDS.values():
        canvas.rect(x, 30, 10, 10, fill)
        canvas.text(x + 14, 39, word, 10, MUTED)
        x += 30 + 6.5 * len(word)
    scale = WIDTH / end
    for number, row in enumerate(rows):
        y = TOP + number * ROW
        canvas.text(LEFT - 8, y + 11, row.name, 10, anchor="end")
        canvas.line(LEFT, y + ROW - 1, LEFT + WIDTH, y + ROW - 1)
        for span in merged(row.spans, 1 / scale):
            fill = KINDS.get(span.kind, ("", LINE))[1]
            canvas.rect(LEFT + span.start * scale, y + 1, max(span.length * scale, 0.6), ROW - 3,
                        fill, f"{span.name}: ticks {span.start:.0f} to "
                              f"{span.start + span.length:.0f}, ptx:{span.ptx_line}")
    return canvas.picture(title, f"{len(rows)} rows")


def merged(spans: list[Span], gap: float) -> list[Span]:
    """Spans of one name that no eye can tell apart are one."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda s: s.start):
        last = result[-1] if result else None
        if last and last.name == span.name and span.start <= last.start + last.length + gap:
            last.length = max(last.length, span.start + span.length - last.start)
        else:
            result.append(dataclasses.replace(span))
    return result
