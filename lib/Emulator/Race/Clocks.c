//===- Clocks.c - Happens-before with vector clocks -----------------------===//

#include "Clocks.h"
#include "Emulator/HostMemory.h"
#include "Race.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Clock objects -----------------------------------------------------===//

static size_t ticks_bytes(const TileClocks *clocks) {
  return clocks->num_agents * sizeof(uint32_t);
}

static TileClock *clock_new(TileClocks *clocks) {
  TileClock *clock = clocks->free_clocks;
  if (clock)
    clocks->free_clocks = clock->next_free;
  else
    clock = tile_emu_malloc(sizeof *clock + ticks_bytes(clocks));
  clock->num_refs = 1;
  return clock;
}

static TileClock *clock_copy(TileClocks *clocks, const uint32_t *ticks) {
  TileClock *clock = clock_new(clocks);
  memcpy(clock->ticks, ticks, ticks_bytes(clocks));
  return clock;
}

static TileClock *retain(TileClock *clock) {
  clock->num_refs++;
  return clock;
}

static void release(TileClocks *clocks, TileClock *clock) {
  if (!clock || --clock->num_refs)
    return;
  clock->next_free = clocks->free_clocks;
  clocks->free_clocks = clock;
}

static void replace(TileClocks *clocks, TileClock **place, TileClock *clock) {
  release(clocks, *place);
  *place = clock;
}

/// A new reference to the clock that has seen what either has seen.
static TileClock *join_compute(TileClocks *clocks, TileClock *left,
                               TileClock *right) {
  uint32_t num_agents = clocks->num_agents;
  bool right_knows_more = false, left_knows_more = false;
  for (uint32_t i = 0; i < num_agents; i++) {
    right_knows_more |= right->ticks[i] > left->ticks[i];
    left_knows_more |= left->ticks[i] > right->ticks[i];
  }
  if (!right_knows_more)
    return retain(left);
  if (!left_knows_more)
    return retain(right);
  TileClock *result = clock_new(clocks);
  for (uint32_t i = 0; i < num_agents; i++)
    result->ticks[i] =
        left->ticks[i] > right->ticks[i] ? left->ticks[i] : right->ticks[i];
  return result;
}

/// Threads of a warp mostly hold the same two clocks, so results are kept.
static TileClock *join(TileClocks *clocks, TileClock *left, TileClock *right) {
  if (left == right || !right)
    return retain(left);
  uintptr_t hash = ((uintptr_t)left >> 4) * 31 + ((uintptr_t)right >> 4) * 17;
  uint32_t slot = (uint32_t)(hash % TILE_JOIN_MEMOS);
  if (clocks->join_left[slot] == left && clocks->join_right[slot] == right)
    return retain(clocks->join_result[slot]);
  TileClock *result = join_compute(clocks, left, right);
  replace(clocks, &clocks->join_left[slot], retain(left));
  replace(clocks, &clocks->join_right[slot], retain(right));
  replace(clocks, &clocks->join_result[slot], retain(result));
  return result;
}

//===-- Threads -----------------------------------------------------------===//

void tile_emu_clocks_init(TileClocks *clocks, uint32_t num_threads) {
  clocks->threads = tile_emu_calloc(num_threads, sizeof *clocks->threads);
  clocks->waited = tile_emu_calloc(
      clocks->first_warpgroup - clocks->first_wgmma, sizeof *clocks->waited);
  TileClock *zero = clock_new(clocks);
  memset(zero->ticks, 0, ticks_bytes(clocks));
  for (uint32_t i = 0; i < num_threads; i++)
    clocks->threads[i] = (TileThreadClock){
        .causal = retain(zero), .fenced = retain(zero), .tick = 1};
  release(clocks, zero);
}

static void thread_tick(TileThreadClock *thread) {
  if (thread->tick < TILE_MAX_TICK)
    thread->tick++;
}

void tile_emu_clock_advance(TileClocks *clocks, uint32_t thread, uint32_t agent,
                            uint32_t tick) {
  TileThreadClock *clock = &clocks->threads[thread];
  if (tick > TILE_MAX_TICK)
    tick = TILE_MAX_TICK;
  if (clock->causal->ticks[agent] >= tick)
    return;
  bool is_memo = clocks->advance_from == clock->causal &&
                 clocks->advance_agent == agent && clocks->advance_tick == tick;
  if (!is_memo) {
    TileClock *later = clock_copy(clocks, clock->causal->ticks);
    later->ticks[agent] = tick;
    replace(clocks, &clocks->advance_from, retain(clock->causal));
    replace(clocks, &clocks->advance_to, later);
    clocks->advance_agent = agent;
    clocks->advance_tick = tick;
  }
  replace(clocks, &clock->causal, retain(clocks->advance_to));
}

