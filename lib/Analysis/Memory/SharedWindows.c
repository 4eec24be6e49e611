//===- SharedWindows.c - Layouts of windows of shared tiles ---------------===//

#include "Analysis/Index/Index.h"
#include "Memory.h"

#include "Dialect/TileLayouts.h"
#include <stdio.h>

static void window_offsets(TileSharedWindow *window, TileBuffer buffer) {
  TileShape whole;
  tile_shape_of(buffer.base, &whole);
  for (int d = 0; d < whole.rank; d++) {
    window->offset[d] = tile_int_constant(0);
    window->dim[d] = d;
  }
  if (!buffer.region.ptr)
    return;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  window->on_grid = tile_region_on_grid(region);
  for (int d = 0; d < whole.rank; d++) {
    window->offset[d] = tile_region_offset(region, d);
    int result = tile_region_result_dim(region, d);
    if (result >= 0)
      window->dim[result] = d;
  }
}

static void window_sizes(const TileSharedWindow *window,
                         int64_t size[TILE_MAX_RANK]) {
  for (int d = 0; d < window->full_rank; d++)
    size[d] = 1;
  for (int d = 0; d < window->shape.rank; d++)
    size[window->dim[d]] = window->shape.extent[d];
}

// Gives the window a layout of its own where it can have one.
static void window_align(TileSharedWindow *window) {
  TileLayoutCut cut = {.rank = window->shape.rank};
  TileLayoutWindow slice;
  TileLayoutError error;
  window_sizes(window, cut.size);
  for (int d = 0; d < window->full_rank; d++) {
    cut.is_dynamic[d] = !tile_int_is_constant(window->offset[d]);
    cut.offset[d] = window->offset[d].constant;
    if (cut.is_dynamic[d] && !window->on_grid &&
        tile_index_divisor(window->offset[d]) % cut.size[d])
      return;
  }
  for (int d = 0; d < window->shape.rank; d++)
    cut.shape[d] = window->shape.extent[d];
  if (!tile_layout_cut(&window->full, &cut, &slice, &error))
    return;
  window->layout = slice.layout;
  window->toggle = slice.toggle;
  window->add = slice.add;
  window->is_aligned = true;
}

bool tile_shared_window_complete(TileSharedWindow *window,
                                 TileLayoutError *out_error) {
  TileLayoutTerms terms;
  if (!tile_layout_of_tile(window->tile, &window->full, out_error) ||
      !tile_layout_terms(&window->full, 0, &terms, out_error))
    return false;
  window->full_rank = window->full.in.num_axes;
  window_align(window);
  return true;
}

bool tile_shared_window_get(MlirValue tile, TileSharedWindow *out_window,
                            TileLayoutError *out_error) {
  TileSharedWindow window = {0};
  TileBuffer buffer = tile_buffer_of(tile);
  window.tile = buffer.base;
  if (!tile_buffer_alloc(buffer).op.ptr ||
      !tile_shape_of(tile, &window.shape) ||
      window.shape.space != TILE_SPACE_SHARED) {
    snprintf(out_error->text, sizeof out_error->text, "no shared tile");
    return false;
  }
  window_offsets(&window, buffer);
  if (!tile_shared_window_complete(&window, out_error))
    return false;
  *out_window = window;
  return true;
}
