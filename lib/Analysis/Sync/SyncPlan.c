//===- SyncPlan.c - Where threads meet and writers fence ------------------===//
//
// A forward data-flow analysis over a kernel. The state holds, per place (a
// buffer, or a window of one: SyncAccess.c) and age, what threads may have
// done since they last met. Rules, between places that may have bytes in
// common:
//
//   (S1) A generic access after a generic write of the same bytes, or a generic
//        write after a generic read, needs a barrier, but where every byte is
//        accessed by one thread alone (SyncThreads.c).
//   (S2) An asynchronous access (wgmma operand, TMA) after a generic write
//        needs a proxy fence by the writers and then a barrier (PTX ISA,
//        "Async proxy"): of shared memory, or of all where the write was to a
//        tensor.
//   (S3) A write of any kind after an asynchronous or generic read needs a
//        barrier; no fence, because a read leaves nothing to be made visible.
//   (S4) An asynchronous write needs nothing after it: every thread waits for
//        it before it goes on, on the mbarrier that the copy signals.
//        But a thread that waits for one phase of an mbarrier must not miss
//        two: its parity would be the same again. So a wait reads the slot of
//        the mbarrier and the next copy that signals it writes the slot. A copy
//        whose mbarrier is not known yet counts by the tile that it fills.
//        Mbarriers of channels order both themselves.
//        The init of an mbarrier is a write of the leader, who makes it visible
//        to the asynchronous proxy: the other threads meet it before they use
//        the mbarrier, and it needs no barrier for its own arrivals and copies.
//   (S5) A barrier without a fence orders generic writes but leaves them
//        unfenced; the fence may then follow it.
//   (S6) Atomic updates need no barrier between them. To any other access one
//        is a generic write and read.
//   (S7) What an `async` copy writes is not there before a tile.cp_async_wait:
//        until then it orders nothing, and no barrier would help who reads it.
//        After the wait it is a generic write of every thread, and they meet
//        there: in a pipeline the rest of the round then needs no barrier.
//        Where nobody else reads what a thread copies, they need not.
//   (S8) A TMA store reads its tile until the thread that issued it has waited:
//        that wait and a barrier stand before the next write of the tile,
//        but a wait alone where the same thread writes it, by TMA.
//        Stores complete in order: those issued since need not be waited for.
//        The tensor is written when the store is complete, for that thread.
//   (S9) Roles run at the same time, and their barriers are their own. What was
//        done before them is ordered before `tile.specialize`; what they
//        did conflicts with whatever other threads do after it. Rings of
//        channels are ordered inside roles by their barriers; but what lies in
//        a ring that has been read to the end waits for all who read it.
//        Who arrives in a role on an mbarrier may give a tile to other roles:
//        a slot of its channel, or what is in no channel. The thread of a TMA
//        store that reads it waits first, who wrote it fences when they access
//        it asynchronously, and who loaded from it when they write it so: a
//        load may be under way when its thread arrives, unless it has met
//        others at a barrier of several warps.
//  (S10) What an op in a loop needs in its first round only stands before
//        the loop.
//  (S11) A condition on what is left of a loop holds in its first rounds, and
//        then no longer; and a branch tells which way later branches of its
//        block go on the same condition, or on that and another one, and
//        whether a loop has a round.
//
//  (S12) Who releases does so for the block: threads meet before it when they
//        have accessed a tensor, TMA stores are complete, and what TMA reads
//        is fenced. Who acquires does so for the block, too: they meet after
//        it.
//  (S13) The threads of all blocks of a cluster meet at a tile.cluster_sync: it
//        is a barrier, and releases and acquires as (S12) says. Blocks that
//        reach shared memory of others have met before, and meet at the end.
//
// Tensors are disjoint when they are different arguments of a function that
// does not opt out (`tile.may_alias`); any other two may be the same memory.
//
// Decisions only grow, and the state is a finite set: the fixpoint over loops
// ends after at most (14 bits per place and age + decisions) rounds.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

//===-- Plans of trials ---------------------------------------------------===//

