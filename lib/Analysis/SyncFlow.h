//===- SyncFlow.h - State of the analysis of synchronisation --------------===//
#ifndef TILE_ANALYSIS_SYNC_FLOW_H
#define TILE_ANALYSIS_SYNC_FLOW_H

#include "Tile/Analysis.h"

//===-- Places (SyncWindows.c) --------------------------------------------===//

// A ring has a stage dimension besides those of its tiles.
enum { SYNC_MAX_TERMS = 4, SYNC_MAX_DIMS = TILE_MAX_RANK + 1 };

typedef struct {
  MlirValue value;
  int64_t factor;
} SyncTerm;

/// The constant and the terms, up to a multiple of `modulus`; 0: exactly.
typedef struct {
  SyncTerm terms[SYNC_MAX_TERMS];
  int num_terms;
  int64_t constant, modulus;
} SyncSum;

typedef struct {
  SyncSum offset;
  TileIndexBounds bounds; // of the offset, in every round
  int64_t size;
} SyncDim;

/// What one name of a tile covers, or one slot of an mbarrier.
typedef struct {
  MlirValue tile, slot, base; // offsets count in `base`
  size_t buffer;
  SyncDim dims[SYNC_MAX_DIMS];
  int rank;           // 0: all of the buffer
  MlirOperation home; // innermost loop that gives the offsets, or null
} SyncPlace;

/// Rounds of the home of a place that lie between an access and now: none, one,
/// at least two; or another run of the loop.
typedef enum {
  SYNC_SAME,
  SYNC_PREVIOUS,
  SYNC_EARLIER,
  SYNC_OLDER,
  SYNC_NUM_AGES
} SyncAge;

SyncPlace sync_place_of_tile(MlirValue tile, size_t buffer, bool is_shared);
SyncPlace sync_place_of_slot(MlirValue barrier, MlirValue slot, size_t buffer);
/// Whether two places of one buffer may have elements in common, when `then`
/// was touched `age` ago.
bool sync_windows_overlap(const SyncPlace *now, const SyncPlace *then,
                          SyncAge age);
/// Whether `op` is `loop` or inside of it.
bool sync_is_inside(MlirOperation op, MlirOperation loop);

//===-- State -------------------------------------------------------------===//

typedef struct {
  uint16_t *bits; // by place and age
} State;

typedef struct {
  MlirValue root;
  bool is_distinct; // from every other distinct one
} Tensor;

typedef struct {
  TileArena *arena;
  TileSyncPlan *plan;
  TileSharedMemory *shared;
  Tensor *tensors; // numbered behind the shared buffers
  size_t num_tensors, tensor_capacity;
  SyncPlace *places;
  size_t num_places, place_capacity;
  uint8_t *access_bits; // of the op being looked at, by place
  bool is_in_role;
  uint16_t *role_bits; // done in roles, whatever their barriers order
} Flow;

//===-- Points (SyncPoints.c) ---------------------------------------------===//

/// The point in front of `op`, or null.
TileSyncPoint *sync_point_find(const TileSyncPlan *plan, MlirOperation op);
/// The same, which comes to be. Valid until the next call.
TileSyncPoint *sync_point_get(Flow *flow, MlirOperation op);
TileSyncPlan sync_plan_copy(const Flow *flow, const TileSyncPlan *plan);
/// What stands in `plan` beyond `base`.
TileSyncPoint sync_plan_extra(const TileSyncPlan *plan,
                              const TileSyncPlan *base);

//===-- What one op does (SyncAccess.c) -----------------------------------===//

enum {
  READS = 1,
  WRITES = 2,
  UPDATES = 4,
  INITIALIZES = 8, // an mbarrier, by the leader; a write, too
  USES = 16,       // an mbarrier, by all threads
  LEADS = 32       // the same, by the leader only
};

/// What one op does to memory that threads share.
typedef struct {
  uint8_t *bits;     // READS … LEADS: one entry per place
  bool is_async;     // by the asynchronous proxy
  bool is_store;     // TMA, out of shared memory
  bool is_under_way; // nobody waits for it here
  bool fills_tile;   // all of it, by the asynchronous proxy, for no mbarrier
  bool exist;
} Accesses;

/// The result is valid until the next call.
Accesses sync_accesses_of(Flow *flow, MlirOperation op);
/// Number of the place that a tile names, or -1 for memory that threads do not
/// share; with a slot, of an mbarrier.
int sync_place_index(const Flow *flow, MlirValue tile, MlirValue slot);
/// Makes the places that an op touches, and the tensors behind them.
void sync_places_note(Flow *flow, MlirOperation op);
/// Whether two places may have bytes in common, when `then` was touched `age`
/// ago.
bool sync_places_overlap(const Flow *flow, size_t now, size_t then,
                         SyncAge age);
/// Whether a place is in shared memory.
bool sync_place_is_shared(const Flow *flow, size_t place);
/// Whether the op arrives on an mbarrier that no channel has.
bool sync_is_own_arrival(MlirOperation op);
/// Whether another role than `role` accesses the buffer of a place by the
/// asynchronous proxy. Ends the validity of sync_accesses_of.
bool sync_is_async_elsewhere(Flow *flow, size_t place, MlirOperation role);
/// Whether threads share such memory.
bool sync_is_shared_space(TileSpace space);

#endif // TILE_ANALYSIS_SYNC_FLOW_H
