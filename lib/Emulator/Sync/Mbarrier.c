//===- Mbarrier.c - mbarrier: state, phases, history, instructions --------===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier". A phase completes when no arrival is pending and the tx-count is
// zero; then the next one begins with the expected number of arrivals.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Async/Async.h"
#include "Emulator/HostMemory.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"
#include "Sync.h"

#include <stdio.h>
#include <stdlib.h>

//===-- History -----------------------------------------------------------===//

// The last events, where those of one kind, instruction and phase are one entry
// with a count: pieces of copies and the arrivals of many threads do not push
// out the one expect_tx that was wrong.

/// The entry of the phase under way that the event can join, or NULL.
static TileMbarrierEvent *entry_find(TileMbarrier *mbarrier,
                                     const TileMbarrierEvent *event) {
  uint32_t count = mbarrier->num_events < TILE_MBARRIER_HISTORY
                       ? mbarrier->num_events
                       : TILE_MBARRIER_HISTORY;
  for (uint32_t i = 1; i <= count; i++) {
    TileMbarrierEvent *entry =
        &mbarrier->history[(mbarrier->num_events - i) % TILE_MBARRIER_HISTORY];
    if (entry->phase != event->phase || entry->kind == TILE_EVENT_INIT)
      return NULL;
    if (entry->kind == event->kind && entry->line == event->line)
      return entry;
  }
  return NULL;
}

/// Remembers an event for reports.
static void mbarrier_note(TileMbarrier *mbarrier, TileMbarrierEventKind kind,
                          const TileInsn *insn, uint32_t actor, int64_t value) {
  TileMbarrierEvent event = {.kind = kind,
                             .line = insn ? insn->line : 0,
                             .first_actor = actor,
                             .last_actor = actor,
                             .phase = mbarrier->phase,
                             .count = 1,
                             .value = value};
  TileMbarrierEvent *entry = entry_find(mbarrier, &event);
  if (entry) {
    entry->last_actor = actor;
    entry->count++;
    entry->value += value;
    return;
  }
  mbarrier->history[mbarrier->num_events++ % TILE_MBARRIER_HISTORY] = event;
}

//===-- Report ------------------------------------------------------------===//

static void print_actor(const TileCluster *cluster, uint32_t actor,
                        TileString *buffer) {
  if (actor == TILE_ACTOR_TMA)
    tile_string_print(buffer, "TMA");
  else if (actor == TILE_ACTOR_CP_ASYNC)
    tile_string_print(buffer, "cp.async");
  else if (cluster->num_ctas > 1)
    tile_string_print(buffer, "thread %u of CTA rank %u",
                      actor % cluster->threads_per_cta,
                      actor / cluster->threads_per_cta);
  else
    tile_string_print(buffer, "thread %u", actor);
}

static void print_event(const TileCluster *cluster,
                        const TileMbarrierEvent *event, TileString *buffer) {
  static const char *const names[] = {
      [TILE_EVENT_INIT] = "init",
      [TILE_EVENT_ARRIVE] = "arrive",
      [TILE_EVENT_EXPECT_TX] = "expect_tx",
      [TILE_EVENT_COMPLETE_TX] = "complete_tx",
  };
  tile_string_print(buffer, "        phase %u: %s %lld", event->phase,
                    names[event->kind], (long long)event->value);
  if (event->count > 1)
    tile_string_print(buffer, " in %u parts", event->count);
  tile_string_print(buffer, " by ");
  print_actor(cluster, event->first_actor, buffer);
  if (event->last_actor != event->first_actor) {
    tile_string_print(buffer, event->count > 2 ? " to " : " and ");
    print_actor(cluster, event->last_actor, buffer);
  }
  tile_string_print(buffer, " (ptx:%u)\n", event->line);
}

void tile_emu_mbarrier_print(const TileCta *cta, const TileMbarrier *mbarrier,
                             TileString *buffer) {
  char name[200];
  tile_string_print(
      buffer,
      "      mbarrier 0x%x (%s): phase %u (parity %u), pending arrivals %d of "
      "%d, tx-count %lld, copies in flight %d\n",
      mbarrier->offset, tile_emu_shared_name(cta, mbarrier->offset, name),
      mbarrier->phase, mbarrier->phase & 1, mbarrier->num_pending,
      mbarrier->num_expected, (long long)mbarrier->tx_bytes,
      mbarrier->num_in_flight[0] + mbarrier->num_in_flight[1]);
  uint32_t count = mbarrier->num_events < TILE_MBARRIER_HISTORY
                       ? mbarrier->num_events
                       : TILE_MBARRIER_HISTORY;
  if (mbarrier->num_events > count)
    tile_string_print(buffer, "        %u earlier entries\n",
                      mbarrier->num_events - count);
  for (uint32_t i = mbarrier->num_events - count; i < mbarrier->num_events; i++)
    print_event(cta->cluster, &mbarrier->history[i % TILE_MBARRIER_HISTORY],
                buffer);
}