/// `order` knows what `other`, which may be NULL, does.
static void order_join(TileClocks *clocks, TileClock **order,
                       TileClock *other) {
  if (other)
    replace(clocks, order,
            *order ? join(clocks, *order, other) : retain(other));
}

static void join_orders(TileClocks *clocks, TileThreadClock *threads,
                        TileLanes lanes) {
  TileClock *order = NULL;
  TILE_FOR_LANES (lane, lanes) {
    order_join(clocks, &order, threads[lane].order);
  }
  TILE_FOR_LANES (l, lanes) {
    order_join(clocks, &threads[l].order, order);
  }
  release(clocks, order);
}

void tile_emu_clock_join_lanes(TileClocks *clocks, uint32_t first_thread,
                               TileLanes lanes) {
  if (!lanes)
    return;
  TileThreadClock *threads = &clocks->threads[first_thread];
  const TileThreadClock *first = &threads[tile_lane_first(lanes)];
  TileClock *causal = retain(first->causal), *fenced = retain(first->fenced);
  TILE_FOR_LANES (lane, lanes) {
    replace(clocks, &causal, join(clocks, causal, threads[lane].causal));
    replace(clocks, &fenced, join(clocks, fenced, threads[lane].fenced));
  }
  replace(clocks, &causal, clock_copy(clocks, causal->ticks));
  replace(clocks, &fenced, clock_copy(clocks, fenced->ticks));
  TILE_FOR_LANES (l, lanes) {
    uint32_t agent = first_thread + l;
    if (causal->ticks[agent] < threads[l].tick)
      causal->ticks[agent] = threads[l].tick;
    if (fenced->ticks[agent] < threads[l].fenced_tick)
      fenced->ticks[agent] = threads[l].fenced_tick;
    thread_tick(&threads[l]);
  }
  TILE_FOR_LANES (k, lanes) {
    replace(clocks, &threads[k].causal, retain(causal));
    replace(clocks, &threads[k].fenced, retain(fenced));
  }
  release(clocks, causal);
  release(clocks, fenced);
  join_orders(clocks, threads, lanes);
}

void tile_emu_clock_proxy_fence(TileClocks *clocks, uint32_t thread) {
  TileThreadClock *clock = &clocks->threads[thread];
  clock->fenced_tick = clock->tick;
  replace(clocks, &clock->fenced, join(clocks, clock->fenced, clock->causal));
}

//===-- Sync points -------------------------------------------------------===//

static void sync_prepare(TileClocks *clocks, TileSyncClock *point) {
  if (point->causal)
    return;
  point->causal = tile_emu_calloc(clocks->num_agents, 4);
  point->fenced = tile_emu_calloc(clocks->num_agents, 4);
}

static void collect(TileClocks *clocks, uint32_t *ticks, TileClock *clock,
                    TileClock **seen) {
  if (*seen == clock)
    return;
  for (uint32_t i = 0; i < clocks->num_agents; i++)
    ticks[i] = ticks[i] > clock->ticks[i] ? ticks[i] : clock->ticks[i];
  replace(clocks, seen, retain(clock));
}

/// `other`, which may be NULL, is before the end of the phase.
static void collect_order(TileClocks *clocks, TileSyncClock *point,
                          TileClock *other) {
  if (!other)
    return;
  if (!point->order)
    point->order = tile_emu_calloc(clocks->num_agents, 4);
  collect(clocks, point->order, other, &point->seen_order);
}

static uint32_t agent_of_warp(const TileClocks *clocks, uint32_t thread) {
  uint32_t rank = thread / clocks->threads_per_cta;
  uint32_t warp = thread % clocks->threads_per_cta / TILE_WARP_SIZE;
  return tile_agent_of_warp(clocks, rank, warp);
}

/// The same for what it did up to `last` tick, before a fence.
static void sync_release_until(TileClocks *clocks, uint32_t thread,
                               TileSyncClock *point, uint32_t last) {
  sync_prepare(clocks, point);
  TileThreadClock *clock = &clocks->threads[thread];
  collect(clocks, point->causal, clock->causal, &point->seen_causal);
  collect(clocks, point->fenced, clock->fenced, &point->seen_fenced);
  collect_order(clocks, point, clock->order);
  uint32_t fenced = clock->fenced_tick < last ? clock->fenced_tick : last;
  if (point->causal[thread] < last)
    point->causal[thread] = last;
  if (point->fenced[thread] < fenced)
    point->fenced[thread] = fenced;
  uint32_t agent = agent_of_warp(clocks, thread);
  tile_emu_sync_add(clocks, point, agent,
                    clocks->waited[agent - clocks->first_wgmma]);
}

