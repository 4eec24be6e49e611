//===- KernelProgram.c - Kernels as programs of their threads -------------===//
//
// Control flow becomes branches and jumps; arguments and results become
// variables that are bound where control goes.
//
//===----------------------------------------------------------------------===//

#include "KernelProgram.h"
#include "ProgramBuild.h"
#include "Support/Iterate.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

#include <stdio.h>
#include <string.h>

//===-- What ops on barriers, channels and threads are --------------------===//

// A channel is two rows of mbarriers, with the arrivals that its agents declare
// and that tile-lower-channels will write.

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
  MlirOperation init, again; // or one that finds a barrier there already
} RowUses;

static bool is_in_loop(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  for (; parent.ptr && !tile_kernel_is(parent);
       parent = mlirOperationGetParentOperation(parent))
    if (scf_for_is(parent) || scf_while_is(parent))
      return true;
  return false;
}

// PTX ISA, mbarrier.init: undefined where a valid mbarrier is.
static void note_init(RowUses *uses, MlirOperation op) {
  MlirOperation other = uses->init;
  if (is_in_loop(op))
    uses->again = op;
  else if (other.ptr && mlirBlockEqual(mlirOperationGetBlock(other),
                                       mlirOperationGetBlock(op)))
    uses->again = mlirOperationIsBeforeInBlock(op, other) ? other : op;
  uses->num_inits++;
  uses->init = op;
  uses->count = (int)tile_barrier_init_arrivals(tile_barrier_init_cast(op));
}

static RowUses uses_of(MlirValue row) {
  RowUses out = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(row); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_barrier_init_is(user))
      note_init(&out, user);
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
  if (uses.again.ptr)
    program_reject(e, uses.again, "initialised-again",
                   "initialises a barrier again, in a loop or after another "
                   "initialisation");
  if (uses.num_inits == 0)
    program_reject(e, op, "not-initialised",
                   "is used and nothing initialises it");
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

