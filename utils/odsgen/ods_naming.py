"""Spelling of C identifiers made from ODS names."""

from __future__ import annotations

import re

_C_KEYWORDS = frozenset(
    """
    asm auto bool break case char const continue default do double else enum
    extern false float for goto if inline int long op register restrict return
    short signed sizeof static struct switch true typedef union unsigned void
    volatile while
    """.split()
)

# ODS prefixes whose C spelling differs from the ODS one.
_CLASS_PREFIXES = {"SCF": "Scf"}


def flat(name: str) -> str:
    """Replaces every character that C does not allow by an underscore."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


def identifier(name: str) -> str:
    """A C identifier for an ODS name; keywords (and `op`) get an underscore."""
    spelled = flat(name)
    return spelled + "_" if spelled in _C_KEYWORDS else spelled


def snake_case(name: str) -> str:
    """numTiles -> num_tiles, ConvertTileToNVGPU -> convert_tile_to_nvgpu."""
    spelled = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", flat(name))
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", spelled).lower()


def capitalized(name: str) -> str:
    """Upper-cases the first letter and keeps the others."""
    return name[:1].upper() + name[1:]


def handle_type(def_name: str, dialect_def_name: str) -> str:
    """The handle type of an op: Tile_CopyOp -> TileCopyOp.

    A def without a prefix takes the one of its dialect's def.
    """
    prefix, _, cls = def_name.partition("_")
    if not cls:
        prefix, cls = dialect_def_name.split("_", maxsplit=1)[0], def_name
    return _CLASS_PREFIXES.get(prefix, prefix) + cls


def enum_names(cpp_namespace: str, class_name: str) -> tuple[str, str]:
    """Type name and enumerator prefix: ("TileRaster", "TILE_RASTER")."""
    namespace = cpp_namespace.rsplit("::", maxsplit=1)[-1]
    if namespace == "mlir":
        namespace = "Mlir"
    prefix = (namespace + "_" if namespace else "").upper()
    return (
        capitalized(namespace) + class_name,
        prefix + snake_case(class_name).upper(),
    )
