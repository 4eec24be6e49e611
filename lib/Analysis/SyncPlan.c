//===- SyncPlan.c - Where threads meet and writers fence ------------------===//
//
// A forward data-flow analysis over a kernel. The state holds, per place (a
// buffer, or a window of one: SyncWindows.c) and age, what threads may have
// done since they last met. Rules, between places that may have bytes in
// common:
//
//   (S1) A generic access after a generic write of the same bytes, or a generic
//        write after a generic read, needs a barrier, but where every byte is
//        accessed by one thread alone (SyncThreads.c).
//   (S2) An asynchronous access (wgmma operand, TMA) after a generic write
//        needs a proxy fence by the writers and then a barrier (PTX ISA,
//        "Async proxy").
//   (S3) A write of any kind after an asynchronous or generic read needs a
//        barrier; no fence, because a read leaves nothing to be made visible.
//   (S4) An asynchronous write needs nothing behind it: every thread waits for
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
//        Behind the wait it is a generic write of every thread, and they meet
//        there: in a pipeline the rest of the round then needs no barrier.
//        Where nobody else reads what a thread copies, they need not.
//   (S8) A TMA store reads its tile until the thread that issued it has waited:
//        that wait and a barrier stand in front of the next write of the tile,
//        but a wait alone where the same thread writes it, by TMA.
//        Stores complete in order: those issued since need not be waited for.
//        The tensor is written when the store is complete, for that thread.
//   (S9) Roles run at the same time, and their barriers are their own. What was
//        done before them is ordered in front of `tile.specialize`; what they
//        did conflicts with whatever other threads do behind it. Rings of
//        channels are ordered inside roles by their barriers; but what lies in
//        a ring that has been read to the end waits for all who read it.
//        Who arrives in a role on an mbarrier that no channel has may give a
//        tile to other roles: the thread of a TMA store that reads it waits
//        first, and who wrote it fences when they access it asynchronously.
//  (S10) What an op in a loop needs in its first round only stands in front of
//        the loop.
//
// Tensors are disjoint when they are different arguments of a function that
// does not opt out (`tile.may_alias`); any other two may be the same memory.
//
// Decisions only grow, and the state is a finite set: the fixpoint over loops
// ends after at most (13 bits per place and age + decisions) rounds.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

#include "Tile/Ops/scf.h"
#include "Tile/Support/Iterate.h"

//===-- Transfer ----------------------------------------------------------===//

typedef struct {
  bool barrier, fence;
  TileStoreWait wait;
  int pending; // stores that need not be waited for
} Need;

// The least number of stores behind one of those in the set.
static int youngest(uint16_t bits) {
  int younger = 0;
  while (!(bits & STORING << younger))
    younger++;
  return younger;
}

// (S8)
static void need_stored(const Flow *flow, size_t place, uint8_t access,
                        bool is_same, uint16_t before, Need *need) {
  if (!sync_place_is_shared(flow, place))
    need->wait = TILE_STORE_WAIT_COMPLETE;
  else if ((access & (WRITES | UPDATES)) && need->wait == TILE_STORE_WAIT_NONE)
    need->wait = TILE_STORE_WAIT_READ;
  else if (!(access & (WRITES | UPDATES)))
    return;
  if (need->pending > youngest(before))
    need->pending = youngest(before);
  need->barrier |= !is_same; // but who issued it
}

// Whether threads must meet before an op does `access` to bytes that others
// accessed before.
static bool is_conflict(uint8_t access, uint16_t before) {
  if (before & GENERIC_WRITE) // (S1), (S2)
    return true;
  if ((access & (READS | WRITES)) && (before & ATOMIC_UPDATE)) // (S6)
    return true;
  return (access & (WRITES | UPDATES)) &&
         (before & (GENERIC_READ | ASYNC_READ)); // (S3)
}

// Whether they must meet whoever accessed them.
static bool is_conflict_of_phases(uint8_t access, const Accesses *accesses,
                                  uint16_t before) {
  if (accesses->fills_tile && (access & WRITES) && (before & ASYNC_WRITE))
    return true; // (S4)
  return !(access & LEADS) && (before & INITIAL);
}

