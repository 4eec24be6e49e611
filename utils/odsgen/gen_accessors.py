"""The handle type of an op, its tests and its accessors."""

from __future__ import annotations

from ods_model import Attribute, Kind, Op, Value
from ods_writer import doc, function, struct

# Kind -> (C type, function from a possibly null attribute to it).
_READERS = {
    Kind.BOOL: ("bool", "tile_ods_bool_value"),
    Kind.INT: ("int64_t", "tile_ods_int_value"),
    Kind.STRING: ("MlirStringRef", "tile_ods_str_value"),
    Kind.SYMBOL: ("MlirStringRef", "tile_ods_sym_value"),
    Kind.TYPE: ("MlirType", "tile_ods_type_value"),
    Kind.MAP: ("MlirAffineMap", "tile_ods_map_value"),
}

# Kind -> (element type, reader of one element).
_ARRAY_READERS = {
    Kind.INT64_ARRAY: ("int64_t", "mlirDenseI64ArrayGetElement"),
    Kind.INT32_ARRAY: ("int32_t", "mlirDenseI32ArrayGetElement"),
}


def accessor_lines(op: Op) -> list[str]:
    """Everything that reads or changes an existing op."""
    lines = ["", *doc(f"{op.name}: {op.summary}" if op.summary else op.name)]
    lines += struct(op.c_type, ["MlirOperation op"])
    lines += _cast_lines(op)
    lines += _operand_lines(op)
    lines += _result_lines(op)
    for attribute in op.attributes:
        lines += _attribute_lines(op, attribute)
    for i, region in enumerate(op.regions):
        if not region.is_variadic:
            call = f"mlirOperationGetRegion(o.op, {i})"
            lines += _getter(op, "MlirRegion", region.c_name, call)
    for i, successor in enumerate(op.successors):
        if not successor.is_variadic:
            call = f"mlirOperationGetSuccessor(o.op, {i})"
            lines += _getter(op, "MlirBlock", successor.c_name, call)
    return lines


def _getter(op: Op, result: str, c_name: str, expression: str) -> list[str]:
    declarator = f"{op.c_name}_{c_name}({op.c_type} o)"
    return function(result, declarator, [f"return {expression};"])


def _setter(op: Op, c_name: str, parameter: str, call: str) -> list[str]:
    declarator = f"{op.c_name}_set_{c_name}({op.c_type} o, {parameter})"
    return function("void", declarator, [f"{call};"])


def _cast_lines(op: Op) -> list[str]:
    lines = function(
        "bool",
        f"{op.c_name}_is(MlirOperation op)",
        [f'return tile_ods_op_is(op, "{op.name}", {len(op.name)});'],
    )
    lines += function(
        op.c_type,
        f"{op.c_name}_dyn(MlirOperation op)",
        [f"return ({op.c_type}){{{op.c_name}_is(op) ? op : TILE_NULL_OP}};"],
    )
    lines += function(
        op.c_type,
        f"{op.c_name}_cast(MlirOperation op)",
        [f"assert({op.c_name}_is(op));", f"return ({op.c_type}){{op}};"],
    )
    return lines


# ===-- Operands and results -------------------------------------------------


def _group_range(kind: str, values: list[Value], index: int, segmented: bool) -> str:
    """The TileRange expression of one operand or result group."""
    variadic = [i for i, v in enumerate(values) if not v.is_single]
    num_variadic_before = sum(1 for i in variadic if i < index)
    num_single_before = index - num_variadic_before
    if segmented:
        return f"tile_ods_{kind}_segment(o.op, {index})"
    # Without segment sizes all groups of variable size have the same size.
    num_single = len(values) - len(variadic)
    return (
        f"tile_ods_{kind}_group(o.op, {num_single_before}, "
        f"{num_variadic_before}, {num_single}, {len(variadic)})"
    )


def _number(values: list[Value], index: int, group: str) -> str:
    """The position of a single value; constant unless a variable group
    precedes it.
    """
    if all(v.is_single for v in values[:index]):
        return str(index)
    return f"{group}.start"


def _operand_lines(op: Op) -> list[str]:
    operands = op.operands
    segmented = "AttrSizedOperandSegments" in op.trait_names
    lines: list[str] = []
    for i, operand in enumerate(operands):
        group = _group_range("operand", operands, i, segmented)
        name = operand.c_name
        segment = i if segmented else -1
        if operand.is_single:
            number = _number(operands, i, group)
            get = f"mlirOperationGetOperand(o.op, {number})"
            lines += _getter(op, "MlirValue", name, get)
            put = f"mlirOperationSetOperand(o.op, {number}, value)"
            lines += _setter(op, name, "MlirValue value", put)
        elif operand.is_variadic:
            lines += _getter(op, "TileRange", name, group)
            put = f"tile_ods_set_operands({group}, {segment}, values)"
            lines += _setter(op, name, "TileValues values", put)
        else:
            lines += _getter(op, "MlirValue", name, f"tile_range_first({group})")
            put = f"tile_ods_set_operand({group}, {segment}, value)"
            lines += _setter(op, name, "MlirValue value", put)
    return lines


def _result_lines(op: Op) -> list[str]:
    results = list(op.results)
    segmented = "AttrSizedResultSegments" in op.trait_names
    lines: list[str] = []
    for i, result in enumerate(results):
        group = _group_range("result", results, i, segmented)
        if result.is_single:
            number = _number(results, i, group)
            call = f"mlirOperationGetResult(o.op, {number})"
            lines += _getter(op, "MlirValue", result.c_name, call)
        elif result.is_variadic:
            lines += _getter(op, "TileRange", result.c_name, group)
        else:
            call = f"tile_range_first({group})"
            lines += _getter(op, "MlirValue", result.c_name, call)
    return lines


# ===-- Attributes -----------------------------------------------------------


def _attribute_lines(op: Op, attribute: Attribute) -> list[str]:
    name, kind = attribute.c_name, attribute.kind
    stem = "property" if attribute.is_property else "attribute"
    get = f'tile_ods_get_{stem}(o.op, "{attribute.name}")'
    if kind is Kind.UNIT:
        put = f'tile_ods_set_unit(o.op, "{attribute.name}", value)'
        return _getter(op, "bool", name, f"{get}.ptr != NULL") + _setter(
            op, name, "bool value", put
        )
    lines = _getter(op, "MlirAttribute", f"{name}_attr", get)
    put = f'tile_ods_set_{stem}(o.op, "{attribute.name}", value)'
    lines += _setter(op, f"{name}_attr", "MlirAttribute value", put)
    if kind in _READERS:
        c_type, reader = _READERS[kind]
        lines += _getter(op, c_type, name, f"{reader}({get})")
    elif kind is Kind.INTEGER_ENUM:
        c_type = attribute.enum.c_type
        lines += _getter(op, c_type, name, f"({c_type})tile_ods_int_value({get})")
    elif kind is Kind.DIALECT_ENUM:
        c_type = attribute.enum.c_type
        lines += _getter(op, c_type, name, f"{c_type}_from_attr({get})")
    elif kind in _ARRAY_READERS:
        lines += _array_lines(op, attribute, get)
    return lines


def _array_lines(op: Op, attribute: Attribute, get: str) -> list[str]:
    c_type, reader = _ARRAY_READERS[attribute.kind]
    name = attribute.c_name
    lines = _getter(op, "intptr_t", f"{name}_size", f"tile_ods_array_size({get})")
    lines += function(
        c_type,
        f"{op.c_name}_{name}({op.c_type} o, intptr_t i)",
        [f"return {reader}({get}, i);"],
    )
    return lines
