//===- Events.c - What ops on barriers, channels and threads are ----------===//
//
// A channel is two rows of mbarriers, with the arrivals that its agents declare
// and that tile-lower-channels will write.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuild.h"

#include "Support/Iterate.h"

#include <string.h>

enum { WARP_THREADS = 32 };

//===-- Rows --------------------------------------------------------------===//

int program_row_of(const ProgramBuild *e, MlirValue value, bool is_empty_side) {
  for (int i = 0; i < e->out->num_rows; i++)
    if (mlirValueEqual(e->rows[i].value, value) &&
        e->rows[i].is_empty_side == is_empty_side)
      return i;
  return -1;
}

static void add_row(ProgramBuild *e, MlirOperation op, MlirValue value,
                    bool is_empty_side, ProofRow row) {
  ProofProgram *out = e->out;
  if (row.depth > PROOF_MAX_DEPTH)
    program_fail(e, op, "has more slots than can be followed");
  for (int i = 0; i < out->num_rows; i++)
    row.number += strcmp(out->rows[i].name, row.name) == 0;
  TILE_ARENA_RESERVE(e->arena, e->rows, out->num_rows, e->row_capacity);
  e->rows[out->num_rows] = (ProgramRow){value, is_empty_side};
  TILE_ARENA_RESERVE(e->arena, out->rows, out->num_rows, out->row_capacity);
  out->rows[out->num_rows++] = row;
}

static bool is_barrier_use(MlirOperation op) {
  return tile_barrier_wait_is(op) || tile_barrier_arrive_is(op) ||
         tile_barrier_expect_is(op) || tile_copy_is(op);
}

typedef struct {
  bool in_roles, outside;
  int num_inits, count;
  MlirOperation init;
} RowUses;

static RowUses uses_of(MlirValue row) {
  RowUses out = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(row); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_barrier_init_is(user)) {
      out.num_inits++;
      out.init = user;
      out.count = (int)tile_barrier_init_arrivals(tile_barrier_init_cast(user));
    }
    if (is_barrier_use(user) && tile_role_of(user).op.ptr)
      out.in_roles = true;
    else if (is_barrier_use(user))
      out.outside = true;
  }
  return out;
}

static void find_barriers(ProgramBuild *e, MlirOperation op) {
  MlirValue row = mlirOperationGetResult(op, 0);
  RowUses uses = uses_of(row);
  if (e->is_of_roles ? !uses.in_roles : !uses.outside)
    return;
  if (uses.in_roles && uses.outside)
    program_fail(e, op, "is used by roles and outside of them");
  if (uses.num_inits != 1)
    program_fail(e, op, "is not initialised once");
  add_row(
      e, op, row, false,
      (ProofRow){.name = "mbarrier",
                 .depth = (int)tile_barrier_type_slots(mlirValueGetType(row)),
                 .count = uses.count});
}

//===-- Channels ----------------------------------------------------------===//

static int or_zero(MlirAttribute attribute) {
  return mlirAttributeIsNull(attribute)
             ? 0
             : (int)mlirIntegerAttrGetValueInt(attribute);
}

typedef struct {
  bool has_tma;
  int cp_async_threads, simt_threads;
} Fillers;

static Fillers fillers_of(TileChannelOp channel) {
  return (Fillers){tile_channel_tma(channel),
                   or_zero(tile_channel_cp_async_threads_attr(channel)),
                   or_zero(tile_channel_simt_threads_attr(channel))};
}

// A channel that nothing fills is committed all the same.
static int leader_arrivals(const Fillers *fillers) {
  return fillers->has_tma ||
         (!fillers->cp_async_threads && !fillers->simt_threads);
}