//===-- Phases ------------------------------------------------------------===//

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

/// `user` completes the phase under way: everybody has to know the one before.
static void order_check(const TileMbarrierUser *user, TileMbarrier *mbarrier) {
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

/// The lane waits for a phase, which is over or not. What the
/// wait acquires comes later.
static void phase_wait(TileWarp *warp, const TileInsn *insn, uint32_t lane,
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

/// A new object: nobody has waited for it.
static void phase_reset(TileMbarrier *mbarrier) {
  TilePhaseOrder *order = &mbarrier->order;
  if (order->waits)
    memset(order->waits, 0,
           order->cta->cluster->threads_per_cta * sizeof *order->waits);
  order->num_waits = 0;
  order->first = mbarrier->phase;
  order->has_copies = 0;
}

//===-- State -------------------------------------------------------------===//

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
  TileString history = {0};
  // A remote mbarrier has the same layout of shared memory.
  tile_emu_mbarrier_print(user->warp->cta, mbarrier, &history);
  if (history.size_bytes) // the paragraph adds the last newline
    history.data[history.size_bytes - 1] = 0;
  char name[200];
  tile_emu_find_memory(
      user->warp, "shared", mbarrier->offset,
      tile_emu_shared_name(user->warp->cta, mbarrier->offset, name));
  tile_emu_find(user->warp, user->insn, lanes, kind, "%s\n%s", text,
                history.data);
  tile_string_deinit(&history);
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
    order_check(user, mbarrier);
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
  mbarrier_note(mbarrier, TILE_EVENT_ARRIVE, user->insn,
                actor_of(user, TILE_ACTOR_CP_ASYNC), count);
  if (releases && cluster->detect_races && user->lane < TILE_WARP_SIZE)
    tile_emu_sync_release(&cluster->clocks,
                          tile_warp_thread(user->warp, user->lane),
                          &mbarrier->sync);
  phase_check(user, mbarrier);
}

static void mbarrier_expect_tx(const TileMbarrierUser *user,
                               TileMbarrier *mbarrier, uint32_t size_bytes) {
  mbarrier->tx_bytes += size_bytes;
  mbarrier->was_used = true;
  user->warp->cluster->progress++;
  mbarrier_note(mbarrier, TILE_EVENT_EXPECT_TX, user->insn, actor_of(user, 0),
                size_bytes);
}

void tile_emu_mbarrier_complete_tx(const TileMbarrierUser *user,
                                   TileMbarrier *mbarrier,
                                   uint32_t size_bytes) {
  mbarrier->tx_bytes -= size_bytes;
  mbarrier->order.has_copies |= 1;
  tile_cluster_wake(user->warp->cluster);
  mbarrier_note(mbarrier, TILE_EVENT_COMPLETE_TX, user->insn,
                actor_of(user, TILE_ACTOR_TMA), size_bytes);
  phase_check(user, mbarrier);
}

//===-- Instructions ------------------------------------------------------===//

// PTX ISA, "mbarrier.init" and following.

enum { MAX_COUNT = (1 << 20) - 1 };
/// Of a state token; the low half is the phase.
#define TOKEN_MAGIC 0x6d620000u

static uint32_t address_of(TileWarp *warp, const TileInsn *insn,
                           uint32_t lane) {
  return (uint32_t)tile_address_of(warp, insn, insn->as.mbarrier.wide_address,
                                   lane);
}

//===-- init, inval -------------------------------------------------------===//

/// The mbarrier record for this place, new or old; NULL without a report when
/// a CTA has too many.
static TileMbarrier *record_at(TileCta *cta, uint32_t offset) {
  uint16_t *index = &cta->shadow.mbarrier[offset / 8];
  if (!*index) {
    if (cta->num_mbarriers == TILE_MAX_MBARRIERS)
      return NULL;
    *index = (uint16_t)++cta->num_mbarriers;
    cta->mbarriers[*index - 1] = (TileMbarrier){.offset = offset};
    cta->shadow.chunks[offset / 16].has_mbarrier = true;
  }
  return &cta->mbarriers[*index - 1];
}

static void init_record(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                        TileCta *cta, TileMbarrier *mbarrier, uint32_t count) {
  TileCluster *cluster = warp->cluster;
  uint32_t thread = tile_warp_thread(warp, lane);
  if (!mbarrier->agent) {
    mbarrier->agent =
        cluster->clocks.first_mbarrier + cluster->num_mbarrier_agents;
    if (mbarrier->agent + 1 < cluster->clocks.num_agents)
      cluster->num_mbarrier_agents++; // the last one is shared by the rest
  }
  // An even phase number: parities begin at 0 and epochs stay different.
  if (mbarrier->was_used)
    mbarrier->phase = (mbarrier->phase + 2) & ~1u;
  mbarrier->is_live = false; // this write is not a write to a live mbarrier
  mbarrier->was_used = false;
  mbarrier->num_expected = mbarrier->num_pending = (int32_t)count;
  mbarrier->tx_bytes = 0;
  mbarrier->init_epoch =
      cluster->detect_races
          ? tile_epoch(thread, cluster->clocks.threads[thread].tick)
          : 0;
  if (cluster->detect_races) {
    TileShadowAccess access = tile_emu_access_thread(warp, insn, lane);
    tile_emu_shadow_write(cta, mbarrier->offset, 8, &access);
  }
  mbarrier->is_live = true;
  phase_reset(mbarrier);
  mbarrier->init_insn = insn;
  mbarrier_note(mbarrier, TILE_EVENT_INIT, insn, thread, count);
  memset(cta->smem + mbarrier->offset, 0xB7, 8); // opaque
  tile_cluster_wake(cluster);
}

static TileLanes init(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = address_of(warp, insn, l);
    uint32_t count = tile_u32(warp, insn->b)[l];
    TileLanes lane = tile_lane_bit(l);
    TileCta *cta;
    if (address % 8)
      tile_emu_find(warp, insn, lane, TILE_FINDING_ALIGNMENT,
                    "mbarrier address 0x%x is not 8-byte aligned", address);
    if (address % 8 ||
        !tile_emu_shared_pointer(warp, insn, l, address, 8, &cta))
      continue;
    if (count == 0 || count > MAX_COUNT)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                    "mbarrier.init with count %u, not in [1, 2^20 - 1]", count);
    TileMbarrier *mbarrier = record_at(cta, address & TILE_SHARED_OFFSET_MASK);
    if (!mbarrier) {
      tile_emu_find(warp, insn, lane, TILE_FINDING_UNSUPPORTED,
                    "more than %d mbarriers in a CTA", TILE_MAX_MBARRIERS);
      continue;
    }
    if (mbarrier->is_live && mbarrier->was_used)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_REINIT,
                    "mbarrier at shared 0x%x is initialised again while it is "
                    "in use",
                    mbarrier->offset);
    init_record(warp, insn, l, cta, mbarrier, count & MAX_COUNT);
  }
  return 0;
}

