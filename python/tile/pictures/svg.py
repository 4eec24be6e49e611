"""Pictures as text: a canvas that writes SVG, without any other package."""

from __future__ import annotations

import pathlib
from html import escape
from typing import Any

FONT = "system-ui, sans-serif"
INK, MUTED, LINE = "#1c2733", "#66717d", "#c9d1d9"
# Colours that stay apart for readers who see few of them.
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#e15759", "#9c755f", "#edc948")


class Picture:
    """An SVG image. Notebooks show it; `save` writes it."""

    def __init__(self, svg: str, title: str):
        self.svg, self.title = svg, title

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture: {self.title}>"

    def save(self, path: Any) -> pathlib.Path:
        """Writes the picture to a file."""
        target = pathlib.Path(path)
        target.write_text(self.svg, encoding="utf-8")
        return target


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def hue(part: float) -> str:
    """A light colour of the circle, 0 <= part < 1."""
    return f"hsl({part * 360:.0f} 65% 78%)"


class Canvas:
    """Shapes in the order in which they are drawn; it grows with them."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.width = self.height = 0.0

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def rect(self, x: float, y: float, width: float, height: float, fill: str,
             tip: str = "", stroke: str = "none", **data: Any) -> None:
        """A box; `tip` is shown under the mouse, `data` becomes data- attributes."""
        extra = "".join(f' data-{k.replace("_", "-")}="{escape(str(v))}"'
                        for k, v in data.items())
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          f'fill="{fill}" stroke="{stroke}"{extra}>{inner}</rect>')
        self._reach(x + width, y + height)

    def text(self, x: float, y: float, text: str, size: float = 11, fill: str = INK,
             anchor: str = "start") -> None:
        """A line of text; `y` is where its letters stand."""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" '
                          f'text-anchor="{anchor}">{escape(text)}</text>')
        length = len(text) * size * 0.58
        self._reach(x + {"start": length, "middle": length / 2, "end": 0}[anchor], y + size / 3)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = LINE,
             width: float = 1, dashes: str = "") -> None:
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" '
                          f'stroke="{stroke}" stroke-width="{width:g}"{dash}/>')
        self._reach(max(x1, x2), max(y1, y2))

    def arrow(self, x1: float, y1: float, x2: float, y2: float, stroke: str = INK,
              bend: float = 0) -> None:
        """A line with a head; `bend` moves its middle up or down."""
        middle = f"{(x1 + x2) / 2:g} {(y1 + y2) / 2 + 2 * bend:g}"
        self.parts.append(f'<path d="M {x1:g} {y1:g} Q {middle} {x2:g} {y2:g}" fill="none" '
                          f'stroke="{stroke}" marker-end="url(#head)"/>')
        self._reach(max(x1, x2), max(y1, y2, (y1 + y2) / 2 + bend))

    def picture(self, title: str, description: str = "") -> Picture:
        width, height = self.width + 12, self.height + 12
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
                f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
                f'font-family="{FONT}" role="img">')
        marker = ('<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
                  'markerHeight="7" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" '
                  f'fill="{INK}"/></marker></defs>')
        lines = [head, f"<title>{escape(title)}</title>",
                 f"<desc>{escape(description)}</desc>", marker,
                 '<rect width="100%" height="100%" fill="#ffffff"/>', *self.parts, "</svg>"]
        return Picture("\n".join(lines) + "\n", title)