static TileSyncPlan plan_copy(const Flow *flow, const TileSyncPlan *plan) {
  TileSyncPlan copy = *plan;
  copy.points = TILE_ARENA_NEW(flow->arena, TileSyncPoint, plan->capacity + 1);
  if (plan->num_points)
    memcpy(copy.points, plan->points, plan->num_points * sizeof *plan->points);
  return copy;
}

// What stands in `plan` beyond `base`.
static TileSyncPoint plan_extra(const TileSyncPlan *plan,
                                const TileSyncPlan *base) {
  TileSyncPoint extra = {0};
  for (size_t i = 0; i < plan->num_points; i++) {
    const TileSyncPoint *point = &plan->points[i];
    const TileSyncPoint *other = sync_point_find(base, point->before);
    extra.barrier |= point->barrier && !(other && other->barrier);
    extra.fence |= (uint8_t)(point->fence & ~(other ? other->fence : 0));
  }
  return extra;
}

//===-- Rounds ------------------------------------------------------------===//

// What is done to tensors is in no order with what comes.
static void forget_tensors(const Flow *flow, State state) {
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    if (!sync_place_is_shared(flow, sync_entry_place(i)))
      state.bits[i] = 0;
}

// A round of `loop` ends: its values get new numbers.
static void state_next_round(const Flow *flow, State state,
                             MlirOperation loop) {
  if (!mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          loop, TILE_STR(TILE_PERSISTENT_ATTR))))
    forget_tensors(flow, state);
  for (size_t i = 0; i < flow->num_places; i++) {
    MlirOperation home = flow->places[i].home;
    uint16_t *ages = &state.bits[i * TILE_NUM_AGES];
    if (mlirOperationIsNull(home) || !tile_op_is_inside(home, loop))
      continue;
    if (mlirOperationEqual(home, loop)) {
      ages[TILE_AGE_EARLIER] |= ages[TILE_AGE_PREVIOUS];
      ages[TILE_AGE_PREVIOUS] = ages[TILE_AGE_SAME];
    } else {
      ages[TILE_AGE_OLDER] |= ages[TILE_AGE_SAME] | ages[TILE_AGE_PREVIOUS] |
                              ages[TILE_AGE_EARLIER];
      ages[TILE_AGE_EARLIER] = ages[TILE_AGE_PREVIOUS] = 0;
    }
    ages[TILE_AGE_SAME] = 0;
  }
}

//===-- Control flow ------------------------------------------------------===//

static void transfer_block(Flow *flow, MlirBlock block, State state);

static void transfer_region(Flow *flow, MlirRegion region, State state) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr;
       block = mlirBlockGetNextInRegion(block))
    transfer_block(flow, block, state);
}

// The number n of a condition that is what is left of the loop is more than n;
// 0: of none. Where it holds in a round, it did in all before.
static int64_t left_of(MlirValue condition, ScfForOp loop) {
  if (!mlirValueIsAOpResult(condition) ||
      !arith_cmpi_is(mlirOpResultGetOwner(condition)))
    return 0;
  ArithCmpIOp compare = arith_cmpi_cast(mlirOpResultGetOwner(condition));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop.op, 0));
  MlirValue left = arith_cmpi_lhs(compare);
  int64_t step, limit;
  if ((arith_cmpi_predicate(compare) != ARITH_CMP_I_PREDICATE_ugt &&
       arith_cmpi_predicate(compare) != ARITH_CMP_I_PREDICATE_sgt) ||
      !mlirxConstantInt(scf_for_step(loop), &step) ||
      !mlirxConstantInt(arith_cmpi_rhs(compare), &limit) || step < 1 ||
      limit < step || !mlirValueIsAOpResult(left) ||
      !arith_subi_is(mlirOpResultGetOwner(left)))
    return 0;
  MlirOperation sub = mlirOpResultGetOwner(left);
  bool is_left = mlirValueEqual(mlirOperationGetOperand(sub, 0),
                                scf_for_upperBound(loop)) &&
                 mlirValueEqual(mlirOperationGetOperand(sub, 1),
                                mlirBlockGetArgument(body, 0));
  return is_left ? limit : 0;
}