static void need_before_access(Flow *flow, const Accesses *accesses,
                               size_t place, State state, Need *need) {
  uint8_t access = accesses->bits[place];
  for (size_t e = 0; e < sync_num_entries(flow); e++) {
    uint16_t before = state.bits[e];
    size_t then = sync_entry_place(e);
    bool is_storing = (before & STORING_ANY) != 0;
    if (!before || !sync_places_overlap(flow, place, then, sync_entry_age(e)))
      continue;
    need->barrier |= is_conflict_of_phases(access, accesses, before);
    need->fence |= accesses->is_async && (before & UNFENCED); // (S2), (S5)
    if (!is_storing && !is_conflict(access, before))
      continue;
    bool is_same = sync_threads_are_same(flow, place, then, sync_entry_age(e));
    flow->places[place].is_relied_on |= is_same;
    flow->places[then].is_relied_on |= is_same;
    need->barrier |= is_conflict(access, before) && !is_same;
    if (is_storing)
      need_stored(flow, then, access, is_same, before, need);
  }
}

static Need need_before(Flow *flow, const Accesses *accesses, State state) {
  Need need = {.pending = MAX_YOUNGER};
  for (size_t i = 0; i < flow->num_places; i++)
    if (accesses->bits[i])
      need_before_access(flow, accesses, i, state, &need);
  return need;
}

// One store more is behind those that are under way.
static void state_next_store(const Flow *flow, State state) {
  for (size_t e = 0; e < sync_num_entries(flow); e++) {
    int storing = state.bits[e] & STORING_ANY;
    int older =
        (storing << 1 & STORING_ANY) | (storing & STORING << MAX_YOUNGER);
    state.bits[e] = (uint16_t)((state.bits[e] & ~STORING_ANY) | older);
  }
}

static void perform_store(const Flow *flow, const Accesses *accesses,
                          State state) {
  if (accesses->is_under_way)
    state_next_store(flow, state);
  for (size_t i = 0; i < flow->num_places; i++) {
    uint16_t *now = sync_state_now(state, i);
    if (accesses->bits[i] & READS)
      *now |= ASYNC_READ;
    if (accesses->bits[i] & WRITES)
      *now |= GENERIC_WRITE;
    if (accesses->bits[i] && accesses->is_under_way)
      *now |= STORING;
  }
}

// The issuing thread has waited for all stores but the last `pending`; the
// others have to meet it.
static void state_stored(const Flow *flow, State state, TileStoreWait wait,
                         int64_t pending) {
  int waited = 0;
  for (int64_t n = pending; n <= MAX_YOUNGER; n++)
    waited |= STORING << n;
  for (size_t e = 0; e < sync_num_entries(flow); e++) {
    bool is_shared = sync_place_is_shared(flow, sync_entry_place(e));
    if (!(state.bits[e] & waited) ||
        (!is_shared && wait != TILE_STORE_WAIT_COMPLETE))
      continue;
    state.bits[e] |= is_shared ? ASYNC_READ : GENERIC_WRITE;
    state.bits[e] &= (uint16_t)~waited;
  }
}

static void perform(const Flow *flow, const Accesses *accesses, State state) {
  for (size_t i = 0; i < flow->num_places; i++) {
    bool reads = accesses->bits[i] & READS, writes = accesses->bits[i] & WRITES;
    uint16_t *now = sync_state_now(state, i);
    if (accesses->bits[i] & INITIALIZES) {
      *now |= INITIAL;
      continue;
    }
    if (reads)
      *now |= accesses->is_async ? ASYNC_READ : GENERIC_READ;
    if (reads && accesses->is_async && accesses->is_under_way)
      *now |= MULTIPLYING;
    if (writes && accesses->is_under_way) // (S7)
      *now |= UNDER_WAY;
    else if (writes && !accesses->is_async) // (S4)
      *now |= GENERIC_WRITE | UNFENCED;
    else if (writes && accesses->fills_tile && sync_place_is_shared(flow, i))
      *now |= ASYNC_WRITE;
    if (accesses->bits[i] & UPDATES)
      *now |= ATOMIC_UPDATE | UNFENCED;
  }
}

// Nothing but the end of the program of these threads follows.
static bool is_last_wait(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (!tile_role_is(parent) && !tile_kernel_is(parent))
    return false;
  for (op = mlirOperationGetNextInBlock(op); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirxIsMemoryEffectFree(op) && !mlirxIsTerminator(op))
      return false;
  return true;
}

