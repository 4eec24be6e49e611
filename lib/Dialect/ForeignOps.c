//===- ForeignOps.c - Ops of other dialects beside tile ops ---------------===//
//
// Nothing here names an op that upstream lowers: what matters is which dialect
// it belongs to, its memory effects, its operands and results.
//
//===----------------------------------------------------------------------===//

#include "ForeignOps.h"

#include "Support/MlirExtra.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/vector.h"

bool tile_op_name_begins(MlirOperation op, const char *prefix) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = strlen(prefix);
  return name.length >= length && !memcmp(name.data, prefix, length);
}

static bool begins_with_one_of(MlirOperation op, const char *const *prefixes,
                               size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tile_op_name_begins(op, prefixes[i]))
      return true;
  return false;
}

bool tile_function_is_private(MlirOperation function) {
  MlirAttribute visibility = mlirOperationGetInherentAttributeByName(
      function, TILE_STR("sym_visibility"));
  return mlirStringRefEqual(tile_ods_str_value(visibility),
                            TILE_STR("private"));
}

//===-- Modules -----------------------------------------------------------===//

bool tile_gpu_module_is_foreign(MlirOperation op) {
  if (!gpu_module_is(op))
    return false;
  MlirAttribute targets = gpu_module_targets_attr(gpu_module_cast(op));
  intptr_t count =
      mlirAttributeIsNull(targets) ? 0 : mlirArrayAttrGetNumElements(targets);
  for (intptr_t i = 0; i < count; i++) {
    MlirDialect dialect =
        mlirAttributeGetDialect(mlirArrayAttrGetElement(targets, i));
    if (mlirStringRefEqual(mlirDialectGetNamespace(dialect), TILE_STR("nvvm")))
      return false;
  }
  return count > 0;
}

//===-- Threads -----------------------------------------------------------===//

// Ops of gpu that mean the same however many threads a block has.
static bool is_of_block(MlirOperation op) {
  static const char *const names[] = {"gpu.block_id", "gpu.cluster_",
                                      "gpu.dynamic_shared_memory",
                                      "gpu.grid_dim", "gpu.printf"};
  return begins_with_one_of(op, names, sizeof names / sizeof *names) ||
         mlirxIsTerminator(op);
}

// Outlining makes ids that nobody uses: they ask for nothing.
static bool is_unused(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (tile_value_is_used(mlirOperationGetResult(op, i)))
      return false;
  return mlirxIsMemoryEffectFree(op);
}

bool tile_foreign_op_needs_threads(MlirOperation op) {
  static const char *const prefixes[] = {"gpu.", "nvvm.", "nvgpu.",
                                         "llvm.inline_asm", "func.call"};
  return begins_with_one_of(op, prefixes, sizeof prefixes / sizeof *prefixes) &&
         !gpu_launch_is(op) && !gpu_func_is(op) && !is_of_block(op) &&
         !is_unused(op);
}

//===-- Memory ------------------------------------------------------------===//

typedef struct {
  bool writes, does_other;
} Effects;

static void add_effect(TileEffectKind kind, MlirValue value,
                       MlirStringRef resource, void *user_data) {
  (void)resource;
  Effects *effects = user_data;
  if (kind == TILE_EFFECT_WRITE && !mlirValueIsNull(value) &&
      mlirTypeIsAMemRef(mlirValueGetType(value)))
    effects->writes = true;
  else if (kind != TILE_EFFECT_READ)
    effects->does_other = true;
}

bool tile_foreign_op_stores(MlirOperation op) {
  static const char *const prefixes[] = {"memref.", "vector."};
  Effects effects = {false, false};
  return begins_with_one_of(op, prefixes, sizeof prefixes / sizeof *prefixes) &&
         mlirOperationGetNumResults(op) == 0 && !vector_store_is(op) &&
         mlirxEffects(op, false, add_effect, &effects) && effects.writes &&
         !effects.does_other;
}

// A memref that an op of another dialect makes of one: a part of it, or the
// same elements with other extents.
static bool is_foreign_view(MlirOperation op) {
  return !tile_op_is(op) && mlirOperationGetNumResults(op) > 0 &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

bool tile_foreign_op_is_thread_id(MlirOperation op) {
  static const char *const registers[] = {
      "nvvm.elect.sync", "nvvm.read.ptx.sreg.laneid", "nvvm.read.ptx.sreg.tid.",
      "nvvm.read.ptx.sreg.warpid"};
  for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
    if (tile_op_name_begins(op, registers[i]))
      return true;
  return gpu_thread_id_is(op) || gpu_global_id_is(op) || gpu_lane_id_is(op) ||
         gpu_subgroup_id_is(op);
}

MlirValue tile_foreign_root(MlirValue memref) {
  while (mlirValueIsAOpResult(memref)) {
    MlirOperation op = mlirOpResultGetOwner(memref);
    MlirValue source = {NULL};
    for (intptr_t i = 0;
         is_foreign_view(op) && i < mlirOperationGetNumOperands(op); i++)
      if (!source.ptr &&
          mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i))))
        source = mlirOperationGetOperand(op, i);
    if (!source.ptr)
      return memref;
    memref = source;
  }
  return memref;
}
