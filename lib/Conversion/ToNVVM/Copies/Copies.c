//===- Copies.c - Which lowering a copy or a fill takes -------------------===//

#include "Copies.h"
#include "Conversion/ToNVVM/Fragments/Fragments.h"
#include "Conversion/ToNVVM/LoweredOps.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

//===-- Policies of L2 ----------------------------------------------------===//
//
// PTX ISA, "createpolicy": an eviction priority becomes an opaque 64-bit value,
// which loads, stores and copies take with `.L2::cache_hint` (sm_80). It is
// made once per kernel; ptxas folds it into a constant. While an op with a
// policy is lowered, its loads, stores and TMA copies have it
// (`Lowering::policy`). cp.async has none: `tile-instruction-annotation` says
// why.
//

// The normal priority is that of accesses without a policy.
static const char *policy_text(TileEviction eviction) {
  switch (eviction) {
  case TILE_EVICTION_First:
    return "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;";
  case TILE_EVICTION_Last:
    return "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;";
  case TILE_EVICTION_Normal:
    break;
  }
  return NULL;
}

static MlirValue policy_get(Lowering *l, TileEviction eviction) {
  const char *text = policy_text(eviction);
  MlirValue *slot = &l->policies[eviction];
  if (!text || slot->ptr)
    return *slot;
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(l->b.rw);
  MlirOperation before = mlirRewriterBaseGetOperationAfterInsertion(l->b.rw);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, l->prolog);
  MlirOperation made =
      llvm_inline_asm_op(&l->b, .type = type_i64(l), .asm_string = text,
                         .constraints = "=l")
          .op;
  *slot = mlirOperationGetResult(made, 0);
  if (before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(l->b.rw, block);
  return *slot;
}

static void cache_policy_begin(Lowering *l, MlirAttribute eviction) {
  l->policy = (MlirValue){NULL};
  if (!mlirAttributeIsNull(eviction))
    l->policy = policy_get(l, TileEviction_from_attr(eviction));
}

static void cache_policy_end(Lowering *l) { l->policy = (MlirValue){NULL}; }

//===-- Copies ------------------------------------------------------------===//

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
  }
  if (is_async && (src.im2col || src.numbers)) {
    lower_simt_copy(l, op, &src, &dst);
    return;
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

//===-- Fills -------------------------------------------------------------===//

static void fill_fragment(Lowering *l, const View *dst, MlirValue value) {
  int64_t count;
  tile_layout_storage_elems(dst->memory->key, &count);
  for (int64_t i = 0; i < count; i++)
    llvm_store(&l->b, .value = value,
               .addr = register_pointer(l, dst->memory, i));
}

void lower_tile_fill(Lowering *l, MlirOperation op) {
  TileFillOp fill = tile_fill_cast(op);
  View dst;
  if (!view_of(l, op, tile_fill_dst(fill), &dst))
    return;
  MlirValue value =
      element_stored(l, tile_fill_value(fill), dst.memory->element);
  if (dst.memory->space == TILE_SPACE_FRAGMENT && !is_whole_tile(&dst)) {
    fill_fragment_window(l, op, &dst, value);
    return;
  }
  if (dst.memory->space == TILE_SPACE_FRAGMENT) {
    fill_fragment(l, &dst, value);
    return;
  }
  lower_simt_fill(l, op, &dst, value);
}
