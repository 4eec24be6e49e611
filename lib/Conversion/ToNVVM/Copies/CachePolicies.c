//===- CachePolicies.c - Accesses with a policy of L2 ---------------------===//
//
// PTX ISA, "createpolicy": an eviction priority becomes an opaque 64-bit value,
// which loads, stores and copies take with `.L2::cache_hint` (sm_80). It is
// made once per kernel; ptxas folds it into a constant. While an op with a
// policy is lowered, its loads, stores and TMA copies have it
// (`Lowering::policy`). cp.async has none: `tile-instruction-annotation` says
// why.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/Lowering.h"

#include "Tile/Ops/llvm.h"

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

void cache_policy_begin(Lowering *l, MlirAttribute eviction) {
  l->policy = (MlirValue){NULL};
  if (!mlirAttributeIsNull(eviction))
    l->policy = policy_get(l, TileEviction_from_attr(eviction));
}

void cache_policy_end(Lowering *l) { l->policy = (MlirValue){NULL}; }
