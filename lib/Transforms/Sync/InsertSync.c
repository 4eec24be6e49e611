//===- InsertSync.c - Thread barriers and proxy fences --------------------===//
//
// Consumes: tile ops with their instructions; packed bytes when they are known.
// Produces: `tile.barrier_sync` and `tile.fence_proxy` before the ops that
//           need them, `tile.tma_wait` where a tile is written that a TMA store
//           may be reading, and at the end of who issues stores. A fence stands
//           before the barrier: the writers execute it, then everybody meets.
//           `tile.cluster_sync` where blocks reach shared tiles of others.
//           `tile.chunk` on copies and fills of which each thread is known to
//           read what it wrote, without a barrier.
// Keeps:    kernels that say what each thread does: a barrier might stand in a
//           branch that some threads take.
// Fails:    a kernel that tile_kernel_verify rejects.
// Method:   SyncPlan.c. Barriers that are there already count, so a second run
//           inserts nothing.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Instructions/Instructions.h"
#include "Analysis/Memory/Memory.h"
#include "Analysis/Sync/Sync.h"
#include "Support/Diagnostics.h"
#include "TilePasses.h"

//===-- Apply; cannot fail ------------------------------------------------===//

static void end_set(TileBuilder *b, const TileSyncEnd *end) {
  b->loc = mlirOperationGetLocation(end->last);
  if (mlirOperationIsNull(end->before))
    mlirRewriterBaseSetInsertionPointAfter(b->rw, end->last);
  else
    mlirRewriterBaseSetInsertionPointBefore(b->rw, end->before);
}

static void plan_apply(const TileSyncPlan *plan, MlirOperation kernel) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  for (size_t i = 0; i < plan->num_points; i++) {
    const TileSyncPoint *point = &plan->points[i];
    b.loc = mlirOperationGetLocation(point->before);
    mlirRewriterBaseSetInsertionPointBefore(b.rw, point->before);
    if (point->store_wait)
      tile_tma_wait(&b, .pending = point->pending,
                    .read = point->store_wait == TILE_STORE_WAIT_READ);
    if (point->fence)
      tile_fence_proxy(&b, .global = (point->fence & TILE_FENCE_GLOBAL) != 0);
    if (point->barrier)
      tile_barrier_sync(&b, .id = {NULL});
  }
  for (size_t i = 0; i < plan->num_ends; i++) {
    end_set(&b, &plan->ends[i]);
    tile_tma_wait(&b, .pending = 0, .read = true);
  }
  if (!mlirOperationIsNull(plan->meet_before)) {
    b.loc = mlirOperationGetLocation(plan->meet_before);
    mlirRewriterBaseSetInsertionPointBefore(b.rw, plan->meet_before);
    tile_cluster_sync(&b, .lifetime = true);
  }
  if (!mlirOperationIsNull(plan->meet_at_end.last)) {
    end_set(&b, &plan->meet_at_end);
    tile_cluster_sync(&b, .lifetime = true);
  }
  mlirIRRewriterDestroy(b.rw);
}

// What a barrier left out rests on is said.
static void chunks_apply(const TileSyncPlan *plan) {
  for (size_t i = 0; i < plan->num_chunks; i++) {
    MlirOperation op = plan->chunks[i].op;
    MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
    mlirOperationSetDiscardableAttributeByName(
        op, TILE_STR(TILE_CHUNK_ATTR),
        mlirIntegerAttrGet(i64, plan->chunks[i].chunk_elems));
  }
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  TileArena arena;
  const char *target_option; // "": what is inserted serves any chip
} Run;

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Run *run = user_data;
  TileSyncPlan plan;
  const TileTarget *target = NULL;
  if (tile_kernel_is_thread_code(kernel))
    return tile_success();
  if (tile_failed(tile_kernel_verify(kernel))) {
    tile_kernel_note_refusal(kernel);
    return tile_failure();
  }
  if (*run->target_option &&
      tile_failed(tile_target_resolve(kernel, run->target_option, &target)))
    return tile_failure();
  tile_sync_plan_build(&run->arena, kernel, target, &plan);
  plan_apply(&plan, kernel);
  chunks_apply(&plan);
  return tile_success();
}

MlirLogicalResult tile_insert_sync_run(MlirOperation op,
                                       const TileInsertSyncOptions *options) {
  Run run = {.target_option = options->target ? options->target : ""};
  tile_arena_init(&run.arena);
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &run);
  tile_arena_deinit(&run.arena);
  return result;
}
