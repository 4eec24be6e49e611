//===- SyncTransfer.c - What an op needs before it, and leaves after it ---===//
//
// The rules (S1) to (S9) and (S12) of SyncPlan.c, for one op.
//
//===----------------------------------------------------------------------===//

#include "Support/Iterate.h"
#include "SyncFlow.h"
#include "Tile/Ops/gpu.h"

// Whether two buffers, shared or not, may have bytes in common.
static bool sync_buffers_overlap(const Flow *flow, size_t a, size_t b) {
  size_t num_shared = flow->shared->num_buffers;
  if (a == b)
    return true;
  if (a < num_shared && b < num_shared)
    return tile_shared_bytes_overlap(&flow->shared->buffers[a],
                                     &flow->shared->buffers[b]);
  if (a < num_shared || b < num_shared)
    return false;
  return !flow->tensors[a - num_shared].is_distinct ||
         !flow->tensors[b - num_shared].is_distinct;
}

//===-- Accesses in roles: (S9)
//----------------------------------------------===//

static const TileSharedBuffer *ring_of(const Flow *flow, size_t place) {
  if (!sync_place_is_shared(flow, place))
    return NULL;
  const TileSharedBuffer *buffer =
      &flow->shared->buffers[flow->places[place].buffer];
  return buffer->is_ring ? buffer : NULL;
}

// Reads of a ring that others use again are also met by those.
static uint16_t bits_of_ring(uint16_t bits, bool is_drained) {
  int kept = is_drained ? bits & (READS | BY_THREADS) : 0;
  if (bits & READS & ~kept)
    kept |= RING_READS;
  if (bits & (WRITES | UPDATES))
    kept |= RING_WRITES;
  return (uint16_t)kept;
}

// Keeps in mind what an op of a role does, for those after the roles; leaves
// in `accesses` what threads of the role have to meet for.
static void sync_note_in_role(Flow *flow, Accesses *accesses) {
  for (size_t i = 0; i < flow->num_places; i++) {
    uint16_t *bits = &flow->role_bits[i * TILE_NUM_AGES + TILE_AGE_OLDER];
    const TileSharedBuffer *ring = ring_of(flow, i);
    if (accesses->bits[i] & READS)
      *bits |= sync_is_async_at(accesses, i) ? ASYNC_READ : GENERIC_READ;
    if (accesses->bits[i] & (WRITES | UPDATES))
      *bits |= GENERIC_WRITE;
    if (ring && accesses->bits[i])
      accesses->bits[i] = bits_of_ring(accesses->bits[i], ring->is_drained);
  }
}

//===-- Who uses the asynchronous proxy -----------------------------------===//

static void note_role(SyncAsyncRole *use, MlirOperation role) {
  if (mlirOperationIsNull(use->role))
    use->role = role;
  use->is_by_several |= !mlirOperationEqual(use->role, role);
}

static MlirWalkResult note_async_use(MlirOperation op, void *user_data) {
  Flow *flow = user_data;
  Accesses accesses = sync_accesses_of(flow, op);
  for (size_t i = 0; accesses.is_async && i < flow->num_places; i++) {
    uint16_t bits = accesses.bits[i];
    if (!sync_place_is_shared(flow, i) || (bits & LEADS)) // no data
      continue;
    SyncAsyncUse *use = &flow->async_uses[flow->places[i].buffer];
    if (bits & (READS | WRITES | UPDATES))
      note_role(&use->any, tile_role_of(op).op);
    if (bits & WRITES)
      note_role(&use->writing, tile_role_of(op).op);
  }
  return MlirWalkResultAdvance;
}

// Ends the validity of sync_accesses_of.
static void find_async_uses(Flow *flow, MlirOperation specialize) {
  if (flow->async_uses)
    return;
  flow->async_uses =
      TILE_ARENA_NEW(flow->arena, SyncAsyncUse, flow->shared->num_buffers + 1);
  mlirOperationWalk(specialize, note_async_use, flow, MlirWalkPreOrder);
}

static bool is_by_other(const SyncAsyncRole *use, MlirOperation role) {
  return use->is_by_several || (!mlirOperationIsNull(use->role) &&
                                !mlirOperationEqual(use->role, role));
}

