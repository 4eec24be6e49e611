#!/usr/bin/env python3
"""Checks that data flows one way: a C file includes headers of its own layer
and of lower layers only. Also: parts that are plain C never include MLIR, and
file names are unique in a library (a folder of lib).

Which file is in which layer, and their order, stands in layers.py. Headers may
be named by every layer that may see theirs. A type name is defined once in the
tree."""

import collections
import os
import re
import sys

import layers
import project

# What the generator writes: bindings know ops, TilePasses.h declares passes.
GENERATED = {"TileHooks.h": "Dialect", "TileAttrsCAPI.h": "Support",
             "TilePasses.h": "Transforms", "TileSchedules.h": "Transforms",
             "Tile/Ops/tile.h": "Dialect"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def resolve(header, includer, names):
    """The file of the tree that `header` means, or None."""
    for folder in (os.path.dirname(includer), "include", "lib"):
        candidate = os.path.normpath(os.path.join(folder, header))
        if candidate in names:
            return candidate
    return None


def check_include(name, layer, quote, header, names):
    """Returns what is wrong with one #include, or None."""
    if header.startswith(("mlir", "llvm")):
        return layer in layers.PLAIN_C and "%s is plain C, without MLIR" % layer
    if header in GENERATED:
        other = GENERATED[header]
    elif header.startswith("Tile/Ops/"):
        other = "Support"  # bindings of upstream dialects
    elif quote == "<" or header.endswith(".inc"):
        return None
    else:
        file = resolve(header, name, names)
        if file is None:
            return 'no such header in the tree: "%s"' % header
        other = layers.layer_of(file)
    # The order of rooms within a layer is one of symbols: check-shape.py.
    is_same = other and other.split("/")[0] == layer.split("/")[0]
    if not is_same and other not in layers.MAY_SEE[layer]:
        return "%s (layer %s) may not include %s (layer %s)" % (
            name, layer, header, other)
    if layer in layers.PLAIN_C and header.startswith("Tile/Ops/"):
        return "%s is plain C, without MLIR" % layer
    return None


def duplicates(names):
    by_base = collections.defaultdict(list)
    for name in names:
        match = re.match(r"(lib/[^/]+|include|tools|test/Unit|bench|fuzz)/"
                         r".*\.([ch]|cpp)$", name)
        if match:
            by_base[match.group(1), os.path.basename(name)].append(name)
    for files in by_base.values():
        for name in files[1:]:
            yield "%s:1: the name is taken by %s" % (name, files[0])


TYPE = re.compile(r"^(?:\}|typedef .*?[\w*])\s+(\w+)(?:\[\w*\])?;")
OPEN = re.compile(r"^typedef (?:struct|enum|union) (\w+) \1;")


def defined_types(text):
    """Yields (line, name) of each type that the text defines; a line
    `typedef struct X X;` only declares one."""
    for number, line in enumerate(text.split("\n"), 1):
        match = TYPE.match(line)
        body = re.match(r"^(?:struct|enum|union) (\w+) \{", line)
        if body:
            yield number, body.group(1)
        elif match and not OPEN.match(line):
            yield number, match.group(1)


def twice_defined(options, names):
    """A name that a header defines, or that begins as those of the tree do,
    means one thing; other names belong to their file."""
    by_name = collections.defaultdict(list)
    for name in names:
        if re.match(r"(lib|include|tools)/.*\.([ch]|cpp)$", name):
            for number, kind in defined_types(project.read(options, name)):
                if name.endswith(".h") or re.match("Tile[A-Z]", kind):
                    by_name[kind].append("%s:%d" % (name, number))
    for kind, places in sorted(by_name.items()):
        files = {place.split(":")[0] for place in places}
        if len(files) > 1:
            yield "%s: the type %s is defined at %s, too" % (
                places[1], kind, places[0])


def main():
    options = project.parser(__doc__).parse_args()
    names = set(project.listed(options.root))
    violations = []
    for name in project.select(options, "lib/*.[ch]", "lib/*.cpp",
                               "include/*.h", "tools/*.[ch]"):
        layer = layers.layer_of(name)
        if layer is None:
            violations.append("%s:1: belongs to no layer" % name)
            continue
        for number, line in enumerate(project.read(options, name).split("\n"),
                                      1):
            match = INCLUDE.match(line)
            problem = match and check_include(name, layer, match.group(1),
                                              match.group(2), names)
            if problem:
                violations.append("%s:%d: %s" % (name, number, problem))
    violations += sorted(duplicates(sorted(names)))
    violations += twice_defined(options, sorted(names))
    return project.report(violations, "layers (ARCHITECTURE.md, Layers)")


if __name__ == "__main__":
    sys.exit(main())
