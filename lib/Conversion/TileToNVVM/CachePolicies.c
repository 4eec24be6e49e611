//===- CachePolicies.c - Accesses with a policy of L2 ---------------------===//
//
// PTX ISA, "createpolicy": an eviction priority becomes an opaque 64-bit value,
// which loads, stores and copies take with `.L2::cache_hint` (sm_80). It is
// made once per kernel; ptxas folds it into a constant. While an op with a
// policy is lowered, all its accesses to global memory have it
// (`Lowering::policy`).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"
#include "Tile/Support/Constants.h"

enum { BYPASS_L1_BYTES = 16 }; // PTX ISA, "cp.async": .cg copies no others

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

//===-- cp.async ----------------------------------------------------------===//

void copy_async(Lowering *l, MlirValue dst, MlirValue src, int64_t size_bytes,
                bool bypasses_l1, MlirValue src_bytes) {
  assert((!bypasses_l1 || size_bytes == BYPASS_L1_BYTES) && "cp.async.cg");
  if (!l->policy.ptr) {
    nvvm_cp_async_shared_global(
        &l->b, .dst = dst, .src = src, .size = size_bytes,
        .modifier = bypasses_l1 ? NVVM_LOAD_CACHE_MODIFIER_KIND_CG
                                : NVVM_LOAD_CACHE_MODIFIER_KIND_CA,
        .cpSize = src_bytes);
    return;
  }
  char text[96];
  MlirValue operands[4] = {
      llvm_ptrtoint(&l->b, .type = type_i32(l), .arg = dst),
      llvm_ptrtoint(&l->b, .type = type_i64(l), .arg = src)};
  intptr_t n = 2;
  if (src_bytes.ptr)
    operands[n++] = src_bytes;
  operands[n++] = l->policy;
  snprintf(text, sizeof text,
           "cp.async.%s.shared.global.L2::cache_hint [$0], [$1], %d, %s;",
           bypasses_l1 ? "cg" : "ca", (int)size_bytes,
           src_bytes.ptr ? "$2, $3" : "$2");
  llvm_inline_asm_op(&l->b, .operands = {operands, n}, .asm_string = text,
                     .constraints = src_bytes.ptr ? "r,l,r,l" : "r,l,l",
                     .has_side_effects = true);
}