// Warps of the roles that release, those that take turns once: each of them
// has rounds of its own.
static int reading_warps(MlirValue channel) {
  MlirOperation roles[PROOF_MAX_ROLES];
  int count = 0, warps = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(channel);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileRoleOp role = tile_role_of(user);
    bool is_new = tile_release_is(user) && role.op.ptr;
    for (int i = 0; i < count; i++)
      is_new &= !mlirOperationEqual(roles[i], role.op);
    if (!is_new || count == PROOF_MAX_ROLES)
      continue;
    roles[count++] = role.op;
    warps += (int)tile_role_warps(role);
  }
  return warps;
}

static void find_channel(ProgramBuild *e, MlirOperation op) {
  TileChannelOp channel = tile_channel_cast(op);
  MlirValue value = mlirOperationGetResult(op, 0);
  Fillers fillers = fillers_of(channel);
  int readers = or_zero(tile_channel_consumer_warps_attr(channel));
  ProofRow row = {.name = "full",
                  .depth = (int)tile_channel_depth(channel),
                  .count = leader_arrivals(&fillers) +
                           fillers.cp_async_threads + fillers.simt_threads};
  if (!e->is_of_roles)
    return;
  add_row(e, op, value, false, row);
  row.name = "empty";
  row.count = readers ? readers : reading_warps(value);
  add_row(e, op, value, true, row);
}

static MlirWalkResult find_row(MlirOperation op, void *user_data) {
  ProgramBuild *e = user_data;
  if (tile_barrier_alloc_is(op))
    find_barriers(e, op);
  else if (tile_channel_is(op))
    find_channel(e, op);
  return MlirWalkResultAdvance;
}

bool program_find_rows(ProgramBuild *e) {
  mlirOperationWalk(e->kernel, find_row, e, MlirWalkPreOrder);
  return e->out->num_rows > 0;
}

// The row that an operand of the op names; an op that fails if there is none.
static int row_of(ProgramWriter *w, MlirOperation op, bool is_empty_side) {
  int row =
      program_row_of(w->extract, mlirOperationGetOperand(op, 0), is_empty_side);
  if (row < 0)
    program_fail(w->extract, op, "uses a barrier that is not followed");
  return row < 0 ? 0 : row;
}

static ProofScalarId operand(ProgramWriter *w, MlirOperation op, intptr_t i) {
  return program_scalar(w->extract, mlirOperationGetOperand(op, i));
}

static void add_wait(ProgramWriter *w, MlirOperation op, bool is_empty_side,
                     bool is_of_leader) {
  int row = row_of(w, op, is_empty_side);
  ProofScalarId slot = operand(w, op, 1), parity = operand(w, op, 2);
  if (is_empty_side) // the producer waits for the other parity
    parity = program_combined(w->extract, PROOF_XOR, parity,
                              program_constant(w->extract, 1));
  ProofOp *wait = program_add(w, PROOF_WAIT, op);
  wait->wait.row = row;
  wait->wait.slot = slot;
  wait->wait.parity = parity;
  wait->threads = is_of_leader ? PROOF_LEADER : PROOF_ALL_THREADS;
}

static void add_arrive(ProgramWriter *w, MlirOperation op, int row,
                       ProofThreads threads, int count, bool is_async) {
  bool meets = threads == PROOF_ALL_WARPS &&
               w->extract->out->roles[w->role].num_threads == WARP_THREADS;
  ProofScalarId slot = operand(w, op, 1);
  if (meets) // the one warp
    program_add(w, PROOF_SYNC, op)->sync.id = PROOF_NONE;
  ProofOp *arrive = program_add(w, PROOF_ARRIVE, op);
  arrive->threads = meets ? PROOF_LEADER : threads;
  arrive->arrive.row = row;
  arrive->arrive.slot = slot;
  arrive->arrive.count = count;
  arrive->arrive.is_async = is_async;
}

