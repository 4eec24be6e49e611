//===- MemrefWrites.c - Whether something writes through a memref ---------===//
//
// Follows an argument forward through views to its uses. A use that is not
// understood counts as a write: the launcher then merely checks more.
//
//===----------------------------------------------------------------------===//

#include "MemrefWrites.h"

#include "Ops.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/memref.h"

enum { MAX_VIEW_DEPTH = 100 }; // views of views; deeper counts as written

typedef struct {
  MlirValue value;
  bool writes;
} EffectSearch;

static void on_write_effect(TileEffectKind kind, MlirValue value,
                            MlirStringRef resource, void *user_data) {
  EffectSearch *search = user_data;
  (void)resource;
  if (kind == TILE_EFFECT_WRITE && mlirValueEqual(value, search->value))
    search->writes = true;
}

// Ops whose results are the same memory as their first operand.
static bool is_view(MlirOperation op) {
  return tile_region_is(op) || tile_im2col_is(op) || memref_subview_is(op) ||
         memref_cast_is(op) || memref_reinterpret_cast_is(op) ||
         memref_collapse_shape_is(op) || memref_expand_shape_is(op);
}

// What is written through them is not followed.
static bool is_map_or_address(MlirOperation op) {
  return tile_tensor_map_is(op) || tile_address_is(op);
}

// Ops that read the descriptor, not the memory. An extracted address escapes.
static bool reads_descriptor_only(MlirOperation op) {
  return memref_dim_is(op);
}

static bool value_may_be_written(MlirValue value, int depth);

static bool use_may_write(MlirOperation op, MlirValue value, int depth) {
  if (tile_region_is(op) &&
      mlirValueEqual(tile_region_ids(tile_region_cast(op)), value) &&
      !mlirValueEqual(tile_region_source(tile_region_cast(op)), value))
    return false; // numbers are read
  if (is_view(op))
    return value_may_be_written(mlirOperationGetResult(op, 0), depth + 1);
  if (reads_descriptor_only(op))
    return false;
  if (is_map_or_address(op) ||
      (mlirOperationGetNumResults(op) > 0 && mlirxIsMemoryEffectFree(op)))
    return true; // a view or an address that is not followed
  EffectSearch search = {value, false};
  bool is_known = mlirxEffects(op, false, on_write_effect, &search);
  return !is_known || search.writes;
}

static bool value_may_be_written(MlirValue value, int depth) {
  if (depth > MAX_VIEW_DEPTH)
    return true;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (use_may_write(mlirOpOperandGetOwner(use), value, depth))
      return true;
  return false;
}

bool tile_memref_may_be_written(MlirValue memref) {
  return value_may_be_written(memref, 0);
}
