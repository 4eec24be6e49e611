"""Tile/Ops/<dialect>.h: typed C bindings of the ops of one dialect."""

from __future__ import annotations

from gen_accessors import accessor_lines
from gen_builders import builder_lines
from gen_enums import enum_lines, used_enums
from ods_inference import infers_result_types
from ods_model import read_ops
from ods_records import Records
from ods_writer import c_string, header, section


def ops_header(records: Records, dialect: str) -> str:
    """The whole header."""
    ops = read_ops(records, dialect)
    body: list[str] = []
    enums = used_enums(ops)
    if enums:
        body += section("Enumerations")[:-1]
    for enum in enums:
        body += enum_lines(enum)
    body += section("Ops")[:-1]
    for op in ops:
        body += accessor_lines(op)
        body += builder_lines(op, infers_result_types(records, op))
    return header(
        f"Tile/Ops/{dialect}.h",
        f"Bindings of the {dialect} dialect",
        f"the ODS definitions of {dialect}",
        ["Support/Build.h"],
        body,
    )


def inference_table(records: Records, dialect: str) -> str:
    """One initialiser a line: op name, whether its builder infers types."""
    return "".join(
        f"{{{c_string(op.name)}, "
        f"{'true' if infers_result_types(records, op) else 'false'}}},\n"
        for op in read_ops(records, dialect)
    )
