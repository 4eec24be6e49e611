//===- ClusterBarrier.c - barrier.cluster ---------------------------------===//
//
// PTX ISA, "barrier.cluster". One barrier for all threads of the cluster that
// have not exited; arrive and wait are separate instructions.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Ptx/Decode.h"
#include "Sync.h"

static void complete_if_all_arrived(TileCluster *cluster) {
  TileClusterBarrier *barrier = &cluster->barrier;
  if (!barrier->num_arrived || barrier->num_arrived < cluster->num_live_threads)
    return;
  // Threads that arrived and then exited count until here.
  cluster->num_live_threads -= barrier->num_left;
  barrier->num_left = 0;
  barrier->num_arrived = 0;
  barrier->phase++;
  if (cluster->detect_races)
    tile_emu_sync_publish(&cluster->clocks, &barrier->sync);
  tile_cluster_wake(cluster);
}

void tile_emu_cluster_barrier_leave(TileCluster *cluster, uint32_t num_threads,
                                    uint32_t num_arrived) {
  cluster->barrier.num_left += num_arrived;
  cluster->num_live_threads -= num_threads - num_arrived;
  complete_if_all_arrived(cluster);
}

static TileLanes cluster_arrive(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  if (insn->as.barrier.is_aligned) {
    TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
    if (blocked)
      return blocked;
  }
  TILE_FOR_LANES (l, lanes) {
    bool releases =
        !insn->as.barrier.is_relaxed || tile_lane_in(warp->fenced, l);
    warp->wait[l].kind = TILE_WAIT_NONE;
    warp->cluster_phase[l] = cluster->barrier.phase;
    cluster->barrier.num_arrived++;
    if (cluster->detect_races && releases)
      tile_emu_sync_release(&cluster->clocks, tile_warp_thread(warp, l),
                            &cluster->barrier.sync);
  }
  tile_cluster_wake(cluster);
  complete_if_all_arrived(cluster);
  return 0;
}

static TileLanes cluster_wait(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  if (insn->as.barrier.is_aligned) {
    TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
    if (blocked)
      return blocked;
  }
  TileLanes blocked = 0;
  TILE_FOR_LANES (l, lanes) {
    if (cluster->barrier.phase == warp->cluster_phase[l]) {
      tile_warp_wait(warp, l, TILE_WAIT_CLUSTER, 0, cluster->barrier.phase);
      blocked |= tile_lane_bit(l);
      continue;
    }
    warp->wait[l].kind = TILE_WAIT_NONE;
    if (cluster->detect_races)
      tile_emu_sync_acquire(&cluster->clocks, tile_warp_thread(warp, l),
                            &cluster->barrier.sync);
  }
  return blocked;
}

void tile_emu_decode_barrier_cluster(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder,
                    "cluster arrive wait relaxed release acquire aligned");
  if (!tile_decode_count(decoder, 0, 0))
    return;
  insn->as.barrier.is_aligned = tile_decode_has(decoder, "aligned");
  insn->as.barrier.is_relaxed = tile_decode_has(decoder, "relaxed");
  insn->exec =
      tile_decode_has(decoder, "arrive") ? cluster_arrive : cluster_wait;
}
