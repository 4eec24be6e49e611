//===- Fragments.c - Registers of a fragment, and where they lie ----------===//

#include "Fragments.h"

#include "Analysis/Memory/Memory.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/llvm.h"

bool fragment_begin(Lowering *l, MlirOperation op, const View *view,
                    Fragment *out) {
  TileReason error;
  TileInt lane = tile_int_value(lane_id(l));
  TileInt in[3] = {tile_int_constant(0), lane, tile_int_value(warp_id(l))};
  out->view = view;
  if (tile_layout_of_tile(view->memory->key, &out->layout, &error) &&
      tile_layout_code_begin(&l->i32, &out->layout, 1u << TILE_LAYOUT_REG, in,
                             &out->code, &error))
    return true;
  lower_fail_internal(l, op, "cannot address the fragment: %s", error.text);
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

// A lane or warp digit without image replicates: its copies stay silent.
MlirValue fragment_owner(Lowering *l, const TileLayout *layout) {
  MlirValue owner = {NULL};
  MlirValue lane = lane_id(l);
  MlirValue ids[3] = {{NULL}, lane, warp_id(l)};
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *in = &layout->in.digit[i];
    if (layout->image[i] || in->axis == TILE_LAYOUT_REG)
      continue;
    TileInt digit = tile_int_rem(
        &l->i32,
        tile_int_div(&l->i32, tile_int_value(ids[in->axis]), in->stride),
        in->radix);
    MlirValue value = tile_int_get(&l->i32, digit);
    MlirValue is_first =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = value,
                   .rhs = tile_const_int(&l->b, 0, 32));
    owner = and_maybe(l, owner, is_first);
  }
  return owner;
}

// ptxas may load them when they are needed, so that more than there are
// registers is no error.
void fragment_remark_pieces(const Lowering *l, MlirOperation op,
                            const bool *is_piece, int64_t num_regs) {
  bool in_role = l->num_threads != l->kernel_threads; // it may have more
  int64_t count = 0, limit = in_role ? l->target->max_thread_registers
                                     : l->thread_registers;
  for (int64_t r = 0; r < num_regs; r++)
    count += is_piece[r];
  if (count + TILE_OTHER_REGISTERS > limit)
    tile_emit_remark(
        op, "tile-copy/registers",
        "the elements of a thread arrive in %lld pieces of less than 32 bits, "
        "a register each; threads of %s have %lld: some may be spilled",
        (long long)count, l->target->chip, (long long)limit);
}
