"""The builder of an op: argument struct, build function, macros."""

from __future__ import annotations

from ods_model import Attribute, Kind, Op, Value
from ods_writer import function, macro, struct

# Kind -> C type of the field. An optional number is a TileOptInt; the other
# kinds have a null value that means absent.
_FIELDS = {
    Kind.UNIT: "bool",
    Kind.BOOL: "bool",
    Kind.INT: "int64_t",
    Kind.STRING: "const char *",
    Kind.SYMBOL: "const char *",
    Kind.TYPE: "MlirType",
    Kind.MAP: "MlirAffineMap",
    Kind.INT64_ARRAY: "TileI64s",
    Kind.INT32_ARRAY: "TileI32s",
    Kind.OTHER: "MlirAttribute",
}

# Kinds whose value has no null: an optional field needs a flag.
_NUMBERS = (Kind.BOOL, Kind.INT, Kind.INTEGER_ENUM, Kind.DIALECT_ENUM)

_SIMPLE_PUTS = {
    Kind.UNIT: "tile_ods_put_unit",
    Kind.STRING: "tile_ods_put_str",
    Kind.SYMBOL: "tile_ods_put_sym",
    Kind.TYPE: "tile_ods_put_type",
    Kind.MAP: "tile_ods_put_map",
    Kind.OTHER: "tile_ods_put",
}

_ARRAY_PUTS = {
    Kind.INT64_ARRAY: "tile_ods_put_i64s",
    Kind.INT32_ARRAY: "tile_ods_put_i32s",
}

# Members that users never name: `first` gives the macros a designator, so that
# compilers accept a shorter list, and `builder` is the macros' first argument,
# so that they work without any other.
_HIDDEN_MEMBERS = ("char first", "const TileBuilder *builder")


def builder_lines(op: Op, infers_types: bool) -> list[str]:
    """Struct, function and macros that build an op.

    The struct starts with the hidden members; one that would have no other gets
    a `none`, which calls may set to 0.
    """
    members = list(_HIDDEN_MEMBERS)
    if not infers_types:
        members += [_member(_type_field(r), _type_name(op, r)) for r in op.results]
    members += [_member(_field(a), a.c_name) for a in op.arguments]
    for region in op.regions:
        c_type = "TileRegions" if region.is_variadic else "MlirRegion"
        members.append(_member(c_type, region.c_name))
    for successor in op.successors:
        c_type = "TileBlocks" if successor.is_variadic else "MlirBlock"
        members.append(_member(c_type, successor.c_name))
    if len(members) == len(_HIDDEN_MEMBERS):
        members.append("char none")

    name, args = op.c_name, f"{op.c_type}Args"
    lines = struct(args, members)
    lines += function(op.c_type, f"{name}_build({args} a)", _body(op, infers_types))
    lines += macro(
        f"{name}_op(...)", f"{name}_build(TILE_ODS_ARGS({args}, __VA_ARGS__))"
    )
    handle = f"{name}_op(__VA_ARGS__)"
    if len(op.results) == 1 and op.results[0].is_single:
        lines += macro(f"{name}(...)", f"mlirOperationGetResult({handle}.op, 0)")
    else:
        lines += macro(f"{name}(...)", handle)
    return lines


def _member(c_type: str, name: str) -> str:
    return f"{c_type}{name}" if c_type.endswith("*") else f"{c_type} {name}"


def _type_field(result: Value) -> str:
    return "TileTypes" if result.is_variadic else "MlirType"


def _type_name(op: Op, result: Value) -> str:
    return f"{result.c_name}_type" if len(op.results) > 1 else "type"


def _field(argument: Value | Attribute) -> str:
    if isinstance(argument, Value):
        return "TileValues" if argument.is_variadic else "MlirValue"
    if argument.kind in _NUMBERS and argument.is_optional:
        return "TileOptInt"
    if argument.enumeration is not None:
        return argument.enumeration.c_type
    return _FIELDS[argument.kind]


