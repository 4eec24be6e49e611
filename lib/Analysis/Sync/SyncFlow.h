//===- SyncFlow.h - State of the analysis of synchronisation --------------===//
#ifndef TILE_ANALYSIS_SYNC_FLOW_H
#define TILE_ANALYSIS_SYNC_FLOW_H

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Sync.h"

//===-- Places (SyncWindows.c) --------------------------------------------===//

// A ring has a stage dimension besides those of its tiles.
enum { SYNC_MAX_DIMS = TILE_MAX_RANK + 1 };

typedef struct {
  const TileIndex *offset; // congruent
  TileIndexBounds bounds;  // of the offset, in every round
  int64_t size;
} SyncDim;

/// The threads that do an access to a tile (SyncThreads.c).
enum { SYNC_NOBODY = UINT16_MAX };
typedef struct {
  const uint16_t *thread; // of every element, row by row, or SYNC_NOBODY
  int64_t num_elems;
  int64_t leader; // without `thread`: the one that does it all
  // Without both: what this op says of the element, the same in every round.
  MlirOperation op;
} SyncThreads;

/// What an element loop accesses of a tile: in each dimension from an offset
/// on.
typedef struct {
  int rank; // 0: not known
  TileInt offset[TILE_MAX_RANK];
  int64_t size[TILE_MAX_RANK];
} SyncLoopWindow;

/// What accesses of some threads (null: not known) cover by one name of a tile,
/// or one slot of an mbarrier.
typedef struct {
  MlirValue tile, slot, base; // offsets count in `base`
  MlirOperation loop;         // whose SyncLoopWindow it is, or null
  const SyncThreads *threads;
  bool is_relied_on; // that they are the same let a barrier go
  size_t buffer;
  SyncDim dims[SYNC_MAX_DIMS];
  int rank;           // 0: all of the buffer
  bool is_on_grid;    // offsets are multiples of the sizes
  MlirOperation home; // innermost loop that gives the offsets, or null
} SyncPlace;

typedef struct Flow Flow;

SyncPlace sync_place_of_tile(const Flow *flow, MlirValue tile, size_t buffer,
                             bool is_shared);
SyncPlace sync_place_of_loop(const Flow *flow, MlirValue tile,
                             const SyncLoopWindow *window, size_t buffer,
                             bool is_shared);
SyncPlace sync_place_of_slot(const Flow *flow, MlirValue barrier,
                             MlirValue slot, size_t buffer);
/// Whether two places of one buffer may have elements in common, when `then`
/// was touched `age` ago, in rounds of its home.
bool sync_windows_overlap(const Flow *flow, const SyncPlace *now,
                          const SyncPlace *then, TileAge age);
/// Whether two places are known to have either the same elements or none in
/// common.
bool sync_windows_match(const Flow *flow, const SyncPlace *now,
                        const SyncPlace *then, TileAge age);
/// Whether `now` is known to begin so many elements behind `then` in every
/// dimension of their base.
bool sync_windows_distance(const Flow *flow, const SyncPlace *now,
                           const SyncPlace *then, TileAge age,
                           int64_t out_distance[SYNC_MAX_DIMS]);

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
  SyncLoopWindow window;
  int64_t chunk; // that gives the threads, in elements; 0: something else does
} SyncUse;

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
  Tensor *tensors; // numbered behind the shared buffers
  size_t num_tensors, tensor_capacity;
  SyncPlace *places;
  size_t num_places, place_capacity;
  int64_t kernel_threads;
  const TileTarget *target;    // null: any
  const SyncThreads **threads; // each once
  size_t num_threads, threads_capacity;
  SyncUse *uses;
  size_t num_uses, use_capacity;
  uint8_t *relations;   // of places, by place and entry (SyncTransfer.c)
  uint8_t *access_bits; // of the op being looked at, by place
  bool is_in_role;
  // What is assumed: of conditions, and that more is left of a loop.
  SyncAssumed assumed[SYNC_MAX_ASSUMED];
  int num_assumed;
  MlirOperation assumed_loop;
  int64_t least_left;
  MlirOperation unmet; // TileSyncPlan
  uint16_t *role_bits; // done in roles, whatever their barriers order
};

//===-- States (SyncState.c) ----------------------------------------------===//

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