static void write_commit(ProgramWriter *w, MlirOperation op) {
  int row = row_of(w, op, false);
  Fillers fillers = fillers_of(
      tile_channel_cast(mlirOpResultGetOwner(mlirOperationGetOperand(op, 0))));
  if (leader_arrivals(&fillers))
    add_arrive(w, op, row, PROOF_LEADER, 1, false);
  if (fillers.cp_async_threads)
    add_arrive(w, op, row, PROOF_ALL_THREADS, fillers.cp_async_threads, true);
  if (!fillers.simt_threads)
    return;
  program_add(w, PROOF_FENCE, op);
  add_arrive(w, op, row, PROOF_ALL_THREADS, fillers.simt_threads, false);
}

static bool write_channel(ProgramWriter *w, MlirOperation op) {
  if (tile_acquire_is(op)) {
    Fillers fillers = fillers_of(tile_channel_cast(
        mlirOpResultGetOwner(mlirOperationGetOperand(op, 0))));
    add_wait(w, op, true, !fillers.cp_async_threads && !fillers.simt_threads);
  } else if (tile_wait_is(op)) {
    add_wait(w, op, false, false);
    program_add(w, PROOF_FENCE, op); // for copies by cp.async
  } else if (tile_commit_is(op)) {
    write_commit(w, op);
  } else if (tile_release_is(op)) {
    ProofOp *stores = program_add(w, PROOF_AWAIT, op);
    stores->await.kind = PROOF_STORES;
    stores->threads = PROOF_LEADER;
    add_arrive(w, op, row_of(w, op, true), PROOF_ALL_WARPS,
               w->extract->out->roles[w->role].num_threads / WARP_THREADS,
               false);
  } else {
    return false;
  }
  return true;
}

//===-- Barriers ----------------------------------------------------------===//

static TileArrival arrival_of(MlirOperation op) {
  TileBarrierArriveOp arrive = tile_barrier_arrive_dyn(op);
  if (!arrive.op.ptr)
    return TILE_ARRIVAL_Leader;
  return mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive))
             ? TILE_ARRIVAL_Threads
             : tile_barrier_arrive_by(arrive);
}

int program_num_arrivals(MlirOperation op, int num_warps) {
  if (tile_barrier_expect_is(op))
    return tile_barrier_expect_no_arrival(tile_barrier_expect_cast(op)) ? 0 : 1;
  switch (arrival_of(op)) {
  case TILE_ARRIVAL_Warps:
    return num_warps;
  case TILE_ARRIVAL_Leader:
    return 1;
  case TILE_ARRIVAL_Threads:
  case TILE_ARRIVAL_CpAsync:
    break;
  }
  return WARP_THREADS * num_warps;
}

static bool write_barrier(ProgramWriter *w, MlirOperation op) {
  static const ProofThreads threads[] = {
      [TILE_ARRIVAL_Warps] = PROOF_ALL_WARPS,
      [TILE_ARRIVAL_Leader] = PROOF_LEADER,
      [TILE_ARRIVAL_Threads] = PROOF_ALL_THREADS,
      [TILE_ARRIVAL_CpAsync] = PROOF_ALL_THREADS,
  };
  if (tile_barrier_wait_is(op)) {
    add_wait(w, op, false,
             tile_barrier_wait_leader(tile_barrier_wait_cast(op)));
    return true;
  }
  if (!tile_barrier_arrive_is(op) && !tile_barrier_expect_is(op))
    return false;
  int warps = w->extract->out->roles[w->role].num_threads / WARP_THREADS;
  TileArrival by = arrival_of(op);
  add_arrive(w, op, row_of(w, op, false), threads[by],
             program_num_arrivals(op, warps), by == TILE_ARRIVAL_CpAsync);
  ProofRole *role = &w->extract->out->roles[w->role];
  if (tile_barrier_expect_is(op))
    role->ops[role->num_ops - 1].arrive.bytes =
        tile_barrier_expect_bytes(tile_barrier_expect_cast(op));
  return true;
}

//===-- Order of the threads of a role ------------------------------------===//

static void add_await(ProgramWriter *w, MlirOperation op, ProofUnderWay kind,
                      int64_t pending) {
  ProofOp *await = program_add(w, PROOF_AWAIT, op);
  await->await.kind = kind;
  await->await.pending = (int)pending;
  if (kind == PROOF_STORES)
    await->threads = PROOF_LEADER;
}