// What is assumed of a condition: that it holds, or not, or nothing.
typedef enum { EITHER, HOLDS, FAILS } Assumption;

static Assumption assumed_of(const Flow *flow, MlirValue condition) {
  for (int i = 0; i < flow->num_assumed; i++)
    if (mlirValueEqual(flow->assumed[i].condition, condition))
      return flow->assumed[i].holds ? HOLDS : FAILS;
  int64_t limit = mlirOperationIsNull(flow->assumed_loop)
                      ? 0
                      : left_of(condition, scf_for_cast(flow->assumed_loop));
  if (limit)
    return limit <= flow->least_left ? HOLDS : FAILS;
  if (!mlirValueIsAOpResult(condition) ||
      !arith_andi_is(mlirOpResultGetOwner(condition)))
    return EITHER;
  MlirOperation both = mlirOpResultGetOwner(condition);
  Assumption a = assumed_of(flow, mlirOperationGetOperand(both, 0)),
             b = assumed_of(flow, mlirOperationGetOperand(both, 1));
  return a == FAILS || b == FAILS ? FAILS : a == HOLDS ? b : EITHER;
}

// Either branch may run; without an else, neither.
static void transfer_if(Flow *flow, MlirOperation op, State state) {
  Assumption assumed = assumed_of(flow, scf_if_condition(scf_if_cast(op)));
  if (assumed != EITHER) {
    transfer_region(flow, mlirOperationGetRegion(op, assumed == FAILS), state);
    return;
  }
  State before = sync_state_create(flow), branch = sync_state_create(flow);
  sync_state_assign(flow, before, state);
  bool has_else =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)).ptr != NULL;
  transfer_region(flow, mlirOperationGetRegion(op, 0), state);
  sync_state_assign(flow, branch, before);
  if (has_else)
    transfer_region(flow, mlirOperationGetRegion(op, 1), branch);
  sync_state_join(flow, state, branch);
}

// Regions that run in any order, any number of times, none included: a loop,
// and every op of which nothing else is known.
static void transfer_regions(Flow *flow, MlirOperation op, State state) {
  MlirOperation outer = flow->assumed_loop;
  if (scf_for_is(op))
    flow->assumed_loop = (MlirOperation){NULL};
  State round = sync_state_create(flow);
  bool grew;
  do {
    grew = false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      sync_state_assign(flow, round, state);
      transfer_region(flow, mlirOperationGetRegion(op, r), round);
      state_next_round(flow, round, op);
      grew |= sync_state_join(flow, state, round);
    }
  } while (grew);
  flow->assumed_loop = outer;
}

// The first region runs at least once, and the loop ends after it.
static void transfer_while(Flow *flow, MlirOperation op, State state) {
  State round = sync_state_create(flow), end = sync_state_create(flow);
  do {
    sync_state_assign(flow, round, state);
    transfer_region(flow, mlirOperationGetRegion(op, 0), round);
    sync_state_assign(flow, end, round);
    transfer_region(flow, mlirOperationGetRegion(op, 1), round);
    state_next_round(flow, round, op);
  } while (sync_state_join(flow, state, round));
  sync_state_assign(flow, state, end);
}

// One round, in which more than `least_left` is left of the loop.
static void transfer_round(Flow *flow, MlirOperation op, int64_t least_left,
                           State state) {
  MlirOperation outer = flow->assumed_loop;
  int64_t outer_left = flow->least_left;
  flow->assumed_loop = op;
  flow->least_left = least_left;
  transfer_region(flow, mlirOperationGetRegion(op, 0), state);
  state_next_round(flow, state, op);
  flow->assumed_loop = outer;
  flow->least_left = outer_left;
}

// Limits of what is left, the largest one first, down to 0.
enum { MAX_LIMITS = 4 };
typedef struct {
  ScfForOp loop;
  int64_t limit[MAX_LIMITS + 1];
  int count;
  bool are_too_many;
} Limits;

