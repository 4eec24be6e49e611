//===- StoreStaging.h - Accumulators that are stored by TMA ---------------===//
//
// The plan of tile-stage-stores. A thread of a product holds pairs of columns
// of many rows: it would store a row of a tensor in pieces of a few bytes. A
// tile of shared memory in between makes rows of it, which TMA stores while the
// threads go on.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_STORE_STAGING_H
#define TILE_ANALYSIS_STORE_STAGING_H

#include "Analysis/Instructions/Instructions.h"
#include "StagingCut.h"
#include "Support/Arena.h"

/// A shared tile that a fragment is copied to, to be stored from there.
typedef struct TileStaging {
  struct TileStaging *next; // program order
  TileAllocOp alloc;
  TileCopyOp fill, store;
  int64_t num_columns;
  TileStagingCut cut;
} TileStaging;

/// A copy of an accumulator to a window of a tensor.
typedef struct TileStagedStore {
  struct TileStagedStore *next; // program order
  TileCopyOp copy;
  TileStagingCut cut;   // the least one when none fits
  bool fits;            // in the shared memory that is left
  int64_t unused_bytes; // that is left
} TileStagedStore;

/// The copies of `launch` that are better made through shared memory, or NULL.
/// With `is_aligned` as if the host had checked addresses and pitches. Owner:
/// `arena`.
TileStagedStore *tile_store_staging_build(TileArena *arena,
                                          MlirOperation launch,
                                          const TileInstrContext *context,
                                          bool is_aligned);

#endif // TILE_ANALYSIS_STORE_STAGING_H
