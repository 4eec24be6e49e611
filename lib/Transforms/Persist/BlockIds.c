//===- BlockIds.c - What in a launch depends on numbers of blocks ---------===//

#include "Transforms/Persist/BlockIds.h"

#include "Dialect/Ops.h"
#include "Tile/Ops/cf.h"

#include <string.h>

int tile_id_mask(const TileIdMasks *masks, MlirValue value) {
  return (int)(intptr_t)tile_pointer_map_get(&masks->of_value, value.ptr);
}

static void set_mask(TileIdMasks *masks, MlirValue value, int mask) {
  if (mask)
    tile_pointer_map_set(&masks->of_value, value.ptr, (void *)(intptr_t)mask);
}

void tile_id_masks_begin(TileIdMasks *masks, TileArena *arena,
                         MlirOperation launch) {
  masks->of_value = (TilePointerMap){.arena = arena};
  for (int i = 0; i < 3; i++)
    set_mask(masks, mlirBlockGetArgument(tile_kernel_body(launch), i), 1 << i);
}

int tile_id_masks_note(TileIdMasks *masks, MlirOperation op) {
  int mask = 0;
  if (gpu_block_id_is(op))
    mask = 1 << (int)gpu_block_id_dimension(gpu_block_id_cast(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mask |= tile_id_mask(masks, mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    set_mask(masks, mlirOperationGetResult(op, i), mask);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
      set_mask(masks, mlirBlockGetArgument(block, i), mask);
  }
  return mask;
}

bool tile_op_asks_for_ids_in_sight(MlirOperation op) {
  static const char *const prefixes[] = {
      "tile.",        "arith.",     "math.",   "scf.",
      "memref.",      "affine.",    "vector.", "gpu.block_id",
      "gpu.grid_dim", "gpu.printf", "index.",  "ub."};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t length = strlen(prefixes[i]);
    if (name.length >= length && !memcmp(name.data, prefixes[i], length))
      return true;
  }
  return cf_assert_is(op) || gpu_terminator_is(op);
}

typedef struct {
  MlirRewriterBase rewriter;
  MlirBlock body;
} Replace;

static MlirWalkResult replace_query(MlirOperation op, void *user_data) {
  enum { FIRST_GRID_SIZE = 6 }; // among the arguments of the body
  const Replace *replace = user_data;
  int first = gpu_block_id_is(op) ? 0 : FIRST_GRID_SIZE;
  if (!gpu_block_id_is(op) && !gpu_grid_dim_is(op))
    return MlirWalkResultAdvance;
  int dimension = gpu_block_id_is(op)
                      ? (int)gpu_block_id_dimension(gpu_block_id_cast(op))
                      : (int)gpu_grid_dim_dimension(gpu_grid_dim_cast(op));
  mlirRewriterBaseReplaceAllUsesWith(
      replace->rewriter, mlirOperationGetResult(op, 0),
      mlirBlockGetArgument(replace->body, first + dimension));
  return MlirWalkResultAdvance;
}

void tile_block_ids_use_arguments(MlirRewriterBase rewriter,
                                  MlirOperation launch) {
  Replace replace = {rewriter, tile_kernel_body(launch)};
  mlirOperationWalk(launch, replace_query, &replace, MlirWalkPreOrder);
}
