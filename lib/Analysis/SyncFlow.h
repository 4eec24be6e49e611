//===- SyncFlow.h - State of the analysis of synchronisation --------------===//
#ifndef TILE_ANALYSIS_SYNC_FLOW_H
#define TILE_ANALYSIS_SYNC_FLOW_H

#include "Tile/Analysis.h"

//===-- State -------------------------------------------------------------===//

typedef struct {
  uint16_t *bits; // one entry per buffer
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
  size_t num_tensors, tensor_capacity, num_buffers;
  uint8_t *access_bits; // of the op being looked at
  bool is_in_role;
  uint16_t *role_bits; // done in roles, whatever their barriers order
} Flow;

//===-- What one op does (SyncAccess.c) -----------------------------------===//

enum { READS = 1, WRITES = 2, UPDATES = 4 };

/// What one op does to memory that threads share.
typedef struct {
  uint8_t *bits;     // READS, WRITES, UPDATES: one entry per buffer
  bool is_async;     // by the asynchronous proxy
  bool is_store;     // TMA, out of shared memory
  bool is_under_way; // nobody waits for it here
  bool fills_tile;   // all of it, by the asynchronous proxy
  bool exist;
} Accesses;

/// The result is valid until the next call.
Accesses sync_accesses_of(Flow *flow, MlirOperation op);
/// Whether two buffers may have bytes in common.
bool sync_buffers_overlap(const Flow *flow, size_t a, size_t b);
/// Whether threads share such memory.
bool sync_is_shared_space(TileSpace space);

#endif // TILE_ANALYSIS_SYNC_FLOW_H
