//===- SyncPlan.c - Where threads meet and writers fence ------------------===//
//
// A forward data-flow analysis over a kernel. The state holds, per place (a
// buffer, or a window of one: SyncWindows.c) and age, what threads may have
// done since they last met. Rules, between places that may have bytes in
// common:
//
//   (S1) A generic access after a generic write of the same bytes, or a generic
//        write after a generic read, needs a barrier: the threads may differ.
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
//   (S8) A TMA store reads its tile until the thread that issued it has waited:
//        that wait and a barrier stand in front of the next write of the tile.
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

//===-- State -------------------------------------------------------------===//

// Per place and age, a set of these.
enum {
  GENERIC_READ = 1,
  GENERIC_WRITE = 2,
  ASYNC_READ = 4,
  UNFENCED = 8, // written by the generic proxy since the last fence
  ATOMIC_UPDATE = 16,
  UNDER_WAY = 32,    // cp.async that nobody has waited for is writing
  ASYNC_WRITE = 64,  // of the whole tile
  MULTIPLYING = 128, // a product that nobody has awaited reads
  // A TMA store that nobody has waited for is under way, and so many have been
  // issued behind it: STORING << n, the last one for more as well.
  STORING = 256,
  MAX_YOUNGER = 3,
  STORING_ANY = STORING | STORING << 1 | STORING << 2 | STORING << MAX_YOUNGER,
  INITIAL = 4096 // an mbarrier that its leader has initialised
};
enum {
  SINCE_BARRIER = GENERIC_READ | GENERIC_WRITE | ASYNC_READ | ATOMIC_UPDATE |
                  ASYNC_WRITE | INITIAL
};

static size_t num_entries(const Flow *flow) {
  return flow->num_places * SYNC_NUM_AGES;
}

static size_t entry_place(size_t entry) { return entry / SYNC_NUM_AGES; }

static SyncAge entry_age(size_t entry) {
  return (SyncAge)(entry % SYNC_NUM_AGES);
}

static State state_create(Flow *flow) {
  return (State){TILE_ARENA_NEW(flow->arena, uint16_t, num_entries(flow) + 1)};
}

static void state_assign(const Flow *flow, State to, State from) {
  memcpy(to.bits, from.bits, num_entries(flow) * sizeof *to.bits);
}

// Joins `from` into `to`; true when `to` grew.
static bool state_join(const Flow *flow, State to, State from) {
  bool grew = false;
  for (size_t i = 0; i < num_entries(flow); i++) {
    grew |= (from.bits[i] & ~to.bits[i]) != 0;
    to.bits[i] |= from.bits[i];
  }
  return grew;
}

static void state_clear(const Flow *flow, State state, int bits) {
  for (size_t i = 0; i < num_entries(flow); i++)
    state.bits[i] &= (uint16_t)~bits;
}

static void state_barrier(const Flow *flow, State state) {
  state_clear(flow, state, SINCE_BARRIER);
}

// A round of `loop` ends: its values get new numbers.
static void state_next_round(const Flow *flow, State state,
                             MlirOperation loop) {
  for (size_t i = 0; i < flow->num_places; i++) {
    MlirOperation home = flow->places[i].home;
    uint16_t *ages = &state.bits[i * SYNC_NUM_AGES];
    if (mlirOperationIsNull(home) || !sync_is_inside(home, loop))
      continue;
    if (mlirOperationEqual(home, loop)) {
      ages[SYNC_EARLIER] |= ages[SYNC_PREVIOUS];
      ages[SYNC_PREVIOUS] = ages[SYNC_SAME];
    } else {
      ages[SYNC_OLDER] |=
          ages[SYNC_SAME] | ages[SYNC_PREVIOUS] | ages[SYNC_EARLIER];
      ages[SYNC_EARLIER] = ages[SYNC_PREVIOUS] = 0;
    }
    ages[SYNC_SAME] = 0;
  }
}

static uint16_t *state_now(State state, size_t place) {
  return &state.bits[place * SYNC_NUM_AGES + SYNC_SAME];
}

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
                        bool is_store, uint16_t before, Need *need) {
  if (!sync_place_is_shared(flow, place))
    need->wait = TILE_STORE_WAIT_COMPLETE;
  else if ((access & (WRITES | UPDATES)) && need->wait == TILE_STORE_WAIT_NONE)
    need->wait = TILE_STORE_WAIT_READ;
  else if (!(access & (WRITES | UPDATES)))
    return;
  if (need->pending > youngest(before))
    need->pending = youngest(before);
  need->barrier |= !is_store; // the next store is issued by the same thread
}