static TileLanes inval(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    TileMbarrier *mbarrier =
        tile_emu_mbarrier_get(warp, insn, l, address_of(warp, insn, l));
    if (mbarrier)
      mbarrier->is_live = false;
  }
  return 0;
}

//===-- arrive, expect_tx, complete_tx ------------------------------------===//

typedef enum {
  ARRIVE,
  ARRIVE_EXPECT_TX,
  ARRIVE_DROP,
  ARRIVE_DROP_EXPECT_TX,
  EXPECT_TX,
  COMPLETE_TX
} ArriveOp;

static void arrive_one(const TileMbarrierUser *user, TileMbarrier *mbarrier,
                       uint32_t value) {
  const TileInsn *insn = user->insn;
  // A fence before a relaxed arrive makes it a release.
  bool releases = !insn->as.mbarrier.is_relaxed ||
                  tile_lane_in(user->warp->fenced, user->lane);
  ArriveOp op = (ArriveOp)insn->as.mbarrier.op;
  if (!releases || op == EXPECT_TX || op == COMPLETE_TX)
    tile_emu_phase_begin(user->warp, user->lane, mbarrier);
  switch (op) {
  case ARRIVE:
    tile_emu_mbarrier_arrive(user, mbarrier, value, releases, false);
    break;
  case ARRIVE_DROP:
    tile_emu_mbarrier_arrive(user, mbarrier, value, releases, true);
    break;
  case ARRIVE_EXPECT_TX:
    mbarrier_expect_tx(user, mbarrier, value);
    tile_emu_mbarrier_arrive(user, mbarrier, 1, releases, false);
    break;
  case ARRIVE_DROP_EXPECT_TX:
    mbarrier_expect_tx(user, mbarrier, value);
    tile_emu_mbarrier_arrive(user, mbarrier, 1, releases, true);
    break;
  case EXPECT_TX:
    mbarrier_expect_tx(user, mbarrier, value);
    break;
  case COMPLETE_TX:
    tile_emu_mbarrier_complete_tx(user, mbarrier, value);
    break;
  }
}

