//===- Occupancy.h - Blocks that fit on a multiprocessor ------------------===//
//
// An estimate before pipelines and layouts exist: registers are known to ptxas
// only, and packing lets tiles share memory. It decides what pays, never what
// is right.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_OCCUPANCY_H
#define TILE_ANALYSIS_OCCUPANCY_H

#include "Analysis/Analysis.h"

/// What one block of a launch takes.
typedef struct {
  const TileTarget *target;
  int64_t num_threads;       // that compute; -1: unknown
  int64_t smem_bytes;        // tiles, once per stage of the loop that copies
  int64_t num_fragment_bits; // of all threads
  int64_t min_blocks;        // as the kernel asks; 0: it does not
} TileOccupancy;

/// Owner: `arena`.
void tile_occupancy_estimate(TileArena *arena, MlirOperation launch,
                             const TileTarget *target,
                             TileOccupancy *out_occupancy);

/// Blocks that run on a multiprocessor at once; at least 1.
int64_t tile_occupancy_blocks(const TileOccupancy *occupancy);

/// Slots of the pipelined loop of the kernel around `op`; 0: there is none.
int64_t tile_num_stages_around(MlirOperation op);

#endif // TILE_ANALYSIS_OCCUPANCY_H