static MlirWalkResult find_limit(MlirOperation op, void *user_data) {
  Limits *limits = user_data;
  int64_t limit = scf_if_is(op)
                      ? left_of(scf_if_condition(scf_if_cast(op)), limits->loop)
                      : 0;
  int at = 0;
  while (at < limits->count && limits->limit[at] > limit)
    at++;
  if (limit == 0 || limits->limit[at] == limit)
    return MlirWalkResultAdvance;
  limits->are_too_many = limits->count == MAX_LIMITS;
  if (limits->are_too_many)
    return MlirWalkResultInterrupt;
  for (int i = limits->count++; i > at; i--)
    limits->limit[i] = limits->limit[i - 1];
  limits->limit[at] = limit;
  limits->limit[limits->count] = 0;
  return MlirWalkResultAdvance;
}

// Conditions on what is left hold in the first rounds, and then no longer.
static void transfer_for(Flow *flow, MlirOperation op, bool has_round,
                         State state) {
  State before = sync_state_create(flow), round = sync_state_create(flow);
  Limits limits = {.loop = scf_for_cast(op)};
  int64_t step = 0;
  mlirxConstantInt(scf_for_step(limits.loop), &step);
  mlirOperationWalk(op, find_limit, &limits, MlirWalkPreOrder);
  if (limits.are_too_many) {
    transfer_regions(flow, op, state);
    return;
  }
  sync_state_assign(flow, before, state);
  for (int i = 0; i <= limits.count; i++) {
    // When no more than a step is left, the round is the last one.
    bool is_last = i > 0 && i == limits.count && limits.limit[i - 1] == step;
    do {
      sync_state_assign(flow, round, state);
      transfer_round(flow, op, limits.limit[i], round);
    } while (!is_last && sync_state_join(flow, state, round));
  }
  sync_state_assign(flow, state, round);
  if (!has_round)
    sync_state_join(flow, state, before);
}

static bool is_same_index(MlirValue a, MlirValue b) {
  int64_t x, y;
  return mlirValueEqual(a, b) ||
         (mlirxConstantInt(a, &x) && mlirxConstantInt(b, &y) && x == y);
}

// Whether `condition` holds where the loop has a round, and nowhere else.
static bool says_round(MlirValue condition, ScfForOp loop) {
  if (!mlirValueIsAOpResult(condition) ||
      !arith_cmpi_is(mlirOpResultGetOwner(condition)))
    return false;
  ArithCmpIOp compare = arith_cmpi_cast(mlirOpResultGetOwner(condition));
  return arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_slt &&
         is_same_index(arith_cmpi_lhs(compare), scf_for_lowerBound(loop)) &&
         is_same_index(arith_cmpi_rhs(compare), scf_for_upperBound(loop));
}

// Whether the loop is assumed to have a round, or none.
static Assumption assumed_rounds(const Flow *flow, ScfForOp loop) {
  for (int i = 0; i < flow->num_assumed; i++)
    if (says_round(flow->assumed[i].condition, loop))
      return flow->assumed[i].holds ? HOLDS : FAILS;
  return EITHER;
}

static bool has_round(const Flow *flow, ScfForOp loop) {
  if (assumed_rounds(flow, loop) == HOLDS)
    return true;
  TileIndexBounds first =
      tile_index_bounds(tile_int_value(scf_for_lowerBound(loop)));
  TileIndexBounds end =
      tile_index_bounds(tile_int_value(scf_for_upperBound(loop)));
  return first.is_known && end.is_known && first.max < end.min;
}

static void transfer_rounds(Flow *flow, MlirOperation op, State state) {
  if (scf_while_is(op))
    transfer_while(flow, op, state);
  else if (scf_for_is(op))
    transfer_for(flow, op, has_round(flow, scf_for_cast(op)), state);
  else
    transfer_regions(flow, op, state);
}

static void apply_point(const Flow *flow, const TileSyncPoint *point,
                        State state) {
  sync_state_fence(flow, state, point->fence);
  if (point->barrier)
    sync_state_meet(flow, state);
}

static int loop_depth(MlirOperation op) {
  int depth = 0;
  for (op = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(op) && !tile_kernel_is(op);
       op = mlirOperationGetParentOperation(op))
    depth += scf_for_is(op) || scf_while_is(op);
  return depth;
}

