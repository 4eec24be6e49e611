//===- SyncWindows.c - Which windows of a buffer are disjoint -------------===//
//
// An access touches a place: a buffer, or the window of one. Places of a buffer
// are disjoint when in some dimension the distance of their offsets is known to
// be as large as the windows, in numbers of one round (Analysis/Index/Index.h).
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Support/Arithmetic.h"

//===-- Places ------------------------------------------------------------===//

static void add_dim(const Flow *flow, SyncPlace *place, TileInt offset,
                    int64_t size) {
  SyncDim *dim = &place->dims[place->rank++];
  const TileIndex *index = tile_index_of(flow->indices, offset);
  *dim = (SyncDim){tile_index_congruent(flow->indices, index),
                   tile_index_bounds(offset), size};
  for (int i = 0; i < dim->offset->num_terms; i++) {
    MlirOperation home = dim->offset->terms[i].symbol->home;
    if (!mlirOperationIsNull(home) && (mlirOperationIsNull(place->home) ||
                                       tile_op_is_inside(home, place->home)))
      place->home = home;
  }
}

// Whether elements with other coordinates lie in other bytes.
static bool has_own_bytes(MlirValue base, MlirType element, bool is_shared) {
  // Two elements of less than a byte may lie in one; strides may be anything.
  return tile_elem_bits(element) >= 8 &&
         (is_shared || mlirAffineMapIsIdentity(
                           mlirMemRefTypeGetAffineMap(mlirValueGetType(base))));
}

SyncPlace sync_place_of_tile(const Flow *flow, MlirValue tile, size_t buffer,
                             bool is_shared) {
  TileBox box;
  TileShape shape;
  bool is_box = tile_box_of(tile, &box) && !box.is_gathered;
  SyncPlace place = {.tile = tile, .base = box.base, .buffer = buffer};
  if (!is_box || !tile_shape_of(tile, &shape) ||
      !has_own_bytes(box.base, shape.element, is_shared))
    return place;
  for (int d = 0; d < box.rank; d++)
    if (box.size[d] < 1)
      return place; // of a tensor whose size is not known
  place.is_on_grid = box.region.op.ptr && tile_region_on_grid(box.region);
  for (int d = 0; d < box.rank; d++)
    add_dim(flow, &place, box.offset[d], box.size[d]);
  return place;
}

SyncPlace sync_place_of_loop(const Flow *flow, MlirValue tile,
                             const SyncLoopWindow *window, size_t buffer,
                             bool is_shared) {
  SyncPlace place = {.tile = tile, .base = tile, .buffer = buffer};
  TileShape shape;
  if (!tile_shape_of(tile, &shape) ||
      !has_own_bytes(tile, shape.element, is_shared))
    return place;
  for (int d = 0; d < window->rank; d++)
    add_dim(flow, &place, window->offset[d], window->size[d]);
  return place;
}

SyncPlace sync_place_of_slot(const Flow *flow, MlirValue barrier,
                             MlirValue slot, size_t buffer) {
  SyncPlace place = {
      .tile = barrier, .slot = slot, .base = barrier, .buffer = buffer};
  add_dim(flow, &place, tile_int_value(slot), 1);
  return place;
}

//===-- Disjoint ----------------------------------------------------------===//

// The offset of `now` behind that of `then`, which was touched `age` ago.
static TileAgedDistance distance_at(const Flow *flow, const SyncDim *now,
                                    const SyncDim *then, TileAge age,
                                    MlirOperation home) {
  return tile_index_distance(flow->indices, now->offset, then->offset, age,
                             home);
}

static bool dims_are_disjoint(const Flow *flow, const SyncDim *now,
                              const SyncDim *then, TileAge age,
                              MlirOperation home) {
  if (now->bounds.is_known && then->bounds.is_known &&
      (now->bounds.min >= then->bounds.max + then->size ||
       then->bounds.min >= now->bounds.max + now->size))
    return true;
  return tile_aged_ranges_overlap(distance_at(flow, now, then, age, home),
                                  now->size, then->size) == TILE_OVERLAP_NONE;
}

static bool are_windows_of_one(const SyncPlace *now, const SyncPlace *then) {
  return now->rank != 0 && now->rank == then->rank &&
         mlirValueEqual(now->base, then->base);
}

bool sync_windows_overlap(const Flow *flow, const SyncPlace *now,
                          const SyncPlace *then, TileAge age) {
  if (!are_windows_of_one(now, then))
    return true;
  for (int d = 0; d < now->rank; d++)
    if (dims_are_disjoint(flow, &now->dims[d], &then->dims[d], age, then->home))
      return false;
  return true;
}

// Whether the distance of the offsets is a multiple of the size, which is that
// of both.
static bool dims_match(const Flow *flow, const SyncDim *now,
                       const SyncDim *then, TileAge age, MlirOperation home) {
  TileAgedDistance at = distance_at(flow, now, then, age, home);
  int64_t divisor = tile_gcd(at.distance.modulus, at.distance.constant);
  return tile_gcd(divisor, at.drift) % now->size == 0;
}

bool sync_windows_match(const Flow *flow, const SyncPlace *now,
                        const SyncPlace *then, TileAge age) {
  if (!are_windows_of_one(now, then))
    return false;
  bool on_grid = now->is_on_grid && then->is_on_grid;
  for (int d = 0; d < now->rank; d++)
    if (now->dims[d].size != then->dims[d].size ||
        !(on_grid ||
          dims_match(flow, &now->dims[d], &then->dims[d], age, then->home)))
      return false;
  return true;
}

bool sync_windows_distance(const Flow *flow, const SyncPlace *now,
                           const SyncPlace *then, TileAge age,
                           int64_t out_distance[SYNC_MAX_DIMS]) {
  if (!are_windows_of_one(now, then))
    return false;
  for (int d = 0; d < now->rank; d++) {
    TileAgedDistance at =
        distance_at(flow, &now->dims[d], &then->dims[d], age, then->home);
    if (at.distance.modulus || at.drift)
      return false;
    out_distance[d] = at.distance.constant;
  }
  return true;
}
