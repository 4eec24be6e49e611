//===- PrioritySchedule.h - Warps in the order of priorities --------------===//
//
// Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010. Warps have random
// priorities; the one with the highest that can run does. At a few change
// points the running warp gets the lowest. A mistake that needs d orderings to
// go wrong is met with d - 1 change points, at a probability that falls with
// the length of the run and not with the number of interleavings.
//
// The length is not known before. Change points are drawn so that every power
// of two of turns has the same chance to hold one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_PRIORITY_SCHEDULE_H
#define TILE_EMULATOR_PRIORITY_SCHEDULE_H

#include "Emulator/Machine.h"

typedef struct {
  TileCluster *cluster;
  uint64_t change_points[TILE_EMU_MAX_PRIORITY_CHANGES]; // turns
  uint32_t num_changes;
  uint32_t lowest;               // every warp has a higher priority
  uint64_t turn;                 //
  uint64_t progress, idle_turns; // of the cluster; turns since it changed
} TilePrioritySchedule;

void tile_emu_priority_init(TilePrioritySchedule *schedule,
                            TileCluster *cluster, TileWarp **warps,
                            uint32_t num_warps);
/// The runnable warp whose turn it is; `count` is not 0.
TileWarp *tile_emu_priority_choose(TilePrioritySchedule *schedule,
                                   TileWarp **runnable, uint32_t count);

#endif // TILE_EMULATOR_PRIORITY_SCHEDULE_H
