//===- VerifyChannels.c - Proof that roles and channels fit together ------===//
//
// Consumes: `tile.specialize` with `tile.channel`s; mbarriers without one, of
//           roles and of blocks.
// Produces: nothing.
// Fails:    an mbarrier can never complete; a rule
//           of the protocol is broken, or roles deadlock. What can be
//           neither proved nor refuted gets a remark of one line, or with
//           `strict` an error. Notes of an error show a schedule that goes
//           wrong, where one is found.
//           With `synced`, a barrier, fence or wait of tile-insert-sync lacks.
// Method:   lib/Proof; docs/Rationale/Proof.md.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Program/BarrierCheck.h"
#include "Analysis/Sync/Sync.h"
#include "ProofReport.h"
#include "Support/Diagnostics.h"
#include "TilePasses.h"

typedef struct {
  const TileVerifyChannelsOptions *options;
} Run;

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult check_barriers(MlirOperation kernel) {
  TileBarrierFault fault;
  if (!tile_barriers_check(kernel, &fault))
    return tile_success();
  return tile_emit_error_with_note(
      fault.op, mlirOperationGetLocation(fault.alloc), "the barrier is here",
      "[tile-verify/%s] %s", fault.code, fault.text);
}

static MlirLogicalResult check_programs(const Run *run, MlirOperation kernel,
                                        const TileSyncPlan *plan,
                                        TileArena *arena) {
  const ProofLimits limits = {run->options->max_runs, run->options->max_states};
  TileKernelVerdict judged;
  tile_kernel_judge(arena, kernel, plan, &limits, &judged);
  return proof_report(arena, kernel, &judged, run->options);
}

// What tile-insert-sync would add: it counts as if it stood there, or, once
// that pass has run, must be nothing.
static MlirLogicalResult check_with_plan(const Run *run, MlirOperation kernel,
                                         TileArena *arena) {
  const char *chip = run->options->target ? run->options->target : "";
  const TileTarget *target = NULL;
  TileSyncPlan plan, counted;
  TileSyncFault fault;
  if (*chip && tile_failed(tile_target_resolve(kernel, chip, &target)))
    return tile_failure();
  tile_sync_plan_build(arena, kernel, target, &plan);
  counted = plan;
  if (run->options->synced)
    counted.num_points = 0;
  else
    counted.unmet = TILE_NULL_OP;
  if (tile_failed(check_programs(run, kernel, &counted, arena)))
    return tile_failure();
  if (!run->options->synced || tile_sync_check(kernel, &plan, &fault))
    return tile_success();
  return tile_emit_error(fault.op, "[tile-verify/%s] %s", fault.code,
                         fault.text);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const Run *run = user_data;
  TileArena arena;
  if (tile_failed(check_barriers(kernel)))
    return tile_failure();
  tile_arena_init(&arena);
  MlirLogicalResult result = check_with_plan(run, kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult
tile_verify_channels_run(MlirOperation op,
                         const TileVerifyChannelsOptions *options) {
  Run run = {.options = options};
  return tile_kernels_visit_verified(op, visit_kernel, &run);
}
