#!/usr/bin/env python3
"""Checks that docs/generated/layers.svg shows the build; -f draws it anew.

A box is a room: the files of a folder that belong to one layer. A row is a
layer, those of the compiler from the highest down, with the emulator beside
them. An arrow says that a room uses symbols of another; those that follow from
others are left out. An arrow up is red. ARCHITECTURE.md has the same order as a
table, which this program writes, too."""

import collections
import html
import os
import re
import sys

import layers
import objects
import project

PICTURE = "docs/generated/layers.svg"
PAGE = "ARCHITECTURE.md"
BEGIN = "<!-- layers: written by utils/draw-layers.py -->\n"
END = "<!-- end of layers -->\n"
BOX, GAP, ROW, MARGIN, LABEL = (118, 30), 10, 74, 20, 150

WHAT = {
    "Support": "memory, text, diagnostics, what MLIR's C API lacks",
    "Layout": "algebra and search of layouts",
    "Proof": "do roles fit together",
    "Dialect": "types, rules and accesses of ops; the table of chips",
    "Analysis/Cost": "what a choice costs",
    "Analysis/Index": "indices and boxes",
    "Analysis/Memory": "shared memory, fragments, rings",
    "Analysis/Instructions": "which are legal",
    "Analysis/Loops": "forms, bodies, plans of loops",
    "Analysis/Sync": "which barriers are needed",
    "Analysis": "the extractor of the proof",
    "Transforms": "passes with their plans; a room may ask another for its plan",
    "Conversion": "shared by the three below",
    "Conversion/ToNVGPU": "sm_80 products and copies",
    "Conversion/ToThreads": "element loops",
    "Conversion/ToNVVM": "all other ops",
    "Target": "PTX, launch metadata",
    "Pipeline": "pass order, one compilation",
    "Api": "the C API of the compiler: `Tile/Compiler.h`, `Tile/Mlir.h`",
    "Tune": "which sizes of a program may be others: `Tile/Tune.h`",
    "Bridge": "registers the dialect; MLIR calls the hooks of ops",
    "Plugin": "entries of a plugin, and tile-opt",
    "Emulator": "PTX on a CPU",
    "Launcher": "host functions, the CUDA driver",
    "CudaShim": "libcuda and libcudart on the emulator",
    "tools": "programs",
}


def room_of(path):
    layer = layers.layer_of(path)
    return layer and (layer, os.path.dirname(path))


def read_rooms(options, build):
    """({room: {rooms that it uses}}, {room: [files]})"""
    found = objects.sources(options.root, build, "lib/", "tools/")
    homes = objects.homes(found)
    uses, files = collections.defaultdict(set), collections.defaultdict(list)
    for path, source in sorted(found.items()):
        room = room_of(path)
        if not room:
            continue
        files[room].append(path)
        for name in source.calls | source.tables:
            other = room_of(homes.get(name, path))
            # Tables of ops and instructions name every room of their layer.
            is_table = other and other[0] == room[0] and \
                name in source.tables
            if other and other != room and not is_table:
                uses[room].add(other)
    return {room: uses[room] for room in sorted(files)}, files


def reduced(uses):
    """Without arrows that a longer way down says."""
    def may_go_down(a, b):
        return b[0] in layers.MAY_SEE[a[0]]

    reach = {}

    def visit(room, path=()):
        if room not in reach:
            reach[room] = set()
            for other in sorted(uses[room]):
                if other not in path and may_go_down(room, other):
                    reach[room] |= {other} | visit(other, path + (room,))
        return reach[room]

    for room in uses:
        visit(room)
    result = {}
    for room, others in uses.items():
        result[room] = {
            other for other in others
            if not any(third != other and third in others and
                       room not in reach[third] and other in reach[third] and
                       third not in reach[other]
                       for third in others)}
    return result


def rows_of(uses):
    """[(label, [rooms])] from the top; the second column follows."""
    def rooms(*names):
        return [room for room in uses if room[0] in names]
    left = [("tools", [r for r in rooms("tools")
                       if r[1] in ("tools/tile-compile", "tools/tile-opt")])]
    left += [(" ".join(line), rooms(*line))
             for line in reversed(layers.COMPILER)]
    right = [("", [r for r in rooms("tools") if r not in left[0][1]]),
             ("Launcher", rooms("Launcher")), ("CudaShim", rooms("CudaShim"))]
    emulator = rooms("Emulator")
    right += [("Emulator", emulator[i:i + 3])
              for i in range(0, len(emulator), 3)]
    return ([row for row in left if row[1]],
            [row for row in right if row[1]])


def label_of(room, files):
    """The folder, with the files where it has several layers."""
    folder = re.sub(r"^(lib|tools)/", "", room[1])
    if sum(1 for other in files if other[1] == room[1]) > 1 and \
            len(files[room]) == 1:
        return os.path.basename(files[room][0])
    return folder.split("/", 1)[1] if folder.count("/") else folder