// A product still reads when threads meet in front of the await; behind it they
// have to meet again.
static void transfer_await(const Flow *flow, MlirOperation op, State state) {
  for (size_t i = 0; i < sync_num_entries(flow); i++) {
    if (!(state.bits[i] & MULTIPLYING))
      continue;
    state.bits[i] |= ASYNC_READ;
    if (tile_await_pending(tile_await_cast(op)) == 0)
      state.bits[i] &= (uint16_t)~MULTIPLYING;
  }
}

// Whether every access to bytes that have landed is by the threads that copied
// them. Safe to return true: who needs a barrier, asks for it.
static bool is_for_itself(const Flow *flow, size_t landed) {
  const SyncThreads *threads = flow->places[landed].threads;
  for (size_t i = 0; i < flow->num_places; i++)
    if (flow->places[i].threads != threads &&
        sync_buffers_overlap(flow, flow->places[i].buffer,
                             flow->places[landed].buffer))
      return false;
  return threads != NULL;
}

// (S7); which of several groups a buffer waits for is not known.
static void transfer_wait(Flow *flow, MlirOperation op, State state) {
  MlirOperation next = mlirOperationGetNextInBlock(op);
  while (!mlirOperationIsNull(next) && tile_fence_proxy_is(next))
    next = mlirOperationGetNextInBlock(next);
  bool is_for_others = false;
  for (size_t i = 0; i < sync_num_entries(flow); i++) {
    if (!(state.bits[i] & UNDER_WAY))
      continue;
    is_for_others |= !is_for_itself(flow, sync_entry_place(i));
    state.bits[i] |= GENERIC_WRITE | UNFENCED;
    if (tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)) == 0)
      state.bits[i] &= (uint16_t)~UNDER_WAY;
  }
  if (!is_for_others || is_last_wait(op) || mlirOperationIsNull(next) ||
      tile_barrier_sync_is(next))
    return;
  sync_point_get(flow, next)->barrier = true;
  sync_state_meet(flow, state);
}

// (S9)
static void note_in_role(Flow *flow, Accesses *accesses) {
  for (size_t i = 0; i < flow->num_places; i++) {
    uint16_t *bits = &flow->role_bits[i * SYNC_NUM_AGES + SYNC_OLDER];
    if (accesses->bits[i] & READS)
      *bits |= accesses->is_async ? ASYNC_READ : GENERIC_READ;
    if (accesses->bits[i] & (WRITES | UPDATES))
      *bits |= GENERIC_WRITE;
    const TileSharedBuffer *ring =
        sync_place_is_shared(flow, i)
            ? &flow->shared->buffers[flow->places[i].buffer]
            : NULL;
    if (ring && ring->is_ring)
      accesses->bits[i] &= ring->is_drained ? READS : 0;
  }
}

// Ops that order others; false for any other op.
static bool transfer_order(Flow *flow, MlirOperation op, State state) {
  if (tile_barrier_sync_is(op)) {
    if (mlirAttributeIsNull(
            tile_barrier_sync_threads_attr(tile_barrier_sync_cast(op))))
      sync_state_meet(flow, state); // of all threads; partial ones order less
    return true;
  }
  if (tile_fence_proxy_is(op)) {
    sync_state_clear(flow, state, UNFENCED);
    return true;
  }
  if (tile_cp_async_wait_is(op)) {
    transfer_wait(flow, op, state);
    return true;
  }
  if (tile_await_is(op)) {
    transfer_await(flow, op, state);
    return true;
  }
  if (tile_tma_wait_is(op)) {
    state_stored(flow, state,
                 tile_tma_wait_read(tile_tma_wait_cast(op))
                     ? TILE_STORE_WAIT_READ
                     : TILE_STORE_WAIT_COMPLETE,
                 tile_tma_wait_pending(tile_tma_wait_cast(op)));
    return true;
  }
  return false;
}

