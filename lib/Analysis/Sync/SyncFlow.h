//===- SyncFlow.h - State of the analysis of synchronisation --------------===//
#ifndef TILE_ANALYSIS_SYNC_FLOW_H
#define TILE_ANALYSIS_SYNC_FLOW_H

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/ForeignOps.h"
#include "Sync.h"

//===-- Places (SyncAccess.c) ---------------------------------------------===//

/// The threads that do an access to a tile (SyncThreads.c).
enum { SYNC_NOBODY = UINT16_MAX };
typedef struct {
  const uint16_t *thread; // of every element, row by row, or SYNC_NOBODY
  int64_t num_elems;
  int64_t leader; // without `thread`: the one that does it all
  // Without both: what this op says of the element, the same in every round.
  MlirOperation op;
} SyncThreads;

/// What accesses of some threads (null: not known) cover by one name of a tile,
/// or one slot of an mbarrier.
typedef struct {
  MlirValue tile, slot;
  MlirOperation loop; // whose window it is, or null
  const SyncThreads *threads;
  bool is_relied_on; // that they are the same let a barrier go
  size_t buffer;
  TileIndexBox box;   // rank 0: all of the buffer
  MlirOperation home; // innermost loop that gives the offsets, or null
} SyncPlace;

typedef struct Flow Flow;

//===-- State -------------------------------------------------------------===//

typedef struct {
  uint16_t *bits; // by place and age
} State;

typedef struct {
  MlirValue root;
  bool is_distinct; // from every other distinct one
} Tensor;

/// What `op` does to a tile.
typedef struct {
  MlirOperation op;
  MlirValue tile;
  bool writes;
  const SyncThreads *threads;
  TileIndexBox window; // of an element loop; rank 0: not known
  int64_t chunk; // that gives the threads, in elements; 0: something else does
  int place;     // number; -1: of memory that threads do not share
} SyncUse;

/// Who accesses a shared buffer by the asynchronous proxy. One role: it; more:
/// `is_by_several`.
typedef struct {
  MlirOperation role; // or null
  bool is_by_several;
} SyncAsyncRole;
typedef struct {
  SyncAsyncRole any, writing;
} SyncAsyncUse;

enum { SYNC_MAX_ASSUMED = 2 };

typedef struct {
  MlirValue condition;
  bool holds;
} SyncAssumed;

struct Flow {
  TileArena *arena;
  TileIndices *indices;
  TileSyncPlan *plan;
  TileSharedMemory *shared;
  Tensor *tensors; // numbered after the shared buffers
  size_t num_tensors, tensor_capacity;
  SyncPlace *places;
  size_t num_places, place_capacity;
  int64_t kernel_threads;
  TileDivergence divergence;
  const TileTarget *target;    // null: any
  const SyncThreads **threads; // each once
  size_t num_threads, threads_capacity;
  SyncUse *uses;
  size_t num_uses, use_capacity;
  uint8_t *relations;    // of places, by place and entry (SyncTransfer.c)
  uint16_t *access_bits; // of the op being looked at, by place; null: not yet
  SyncAsyncUse *async_uses;     // in roles, by shared buffer; null: not yet
  bool is_in_role, is_one_warp; // the role
  // What is assumed: of conditions, and that more is left of a loop.
  SyncAssumed assumed[SYNC_MAX_ASSUMED];
  int num_assumed;
  MlirOperation assumed_loop;
  int64_t least_left;
  MlirOperation unmet; // TileSyncPlan
  uint16_t *role_bits; // done in roles, whatever their barriers order
};

//===-- States ------------------------------------------------------------===//

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
  // issued after it: STORING << n, the last one for more as well.
  STORING = 256,
  MAX_YOUNGER = 3,
  STORING_ANY = STORING | STORING << 1 | STORING << 2 | STORING << MAX_YOUNGER,
  INITIAL = 4096, // an mbarrier that its leader has initialised
  LOADING = 8192  // read by the generic proxy since the last fence or barrier
};
enum {
  SINCE_BARRIER = GENERIC_READ | GENERIC_WRITE | ASYNC_READ | ATOMIC_UPDATE |
                  ASYNC_WRITE | INITIAL
};

/// The number of places is known. Entries of a state: one per place and age.
static inline size_t sync_num_entries(const Flow *flow) {
  return flow->num_places * TILE_NUM_AGES;
}

static inline size_t sync_entry_place(size_t entry) {
  return entry / TILE_NUM_AGES;
}

static inline TileAge sync_entry_age(size_t entry) {
  return (TileAge)(entry % TILE_NUM_AGES);
}

static inline uint16_t *sync_state_now(State state, size_t place) {
  return &state.bits[place * TILE_NUM_AGES + TILE_AGE_SAME];
}

static inline State sync_state_create(Flow *flow) {
  return (State){
      TILE_ARENA_NEW(flow->arena, uint16_t, sync_num_entries(flow) + 1)};
}

static inline void sync_state_assign(const Flow *flow, State to, State from) {
  memcpy(to.bits, from.bits, sync_num_entries(flow) * sizeof *to.bits);
}

/// Joins `from` into `to`; true when `to` grew.
static inline bool sync_state_join(const Flow *flow, State to, State from) {
  bool grew = false;
  for (size_t i = 0; i < sync_num_entries(flow); i++) {
    grew |= (from.bits[i] & ~to.bits[i]) != 0;
    to.bits[i] |= from.bits[i];
  }
  return grew;
}

