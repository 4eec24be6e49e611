"""TileAttrsCAPI: C functions for our attributes and types.

The header is C; the .cpp.inc is compiled into the bridge.
"""

from __future__ import annotations

from dataclasses import dataclass

import ods_naming
from ods_records import Record, Records, is_a
from ods_writer import banner, header, wrap

_SOURCE = "the ODS definitions of tile"
_DIALECT = "tile"


@dataclass(frozen=True)
class _Passing:
    """How a C++ parameter type crosses to C and back."""

    c_type: str
    unwrap: str
    wrap: str


_PASSING = {
    "int64_t": _Passing("int64_t", "{}", "{}"),
    "bool": _Passing("bool", "{}", "{}"),
    "::mlir::Type": _Passing("MlirType", "unwrap({})", "wrap({})"),
    "::mlir::Attribute": _Passing("MlirAttribute", "unwrap({})", "wrap({})"),
    "::mlir::AffineMapAttr": _Passing(
        "MlirAttribute",
        "::llvm::cast_if_present<::mlir::AffineMapAttr>(unwrap({}))",
        "wrap(::mlir::Attribute({}))",
    ),
    "::llvm::StringRef": _Passing("MlirStringRef", "unwrap({})", "wrap({})"),
    "::llvm::ArrayRef<int64_t>": _Passing(
        "TileI64s", "::llvm::ArrayRef<int64_t>({0}.p, {0}.n)", "toI64s({})"
    ),
}


@dataclass(frozen=True)
class _Form:
    """What differs between attributes and types."""

    ods_class: str
    suffix: str
    c_type: str
    cpp_base: str


_FORMS = (
    _Form("AttrDef", "attr", "MlirAttribute", "::mlir::Attribute"),
    _Form("TypeDef", "type", "MlirType", "::mlir::Type"),
)


def attrs_files(records: Records, base_name: str) -> tuple[str, str]:
    """Text of the header and of the C++ definitions."""
    declarations: list[str] = []
    definitions = banner(f"{base_name}.cpp.inc", "Definitions", _SOURCE)
    for form in _FORMS:
        for record in records.instances(form.ods_class):
            if _is_ours(records, record):
                _add(records, record, form, declarations, definitions)
    text = header(
        f"{base_name}.h",
        "Attributes and types of the tile dialect",
        _SOURCE,
        ["Support/Lists.h"],
        declarations,
        extern_c=True,
    )
    return text, "\n".join(definitions) + "\n"


def _is_ours(records: Records, record: Record) -> bool:
    dialect = records.resolve(record["dialect"])["name"]
    return bool(dialect == _DIALECT) and not is_a(record, "EnumAttr")


def _add(
    records: Records,
    record: Record,
    form: _Form,
    declarations: list[str],
    definitions: list[str],
) -> None:
    mnemonic = ods_naming.snake_case(record["mnemonic"])
    name = f"{_DIALECT}_{mnemonic}_{form.suffix}"
    cpp = f"::{_DIALECT}::{record['cppClassName']}"
    parameters = _parameters(records, record)
    declarations += ["", f"// {record['summary'] or name}"]
    definitions += [""]

    def function(result: str, declarator: str, value: str) -> None:
        declarations.extend(wrap(f"MLIR_CAPI_EXPORTED {result} {declarator};", ""))
        definitions.extend(wrap(f"{result} {declarator} {{", ""))
        definitions.extend([*wrap(f"return {value};", "  "), "}"])

    function(
        "bool",
        f"{name}_is({form.c_type} a)",
        f"::llvm::isa_and_present<{cpp}>(unwrap(a))",
    )
    c_parameters = [f"{passing.c_type} {p}" for p, passing in parameters]
    arguments = ["unwrap(ctx)"]
    arguments += [passing.unwrap.format(p) for p, passing in parameters]
    function(
        form.c_type,
        f"{name}({', '.join(['MlirContext ctx', *c_parameters])})",
        f"wrap({form.cpp_base}({cpp}::get({', '.join(arguments)})))",
    )
    for parameter, passing in parameters:
        getter = f"get{ods_naming.capitalized(parameter)}"
        value = f"::llvm::cast<{cpp}>(unwrap(a)).{getter}()"
        function(
            passing.c_type,
            f"{name}_{parameter}({form.c_type} a)",
            passing.wrap.format(value),
        )


def _parameters(records: Records, record: Record) -> list[tuple[str, _Passing]]:
    """Name and passing of each parameter; a C++ type stands there as text or
    as a def that has it.
    """
    found = []
    for value, name in record["parameters"]["args"]:
        cpp_type = (
            value if isinstance(value, str) else records.resolve(value)["cppType"]
        )
        found.append((name, _PASSING[cpp_type]))
    return found