// (S9)
static void transfer_arrival(Flow *flow, MlirOperation op, State state) {
  bool is_storing = false, is_unfenced = false;
  bool is_own = flow->is_in_role && sync_is_own_arrival(op);
  for (size_t e = 0; e < sync_num_entries(flow) && is_own; e++) {
    size_t place = sync_entry_place(e);
    if (!sync_place_is_shared(flow, place))
      continue;
    is_storing |= (state.bits[e] & STORING_ANY) != 0;
    is_unfenced |= (state.bits[e] & UNFENCED) &&
                   sync_is_async_elsewhere(flow, place, tile_role_of(op).op);
  }
  if (!is_storing && !is_unfenced)
    return;
  TileSyncPoint *point = sync_point_get(flow, op);
  point->fence |= is_unfenced;
  sync_state_clear(flow, state, is_unfenced ? UNFENCED : 0);
  if (!is_storing)
    return;
  point->store_wait = TILE_STORE_WAIT_READ;
  point->pending = 0;
  state_stored(flow, state, TILE_STORE_WAIT_READ, 0);
}

static void transfer_op(Flow *flow, MlirOperation op, State state) {
  if (transfer_order(flow, op, state))
    return;
  transfer_arrival(flow, op, state);
  Accesses accesses = sync_accesses_of(flow, op);
  if (!accesses.exist)
    return;
  if (flow->is_in_role)
    note_in_role(flow, &accesses);
  Need need = need_before(flow, &accesses, state);
  TileSyncPoint *point = sync_point_find(flow->plan, op);
  if (need.barrier || need.fence || need.wait || point) {
    point = sync_point_get(flow, op);
    point->barrier |= need.barrier;
    point->fence |= need.fence;
    if (need.wait && (!point->store_wait || point->pending > need.pending))
      point->pending = need.pending;
    if (point->store_wait < need.wait)
      point->store_wait = need.wait;
    if (point->store_wait)
      state_stored(flow, state, point->store_wait, point->pending);
    if (point->fence)
      sync_state_clear(flow, state, UNFENCED);
    if (point->barrier)
      sync_state_meet(flow, state);
  }
  if (accesses.is_store)
    perform_store(flow, &accesses, state);
  else
    perform(flow, &accesses, state);
}

//===-- Control flow ------------------------------------------------------===//

static void transfer_block(Flow *flow, MlirBlock block, State state);

static void transfer_region(Flow *flow, MlirRegion region, State state) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr;
       block = mlirBlockGetNextInRegion(block))
    transfer_block(flow, block, state);
}

// Either branch may run; without an else, neither.
static void transfer_if(Flow *flow, MlirOperation op, State state) {
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
  State round = sync_state_create(flow);
  bool grew;
  do {
    grew = false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      sync_state_assign(flow, round, state);
      transfer_region(flow, mlirOperationGetRegion(op, r), round);
      sync_state_next_round(flow, round, op);
      grew |= sync_state_join(flow, state, round);
    }
  } while (grew);
}

// The first region runs at least once, and the loop ends behind it.
static void transfer_while(Flow *flow, MlirOperation op, State state) {
  State round = sync_state_create(flow), end = sync_state_create(flow);
  do {
    sync_state_assign(flow, round, state);
    transfer_region(flow, mlirOperationGetRegion(op, 0), round);
    sync_state_assign(flow, end, round);
    transfer_region(flow, mlirOperationGetRegion(op, 1), round);
    sync_state_next_round(flow, round, op);
  } while (sync_state_join(flow, state, round));
  sync_state_assign(flow, state, end);
}

// As those of a loop that may have no round, but for its end.
static void transfer_first_round(Flow *flow, MlirOperation op, State state) {
  State round = sync_state_create(flow), end = sync_state_create(flow);
  do {
    sync_state_assign(flow, round, state);
    transfer_region(flow, mlirOperationGetRegion(op, 0), round);
    sync_state_next_round(flow, round, op);
    sync_state_assign(flow, end, round);
  } while (sync_state_join(flow, state, round));
  sync_state_assign(flow, state, end);
}

static bool has_round(ScfForOp loop) {
  TileIndexBounds first =
      tile_index_bounds(tile_int_value(scf_for_lowerBound(loop)));
  TileIndexBounds end =
      tile_index_bounds(tile_int_value(scf_for_upperBound(loop)));
  return first.is_known && end.is_known && first.max < end.min;
}

