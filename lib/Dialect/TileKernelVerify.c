//===- TileKernelVerify.c - What holds for a kernel as a whole ------------===//
//
// The constraints that no single op can check. Passes call this before they
// change a kernel.
//
//===----------------------------------------------------------------------===//

#include "Tile/Ops/gpu.h"
#include "TileVerify.h"

//===-- Survey: what the body holds ---------------------------------------===//

typedef struct {
  MlirOperation kernel;
  MlirOperation tile_op;   // the first one, or null
  MlirOperation launch;    // a kernel inside the kernel, or null
  MlirOperation thread_op; // the first op that asks for threads, or null
} KernelSurvey;

// Ops whose result differs between the threads of a block, or tells how many
// there are. Tile ops mean the same for all threads; specialisation adds some.
static bool asks_for_threads(MlirOperation op) {
  return gpu_thread_id_is(op) || gpu_block_dim_is(op) || gpu_global_id_is(op) ||
         gpu_lane_id_is(op) || gpu_subgroup_id_is(op) ||
         gpu_num_subgroups_is(op);
}

static void set_first(MlirOperation *slot, MlirOperation op) {
  if (mlirOperationIsNull(*slot))
    *slot = op;
}

static MlirWalkResult survey_op(MlirOperation op, void *user_data) {
  KernelSurvey *survey = user_data;
  if (mlirOperationEqual(op, survey->kernel))
    return MlirWalkResultAdvance;
  if (tile_verify_is_tile_op(op))
    set_first(&survey->tile_op, op);
  if (gpu_launch_is(op))
    set_first(&survey->launch, op);
  if (asks_for_threads(op))
    set_first(&survey->thread_op, op);
  return MlirWalkResultAdvance;
}

// The body of a gpu.launch has twelve arguments: block ids, thread ids, grid
// sizes and block sizes, three of each.
static MlirOperation launch_thread_user(MlirOperation kernel) {
  MlirBlock body = tile_kernel_body(kernel);
  for (intptr_t i = 0; gpu_launch_is(kernel) && i < 12; i++) {
    bool is_thread_id = i >= 3 && i < 6, is_block_size = i >= 9;
    if (!is_thread_id && !is_block_size)
      continue;
    MlirOpOperand use = mlirValueGetFirstUse(mlirBlockGetArgument(body, i));
    if (!mlirOpOperandIsNull(use))
      return mlirOpOperandGetOwner(use);
  }
  return (MlirOperation){NULL};
}

//===-- Checks ------------------------------------------------------------===//

static MlirLogicalResult verify_no_threads(KernelSurvey *survey) {
  set_first(&survey->thread_op, launch_thread_user(survey->kernel));
  if (mlirOperationIsNull(survey->thread_op))
    return tile_success();
  return tile_emit_error_with_note(
      survey->thread_op, mlirOperationGetLocation(survey->tile_op),
      "a tile op is here",
      "uses thread ids or block sizes beside tile ops, which describe what the "
      "whole block does");
}

static MlirLogicalResult verify_num_threads(MlirOperation kernel) {
  int64_t num_threads = tile_kernel_num_threads(kernel);
  if (num_threads == -1)
    return tile_emit_error(kernel, "expects a constant number of threads per "
                                   "block beside tile ops");
  if (num_threads < 1 || num_threads > TILE_MAX_BLOCK_THREADS ||
      num_threads % TILE_WARP_THREADS)
    return tile_emit_error(kernel,
                           "expects a positive multiple of %d threads per "
                           "block, at most %d, got %" PRId64,
                           TILE_WARP_THREADS, TILE_MAX_BLOCK_THREADS,
                           num_threads);
  return tile_success();
}

MlirLogicalResult tile_kernel_verify(MlirOperation kernel) {
  KernelSurvey survey = {.kernel = kernel};
  mlirOperationWalk(kernel, survey_op, &survey, MlirWalkPreOrder);
  if (mlirOperationIsNull(survey.tile_op))
    return tile_success();
  if (!mlirOperationIsNull(survey.launch))
    return tile_emit_error_with_note(
        survey.launch, mlirOperationGetLocation(kernel),
        "the outer kernel is here", "expects to be outside kernels");
  if (tile_failed(verify_num_threads(kernel)))
    return tile_failure();
  return verify_no_threads(&survey);
}
