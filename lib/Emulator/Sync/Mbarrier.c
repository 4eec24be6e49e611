//===- Mbarrier.c - State of mbarrier objects -----------------------------===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier". A phase completes when no arrival is pending and the tx-count is
// zero; then the next one begins with the expected number of arrivals.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Memory/Address.h"
#include "Emulator/Race/Race.h"
#include "Sync.h"

#include <stdio.h>

static TileLanes user_lanes(const TileMbarrierUser *user) {
  return user->lane < TILE_WARP_SIZE ? tile_lane_bit(user->lane) : 0;
}

static uint32_t actor_of(const TileMbarrierUser *user, uint32_t async_actor) {
  return user->lane < TILE_WARP_SIZE ? tile_warp_thread(user->warp, user->lane)
                                     : async_actor;
}

//===-- Lookup ------------------------------------------------------------===//

TileMbarrier *tile_emu_mbarrier_get(TileWarp *warp, const TileInsn *insn,
                                    uint32_t lane, uint32_t address) {
  TileLanes lanes = tile_lane_bit(lane);
  if (address % 8) {
    tile_emu_find(warp, insn, lanes, TILE_FINDING_ALIGNMENT,
                  "mbarrier address 0x%x is not 8-byte aligned", address);
    return NULL;
  }
  TileCta *cta;
  if (!tile_emu_shared_pointer(warp, insn, lane, address, 8, &cta))
    return NULL;
  uint32_t offset = address & TILE_SHARED_OFFSET_MASK;
  uint16_t index = cta->shadow.mbarrier[offset / 8];
  char name[200];
  if (!index || !cta->mbarriers[index - 1].is_live) {
    tile_emu_find_memory(warp, "shared", offset,
                         tile_emu_shared_name(cta, offset, name));
    tile_emu_find(warp, insn, lanes, TILE_FINDING_MBARRIER_ABSENT,
                  "%s (shared 0x%x) holds no initialised mbarrier",
                  tile_emu_shared_name(cta, offset, name), offset);
    return NULL;
  }
  TileMbarrier *mbarrier = &cta->mbarriers[index - 1];
  if (!warp->cluster->detect_races)
    return mbarrier;
  uint32_t thread = tile_warp_thread(warp, lane);
  uint32_t agent = tile_epoch_agent(mbarrier->init_epoch);
  const TileClock *causal = warp->cluster->clocks.threads[thread].causal;
  if (agent != thread &&
      causal->ticks[agent] < tile_epoch_tick(mbarrier->init_epoch)) {
    tile_emu_find_memory(warp, "shared", offset,
                         tile_emu_shared_name(cta, offset, name));
    tile_emu_find_earlier(warp, mbarrier->init_insn);
    tile_emu_find(warp, insn, lanes, TILE_FINDING_RACE_MBARRIER_INIT,
                  "use of the mbarrier at %s (shared 0x%x) is not ordered "
                  "after its mbarrier.init by thread %u at ptx:%u",
                  tile_emu_shared_name(cta, offset, name), offset,
                  agent % warp->cluster->threads_per_cta,
                  mbarrier->init_insn->line);
  }
  return mbarrier;
}

//===-- Phases ------------------------------------------------------------===//

static void report_with_history(const TileMbarrierUser *user,
                                const TileMbarrier *mbarrier,
                                TileFindingKind kind, const char *text) {
  TileLanes lanes = user_lanes(user);
  if (!tile_emu_find_is_new(user->warp, user->insn, lanes, kind))
    return;
  TileBuffer history = {0};
  // A remote mbarrier has the same layout of shared memory.
  tile_emu_mbarrier_print(user->warp->cta, mbarrier, &history);
  if (history.length) // the paragraph adds the last newline
    history.text[history.length - 1] = 0;
  char name[200];
  tile_emu_find_memory(
      user->warp, "shared", mbarrier->offset,
      tile_emu_shared_name(user->warp->cta, mbarrier->offset, name));
  tile_emu_find(user->warp, user->insn, lanes, kind, "%s\n%s", text,
                history.text);
  tile_emu_buffer_deinit(&history);
}