// Whether another role than `role` accesses, or writes, bytes of the buffer of
// a place by the asynchronous proxy.
static bool is_async_elsewhere(const Flow *flow, size_t place,
                               MlirOperation role, bool writes) {
  for (size_t b = 0; b < flow->shared->num_buffers; b++) {
    const SyncAsyncUse *use = &flow->async_uses[b];
    if (is_by_other(writes ? &use->writing : &use->any, role) &&
        sync_buffers_overlap(flow, flow->places[place].buffer, b))
      return true;
  }
  return false;
}

//===-- Arrivals ----------------------------------------------------------===//

static bool is_ring_of(const Flow *flow, size_t place,
                       TileChannelBarriersOp channel) {
  TileRange rings = tile_channel_barriers_rings(channel);
  for (intptr_t i = 0; i < rings.n; i++)
    if (tile_shared_memory_find(flow->shared, tile_range_at(rings, i)) ==
        &flow->shared->buffers[flow->places[place].buffer])
      return true;
  return false;
}

// Whether an arrival for the channel may give others what lies at the place;
// without one (null), what several roles use.
static bool gives(const Flow *flow, TileChannelBarriersOp channel,
                  size_t place) {
  if (!sync_place_is_shared(flow, place))
    return false;
  if (!mlirOperationIsNull(channel.op))
    return is_ring_of(flow, place, channel);
  return !ring_of(flow, place) &&
         flow->shared->buffers[flow->places[place].buffer].is_throughout;
}

// Of a channel, the leader and copies arrive for themselves alone.
static bool is_for_threads(TileBarrierArriveOp arrive) {
  if (mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive)))
    return true;
  TileArrival by = tile_barrier_arrive_by(arrive);
  return by != TILE_ARRIVAL_Leader && by != TILE_ARRIVAL_CpAsync;
}

// Adds the point that an arrival of a role needs before it; does nothing for
// any other op. Ends the validity of sync_accesses_of.
static void sync_transfer_arrival(Flow *flow, MlirOperation op, State state) {
  if (!flow->is_in_role || !tile_barrier_arrive_is(op))
    return;
  TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
  TileChannelBarriersOp channel =
      sync_channel_of(tile_barrier_arrive_barrier(arrive));
  if (!mlirOperationIsNull(channel.op) && !is_for_threads(arrive))
    return;
  MlirOperation role = tile_role_of(op).op;
  bool is_storing = false, is_unfenced = false;
  find_async_uses(flow, mlirOperationGetParentOperation(role));
  for (size_t e = 0; e < sync_num_entries(flow); e++) {
    size_t place = sync_entry_place(e);
    uint16_t before = state.bits[e];
    if (!(before & (STORING_ANY | UNFENCED | LOADING)) ||
        !gives(flow, channel, place))
      continue;
    is_storing |= (before & STORING_ANY) != 0;
    if (before & UNFENCED)
      is_unfenced |= is_async_elsewhere(flow, place, role, false);
    if (before & LOADING)
      is_unfenced |= is_async_elsewhere(flow, place, role, true);
  }
  if (!is_storing && !is_unfenced)
    return;
  TileSyncPoint *point = sync_point_get(flow, op);
  if (is_unfenced) {
    point->fence |= TILE_FENCE_SHARED;
    sync_state_fence(flow, state, TILE_FENCE_SHARED);
  }
  if (!is_storing)
    return;
  point->store_wait = TILE_STORE_WAIT_READ;
  point->pending = 0;
  sync_state_stored(flow, state, TILE_STORE_WAIT_READ, 0);
}

//===-- Overlap -----------------------------------------------------------===//

// Whether two places may have bytes in common, when `then` was touched `age`
// ago.
static bool places_overlap(const Flow *flow, size_t now, size_t then,
                           TileAge age) {
  const SyncPlace *a = &flow->places[now], *b = &flow->places[then];
  return a->buffer == b->buffer
             ? tile_index_boxes_compare(flow->indices, &a->box, &b->box, age,
                                        b->home)
                       .overlap != TILE_OVERLAP_NONE
             : sync_buffers_overlap(flow, a->buffer, b->buffer);
}

//===-- Needs -------------------------------------------------------------===//

typedef struct {
  bool barrier;
  uint8_t fence; // TILE_FENCE_…
  bool is_unmet; // who initialised an mbarrier
  TileStoreWait wait;
  int pending; // stores that need not be waited for
} Need;

// The least number of stores after one of those in the set.
static int youngest(uint16_t bits) {
  int younger = 0;
  while (!(bits & STORING << younger))
    younger++;
  return younger;
}

