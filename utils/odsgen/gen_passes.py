"""TilePasses: option structs, descriptors and registration of our passes."""

from __future__ import annotations

from dataclasses import dataclass

import ods_naming
from ods_records import Record, Records, is_a
from ods_writer import banner, c_string, doc, header, struct, wrap

_SOURCE = "Passes.td"

# C++ type of an option -> (C type, enumerator of TilePassOptionKind).
_OPTION_TYPES = {
    "int64_t": ("int64_t", "TILE_PASS_OPTION_INT"),
    "bool": ("bool", "TILE_PASS_OPTION_BOOL"),
    "std::string": ("const char *", "TILE_PASS_OPTION_STRING"),
}
_LIST_TYPE = ("TilePassIntList", "TILE_PASS_OPTION_INT_LIST")


@dataclass(frozen=True)
class _Option:
    argument: str
    field: str
    c_type: str
    kind: str
    help: str
    initial: str


@dataclass(frozen=True)
class _Pass:
    name: str
    argument: str
    summary: str
    c_name: str  # tile_convert_to_nvvm
    c_type: str  # TileConvertToNVVM
    options: tuple[_Option, ...]
    dialects: tuple[str, ...]


def passes_files(records: Records, base_name: str) -> tuple[str, str]:
    """Text of the header and of the C file."""
    passes = [_read(records, r) for r in records.instances("PassBase")]
    declarations: list[str] = []
    for p in passes:
        declarations += _declarations(p)
    declarations += [
        "",
        "/// Registers every pass above with MLIR's global registry.",
        "void tile_register_passes(void);",
    ]
    text = header(
        f"{base_name}.h",
        "Options and entry points of our passes",
        _SOURCE,
        ["Support/PassSupport.h"],
        declarations,
        extern_c=True,
    )
    definitions = banner(f"{base_name}.c", "Pass descriptors", _SOURCE)
    definitions += ["", f'#include "{base_name}.h"', ""]
    definitions += [
        f"MlirDialectHandle mlirGetDialectHandle__{dialect}__(void);"
        for dialect in sorted({d for p in passes for d in p.dialects})
    ]
    for p in passes:
        definitions += _definitions(p)
    definitions += ["", "void tile_register_passes(void) {"]
    definitions += [f"  tile_register_pass(&{p.c_name}_desc);" for p in passes]
    return text, "\n".join([*definitions, "}"]) + "\n"


def _read(records: Records, record: Record) -> _Pass:
    name = record["!name"]
    if record["baseClass"] != "::mlir::OperationPass<>":
        raise ValueError(f"{name}: passes run on any op, give no anchor")
    # The dialect's name stands first in every C name, so it is not repeated.
    stem = ods_naming.snake_case(name).replace("convert_tile", "convert")
    return _Pass(
        name=name,
        argument=record["argument"],
        summary=record["summary"],
        c_name=f"tile_{stem}",
        c_type="Tile" + name.replace("ConvertTile", "Convert"),
        options=tuple(_read_option(records.resolve(o)) for o in record["options"]),
        dialects=tuple(record["dependentDialects"]),
    )


def _read_option(record: Record) -> _Option:
    is_list = is_a(record, "ListOption")
    c_type, kind = _LIST_TYPE if is_list else _OPTION_TYPES[record["type"]]
    return _Option(
        argument=record["argument"],
        field=ods_naming.snake_case(record["cppName"]),
        c_type=c_type,
        kind=kind,
        help=record["description"],
        initial=(record["defaultValue"] or "").strip('"'),
    )


def _declarations(p: _Pass) -> list[str]:
    members = []
    for option in p.options:
        space = "" if option.c_type.endswith("*") else " "
        members.append(f"{option.c_type}{space}{option.field}")
    options = f"{p.c_type}Options"
    lines = ["", *doc(f"--{p.argument}: {p.summary}")]
    lines += struct(options, members or ["char none"])
    lines += wrap(
        f"MlirLogicalResult {p.c_name}_run(MlirOperation op, "
        f"const {options} *options);",
        "",
    )
    return [*lines, f"extern const TilePassDesc {p.c_name}_desc;"]


def _definitions(p: _Pass) -> list[str]:
    lines: list[str] = []
    if p.options:
        lines += ["", f"static const TilePassOption {p.c_name}_options[] = {{"]
        for option in p.options:
            lines += _option_initialiser(p, option)
        lines += ["};"]
    if p.dialects:
        lines += [
            "",
            f"static MlirDialectHandle (*const {p.c_name}_dialects[])(void) = {{",
        ]
        lines += [f"    mlirGetDialectHandle__{d}__," for d in p.dialects]
        lines += ["};"]
    lines += [
        "",
        f"static MlirLogicalResult {p.c_name}_thunk(MlirOperation op,",
        "    const void *options) {",
        f"  return {p.c_name}_run(op, options);",
        "}",
    ]
    return lines + _descriptor(p)


def _option_initialiser(p: _Pass, option: _Option) -> list[str]:
    return [
        "    {",
        f"        .name = {c_string(option.argument)},",
        f"        .kind = {option.kind},",
        f"        .offset_bytes = offsetof({p.c_type}Options, {option.field}),",
        f"        .help = {c_string(option.help)},",
        f"        .initial = {c_string(option.initial)},",
        "    },",
    ]


def _descriptor(p: _Pass) -> list[str]:
    lines = [
        "",
        f"const TilePassDesc {p.c_name}_desc = {{",
        f"    .argument = {c_string(p.argument)},",
        f"    .name = {c_string(p.name)},",
        f"    .summary = {c_string(p.summary)},",
        f"    .options_size_bytes = sizeof({p.c_type}Options),",
    ]
    if p.options:
        lines += [
            f"    .options = {p.c_name}_options,",
            f"    .num_options = {len(p.options)},",
        ]
    if p.dialects:
        lines += [
            f"    .dialects = {p.c_name}_dialects,",
            f"    .num_dialects = {len(p.dialects)},",
        ]
    return [*lines, f"    .run = {p.c_name}_thunk,", "};"]
