"""The order of layers: which part of the tree a file belongs to, and what that
part may see. check-layers.py reads it for includes, check-shape.py for symbols,
draw-layers.py for the table and the picture of ARCHITECTURE.md."""

import re

# (pattern of files, layer); the first match decides.
FILES = [
    # What MLIR's C API lacks is as low as that API itself.
    (r"lib/Bridge/(MlirExtra|TypeBridge|PassBridge)\.cpp$", "Support"),
    (r"lib/Bridge/Plugin\.cpp$", "Plugin"),
    (r"include/Tile/(Support/|Diagnostic\.h)|lib/Support/", "Support"),
    (r"lib/Layout/", "Layout"),
    (r"lib/Proof/", "Proof"),
    (r"lib/Target/(Tile)?Target\.[ch]$", "Dialect"),
    (r"include/Tile/Dialect/|lib/Dialect/", "Dialect"),
    (r"lib/Analysis/Cost/", "Analysis/Cost"),
    (r"lib/Analysis/Index/", "Analysis/Index"),
    (r"lib/Analysis/Memory/", "Analysis/Memory"),
    (r"lib/Analysis/Instructions/", "Analysis/Instructions"),
    (r"lib/Analysis/Loops/", "Analysis/Loops"),
    (r"lib/Analysis/Sync/", "Analysis/Sync"),
    (r"lib/Analysis/", "Analysis"),
    (r"lib/Transforms/", "Transforms"),
    (r"lib/Conversion/ToNVGPU/", "Conversion/ToNVGPU"),
    (r"lib/Conversion/ToThreads/", "Conversion/ToThreads"),
    (r"lib/Conversion/ToNVVM/", "Conversion/ToNVVM"),
    (r"lib/Conversion/", "Conversion"),
    (r"lib/Target/", "Target"),
    (r"include/Tile/(Compiler|Mlir)\.h|lib/Pipeline/", "Pipeline"),
    (r"lib/Api/", "Api"),
    (r"include/Tile/Tune\.h|lib/Tune/", "Tune"),
    (r"include/Tile/Emulator\.h|lib/Emulator/", "Emulator"),
    (r"include/Tile/Run\.h|lib/Launcher/", "Launcher"),
    (r"lib/CudaShim/", "CudaShim"),
    (r"lib/Bridge/", "Bridge"),
    (r"tools/|include/Tile/Tile\.h", "tools"),
]

# From the lowest up: a layer sees itself and those on lines before its own.
COMPILER = [
    ["Support"],
    ["Layout"],
    ["Proof"],
    ["Dialect"],
    ["Analysis/Cost"],
    ["Analysis/Index"],
    ["Analysis/Memory"],
    ["Analysis/Instructions"],
    ["Analysis/Loops"],
    ["Analysis/Sync"],
    ["Analysis"],
    ["Transforms"],
    ["Conversion"],
    ["Conversion/ToNVGPU", "Conversion/ToThreads", "Conversion/ToNVVM"],
    ["Target"],
    ["Bridge"],
    ["Pipeline"],
    ["Api"],
    ["Tune"],
    ["Plugin"],
]
# Beside the compiler.
OTHERS = {
    "Emulator": {"Support"},
    "Launcher": {"Support", "Emulator"},
    "CudaShim": {"Support", "Emulator"},
}
PLAIN_C = {"Layout", "Proof", "Emulator", "Launcher", "CudaShim"}


def what_each_may_see():
    result, below = {}, set()
    for line in COMPILER:
        for name in line:
            result[name] = below | {name}
        below |= set(line)
    for name, seen in OTHERS.items():
        result[name] = seen | {name}
    result["tools"] = below | set(OTHERS) | {"tools"}
    return result


MAY_SEE = what_each_may_see()


def layer_of(name):
    for pattern, layer in FILES:
        if re.match(pattern, name):
            return layer
    return None
