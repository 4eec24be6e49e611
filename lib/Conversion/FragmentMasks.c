//===- FragmentMasks.c - Which registers of a fragment hold elements ------===//

#include "FragmentMasks.h"

#include "Tile/Support/Constants.h"

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
    MlirValue exists = arith_cmpi(
        math->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
        .lhs = tile_int_get(math, tile_layout_code_at(math, code, d, in)),
        .rhs = tile_int_get(math, extent));
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
