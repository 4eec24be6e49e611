//===- SyncRoles.c - What roles give each other ---------------------------===//
//
// The rule (S9) of SyncPlan.c: accesses to rings, and arrivals.
//
//===----------------------------------------------------------------------===//

#include "SyncFlow.h"

//===-- Accesses in roles -------------------------------------------------===//

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

void sync_note_in_role(Flow *flow, Accesses *accesses) {
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

void sync_transfer_arrival(Flow *flow, MlirOperation op, State state) {
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