static void need_pending(Need *need, uint16_t before) {
  if (need->pending > youngest(before))
    need->pending = youngest(before);
}

// (S8)
static void need_stored(const Flow *flow, size_t place, uint16_t access,
                        bool is_same, uint16_t before, Need *need) {
  if (!sync_place_is_shared(flow, place))
    need->wait = TILE_STORE_WAIT_COMPLETE;
  else if ((access & (WRITES | UPDATES)) && need->wait == TILE_STORE_WAIT_NONE)
    need->wait = TILE_STORE_WAIT_READ;
  else if (!(access & (WRITES | UPDATES)))
    return;
  need_pending(need, before);
  need->barrier |= !is_same; // but who issued it
}

// Whether threads must meet before an op does `access` to bytes that others
// accessed before.
static bool is_conflict(uint16_t access, uint16_t before) {
  if (before & GENERIC_WRITE) // (S1), (S2)
    return true;
  if ((access & (READS | WRITES)) && (before & ATOMIC_UPDATE)) // (S6)
    return true;
  return (access & (WRITES | UPDATES)) &&
         (before & (GENERIC_READ | ASYNC_READ)); // (S3)
}

// Whether they must meet whoever accessed them.
static bool is_conflict_of_phases(uint16_t access, const Accesses *accesses,
                                  uint16_t before) {
  if (accesses->fills_tile && (access & WRITES) && (before & ASYNC_WRITE))
    return true; // (S4)
  return !(access & LEADS) && (before & INITIAL);
}

enum { IS_KNOWN = 1, OVERLAP = 2, SAME_IS_KNOWN = 4, SAME = 8 };

// What two places have to do with each other is asked in every round.
static uint8_t *relation_of(Flow *flow, size_t now, size_t entry) {
  uint8_t *relation = &flow->relations[now * sync_num_entries(flow) + entry];
  if (!*relation)
    *relation = places_overlap(flow, now, sync_entry_place(entry),
                               sync_entry_age(entry))
                    ? IS_KNOWN | OVERLAP
                    : IS_KNOWN;
  return relation;
}

static bool are_same_threads(Flow *flow, size_t now, size_t entry) {
  uint8_t *relation = relation_of(flow, now, entry);
  if (!(*relation & SAME_IS_KNOWN))
    *relation |= sync_threads_are_same(flow, now, sync_entry_place(entry),
                                       sync_entry_age(entry))
                     ? SAME_IS_KNOWN | SAME
                     : SAME_IS_KNOWN;
  return (*relation & SAME) != 0;
}