void tile_emu_sync_release(TileClocks *clocks, uint32_t thread,
                           TileSyncClock *point) {
  TileThreadClock *clock = &clocks->threads[thread];
  sync_release_until(clocks, thread, point, clock->tick);
  thread_tick(clock);
}

void tile_emu_sync_order(TileClocks *clocks, uint32_t thread,
                         TileSyncClock *point) {
  TileThreadClock *clock = &clocks->threads[thread];
  collect_order(clocks, point, clock->order);
  collect_order(clocks, point, clock->causal);
  if (point->order[thread] < clock->tick)
    point->order[thread] = clock->tick;
  uint32_t warp = agent_of_warp(clocks, thread);
  uint32_t num_waited = clocks->waited[warp - clocks->first_wgmma];
  if (point->order[warp] < num_waited)
    point->order[warp] = num_waited;
  thread_tick(clock);
}

void tile_emu_sync_publish(TileClocks *clocks, TileSyncClock *point) {
  sync_prepare(clocks, point);
  replace(clocks, &point->previous_causal, point->published_causal);
  point->published_causal = NULL; // moved
  replace(clocks, &point->published_causal, clock_copy(clocks, point->causal));
  replace(clocks, &point->published_fenced, clock_copy(clocks, point->fenced));
  if (point->order)
    replace(clocks, &point->published_order, clock_copy(clocks, point->order));
}

void tile_emu_sync_acquire(TileClocks *clocks, uint32_t thread,
                           const TileSyncClock *point) {
  if (!point->published_causal)
    return;
  TileThreadClock *clock = &clocks->threads[thread];
  replace(clocks, &clock->causal,
          join(clocks, clock->causal, point->published_causal));
  replace(clocks, &clock->fenced,
          join(clocks, clock->fenced, point->published_fenced));
  order_join(clocks, &clock->order, point->published_order);
}

void tile_emu_sync_add(TileClocks *clocks, TileSyncClock *point, uint32_t agent,
                       uint32_t tick) {
  sync_prepare(clocks, point);
  if (tick > TILE_MAX_TICK)
    tick = TILE_MAX_TICK;
  if (point->causal[agent] < tick)
    point->causal[agent] = tick;
}

void tile_emu_sync_deinit(TileClocks *clocks, TileSyncClock *point) {
  free(point->causal);
  free(point->fenced);
  free(point->order);
  release(clocks, point->seen_causal);
  release(clocks, point->seen_fenced);
  release(clocks, point->published_causal);
  release(clocks, point->published_fenced);
  release(clocks, point->previous_causal);
  release(clocks, point->seen_order);
  release(clocks, point->published_order);
  *point = (TileSyncClock){0};
}

//===-- Words -------------------------------------------------------------===//

enum { WORD_BYTES = 4, MIN_CAPACITY = 64 };

/// A word that somebody has released.
typedef struct {
  uintptr_t key; // 0: free
  TileSyncClock sync;
} Word;

struct TileWords { // open addressing
  Word *words;
  uint32_t count, capacity;
};

static Word *word_find(const struct TileWords *table, uintptr_t key) {
  uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32);
  for (;; slot++) {
    Word *word = &table->words[slot & (table->capacity - 1)];
    if (!word->key || word->key == key)
      return word;
  }
}

static void grow(struct TileWords *table) {
  struct TileWords larger = {.capacity = table->capacity ? 2 * table->capacity
                                                         : MIN_CAPACITY,
                             .count = table->count};
  larger.words = tile_emu_calloc(larger.capacity, sizeof *larger.words);
  for (uint32_t i = 0; i < table->capacity; i++)
    if (table->words[i].key)
      *word_find(&larger, table->words[i].key) = table->words[i];
  free(table->words);
  *table = larger;
}

static Word *word_get(TileCluster *cluster, uintptr_t key) {
  if (!cluster->words)
    cluster->words = tile_emu_calloc(1, sizeof *cluster->words);
  struct TileWords *table = cluster->words;
  if (2 * table->count >= table->capacity)
    grow(table);
  Word *word = word_find(table, key);
  table->count += word->key == 0;
  word->key = key;
  return word;
}

