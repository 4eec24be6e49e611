//===- Copies.c - Which lowering a copy or a fill takes -------------------===//

#include "Im2colWindows.h"

#include "Support/Constants.h"

static void lower_copy(Lowering *l, MlirOperation op) {
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
  TileIm2colOp im2col = tile_im2col_of(tile_copy_src(copy));
  bool is_async = tile_copy_instr(copy) == TILE_INSTR_CpAsync;
  if (im2col.op.ptr) {
    if (dst.memory->space == TILE_SPACE_FRAGMENT) {
      lower_fail(l, op, "gathers a fragment; run tile-expand-elements first");
      return;
    }
    src.im2col = im2col_window_build(l, im2col, src.memory);
    if (is_async) {
      lower_simt_copy(l, op, &src, &dst);
      return;
    }
  }
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

void lower_tile_copy(Lowering *l, MlirOperation op) {
  cache_policy_begin(l, tile_copy_eviction_attr(tile_copy_cast(op)));
  lower_copy(l, op);
  cache_policy_end(l);
}
