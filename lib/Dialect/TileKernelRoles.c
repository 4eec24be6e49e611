//===- TileKernelRoles.c - What the roles of a kernel need of each other --===//
//
// A part of tile_kernel_verify: faults that every run has. What depends on the
// run is the business of tile-verify-channels.
//
//===----------------------------------------------------------------------===//

#include "TileKernelRoles.h"

#include "Dialect/Verify/TileVerify.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Named barriers ----------------------------------------------------===//

enum { NUM_BARRIERS = 16 };

typedef struct {
  int64_t kernel_threads;
  uint32_t warps[NUM_BARRIERS]; // that reach the barrier, one bit each
  MlirLogicalResult result;
} SyncWalk;

static uint32_t warps_of(MlirOperation op, int64_t kernel_threads) {
  TileWarps warps = {0, (int)(kernel_threads / TILE_WARP_THREADS)};
  tile_role_warps_of(op, &warps);
  uint32_t mask = warps.count >= 32 ? UINT32_MAX : (1u << warps.count) - 1;
  return mask << warps.first;
}

// Without a number it is the barrier of all threads; roles get one of their
// own.
static bool is_named(TileBarrierSyncOp sync, int64_t *out_id) {
  TileWarps warps;
  bool has_id = !mlirAttributeIsNull(tile_barrier_sync_id_attr(sync));
  *out_id = has_id ? tile_barrier_sync_id(sync) : 0;
  return has_id || !tile_role_warps_of(sync.op, &warps);
}

static MlirWalkResult note_sync(MlirOperation op, void *user_data) {
  SyncWalk *walk = user_data;
  int64_t id;
  if (tile_barrier_sync_is(op) && is_named(tile_barrier_sync_cast(op), &id))
    walk->warps[id] |= warps_of(op, walk->kernel_threads);
  return MlirWalkResultAdvance;
}

