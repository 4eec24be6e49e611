#!/usr/bin/env python3
"""Checks that relative links in Markdown files lead to a file, and that their
#anchors name a heading of it."""

import os
import re
import sys

import project

LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")


def prose(text):
    """Lines outside code blocks, inline code blanked."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            yield number, re.sub(r"`[^`]*`", "``", line)


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


def main():
    options = project.parser(__doc__).parse_args()
    violations = []
    for name in project.select(options, "*.md"):
        for number, line in prose(project.read(options, name)):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue  # another site
                text = problem(options, name, target)
                if text:
                    violations.append("%s:%d: %s" % (name, number, text))
    return project.report(violations, "links lead somewhere")


if __name__ == "__main__":
    sys.exit(main())
