#!/usr/bin/env python3
"""Checks that the examples of the ops in include/Tile/Dialect/TileOps.td are in
the tests: every op has an example, and each line of it stands, as it is, in a
file of test/Dialect/Tile that must parse. `…` ends a line early."""

import re
import sys

import project

OPS = "include/Tile/Dialect/TileOps.td"
DEFINITION = re.compile(r"^def (\w+) : \w+<\"(\w+)\"", re.MULTILINE)
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)


def tested_lines(options):
    """Stripped lines of the tests, but for those that expect errors."""
    lines = set()
    for name in project.select(options, "test/Dialect/Tile/*.mlir"):
        if not name.endswith("-invalid.mlir"):
            lines.update(line.strip() for line in
                         project.read(options, name).splitlines())
    return lines


def is_tested(line, tested):
    if line.endswith("…"):
        start = line[:-1].rstrip()
        return any(t.startswith(start) for t in tested)
    return line in tested


def main():
    options = project.parser(__doc__).parse_args()
    options.files = []  # an example and its test are in different files
    text = project.read(options, OPS)
    tested = tested_lines(options)
    starts = [match.start() for match in DEFINITION.finditer(text)]
    violations = []
    for start, end in zip(starts, starts[1:] + [len(text)]):
        op = DEFINITION.match(text, start).group(2)
        number = text.count("\n", 0, start) + 1
        examples = EXAMPLE.findall(text[start:end])
        if not examples:
            violations.append("%s:%d: tile.%s has no example" %
                              (OPS, number, op))
        for line in "".join(examples).splitlines():
            if line.strip() and not is_tested(line.strip(), tested):
                violations.append("%s:%d: no test has the example of tile.%s: "
                                  "%s" % (OPS, number, op, line.strip()))
    return project.report(violations, "the examples of the ops parse")


if __name__ == "__main__":
    sys.exit(main())
