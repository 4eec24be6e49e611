"""One HTML page about the kernels of a program: source with remarks, what each pass
made of it, PTX, SASS, and the pictures. It needs nothing from outside."""

from __future__ import annotations

import linecache
import pathlib
from html import escape

from tile.pictures import (
    draw_barriers,
    draw_layout,
    draw_memory,
    draw_roofline,
    draw_schedule,
)
from tile.pictures.anatomy import Anatomy, anatomy
from tile.pictures.listings import Listing, listings
from tile.pictures.recording import Call, Recording
from tile.pictures.svg import Picture

# No character that XML would want escaped stands in the script.
SCRIPT = """
document.querySelectorAll('.kernel').forEach(function (kernel) {
  var select = kernel.querySelector('select');
  function show() {
    kernel.querySelectorAll('.listing').forEach(function (listing) {
      listing.hidden = listing.dataset.number !== select.value;
    });
  }
  select.addEventListener('change', show);
  show();
  kernel.addEventListener('click', function (event) {
    var line = event.target.closest('[data-l]');
    if (!line || line.dataset.l === '0') return;
    var isSource = line.closest('.source') !== null;
    kernel.querySelectorAll('.on').forEach(function (old) { old.classList.remove('on'); });
    var found = kernel.querySelectorAll('[data-l="' + line.dataset.l + '"]');
    found.forEach(function (other) { other.classList.add('on'); });
    var panes = Array.from(found).filter(function (other) {
      var pane = other.closest('.listing');
      return isSource ? pane !== null ? !pane.hidden : false : pane === null;
    });
    if (panes.length) panes[0].scrollIntoView({block: 'nearest'});
  });
});
"""
STYLE = """
body { font: 14px system-ui, sans-serif; margin: 1.5em; color: #1c2733; }
.code { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1em; }
pre { font: 12px monospace; height: 36em; overflow: auto; border: 1px solid #c9d1d9; margin: 0;
      padding: 0.5em; }
pre span { display: block; cursor: pointer; white-space: pre; min-height: 1.2em; }
pre i { color: #66717d; font-style: normal; user-select: none; }
pre b { display: block; font-weight: normal; white-space: pre-wrap; background: #fff4d6;
        padding: 0.2em 0.6em; }
.on { background: #dceeff; }
figure { margin: 1em 0; overflow-x: auto; }
.error { color: #a61b1b; }
"""


def write(recording: Recording, program: pathlib.Path, target: pathlib.Path) -> None:
    """Writes the page."""
    target.write_text(render(recording, program), encoding="utf-8")


def render(recording: Recording, program: pathlib.Path) -> str:
    title = f"{program.name}: kernels"
    body = [f"<h1>{escape(title)}</h1>"]
    if recording.error:
        body.append(f'<p class="error">{escape(recording.error)}</p>')
    body += [_kernel(call) for call in recording.calls]
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
            f"{''.join(body)}<script>{SCRIPT}</script></body></html>\n")


def _kernel(call: Call) -> str:
    kernel = call.kernel
    chip = kernel.chip()
    launches = anatomy(kernel, chip)
    found = listings(kernel, chip)
    options = "".join(f'<option value="{n}">{escape(item.title)}</option>'
                      for n, item in enumerate(found))
    panes = "".join(_listing(item, n) for n, item in enumerate(found))
    return (f'<section class="kernel"><h2>{escape(kernel.name)} for {escape(chip)}</h2>'
            f"<p>{escape(_facts(launches))}</p>"
            f'<div class="code"><div><p>Source; a click marks what became of a line</p>'
            f'{_source(call)}</div><div><p><label>After <select>{options}</select></label></p>'
            f"{panes}</div></div>{_pictures(call, chip, launches)}</section>")


def _facts(launches: list[Anatomy]) -> str:
    parts = []
    for number, launch in enumerate(launches):
        roles = ", ".join(f"{r} {w} warps" for r, w in launch.roles.items())
        head = f"launch {number + 1}: " if len(launches) > 1 else ""
        parts.append(f"{head}{launch.num_threads} threads" + (f" ({roles})" if roles else "")
                     + f", {launch.shared_bytes} bytes of shared memory")
    return "; ".join(parts)


def _source(call: Call) -> str:
    """The file, with what the compiler says below the lines that it is about."""
    file = call.kernel.program.source_file
    said: dict[int, list[str]] = {}
    for message in call.kernel.remarks:
        if message.location is not None and message.location.file == file:
            said.setdefault(message.location.line, []).append(
                f"[{message.code}] {message.text}" if message.code else message.text)
    rows = []
    for number, text in enumerate(linecache.getlines(file), 1):
        rows.append(f'<span data-l="{number}"><i>{number:4} </i>{escape(text.rstrip())}</span>')
        rows += [f"<b>{escape(remark)}</b>" for remark in said.get(number, [])]
    return f'<pre class="source">{"".join(rows)}</pre>'


def _listing(listing: Listing, number: int) -> str:
    rows = "".join(f'<span data-l="{line}">{escape(text)}</span>' for line, text in listing.lines)
    return f'<pre class="listing" data-number="{number}">{rows}</pre>'


def _pictures(call: Call, chip: str, launches: list[Anatomy]) -> str:
    result: list[Picture] = []
    for launch in launches:
        result += [draw_memory.draw(launch), draw_barriers.draw(launch)]
        result += [draw_layout.draw(tile, chip) for tile in launch.tiles if tile.layout]
    if call.profile is not None:
        result.insert(0, draw_schedule.draw(call.profile.trace, launches[0]))
        work = draw_roofline.read_statistics(call.profile.statistics)
        if chip in draw_roofline.LIMITS and work.num_bytes:
            result.append(draw_roofline.draw(work, chip, None, call.kernel.name))
    return "".join(f"<figure>{picture.svg}</figure>" for picture in result)
