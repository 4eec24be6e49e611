//===- MemrefAtomics.c - Updates of one element by a thread ---------------===//
//
// memref.atomic_rmw and memref.generic_atomic_rmw. What tile.atomic has, too,
// is lowered as that; products, extremes that ignore NaN and code of the
// program are what a loop around compare-and-swap writes (AtomicUpdates.c).
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "Conversion/ToNVVM/LoweredOps.h"

#include "Dialect/ElementLoops.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

//===-- What is written ---------------------------------------------------===//

// As a value of the element type, of one that is there.
static MlirValue combine_kind(Lowering *l, MemRefAtomicRMWOp rmw,
                              MlirValue was) {
  MlirValue value = memref_atomic_rmw_value(rmw);
  switch (memref_atomic_rmw_kind(rmw)) {
  case ARITH_ATOMIC_RMW_KIND_mulf:
    return arith_mulf(&l->b, .lhs = was, .rhs = value);
  case ARITH_ATOMIC_RMW_KIND_muli:
    return arith_muli(&l->b, .lhs = was, .rhs = value);
  case ARITH_ATOMIC_RMW_KIND_maxnumf:
    return arith_maxnumf(&l->b, .lhs = was, .rhs = value);
  default: // minnumf: tile.atomic has the others
    return arith_minnumf(&l->b, .lhs = was, .rhs = value);
  }
}

static MlirValue next_of_kind(Lowering *l, const Update *update,
                              MlirValue was) {
  MlirValue next = combine_kind(l, memref_atomic_rmw_cast(update->op),
                                element_loaded(l, was, update->element));
  return element_stored(l, next, update->element);
}

// The code of the op moves to the end of the block.
static MlirValue next_of_code(Lowering *l, const Update *update,
                              MlirValue was) {
  MlirBlock code =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(update->op, 0));
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
  MlirValue value = element_loaded(l, was, update->element);
  mlirRewriterBaseMergeBlocks(l->b.rw, code, block, 1, &value);
  MlirOperation yield = mlirBlockGetTerminator(block);
  MlirValue next = mlirOperationGetOperand(yield, 0);
  mlirRewriterBaseEraseOp(l->b.rw, yield);
  mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, block);
  return element_stored(l, next, update->element);
}

//===-- Ops ---------------------------------------------------------------===//

static bool check_thread(Lowering *l, MlirOperation op) {
  if (l->is_thread_code || is_by_thread(op))
    return true;
  lower_fail(l, op,
             "expects to be in a tile.parallel: here every thread "
             "would do it; tile.atomic happens once");
  return false;
}

static bool is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

static void fetch(Lowering *l, const Update *update, MlirValue pointer,
                  MlirValue stored) {
  MlirValue before = update_fetch(l, update, pointer, stored);
  mlirRewriterBaseReplaceAllUsesWith(
      l->b.rw, mlirOperationGetResult(update->op, 0),
      element_loaded(l, before, update->element));
}

void lower_memref_atomic_rmw(Lowering *l, MlirOperation op) {
  MemRefAtomicRMWOp rmw = memref_atomic_rmw_cast(op);
  TileElementUpdate what;
  Memory *memory;
  if (!check_thread(l, op))
    return;
  MlirValue pointer = element_address(l, op, memref_atomic_rmw_memref(rmw),
                                      memref_atomic_rmw_indices(rmw), &memory);
  if (!pointer.ptr)
    return;
  View dst = {.memory = memory};
  bool is_of_tiles = tile_element_update_get(rmw, &what);
  bool assigns = memref_atomic_rmw_kind(rmw) == ARITH_ATOMIC_RMW_KIND_assign;
  Update update = {.op = op,
                   .dst = &dst,
                   .kind = assigns ? TILE_ATOMIC_KIND_Exchange : what.kind,
                   .element = memory->element,
                   .is_unsigned = what.is_unsigned,
                   .next = is_of_tiles || assigns ? NULL : next_of_kind};
  MlirValue stored =
      element_stored(l, memref_atomic_rmw_value(rmw), update.element);
  if (is_used(memref_atomic_rmw_result(rmw)))
    fetch(l, &update, pointer, stored);
  else
    update_run(l, &update, pointer, &stored, 1, (MlirValue){NULL});
}

void lower_memref_generic_atomic_rmw(Lowering *l, MlirOperation op) {
  MemRefGenericAtomicRMWOp rmw = memref_generic_atomic_rmw_cast(op);
  Memory *memory;
  if (!check_thread(l, op))
    return;
  MlirValue pointer =
      element_address(l, op, memref_generic_atomic_rmw_memref(rmw),
                      memref_generic_atomic_rmw_indices(rmw), &memory);
  if (!pointer.ptr)
    return;
  View dst = {.memory = memory};
  Update update = {
      .op = op, .dst = &dst, .element = memory->element, .next = next_of_code};
  fetch(l, &update, pointer, (MlirValue){NULL});
}
