//===- Repeat.c - Does a cluster that changes nothing go round in circles? ===//
//
// A warp whose registers, local memory and program counters are what they were,
// while nobody changed any other memory, does the same again for ever. When
// that holds for every warp that is not waiting, the kernel never ends. A loop
// that counts its rounds, or reads the clock, does not come back: then nothing
// is proved.
//
//===----------------------------------------------------------------------===//

#include "Repeat.h"

#include <stdlib.h>

typedef struct {
  const TileWarp *warp;
  uint8_t *regs, *local;
  TileLanes live, waiting;
  bool is_uniform, repeats;
  uint32_t uniform_pc, pc[TILE_WARP_SIZE];
} Snapshot;

struct TileRepeat {
  uint64_t progress; // of the cluster, at the snapshots
  Snapshot *snapshots;
  uint32_t num_snapshots;
};

static size_t local_bytes(const TileWarp *warp) {
  return warp->local ? (size_t)warp->kernel->local_stride_bytes * TILE_WARP_SIZE
                     : 0;
}

static void snapshot_take(Snapshot *snapshot, const TileWarp *warp) {
  *snapshot = (Snapshot){.warp = warp,
                         .live = warp->live,
                         .waiting = warp->waiting,
                         .is_uniform = warp->is_uniform,
                         .uniform_pc = warp->uniform_pc};
  memcpy(snapshot->pc, warp->pc, sizeof snapshot->pc);
  snapshot->regs = tile_emu_malloc(warp->kernel->register_file_bytes);
  memcpy(snapshot->regs, warp->regs, warp->kernel->register_file_bytes);
  snapshot->local = tile_emu_malloc(local_bytes(warp) + 1);
  if (warp->local)
    memcpy(snapshot->local, warp->local, local_bytes(warp));
}

TileRepeat *tile_emu_repeat_begin(const TileCluster *cluster) {
  TileRepeat *repeat = tile_emu_calloc(1, sizeof *repeat);
  uint32_t num_warps = cluster->num_ctas * cluster->ctas[0].num_warps;
  repeat->progress = cluster->progress;
  repeat->snapshots = tile_emu_calloc(num_warps, sizeof *repeat->snapshots);
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++)
      if (cluster->ctas[r].warps[i].live)
        snapshot_take(&repeat->snapshots[repeat->num_snapshots++],
                      &cluster->ctas[r].warps[i]);
  return repeat;
}

void tile_emu_repeat_end(TileRepeat *repeat) {
  for (uint32_t i = 0; repeat && i < repeat->num_snapshots; i++) {
    free(repeat->snapshots[i].regs);
    free(repeat->snapshots[i].local);
  }
  if (repeat)
    free(repeat->snapshots);
  free(repeat);
}

static bool is_same(const Snapshot *snapshot, const TileWarp *warp) {
  bool is_place =
      snapshot->live == warp->live && snapshot->waiting == warp->waiting &&
      snapshot->is_uniform == warp->is_uniform &&
      (warp->is_uniform ? snapshot->uniform_pc == warp->uniform_pc
                        : !memcmp(snapshot->pc, warp->pc, sizeof warp->pc));
  return is_place &&
         !memcmp(snapshot->regs, warp->regs,
                 warp->kernel->register_file_bytes) &&
         (!warp->local ||
          !memcmp(snapshot->local, warp->local, local_bytes(warp)));
}

/// Does the warp wait with all its lanes, for what only others can do?
static bool is_asleep(const TileWarp *warp) {
  return warp->live && !(warp->live & ~warp->waiting);
}

bool tile_emu_repeat_step(TileRepeat *repeat, const TileCluster *cluster,
                          const TileWarp *warp) {
  if (cluster->progress != repeat->progress || cluster->num_async)
    return false;
  bool all = true;
  for (uint32_t i = 0; i < repeat->num_snapshots; i++) {
    Snapshot *snapshot = &repeat->snapshots[i];
    if (snapshot->warp == warp && !snapshot->repeats)
      snapshot->repeats = is_same(snapshot, warp);
    all &= snapshot->repeats || is_asleep(snapshot->warp);
  }
  return all;
}
