//===- Gather.c - Four rows of a tensor at once ---------------------------===//
//
// PTX ISA, ".tile::scatter4 and .tile::gather4 modes", of sm_100. The first
// coordinate is that of the columns, the others are four rows.
//
//===----------------------------------------------------------------------===//

#include "TmaRows.h"

bool tile_emu_gather_rows(const TileTensorWalk *walk, TileAsyncRow *rows) {
  const TileEncodedMap *map = walk->map;
  if (map->box[1] != 1) {
    tile_emu_find(walk->warp, walk->insn, tile_lane_bit(walk->lane),
                  TILE_FINDING_TENSOR_MAP,
                  "%u rows in the box of the tensor map, not 1 as four single "
                  "rows need",
                  map->box[1]);
    return false;
  }
  for (uint32_t r = 0; r < TILE_GATHER_ROWS; r++) {
    int64_t at[TILE_TENSOR_MAP_MAX_RANK] = {0, walk->start[1 + r]};
    rows[r] = tile_emu_tensor_row(walk, at, r);
  }
  return true;
}