// (S10) What the rounds need as they were after a barrier and a fence they
// need anyway. If what was done before them then needs more, it is met in
// front. Deep nests are not tried: their trials multiply.
static void transfer_loop(Flow *flow, MlirOperation op, State state) {
  enum { MAX_TRIED_DEPTH = 2 };
  const TileSyncPoint *given = sync_point_find(flow->plan, op);
  if (given)
    apply_point(flow, given, state);
  if (!sync_state_has(flow, state, SINCE_BARRIER | UNFENCED) ||
      loop_depth(op) > MAX_TRIED_DEPTH) {
    transfer_rounds(flow, op, state);
    return;
  }
  TileSyncPlan before = plan_copy(flow, flow->plan);
  State met = sync_state_create(flow), late = sync_state_create(flow);
  sync_state_assign(flow, met, state);
  sync_state_clear(flow, met, SINCE_BARRIER | UNFENCED);
  transfer_rounds(flow, op, met);
  TileSyncPlan rounds = plan_copy(flow, flow->plan);
  sync_state_assign(flow, late, state);
  transfer_rounds(flow, op, late);
  TileSyncPoint extra = plan_extra(flow->plan, &rounds);
  if (!extra.barrier && !extra.fence) {
    sync_state_assign(flow, state, late);
    return;
  }
  *flow->plan = before;
  TileSyncPoint *point = sync_point_get(flow, op);
  point->barrier |= extra.barrier;
  point->fence |= extra.fence;
  apply_point(flow, point, state);
  transfer_rounds(flow, op, state);
}

// (S9)
static void transfer_roles(Flow *flow, MlirOperation op, State state) {
  State before = sync_state_create(flow), role_state = sync_state_create(flow);
  flow->role_bits = sync_state_create(flow).bits;
  if (sync_state_has(flow, state, SINCE_BARRIER | STORING_ANY) ||
      sync_point_find(flow->plan, op)) {
    TileSyncPoint *point = sync_point_get(flow, op);
    point->barrier = true;
    if (sync_state_has(flow, state, INITIAL) &&
        mlirOperationIsNull(flow->unmet))
      flow->unmet = op;
    if (sync_state_has(flow, state, STORING_ANY))
      point->store_wait = TILE_STORE_WAIT_COMPLETE; // and none is pending
    sync_state_stored(flow, state, TILE_STORE_WAIT_COMPLETE, 0);
    sync_state_meet(flow, state);
  }
  sync_state_assign(flow, before, state);
  flow->is_in_role = true;
  TILE_FOR_EACH_OP (role, tile_specialize_block(tile_specialize_cast(op))) {
    sync_state_assign(flow, role_state, before);
    flow->is_one_warp = tile_role_warps(tile_role_cast(role)) == 1;
    transfer_region(flow, mlirOperationGetRegion(role, 0), role_state);
    // A role ends when its stores have.
    sync_state_stored(flow, role_state, TILE_STORE_WAIT_COMPLETE, 0);
    sync_state_join(flow, state, role_state);
  }
  flow->is_in_role = flow->is_one_warp = false;
  sync_state_join(flow, state, (State){flow->role_bits});
}

// Whether it follows from `condition` holding or not what `other` does.
static bool depends_on(MlirValue other, MlirValue condition, int depth) {
  if (mlirValueEqual(other, condition))
    return true;
  if (depth == 0 || !mlirValueIsAOpResult(other) ||
      !arith_andi_is(mlirOpResultGetOwner(other)))
    return false;
  MlirOperation both = mlirOpResultGetOwner(other);
  return depends_on(mlirOperationGetOperand(both, 0), condition, depth - 1) ||
         depends_on(mlirOperationGetOperand(both, 1), condition, depth - 1);
}

// Whether a branch or a loop goes another way where `condition` fails.
static bool is_decided_by(MlirOperation op, MlirValue condition) {
  enum { MAX_DEPTH = 4 };
  if (scf_for_is(op))
    return says_round(condition, scf_for_cast(op));
  return scf_if_is(op) &&
         depends_on(scf_if_condition(scf_if_cast(op)), condition, MAX_DEPTH);
}