/// The CTA of the mbarrier can only know of arrivals that release.
static void note_remote(const TileMbarrierUser *user, uint32_t address) {
  TileWarp *warp = user->warp;
  uint32_t rank = address >> TILE_SHARED_RANK_SHIFT;
  if (rank != warp->cta->rank && !user->insn->as.mbarrier.is_relaxed)
    tile_emu_dsmem_note(warp, user->insn, user->lane,
                        &warp->cluster->ctas[rank]);
}

static TileLanes arrive(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    TileMbarrier *mbarrier =
        tile_emu_mbarrier_get(warp, insn, l, address_of(warp, insn, l));
    if (!mbarrier)
      continue;
    if (insn->dst != TILE_NO_SLOT)
      tile_u64(warp, insn->dst)[l] =
          (uint64_t)TOKEN_MAGIC << 32 | mbarrier->phase;
    uint32_t value =
        insn->as.mbarrier.has_count ? tile_u32(warp, insn->b)[l] : 1;
    TileMbarrierUser user = {warp, insn, l};
    note_remote(&user, address_of(warp, insn, l));
    arrive_one(&user, mbarrier, value);
  }
  return 0;
}

//===-- test_wait, try_wait -----------------------------------------------===//

/// Has the phase that lane `l` waits for completed?
static bool is_complete(TileWarp *warp, const TileInsn *insn, uint32_t l,
                        const TileMbarrier *mbarrier) {
  TileLanes lane = tile_lane_bit(l);
  if (!insn->as.mbarrier.is_parity) {
    uint64_t token = tile_u64(warp, insn->b)[l];
    if (token >> 32 != TOKEN_MAGIC)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                    "the state operand does not come from an arrive");
    return (uint32_t)token != mbarrier->phase;
  }
  uint32_t parity = tile_u32(warp, insn->b)[l];
  if (parity > 1)
    tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                  "phase parity is %u, not 0 or 1", parity);
  return (mbarrier->phase & 1) != (parity & 1);
}

/// May return false although the phase is complete soon; so real hardware
/// does, and code must be ready for it.
static bool gives_up(TileWarp *warp, uint32_t l) {
  TileLanes lane = tile_lane_bit(l);
  if (warp->timed_out & lane) {
    warp->timed_out &= ~lane;
    return true;
  }
  bool is_first_try = warp->wait[l].kind != TILE_WAIT_MBARRIER;
  if (is_first_try && warp->num_false_polls[l] < 3 &&
      tile_cluster_random(warp->cluster) % 4 == 0) {
    warp->num_false_polls[l]++;
    return true;
  }
  return false;
}

static TileLanes wait(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  TileLanes blocked = 0, result = 0;
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = address_of(warp, insn, l);
    TileMbarrier *mbarrier = tile_emu_mbarrier_get(warp, insn, l, address);
    if (!mbarrier) {
      result |= tile_lane_bit(l);
      continue;
    }
    if (is_complete(warp, insn, l, mbarrier)) {
      warp->wait[l].kind = TILE_WAIT_NONE;
      result |= tile_lane_bit(l);
      phase_wait(warp, insn, l, mbarrier, true);
      if (cluster->detect_races)
        tile_emu_sync_acquire(&cluster->clocks, tile_warp_thread(warp, l),
                              &mbarrier->sync);
      continue;
    }
    if (gives_up(warp, l)) {
      warp->wait[l].kind = TILE_WAIT_NONE;
      continue;
    }
    phase_wait(warp, insn, l, mbarrier, false);
    uint32_t parity =
        insn->as.mbarrier.is_parity ? tile_u32(warp, insn->b)[l] & 1 : 2;
    warp->num_false_polls[l] = 0;
    tile_warp_wait(warp, l, TILE_WAIT_MBARRIER, address, parity);
    blocked |= tile_lane_bit(l);
  }
  tile_pred_write(warp, insn->dst, lanes & ~blocked, result);
  return blocked;
}

