//===- LayoutAlias.c - The layout of a storage seen as another tile -------===//
//
// A view keeps bytes in row-major order of the tiles. Elements of one width are
// reshaped. Others are laid out in one row first: there an element is a run of
// smaller ones, whatever the extents of the tiles are.
//
//===----------------------------------------------------------------------===//
#include "LayoutInternal.h"

bool tile_layout_reinterpret(const TileLayout *l, int from_bits,
                             const int64_t *shape, int rank, int to_bits,
                             TileLayout *out, TileLayoutError *e) {
  if (from_bits == to_bits)
    return tile_layout_view(l, shape, rank, out, e);
  if (!tile_layout_is_memory(l))
    return tile_layout_fail(e,
                            "view: registers hold elements of %d bits, not "
                            "of %d",
                            from_bits, to_bits);
  int64_t num_elems = 1;
  TileLayout row, cast;
  for (int d = 0; d < l->in.num_axes; d++)
    num_elems *= l->in.extent[d];
  return tile_layout_view(l, &num_elems, 1, &row, e) &&
         tile_layout_recast(&row, from_bits, to_bits, &cast, e) &&
         tile_layout_view(&cast, shape, rank, out, e);
}
