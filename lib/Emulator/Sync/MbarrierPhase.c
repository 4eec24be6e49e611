//===- MbarrierPhase.c - Waits that the next phase may overtake -----------===//
//
// PTX ISA, "mbarrier.test_wait, mbarrier.try_wait": a parity tells the phase
// under way from the one before and from no other. So a wait for phase p has
// to be ordered with both of its neighbours, or it is met by luck:
//
//            p - 1 completes  ->  wait for p  ->  p + 1 completes
//
//   - When p + 1 completes, its arrivals and the issue of its copies must come
//     after every wait for p.
//   - When a wait for p ends, the thread must know that p - 1 is complete:
//   until
//     then the same parity was that of p - 2, which is.
//
// Both are seen from clocks, so in every schedule.
//
//===----------------------------------------------------------------------===//

#include "Emulator/HostMemory.h"
#include "Emulator/Race/Race.h"
#include "Sync.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t first_thread(const TileCta *cta) {
  return cta->rank * cta->cluster->threads_per_cta;
}

//===-- What a phase needs ------------------------------------------------===//

void tile_emu_phase_begin(const TileWarp *warp, uint32_t lane,
                          TileMbarrier *mbarrier) {
  TileCluster *cluster = warp->cluster;
  if (cluster->detect_races)
    tile_emu_sync_order(&cluster->clocks, tile_warp_thread(warp, lane),
                        &mbarrier->sync);
}

/// Did another warp of the warpgroup wait for a product that this one issued
/// after `wait`? By the letter it waited for its own part only.
static bool is_product_needed(const TileMbarrier *mbarrier,
                              const TileWarp *warp, const TilePhaseWait *wait) {
  const TileClocks *clocks = &warp->cluster->clocks;
  uint32_t first = tile_agent_of_first_warp(
      clocks, tile_agent_of_warp(clocks, warp->cta->rank, warp->index));
  for (uint32_t i = 0; i < TILE_WARPGROUP_WARPS; i++)
    if (tile_sync_needs(&mbarrier->sync, first + i, wait->num_products + 1))
      return true;
  return false;
}

//===-- The next phase ----------------------------------------------------===//

static const char *awaited_name(const TileMbarrier *mbarrier,
                                const TilePhaseWait *wait, char out_name[60]) {
  if (wait->phase == mbarrier->order.first)
    snprintf(out_name, 60, "the phase before the first");
  else
    snprintf(out_name, 60, "phase %u", wait->phase - 1);
  return out_name;
}

static void report_missed(const TileMbarrierUser *user,
                          const TileMbarrier *mbarrier, uint32_t thread,
                          TileFindingKind kind) {
  TileLanes lane = user->lane < TILE_WARP_SIZE ? tile_lane_bit(user->lane) : 0;
  if (!tile_emu_find_is_new(user->warp, user->insn, lane, kind))
    return;
  const TileCta *cta = mbarrier->order.cta;
  const TilePhaseWait *wait =
      &mbarrier->order.waits[thread - first_thread(cta)];
  char name[200], agent[100], awaited[60], where[256];
  tile_emu_shared_name(cta, mbarrier->offset, name);
  tile_emu_agent_name(cta->cluster, tile_epoch(thread, wait->tick), agent);
  awaited_name(mbarrier, wait, awaited);
  tile_emu_insn_where(cta->cluster->run->module,
                      &user->warp->kernel->code[wait->insn], where);
  tile_emu_find_memory(user->warp, "shared", mbarrier->offset, name);
  tile_emu_find(user->warp, user->insn, lane, kind,
                "phase %u of the mbarrier at %s (shared 0x%x) may complete "
                "before %s has waited for %s at %s, and that wait then misses "
                "it",
                mbarrier->phase, name, mbarrier->offset, agent, awaited, where);
}

static void check_warp(const TileMbarrierUser *user,
                       const TileMbarrier *mbarrier, const TileWarp *warp) {
  const TileCta *cta = mbarrier->order.cta;
  TileLanes needed = 0, missed = 0;
  bool has_told = true; // of all that are missed
  for (uint32_t l = 0; l < warp->num_lanes; l++) {
    uint32_t thread = tile_warp_thread(warp, l);
    const TilePhaseWait *wait =
        &mbarrier->order.waits[thread - first_thread(cta)];
    if (!wait->tick || wait->phase != mbarrier->phase)
      continue;
    if (tile_sync_needs(&mbarrier->sync, thread, wait->tick)) {
      needed |= tile_lane_bit(l);
      continue;
    }
    missed |= tile_lane_bit(l);
    has_told = has_told && is_product_needed(mbarrier, warp, wait);
  }
  if (missed)
    report_missed(user, mbarrier,
                  tile_warp_thread(warp, tile_lane_first(missed)),
                  needed || has_told ? TILE_FINDING_PHASE_MISSED_PEDANTIC
                                     : TILE_FINDING_PHASE_MISSED);
}

void tile_emu_phase_check(const TileMbarrierUser *user,
                          TileMbarrier *mbarrier) {
  if (!mbarrier->order.num_waits)
    return;
  mbarrier->order.num_waits = 0;
  const TileCta *cta = mbarrier->order.cta;
  for (uint32_t i = 0; i < cta->num_warps; i++)
    check_warp(user, mbarrier, &cta->warps[i]);
}

