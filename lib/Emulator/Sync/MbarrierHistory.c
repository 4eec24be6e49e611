//===- MbarrierHistory.c - What happened at an mbarrier, for reports ------===//
//
// The last events, where those of one kind, instruction and phase are one entry
// with a count: pieces of copies and the arrivals of many threads do not push
// out the one expect_tx that was wrong.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Race/Race.h"
#include "Sync.h"

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

void tile_emu_mbarrier_note(TileMbarrier *mbarrier, TileMbarrierEventKind kind,
                            const TileInsn *insn, uint32_t actor,
                            int64_t value) {
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
                        TileBuffer *buffer) {
  if (actor == TILE_ACTOR_TMA)
    tile_emu_buffer_print(buffer, "TMA");
  else if (actor == TILE_ACTOR_CP_ASYNC)
    tile_emu_buffer_print(buffer, "cp.async");
  else if (cluster->num_ctas > 1)
    tile_emu_buffer_print(buffer, "thread %u of CTA rank %u",
                          actor % cluster->threads_per_cta,
                          actor / cluster->threads_per_cta);
  else
    tile_emu_buffer_print(buffer, "thread %u", actor);
}

static void print_event(const TileCluster *cluster,
                        const TileMbarrierEvent *event, TileBuffer *buffer) {
  static const char *const names[] = {
      [TILE_EVENT_INIT] = "init",
      [TILE_EVENT_ARRIVE] = "arrive",
      [TILE_EVENT_EXPECT_TX] = "expect_tx",
      [TILE_EVENT_COMPLETE_TX] = "complete_tx",
  };
  tile_emu_buffer_print(buffer, "        phase %u: %s %lld", event->phase,
                        names[event->kind], (long long)event->value);
  if (event->count > 1)
    tile_emu_buffer_print(buffer, " in %u parts", event->count);
  tile_emu_buffer_print(buffer, " by ");
  print_actor(cluster, event->first_actor, buffer);
  if (event->last_actor != event->first_actor) {
    tile_emu_buffer_print(buffer, event->count > 2 ? " to " : " and ");
    print_actor(cluster, event->last_actor, buffer);
  }
  tile_emu_buffer_print(buffer, " (ptx:%u)\n", event->line);
}

void tile_emu_mbarrier_print(const TileCta *cta, const TileMbarrier *mbarrier,
                             TileBuffer *buffer) {
  char name[200];
  tile_emu_buffer_print(
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
    tile_emu_buffer_print(buffer, "        %u earlier entries\n",
                          mbarrier->num_events - count);
  for (uint32_t i = mbarrier->num_events - count; i < mbarrier->num_events; i++)
    print_event(cta->cluster, &mbarrier->history[i % TILE_MBARRIER_HISTORY],
                buffer);
}