/// Arrivals pending in the phase of a state token: only known for the current
/// phase of one mbarrier, so 0.
static TileLanes pending_count(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = 0);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_address(TileDecoder *decoder, uint32_t index) {
  TileDecodedAddress address =
      tile_decode_address_a(decoder, index, TILE_SPACE_SHARED);
  decoder->insn->as.mbarrier.wide_address = address.is_wide;
}

static ArriveOp arrive_op(const TileDecoder *decoder) {
  bool has_tx = tile_decode_has(decoder, "expect_tx");
  const char *word = decoder->words[1];
  if (!strcmp(word, "arrive"))
    return has_tx ? ARRIVE_EXPECT_TX : ARRIVE;
  if (!strcmp(word, "arrive_drop"))
    return has_tx ? ARRIVE_DROP_EXPECT_TX : ARRIVE_DROP;
  return !strcmp(word, "expect_tx") ? EXPECT_TX : COMPLETE_TX;
}

/// (state,) [address] (, count or bytes)
static void decode_arrive(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (!tile_decode_count(decoder, 1, 3))
    return;
  uint32_t at = decoder->ops[0]->kind == TILE_OPERAND_ADDRESS ? 0 : 1;
  insn->dst = TILE_NO_SLOT;
  if (at && decoder->ops[0]->kind != TILE_OPERAND_SINK)
    insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  decode_address(decoder, at);
  insn->as.mbarrier.op = (uint8_t)arrive_op(decoder);
  insn->as.mbarrier.is_relaxed = tile_decode_has(decoder, "relaxed");
  insn->as.mbarrier.has_count = decoder->num_ops > at + 1;
  if (insn->as.mbarrier.has_count)
    insn->b = tile_decode_src(decoder, at + 1, TILE_PTX_U32);
  else if (insn->as.mbarrier.op != ARRIVE &&
           insn->as.mbarrier.op != ARRIVE_DROP)
    tile_decode_fail(decoder, "the number of bytes is missing");
  insn->exec = arrive;
}

/// predicate, [address], parity or state (, time limit)
static void decode_wait(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (!tile_decode_count(decoder, 3, 4))
    return;
  insn->as.mbarrier.is_parity = tile_decode_has(decoder, "parity");
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  decode_address(decoder, 1);
  insn->b = tile_decode_src(
      decoder, 2, insn->as.mbarrier.is_parity ? TILE_PTX_U32 : TILE_PTX_B64);
  insn->exec = wait;
}

static void decode_init(TileDecoder *decoder) {
  if (!tile_decode_count(decoder, 2, 2))
    return;
  decode_address(decoder, 0);
  decoder->insn->b = tile_decode_src(decoder, 1, TILE_PTX_U32);
  decoder->insn->exec = init;
}

static void decode_inval(TileDecoder *decoder) {
  decode_address(decoder, 0);
  decoder->insn->exec = inval;
}

static void decode_pending_count(TileDecoder *decoder) {
  if (!tile_decode_count(decoder, 2, 2))
    return;
  decoder->insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_U32);
  decoder->insn->exec = pending_count;
}

void tile_emu_decode_mbarrier(TileDecoder *decoder) {
  static const struct {
    const char *word;
    TileDecode decode;
  } forms[] = {
      {"init", decode_init},
      {"inval", decode_inval},
      {"arrive", decode_arrive},
      {"arrive_drop", decode_arrive},
      {"expect_tx", decode_arrive},
      {"complete_tx", decode_arrive},
      {"test_wait", decode_wait},
      {"try_wait", decode_wait},
      {"pending_count", decode_pending_count},
  };
  tile_decode_allow(
      decoder, "init inval arrive arrive_drop expect_tx complete_tx test_wait "
               "try_wait pending_count parity noComplete relaxed release "
               "acquire cta cluster shared shared::cta shared::cluster");
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (decoder->num_words > 1 && !strcmp(decoder->words[1], forms[i].word)) {
      forms[i].decode(decoder);
      return;
    }
  tile_decode_unsupported(decoder, "form of mbarrier");
}