void tile_emu_word_meet(TileWarp *warp, uint32_t lane, const uint8_t *memory,
                        bool is_load, bool is_store, bool releases) {
  TileCluster *cluster = warp->cluster;
  if (!cluster->detect_races)
    return;
  TileClocks *clocks = &cluster->clocks;
  uint32_t thread = tile_warp_thread(warp, lane);
  uintptr_t key = (uintptr_t)memory / WORD_BYTES;
  if (is_load && cluster->words)
    tile_emu_sync_acquire(clocks, thread,
                          &word_find(cluster->words, key)->sync);
  if (!is_store || !(releases || tile_lane_in(warp->fenced, lane)))
    return;
  TileSyncClock *sync = &word_get(cluster, key)->sync;
  if (releases)
    tile_emu_sync_release(clocks, thread, sync);
  else
    sync_release_until(clocks, thread, sync, warp->fence_tick[lane]);
  tile_emu_sync_publish(clocks, sync);
}

static void words_clear(TileCluster *cluster) {
  struct TileWords *table = cluster->words;
  if (!table)
    return;
  for (uint32_t i = 0; i < table->capacity; i++)
    tile_emu_sync_deinit(&cluster->clocks, &table->words[i].sync);
  free(table->words);
  free(table);
  cluster->words = NULL;
}

void tile_emu_clocks_deinit(TileCluster *cluster) {
  TileClocks *clocks = &cluster->clocks;
  words_clear(cluster);
  if (!cluster->detect_races)
    return;
  for (uint32_t i = 0; i < cluster->num_threads; i++) {
    release(clocks, clocks->threads[i].causal);
    release(clocks, clocks->threads[i].fenced);
    release(clocks, clocks->threads[i].order);
  }
  for (uint32_t i = 0; i < TILE_JOIN_MEMOS; i++) {
    release(clocks, clocks->join_left[i]);
    release(clocks, clocks->join_right[i]);
    release(clocks, clocks->join_result[i]);
  }
  release(clocks, clocks->advance_from);
  release(clocks, clocks->advance_to);
  while (clocks->free_clocks) {
    TileClock *next = clocks->free_clocks->next_free;
    free(clocks->free_clocks);
    clocks->free_clocks = next;
  }
  free(clocks->threads);
  free(clocks->waited);
  *clocks = (TileClocks){0};
}

const char *tile_emu_agent_name(const TileCluster *cluster, TileEpoch epoch,
                                char out_name[100]) {
  const TileClocks *clocks = &cluster->clocks;
  bool is_test;
  if (tile_epoch_is_atomic(clocks, epoch))
    epoch = tile_epoch_of_thread(clocks, epoch, &is_test);
  uint32_t agent = tile_epoch_agent(epoch), tick = tile_epoch_tick(epoch);
  uint32_t per_cta = cluster->threads_per_cta;
  if (agent < cluster->num_threads) {
    if (cluster->num_ctas > 1)
      snprintf(out_name, 100, "thread %u of CTA rank %u", agent % per_cta,
               agent / per_cta);
    else
      snprintf(out_name, 100, "thread %u", agent);
  } else if (clocks->first_cp_async && agent < clocks->first_wgmma) {
    snprintf(out_name, 100, "cp.async by thread %u (batch %u)",
             (agent - clocks->first_cp_async) % per_cta, tick - 1);
  } else if (agent >= clocks->first_mbarrier) {
    snprintf(out_name, 100, "TMA/bulk copy (mbarrier #%u, phase %u)",
             agent - clocks->first_mbarrier, tick - 1);
  } else if (clocks->first_bulk && agent >= clocks->first_bulk_write) {
    uint32_t index = agent - clocks->first_bulk_write;
    const TileCta *cta = &cluster->ctas[index / TILE_BULK_WRITERS];
    uint32_t thread = cta->bulk_writers[index % TILE_BULK_WRITERS] - 1;
    snprintf(out_name, 100, "bulk store by thread %u (group %u)",
             thread % per_cta, tick - 1);
  } else if (clocks->first_bulk && agent >= clocks->first_bulk) {
    snprintf(out_name, 100, "bulk store by thread %u (group %u)",
             (agent - clocks->first_bulk) % per_cta, tick - 1);
  } else if (agent >= clocks->first_warpgroup) {
    snprintf(out_name, 100, "wgmma #%u of warpgroup %u", tick - 1,
             (agent - clocks->first_warpgroup) % clocks->num_warpgroups);
  } else {
    snprintf(out_name, 100, "wgmma #%u of warp %u", tick - 1,
             (agent - clocks->first_wgmma) %
                 (clocks->num_warpgroups * TILE_WARPGROUP_WARPS));
  }
  return out_name;
}
