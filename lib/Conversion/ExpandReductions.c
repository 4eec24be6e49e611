//===- ExpandReductions.c - Reductions of gpu to shuffles -----------------===//
//
// Consumes: gpu.all_reduce and gpu.subgroup_reduce of kernels in gpu.func.
// Produces: gpu.shuffle, and for a block memory that the kernel declares.
//           What the pattern stores there each warp stores: tile.by_thread.
// Keeps:    modules without them; what upstream's patterns do not take, which
//           convert-gpu-to-nvvm then rejects by name.
// Fails:    never.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

enum { WARP_THREADS = 32 };

// The memory that kernels declare comes after what they are given, and that of
// the block first.
static void mark_uses(MlirValue memory) {
  MlirContext context = mlirTypeGetContext(mlirValueGetType(memory));
  for (MlirOpOperand use = mlirValueGetFirstUse(memory);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_foreign_op_stores(mlirOpOperandGetOwner(use)))
      mlirOperationSetDiscardableAttributeByName(mlirOpOperandGetOwner(use),
                                                 TILE_STR("tile.by_thread"),
                                                 mlirUnitAttrGet(context));
}

static MlirWalkResult mark_stores(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!gpu_func_is(op) || mlirBlockIsNull(tile_kernel_body(op)))
    return MlirWalkResultAdvance;
  MlirBlock entry = tile_kernel_body(op);
  MlirType type = gpu_func_function_type(gpu_func_cast(op));
  for (intptr_t i = mlirFunctionTypeGetNumInputs(type);
       i < mlirBlockGetNumArguments(entry); i++)
    mark_uses(mlirBlockGetArgument(entry, i));
  return MlirWalkResultSkip;
}

static MlirWalkResult find_reduction(MlirOperation op, void *user_data) {
  if (!gpu_all_reduce_is(op) && !gpu_subgroup_reduce_is(op))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

MlirLogicalResult
tile_expand_reductions_run(MlirOperation op,
                           const TileExpandReductionsOptions *options) {
  (void)options;
  bool has_work = false;
  mlirOperationWalk(op, find_reduction, &has_work, MlirWalkPreOrder);
  if (!has_work || !mlirxIsIsolated(op))
    return tile_success();
  mlirxExpandGpuReductions(op, WARP_THREADS);
  mlirOperationWalk(op, mark_stores, NULL, MlirWalkPreOrder);
  return tile_success();
}
