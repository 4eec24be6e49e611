"""Ops, their arguments and their enumerations, read from ODS records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import ods_naming
from ods_records import Record, Records, is_a


class Kind(Enum):
    """How an attribute appears in C."""

    UNIT = "unit"
    BOOL = "bool"
    INT = "int"
    STRING = "string"
    SYMBOL = "symbol"
    TYPE = "type"
    MAP = "map"
    INT64_ARRAY = "int64 array"
    INT32_ARRAY = "int32 array"
    INTEGER_ENUM = "enum held by an IntegerAttr"
    DIALECT_ENUM = "enum held by an attribute of its dialect"
    OTHER = "any attribute"


_STORAGE_KINDS = {
    "::mlir::UnitAttr": Kind.UNIT,
    "::mlir::BoolAttr": Kind.BOOL,
    "::mlir::StringAttr": Kind.STRING,
    "::mlir::FlatSymbolRefAttr": Kind.SYMBOL,
    "::mlir::TypeAttr": Kind.TYPE,
    "::mlir::AffineMapAttr": Kind.MAP,
    "::mlir::DenseI64ArrayAttr": Kind.INT64_ARRAY,
    "::mlir::DenseI32ArrayAttr": Kind.INT32_ARRAY,
}


@dataclass(frozen=True)
class EnumCase:
    """One enumerator; `text` is its spelling in IR."""

    symbol: str
    text: str
    value: int


@dataclass(frozen=True)
class Enumeration:
    """An ODS enum. The prefix and separator are for its dialect attribute."""

    c_type: str
    c_prefix: str
    cases: tuple[EnumCase, ...]
    bit_width: int
    attr_prefix: str | None  # "#tile.instr<", None: only an IntegerAttr
    separator: str  # between the bits of a bit enum, else empty


@dataclass(frozen=True)
class Value:
    """An operand or a result."""

    name: str
    c_name: str
    is_variadic: bool
    is_nested_variadic: bool
    is_optional: bool
    is_buildable: bool  # ODS knows its type without looking at the op

    @property
    def is_single(self) -> bool:
        """Exactly one value, always."""
        return not (self.is_variadic or self.is_optional)


@dataclass(frozen=True)
class Attribute:
    """An attribute or ODS property of an op."""

    name: str
    c_name: str
    kind: Kind
    is_optional: bool  # or has a default
    is_property: bool
    is_typed: bool  # its value has a type that may anchor type inference
    int_width: int  # of Kind.INT in bits; 0: index
    enumeration: Enumeration | None

    @property
    def enum(self) -> Enumeration:
        """The enumeration of an attribute of an enum kind."""
        assert self.enumeration is not None
        return self.enumeration


@dataclass(frozen=True)
class Part:
    """A region or a successor."""

    c_name: str
    is_variadic: bool


@dataclass(frozen=True)
class Op:
    """One op of a dialect."""

    record: Record
    name: str  # with dialect: "tile.copy"
    c_name: str
    c_type: str
    summary: str
    arguments: tuple[Value | Attribute, ...]  # as declared
    results: tuple[Value, ...]
    regions: tuple[Part, ...]
    successors: tuple[Part, ...]
    traits: tuple[Record, ...]
    trait_names: frozenset[str]

    @property
    def operands(self) -> list[Value]:
        """The operands, as declared."""
        return [a for a in self.arguments if isinstance(a, Value)]

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes and properties, as declared."""
        return [a for a in self.arguments if isinstance(a, Attribute)]


def read_ops(records: Records, dialect: str) -> list[Op]:
    """The ops of a dialect in source order."""
    return [
        _read_op(records, record)
        for record in records.instances("Op")
        if records.resolve(record["opDialect"])["name"] == dialect
    ]


# ===-- Ops ------------------------------------------------------------------


def _read_op(records: Records, record: Record) -> Op:
    dialect = records.resolve(record["opDialect"])
    name = f"{dialect['name']}.{record['opName']}"
    arguments = tuple(
        _read_argument(records, argument, given or f"arg{i}")
        for i, (argument, given) in enumerate(records.dag(record["arguments"]))
    )
    traits = tuple(_flat_traits(records, record["traits"]))
    names = {
        trait[key]
        for trait in traits
        for key in ("trait", "cppInterfaceName", "!name")
        if trait.get(key)
    }
    return Op(
        record=record,
        name=name,
        c_name=ods_naming.flat(name),
        c_type=ods_naming.handle_type(record["!name"], dialect["!name"]),
        summary=" ".join((record.get("summary") or "").split()),
        arguments=arguments,
        results=_read_results(records, record, {a.c_name for a in arguments}),
        regions=_read_parts(records, record["regions"], "VariadicRegion"),
        successors=_read_parts(records, record["successors"], "VariadicSuccessor"),
        traits=traits,
        trait_names=frozenset(names),
    )


def _flat_traits(records: Records, references: list[Record]) -> Iterator[Record]:
    for reference in references:
        trait = records.resolve(reference)
        if is_a(trait, "TraitList"):
            yield from _flat_traits(records, trait["traits"])
        else:
            yield trait


def _read_parts(records: Records, dag: Record, variadic_class: str) -> tuple[Part, ...]:
    return tuple(
        Part(
            ods_naming.identifier(name or f"region{i}"),
            is_a(record, variadic_class),
        )
        for i, (record, name) in enumerate(records.dag(dag))
    )


