#!/usr/bin/env python3
"""Checks that data flows one way: a C file includes headers of its own layer
and of lower layers only. Also: parts that are plain C never include MLIR, and
file names are unique in a library (a folder of lib).

Layers: 0 Support and the layout algebra, 1 Dialect and the chip table,
2 Analysis, 3 Transforms, 4 Conversion, 5 Target, 6 Pipeline, 7 Bridge.
Emulator, Launcher and the CUDA libraries on top of the emulator (CudaShim)
stand beside them; tools see every public header."""

import collections
import os
import re
import sys

import project

# The first match decides the layer of a file.
LAYERS = [
    (r"include/Tile/Support/|lib/Support/", "Support"),
    (r"lib/Layout/", "Layout"),
    (r"include/Tile/Protocol\.h|lib/Analysis/Protocol(?!Extract|Scalars|Contents|Cells|Barriers|Elements|Switch)", "Protocol"),
    (r"lib/Target/(Tile)?Target\.[ch]$", "Dialect"),
    (r"include/Tile/Dialect/|lib/Dialect/", "Dialect"),
    (r"lib/Analysis/", "Analysis"),
    (r"lib/Transforms/", "Transforms"),
    (r"lib/Conversion/", "Conversion"),
    (r"include/Tile/Ptxas\.h|lib/Target/", "Target"),
    (r"include/Tile/(Pipeline|Compile)\.h|lib/Pipeline/", "Pipeline"),
    (r"include/Tile/Emulator\.h|lib/Emulator/", "Emulator"),
    (r"include/Tile/Launcher\.h|lib/Launcher/", "Launcher"),
    (r"lib/CudaShim/", "CudaShim"),
    (r"lib/Bridge/", "Bridge"),
    (r"tools/", "tools"),
]
# What the generator writes: bindings know ops, TilePasses.h declares passes.
GENERATED = {"TileHooks.h": "Dialect", "TileAttrsCAPI.h": "Dialect",
             "TilePasses.h": "Transforms", "Tile/Ops/tile.h": "Dialect"}
ORDER = ["Support", "Layout", "Protocol", "Dialect", "Analysis", "Transforms",
         "Conversion", "Target", "Pipeline", "Bridge"]
MAY_SEE = {name: set(ORDER[:i + 1]) for i, name in enumerate(ORDER)}
MAY_SEE["Emulator"] = {"Support", "Emulator"}
MAY_SEE["Launcher"] = {"Support", "Emulator", "Launcher"}
MAY_SEE["CudaShim"] = {"Support", "Emulator", "CudaShim"}
MAY_SEE["tools"] = set(ORDER[:-1]) | {"Emulator", "Launcher", "CudaShim",
                                      "tools"}
PLAIN_C = {"Layout", "Protocol", "Emulator", "Launcher", "CudaShim"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def layer_of(name):
    for pattern, layer in LAYERS:
        if re.match(pattern, name):
            return layer
    return None


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
        return layer in PLAIN_C and "%s is plain C, without MLIR" % layer
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
        other = layer_of(file)
    if other not in MAY_SEE[layer]:
        return "%s (layer %s) may not include %s (layer %s)" % (
            name, layer, header, other)
    if layer in PLAIN_C and header.startswith("Tile/Ops/"):
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


def main():
    options = project.parser(__doc__).parse_args()
    names = set(project.listed(options.root))
    violations = []
    for name in project.select(options, "lib/*.[ch]", "lib/*.cpp",
                               "include/*.h", "tools/*.[ch]"):
        layer = layer_of(name)
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
    return project.report(violations, "layers (ARCHITECTURE.md, Layers)")


if __name__ == "__main__":
    sys.exit(main())
