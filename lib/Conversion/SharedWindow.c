//===- SharedWindow.c - Addresses in windows of shared tiles --------------===//
//
// An access is coordinates -> offset. Where the coordinates are a layout of
// threads and constants, and the digits of both layouts meet, the composition
// is a layout again: swizzles then cost one XOR per access, and constants are
// offsets of the instruction. Elsewhere coordinates are computed one by one.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include <assert.h>

//===-- The window --------------------------------------------------------===//

TileInt tile_shared_window_at(TileIntMath *math, const TileSharedWindow *window,
                              const TileInt *coordinates) {
  TileInt in[TILE_MAX_RANK];
  TileLayoutCode code;
  TileReason error;
  const TileBox *box = &window->box;
  for (int d = 0; d < box->rank; d++)
    in[d] = box->offset[d];
  for (int d = 0; d < window->shape.rank; d++)
    in[box->base_dim[d]] =
        tile_int_add(math, in[box->base_dim[d]], coordinates[d]);
  bool has_code =
      tile_layout_code_begin(math, &window->full, 0, in, &code, &error);
  assert(has_code && "checked when the window was made");
  (void)has_code;
  return tile_layout_code_at(math, &code, 0, NULL);
}

TileInt tile_shared_window_base(TileIntMath *math,
                                const TileSharedWindow *window) {
  TileInt in[TILE_MAX_RANK];
  TileLayoutCode code;
  TileReason error;
  bool is_constant = true;
  for (int d = 0; d < window->box.rank; d++) {
    TileInt offset = window->box.offset[d];
    bool fixed = tile_int_is_constant(offset);
    in[d] = fixed ? tile_int_constant(0) : offset;
    is_constant &= fixed;
  }
  if (is_constant ||
      !tile_layout_code_begin(math, &window->full, 0, in, &code, &error))
    return tile_int_constant(0);
  return tile_layout_code_at(math, &code, 0, NULL);
}

//===-- Accesses ----------------------------------------------------------===//

void tile_shared_access_plan(const TileSharedWindow *window,
                             const TileLayout *coordinates,
                             unsigned constant_axes,
                             TileSharedAccess *out_access) {
  TileReason error;
  TileLayoutTerms terms;
  out_access->window = window;
  out_access->constant_axes = constant_axes;
  out_access->coordinates = *coordinates;
  out_access->is_composed =
      window->is_aligned &&
      tile_layout_compose(coordinates, &window->layout, &out_access->offsets,
                          &error) &&
      tile_layout_terms(&out_access->offsets, constant_axes, &terms, &error);
}

void tile_shared_code_begin(TileIntMath *math, const TileSharedAccess *access,
                            const TileInt *in, TileSharedCode *out_code) {
  TileReason error;
  out_code->access = access;
  out_code->base = access->is_composed
                       ? tile_shared_window_base(math, access->window)
                       : tile_int_constant(0);
  bool has_code = tile_layout_code_begin(
      math, access->is_composed ? &access->offsets : &access->coordinates,
      access->constant_axes, in, &out_code->code, &error);
  assert(has_code && "coordinates of lanes and warps are shifts and masks");
  (void)has_code;
  // Before the constants, so that those stay offsets of the instruction.
  if (access->window->toggle == 0) {
    out_code->code.sums[0] =
        tile_int_add(math, out_code->code.sums[0], out_code->base);
    out_code->base = tile_int_constant(0);
  }
}

TileInt tile_shared_code_at(TileIntMath *math, const TileSharedCode *code,
                            const int64_t *in) {
  const TileSharedWindow *window = code->access->window;
  if (code->access->is_composed) {
    TileInt offset = tile_layout_code_at(math, &code->code, 0, in);
    offset = tile_int_xor(math, offset, tile_int_constant(window->toggle));
    offset = tile_int_add(math, offset, code->base);
    return tile_int_add(math, offset, tile_int_constant(window->add));
  }
  TileInt coordinates[TILE_MAX_RANK];
  for (int d = 0; d < window->shape.rank; d++)
    coordinates[d] = tile_layout_code_at(math, &code->code, d, in);
  return tile_shared_window_at(math, window, coordinates);
}
