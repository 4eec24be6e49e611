//===- SyncEnds.c - Where stores end; what a synchronised kernel lacks ----===//
//
// Shared memory stays until the last TMA store has read it. Who issues the
// stores waits at the end of his program: of the role, or of the kernel.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Support/Iterate.h"

//===-- Ends --------------------------------------------------------------===//

typedef struct {
  MlirOperation scope; // the role, or the kernel
  bool has_stores;
} StoreSearch;

static MlirWalkResult find_store(MlirOperation op, void *user_data) {
  StoreSearch *search = user_data;
  if (tile_role_is(op) && !mlirOperationEqual(op, search->scope))
    return MlirWalkResultSkip;
  TileCopyOp copy = tile_copy_dyn(op);
  search->has_stores |= !mlirOperationIsNull(copy.op) &&
                        tile_copy_async(copy) &&
                        tile_copy_instr(copy) == TILE_INSTR_Tma;
  return search->has_stores ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void add_end(TileArena *arena, MlirOperation scope, MlirBlock body,
                    TileSyncPlan *plan) {
  StoreSearch search = {scope, false};
  TileSyncEnd end = {{NULL}};
  mlirOperationWalk(scope, find_store, &search, MlirWalkPreOrder);
  if (!search.has_stores)
    return;
  TILE_FOR_EACH_OP (op, body) {
    if (mlirxIsTerminator(op))
      end.before = op;
    else
      end.last = op;
  }
  if (tile_tma_wait_is(end.last))
    return;
  TILE_ARENA_RESERVE(arena, plan->ends, plan->num_ends, plan->ends_capacity);
  plan->ends[plan->num_ends++] = end;
}

void sync_ends_build(TileArena *arena, MlirOperation kernel,
                     TileSyncPlan *plan) {
  TileSpecializeOp specialize = tile_kernel_specialize(kernel);
  add_end(arena, kernel, tile_kernel_body(kernel), plan);
  if (mlirOperationIsNull(specialize.op))
    return;
  TILE_FOR_EACH_OP (role, tile_specialize_block(specialize))
    add_end(arena, role,
            mlirRegionGetFirstBlock(mlirOperationGetRegion(role, 0)), plan);
}

//===-- Check -------------------------------------------------------------===//

static TileSyncFault fault_of_point(const TileSyncPoint *point) {
  TileSyncFault fault = {.op = point->before};
  if (point->fence) {
    fault.code = "missing-proxy-fence";
    fault.text = "no proxy fence stands between writes of threads and this op, "
                 "which reads them by the asynchronous proxy";
  } else if (point->store_wait) {
    fault.code = "missing-tma-wait";
    fault.text = "nobody waits for a TMA store that may be under way when this "
                 "op accesses the same bytes";
  } else {
    fault.code = "missing-barrier";
    fault.text = "threads do not meet between this op and accesses of other "
                 "threads to the same bytes";
  }
  return fault;
}

bool tile_sync_check(MlirOperation kernel, const TileSyncPlan *plan,
                     TileSyncFault *out_fault) {
  if (tile_kernel_is_thread_code(kernel))
    return true;
  if (plan->num_points > 0) {
    *out_fault = fault_of_point(&plan->points[0]);
    return false;
  }
  if (plan->num_ends > 0) {
    *out_fault = (TileSyncFault){
        plan->ends[0].last, "missing-tma-wait",
        "nobody waits behind this op, the last one, for TMA stores that may "
        "still read shared memory"};
    return false;
  }
  return true;
}
