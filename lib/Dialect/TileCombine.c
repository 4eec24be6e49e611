//===- TileCombine.c - Reductions and scans whose body combines -----------===//

#include "TileCombine.h"

bool tile_combine_of(MlirOperation op, TileCombine *out) {
  if (tile_reduce_by_is(op)) {
    TileReduceByOp reduce = tile_reduce_by_cast(op);
    *out = (TileCombine){.srcs = tile_reduce_by_srcs(reduce),
                         .dsts = tile_reduce_by_dsts(reduce),
                         .dim = (int)tile_reduce_by_dim(reduce),
                         .takes_position = tile_reduce_by_position(reduce),
                         .folds = !tile_reduce_by_clear(reduce)};
  } else if (tile_scan_by_is(op)) {
    TileScanByOp scan = tile_scan_by_cast(op);
    *out = (TileCombine){.srcs = tile_scan_by_srcs(scan),
                         .dsts = tile_scan_by_dsts(scan),
                         .dim = (int)tile_scan_by_dim(scan),
                         .is_scan = true,
                         .takes_position = tile_scan_by_position(scan),
                         .is_reversed = tile_scan_by_reverse(scan)};
  } else {
    return false;
  }
  out->op = op;
  out->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return true;
}

MlirType tile_combine_type(const TileCombine *combine, intptr_t i) {
  return mlirValueGetType(mlirBlockGetArgument(combine->body, i));
}

TileReduceKind tile_reduce_kind_of_results(TileReduceKind kind) {
  if (kind == TILE_REDUCE_KIND_AbsSum)
    return TILE_REDUCE_KIND_Sum;
  return kind == TILE_REDUCE_KIND_AbsMax ? TILE_REDUCE_KIND_Max : kind;
}

//===-- Access regions ----------------------------------------------------===//

// All sources, then all destinations: the operands in their order.
int tile_combine_accesses(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]) {
  TileCombine combine;
  if (tile_reduce_all_is(op)) {
    out[0] = (TileAccess){mlirOperationGetOperand(op, 0), 0, true, false};
    return 1;
  }
  if (!tile_combine_of(op, &combine))
    return 0;
  int count = (int)mlirOperationGetNumOperands(op);
  for (int i = 0; i < count && i < TILE_MAX_ACCESSES; i++) {
    bool writes = i >= combine.srcs.n;
    out[i] = (TileAccess){mlirOperationGetOperand(op, i), i,
                          !writes || combine.folds, writes};
  }
  return count < TILE_MAX_ACCESSES ? count : TILE_MAX_ACCESSES;
}
