//===- LayoutPlaces.c - Where each element of a tile lies -----------------===//

#include "Layout.h"
#include "LayoutInternal.h"

static int64_t count_elements(const int64_t *shape, int rank) {
  int64_t count = 1;
  for (int d = 0; d < rank; d++)
    count *= shape[d];
  return count;
}

// The number of an element in the order of rows; -1 outside of the tile.
static int64_t element_at(const int64_t *at, const int64_t *shape, int rank) {
  int64_t element = 0;
  for (int d = 0; d < rank; d++) {
    if (at[d] >= shape[d])
      return -1;
    element = element * shape[d] + at[d];
  }
  return element;
}

static void find_offsets(const TileLayout *l, const int64_t *shape, int rank,
                         int64_t *out) {
  int64_t count = count_elements(shape, rank);
  for (int64_t i = 0; i < count; i++) {
    int64_t at[TILE_LAYOUT_MAX_AXES] = {0}, rest = i;
    for (int d = rank - 1; d >= 0; d--) {
      at[d] = rest % shape[d];
      rest /= shape[d];
    }
    out[i] = TILE_LAYOUT_NO_PLACE;
    tile_layout_eval(l, at, &out[i]);
  }
}

// The first of several holders stays.
static void find_holders(const TileLayout *l, const int64_t *shape, int rank,
                         int64_t *out) {
  int64_t count = count_elements(shape, rank);
  for (int64_t i = 0; i < count; i++)
    out[i] = TILE_LAYOUT_NO_PLACE;
  for (int64_t i = tile_layout_size(&l->in) - 1; i >= 0; i--) {
    int64_t in[TILE_LAYOUT_MAX_AXES], at[TILE_LAYOUT_MAX_AXES];
    tile_layout_point(&l->in, i, in);
    int64_t element =
        tile_layout_eval(l, in, at) ? element_at(at, shape, rank) : -1;
    if (element >= 0)
      out[element] = in[TILE_LAYOUT_WARP] << 24 | in[TILE_LAYOUT_LANE] << 16 |
                     in[TILE_LAYOUT_REG];
  }
}

void tile_layout_find_places(const TileLayout *l, const int64_t *shape,
                             int rank, int64_t *out) {
  if (tile_layout_is_memory(l))
    find_offsets(l, shape, rank, out);
  else
    find_holders(l, shape, rank, out);
}
