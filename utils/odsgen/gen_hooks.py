"""TileHooks.h: prototypes of the C functions that the dialect's ODS calls."""

from __future__ import annotations

from ods_records import Record, Records
from ods_writer import header

# Field of Tile_Op -> (suffix, result, parameters) of the hook it asks for.
_HOOKS = {
    "hasVerifier": ("verify", "MlirLogicalResult", "MlirOperation op"),
    "hasRegionVerifier": (
        "verify_regions",
        "MlirLogicalResult",
        "MlirOperation op",
    ),
    "hasFolder": (
        "fold",
        "TileFold",
        "MlirOperation op, intptr_t n, const MlirAttribute *operands",
    ),
    "hasCanonicalizer": (
        "canonicalize",
        "void",
        "MlirContext ctx, MlirRewritePatternSet patterns",
    ),
    "cEffects": ("effects", "void", "MlirOperation op, TileEffects effects"),
    "cInfer": (
        "infer",
        "MlirLogicalResult",
        "const TileInferInput *input, MlirType *out_type",
    ),
}


def hooks_header(records: Records) -> str:
    """The whole header; an op asks for a hook by a bit in its ODS."""
    body: list[str] = []
    for op in records.instances("Op"):
        if op.get("cName"):
            body += _prototypes(op)
    return header(
        "TileHooks.h",
        "Hooks of the tile ops",
        "the ODS definitions of tile",
        ["Support/Hooks.h"],
        body,
        extern_c=True,
    )


def _prototypes(op: Record) -> list[str]:
    lines = [
        f"{result} {op['cName']}_{suffix}({parameters});"
        for field, (suffix, result, parameters) in _HOOKS.items()
        if op[field]
    ]
    return ["", f"// tile.{op['opName']}", *lines] if lines else []
