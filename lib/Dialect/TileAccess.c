//===- TileAccess.c - Buffers behind operands; what an op reads and writes ===//

#include "Tile/Dialect/Ops.h"

//===-- Buffers -----------------------------------------------------------===//

TileBuffer tile_buffer_of(MlirValue tile) {
  TileBuffer buffer = {tile, {NULL}};
  if (!mlirValueIsAOpResult(tile))
    return buffer;
  TileRegionOp region = tile_region_dyn(mlirOpResultGetOwner(tile));
  if (region.op.ptr)
    buffer = (TileBuffer){tile_region_source(region), tile};
  return buffer;
}

TileAllocOp tile_buffer_alloc(TileBuffer buffer) {
  if (!mlirValueIsAOpResult(buffer.root))
    return (TileAllocOp){{NULL}};
  return tile_alloc_dyn(mlirOpResultGetOwner(buffer.root));
}

//===-- Accesses ----------------------------------------------------------===//

int tile_accesses_get(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]) {
  if (tile_copy_is(op)) {
    TileCopyOp copy = tile_copy_cast(op);
    out[0] = (TileAccess){tile_copy_src(copy), 0, true, false};
    out[1] = (TileAccess){tile_copy_dst(copy), 1, false, true};
    return 2;
  }
  if (tile_fill_is(op)) {
    TileFillOp fill = tile_fill_cast(op);
    out[0] = (TileAccess){tile_fill_dst(fill), 0, false, true};
    return 1;
  }
  if (tile_gemm_is(op)) {
    TileGemmOp gemm = tile_gemm_cast(op);
    out[0] = (TileAccess){tile_gemm_a(gemm), 0, true, false};
    out[1] = (TileAccess){tile_gemm_b(gemm), 1, true, false};
    out[2] = (TileAccess){tile_gemm_c(gemm), 2, true, true};
    return 3;
  }
  return 0;
}

static void add_effects(MlirOperation op, TileEffects effects) {
  TileAccess access[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, access);
  for (int i = 0; i < n; i++) {
    if (access[i].reads)
      tile_effects_add(effects, TILE_EFFECT_READ, op, access[i].operand);
    if (access[i].writes)
      tile_effects_add(effects, TILE_EFFECT_WRITE, op, access[i].operand);
  }
}

void tile_copy_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
  TileCopyOp copy = tile_copy_cast(op);
  // An asynchronous copy also advances a barrier, which no operand value is
  // the memory of: an effect on unknown memory keeps others in order.
  if (tile_copy_signal(copy).ptr)
    tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

void tile_fill_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_gemm_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}
