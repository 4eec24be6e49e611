//===- Boxes.c - Where a tile operand lies; whether two boxes meet --------===//

#include "Boxes.h"

#include "Im2col.h"

//===-- Windows -----------------------------------------------------------===//

TileInt tile_region_offset(TileRegionOp region, int dim) {
  intptr_t dynamic = 0;
  for (int d = 0; d < dim; d++)
    dynamic += mlirShapedTypeIsDynamicStrideOrOffset(
        tile_region_static_offsets(region, d));
  int64_t offset = tile_region_static_offsets(region, dim);
  if (!mlirShapedTypeIsDynamicStrideOrOffset(offset))
    return tile_int_constant(offset);
  MlirValue value = tile_range_at(tile_region_offsets(region), dynamic);
  int64_t constant;
  return mlirxConstantInt(value, &constant) ? tile_int_constant(constant)
                                            : tile_int_value(value);
}

MlirValue tile_region_end(TileRegionOp region, int dim) {
  for (intptr_t i = 0; i < tile_region_bounded_size(region); i++)
    if (tile_region_bounded(region, i) == dim)
      return tile_range_at(tile_region_ends(region), i);
  return TILE_NULL_VALUE;
}

int tile_region_result_dim(TileRegionOp region, int dim) {
  int result = dim;
  for (intptr_t i = 0; i < tile_region_dropped_size(region); i++) {
    if (tile_region_dropped(region, i) == dim)
      return -1;
    result -= tile_region_dropped(region, i) < dim;
  }
  return result;
}

//===-- Boxes -------------------------------------------------------------===//

static bool whole_box(MlirValue base, TileBox *out) {
  TileShape shape;
  out->base = base;
  if (!tile_shape_of(base, &shape))
    return false;
  out->rank = shape.rank;
  for (int d = 0; d < shape.rank; d++) {
    out->offset[d] = tile_int_constant(0);
    out->size[d] = shape.extent[d];
    out->dim[d] = out->base_dim[d] = d;
  }
  return true;
}

bool tile_box_of(MlirValue tile, TileBox *out) {
  TileBuffer buffer = tile_buffer_of(tile);
  *out = (TileBox){.root = buffer.root};
  if (!whole_box(buffer.base, out))
    return false;
  out->is_partial = tile_im2col_of(tile).op.ptr != NULL;
  if (mlirValueIsNull(buffer.region))
    return true;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  if (tile_region_static_offsets_size(region) != out->rank ||
      tile_region_static_sizes_size(region) != out->rank)
    return false;
  out->region = region;
  out->on_grid = tile_region_on_grid(region);
  for (int d = 0; d < out->rank; d++) {
    out->offset[d] = tile_region_offset(region, d);
    out->size[d] = tile_region_static_sizes(region, d);
    out->dim[d] = tile_region_result_dim(region, d);
    if (tile_region_ids(region).ptr && tile_region_dim(region) == d) {
      out->is_partial = true; // anywhere in it
      out->size[d] = mlirShapedTypeGetDimSize(mlirValueGetType(out->base), d);
    }
    if (out->dim[d] >= 0)
      out->base_dim[out->dim[d]] = d;
  }
  return true;
}

bool tile_box_in_root(MlirValue tile, TileBox *out) {
  if (!tile_box_of(tile, out))
    return false;
  if (mlirValueEqual(out->base, out->root))
    return true;
  return !out->region.op.ptr && whole_box(out->root, out);
}

bool tile_box_around(MlirValue tile, TileBox *out) {
  TileBox whole = {.root = tile_buffer_of(tile).root};
  if (!whole_box(whole.root, &whole))
    return false;
  if (!tile_box_in_root(tile, out)) {
    *out = whole;
    out->is_partial = true;
  }
  for (int d = 0; d < out->rank; d++) {
    int64_t begin = out->offset[d].constant, end = begin + out->size[d];
    if (tile_int_is_constant(out->offset[d]) && begin >= 0 &&
        end <= whole.size[d])
      continue;
    tile_box_set_range(out, d, 0, whole.size[d]);
    out->is_partial = true;
  }
  return true;
}

bool tile_box_contains(const TileBox *outer, const TileBox *inner) {
  bool contains = !outer->is_partial;
  for (int d = 0; d < inner->rank; d++) {
    int64_t first = outer->offset[d].constant,
            begin = inner->offset[d].constant;
    contains &=
        first <= begin && begin + inner->size[d] <= first + outer->size[d];
  }
  return contains;
}

bool tile_box_is_constant(const TileBox *box) {
  for (int d = 0; d < box->rank; d++)
    if (!tile_int_is_constant(box->offset[d]))
      return false;
  return true;
}

//===-- Overlap -----------------------------------------------------------===//

TileOverlap tile_ranges_overlap(TileDistance distance, int64_t now_size,
                                int64_t then_size) {
  int64_t modulus = distance.modulus;
  if (modulus == 0) {
    if (distance.constant >= then_size || -distance.constant >= now_size)
      return TILE_OVERLAP_NONE;
    return distance.constant == 0 && now_size == then_size ? TILE_OVERLAP_SAME
                                                           : TILE_OVERLAP_SOME;
  }
  int64_t above = distance.constant % modulus;
  above += above < 0 ? modulus : 0;
  return above >= then_size && modulus - above >= now_size ? TILE_OVERLAP_NONE
                                                           : TILE_OVERLAP_MAYBE;
}

static TileDistance distance_as_named(TileInt now, TileInt then) {
  bool is_same = mlirValueEqual(now.value, then.value);
  return (TileDistance){is_same ? now.constant - then.constant : 0, !is_same};
}

TileOverlap tile_boxes_overlap_as_named(const TileBox *now,
                                        const TileBox *then) {
  bool is_partial = now->is_partial || then->is_partial;
  TileOverlap overlap = is_partial ? TILE_OVERLAP_MAYBE : TILE_OVERLAP_SAME;
  if (!mlirValueEqual(now->base, then->base) || now->rank != then->rank)
    return TILE_OVERLAP_MAYBE;
  for (int d = 0; d < now->rank; d++) {
    TileDistance distance = distance_as_named(now->offset[d], then->offset[d]);
    bool is_known = now->size[d] >= 0 && then->size[d] >= 0;
    overlap = tile_overlap_and(
        overlap,
        is_known ? tile_ranges_overlap(distance, now->size[d], then->size[d])
                 : TILE_OVERLAP_MAYBE);
  }
  return overlap;
}