// Whether this branch says more of the rest of the block.
static bool decides_others(const Flow *flow, MlirOperation branch) {
  MlirValue condition = scf_if_condition(scf_if_cast(branch));
  if (flow->num_assumed == SYNC_MAX_ASSUMED ||
      assumed_of(flow, condition) != EITHER)
    return false;
  for (MlirOperation op = mlirOperationGetNextInBlock(branch);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_decided_by(op, condition))
      return true;
  return false;
}

static void transfer_ops(Flow *flow, MlirOperation op, State state);

// The rest of the block is followed once for either branch.
static void transfer_apart(Flow *flow, MlirOperation op, State state) {
  State other = sync_state_create(flow);
  MlirValue condition = scf_if_condition(scf_if_cast(op));
  sync_state_assign(flow, other, state);
  int at = flow->num_assumed++;
  flow->assumed[at] = (SyncAssumed){condition, true};
  transfer_ops(flow, op, state);
  flow->assumed[at] = (SyncAssumed){condition, false};
  transfer_ops(flow, op, other);
  flow->num_assumed--;
  sync_state_join(flow, state, other);
}

static bool is_divergent(const Flow *flow, MlirOperation op) {
  for (size_t i = 0; i < flow->divergence.num_scopes; i++)
    if (mlirOperationEqual(flow->divergence.scopes[i], op))
      return true;
  return false;
}

// From `op` to the end of its block.
static void transfer_ops(Flow *flow, MlirOperation op, State state) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (is_divergent(flow, op)) {
      sync_transfer_scope(flow, op, state);
      continue;
    }
    if (scf_if_is(op) && decides_others(flow, op)) {
      transfer_apart(flow, op, state);
      return;
    }
    sync_transfer_op(flow, op, state);
    if (tile_specialize_is(op))
      transfer_roles(flow, op, state);
    else if (scf_if_is(op))
      transfer_if(flow, op, state);
    else if (scf_for_is(op) && assumed_rounds(flow, scf_for_cast(op)) == FAILS)
      continue;
    else if (scf_for_is(op) || scf_while_is(op))
      transfer_loop(flow, op, state);
    else if (mlirOperationGetNumRegions(op) > 0 && !tile_parallel_is(op))
      transfer_regions(flow, op, state);
  }
}

static void transfer_block(Flow *flow, MlirBlock block, State state) {
  transfer_ops(flow, mlirBlockGetFirstOperation(block), state);
}

//===-- Ends --------------------------------------------------------------===//

// Shared memory stays until the last TMA store has read it. Who issues the
// stores waits at the end of his program: of the role, or of the kernel.

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
    else if (!tile_cluster_sync_is(op) || mlirOperationIsNull(end.last))
      end.last = op;
  }
  if (tile_tma_wait_is(end.last))
    return;
  TILE_ARENA_RESERVE(arena, plan->ends, plan->num_ends, plan->ends_capacity);
  plan->ends[plan->num_ends++] = end;
}

static void build_ends(TileArena *arena, MlirOperation kernel,
                       TileSyncPlan *plan) {
  TileSpecializeOp specialize = tile_kernel_specialize(kernel);
  add_end(arena, kernel, tile_kernel_body(kernel), plan);
  if (mlirOperationIsNull(specialize.op))
    return;
  TILE_FOR_EACH_OP (role, tile_specialize_block(specialize))
    add_end(arena, role,
            mlirRegionGetFirstBlock(mlirOperationGetRegion(role, 0)), plan);
}

//===-- Blocks of a cluster -----------------------------------------------===//

// (S13) Shared memory of another block exists from when it runs until it ends.
// Meetings directly in the body of the kernel count.

