//===- StagingCut.h - Staging tiles in parts ------------------------------===//
//
// A fragment is stored through a tile of shared memory. Where that does not fit
// it is cut into parts of columns: two parts have a place, and one is filled
// while the other is stored; at last one part has. Two parts take what one tile
// does, so the first cut is into four.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_STAGING_CUT_H
#define TILE_ANALYSIS_STAGING_CUT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif // TILE_ANALYSIS_STAGING_CUT_H