static void find_channel(ProgramBuild *e, MlirOperation op) {
  TileChannelOp channel = tile_channel_cast(op);
  MlirValue value = mlirOperationGetResult(op, 0);
  Fillers fillers = fillers_of(channel);
  ProofRow row = {.name = "full",
                  .depth = (int)tile_channel_depth(channel),
                  .count = fillers.has_tma + fillers.cp_async_threads +
                           fillers.simt_threads};
  if (!e->is_of_roles)
    return;
  add_row(e, op, value, false, row);
  row.name = "empty";
  row.count = or_zero(tile_channel_consumer_warps_attr(channel));
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

// Finds the rows that the program uses; whether there are any.
static bool find_rows(ProgramBuild *e) {
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
  if (fillers.has_tma)
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

static int num_arrivals(MlirOperation op, int num_warps) {
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
  add_arrive(w, op, row_of(w, op, false), threads[by], num_arrivals(op, warps),
             by == TILE_ARRIVAL_CpAsync);
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

// Whether the op is an event of barriers, channels or thread barriers; writes
// it.
static bool add_event(ProgramWriter *w, MlirOperation op) {
  return write_barrier(w, op) || write_channel(w, op) || write_order(w, op);
}

// Writes what tile-insert-sync would put before the op.
static void add_point(ProgramWriter *w, MlirOperation op) {
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

static void reject_unseen(ProgramBuild *e, MlirOperation op) {
  program_reject(e, op, "init-unseen",
                 "uses a barrier before all threads have met after its "
                 "initialisation");
}

// Rejects a use of a row before its init, or of one that not all threads know
// to be initialised.
static void check_inits(ProgramBuild *e) {
  MlirBlock body = tile_kernel_body(e->kernel);
  for (int i = 0; i < e->out->num_rows && !e->verdict->code; i++) {
    MlirValue row = e->rows[i].value;
    if (!tile_barrier_alloc_is(mlirOpResultGetOwner(row)))
      continue;
    MlirOperation init = uses_of(row).init;
    if (!mlirBlockEqual(mlirOperationGetBlock(init), body)) {
      program_fail(e, init, "initialises barriers inside of control flow");
      return;
    }
    for (MlirOpOperand use = mlirValueGetFirstUse(row);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      if (is_barrier_use(op) &&
          mlirOperationIsBeforeInBlock(program_ancestor_in(body, op), init))
        reject_unseen(e, op);
    }
  }
  if (e->plan && e->plan->unmet.ptr)
    reject_unseen(e, e->plan->unmet);
}

//===-- Control flow ------------------------------------------------------===//

static ProofRole *role_of(ProgramWriter *w) {
  return &w->extract->out->roles[w->role];
}

static int here(ProgramWriter *w) { return role_of(w)->num_ops; }

static MlirBlock entry_of(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

// Values that become others, all at once.
typedef struct {
  ProofScalarId *to, *from;
  int count;
} Binding;

static void binding_add(Binding *b, ProofScalarId to, ProofScalarId from) {
  b->to[b->count] = to;
  b->from[b->count++] = from;
}

static ProofOp *write_binding(ProgramWriter *w, MlirOperation op,
                              const Binding *b) {
  ProofOp *bind = program_add(w, PROOF_BIND, op);
  bind->bind.count = b->count;
  bind->bind.to = b->to;
  bind->bind.from = b->from;
  return bind;
}

static ProofScalarId *results_of(ProgramWriter *w, MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op);
  ProofScalarId *out = program_ids(w->extract, count);
  for (intptr_t i = 0; i < count; i++)
    out[i] = program_variable(w->extract, mlirOperationGetResult(op, i).ptr,
                              w->role);
  return out;
}

// `to` become operands of `op` from `first` on; there is room for one more.
static Binding bind_operands(ProgramWriter *w, MlirOperation op, intptr_t first,
                             const ProofScalarId *to, intptr_t count) {
  Binding b = {program_ids(w->extract, count + 1),
               program_ids(w->extract, count + 1), 0};
  for (intptr_t i = 0; i < count; i++)
    binding_add(
        &b, to[i],
        program_scalar(w->extract, mlirOperationGetOperand(op, first + i)));
  return b;
}

static void write_ops(ProgramWriter *w, MlirBlock block);

static int begin_branch(ProgramWriter *w, MlirOperation op,
                        ProofScalarId condition) {
  program_add(w, PROOF_BRANCH, op)->branch.condition = condition;
  return here(w) - 1;
}

static ProofScalarId condition_of_case(ProgramWriter *w, MlirOperation op,
                                       intptr_t i) {
  ProgramBuild *e = w->extract;
  ProofScalarId asked = program_scalar(e, mlirOperationGetOperand(op, 0));
  return scf_if_is(op)
             ? asked
             : program_combined(
                   e, PROOF_EQ, asked,
                   program_constant(e, scf_index_switch_cases(
                                           scf_index_switch_cast(op), i)));
}

// Case `i` and those after it, one branch in the other, then the default. An
// scf.if has one case.
static void write_cases(ProgramWriter *w, MlirOperation op, intptr_t i,
                        const ProofScalarId *results) {
  intptr_t num_cases = mlirOperationGetNumRegions(op) - 1;
  bool is_default = i == num_cases, is_if = scf_if_is(op);
  MlirBlock block = entry_of(op, is_if ? i : is_default ? 0 : i + 1);
  int branch =
      is_default ? 0 : begin_branch(w, op, condition_of_case(w, op, i));
  if (!mlirBlockIsNull(block)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    write_ops(w, block);
    Binding b =
        bind_operands(w, end, 0, results, mlirOperationGetNumResults(op));
    write_binding(w, end, &b);
  }
  if (is_default)
    return;
  int jump = here(w);
  program_add(w, PROOF_JUMP, op);
  role_of(w)->ops[branch].branch.target = here(w);
  write_cases(w, op, i + 1, results);
  role_of(w)->ops[jump].jump.target = here(w);
}

// A loop, with the values that it hands on from iteration to iteration.
typedef struct {
  ProofScalarId *args;
  intptr_t count;
  ProofScalarId counter, first, step;
} Loop;

// The variables of the arguments of a region, from `first` on.
static ProofScalarId *arguments(ProgramWriter *w, MlirOperation op,
                                intptr_t region, intptr_t first,
                                intptr_t count) {
  ProofScalarId *out = program_ids(w->extract, count);
  for (intptr_t i = 0; i < count; i++)
    out[i] = program_variable(
        w->extract, mlirBlockGetArgument(entry_of(op, region), first + i).ptr,
        w->role);
  return out;
}

// Arguments begin as operands of the loop from `first` on.
static void write_start(ProgramWriter *w, MlirOperation op, intptr_t first,
                        const Loop *loop) {
  Binding b = bind_operands(w, op, first, loop->args, loop->count);
  binding_add(&b, loop->counter, loop->first);
  write_binding(w, op, &b)->bind.enters = true;
}

// The end of an iteration, and of the loop: `results` are its results then.
static void write_repeat(ProgramWriter *w, MlirOperation op, const Loop *loop,
                         MlirBlock body, int head, int branch,
                         ProofScalarId *results) {
  Binding b = bind_operands(w, mlirBlockGetTerminator(body), 0, loop->args,
                            loop->count);
  binding_add(
      &b, loop->counter,
      program_combined(w->extract, PROOF_ADD, loop->counter, loop->step));
  write_binding(w, op, &b)->bind.repeats = true;
  program_add(w, PROOF_JUMP, op)->jump.target = head;
  role_of(w)->ops[branch].branch.is_loop = true;
  role_of(w)->ops[branch].branch.target = here(w);
  Binding ended = {results_of(w, op), results,
                   (int)mlirOperationGetNumResults(op)};
  write_binding(w, op, &ended);
}

static bool is_constant(const ProgramBuild *e, ProofScalarId id) {
  return e->out->scalars[id].kind == PROOF_CONSTANT;
}

static void write_for(ProgramWriter *w, MlirOperation op) {
  ProgramBuild *e = w->extract;
  ScfForOp scf = scf_for_cast(op);
  ProofScalarId end = program_scalar(e, scf_for_upperBound(scf));
  intptr_t count = scf_for_initArgs(scf).n;
  Loop loop = {.args = arguments(w, op, 0, 1, count),
               .count = count,
               .counter = arguments(w, op, 0, 0, 1)[0],
               .first = program_scalar(e, scf_for_lowerBound(scf)),
               .step = program_scalar(e, scf_for_step(scf))};
  e->out->scalars[loop.step].is_positive = true;
  write_start(w, op, 3, &loop);
  int head = begin_branch(
      w, op,
      program_combined(e, scf_for_unsignedCmp(scf) ? PROOF_ULT : PROOF_LT,
                       loop.counter, end));
  role_of(w)->ops[head].branch.is_fixed =
      is_constant(e, loop.first) && is_constant(e, end);
  write_ops(w, entry_of(op, 0));
  write_repeat(w, op, &loop, entry_of(op, 0), head, head, loop.args);
}

static void write_while(ProgramWriter *w, MlirOperation op) {
  ProgramBuild *e = w->extract;
  intptr_t count = mlirOperationGetNumOperands(op);
  Loop loop = {.args = arguments(w, op, 0, 0, count),
               .count = count,
               .counter = program_variable(e, op.ptr, w->role),
               .first = program_constant(e, 0),
               .step = program_constant(e, 1)};
  write_start(w, op, 0, &loop);
  int head = here(w);
  write_ops(w, entry_of(op, 0));
  MlirOperation condition = mlirBlockGetTerminator(entry_of(op, 0));
  intptr_t num_passed = mlirOperationGetNumResults(op);
  int branch = begin_branch(
      w, op, program_scalar(e, mlirOperationGetOperand(condition, 0)));
  Binding passed = bind_operands(
      w, condition, 1, arguments(w, op, 1, 0, num_passed), num_passed);
  write_binding(w, op, &passed);
  write_ops(w, entry_of(op, 1));
  write_repeat(w, op, &loop, entry_of(op, 1), head, branch, passed.from);
}

//===-- Numbers in private memory -----------------------------------------===//

// Of one element, and read and written as such alone.
static bool is_number(MlirValue memref) {
  TileShape shape;
  if (!tile_shape_of(memref, &shape) || shape.space != TILE_SPACE_PRIVATE ||
      tile_shape_num_elems(&shape) != 1)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(memref);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!memref_load_is(user) && !memref_store_is(user))
      return false;
  }
  return true;
}

// Each role has its own.
static ProofScalarId number_in(ProgramWriter *w, MlirValue memref) {
  const void *key = (const char *)memref.ptr + 1 + w->role;
  return program_variable(w->extract, key, w->role);
}

static bool write_number(ProgramWriter *w, MlirOperation op) {
  ProgramBuild *e = w->extract;
  bool is_load = memref_load_is(op);
  if ((!is_load && !memref_store_is(op)) ||
      !is_number(mlirOperationGetOperand(op, is_load ? 0 : 1)))
    return false;
  ProofScalarId number = number_in(w, mlirOperationGetOperand(op, !is_load));
  Binding b = {program_ids(e, 1), program_ids(e, 1), 0};
  if (is_load)
    binding_add(&b, results_of(w, op)[0], number);
  else
    binding_add(&b, number, program_scalar(e, mlirOperationGetOperand(op, 0)));
  write_binding(w, op, &b);
  return true;
}

//===-- Ops ---------------------------------------------------------------===//

static MlirWalkResult find_event(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_barrier_wait_is(op) || tile_barrier_arrive_is(op) ||
            tile_barrier_expect_is(op) || tile_barrier_sync_is(op) ||
            tile_acquire_is(op) || tile_commit_is(op) || tile_wait_is(op) ||
            tile_release_is(op) || tile_turn_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void write_other(ProgramWriter *w, MlirOperation op) {
  bool has_events = false;
  if (mlirOperationGetNumRegions(op) > 0)
    mlirOperationWalk(op, find_event, &has_events, MlirWalkPreOrder);
  if (has_events)
    program_fail(w->extract, op,
                 "holds barriers in control flow that is not understood");
  program_accesses(w, op);
}

// Who else arrives, and what else is written, other blocks decide.
static void write_op(ProgramWriter *w, MlirOperation op) {
  if (tile_signals_cluster(op))
    program_fail(w->extract, op, "signals barriers of other blocks");
  add_point(w, op);
  if (program_parts(w, op) || tile_specialize_is(op))
    return;
  if (program_inlined_block(op).ptr)
    write_ops(w, program_inlined_block(op));
  else if (scf_if_is(op) || scf_index_switch_is(op))
    write_cases(w, op, 0, results_of(w, op));
  else if (scf_for_is(op))
    write_for(w, op);
  else if (scf_while_is(op))
    write_while(w, op);
  else if (!add_event(w, op) && !write_number(w, op))
    write_other(w, op);
}

static void write_ops(ProgramWriter *w, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block) {
    if (w->extract->verdict->code)
      return;
    write_op(w, op);
  }
}

//===-- Roles -------------------------------------------------------------===//

// Numbers that roles begin with.
static void write_initial(ProgramWriter *w) {
  TILE_FOR_EACH_OP (op, tile_kernel_body(w->extract->kernel)) {
    if (mlirOperationEqual(op, w->extract->specialize))
      break;
    if (memref_store_is(op))
      write_number(w, op);
  }
}

static void write_role(ProgramBuild *e, MlirOperation op, const char *name,
                       int64_t num_warps, MlirBlock body) {
  ProgramWriter w = {e, e->out->num_roles++};
  ProofRole *role = &e->out->roles[w.role];
  role->name = name;
  role->origin = op.ptr;
  role->num_threads = WARP_THREADS * (int)num_warps;
  if (e->is_of_roles)
    write_initial(&w);
  write_ops(&w, body);
  program_add(&w, PROOF_END, e->kernel);
}

static void write_roles(ProgramBuild *e) {
  if (!e->is_of_roles) {
    write_role(e, e->kernel, "block",
               tile_kernel_num_threads(e->kernel) / WARP_THREADS,
               tile_kernel_body(e->kernel));
    return;
  }
  TILE_FOR_EACH_OP (op, entry_of(e->specialize, 0)) {
    TileRoleOp role = tile_role_dyn(op);
    if (!role.op.ptr)
      continue;
    if (e->out->num_roles == PROOF_MAX_ROLES) {
      program_fail(e, op, "is one of too many roles to be followed");
      return;
    }
    if (tile_role_pingpong(role))
      e->out->roles[e->out->num_roles].num_turns =
          (int)tile_role_warps(role) / 4;
    MlirStringRef name = tile_role_role(role);
    write_role(e, op, tile_arena_strdup(e->arena, name.data, name.length),
               tile_role_warps(role), entry_of(op, 0));
  }
}

// Barriers that some of the roles share need all of their threads.
static void check_syncs(ProgramBuild *e) {
  ProofProgram *out = e->out;
  for (int pass = 0; pass < 2; pass++)
    for (int r = 0; r < out->num_roles; r++)
      for (int i = 0; i < out->roles[r].num_ops; i++) {
        const ProofOp *op = &out->roles[r].ops[i];
        int threads = 0;
        if (op->kind != PROOF_SYNC || op->sync.id < 0)
          continue;
        out->sync_agents[op->sync.id] |= 3u << 2 * r;
        for (int k = 0; k < out->num_roles; k++)
          if (out->sync_agents[op->sync.id] & 1u << 2 * k)
            threads += out->roles[k].num_threads;
        if (pass == 1 && threads != op->sync.count)
          program_fail(e, (MlirOperation){(void *)op->origin},
                       "meets some of the threads that execute it only");
      }
}

// The program of the roles of a kernel, or of its block outside of them, and
// what is wrong with it. False where nothing in it waits for an mbarrier or a
// channel. The points of `plan` count as if they stood there. Owner: `arena`.
static bool kernel_program(TileArena *arena, MlirOperation kernel,
                           bool is_of_roles, const TileSyncPlan *plan,
                           TileKernelVerdict *out) {
  *out = (TileKernelVerdict){
      .program = {.arena = arena, .is_of_block = !is_of_roles},
      .verdict.role = PROOF_NONE};
  ProgramBuild e = {.arena = arena,
                    .known.arena = arena,
                    .kernel = kernel,
                    .specialize = tile_kernel_specialize(kernel).op,
                    .out = &out->program,
                    .plan = plan,
                    .verdict = &out->verdict,
                    .is_of_roles = is_of_roles};
  if ((is_of_roles && !e.specialize.ptr) || !find_rows(&e))
    return false;
  if (!e.verdict->code)
    check_inits(&e);
  if (!e.verdict->code) {
    write_roles(&e);
    program_bytes(&e);
    check_syncs(&e);
  }
  return true;
}

//===-- What the proof says of a kernel -----------------------------------===//

static bool is_worse(const ProofVerdict *a, const ProofVerdict *b) {
  return a->outcome == PROOF_REJECTED ||
         (a->outcome == PROOF_UNKNOWN && b->outcome == PROOF_PROVED);
}

void tile_kernel_judge(TileArena *arena, MlirOperation kernel,
                       const TileSyncPlan *plan, const ProofLimits *limits,
                       TileKernelVerdict *out) {
  *out = (TileKernelVerdict){.verdict.role = PROOF_NONE};
  for (int is_of_roles = 0;
       is_of_roles < 2 && out->verdict.outcome != PROOF_REJECTED;
       is_of_roles++) {
    TileKernelVerdict judged;
    if (!kernel_program(arena, kernel, is_of_roles, plan, &judged))
      continue;
    if (!judged.verdict.code)
      proof_verify(&judged.program, limits, arena, &judged.verdict);
    if (is_worse(&judged.verdict, &out->verdict))
      *out = judged;
  }
}