static void transfer_rounds(Flow *flow, MlirOperation op, State state) {
  if (scf_while_is(op))
    transfer_while(flow, op, state);
  else if (scf_for_is(op) && has_round(scf_for_cast(op)))
    transfer_first_round(flow, op, state);
  else
    transfer_regions(flow, op, state);
}

static void apply_point(const Flow *flow, const TileSyncPoint *point,
                        State state) {
  if (point->fence)
    sync_state_clear(flow, state, UNFENCED);
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

// (S10) What the rounds need as they were behind a barrier and a fence they
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
  TileSyncPlan before = sync_plan_copy(flow, flow->plan);
  State met = sync_state_create(flow), late = sync_state_create(flow);
  sync_state_assign(flow, met, state);
  sync_state_clear(flow, met, SINCE_BARRIER | UNFENCED);
  transfer_rounds(flow, op, met);
  TileSyncPlan rounds = sync_plan_copy(flow, flow->plan);
  sync_state_assign(flow, late, state);
  transfer_rounds(flow, op, late);
  TileSyncPoint extra = sync_plan_extra(flow->plan, &rounds);
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
    if (sync_state_has(flow, state, STORING_ANY))
      point->store_wait = TILE_STORE_WAIT_COMPLETE; // and none is pending
    state_stored(flow, state, TILE_STORE_WAIT_COMPLETE, 0);
    sync_state_meet(flow, state);
  }
  sync_state_assign(flow, before, state);
  flow->is_in_role = true;
  TILE_FOR_EACH_OP (role, tile_specialize_block(tile_specialize_cast(op))) {
    sync_state_assign(flow, role_state, before);
    transfer_region(flow, mlirOperationGetRegion(role, 0), role_state);
    // A role ends when its stores have.
    state_stored(flow, role_state, TILE_STORE_WAIT_COMPLETE, 0);
    sync_state_join(flow, state, role_state);
  }
  flow->is_in_role = false;
  sync_state_join(flow, state, (State){flow->role_bits});
}

static void transfer_block(Flow *flow, MlirBlock block, State state) {
  TILE_FOR_EACH_OP (op, block) {
    transfer_op(flow, op, state);
    if (tile_specialize_is(op))
      transfer_roles(flow, op, state);
    else if (scf_if_is(op))
      transfer_if(flow, op, state);
    else if (scf_for_is(op) || scf_while_is(op))
      transfer_loop(flow, op, state);
    else if (mlirOperationGetNumRegions(op) > 0 && !tile_parallel_is(op))
      transfer_regions(flow, op, state);
  }
}

//===-- Entry -------------------------------------------------------------===//

// Chunks that let barriers go have to be those of the lowering.
static void plan_chunks(Flow *flow) {
  TileSyncPlan *plan = flow->plan;
  plan->chunks = TILE_ARENA_NEW(flow->arena, TileSyncChunk, flow->num_uses + 1);
  for (size_t i = 0; i < flow->num_uses; i++) {
    const SyncUse *use = &flow->uses[i];
    int place = use->chunk ? sync_place_index(flow, use->tile,
                                              (MlirValue){NULL}, use->threads)
                           : -1;
    if (place >= 0 && flow->places[place].is_relied_on)
      plan->chunks[plan->num_chunks++] = (TileSyncChunk){use->op, use->chunk};
  }
}

static MlirWalkResult note_places(MlirOperation op, void *user_data) {
  sync_places_note(user_data, op);
  return MlirWalkResultAdvance;
}

void tile_sync_plan_build(TileArena *arena, MlirOperation kernel,
                          const TileTarget *target, TileSyncPlan *out_plan) {
  TileSharedMemory shared;
  tile_shared_memory_build(arena, kernel, &shared);
  tile_shared_memory_read_offsets(&shared);
  *out_plan = (TileSyncPlan){0};
  Flow flow = {.arena = arena,
               .plan = out_plan,
               .shared = &shared,
               .kernel_threads = tile_kernel_num_threads(kernel),
               .target = target};
  mlirOperationWalk(kernel, note_places, &flow, MlirWalkPreOrder);
  flow.access_bits = TILE_ARENA_NEW(arena, uint8_t, flow.num_places + 1);
  transfer_block(&flow, tile_kernel_body(kernel), sync_state_create(&flow));
  plan_chunks(&flow);
}