// What must stand before an op that does `access` to some bytes, given what
// happened to them before.
static Need need_against(uint8_t access, const Accesses *accesses,
                         uint16_t before) {
  bool is_async = accesses->is_async;
  Need need = {0};
  if (accesses->fills_tile && (access & WRITES) && (before & ASYNC_WRITE))
    need.barrier = true;      // (S4)
  if (before & GENERIC_WRITE) // (S1), (S2)
    need.barrier = true;
  if ((access & (READS | WRITES)) && (before & ATOMIC_UPDATE)) // (S6)
    need.barrier = true;
  if (!(access & LEADS) && (before & INITIAL)) // (S4)
    need.barrier = true;
  if ((access & (WRITES | UPDATES)) &&
      (before & (GENERIC_READ | ASYNC_READ))) // (S3)
    need.barrier = true;
  if (is_async && (before & UNFENCED)) // (S2), (S5)
    need.fence = true;
  return need;
}

static void need_before_access(const Flow *flow, const Accesses *accesses,
                               size_t place, State state, Need *need) {
  for (size_t e = 0; e < num_entries(flow); e++) {
    if (!state.bits[e] ||
        !sync_places_overlap(flow, place, entry_place(e), entry_age(e)))
      continue;
    Need one = need_against(accesses->bits[place], accesses, state.bits[e]);
    need->barrier |= one.barrier;
    need->fence |= one.fence;
    if (state.bits[e] & STORING_ANY)
      need_stored(flow, entry_place(e), accesses->bits[place],
                  accesses->is_store, state.bits[e], need);
  }
}

static Need need_before(const Flow *flow, const Accesses *accesses,
                        State state) {
  Need need = {.pending = MAX_YOUNGER};
  for (size_t i = 0; i < flow->num_places; i++)
    if (accesses->bits[i])
      need_before_access(flow, accesses, i, state, &need);
  return need;
}

// One store more is behind those that are under way.
static void state_next_store(const Flow *flow, State state) {
  for (size_t e = 0; e < num_entries(flow); e++) {
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
    uint16_t *now = state_now(state, i);
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
  for (size_t e = 0; e < num_entries(flow); e++) {
    bool is_shared = sync_place_is_shared(flow, entry_place(e));
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
    uint16_t *now = state_now(state, i);
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
  for (size_t i = 0; i < num_entries(flow); i++) {
    if (!(state.bits[i] & MULTIPLYING))
      continue;
    state.bits[i] |= ASYNC_READ;
    if (tile_await_pending(tile_await_cast(op)) == 0)
      state.bits[i] &= (uint16_t)~MULTIPLYING;
  }
}

// (S7); which of several groups a buffer waits for is not known.
static void transfer_wait(Flow *flow, MlirOperation op, State state) {
  MlirOperation next = mlirOperationGetNextInBlock(op);
  while (!mlirOperationIsNull(next) && tile_fence_proxy_is(next))
    next = mlirOperationGetNextInBlock(next);
  bool has_landed = false;
  for (size_t i = 0; i < num_entries(flow); i++) {
    if (!(state.bits[i] & UNDER_WAY))
      continue;
    has_landed = true;
    state.bits[i] |= GENERIC_WRITE | UNFENCED;
    if (tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)) == 0)
      state.bits[i] &= (uint16_t)~UNDER_WAY;
  }
  if (!has_landed || is_last_wait(op) || mlirOperationIsNull(next) ||
      tile_barrier_sync_is(next))
    return;
  sync_point_get(flow, next)->barrier = true;
  state_barrier(flow, state);
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
      state_barrier(flow, state); // of all threads; partial ones order less
    return true;
  }
  if (tile_fence_proxy_is(op)) {
    state_clear(flow, state, UNFENCED);
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
  for (size_t e = 0; e < num_entries(flow) && is_own; e++) {
    size_t place = entry_place(e);
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
  state_clear(flow, state, is_unfenced ? UNFENCED : 0);
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
      state_clear(flow, state, UNFENCED);
    if (point->barrier)
      state_barrier(flow, state);
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
  State before = state_create(flow), branch = state_create(flow);
  state_assign(flow, before, state);
  bool has_else =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)).ptr != NULL;
  transfer_region(flow, mlirOperationGetRegion(op, 0), state);
  state_assign(flow, branch, before);
  if (has_else)
    transfer_region(flow, mlirOperationGetRegion(op, 1), branch);
  state_join(flow, state, branch);
}

