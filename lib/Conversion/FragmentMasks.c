//===- FragmentMasks.c - Which registers of a fragment hold elements ------===//

#include "Conversion.h"

#include "Support/Constants.h"

static TileLayoutPresence presence(const TileLayout *layout, int dims,
                                   int64_t reg, unsigned *out_compared) {
  TileLayoutPresence result = TILE_LAYOUT_PRESENT;
  *out_compared = 0;
  for (int d = 0; d < layout->out.num_axes; d++) {
    if (!(dims & 1 << d))
      continue;
    TileLayoutPresence here = tile_layout_presence(layout, d, reg);
    if (here == TILE_LAYOUT_ABSENT)
      return here;
    if (here == TILE_LAYOUT_MASKED) {
      result = here;
      *out_compared |= 1u << d;
    }
  }
  return result;
}

bool tile_fragment_mask_build(TileIntMath *math, const TileLayoutCode *code,
                              int dims, int64_t reg,
                              MlirValue *inout_predicate) {
  const TileLayout *layout = &code->layout;
  unsigned compared;
  int64_t in[3] = {reg, 0, 0};
  if (presence(layout, dims, reg, &compared) == TILE_LAYOUT_ABSENT)
    return false;
  for (int d = 0; d < layout->out.num_axes; d++) {
    if (!(compared & 1u << d))
      continue;
    TileInt extent = tile_int_constant(layout->out.extent[d]);
    MlirValue place =
        tile_int_get(math, tile_layout_code_at(math, code, d, in));
    MlirValue exists =
        arith_cmpi(math->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                   .lhs = place, .rhs = tile_int_get(math, extent));
    *inout_predicate = mlirValueIsNull(*inout_predicate)
                           ? exists
                           : arith_andi(math->b, *inout_predicate, exists);
  }
  return true;
}

int64_t tile_fragment_run(const TileLayout *layout, int dim, int64_t run) {
  while (tile_layout_overhangs(layout, dim) && layout->out.extent[dim] % run)
    run /= 2;
  return run;
}

static bool exists_at(const TileLayout *layout, const int64_t in[3]) {
  int64_t at[TILE_LAYOUT_MAX_AXES];
  return tile_layout_eval(layout, in, at) && tile_layout_in_tile(layout, at);
}

// A thread in which the element of register `reg` exists, if there is one.
static void find_holder(const TileLayout *layout, int64_t reg, int64_t in[3]) {
  int64_t lanes = layout->in.extent[TILE_LAYOUT_LANE];
  int64_t threads = lanes * layout->in.extent[TILE_LAYOUT_WARP];
  in[TILE_LAYOUT_REG] = reg;
  for (int64_t t = 0; t < threads; t++) {
    in[TILE_LAYOUT_LANE] = t % lanes;
    in[TILE_LAYOUT_WARP] = t / lanes;
    if (exists_at(layout, in))
      return;
  }
}

void tile_fragment_vector(const TileLayout *layout, const TileLayout *access,
                          const uint8_t *is_outside, int64_t reg, int64_t count,
                          int64_t *out_regs) {
  int64_t num_regs = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
  int64_t offset, first, in[3];
  for (int64_t i = 0; i < count; i++)
    out_regs[i] = reg; // if no thread has all of it
  find_holder(layout, reg, in);
  tile_layout_eval(access, in, &first);
  for (in[0] = 0; in[0] < num_regs; in[0]++) {
    tile_layout_eval(access, in, &offset);
    if (offset / count == first / count && exists_at(layout, in) &&
        !(is_outside && is_outside[in[0]]))
      out_regs[offset % count] = in[0];
  }
  out_regs[first % count] = reg;
}

bool tile_fragment_repeats(const TileLayout *layout, int64_t reg) {
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *in = &layout->in.digit[i];
    if (!layout->image[i] && in->axis == TILE_LAYOUT_REG &&
        reg / in->stride % in->radix)
      return true;
  }
  return false;
}
