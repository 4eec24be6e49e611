//===- RepeatedOps.c - Ops that several roles execute ---------------------===//

#include "RepeatedOps.h"

#include "Dialect/ElementLoops.h"
#include "Tile/Ops/memref.h"

//===-- What may be repeated ----------------------------------------------===//

// Sums of floats depend on who adds what first.
static bool is_exact_fold(bool is_sum, MlirValue tile) {
  TileShape shape;
  return !is_sum ||
         (tile_shape_of(tile, &shape) && !mlirTypeIsAFloat(shape.element));
}

static MlirWalkResult find_effect(MlirOperation op, void *user_data) {
  bool *has_effect = user_data;
  TileElementAccess access;
  TileShape shape = {.space = TILE_SPACE_PRIVATE};
  if (mlirOperationGetNumRegions(op) > 0 || mlirxIsTerminator(op))
    return MlirWalkResultAdvance;
  if (tile_element_access_get(op, &access)) {
    tile_shape_of(access.memref, &shape);
    *has_effect = shape.space == TILE_SPACE_PRIVATE || access.is_atomic;
  } else {
    *has_effect = !mlirxIsMemoryEffectFree(op);
  }
  return *has_effect ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tile_op_is_repeatable(MlirOperation op) {
  bool has_effect = false;
  if (tile_fill_is(op) || memref_store_is(op))
    return true;
  if (tile_copy_is(op))
    return !tile_copy_async(tile_copy_cast(op)) &&
           mlirValueIsNull(tile_copy_signal(tile_copy_cast(op)));
  if (tile_reduce_is(op)) {
    TileReduceKind kind = tile_reduce_kind(tile_reduce_cast(op));
    return is_exact_fold(kind == TILE_REDUCE_KIND_Sum ||
                             kind == TILE_REDUCE_KIND_AbsSum,
                         tile_reduce_src(tile_reduce_cast(op)));
  }
  if (tile_scan_is(op)) {
    TileScanKind kind = tile_scan_kind(tile_scan_cast(op));
    return is_exact_fold(kind == TILE_SCAN_KIND_Sum,
                         tile_scan_src(tile_scan_cast(op)));
  }
  if (!tile_parallel_is(op))
    return false;
  mlirOperationWalk(op, find_effect, &has_effect, MlirWalkPreOrder);
  return !has_effect;
}

int tile_repeated_accesses(MlirOperation op,
                           TileAccess out[TILE_MAX_ACCESSES]) {
  TileElementAccess element;
  if (!tile_element_access_get(op, &element))
    return tile_accesses_get(op, out);
  out[0] = (TileAccess){.tile = element.memref,
                        .reads = !element.is_store || element.is_atomic,
                        .writes = element.is_store};
  return 1;
}
