//===- PrioritySchedule.c - Warps in the order of priorities --------------===//

#include "PrioritySchedule.h"

enum {
  MAX_CHANGE_BITS = 14, // change points are below 2^14 turns
  PATIENCE = 256        // turns that a warp may spin
};

void tile_emu_priority_init(TilePrioritySchedule *schedule,
                            TileCluster *cluster, TileWarp **warps,
                            uint32_t num_warps) {
  *schedule = (TilePrioritySchedule){.cluster = cluster, .lowest = 1u << 31};
  for (uint32_t i = 0; i < num_warps; i++)
    warps[i]->priority = schedule->lowest + 1 + i;
  for (uint32_t i = num_warps; i > 1; i--) { // a random permutation
    uint64_t other = tile_cluster_random(cluster) % i;
    uint32_t priority = warps[i - 1]->priority;
    warps[i - 1]->priority = warps[other]->priority;
    warps[other]->priority = priority;
  }
  schedule->num_changes = (uint32_t)cluster->emu->options.num_priority_changes;
  for (uint32_t i = 0; i < schedule->num_changes; i++) {
    uint64_t first = 1ull << tile_cluster_random(cluster) % MAX_CHANGE_BITS;
    schedule->change_points[i] = first + tile_cluster_random(cluster) % first;
  }
}

static bool is_change_point(const TilePrioritySchedule *schedule) {
  for (uint32_t i = 0; i < schedule->num_changes; i++)
    if (schedule->change_points[i] == schedule->turn)
      return true;
  return false;
}

static TileWarp *highest(TileWarp **runnable, uint32_t count) {
  TileWarp *best = runnable[0];
  for (uint32_t i = 1; i < count; i++)
    if (runnable[i]->priority > best->priority)
      best = runnable[i];
  return best;
}

/// A warp that polls memory never blocks; it may not keep the others from
/// writing that memory.
static bool is_spinning(TilePrioritySchedule *schedule) {
  uint64_t progress = schedule->cluster->progress;
  schedule->idle_turns =
      progress == schedule->progress ? schedule->idle_turns + 1 : 0;
  schedule->progress = progress;
  return schedule->idle_turns && schedule->idle_turns % PATIENCE == 0;
}

TileWarp *tile_emu_priority_choose(TilePrioritySchedule *schedule,
                                   TileWarp **runnable, uint32_t count) {
  schedule->turn++;
  TileWarp *best = highest(runnable, count);
  if (!is_spinning(schedule) && !is_change_point(schedule))
    return best;
  best->priority = schedule->lowest--;
  return highest(runnable, count);
}