// Regions that run in any order, any number of times, none included: a loop,
// and every op of which nothing else is known.
static void transfer_regions(Flow *flow, MlirOperation op, State state) {
  State round = state_create(flow);
  bool grew;
  do {
    grew = false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      state_assign(flow, round, state);
      transfer_region(flow, mlirOperationGetRegion(op, r), round);
      state_next_round(flow, round, op);
      grew |= state_join(flow, state, round);
    }
  } while (grew);
}

// The first region runs at least once, and the loop ends behind it.
static void transfer_while(Flow *flow, MlirOperation op, State state) {
  State round = state_create(flow), end = state_create(flow);
  do {
    state_assign(flow, round, state);
    transfer_region(flow, mlirOperationGetRegion(op, 0), round);
    state_assign(flow, end, round);
    transfer_region(flow, mlirOperationGetRegion(op, 1), round);
    state_next_round(flow, round, op);
  } while (state_join(flow, state, round));
  state_assign(flow, state, end);
}

static bool is_pending(const Flow *flow, State state, int bits) {
  for (size_t i = 0; i < num_entries(flow); i++)
    if (state.bits[i] & bits)
      return true;
  return false;
}

static void transfer_rounds(Flow *flow, MlirOperation op, State state) {
  if (scf_while_is(op))
    transfer_while(flow, op, state);
  else
    transfer_regions(flow, op, state);
}

static void apply_point(const Flow *flow, const TileSyncPoint *point,
                        State state) {
  if (point->fence)
    state_clear(flow, state, UNFENCED);
  if (point->barrier)
    state_barrier(flow, state);
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
  if (!is_pending(flow, state, SINCE_BARRIER | UNFENCED) ||
      loop_depth(op) > MAX_TRIED_DEPTH) {
    transfer_rounds(flow, op, state);
    return;
  }
  TileSyncPlan before = sync_plan_copy(flow, flow->plan);
  State met = state_create(flow), late = state_create(flow);
  state_assign(flow, met, state);
  state_clear(flow, met, SINCE_BARRIER | UNFENCED);
  transfer_rounds(flow, op, met);
  TileSyncPlan rounds = sync_plan_copy(flow, flow->plan);
  state_assign(flow, late, state);
  transfer_rounds(flow, op, late);
  TileSyncPoint extra = sync_plan_extra(flow->plan, &rounds);
  if (!extra.barrier && !extra.fence) {
    state_assign(flow, state, late);
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
  State before = state_create(flow), role_state = state_create(flow);
  flow->role_bits = state_create(flow).bits;
  if (is_pending(flow, state, SINCE_BARRIER | STORING_ANY) ||
      sync_point_find(flow->plan, op)) {
    TileSyncPoint *point = sync_point_get(flow, op);
    point->barrier = true;
    if (is_pending(flow, state, STORING_ANY))
      point->store_wait = TILE_STORE_WAIT_COMPLETE; // and none is pending
    state_stored(flow, state, TILE_STORE_WAIT_COMPLETE, 0);
    state_barrier(flow, state);
  }
  state_assign(flow, before, state);
  flow->is_in_role = true;
  TILE_FOR_EACH_OP (role, tile_specialize_block(tile_specialize_cast(op))) {
    state_assign(flow, role_state, before);
    transfer_region(flow, mlirOperationGetRegion(role, 0), role_state);
    // A role ends when its stores have.
    state_stored(flow, role_state, TILE_STORE_WAIT_COMPLETE, 0);
    state_join(flow, state, role_state);
  }
  flow->is_in_role = false;
  state_join(flow, state, (State){flow->role_bits});
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

static MlirWalkResult note_places(MlirOperation op, void *user_data) {
  sync_places_note(user_data, op);
  return MlirWalkResultAdvance;
}

void tile_sync_plan_build(TileArena *arena, MlirOperation kernel,
                          TileSyncPlan *out_plan) {
  TileSharedMemory shared;
  tile_shared_memory_build(arena, kernel, &shared);
  tile_shared_memory_read_offsets(&shared);
  *out_plan = (TileSyncPlan){0};
  Flow flow = {.arena = arena, .plan = out_plan, .shared = &shared};
  mlirOperationWalk(kernel, note_places, &flow, MlirWalkPreOrder);
  flow.access_bits = TILE_ARENA_NEW(arena, uint8_t, flow.num_places + 1);
  transfer_block(&flow, tile_kernel_body(kernel), state_create(&flow));
}
