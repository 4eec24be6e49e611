//===- ProtocolCells.c - Parts of slots that ops touch --------------------===//
//
// Every window of a slot begins and ends at a cut; what lies between two cuts
// is a cell. A fill is complete when its cells cover what is read.
//
//===----------------------------------------------------------------------===//

#include "ProtocolExtract.h"

#include <string.h>

static CellsRing *find_ring(const Cells *cells, MlirValue ring) {
  for (int i = 0; i < cells->num_rings; i++)
    if (mlirValueEqual(cells->rings[i].ring, ring))
      return &cells->rings[i];
  return NULL;
}

static bool add_cut(CellsRing *ring, int dim, int64_t at) {
  int64_t *cuts = ring->cuts[dim];
  int place = 0;
  while (place < ring->num_cuts[dim] && cuts[place] < at)
    place++;
  if (place < ring->num_cuts[dim] && cuts[place] == at)
    return true;
  if (ring->num_cuts[dim] == CELLS_MAX_CUTS)
    return false;
  memmove(cuts + place + 1, cuts + place,
          sizeof *cuts * (size_t)(ring->num_cuts[dim] - place));
  cuts[place] = at;
  ring->num_cuts[dim]++;
  return true;
}

static int num_cells(const CellsRing *ring) {
  int count = 1;
  for (int d = 0; d < ring->rank; d++)
    count = count > 64 ? count : count * (ring->num_cuts[d] - 1);
  return count;
}

//===-- Build -------------------------------------------------------------===//

static bool add_ring(Extract *extract, MlirValue value, int channel) {
  Cells *cells = &extract->cells;
  TileShape shape;
  if (!tile_shape_of(value, &shape) || cells->num_rings == cells->capacity)
    return false;
  CellsRing *ring = &cells->rings[cells->num_rings++];
  *ring = (CellsRing){.ring = value, .channel = channel};
  ring->rank = shape.rank - 1;
  for (int d = 0; d < ring->rank; d++) {
    add_cut(ring, d, 0);
    add_cut(ring, d, shape.extent[d + 1]);
  }
  return true;
}

static bool cut_window(CellsRing *ring, TileRegionOp region) {
  for (int d = 0; d < ring->rank; d++) {
    TileInt offset = tile_region_offset(region, d + 1);
    int64_t size = tile_region_static_sizes(region, d + 1);
    if (!tile_int_is_constant(offset) || !add_cut(ring, d, offset.constant) ||
        !add_cut(ring, d, offset.constant + size))
      return false;
  }
  return true;
}

static bool cut_ring(Extract *extract, CellsRing *ring) {
  for (MlirOpOperand use = mlirValueGetFirstUse(ring->ring);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_region_is(user) && !cut_window(ring, tile_region_cast(user))) {
      extract_fail(extract, user,
                   "is a window of a slot whose place is not constant, or one "
                   "of too many");
      return false;
    }
  }
  return true;
}

bool extract_cells_build(Extract *extract) {
  Cells *cells = &extract->cells;
  for (int c = 0; c < extract->out->num_channels; c++) {
    TileRange rings = extract_rings(extract, c);
    cells->capacity += (int)rings.n;
  }
  cells->rings = TILE_ARENA_NEW(extract->arena, CellsRing, cells->capacity + 1);
  for (int c = 0; c < extract->out->num_channels; c++) {
    TileRange rings = extract_rings(extract, c);
    int next = 0;
    for (intptr_t r = 0; r < rings.n; r++) {
      MlirValue value = tile_range_at(rings, r);
      if (find_ring(cells, value) || !add_ring(extract, value, c)) {
        extract_fail(extract, extract->channels[c],
                     "shares a ring with another channel");
        return false;
      }
      CellsRing *ring = &cells->rings[cells->num_rings - 1];
      if (!cut_ring(extract, ring))
        return false;
      ring->first_cell = next;
      next += num_cells(ring);
      if (next > 64) {
        extract_fail(extract, extract->channels[c],
                     "has slots with more than 64 parts");
        return false;
      }
    }
  }
  return true;
}

//===-- Windows -----------------------------------------------------------===//

// Bits of the cells from `dim` on, where `index` numbers what is before it.
static uint64_t cells_of(const CellsRing *ring, const int64_t *offset,
                         const int64_t *size, int dim, int index) {
  uint64_t bits = 0;
  if (dim == ring->rank)
    return UINT64_C(1) << (ring->first_cell + index);
  for (int i = 0; i + 1 < ring->num_cuts[dim]; i++)
    if (ring->cuts[dim][i] >= offset[dim] &&
        ring->cuts[dim][i + 1] <= offset[dim] + size[dim])
      bits |= cells_of(ring, offset, size, dim + 1,
                       index * (ring->num_cuts[dim] - 1) + i);
  return bits;
}

uint64_t extract_cells(const Extract *extract, MlirValue tile,
                       int *out_channel) {
  TileBuffer buffer = tile_buffer_of(tile);
  const CellsRing *ring = find_ring(&extract->cells, buffer.root);
  int64_t offset[TILE_MAX_RANK] = {0}, size[TILE_MAX_RANK] = {0};
  if (!ring || !buffer.region.ptr)
    return 0;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  for (int d = 0; d < ring->rank; d++) {
    offset[d] = tile_region_offset(region, d + 1).constant;
    size[d] = tile_region_static_sizes(region, d + 1);
  }
  *out_channel = ring->channel;
  return cells_of(ring, offset, size, 0, 0);
}
