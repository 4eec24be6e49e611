#!/usr/bin/env python3
"""Checks that relative links in Markdown files lead to a file, that their
#anchors name a heading of it, that `code` which looks like a path or a file
of the tree names one (`*` stands for anything), that `tile_x`, `TileX` and
`--tile-x` are names of the code, and that prose says "before" and "after", in
comments, too."""

import fnmatch
import os
import re
import sys

import project

LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")


def prose(text):
    """(number, line with inline code blanked, inline code) of the lines outside
    code blocks."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            yield (number, re.sub(r"`[^`]*`", "``", line),
                   re.findall(r"`([^`]*)`", line))


def anchors(text):
    """The anchors that hosting sites give to the headings."""
    is_code, result = False, set()
    for line in text.splitlines():
        if FENCE.match(line):
            is_code = not is_code
        match = re.match(r"#+\s+(.*?)\s*$", line)
        if match and not is_code:
            title = re.sub(r"[^\w\- ]", "", match.group(1).lower())
            result.add(title.replace(" ", "-"))
    return result


def problem(options, name, target):
    """What is wrong with a link from `name` to `target`, or None."""
    path, _, anchor = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(name), path)) \
        if path else name
    full = os.path.join(options.root, file)
    if not os.path.exists(full):
        return "no such file: %s" % target
    if anchor and file.endswith(".md") and \
       anchor not in anchors(project.read(options, file)):
        return "no such heading: %s" % target
    return None


PATH = re.compile(r"(?:lib|include|tools|utils|test|docs|examples|cmake|bench|"
                  r"fuzz)/[\w./*-]+$")
FILE = re.compile(r"[\w*-]+\.(?:c|h|cpp|td)$")
# The build writes these.
GENERATED = {"TileHooks.h", "lib/emu"}


def unknown_file(span, names):
    """Whether `span` looks like a file or folder of the tree and is none."""
    path = span.rstrip("/")
    if path in GENERATED or not (PATH.match(path) or FILE.match(path)):
        return False
    if "/" not in path:
        path = "*/" + path
    return not any(fnmatch.fnmatch(name, path) or
                   fnmatch.fnmatch(name, path + "/*") for name in names)


NAME = re.compile(r"(?:tile_\w+|Tile[A-Z]\w+|--tile-[a-z][\w-]*)")
WORD = re.compile(r"[A-Za-z_][\w-]*")
CODE = ("include/", "lib/", "tools/", "utils/", "examples/", "bench/", "test/",
        "cmake/", "CMakeLists.txt")


def code_words(options, names):
    """The words of the code: those with hyphens whole and in parts."""
    words = set()
    for name in names:
        if name.startswith(CODE) and not name.endswith(".md"):
            with open(os.path.join(options.root, name), "rb") as file:
                text = file.read().decode("utf-8", "replace")
            words.update(WORD.findall(text))
            words.update(re.findall(r"\w+", text))
    return words


def unknown_name(span, words):
    """The first name of the code in `span` that the code has not, or None."""
    match = NAME.match(span)
    # `tile_x_*` and `TileX...` stand for several names.
    if not match or span[match.end():match.end() + 1] in ("*", "<", "."):
        return None
    name = match.group().lstrip("-")
    return None if name in words else match.group()


ORDER = re.compile(r"\b(?:behind|in front of)\b", re.IGNORECASE)
# Pages made from the code quote its texts, the change log quotes the past.
QUOTES = ("docs/generated/", "docs/Diagnostics.md", "CHANGELOG.md")
# In code "behind" also means what a name stands for: the buffer behind a tile.
IN_FRONT = re.compile(r"\bin front of\b", re.IGNORECASE)
COMMENTED = "*.c", "*.h", "*.cpp", "*.td"


def main():
    options = project.parser(__doc__).parse_args()
    violations = []
    names = project.listed(options.root)
    words = code_words(options, names)
    for name in project.select(options, "*.md"):
        for number, line, spans in prose(project.read(options, name)):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue  # another site
                text = problem(options, name, target)
                if text:
                    violations.append("%s:%d: %s" % (name, number, text))
            if not name.startswith(QUOTES):
                for word in ORDER.findall(line):
                    violations.append('%s:%d: "%s": say before or after' % (
                        name, number, word))
            if name == "CHANGELOG.md":
                continue  # speaks of the past, too
            for span in spans:
                if unknown_file(span, names):
                    violations.append("%s:%d: no such file: `%s`" % (
                        name, number, span))
                unknown = unknown_name(span, words)
                if unknown:
                    violations.append("%s:%d: no such name: `%s`" % (
                        name, number, unknown))
    for name in project.select(options, *COMMENTED):
        lines = project.read(options, name).splitlines()
        violations += ['%s:%d: "in front of": say before' % (name, number)
                       for number, line in enumerate(lines, 1)
                       if IN_FRONT.search(line)]
    return project.report(violations, "links lead somewhere")


if __name__ == "__main__":
    sys.exit(main())
