#!/usr/bin/env python3
"""Checks that the examples of the ops in include/Tile/Dialect/*.td are in the
tests: every op has an example, and each line of it stands, as it is, in a file of
test/Dialect/Tile that must parse. `…` ends a line early."""

import re
import sys

import project

OPS = "include/Tile/Dialect/*.td"
# An op, or a class of ops: the examples of the class are those of each op that
# has none of its own. The class ends its text where the mnemonic begins.
SECTION = re.compile(r"^(?:class (\w+)<|def \w+Op : (\w+)<\"(\w+)\")",
                     re.MULTILINE)
MNEMONIC = "}] # mnemonic # [{"
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


def violations_of(name, text, tested):
    found = list(SECTION.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    of_classes = {}
    for match, end in zip(found, ends):
        class_name, base, op = match.groups()
        examples = "".join(EXAMPLE.findall(text[match.start():end]))
        if class_name:
            of_classes[class_name] = examples
            continue
        number = text.count("\n", 0, match.start()) + 1
        examples = examples or of_classes.get(base, "").replace(MNEMONIC, op)
        if not examples:
            yield "%s:%d: tile.%s has no example" % (name, number, op)
        for line in examples.splitlines():
            if line.strip() and not is_tested(line.strip(), tested):
                yield "%s:%d: no test has the example of tile.%s: %s" % (
                    name, number, op, line.strip())


def main():
    options = project.parser(__doc__).parse_args()
    options.files = []  # an example and its test are in different files
    tested = tested_lines(options)
    violations = []
    for name in project.select(options, OPS):
        violations += violations_of(name, project.read(options, name), tested)
    return project.report(violations, "the examples of the ops parse")


if __name__ == "__main__":
    sys.exit(main())
