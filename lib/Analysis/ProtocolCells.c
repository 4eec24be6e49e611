//===- ProtocolCells.c - Parts of slots that ops touch --------------------===//
//
// Every window of a slot begins and ends at a cut; what lies between two cuts
// is a cell. A fill is complete when its cells cover what is read.
//
//===----------------------------------------------------------------------===//

#include "ProtocolExtract.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include <stdio.h>
#include <string.h>

const CellsRing *extract_ring_of(const Extract *extract, MlirValue value,
                                 bool *out_is_view) {
  const Cells *cells = &extract->cells;
  *out_is_view = false;
  while (mlirValueIsAOpResult(value) &&
         tile_view_is(mlirOpResultGetOwner(value))) {
    value = tile_view_source(tile_view_cast(mlirOpResultGetOwner(value)));
    *out_is_view = true;
  }
  for (int i = 0; i < cells->num_rings; i++)
    if (mlirValueEqual(cells->rings[i].ring, value))
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

// The loop of copies of which `region` is the window of one iteration.
static bool cut_sweep(CellsRing *ring, TileRegionOp region) {
  MlirOperation loop = mlirOperationGetParentOperation(region.op);
  TileCopyLoopFill fill;
  while (loop.ptr && !scf_for_is(loop) && !tile_role_is(loop))
    loop = mlirOperationGetParentOperation(loop);
  if (!loop.ptr || !tile_copy_loop_fill(loop, ring->ring, true, &fill))
    return false;
  for (int d = 0; d < ring->rank; d++)
    if (!add_cut(ring, d, fill.begin[d + 1]) ||
        !add_cut(ring, d, fill.end[d + 1]))
      return false;
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

static bool cut_element(CellsRing *ring, MlirOperation access) {
  int64_t offset[TILE_MAX_RANK], size[TILE_MAX_RANK];
  TileParallelOp loop = tile_parallel_around(access);
  if (!extract_element_window(loop, access, ring->rank, offset, size))
    return true; // fills nothing for sure, and may read all
  for (int d = 0; d < ring->rank; d++) {
    int64_t end = ring->cuts[d][ring->num_cuts[d] - 1];
    int64_t first = offset[d], last = offset[d] + size[d];
    if ((first > 0 && first < end && !add_cut(ring, d, first)) ||
        (last > 0 && last < end && !add_cut(ring, d, last)))
      return false;
  }
  return true;
}

static bool cut_uses(Extract *extract, CellsRing *ring, MlirValue value);

// A view has the slots of the ring when it has as many.
static bool cut_view(Extract *extract, CellsRing *ring, MlirOperation view) {
  MlirValue value = mlirOperationGetResult(view, 0);
  TileShape shape, whole;
  if (tile_shape_of(value, &shape) && tile_shape_of(ring->ring, &whole) &&
      shape.rank > 1 && shape.extent[0] == whole.extent[0])
    return cut_uses(extract, ring, value);
  extract_fail(extract, view, "is a view of a ring with other slots");
  return false;
}

// A use of `value`, the ring or a view of it; false after extract_fail.
static bool cut_use(Extract *extract, CellsRing *ring, MlirValue value,
                    MlirOperation user) {
  TileElementAccess access;
  bool is_ring = mlirValueEqual(value, ring->ring);
  if (tile_view_is(user))
    return cut_view(extract, ring, user);
  if (tile_region_is(user)) {
    if (!is_ring || cut_window(ring, tile_region_cast(user)) ||
        cut_sweep(ring, tile_region_cast(user)))
      return true;
    extract_fail(extract, user,
                 "is a window of a slot whose place is not constant, or one "
                 "of too many");
    return false;
  }
  if (tile_element_access_get(user, &access)) {
    bool is_loop = tile_parallel_around(user).op.ptr != NULL;
    if (!is_ring || !is_loop || cut_element(ring, user))
      return true;
    extract_fail(extract, user, "is in one of too many windows of a slot");
    return false;
  }
  extract_fail(extract, user, "uses a ring, and no window of one slot");
  return false;
}

static bool cut_uses(Extract *extract, CellsRing *ring, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool may_be_inside =
        tile_role_of(user).op.ptr || tile_region_is(user) || tile_view_is(user);
    if (may_be_inside && !cut_use(extract, ring, value, user))
      return false;
  }
  return true;
}

//===-- Names -------------------------------------------------------------===//

// "[0:32, 0:64] of ring 1", for cell `index` of a ring.
static const char *cell_name(TileArena *arena, const CellsRing *ring,
                             int number, int index) {
  enum { NAME_BYTES = 128 };
  char *name = TILE_ARENA_NEW(arena, char, NAME_BYTES);
  int64_t first[TILE_MAX_RANK], last[TILE_MAX_RANK];
  for (int d = ring->rank - 1; d >= 0; d--) {
    int count = ring->num_cuts[d] - 1;
    first[d] = ring->cuts[d][index % count];
    last[d] = ring->cuts[d][index % count + 1];
    index /= count;
  }
  int length = 0;
  for (int d = 0; d < ring->rank; d++)
    length +=
        snprintf(name + length, (size_t)(NAME_BYTES - length), "%s%lld:%lld",
                 d ? ", " : "[", (long long)first[d], (long long)last[d]);
  snprintf(name + length, (size_t)(NAME_BYTES - length), "] of ring %d",
           number);
  return name;
}

static const char *const *name_cells(Extract *extract, int channel) {
  const char **names = TILE_ARENA_NEW(extract->arena, const char *, 64);
  int number = 0;
  for (int r = 0; r < extract->cells.num_rings; r++) {
    const CellsRing *ring = &extract->cells.rings[r];
    if (ring->channel != channel)
      continue;
    for (int i = 0; i < num_cells(ring); i++)
      names[ring->first_cell + i] = cell_name(extract->arena, ring, number, i);
    number++;
  }
  return names;
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
    bool is_view;
    int next = 0;
    for (intptr_t r = 0; r < rings.n; r++) {
      MlirValue value = tile_range_at(rings, r);
      if (extract_ring_of(extract, value, &is_view) ||
          !add_ring(extract, value, c)) {
        extract_fail(extract, extract->channels[c],
                     "shares a ring with another channel");
        return false;
      }
      CellsRing *ring = &cells->rings[cells->num_rings - 1];
      if (!cut_uses(extract, ring, ring->ring))
        return false;
      ring->first_cell = next;
      next += num_cells(ring);
      if (next > 64) {
        extract_fail(extract, extract->channels[c],
                     "has slots with more than 64 parts");
        return false;
      }
    }
    extract->out->channels[c].cell_names = name_cells(extract, c);
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

uint64_t extract_window_cells(const CellsRing *ring, const int64_t *offset,
                              const int64_t *size) {
  return cells_of(ring, offset, size, 0, 0);
}

uint64_t extract_ring_cells(const CellsRing *ring) {
  int64_t offset[TILE_MAX_RANK] = {0}, size[TILE_MAX_RANK];
  for (int d = 0; d < ring->rank; d++)
    size[d] = ring->cuts[d][ring->num_cuts[d] - 1];
  return cells_of(ring, offset, size, 0, 0);
}

// Whether a window of a view holds whole slots.
static bool is_whole_slot(TileRegionOp region, const TileShape *view) {
  for (int d = 1; d < view->rank; d++) {
    TileInt offset = tile_region_offset(region, d);
    if (!tile_int_is_constant(offset) || offset.constant != 0 ||
        tile_region_static_sizes(region, d) != view->extent[d])
      return false;
  }
  return true;
}

bool extract_cells(const Extract *extract, MlirValue tile, bool writes,
                   int *out_channel, uint64_t *out_cells) {
  TileBuffer buffer = tile_buffer_of(tile);
  bool is_view;
  TileShape shape;
  int64_t offset[TILE_MAX_RANK] = {0}, size[TILE_MAX_RANK] = {0};
  const CellsRing *ring = extract_ring_of(extract, buffer.base, &is_view);
  if (!ring || !buffer.region.ptr || !tile_shape_of(buffer.base, &shape))
    return false;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  *out_channel = ring->channel;
  if (is_view) { // what part of a slot is not followed
    *out_cells =
        !writes || is_whole_slot(region, &shape) ? extract_ring_cells(ring) : 0;
    return true;
  }
  for (int d = 0; d < ring->rank; d++) {
    TileInt at = tile_region_offset(region, d + 1);
    if (!tile_int_is_constant(at)) { // a part of a loop of copies
      *out_cells = writes ? 0 : extract_ring_cells(ring);
      return true;
    }
    offset[d] = at.constant;
    size[d] = tile_region_static_sizes(region, d + 1);
  }
  *out_cells = cells_of(ring, offset, size, 0, 0);
  return true;
}