static void need_before_access(Flow *flow, const Accesses *accesses,
                               size_t place, State state, Need *need) {
  uint16_t access = accesses->bits[place];
  for (size_t e = 0; e < sync_num_entries(flow); e++) {
    uint16_t before = state.bits[e];
    size_t then = sync_entry_place(e);
    bool is_storing = (before & STORING_ANY) != 0;
    if (!before || !(*relation_of(flow, place, e) & OVERLAP))
      continue;
    need->barrier |= is_conflict_of_phases(access, accesses, before);
    need->is_unmet |= !(access & LEADS) && (before & INITIAL);
    if (sync_is_async_at(accesses, place) && (before & UNFENCED)) // (S2), (S5)
      need->fence |= sync_place_memory(flow, then);
    if (!is_storing && !is_conflict(access, before))
      continue;
    bool is_same = are_same_threads(flow, place, e);
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
    if (accesses->bits[i] & ~(RING_READS | RING_WRITES))
      need_before_access(flow, accesses, i, state, &need);
  return need;
}

// One store more is after those that are under way.
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

static void perform(const Flow *flow, const Accesses *accesses, State state) {
  for (size_t i = 0; i < flow->num_places; i++) {
    bool reads = accesses->bits[i] & READS, writes = accesses->bits[i] & WRITES;
    uint16_t *now = sync_state_now(state, i);
    bool is_async = sync_is_async_at(accesses, i);
    if (accesses->bits[i] & INITIALIZES) {
      *now |= INITIAL;
      continue;
    }
    if (reads)
      *now |= is_async ? ASYNC_READ : GENERIC_READ;
    if (reads && is_async && accesses->is_under_way)
      *now |= MULTIPLYING;
    if (writes && accesses->is_under_way) // (S7)
      *now |= UNDER_WAY;
    else if (writes && !is_async) // (S4)
      *now |= GENERIC_WRITE | UNFENCED;
    else if (writes && accesses->fills_tile && sync_place_is_shared(flow, i))
      *now |= ASYNC_WRITE;
    if (accesses->bits[i] & UPDATES)
      *now |= ATOMIC_UPDATE | UNFENCED;
    // (S9); loads of an asynchronous op have ended when it has.
    if ((accesses->bits[i] & (READS | RING_READS)) && !accesses->is_async)
      *now |= LOADING;
    if ((accesses->bits[i] & RING_WRITES) && !is_async &&
        (!accesses->is_under_way || accesses->stores_pad))
      *now |= UNFENCED;
  }
}

// Nothing but the end of the program of these threads follows.
static bool is_last_wait(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (!tile_role_is(parent) && !tile_kernel_is(parent))
    return false;
  for (op = mlirOperationGetNextInBlock(op); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirxIsMemoryEffectFree(op) && !mlirxIsTerminator(op) &&
        !tile_tma_wait_is(op))
      return false;
  return true;
}

// A product still reads when threads meet before the await; after it they
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
  while (!mlirOperationIsNull(next) &&
         (tile_fence_proxy_is(next) || tile_tma_wait_is(next)))
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

// Whether all threads of the block or role meet.
static bool is_of_all(const Flow *flow, TileBarrierSyncOp sync) {
  return mlirAttributeIsNull(tile_barrier_sync_threads_attr(sync)) ||
         (int64_t)tile_barrier_sync_threads(sync) ==
             tile_op_num_threads(sync.op, flow->kernel_threads);
}

// Ops that order others; false for any other op.
static bool transfer_order(Flow *flow, MlirOperation op, State state) {
  if (tile_barrier_sync_is(op)) {
    if (is_of_all(flow, tile_barrier_sync_cast(op)))
      sync_state_meet(flow, state); // partial ones order less
    return true;
  }
  if (gpu_barrier_is(op) && !flow->is_in_role) {
    sync_state_meet(flow, state);
    return true;
  }
  if (tile_fence_proxy_is(op)) {
    bool is_all = tile_fence_proxy_global(tile_fence_proxy_cast(op));
    sync_state_fence(flow, state,
                     is_all ? TILE_FENCE_GLOBAL : TILE_FENCE_SHARED);
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
    sync_state_stored(flow, state,
                      tile_tma_wait_read(tile_tma_wait_cast(op))
                          ? TILE_STORE_WAIT_READ
                          : TILE_STORE_WAIT_COMPLETE,
                      tile_tma_wait_pending(tile_tma_wait_cast(op)));
    return true;
  }
  return false;
}

//===-- What other blocks see ---------------------------------------------===//

static MlirWalkResult find_tma_load(MlirOperation op, void *user_data) {
  bool *found = user_data;
  TileCopyOp copy = tile_copy_dyn(op);
  TileShape src;
  *found |= copy.op.ptr && !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
            tile_copy_instr(copy) == TILE_INSTR_Tma &&
            tile_shape_of(tile_copy_src(copy), &src) &&
            src.space == TILE_SPACE_GLOBAL;
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether TMA loads anything in the kernel.
static bool loads_by_tma(MlirOperation op) {
  bool found = false;
  MlirOperation kernel = tile_kernel_around(op);
  if (kernel.ptr)
    mlirOperationWalk(kernel, find_tma_load, &found, MlirWalkPreOrder);
  return found;
}

// (S12)
static void need_release(const Flow *flow, MlirOperation op, State state,
                         Need *need) {
  for (size_t e = 0; e < sync_num_entries(flow); e++) {
    uint16_t before = state.bits[e];
    if (sync_place_is_shared(flow, sync_entry_place(e)))
      continue;
    need->barrier |= (before & SINCE_BARRIER) != 0;
    if ((before & UNFENCED) && loads_by_tma(op))
      need->fence |= TILE_FENCE_GLOBAL;
    if (!(before & STORING_ANY))
      continue;
    need->wait = TILE_STORE_WAIT_COMPLETE;
    need->barrier = true;
    need_pending(need, before);
  }
}

static void meet_after(Flow *flow, MlirOperation op, State state) {
  MlirOperation next = mlirOperationGetNextInBlock(op);
  if (mlirOperationIsNull(next) || is_last_wait(op) ||
      (tile_barrier_sync_is(next) &&
       is_of_all(flow, tile_barrier_sync_cast(next))))
    return;
  sync_point_get(flow, next)->barrier = true;
  sync_state_meet(flow, state);
}

//===-- One op ------------------------------------------------------------===//

// Adds `need` to the point before `op`, and does to `state` what the point
// does.
static void settle(Flow *flow, MlirOperation op, const Need *need,
                   State state) {
  if (need->is_unmet && mlirOperationIsNull(flow->unmet))
    flow->unmet = op;
  TileSyncPoint *point = sync_point_find(flow->plan, op);
  if (!need->barrier && !need->fence && !need->wait && !point)
    return;
  point = sync_point_get(flow, op);
  point->barrier |= need->barrier;
  point->fence |= need->fence;
  if (need->wait && (!point->store_wait || point->pending > need->pending))
    point->pending = need->pending;
  if (point->store_wait < need->wait)
    point->store_wait = need->wait;
  if (point->store_wait)
    sync_state_stored(flow, state, point->store_wait, point->pending);
  sync_state_fence(flow, state, point->fence);
  if (point->barrier)
    sync_state_meet(flow, state);
}

// (S13) All threads come, whatever they have done before.
static void transfer_meeting(Flow *flow, MlirOperation op, State state) {
  Need need = {0};
  if (!tile_cluster_sync_lifetime(tile_cluster_sync_cast(op)))
    need_release(flow, op, state, &need);
  need.barrier = false;
  settle(flow, op, &need, state);
  sync_state_meet(flow, state);
}

void sync_transfer_op(Flow *flow, MlirOperation op, State state) {
  TileOrdering ordering;
  if (transfer_order(flow, op, state))
    return;
  sync_transfer_arrival(flow, op, state);
  if (tile_cluster_sync_is(op)) {
    transfer_meeting(flow, op, state);
    return;
  }
  Accesses accesses = sync_accesses_of(flow, op);
  bool is_ordering = tile_ordering_of(op, &ordering);
  if (!accesses.exist && !is_ordering)
    return;
  if (flow->is_in_role && accesses.exist)
    sync_note_in_role(flow, &accesses);
  Need need = need_before(flow, &accesses, state);
  if (is_ordering && ordering.releases)
    need_release(flow, op, state, &need);
  settle(flow, op, &need, state);
  if (accesses.is_store)
    perform_store(flow, &accesses, state);
  else
    perform(flow, &accesses, state);
  if (is_ordering && ordering.acquires)
    meet_after(flow, op, state);
}

//===-- Branches that some threads take -----------------------------------===//

typedef struct {
  Flow *flow;
  State state;
  Need need; // of all ops so far
  bool acquires;
} ScopeWalk;

static MlirWalkResult add_need(MlirOperation op, void *user_data) {
  ScopeWalk *walk = user_data;
  TileOrdering ordering;
  Accesses accesses = sync_accesses_of(walk->flow, op);
  bool is_ordering = tile_ordering_of(op, &ordering);
  if (!accesses.exist && !is_ordering)
    return MlirWalkResultAdvance;
  walk->acquires |= is_ordering && ordering.acquires;
  Need need = need_before(walk->flow, &accesses, walk->state);
  if (is_ordering && ordering.releases)
    need_release(walk->flow, op, walk->state, &need);
  Need *all = &walk->need;
  if (need.wait && (!all->wait || all->pending > need.pending))
    all->pending = need.pending;
  if (all->wait < need.wait)
    all->wait = need.wait;
  all->barrier |= need.barrier;
  all->fence |= need.fence;
  all->is_unmet |= need.is_unmet;
  return MlirWalkResultAdvance;
}

static MlirWalkResult perform_one(MlirOperation op, void *user_data) {
  ScopeWalk *walk = user_data;
  sync_transfer_arrival(walk->flow, op, walk->state);
  Accesses accesses = sync_accesses_of(walk->flow, op);
  if (!accesses.exist)
    return MlirWalkResultAdvance;
  if (walk->flow->is_in_role)
    sync_note_in_role(walk->flow, &accesses);
  perform(walk->flow, &accesses, walk->state);
  return MlirWalkResultAdvance;
}

void sync_transfer_scope(Flow *flow, MlirOperation scope, State state) {
  ScopeWalk walk = {.flow = flow, .state = state};
  mlirOperationWalk(scope, add_need, &walk, MlirWalkPreOrder);
  settle(flow, scope, &walk.need, state);
  mlirOperationWalk(scope, perform_one, &walk, MlirWalkPreOrder);
  if (walk.acquires)
    meet_after(flow, scope, state);
}
