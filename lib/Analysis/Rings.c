//===- Rings.c - Shared tiles with a stage dimension ----------------------===//
//
// The slots of a ring are tiles of their own that share one layout: a ring is
// laid out as one slot, expanded by the stage dimension.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis.h"

#include "Tile/Dialect/TileLayouts.h"

// Whether `tile` is a window that drops the first dimension of its ring, and
// may drop others.
static bool is_in_slot(MlirValue tile) {
  if (!mlirValueIsAOpResult(tile))
    return false;
  TileRegionOp region = tile_region_dyn(mlirOpResultGetOwner(tile));
  return region.op.ptr && tile_region_dropped_size(region) > 0 &&
         tile_region_dropped(region, 0) == 0;
}

// Whether a layout that the user gave places every slot alike.
static bool slots_are_alike(TileAllocOp alloc) {
  TileLayout layout, slot, expanded;
  TileLayoutError error;
  if (mlirAttributeIsNull(tile_alloc_layout_attr(alloc)))
    return true;
  if (!tile_layout_of_alloc(alloc, &layout, &error) ||
      !tile_layout_drop_leading(&layout, &slot, &error))
    return false;
  int64_t second[TILE_LAYOUT_MAX_AXES] = {1}, offset = 0;
  if (layout.in.extent[0] > 1)
    tile_layout_eval(&layout, second, &offset);
  if (!tile_layout_expand(&slot, layout.in.extent[0], offset, 1, &expanded,
                          &error))
    return false;
  tile_layout_canonicalize(&expanded);
  tile_layout_canonicalize(&layout);
  return tile_layout_equal(&expanded, &layout);
}

// Whether tile ops see nothing of `ring`, also through views that keep its
// stage dimension, but slots; sets `inout_has_slots` when they see any.
static bool only_slots(MlirValue ring, int64_t stages, bool *inout_has_slots) {
  TileShape shape;
  if (!tile_shape_of(ring, &shape) || shape.rank < 2 ||
      shape.extent[0] != stages)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(ring);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileAccess accesses[TILE_MAX_ACCESSES];
    if (tile_region_is(user)) {
      if (!is_in_slot(mlirOperationGetResult(user, 0)))
        return false;
      *inout_has_slots = true;
    } else if (tile_view_is(user)) {
      if (!only_slots(mlirOperationGetResult(user, 0), stages, inout_has_slots))
        return false;
    } else if (tile_accesses_get(user, accesses) > 0) {
      return false; // the ring as a whole
    }
  }
  return true;
}

int tile_num_stage_dims(TileAllocOp alloc) {
  MlirValue ring = tile_alloc_memref(alloc);
  TileShape shape;
  bool has_slots = false;
  return tile_shape_of(ring, &shape) && shape.space == TILE_SPACE_SHARED &&
                 only_slots(ring, shape.extent[0], &has_slots) && has_slots &&
                 slots_are_alike(alloc)
             ? 1
             : 0;
}

bool tile_given_layout(MlirValue tile, TileLayout *out_layout) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileAllocOp alloc = tile_buffer_alloc(buffer);
  TileLayoutError error;
  return alloc.op.ptr && tile_layout_of_tile(buffer.base, out_layout, &error) &&
         (tile_num_stage_dims(alloc) == 0 ||
          tile_layout_drop_leading(out_layout, out_layout, &error));
}

bool tile_is_whole_or_slot(MlirValue tile) {
  TileShape shape, whole;
  TileBuffer buffer = tile_buffer_of(tile);
  TileAllocOp alloc = tile_buffer_alloc(buffer);
  if (!tile_shape_of(tile, &shape) || !tile_shape_of(buffer.base, &whole))
    return false;
  int lead = alloc.op.ptr ? tile_num_stage_dims(alloc) : 0;
  if (shape.rank != whole.rank - lead)
    return false;
  for (int d = 0; d < shape.rank; d++)
    if (shape.extent[d] != whole.extent[lead + d])
      return false;
  return true;
}
