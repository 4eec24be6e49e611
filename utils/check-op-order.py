#!/usr/bin/env python3
"""Checks that no call, and no list of initial values, makes ops in two of its
arguments: C leaves open which argument is evaluated first, so compilers of
ours would write the ops, and with them the PTX, in different orders.

Reads the sources and, in a build tree, the generated builders. A function
makes ops when it, or a function that it calls by name, does."""

import os
import re
import sys

import project

BASE = ("tile_ods_end", "mlirOperationCreate", "mlirOperationClone")
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "assert",
            "defined", "_Static_assert", "__attribute__"}
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                   re.S)
MACRO = re.compile(r"^#define[ \t]+(\w+)\(((?:[^\n]*\\\n)*[^\n]*)", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
FUNCTION = re.compile(r"^(?!\s|typedef|struct|enum|union|extern|return|else)"
                      r"([\w][\w \t*\n]*?)\b(\w+)\s*\(", re.M)
CALL = re.compile(r"\b(\w+)\s*\(")
OPENING, CLOSING = "([{", ")]}"


def blank(match):
    """Keeps the lines and the columns."""
    return re.sub(r"[^\n]", " ", match.group(0))


def closing(text, start):
    """The place behind the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] in OPENING:
            depth += 1
        elif text[place] in CLOSING:
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)


class Source:
    """Functions and macros of a file: name to (is it static, places)."""

    def __init__(self, name, text):
        self.name = name
        text = NOISE.sub(blank, text)
        self.functions = {}
        self.macros = {m.group(1): m.group(2) for m in MACRO.finditer(text)}
        self.text = DIRECTIVE.sub(blank, text)
        for match in FUNCTION.finditer(self.text):
            end = closing(self.text, match.end() - 1)
            body = re.compile(r"\s*\{").match(self.text, end)
            if body:
                is_static = "static" in match.group(1).split()
                self.functions[match.group(2)] = (
                    is_static and not name.endswith(".h"), body.end() - 1,
                    closing(self.text, body.end() - 1))

    def bodies(self):
        """(name, is it for this file alone, text)"""
        for name, text in self.macros.items():
            yield name, not self.name.endswith(".h"), text
        for name, (is_static, start, end) in self.functions.items():
            yield name, is_static, self.text[start:end]


class Makers:
    """Which names make ops; those of one file hide those of all."""

    def __init__(self, sources):
        self.calls = {}
        for source in sources:
            for name, is_local, text in source.bodies():
                key = (source.name if is_local else None, name)
                self.calls.setdefault(key, (source.name, set()))[1].update(
                    CALL.findall(text))
        self.makers = {(None, name) for name in BASE}
        while self.grow():
            pass

    def grow(self):
        new = {key for key, (file, names) in self.calls.items()
               if key not in self.makers
               and any(self.makes(file, name) for name in names)}
        self.makers |= new
        return new

    def makes(self, file, name):
        local = (file, name)
        return (local if local in self.calls else (None, name)) in self.makers


def parts(text, start, end):
    """What commas separate between two brackets."""
    begin = place = start + 1
    while place < end - 1:
        if text[place] in OPENING:
            place = closing(text, place)
            continue
        if text[place] == ",":
            yield text[begin:place]
            begin = place + 1
        place += 1
    yield text[begin:end - 1]


def lists(text, start, end):
    """Places of the brackets of calls and of lists of initial values."""
    for match in CALL.finditer(text, start, end):
        if match.group(1) not in KEYWORDS:
            yield match.end() - 1
    for match in re.compile(r"[)=]\s*\{").finditer(text, start, end):
        before = text[start:match.start() + 1].rstrip()
        is_literal = before.endswith("=") or re.search(
            r"\((?:const )?\w+(?:\[\w*\])?\)$", before)
        is_block = re.search(r"\b(if|while|for|switch)\s*\([^;{}]*\)$", before)
        if is_literal and not is_block:
            yield match.end() - 1


def find_violations(source, makers):
    for start, end in ((s, e) for _, s, e in source.functions.values()):
        for bracket in lists(source.text, start, end):
            made = []
            for part in parts(source.text, bracket,
                              closing(source.text, bracket)):
                names = [n for n in CALL.findall(part)
                         if makers.makes(source.name, n)]
                made += names[:1]
            if len(made) > 1:
                line = source.text.count("\n", 0, bracket) + 1
                yield "%s:%d: %s and %s both make ops" % (
                    source.name, line, made[0], made[1])


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--build", help="build tree; default: build/")
    options = parser.parse_args()
    generated = os.path.join(options.build or os.path.join(
        options.root, "build"), "gen", "Tile", "Ops")
    wanted, options.files = options.files, []
    sources = [Source(name, project.read(options, name))
               for name in project.select(options, "lib/*.c", "lib/*.h")]
    if not os.path.isdir(generated):
        sys.exit("check-op-order: no %s; build first" % generated)
    for name in sorted(os.listdir(generated)):
        path = os.path.join(generated, name)
        with open(path, encoding="utf-8") as file:
            sources.append(Source(name, file.read()))
    makers = Makers(sources)
    options.files = wanted
    chosen = set(project.select(options, "lib/*.c", "lib/*.h"))
    violations = [v for source in sources if source.name in chosen
                  for v in find_violations(source, makers)]
    return project.report(violations, "one argument of a call makes ops, the "
                                      "others are values (CONTRIBUTING.md)")


if __name__ == "__main__":
    sys.exit(main())
