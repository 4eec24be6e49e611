//===- WindowPads.c - What lies around a tensor ---------------------------===//
//
// TMA and cp.async fill in zeros where a window leaves its tensor. Any other
// pad is stored by threads.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

bool tile_window_is_inside(TileRegionOp region, int dim) {
  int64_t extent = mlirShapedTypeGetDimSize(
      mlirValueGetType(tile_region_source(region)), dim);
  TileIndexBounds bounds = tile_index_bounds(tile_region_offset(region, dim));
  return extent >= 0 && bounds.is_known && bounds.min >= 0 &&
         bounds.max <= extent - tile_region_static_sizes(region, dim);
}

MlirValue tile_window_pad(MlirValue tile) {
  MlirValue none = {NULL};
  if (!mlirValueIsAOpResult(tile))
    return none;
  TileRegionOp region = tile_region_dyn(mlirOpResultGetOwner(tile));
  if (!region.op.ptr || !tile_region_pad(region).ptr ||
      tile_value_is_zero_bits(tile_region_pad(region)))
    return none;
  int rank = (int)tile_region_static_sizes_size(region);
  for (int d = 0; d < rank; d++)
    if (!tile_window_is_inside(region, d))
      return tile_region_pad(region);
  return none;
}
