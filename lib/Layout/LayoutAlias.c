//===- LayoutAlias.c - The layout of a storage seen as another tile -------===//
//
// Views and windows. A view keeps bytes in row-major order of the tiles.
// Elements of one width are reshaped. Others are laid out in one row first:
// there an element is a run of smaller ones, whatever the extents of the tiles
// are.
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

//===-- Windows -----------------------------------------------------------===//

// The digits of dimension |dim| above a window of |size|; false when the window
// ends inside a digit.
static bool digits_above(const TileLayout *l, int dim, int64_t size,
                         uint64_t *inout_images, uint64_t *inout_others) {
  bool ends = size == l->in.extent[dim];
  for (int i = 0; i < l->in.num_digits; i++) {
    const TileLayoutDigit *digit = &l->in.digit[i];
    if (digit->axis != dim)
      continue;
    ends |= digit->stride == size;
    *(digit->stride >= size ? inout_images : inout_others) |= l->image[i];
  }
  return ends;
}

static bool offsets_only_add(const TileLayout *l, const TileLayoutCut *cut) {
  uint64_t moved = 0, others = 0;
  for (int d = 0; d < l->in.num_axes; d++) {
    for (int i = 0; i < l->in.num_digits && !cut->is_dynamic[d]; i++)
      if (l->in.digit[i].axis == d)
        others |= l->image[i];
    if (cut->is_dynamic[d] &&
        !digits_above(l, d, cut->size[d], &moved, &others))
      return false;
  }
  return !(moved & others);
}

bool tile_layout_cut(const TileLayout *l, const TileLayoutCut *cut,
                     TileLayoutWindow *out, TileLayoutError *e) {
  int64_t offset[TILE_LAYOUT_MAX_AXES];
  TileLayoutWindow slice;
  for (int d = 0; d < l->in.num_axes; d++)
    offset[d] = cut->is_dynamic[d] ? 0 : cut->offset[d];
  if (!offsets_only_add(l, cut))
    return tile_layout_fail(e, "window: offsets move what others move");
  if (!tile_layout_slice(l, offset, cut->size, &slice, e) ||
      !tile_layout_view(&slice.layout, cut->shape, cut->rank, &out->layout, e))
    return false;
  out->toggle = slice.toggle;
  out->add = slice.add;
  return true;
}