def places(uses):
    """({room: (x, y)}, [(label, x, y)], width, height)"""
    where, labels = {}, []
    left, right = rows_of(uses)
    widest = [max((len(rooms) for _, rooms in rows), default=0)
              for rows in (left, right)]
    wide = LABEL + widest[0] * (BOX[0] + GAP)
    for column, rows, span in ((MARGIN, left, widest[0]),
                               (MARGIN + wide + 40, right, widest[1])):
        for i, (label, rooms) in enumerate(rows):
            y = MARGIN + i * ROW
            labels.append((label, column, y))
            start = column + LABEL + \
                (span - len(rooms)) * (BOX[0] + GAP) // 2
            for k, room in enumerate(rooms):
                where[room] = (start + k * (BOX[0] + GAP), y)
    width = MARGIN * 2 + wide + 40 + LABEL + widest[1] * (BOX[0] + GAP)
    return where, labels, width, MARGIN * 2 + max(len(left), len(right)) * ROW


def arrow(start, end, is_up):
    x1, y1 = start[0] + BOX[0] // 2, start[1] + (0 if is_up else BOX[1])
    x2, y2 = end[0] + BOX[0] // 2, end[1] + (BOX[1] if is_up else 0)
    if start[1] == end[1]: # side by side: below the row
        y1 = y2 = start[1] + BOX[1]
        middle = y1 + 24
        path = "M%d,%d C%d,%d %d,%d %d,%d" % (x1, y1, x1, middle, x2, middle,
                                             x2, y2)
    else:
        bend = (y2 - y1) // 2
        path = "M%d,%d C%d,%d %d,%d %d,%d" % (x1, y1, x1, y1 + bend, x2,
                                             y2 - bend, x2, y2)
    return '<path class="%s" d="%s"/>' % ("up" if is_up else "down", path)


def draw(options, build):
    uses, files = read_rooms(options, build)
    where, labels, width, height = places(uses)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
           'font-family="sans-serif" font-size="12">' % (width, height),
           "<!-- Drawn by utils/draw-layers.py from the build; do not edit. "
           "-->",
           "<style>path{fill:none;stroke:#99a;stroke-width:1}"
           ".up{stroke:#c22;stroke-width:2}"
           "rect{fill:#eef3fb;stroke:#456}.plain{fill:#eef8ee}"
           ".label{fill:#456;font-weight:bold}</style>",
           '<rect width="%d" height="%d" style="fill:#fff;stroke:none"/>' %
           (width, height)]
    for room, others in sorted(reduced(uses).items()):
        for other in sorted(others):
            is_up = other[0] not in layers.MAY_SEE[room[0]]
            out.append(arrow(where[room], where[other], is_up))
    for label, x, y in labels:
        for i, word in enumerate(label.split()):
            out.append('<text class="label" x="%d" y="%d">%s</text>' %
                       (x, y + 14 + 14 * i, html.escape(word)))
    for room, (x, y) in sorted(where.items()):
        kind = ' class="plain"' if room[0] in layers.PLAIN_C else ""
        out.append('<rect%s x="%d" y="%d" width="%d" height="%d" rx="4"/>' %
                   (kind, x, y, BOX[0], BOX[1]))
        out.append('<text text-anchor="middle" x="%d" y="%d">%s</text>' %
                   (x + BOX[0] // 2, y + 19, html.escape(label_of(room,
                                                                  files))))
    return "\n".join(out + ["</svg>", ""])


def table():
    knows = collections.defaultdict(lambda: "its C API and bindings")
    knows.update({"Support": "its C API", "Bridge": "C++", "Plugin": "C++",
                  "tools": "no"},
                 **{name: "no" for name in layers.PLAIN_C},
                 **{name: "its C API and bindings, LLVM's C API"
                    for name in ("Target", "Pipeline", "Api")})
    rows = ["| | Layer | What it is | Knows MLIR |", "|---|---|---|---|"]
    for i, line in enumerate(layers.COMPILER):
        for name in line:
            rows.append("| %d | `%s` | %s | %s |" % (i, name, WHAT[name],
                                                    knows[name]))
    for name, seen in layers.OTHERS.items():
        rows.append("| – | `%s` | %s; sees %s | %s |" % (
            name, WHAT[name], " and ".join("`%s`" % s for s in
                                           sorted(seen, reverse=True)),
            knows[name]))
    rows.append("| – | `tools` | %s; see all | no |" % WHAT["tools"])
    return "\n".join(rows) + "\n"


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--build", help="build tree; default: build/")
    parser.add_argument("-f", action="store_true", help="draw anew")
    options = parser.parse_args()
    build = options.build or os.path.join(options.root, "build")
    if not os.path.exists(os.path.join(build, "compile_commands.json")):
        sys.exit("draw-layers: no build in %s" % build)
    page = project.read(options, PAGE)
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    wanted = {PICTURE: draw(options, build),
              PAGE: before + BEGIN + "\n" + table() + "\n" + END + after}
    violations = []
    for name, text in wanted.items():
        path = os.path.join(options.root, name)
        old = project.read(options, name) if os.path.exists(path) else None
        if options.f and text != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        elif text != old:
            violations.append("%s:1: stale; run utils/draw-layers.py -f" % name)
    return project.report(violations, "the picture shows the build")


if __name__ == "__main__":
    sys.exit(main())