/// Entries of a state: one per place and age.
size_t sync_num_entries(const Flow *flow);
size_t sync_entry_place(size_t entry);
TileAge sync_entry_age(size_t entry);
State sync_state_create(Flow *flow);
void sync_state_assign(const Flow *flow, State to, State from);
/// Joins `from` into `to`; true when `to` grew.
bool sync_state_join(const Flow *flow, State to, State from);
void sync_state_clear(const Flow *flow, State state, int bits);
/// All threads have executed a proxy fence of these memories (TILE_FENCE_…).
void sync_state_fence(const Flow *flow, State state, uint8_t memories);
/// All threads have met.
void sync_state_meet(const Flow *flow, State state);
/// A round of `loop` ends: its values get new numbers.
void sync_state_next_round(const Flow *flow, State state, MlirOperation loop);
uint16_t *sync_state_now(State state, size_t place);
/// Whether any entry has one of the bits.
bool sync_state_has(const Flow *flow, State state, int bits);

//===-- Points (SyncPoints.c) ---------------------------------------------===//

/// The point in front of `op`, or null.
TileSyncPoint *sync_point_find(const TileSyncPlan *plan, MlirOperation op);
/// The same, which comes to be. Valid until the next call.
TileSyncPoint *sync_point_get(Flow *flow, MlirOperation op);
TileSyncPlan sync_plan_copy(const Flow *flow, const TileSyncPlan *plan);
/// What stands in `plan` beyond `base`.
TileSyncPoint sync_plan_extra(const TileSyncPlan *plan,
                              const TileSyncPlan *base);

//===-- Ends (SyncEnds.c) -------------------------------------------------===//

/// Adds the ends of the kernel and of its roles that lack a wait.
void sync_ends_build(TileArena *arena, MlirOperation kernel,
                     TileSyncPlan *plan);

//===-- What one op does (SyncAccess.c) -----------------------------------===//

enum {
  READS = 1,
  WRITES = 2,
  UPDATES = 4,
  INITIALIZES = 8, // an mbarrier, by the leader; a write, too
  USES = 16,       // an mbarrier, by all threads
  LEADS = 32,      // the same, by the leader only
  BY_THREADS = 64  // of an op of the asynchronous proxy, but not by it
};

/// What one op does to memory that threads share.
typedef struct {
  uint8_t *bits;     // READS … BY_THREADS: one entry per place
  bool is_async;     // by the asynchronous proxy
  bool is_store;     // TMA, out of shared memory
  bool is_under_way; // nobody waits for it here
  bool fills_tile;   // all of it, by the asynchronous proxy, for no mbarrier
  bool exist;
} Accesses;

/// The result is valid until the next call.
Accesses sync_accesses_of(Flow *flow, MlirOperation op);
/// Number of the place that a use has, or -1 for memory that threads do not
/// share.
int sync_place_of_use(const Flow *flow, const SyncUse *use);
/// Makes the places that an op touches, and the tensors behind them.
void sync_places_note(Flow *flow, MlirOperation op);
/// Whether two places may have bytes in common, when `then` was touched `age`
/// ago.
bool sync_places_overlap(const Flow *flow, size_t now, size_t then,
                         TileAge age);
/// The same of buffers and tensors, by their numbers.
bool sync_buffers_overlap(const Flow *flow, size_t a, size_t b);
/// Whether a place is in shared memory.
bool sync_place_is_shared(const Flow *flow, size_t place);
/// The memory that a place is in: one of TILE_FENCE_….
uint8_t sync_place_memory(const Flow *flow, size_t place);
/// Whether the op arrives on an mbarrier that no channel has.
bool sync_is_own_arrival(MlirOperation op);
/// Whether another role than `role` accesses bytes of the buffer of a place by
/// the asynchronous proxy. Ends the validity of sync_accesses_of.
bool sync_is_async_elsewhere(Flow *flow, size_t place, MlirOperation role);

//===-- Transfer (SyncTransfer.c) -----------------------------------------===//

/// Adds the point that `op` needs in front of it, and does to `state` what both
/// do.
void sync_transfer_op(Flow *flow, MlirOperation op, State state);
/// The issuing thread has waited for all stores but the last `pending`; the
/// others have to meet it.
void sync_state_stored(const Flow *flow, State state, TileStoreWait wait,
                       int64_t pending);

//===-- Threads of accesses (SyncThreads.c) -------------------------------===//

/// What is known of the use; by value, as others may follow.
SyncUse sync_use_of(Flow *flow, MlirOperation op, MlirValue tile, bool writes);
/// Whether every byte that two places may have in common is accessed by one
/// thread alone, when `then` was touched `age` ago.
bool sync_threads_are_same(const Flow *flow, size_t now, size_t then,
                           TileAge age);
/// The same of windows at constant offsets, maybe of tiles that share a place
/// (SyncBytes.c).
bool sync_bytes_are_same(const Flow *flow, size_t now, size_t then);

#endif // TILE_ANALYSIS_SYNC_FLOW_H
