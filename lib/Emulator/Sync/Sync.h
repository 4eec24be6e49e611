//===- Sync.h - mbarriers and barriers ------------------------------------===//
#ifndef TILE_EMULATOR_SYNC_H
#define TILE_EMULATOR_SYNC_H

#include "Emulator/Machine.h"

#include <stdlib.h>

/// The live mbarrier at shared address `address`; reports and returns NULL
/// when there is none or the lane may not use it yet.
TileMbarrier *tile_emu_mbarrier_get(TileWarp *warp, const TileInsn *insn,
                                    uint32_t lane, uint32_t address);

/// Who performs an operation on an mbarrier. `lane` is TILE_WARP_SIZE for
/// asynchronous work.
typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;
} TileMbarrierUser;

/// arrive-on with `count`; `releases`: what the lane did is visible to those
/// who wait; `drops`: the arrival counts no more in later phases.
void tile_emu_mbarrier_arrive(const TileMbarrierUser *user,
                              TileMbarrier *mbarrier, uint32_t count,
                              bool releases, bool drops);
void tile_emu_mbarrier_complete_tx(const TileMbarrierUser *user,
                                   TileMbarrier *mbarrier, uint32_t size_bytes);
/// The phase under way cannot complete before the lane came here.
void tile_emu_phase_begin(const TileWarp *warp, uint32_t lane,
                          TileMbarrier *mbarrier);
/// A new object: nobody has waited for it.
static inline void tile_emu_phase_deinit(TileMbarrier *mbarrier) {
  free(mbarrier->order.waits);
}
/// State and recent events, for reports.
void tile_emu_mbarrier_print(const TileCta *cta, const TileMbarrier *mbarrier,
                             TileString *buffer);

/// Barriers without a count wait for fewer threads when a warp has exited.
void tile_emu_barrier_recheck(TileCta *cta);
/// `num_threads` of the cluster exited; `num_arrived` of them had arrived.
void tile_emu_cluster_barrier_leave(TileCluster *cluster, uint32_t num_threads,
                                    uint32_t num_arrived);
static inline void tile_emu_barriers_deinit(TileCta *cta) {
  for (uint32_t i = 0; i < TILE_NUM_BARRIERS; i++) {
    tile_emu_sync_deinit(&cta->cluster->clocks, &cta->barriers[i].sync);
    cta->barriers[i] = (TileBarrier){0};
  }
}

#endif // TILE_EMULATOR_SYNC_H
