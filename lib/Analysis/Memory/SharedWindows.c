//===- SharedWindows.c - Layouts of windows of shared tiles ---------------===//

#include "Analysis/Index/Index.h"
#include "Memory.h"

#include "Dialect/TileLayouts.h"
#include <stdio.h>

// Of offsets that are not constant only that they are not.
static void cut_of(const TileBox *box, const TileShape *window,
                   TileLayoutCut *out) {
  *out = (TileLayoutCut){.rank = window->rank};
  for (int d = 0; d < box->rank; d++) {
    out->size[d] = box->size[d];
    out->is_dynamic[d] = !tile_int_is_constant(box->offset[d]);
    out->offset[d] = box->offset[d].constant;
  }
  for (int d = 0; d < window->rank; d++)
    out->shape[d] = window->extent[d];
}

// Whether the offset of the box in a dimension of its base is known to be a
// multiple of the size there.
static bool box_is_on_grid(const TileBox *box, int dim) {
  if (tile_int_is_constant(box->offset[dim]))
    return box->offset[dim].constant % box->size[dim] == 0;
  return box->on_grid ||
         tile_index_divisor(box->offset[dim]) % box->size[dim] == 0;
}

bool tile_window_cut(MlirValue tile, TileLayoutCut *out) {
  TileBox box;
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || !tile_box_of(tile, &box))
    return false;
  for (int d = 0; d < box.rank; d++)
    if (!box_is_on_grid(&box, d))
      return false;
  cut_of(&box, &shape, out);
  return true;
}

// Gives the window a layout of its own where it can have one.
static void window_align(TileSharedWindow *window) {
  const TileBox *box = &window->box;
  TileLayoutCut cut;
  TileLayoutWindow slice;
  TileReason error;
  for (int d = 0; d < box->rank; d++)
    if (!tile_int_is_constant(box->offset[d]) && !box_is_on_grid(box, d))
      return;
  cut_of(box, &window->shape, &cut);
  if (!tile_layout_cut(&window->full, &cut, &slice, &error))
    return;
  window->layout = slice.layout;
  window->toggle = slice.toggle;
  window->add = slice.add;
  window->is_aligned = true;
}

bool tile_shared_window_complete(TileSharedWindow *window,
                                 TileReason *out_error) {
  TileLayoutTerms terms;
  if (!tile_layout_of_tile(window->box.base, &window->full, out_error) ||
      !tile_layout_terms(&window->full, 0, &terms, out_error))
    return false;
  window_align(window);
  return true;
}

bool tile_shared_window_get(MlirValue tile, TileSharedWindow *out_window,
                            TileReason *out_error) {
  TileSharedWindow window = {0};
  if (!tile_buffer_alloc(tile_buffer_of(tile)).op.ptr ||
      !tile_shape_of(tile, &window.shape) ||
      window.shape.space != TILE_SPACE_SHARED ||
      !tile_box_of(tile, &window.box)) {
    snprintf(out_error->text, sizeof out_error->text, "no shared tile");
    return false;
  }
  if (!tile_shared_window_complete(&window, out_error))
    return false;
  *out_window = window;
  return true;
}
