//===- Copies.c - Which lowering a copy or a fill takes -------------------===//

#include "Lowering.h"

#include "Tile/Support/Constants.h"

void lower_tile_copy(Lowering *l, MlirOperation op) {
  TileCopyOp copy = tile_copy_cast(op);
  View src, dst;
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy))) {
    lower_fail(l, op,
               "has no instruction; run tile-instruction-annotation "
               "first");
    return;
  }
  if (!view_of(l, op, tile_copy_src(copy), &src) ||
      !view_of(l, op, tile_copy_dst(copy), &dst))
    return;
  switch (tile_copy_instr(copy)) {
  case TILE_INSTR_Tma:
    lower_tma_copy(l, op, &src, &dst);
    return;
  case TILE_INSTR_CpAsync:
    lower_fail(l, op, "uses cp_async; run convert-tile-to-nvgpu first");
    return;
  default:
    break;
  }
  if (src.memory->space == TILE_SPACE_FRAGMENT ||
      dst.memory->space == TILE_SPACE_FRAGMENT)
    lower_fragment_copy(l, op, &src, &dst);
  else
    lower_simt_copy(l, op, &src, &dst);
}