def _read_results(
    records: Records, op_record: Record, used_names: set[str]
) -> tuple[Value, ...]:
    declared = list(records.dag(op_record["results"]))
    results = []
    for i, (record, given) in enumerate(declared):
        unnamed = f"result{i}" if len(declared) > 1 else "result"
        name = given or unnamed
        c_name = ods_naming.identifier(name) if given else name
        # An argument and a result may share a name; C accessors may not.
        while c_name in used_names:
            c_name += "_res"
        used_names.add(c_name)
        results.append(_read_value(records, _constraint(records, record), name, c_name))
    return tuple(results)


# ===-- Arguments ------------------------------------------------------------


def _constraint(records: Records, record: Record) -> Record:
    """Looks through Arg<>, Res<> and the like."""
    while is_a(record, "OpVariable"):
        record = records.resolve(record["constraint"])
    return record


def _read_argument(records: Records, record: Record, name: str) -> Value | Attribute:
    record = _constraint(records, record)
    c_name = ods_naming.identifier(name)
    if is_a(record, "TypeConstraint"):
        return _read_value(records, record, name, c_name)
    return _read_attribute(records, record, name, c_name)


def _read_value(records: Records, record: Record, name: str, c_name: str) -> Value:
    is_nested = is_a(record, "VariadicOfVariadic")
    is_variadic = is_nested or is_a(record, "Variadic")
    is_optional = is_a(record, "Optional")
    base = record
    while not base.get("builderCall") and base.get("baseType"):
        base = records.resolve(base["baseType"])
    has_builder = bool(base.get("builderCall"))
    return Value(
        name=name,
        c_name=c_name,
        is_variadic=is_variadic,
        is_nested_variadic=is_nested,
        is_optional=is_optional,
        is_buildable=has_builder and not (is_variadic or is_optional),
    )


def _read_attribute(
    records: Records, record: Record, name: str, c_name: str
) -> Attribute:
    is_property = is_a(record, "Property")
    if not is_property and not is_a(record, "AttrConstraint"):
        raise ValueError(f"{record['!name']}: neither attribute nor property")
    # Optional and default-valued attributes wrap the one with the storage.
    base, is_optional = record, _may_be_absent(record)
    while base.get("baseAttr"):
        base = records.resolve(base["baseAttr"])
        is_optional = is_optional or _may_be_absent(base)
    kind, enumeration, int_width = _classify(records, base, is_property)
    storage = record.get("storageType") or ""
    return Attribute(
        name=name,
        c_name=c_name,
        kind=kind,
        is_optional=is_optional or is_property,
        is_property=is_property,
        is_typed=bool(record.get("valueType")) or "TypedAttr" in storage,
        int_width=int_width,
        enumeration=enumeration,
    )


def _may_be_absent(record: Record) -> bool:
    return bool(record.get("isOptional") or record.get("defaultValue"))


def _classify(
    records: Records, base: Record, is_property: bool
) -> tuple[Kind, Enumeration | None, int]:
    if is_a(base, "EnumAttr"):
        enum = records.resolve(base["enum"])
        return Kind.DIALECT_ENUM, _read_enum(records, enum, base), 0
    if is_a(base, "EnumAttrInfo") or is_a(base, "EnumInfo"):
        return Kind.INTEGER_ENUM, _read_enum(records, base, None), 0
    if is_property:
        if base.get("enum"):
            enum = records.resolve(base["enum"])
            return Kind.INTEGER_ENUM, _read_enum(records, enum, None), 0
        return Kind.OTHER, None, 0
    storage = (base.get("storageType") or "").strip()
    if storage == "::mlir::IntegerAttr":
        width = _int_width(records, base)
        return (Kind.OTHER, None, 0) if width is None else (Kind.INT, None, width)
    return _STORAGE_KINDS.get(storage, Kind.OTHER), None, 0


def _int_width(records: Records, base: Record) -> int | None:
    """Bits of an integer attribute, 0 for index, None when ODS leaves it open."""
    if not base.get("valueType"):
        return None
    builder = records.resolve(base["valueType"]).get("builderCall") or ""
    found = re.search(r"getI(\d+)Type|getIntegerType\((\d+)|getIndexType", builder)
    if not found:
        return None
    return int(found.group(1) or found.group(2) or 0)


# ===-- Enumerations ---------------------------------------------------------


def _read_enum(
    records: Records, record: Record, enum_attr: Record | None
) -> Enumeration:
    c_type, c_prefix = ods_naming.enum_names(
        record.get("cppNamespace") or "",
        record.get("className") or record["!name"],
    )
    cases = [records.resolve(case) for case in record["enumerants"]]
    attr_prefix = None
    if enum_attr:
        dialect = records.resolve(enum_attr["dialect"])["name"]
        mnemonic = enum_attr["mnemonic"] or ""
        angled = "`<`" in (enum_attr.get("assemblyFormat") or "")
        attr_prefix = f"#{dialect}.{mnemonic}<" if angled else f"#{dialect}<{mnemonic} "
    return Enumeration(
        c_type=c_type,
        c_prefix=c_prefix,
        cases=tuple(
            EnumCase(ods_naming.flat(c["symbol"]), c["str"], c["value"]) for c in cases
        ),
        bit_width=record.get("bitwidth") or 32,
        attr_prefix=attr_prefix,
        separator=record.get("separator") or "",
    )
