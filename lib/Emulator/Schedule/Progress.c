//===- Progress.c - Tells a user how far a launch is ----------------------===//

#include "Progress.h"

static void add_insns(TileCluster *cluster) {
  uint64_t more = cluster->num_warp_insns - cluster->num_noted_insns;
  __atomic_fetch_add(&cluster->run->num_noted_insns, more, __ATOMIC_RELAXED);
  cluster->num_noted_insns = cluster->num_warp_insns;
}

void tile_emu_progress_step(TileCluster *cluster) {
  const TileEmuOptions *options = &cluster->emu->options;
  TileRun *run = cluster->run;
  if (!options->progress)
    return;
  add_insns(cluster);
  if (pthread_mutex_trylock(&run->progress_lock))
    return; // another host thread is telling
  TileEmuProgress progress = {
      .num_ctas_done = __atomic_load_n(&run->num_ctas_done, __ATOMIC_RELAXED),
      .num_ctas = (uint64_t)run->total_clusters * run->ctas_per_cluster,
      .num_instructions =
          __atomic_load_n(&run->num_noted_insns, __ATOMIC_RELAXED)};
  options->progress(options->progress_data, &progress);
  pthread_mutex_unlock(&run->progress_lock);
}

void tile_emu_progress_skip(TileRun *run) {
  __atomic_fetch_add(&run->num_ctas_done, run->ctas_per_cluster,
                     __ATOMIC_RELAXED);
}

void tile_emu_progress_end(TileCluster *cluster) {
  if (!cluster->emu->options.progress)
    return;
  add_insns(cluster);
  __atomic_fetch_add(&cluster->run->num_ctas_done, cluster->num_ctas,
                     __ATOMIC_RELAXED);
  cluster->num_noted_insns = 0; // it is used again
}
