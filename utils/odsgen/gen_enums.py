"""C enumerations of ODS enums, and their dialect attributes."""

from __future__ import annotations

from collections.abc import Iterable

from ods_model import Enumeration, Op
from ods_writer import c_string, function


def used_enums(ops: Iterable[Op]) -> list[Enumeration]:
    """The enumerations of the attributes of some ops, in order of first use.

    An enumeration may be used both as integer and as dialect attribute; then
    the second form is listed, which includes the first.
    """
    found: dict[str, Enumeration] = {}
    for op in ops:
        for attribute in op.attributes:
            enum = attribute.enumeration
            if enum is None:
                continue
            seen = found.get(enum.c_type)
            if seen is None or seen.attr_prefix is None:
                found[enum.c_type] = enum
    return list(found.values())


def enum_lines(enum: Enumeration) -> list[str]:
    """The type, its table of cases, and the attribute conversions.

    Headers of several dialects may hold the same enumeration, hence the guards.
    """
    guard = f"TILE_OPS_ENUM_{enum.c_prefix}"
    lines = ["", f"#ifndef {guard}", f"#define {guard}", "typedef enum {"]
    lines += [f"  {enum.c_prefix}_{c.symbol} = {c.value}," for c in enum.cases]
    lines += [f"}} {enum.c_type};"]
    lines += [f"static const TileEnumCase {enum.c_type}_cases[] = {{"]
    lines += [f"    {{{c.value}, {c_string(c.text)}}}," for c in enum.cases]
    lines += ["};", f"#endif // {guard}"]
    if enum.attr_prefix is not None:
        lines += _conversion_lines(enum, enum.attr_prefix)
    return lines


def _conversion_lines(enum: Enumeration, attr_prefix: str) -> list[str]:
    table = f"{enum.c_type}_cases, {len(enum.cases)}"
    separator = c_string(enum.separator)
    # c_string() would strip the final space of a prefix like "#gpu<dim ".
    prefix = f'"{attr_prefix}"'
    guard = f"TILE_OPS_ENUM_ATTR_{enum.c_prefix}"
    lines = [f"#ifndef {guard}", f"#define {guard}"]
    lines += function(
        "MlirAttribute",
        f"{enum.c_type}_attr(MlirContext context, {enum.c_type} value)",
        [f"return tile_ods_enum_attr(context, {prefix}, {table}, value, {separator});"],
    )
    lines += function(
        enum.c_type,
        f"{enum.c_type}_from_attr(MlirAttribute attribute)",
        [
            f"return ({enum.c_type})tile_ods_enum_value("
            f"attribute, {len(attr_prefix)}, {table}, {separator});"
        ],
    )
    return [*lines, f"#endif // {guard}"]