def _body(op: Op, infers_types: bool) -> list[str]:
    body = ["TileState s;", f'tile_ods_begin(&s, a.builder, "{op.name}");']
    body += _operand_statements(op)
    if not infers_types:
        body += _type_statements(op)
    for attribute in op.attributes:
        body += _attribute_statements(attribute)
    for region in op.regions:
        put = "tile_ods_regions" if region.is_variadic else "tile_ods_region"
        body.append(f"{put}(&s, a.{region.c_name});")
    for successor in op.successors:
        put = "tile_ods_succs" if successor.is_variadic else "tile_ods_succ"
        body.append(f"{put}(&s, a.{successor.c_name});")
    if infers_types:
        body.append("tile_ods_infer(&s);")
    return [*body, f"return ({op.c_type}){{tile_ods_end(&s, a.builder)}};"]


def _operand_statements(op: Op) -> list[str]:
    body = []
    for operand in op.operands:
        put = "tile_ods_operand"
        if operand.is_variadic:
            put = "tile_ods_operands"
        elif operand.is_optional:
            put = "tile_ods_operand_opt"
        body.append(f"{put}(&s, a.{operand.c_name});")
    if "AttrSizedOperandSegments" in op.trait_names:
        sizes = [_size(o, f"a.{o.c_name}") for o in op.operands]
        body += _segments("operand", sizes)
    return body


def _type_statements(op: Op) -> list[str]:
    body, sizes = [], []
    for result in op.results:
        field = f"a.{_type_name(op, result)}"
        put = "tile_ods_type"
        if result.is_variadic:
            put = "tile_ods_types"
        elif result.is_optional:
            put = "tile_ods_type_opt"
        body.append(f"{put}(&s, {field});")
        sizes.append(_size(result, field))
    if "AttrSizedResultSegments" in op.trait_names:
        body += _segments("result", sizes)
    return body


def _segments(kind: str, sizes: list[str]) -> list[str]:
    """Statements that give the size of every operand or result group."""
    array = f"{kind}_sizes"
    return [
        f"const int32_t {array}[] = {{{', '.join(sizes)}}};",
        f'tile_ods_segments(&s, a.builder, "{kind}SegmentSizes", {array}, '
        f"{len(sizes)});",
    ]


def _size(value: Value, field: str) -> str:
    """How many values a field gives to its group."""
    if value.is_variadic:
        return f"(int32_t){field}.n"
    return f"{field}.ptr != NULL" if value.is_optional else "1"


def _attribute_statements(attribute: Attribute) -> list[str]:
    """Puts one field into the operation state."""
    field, kind = f"a.{attribute.c_name}", attribute.kind
    start = f'&s, "{attribute.name}", '
    opt = "_opt" if attribute.is_optional else ""
    if attribute.is_property:
        return _property_statements(attribute, field)
    if kind in _SIMPLE_PUTS:
        return [f"{_SIMPLE_PUTS[kind]}({start}{field});"]
    if kind in _ARRAY_PUTS:
        return [f"{_ARRAY_PUTS[kind]}{opt}({start}{field});"]
    if kind is Kind.BOOL:
        return [f"tile_ods_put_bool{opt}({start}{field});"]
    if kind is Kind.INT:
        return [f"tile_ods_put_int{opt}({start}{field}, {attribute.int_width});"]
    if kind is Kind.INTEGER_ENUM:
        width = attribute.enum.bit_width
        return [f"tile_ods_put_int{opt}({start}{field}, {width});"]
    return _dialect_enum_statements(attribute, field)


def _dialect_enum_statements(attribute: Attribute, field: str) -> list[str]:
    c_type = attribute.enum.c_type
    number = f"{field}.v" if attribute.is_optional else field
    context = "tile_builder_context(a.builder)"
    value = f"{c_type}_attr({context}, ({c_type}){number})"
    put = f'tile_ods_put(&s, "{attribute.name}", {value});'
    return _only_if(f"{field}.has", put) if attribute.is_optional else [put]


def _property_statements(attribute: Attribute, field: str) -> list[str]:
    """A property can only be set on the finished op (see Build.h)."""
    start = f'&s, a.builder, "{attribute.name}", '
    if attribute.kind is Kind.OTHER:
        return _only_if(f"{field}.ptr", f"tile_ods_prop({start}{field});")
    width = attribute.enum.bit_width
    value = f"tile_ods_int_attr(a.builder, {field}.v, {width})"
    return _only_if(f"{field}.has", f"tile_ods_prop({start}{value});")


def _only_if(condition: str, statement: str) -> list[str]:
    return [f"if ({condition})", f"  {statement}"]
