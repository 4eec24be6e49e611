//===- TileVerifyOverlap.c - Copies between windows of one tile -----------===//

#include "TileVerifyOverlap.h"

// Where a tile operand lies in its base, as far as it is constant.
typedef struct {
  int rank;
  struct {
    bool is_constant;
    int64_t offset, size;
  } dim[TILE_MAX_RANK];
} Window;

static bool window_of(MlirValue tile, Window *out) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape whole;
  if (!tile_shape_of(buffer.base, &whole) || whole.rank > TILE_MAX_RANK)
    return false;
  out->rank = whole.rank;
  for (int d = 0; d < whole.rank; d++) {
    out->dim[d].is_constant = true;
    out->dim[d].offset = 0;
    out->dim[d].size = whole.extent[d];
  }
  if (!buffer.region.ptr)
    return true;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  if (tile_region_static_offsets_size(region) != whole.rank ||
      tile_region_static_sizes_size(region) != whole.rank)
    return false; // reported at the region
  for (int d = 0; d < whole.rank; d++) {
    int64_t offset = tile_region_static_offsets(region, d);
    out->dim[d].is_constant = !mlirShapedTypeIsDynamicStrideOrOffset(offset);
    out->dim[d].offset = offset;
    out->dim[d].size = tile_region_static_sizes(region, d);
  }
  return true;
}

bool tile_verify_windows_overlap(MlirValue src, MlirValue dst) {
  TileBuffer from = tile_buffer_of(src), to = tile_buffer_of(dst);
  TileShape shape;
  Window a = {0}, b = {0};
  bool is_same = true;
  if (!mlirValueEqual(from.base, to.base) || !tile_shape_of(src, &shape) ||
      shape.space == TILE_SPACE_GLOBAL || !window_of(src, &a) ||
      !window_of(dst, &b))
    return false;
  for (int d = 0; d < a.rank; d++) {
    if (!a.dim[d].is_constant || !b.dim[d].is_constant ||
        a.dim[d].offset + a.dim[d].size <= b.dim[d].offset ||
        b.dim[d].offset + b.dim[d].size <= a.dim[d].offset)
      return false;
    is_same &=
        a.dim[d].offset == b.dim[d].offset && a.dim[d].size == b.dim[d].size;
  }
  return !is_same;
}
