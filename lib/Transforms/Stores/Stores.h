//===- Stores.h - Accumulators that are stored by TMA ---------------------===//
//
// A thread of a product holds pairs of columns
// of many rows: it would store a row of a tensor in pieces of a few bytes. A
// tile of shared memory in between makes rows of it, which TMA stores while the
// threads go on.
//
// tile-stage-stores (StageStores.c) carries out the plan of StoresPlan.c. A
// persistent launch cuts tiles as well that stores pass through.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_STORES_H
#define TILE_TRANSFORMS_STORES_H

#include "Analysis/Instructions/Instructions.h"
#include "Support/Arena.h"

//===-- Staging tiles in parts (StoresPlan.c) -----------------------------===//
//
// A fragment is stored through a tile of shared memory. Where that does not fit
// it is cut into parts of columns: two parts have a place, and one is filled
// while the other is stored; at last one part has. Two parts take what one tile
// does, so the first cut is into three or four.

typedef struct {
  int64_t size_bytes; // of the tile
  int64_t row_bytes;
  int64_t unit_bytes; // rows of a part are multiples of it
  int64_t num_parts;  // 1: it stays whole
  int num_places;     // of parts, in turns: 1 or 2
} TileStagingCut;

/// A tile that stays whole.
TileStagingCut tile_staging_cut_whole(int64_t size_bytes, int64_t row_bytes,
                                      int64_t unit_bytes);

/// What the places take.
int64_t tile_staging_cut_bytes(const TileStagingCut *cut);

/// Makes it the next smaller one; false where there is none.
bool tile_staging_cut_next(TileStagingCut *cut);

//===-- Stores through shared memory --------------------------------------===//

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

/// StagedParts.c: cuts a staging tile into `num_parts` parts of columns,
/// `num_places` of which have memory at a time. Whole tiles stay.
void staged_parts_apply(MlirRewriterBase rewriter, const TileStaging *staging);

#endif // TILE_TRANSFORMS_STORES_H
