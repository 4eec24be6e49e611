//===- ElementGuards.c - Element loops at ragged edges --------------------===//
//
// A body that guards its accesses would move one element at a time. Where the
// first and the last element of a run satisfy the guard, and the guard is such
// that the elements between then do as well, the run moves in vectors; only
// other runs test each element.
//
//===----------------------------------------------------------------------===//

#include "ElementCode.h"

#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

enum { MAX_TERMS = 8 }; // conjunctions deeper than that are not looked at

// Signed orders are of convex sets; unsigned ones from 0 to a bound.
static bool is_interval(const LoopCode *loop, ArithCmpIOp compare) {
  TileLinearIndex lhs = tile_linear_index(loop->loop, arith_cmpi_lhs(compare));
  TileLinearIndex rhs = tile_linear_index(loop->loop, arith_cmpi_rhs(compare));
  if (!lhs.is_linear || !rhs.is_linear)
    return false;
  switch (arith_cmpi_predicate(compare)) {
  case ARITH_CMP_I_PREDICATE_slt:
  case ARITH_CMP_I_PREDICATE_sle:
  case ARITH_CMP_I_PREDICATE_sgt:
  case ARITH_CMP_I_PREDICATE_sge:
    return true;
  case ARITH_CMP_I_PREDICATE_ult:
  case ARITH_CMP_I_PREDICATE_ule:
    return rhs.factor[loop->run_dim] == 0;
  default:
    return false;
  }
}

static bool is_convex(const LoopCode *loop, MlirValue condition, int depth) {
  if (!tile_value_is_inside(condition, loop->loop.op) ||
      loop_code_is_common(loop, condition))
    return true; // the same for all elements
  if (depth == 0 || !mlirValueIsAOpResult(condition))
    return false;
  MlirOperation op = mlirOpResultGetOwner(condition);
  if (arith_cmpi_is(op))
    return is_interval(loop, arith_cmpi_cast(op));
  return arith_andi_is(op) &&
         is_convex(loop, mlirOperationGetOperand(op, 0), depth - 1) &&
         is_convex(loop, mlirOperationGetOperand(op, 1), depth - 1);
}

MlirValue loop_guard_find(const LoopCode *loop) {
  TILE_FOR_EACH_OP (op, tile_parallel_block(loop->loop)) {
    ScfIfOp guard = scf_if_dyn(op);
    if (guard.op.ptr && is_convex(loop, scf_if_condition(guard), MAX_TERMS))
      return scf_if_condition(guard);
  }
  return (MlirValue){NULL};
}

bool loop_guard_is(const LoopCode *loop, MlirOperation op) {
  return loop->guard.ptr && scf_if_is(op) &&
         mlirValueEqual(scf_if_condition(scf_if_cast(op)), loop->guard) &&
         mlirOperationEqual(mlirOperationGetParentOperation(op), loop->loop.op);
}

bool loop_guard_holds_around(const LoopCode *loop, MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return loop_guard_is(loop, parent) &&
         mlirBlockEqual(
             mlirOperationGetBlock(op),
             mlirRegionGetFirstBlock(scf_if_thenRegion(scf_if_cast(parent))));
}

static MlirValue guard_of(LoopCode *loop, const Element *element) {
  MlirxMapping mapping = mlirxMappingCreate();
  MlirBlock body = tile_parallel_block(loop->loop);
  for (int d = 0; d < loop->rank; d++)
    mlirxMappingSet(mapping, mlirBlockGetArgument(body, d),
                    tile_int_get(&loop->code->index, element->at[d]));
  MlirValue holds = loop_code_clone(loop, loop->guard, mapping);
  mlirxMappingDestroy(mapping);
  return holds;
}

MlirValue loop_guard_build(LoopCode *loop, const Element *run) {
  MlirValue first = guard_of(loop, &run[0]);
  return loop->run == 1 ? first
                        : arith_andi(&loop->code->b, first,
                                     guard_of(loop, &run[loop->run - 1]));
}