static MlirWalkResult find_remote_access(MlirOperation op, void *user_data) {
  bool *found = user_data;
  TileShape shape;
  *found |= tile_signals_cluster(op);
  for (intptr_t i = 0;
       !tile_is_name_op(op) && i < mlirOperationGetNumOperands(op); i++)
    *found |= tile_shape_of(mlirOperationGetOperand(op, i), &shape) &&
              shape.space == TILE_SPACE_CLUSTER;
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void build_meetings(MlirOperation kernel, TileSyncPlan *plan) {
  TileSyncEnd end = {{NULL}};
  bool has_met = false, is_open = false;
  TILE_FOR_EACH_OP (op, tile_kernel_body(kernel)) {
    bool accesses = false;
    if (mlirxIsTerminator(op)) {
      end.before = op;
      break;
    }
    end.last = op;
    mlirOperationWalk(op, find_remote_access, &accesses, MlirWalkPreOrder);
    if (accesses && !has_met)
      plan->meet_before = op;
    has_met |= accesses || tile_cluster_sync_is(op);
    is_open = accesses || (is_open && !tile_cluster_sync_is(op));
  }
  if (is_open)
    plan->meet_at_end = end;
}

//===-- Entry -------------------------------------------------------------===//

// Chunks that let barriers go have to be those of the lowering.
static void plan_chunks(Flow *flow) {
  TileSyncPlan *plan = flow->plan;
  plan->chunks = TILE_ARENA_NEW(flow->arena, TileSyncChunk, flow->num_uses + 1);
  for (size_t i = 0; i < flow->num_uses; i++) {
    const SyncUse *use = &flow->uses[i];
    if (use->chunk && use->place >= 0 && flow->places[use->place].is_relied_on)
      plan->chunks[plan->num_chunks++] = (TileSyncChunk){use->op, use->chunk};
  }
}

static MlirWalkResult note_places(MlirOperation op, void *user_data) {
  if (!tile_is_name_op(op))
    sync_accesses_of(user_data, op);
  // An element loop is one op.
  return tile_parallel_is(op) ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

void tile_sync_plan_build(TileArena *arena, MlirOperation kernel,
                          const TileTarget *target, TileSyncPlan *out_plan) {
  TileSharedMemory shared;
  tile_shared_memory_build(arena, kernel, true, &shared);
  tile_shared_memory_read_offsets(&shared);
  *out_plan = (TileSyncPlan){0};
  TileIndices indices;
  tile_indices_init(&indices, arena);
  Flow flow = {.arena = arena,
               .indices = &indices,
               .plan = out_plan,
               .shared = &shared,
               .kernel_threads = tile_kernel_num_threads(kernel),
               .target = target};
  tile_divergence_find(arena, kernel, &flow.divergence);
  mlirOperationWalk(kernel, note_places, &flow, MlirWalkPreOrder);
  flow.access_bits = TILE_ARENA_NEW(arena, uint16_t, flow.num_places + 1);
  flow.relations = TILE_ARENA_NEW(arena, uint8_t,
                                  flow.num_places *sync_num_entries(&flow) + 1);
  transfer_block(&flow, tile_kernel_body(kernel), sync_state_create(&flow));
  plan_chunks(&flow);
  out_plan->unmet = flow.unmet;
  build_ends(arena, kernel, out_plan);
  build_meetings(kernel, out_plan);
}

//===-- Check -------------------------------------------------------------===//

static TileSyncFault fault_of_point(const TileSyncPoint *point) {
  TileSyncFault fault = {.op = point->before};
  if (point->fence) {
    fault.code = "missing-proxy-fence";
    fault.text =
        tile_barrier_arrive_is(point->before)
            ? "no proxy fence stands between accesses of threads to a tile and "
              "this arrival, which gives it to the asynchronous proxy"
            : "no proxy fence stands between writes of threads and this op, "
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
  bool begins = !mlirOperationIsNull(plan->meet_before);
  MlirOperation unmet = begins ? plan->meet_before : plan->meet_at_end.last;
  if (!mlirOperationIsNull(unmet)) {
    *out_fault = (TileSyncFault){
        unmet, "missing-cluster-sync",
        begins ? "no tile.cluster_sync stands before this op, which accesses "
                 "shared memory of a block that may not have begun"
               : "no tile.cluster_sync stands behind this op, the last one: "
                 "other blocks may still access the shared memory of this one"};
    return false;
  }
  return true;
}