static void write_sync(ProgramWriter *w, MlirOperation op) {
  TileBarrierSyncOp sync = tile_barrier_sync_cast(op);
  MlirAttribute threads = tile_barrier_sync_threads_attr(sync);
  ProofOp *out = program_add(w, PROOF_SYNC, op);
  out->sync.id = PROOF_NONE;
  if (mlirAttributeIsNull(threads))
    return;
  out->sync.id = (int)tile_barrier_sync_id(sync);
  out->sync.count = (int)mlirIntegerAttrGetValueInt(threads);
}

static bool write_order(ProgramWriter *w, MlirOperation op) {
  if (tile_barrier_sync_is(op))
    write_sync(w, op);
  else if (tile_fence_proxy_is(op))
    program_add(w, PROOF_FENCE, op);
  else if (tile_cp_async_commit_is(op))
    program_add(w, PROOF_CLOSE, op);
  else if (tile_cp_async_wait_is(op))
    add_await(w, op, PROOF_COPIES,
              tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)));
  else if (tile_tma_wait_is(op))
    add_await(w, op, PROOF_STORES,
              tile_tma_wait_pending(tile_tma_wait_cast(op)));
  else if (tile_await_is(op))
    add_await(w, op, PROOF_PRODUCTS, tile_await_pending(tile_await_cast(op)));
  else if (tile_turn_is(op))
    program_add(w, PROOF_TURN, op)->turn.begins =
        tile_turn_edge(tile_turn_cast(op)) == TILE_TURN_Begin;
  else
    return false;
  return true;
}

bool program_event(ProgramWriter *w, MlirOperation op) {
  return write_barrier(w, op) || write_channel(w, op) || write_order(w, op);
}

void program_point(ProgramWriter *w, MlirOperation op) {
  const TileSyncPlan *plan = w->extract->plan;
  for (size_t i = 0; plan && i < plan->num_points; i++) {
    const TileSyncPoint *point = &plan->points[i];
    if (!mlirOperationEqual(point->before, op))
      continue;
    if (point->store_wait)
      add_await(w, op, PROOF_STORES, point->pending);
    if (point->fence)
      program_add(w, PROOF_FENCE, op);
    if (point->barrier)
      program_add(w, PROOF_SYNC, op)->sync.id = PROOF_NONE;
  }
}

//===-- Initialisation ----------------------------------------------------===//

typedef struct {
  MlirValue row;
  MlirOperation found;
} UseSearch;

static MlirWalkResult find_use(MlirOperation op, void *user_data) {
  UseSearch *search = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_barrier_use(op) &&
        mlirValueEqual(mlirOperationGetOperand(op, i), search->row)) {
      search->found = op;
      return MlirWalkResultInterrupt;
    }
  return MlirWalkResultAdvance;
}

MlirOperation program_early_use(ProgramBuild *e) {
  MlirBlock body = tile_kernel_body(e->kernel);
  for (int i = 0; i < e->out->num_rows && !e->failed.ptr; i++) {
    UseSearch search = {e->rows[i].value, {NULL}};
    MlirOperation alloc = mlirOpResultGetOwner(search.row);
    if (!tile_barrier_alloc_is(alloc))
      continue;
    MlirOperation init = uses_of(search.row).init;
    if (!mlirBlockEqual(mlirOperationGetBlock(init), body)) {
      program_fail(e, init, "initialises barriers inside of control flow");
      return search.found;
    }
    for (MlirOperation op = mlirBlockGetFirstOperation(body);
         !mlirOperationEqual(op, init); op = mlirOperationGetNextInBlock(op)) {
      mlirOperationWalk(op, find_use, &search, MlirWalkPreOrder);
      if (search.found.ptr)
        return search.found;
    }
  }
  return e->plan ? e->plan->unmet : (MlirOperation){NULL};
}
