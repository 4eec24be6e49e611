#!/usr/bin/env python3
"""Checks the first line of C, C++ and .td files:
`//===- Name.c - What it is ---===//`, 80 columns, with the file's own name.
-f repairs the rule of dashes, also one that clang-format has wrapped."""

import os
import re
import sys

import project

WIDTH = 80
BANNER = re.compile(r"//===- ([\w.-]+) - (.*?) ?-*(?:\*- C -\*)?-*===//$")
WRAPPED = re.compile(r"(//===- [^\n]*?) *-*\n//-+===//\n")


def banner(name, text):
    head = "//===- %s - %s " % (name, text)
    return head + "-" * (WIDTH - len(head) - len("===//")) + "===//"


def problem(name, text):
    """What is wrong with the first line, or None."""
    first = text.partition("\n")[0]
    match = BANNER.match(first)
    if not match:
        return "expects //===- %s - what it is ---===//" % os.path.basename(name)
    if match.group(1) != os.path.basename(name):
        return "the banner names %s" % match.group(1)
    if len(first) != WIDTH:
        return "the banner has %d columns, not %d" % (len(first), WIDTH)
    return None


def repaired(name, text):
    text = WRAPPED.sub(r"\1 ===//\n", text, count=1)
    first, newline, rest = text.partition("\n")
    match = BANNER.match(first)
    if not match:
        return text
    line = banner(os.path.basename(name), match.group(2).strip())
    return line + newline + rest if len(line) == WIDTH else text


def main():
    parser = project.parser(__doc__)
    parser.add_argument("-f", "--fix", action="store_true")
    options = parser.parse_args()
    violations = []
    for name in project.select(options, "*.c", "*.h", "*.cpp", "*.td"):
        text = project.read(options, name)
        what = problem(name, text)
        if what and options.fix:
            text = repaired(name, text)
            with open(os.path.join(options.root, name), "w",
                      encoding="utf-8") as file:
                file.write(text)
            what = problem(name, text)
        if what:
            violations.append("%s:1: %s" % (name, what))
    return project.report(violations, "files start with a banner")


if __name__ == "__main__":
    sys.exit(main())
