//===- Fragments.c - Registers of a fragment, and where they lie ----------===//

#include "Reductions.h"

#include "Tile/Ops/llvm.h"

bool fragment_begin(Lowering *l, MlirOperation op, const View *view,
                    Fragment *out) {
  TileLayoutError error;
  TileInt in[3] = {tile_int_constant(0), tile_int_value(lane_id(l)),
                   tile_int_value(warp_id(l))};
  out->view = view;
  if (tile_layout_of_tile(view->memory->key, &out->layout, &error) &&
      tile_layout_code_begin(&l->i32, &out->layout, 1u << TILE_LAYOUT_REG, in,
                             &out->code, &error))
    return true;
  lower_fail(l, op, "internal error: cannot address the fragment: %s",
             error.text);
  return false;
}

void fragment_coordinates(Lowering *l, const Fragment *fragment, int64_t reg,
                          TileInt at[TILE_MAX_RANK]) {
  int64_t in[3] = {reg, 0, 0};
  for (int d = 0; d < fragment->view->shape.rank; d++)
    at[d] = tile_layout_code_at(&l->i32, &fragment->code, d, in);
}

MlirValue fragment_read(Lowering *l, const Fragment *fragment, int64_t reg) {
  Memory *memory = fragment->view->memory;
  return llvm_load(&l->b, .type = type_stored(l, memory->element),
                   .addr = register_pointer(l, memory, reg));
}