static void check_copies(const TileMbarrierUser *user, TileMbarrier *mbarrier) {
  uint32_t parity = mbarrier->phase & 1;
  char text[300];
  if (mbarrier->tx_bytes < 0) {
    snprintf(text, sizeof text,
             "all arrivals of phase %u of mbarrier 0x%x are done, but %lld "
             "bytes more than expected were copied",
             mbarrier->phase, mbarrier->offset, (long long)-mbarrier->tx_bytes);
    report_with_history(user, mbarrier, TILE_FINDING_TX_TOO_SMALL, text);
    mbarrier->tx_bytes = 0;
  }
  if (mbarrier->tx_bytes || !mbarrier->num_in_flight[parity])
    return;
  snprintf(text, sizeof text,
           "phase %u of mbarrier 0x%x completes while %lld bytes of its "
           "copies are still in flight",
           mbarrier->phase, mbarrier->offset,
           (long long)mbarrier->bytes_in_flight[parity]);
  report_with_history(user, mbarrier, TILE_FINDING_TX_TOO_SMALL, text);
}

static void phase_complete(const TileMbarrierUser *user,
                           TileMbarrier *mbarrier) {
  TileCluster *cluster = user->warp->cluster;
  uint32_t parity = mbarrier->phase & 1;
  bool copies_done = mbarrier->num_in_flight[parity] == 0;
  mbarrier->num_in_flight[parity] = 0;
  if (!copies_done)
    mbarrier->bytes_in_flight[parity] = 0;
  if (cluster->detect_races) {
    tile_emu_phase_check(user, mbarrier);
    if (copies_done)
      tile_emu_sync_add(&cluster->clocks, &mbarrier->sync, mbarrier->agent,
                        mbarrier->phase + 1);
    tile_emu_sync_publish(&cluster->clocks, &mbarrier->sync);
  }
  mbarrier->phase++;
  mbarrier->order.has_copies = (uint8_t)(mbarrier->order.has_copies << 1);
  mbarrier->num_pending = mbarrier->num_expected;
  tile_cluster_wake(cluster);
}

static void phase_check(const TileMbarrierUser *user, TileMbarrier *mbarrier) {
  if (mbarrier->num_pending)
    return;
  check_copies(user, mbarrier);
  if (mbarrier->tx_bytes == 0)
    phase_complete(user, mbarrier);
}

//===-- Operations --------------------------------------------------------===//

void tile_emu_mbarrier_arrive(const TileMbarrierUser *user,
                              TileMbarrier *mbarrier, uint32_t count,
                              bool releases, bool drops) {
  TileCluster *cluster = user->warp->cluster;
  tile_cluster_wake(cluster);
  mbarrier->was_used = true;
  if ((int64_t)count > mbarrier->num_pending) {
    char text[200];
    snprintf(text, sizeof text,
             "%u arrivals at mbarrier 0x%x, but only %d are pending in phase "
             "%u",
             count, mbarrier->offset, mbarrier->num_pending, mbarrier->phase);
    report_with_history(user, mbarrier, TILE_FINDING_MBARRIER_COUNT, text);
    count = (uint32_t)mbarrier->num_pending;
  }
  mbarrier->num_pending -= (int32_t)count;
  if (drops)
    mbarrier->num_expected -= (int32_t)count;
  tile_emu_mbarrier_note(mbarrier, TILE_EVENT_ARRIVE, user->insn,
                         actor_of(user, TILE_ACTOR_CP_ASYNC), count);
  if (releases && cluster->detect_races && user->lane < TILE_WARP_SIZE)
    tile_emu_sync_release(&cluster->clocks,
                          tile_warp_thread(user->warp, user->lane),
                          &mbarrier->sync);
  phase_check(user, mbarrier);
}

void tile_emu_mbarrier_expect_tx(const TileMbarrierUser *user,
                                 TileMbarrier *mbarrier, uint32_t size_bytes) {
  mbarrier->tx_bytes += size_bytes;
  mbarrier->was_used = true;
  user->warp->cluster->progress++;
  tile_emu_mbarrier_note(mbarrier, TILE_EVENT_EXPECT_TX, user->insn,
                         actor_of(user, 0), size_bytes);
}

void tile_emu_mbarrier_complete_tx(const TileMbarrierUser *user,
                                   TileMbarrier *mbarrier,
                                   uint32_t size_bytes) {
  mbarrier->tx_bytes -= size_bytes;
  mbarrier->order.has_copies |= 1;
  tile_cluster_wake(user->warp->cluster);
  tile_emu_mbarrier_note(mbarrier, TILE_EVENT_COMPLETE_TX, user->insn,
                         actor_of(user, TILE_ACTOR_TMA), size_bytes);
  phase_check(user, mbarrier);
}