//===-- The phase before --------------------------------------------------===//

/// Does the thread know all arrivals of a phase without copies?
static bool knows_arrivals(const TileClocks *clocks, const TileClock *needed,
                           uint32_t thread) {
  for (uint32_t i = 0; i < clocks->num_threads; i++)
    if (i != thread &&
        !tile_clock_is_after(&clocks->threads[thread], i, needed->ticks[i]))
      return false;
  return true;
}

/// Does any lane know that all phases before `phase`, the one under way or the
/// last, are complete?
static bool is_previous_known(const TileWarp *warp,
                              const TileMbarrier *mbarrier, uint32_t phase) {
  const TileClocks *clocks = &warp->cluster->clocks;
  TILE_FOR_LANES (l, warp->live) {
    if (tile_clock_is_after(&clocks->threads[tile_warp_thread(warp, l)],
                            mbarrier->agent, phase))
      return true;
  }
  bool is_over = phase != mbarrier->phase;
  const TileClock *needed = is_over ? mbarrier->sync.previous_causal
                                    : mbarrier->sync.published_causal;
  // Not told when copies were late, which is another mistake.
  if (!needed || needed->ticks[mbarrier->agent] < phase)
    return true;
  if (mbarrier->order.has_copies >> (is_over ? 2 : 1) & 1)
    return false;
  TILE_FOR_LANES (k, warp->live) {
    if (knows_arrivals(clocks, needed, tile_warp_thread(warp, k)))
      return true;
  }
  return false;
}

/// The lane waits for the end of `phase`.
static void check_early(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                        const TileMbarrier *mbarrier, uint32_t phase) {
  TileLanes lanes = tile_lane_bit(lane);
  if (phase <= mbarrier->order.first ||
      is_previous_known(warp, mbarrier, phase) ||
      !tile_emu_find_is_new(warp, insn, lanes, TILE_FINDING_PHASE_EARLY))
    return;
  char name[200];
  tile_emu_shared_name(warp->cta, mbarrier->offset, name);
  tile_emu_find_memory(warp, "shared", mbarrier->offset, name);
  tile_emu_find(warp, insn, lanes, TILE_FINDING_PHASE_EARLY,
                "this wait for phase %u of the mbarrier at %s (shared 0x%x) "
                "is not ordered after the end of phase %u: before that, the "
                "same parity means an earlier phase",
                phase, name, mbarrier->offset, phase - 1);
}

/// A state of which two phases have ended since is no longer one.
static void check_token(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                        const TileMbarrier *mbarrier) {
  uint32_t phase = (uint32_t)tile_u64(warp, insn->b)[lane];
  if (phase + 1 >= mbarrier->phase)
    return;
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_PHASE_EARLY,
                "the state operand is of phase %u of mbarrier 0x%x, and phase "
                "%u is under way",
                phase, mbarrier->offset, mbarrier->phase);
}

//===-- Waits -------------------------------------------------------------===//

/// PTX has waits for mbarriers of the own CTA only.
static bool is_own(const TileCta *cta, const TileMbarrier *mbarrier) {
  uint16_t index = cta->shadow.mbarrier[mbarrier->offset / 8];
  return index && &cta->mbarriers[index - 1] == mbarrier;
}

static void note_wait(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                      TileMbarrier *mbarrier) {
  TilePhaseOrder *order = &mbarrier->order;
  TileCluster *cluster = warp->cluster;
  uint32_t thread = tile_warp_thread(warp, lane);
  if (!order->waits)
    order->waits =
        tile_emu_calloc(cluster->threads_per_cta, sizeof *order->waits);
  order->cta = warp->cta;
  order->num_waits++;
  order->waits[thread - first_thread(warp->cta)] = (TilePhaseWait){
      cluster->clocks.threads[thread].tick, mbarrier->phase,
      (uint32_t)(insn - warp->kernel->code), warp->wgmma.num_issued};
}

void tile_emu_phase_wait(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                         TileMbarrier *mbarrier, bool is_over) {
  if (!warp->cluster->detect_races || !is_own(warp->cta, mbarrier))
    return;
  if (!insn->as.mbarrier.is_parity)
    check_token(warp, insn, lane, mbarrier);
  else if (!is_over)
    check_early(warp, insn, lane, mbarrier, mbarrier->phase);
  else if (mbarrier->phase > mbarrier->order.first)
    check_early(warp, insn, lane, mbarrier, mbarrier->phase - 1);
  if (is_over)
    note_wait(warp, insn, lane, mbarrier);
}

void tile_emu_phase_reset(TileMbarrier *mbarrier) {
  TilePhaseOrder *order = &mbarrier->order;
  if (order->waits)
    memset(order->waits, 0,
           order->cta->cluster->threads_per_cta * sizeof *order->waits);
  order->num_waits = 0;
  order->first = mbarrier->phase;
  order->has_copies = 0;
}

void tile_emu_phase_deinit(TileMbarrier *mbarrier) {
  free(mbarrier->order.waits);
}