/// Whether any entry has one of the bits.
static inline bool sync_state_has(const Flow *flow, State state, int bits) {
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    if (state.bits[i] & bits)
      return true;
  return false;
}

static inline void sync_state_clear(const Flow *flow, State state, int bits) {
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    state.bits[i] &= (uint16_t)~bits;
}

/// All threads have met. A warp meets without waiting for its loads.
static inline void sync_state_meet(const Flow *flow, State state) {
  sync_state_clear(flow, state,
                   SINCE_BARRIER | (flow->is_one_warp ? 0 : LOADING));
}

/// Whether a place is in shared memory.
static inline bool sync_place_is_shared(const Flow *flow, size_t place) {
  return flow->places[place].buffer < flow->shared->num_buffers;
}

/// The memory that a place is in: one of TILE_FENCE_….
static inline uint8_t sync_place_memory(const Flow *flow, size_t place) {
  return sync_place_is_shared(flow, place) ? TILE_FENCE_SHARED
                                           : TILE_FENCE_GLOBAL;
}

/// All threads have executed a proxy fence of these memories (TILE_FENCE_…).
static inline void sync_state_fence(const Flow *flow, State state,
                                    uint8_t memories) {
  if (memories & TILE_FENCE_GLOBAL) // which orders shared memory too
    memories |= TILE_FENCE_SHARED;
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    if (memories & sync_place_memory(flow, sync_entry_place(i)))
      state.bits[i] &= (uint16_t)~(UNFENCED | LOADING);
}

/// The issuing thread has waited for all stores but the last `pending`; the
/// others have to meet it.
static inline void sync_state_stored(const Flow *flow, State state,
                                     TileStoreWait wait, int64_t pending) {
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

//===-- Points ------------------------------------------------------------===//

/// The point before `op`, or null.
static inline TileSyncPoint *sync_point_find(const TileSyncPlan *plan,
                                             MlirOperation op) {
  for (size_t i = 0; i < plan->num_points; i++)
    if (mlirOperationEqual(plan->points[i].before, op))
      return &plan->points[i];
  return NULL;
}

/// The same, which comes to be. Valid until the next call.
static inline TileSyncPoint *sync_point_get(Flow *flow, MlirOperation op) {
  TileSyncPlan *plan = flow->plan;
  TileSyncPoint *point = sync_point_find(plan, op);
  if (point)
    return point;
  TILE_ARENA_RESERVE(flow->arena, plan->points, plan->num_points,
                     plan->capacity);
  point = &plan->points[plan->num_points++];
  *point = (TileSyncPoint){.before = op};
  return point;
}

//===-- What one op does (SyncAccess.c) -----------------------------------===//

enum {
  READS = 1,
  WRITES = 2,
  UPDATES = 4,
  INITIALIZES = 8, // an mbarrier, by the leader; a write, too
  USES = 16,       // an mbarrier, by all threads
  LEADS = 32,      // the same, by the leader only
  BY_THREADS = 64, // of an op of the asynchronous proxy, but not by it
  // In a role, of a ring: a channel orders them, by arrivals.
  RING_READS = 128,
  RING_WRITES = 256
};

/// What one op does to memory that threads share.
typedef struct {
  uint16_t *bits;    // READS … RING_WRITES: one entry per place
  bool is_async;     // by the asynchronous proxy
  bool is_store;     // TMA, out of shared memory
  bool is_under_way; // nobody waits for it here
  bool fills_tile;   // all of it, by the asynchronous proxy, for no mbarrier
  bool stores_pad;   // threads do, where the source has ended
  bool exist;
} Accesses;

/// The result is valid until the next call. As long as the flow has no bits of
/// accesses, makes the places that the op touches, and the tensors behind them.
Accesses sync_accesses_of(Flow *flow, MlirOperation op);

/// The channel whose slots an mbarrier hands over, and which orders who waits
/// for its phases; or null.
TileChannelBarriersOp sync_channel_of(MlirValue barrier);
/// Whether the op accesses the place by the asynchronous proxy.
static inline bool sync_is_async_at(const Accesses *accesses, size_t place) {
  return accesses->is_async && !(accesses->bits[place] & BY_THREADS);
}

//===-- Transfer (SyncTransfer.c) -----------------------------------------===//

/// Adds the point that `op` needs before it, and does to `state` what both
/// do.
void sync_transfer_op(Flow *flow, MlirOperation op, State state);
/// The same of a branch or a loop that some threads may not take: no barrier
/// may stand in it, and who exchanges what there is the business of its author.
/// The ops in it count together, as one that stands in its place.
void sync_transfer_scope(Flow *flow, MlirOperation scope, State state);

//===-- Threads of accesses (SyncThreads.c) -------------------------------===//

/// What is known of the use. Valid until the next call.
SyncUse *sync_use_of(Flow *flow, MlirOperation op, MlirValue tile, bool writes);
/// Whether every byte that two places may have in common is accessed by one
/// thread alone, when `then` was touched `age` ago.
bool sync_threads_are_same(const Flow *flow, size_t now, size_t then,
                           TileAge age);

#endif // TILE_ANALYSIS_SYNC_FLOW_H
