#!/usr/bin/env python3
"""Checks sizes: a file has at most 900 lines, a C function at most 60, a folder
of lib, include or tools at most 35 files, and C++ stands in lib/Bridge only,
with at most 600 lines of code together, comments and blank lines aside."""

import collections
import os
import re
import sys

import project

MAX_FILE_LINES = 900
MAX_FUNCTION_LINES = 60
MAX_CPP_LINES = 600
MAX_FOLDER_FILES = 35
# Folders that still have more; the numbers only shrink.
CROWDED = {}
CPP = (".cpp", ".cc", ".cxx", ".hpp", ".C")


def functions(text):
    """Yields (name, first line, number of lines) of each function definition.

    In our format a definition starts at column 0 and its body ends with a
    brace at column 0, so this needs no parser.
    """
    header, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("}"):
            match = re.search(r"(\w+)\s*\([^{}]*\)\s*\{$", header)
            if match and "=" not in header.split("(")[0]:
                name = re.search(r"(\w+)\s*\(", header).group(1)
                yield name, start, number - start + 1
            header = ""
        elif not header.endswith("{"):
            if not line.strip() or line.startswith(("#", "//", "/*", " *")):
                header = "" if not line.strip() else header
                continue
            if not header:
                start = number
            header = (header + " " + line.strip()).strip()
            if header.endswith(";"):
                header = ""


def code_lines(text):
    """Lines that hold more than comments."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return sum(1 for line in text.splitlines()
               if line.strip() and not line.strip().startswith("//"))


def crowded(options):
    """Yields what is wrong with the number of files of each folder."""
    counts = collections.Counter(
        os.path.dirname(name) for name in project.listed(options.root)
        if name.startswith(("lib/", "include/", "tools/")))
    for folder, count in sorted(counts.items()):
        most = CROWDED.get(folder, MAX_FOLDER_FILES)
        if count > most:
            yield "%s:1: %d files, at most %d" % (folder, count, most)
        elif folder in CROWDED and count <= MAX_FOLDER_FILES:
            yield "%s:1: %d files: CROWDED need not name it" % (folder, count)


def main():
    options = project.parser(__doc__).parse_args()
    violations = []
    cpp_lines = 0
    for name in project.select(options, "*.c", "*.h", "*.py",
                               *("*" + suffix for suffix in CPP)):
        text = project.read(options, name)
        num_lines = text.count("\n")
        if num_lines > MAX_FILE_LINES:
            violations.append("%s:1: %d lines, at most %d" %
                              (name, num_lines, MAX_FILE_LINES))
        if name.endswith((".c", ".h") + CPP):
            for function, line, count in functions(text):
                if count > MAX_FUNCTION_LINES:
                    violations.append("%s:%d: %s has %d lines, at most %d" % (
                        name, line, function, count, MAX_FUNCTION_LINES))
        if name.startswith("lib/Bridge/"):
            cpp_lines += code_lines(text)
        elif name.endswith(CPP):
            violations.append("%s:1: C++ outside lib/Bridge" % name)
    if cpp_lines > MAX_CPP_LINES:
        violations.append("lib/Bridge:1: %d lines of C++ code, at most %d" %
                          (cpp_lines, MAX_CPP_LINES))
    violations += crowded(options)
    return project.report(violations, "sizes (CONTRIBUTING.md, Size and shape)")


if __name__ == "__main__":
    sys.exit(main())