static MlirWalkResult check_sync(MlirOperation op, void *user_data) {
  SyncWalk *walk = user_data;
  TileBarrierSyncOp sync = tile_barrier_sync_dyn(op);
  int64_t id;
  if (!sync.op.ptr || mlirAttributeIsNull(tile_barrier_sync_threads_attr(sync)))
    return MlirWalkResultAdvance;
  is_named(sync, &id);
  int64_t threads = tile_barrier_sync_threads(sync);
  int reached = TILE_WARP_THREADS * __builtin_popcount(walk->warps[id]);
  if (threads <= reached)
    return MlirWalkResultAdvance;
  walk->result = tile_emit_error(op,
                                 "waits for %" PRId64 " threads at barrier "
                                 "%" PRId64 ", which %d threads reach",
                                 threads, id, reached);
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult verify_syncs(MlirOperation kernel) {
  SyncWalk walk = {.kernel_threads = tile_kernel_num_threads(kernel),
                   .result = tile_success()};
  mlirOperationWalk(kernel, note_sync, &walk, MlirWalkPreOrder);
  mlirOperationWalk(kernel, check_sync, &walk, MlirWalkPreOrder);
  return walk.result;
}

//===-- Turns -------------------------------------------------------------===//

typedef struct {
  MlirOperation edge[2]; // the first op of each, by TileTurn
} TurnWalk;

static MlirWalkResult note_turn(MlirOperation op, void *user_data) {
  TurnWalk *walk = user_data;
  if (!tile_turn_is(op))
    return MlirWalkResultAdvance;
  MlirOperation *first =
      &walk->edge[tile_turn_edge(tile_turn_cast(op)) == TILE_TURN_End];
  if (mlirOperationIsNull(*first))
    *first = op;
  return MlirWalkResultAdvance;
}

static MlirLogicalResult verify_turns(TileRoleOp role) {
  TurnWalk walk = {0};
  mlirOperationWalk(role.op, note_turn, &walk, MlirWalkPreOrder);
  MlirOperation begin = walk.edge[0], end = walk.edge[1];
  if (mlirOperationIsNull(begin) == mlirOperationIsNull(end))
    return tile_success();
  return mlirOperationIsNull(end)
             ? tile_emit_error(begin, "begins a turn that its role never ends")
             : tile_emit_error(end, "ends a turn that its role never begins");
}

//===-- Tiles that two roles access ---------------------------------------===//

// What may order the accesses of a role, which loops on flags do as well.
static bool is_order(MlirOperation op) {
  if (tile_copy_is(op))
    return tile_copy_signal(tile_copy_cast(op)).ptr != NULL;
  if (tile_barrier_sync_is(op))
    return !mlirAttributeIsNull(
        tile_barrier_sync_threads_attr(tile_barrier_sync_cast(op)));
  return tile_barrier_arrive_is(op) || tile_barrier_expect_is(op) ||
         tile_barrier_wait_is(op) || tile_acquire_is(op) ||
         tile_commit_is(op) || tile_wait_is(op) || tile_release_is(op) ||
         tile_turn_is(op) || scf_while_is(op) || tile_atomic_is(op) ||
         tile_atomic_load_is(op) || memref_atomic_rmw_is(op);
}

static MlirWalkResult find_order(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= is_order(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool has_order(TileRoleOp role) {
  bool found = false;
  mlirOperationWalk(role.op, find_order, &found, MlirWalkPreOrder);
  return found;
}

// Whether `op` reads or writes all of a shared tile, or writes it.
static bool accesses(MlirOperation op, MlirValue tile, bool writes) {
  TileAccess list[TILE_MAX_ACCESSES];
  int count = tile_parallel_is(op) ? 0 : tile_accesses_get(op, list);
  for (int i = 0; i < count; i++)
    if (mlirValueEqual(list[i].tile, tile) && (!writes || list[i].writes))
      return true;
  return false;
}

// The first op of the role, executed in every run, that accesses the tile.
static MlirOperation first_access(TileRoleOp role, MlirValue tile,
                                  bool writes) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(role.op, 0));
  TILE_FOR_EACH_OP (op, body) {
    if (accesses(op, tile, writes))
      return op;
  }
  return (MlirOperation){NULL};
}

static MlirLogicalResult verify_tile(MlirBlock roles, MlirValue tile) {
  TILE_FOR_EACH_OP (first, roles) {
    TileRoleOp writer = tile_role_cast(first);
    MlirOperation write = first_access(writer, tile, true);
    if (mlirOperationIsNull(write))
      continue;
    TILE_FOR_EACH_OP (second, roles) {
      TileRoleOp other = tile_role_cast(second);
      MlirOperation op = first_access(other, tile, false);
      if (mlirOperationEqual(first, second) || mlirOperationIsNull(op) ||
          (has_order(writer) && has_order(other)))
        continue;
      MlirStringRef name = tile_role_role(has_order(writer) ? other : writer);
      return tile_emit_error_with_note(
          op, mlirOperationGetLocation(write), "it is written here",
          "accesses a tile that another role writes, and nothing orders the "
          "two: role \"%.*s\" has no op of barriers or channels",
          (int)name.length, name.data);
    }
  }
  return tile_success();
}

static MlirLogicalResult verify_tiles(MlirOperation kernel, MlirBlock roles) {
  TILE_FOR_EACH_OP (op, tile_kernel_body(kernel)) {
    TileShape shape;
    if (!tile_alloc_is(op))
      continue;
    MlirValue tile = mlirOperationGetResult(op, 0);
    if (tile_shape_of(tile, &shape) && shape.space == TILE_SPACE_SHARED &&
        tile_failed(verify_tile(roles, tile)))
      return tile_failure();
  }
  return tile_success();
}

//===-- Entry -------------------------------------------------------------===//

MlirLogicalResult tile_kernel_roles_verify(MlirOperation kernel,
                                           MlirOperation specialize) {
  if (tile_failed(verify_syncs(kernel)))
    return tile_failure();
  if (mlirOperationIsNull(specialize))
    return tile_success();
  MlirBlock roles = tile_specialize_block(tile_specialize_cast(specialize));
  TILE_FOR_EACH_OP (op, roles) {
    if (tile_failed(verify_turns(tile_role_cast(op))))
      return tile_failure();
  }
  return verify_tiles(kernel, roles);
}
