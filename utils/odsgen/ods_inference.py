"""Which ops have result types that MLIR infers.

A port of `mlir::tblgen::Operator::populateTypeInferenceInfo`. The test
generator-infer-test compares it with the registered interfaces of every op.
"""

from __future__ import annotations

from ods_model import Kind, Op
from ods_records import Record, Records, is_a

_INTERFACE = "InferTypeOpInterface"


def infers_result_types(records: Records, op: Op) -> bool:
    """Whether a builder leaves the result types to MLIR."""
    if not op.results:
        return False
    if _INTERFACE in op.trait_names:
        return True
    # mlir-tblgen only adds the interface where its .td file is included.
    if _INTERFACE not in records or not all(r.is_single for r in op.results):
        return False
    if "SameOperandsAndResultType" in op.trait_names:
        return any(operand.is_single for operand in op.operands)
    known = _anchors(op)
    _propagate(op.traits, known)
    return all(result.name in known for result in op.results)


def _anchors(op: Op) -> set[str]:
    """Names whose types are known before any trait is applied."""
    known = {o.name for o in op.operands if o.is_single or o.is_buildable}
    known |= {r.name for r in op.results if r.is_buildable}
    known |= {
        a.name
        for a in op.attributes
        if a.is_typed and not (a.is_property or a.is_optional or a.kind is Kind.UNIT)
    }
    return known


def _propagate(traits: tuple[Record, ...], known: set[str]) -> None:
    """Follows the traits that equate types until nothing new is known."""
    num_known = -1
    while num_known != len(known):
        num_known = len(known)
        for trait in traits:
            if is_a(trait, "AllTypesMatch"):
                if known.intersection(trait["values"]):
                    known.update(trait["values"])
            elif is_a(trait, "TypesMatchWith"):
                is_ranged = is_a(trait, "RangedTypesMatchWith")
                if not is_ranged and trait["lhs"] in known:
                    known.add(trait["rhs"])
