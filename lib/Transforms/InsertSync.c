//===- InsertSync.c - Thread barriers and proxy fences --------------------===//
//
// Consumes: tile ops with their instructions; packed bytes when they are known.
// Produces: `tile.barrier_sync` and `tile.fence_proxy` in front of the ops that
//           need them. A fence stands before the barrier: the writers execute
//           it, then everybody meets.
// Keeps:    kernels that say what each thread does: a barrier might stand in a
//           branch that some threads take.
// Fails:    a kernel that tile_kernel_verify rejects.
// Method:   SyncPlan.c. Barriers that are there already count, so a second run
//           inserts nothing.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis.h"
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"

//===-- Apply; cannot fail ------------------------------------------------===//

static void plan_apply(const TileSyncPlan *plan, MlirOperation kernel) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  for (size_t i = 0; i < plan->num_points; i++) {
    const TileSyncPoint *point = &plan->points[i];
    b.loc = mlirOperationGetLocation(point->before);
    mlirRewriterBaseSetInsertionPointBefore(b.rw, point->before);
    if (point->fence)
      tile_fence_proxy(&b, 0);
    if (point->barrier)
      tile_barrier_sync(&b, .id = {NULL});
  }
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileArena *arena = user_data;
  TileSyncPlan plan;
  if (tile_kernel_is_thread_code(kernel))
    return tile_success();
  if (tile_failed(tile_kernel_verify(kernel)))
    return tile_failure();
  tile_sync_plan_build(arena, kernel, &plan);
  if (plan.num_points)
    plan_apply(&plan, kernel);
  return tile_success();
}

MlirLogicalResult tile_insert_sync_run(MlirOperation op,
                                       const TileInsertSyncOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}
