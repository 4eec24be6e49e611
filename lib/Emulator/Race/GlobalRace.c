//===- GlobalRace.c - Checks accesses to global memory --------------------===//

#include "Emulator/Async/Async.h"
#include "Emulator/Memory/Address.h"
#include "Race.h"

#include <stdio.h>
#include <stdlib.h>

//===-- What clusters know about each other -------------------------------===//

//===-- One after another -------------------------------------------------===//

// Clusters tell each other through words of global memory that they write and
// read by atomics and by strong accesses: counters of split-K and stream-K
// kernels, flags of scans. Whoever reads such a word has seen those that wrote
// it before, and what they had seen. That is kept for whole clusters and only
// in launches that use such words.

uint32_t tile_emu_cta_number(const TileCta *cta) {
  const TileRun *run = cta->cluster->run;
  return (cta->ctaid[2] * run->grid[1] + cta->ctaid[1]) * run->grid[0] +
         cta->ctaid[0];
}

uint32_t tile_emu_cta_cluster(const TileRun *run, uint32_t cta_number) {
  uint32_t x = cta_number % run->grid[0] / run->cluster[0];
  uint32_t y = cta_number / run->grid[0] % run->grid[1] / run->cluster[1];
  uint32_t z = cta_number / run->grid[0] / run->grid[1] / run->cluster[2];
  return (z * run->num_clusters[1] + y) * run->num_clusters[0] + x;
}

enum { NUM_WORDS = 1024, BITS = 64 }; // words that share an entry order more

struct TileGlobalOrder {
  pthread_mutex_t lock;
  size_t size; // of a set, in units of 64 clusters
  uint64_t *words[NUM_WORDS];
};

TileGlobalOrder *tile_emu_global_order_create(uint32_t num_clusters) {
  TileGlobalOrder *order = tile_emu_calloc(1, sizeof *order);
  order->size = num_clusters / BITS + 1;
  pthread_mutex_init(&order->lock, NULL);
  return order;
}

void tile_emu_global_order_destroy(TileGlobalOrder *order) {
  for (uint32_t i = 0; i < NUM_WORDS; i++)
    free(order->words[i]);
  pthread_mutex_destroy(&order->lock);
  free(order);
}

static uint64_t *set_get(const TileGlobalOrder *order, uint64_t **set) {
  if (!*set)
    *set = tile_emu_calloc(order->size, sizeof **set);
  return *set;
}

static void set_join(uint64_t *into, const uint64_t *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    into[i] |= from[i];
}

static void global_order_meet(TileCluster *cluster, const uint8_t *memory,
                              bool is_load, bool is_store) {
  TileGlobalOrder *order = cluster->run->global_order;
  uint64_t **word = &order->words[((uintptr_t)memory >> 2) % NUM_WORDS];
  pthread_mutex_lock(&order->lock);
  if (is_load && *word)
    set_join(set_get(order, &cluster->seen), *word, order->size);
  if (is_store) {
    uint32_t id = tile_emu_cta_cluster(cluster->run,
                                       tile_emu_cta_number(&cluster->ctas[0]));
    uint64_t *seen = set_get(order, &cluster->seen);
    seen[id / BITS] |= 1ull << id % BITS;
    set_join(set_get(order, word), seen, order->size);
  }
  pthread_mutex_unlock(&order->lock);
}

static bool global_order_has_seen(const TileCluster *cluster, uint32_t id) {
  return cluster->seen && cluster->seen[id / BITS] >> id % BITS & 1;
}

//===-- At the same time --------------------------------------------------===//

/// Slots are used by one cluster after another; their time only grows.
struct TileClusterOrder {
  uint32_t num_slots;
  uint32_t *epochs;           // time, by slot
  uint32_t *seen;             // by slot, and slot that it knows about
  uint32_t *words[NUM_WORDS]; // what was seen by those who wrote the word
};

TileClusterOrder *tile_emu_order_create(uint32_t num_slots) {
  TileClusterOrder *order = tile_emu_calloc(1, sizeof *order);
  order->num_slots = num_slots;
  order->epochs = tile_emu_calloc(num_slots, sizeof *order->epochs);
  order->seen =
      tile_emu_calloc((size_t)num_slots * num_slots, sizeof *order->seen);
  return order;
}

void tile_emu_order_destroy(TileClusterOrder *order) {
  for (uint32_t i = 0; i < NUM_WORDS; i++)
    free(order->words[i]);
  free(order->epochs);
  free(order->seen);
  free(order);
}

void tile_emu_order_begin(TileClusterOrder *order, uint32_t slot) {
  order->epochs[slot]++;
  memset(order->seen + (size_t)slot * order->num_slots, 0,
         order->num_slots * sizeof *order->seen);
}

static void join(uint32_t *into, const uint32_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = into[i] > from[i] ? into[i] : from[i];
}

void tile_emu_order_meet(TileWarp *warp, const uint8_t *memory, bool is_load,
                         bool is_store) {
  const TileResidence *residence = warp->cluster->run->residence;
  if (!residence) {
    if (warp->cluster->detect_races)
      global_order_meet(warp->cluster, memory, is_load, is_store);
    return;
  }
  TileClusterOrder *order = residence->order;
  uint32_t count = order->num_slots, slot = warp->cluster->slot;
  uint32_t **word = &order->words[((uintptr_t)memory >> 2) % NUM_WORDS];
  uint32_t *seen = order->seen + (size_t)slot * count;
  if (is_load && *word)
    join(seen, *word, count);
  if (!is_store)
    return;
  if (!*word)
    *word = tile_emu_calloc(count, sizeof **word);
  join(*word, seen, count);
  (*word)[slot] = order->epochs[slot]++;
}

// The time in the cluster of `warp`, to be kept with what it writes.
static uint32_t order_epoch(const TileWarp *warp) {
  const TileResidence *residence = warp->cluster->run->residence;
  return residence ? residence->order->epochs[warp->cluster->slot] : 0;
}

// Has the cluster of `warp` seen what another cluster did up to `epoch`?
static bool order_has_seen(const TileWarp *warp, uint32_t cluster_id,
                           uint32_t epoch) {
  const TileResidence *residence = warp->cluster->run->residence;
  if (!residence)
    return global_order_has_seen(warp->cluster, cluster_id);
  const TileClusterOrder *order = residence->order;
  size_t slot = warp->cluster->slot;
  return order->seen[slot * order->num_slots + residence->slots[cluster_id]] >=
         epoch;
}

enum { PAIR_BYTES = 2, WORD_BYTES = 4, LINE_BYTES = 64, MAX_CTAS = 0xfffffe };

/// One access of a lane.
typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;
  TileAllocation *allocation;
  TileActor actor; // without bytes
  TileGlobalUse use;
  TileActor ordered; // the last one found in order
} Access;

//===-- Actors ------------------------------------------------------------===//

/// Bytes of entry `index`, of `entry_bytes`, that lie in [first, end).
static inline TileActor bytes_of(uint64_t index, uint32_t entry_bytes,
                                 uint64_t first, uint64_t end) {
  uint64_t at = index * entry_bytes;
  uint32_t bytes = (1u << entry_bytes) - 1;
  if (at < first)
    bytes &= bytes << (first - at);
  if (at + entry_bytes > end)
    bytes &= (1u << (end - at)) - 1;
  return (TileActor)bytes << 56;
}

static inline bool shares_bytes(TileActor x, TileActor y) {
  return (x & y) >> 56 & 15;
}

static inline bool is_same_agent(TileActor x, TileActor y) {
  return tile_actor_cta(x) == tile_actor_cta(y) &&
         tile_epoch_agent(tile_actor_epoch(x)) ==
             tile_epoch_agent(tile_actor_epoch(y));
}

static bool is_other_cluster(const Access *access, TileActor actor) {
  const TileCta *cta = access->warp->cta;
  const TileRun *run = cta->cluster->run;
  uint32_t own = tile_emu_cta_number(cta), theirs = tile_actor_cta(actor);
  return own != theirs &&
         tile_emu_cta_cluster(run, theirs) != tile_emu_cta_cluster(run, own);
}

static uint32_t insn_index(const Access *access) {
  return (uint32_t)(access->insn - access->warp->kernel->code);
}

/// Has the lane seen what `actor` did? `time` is that of its cluster.
static bool is_ordered(const Access *access, TileActor actor, uint32_t time) {
  TileWarp *warp = access->warp;
  const TileCluster *cluster = warp->cluster;
  if (is_other_cluster(access, actor))
    return order_has_seen(
        warp, tile_emu_cta_cluster(cluster->run, tile_actor_cta(actor)), time);
  uint32_t thread = tile_warp_thread(warp, access->lane);
  uint32_t agent = tile_epoch_agent(tile_actor_epoch(actor));
  return agent == thread ||
         cluster->clocks.threads[thread].causal->ticks[agent] >=
             tile_epoch_tick(tile_actor_epoch(actor));
}

//===-- Reports -----------------------------------------------------------===//

/// `before` is what instruction `index` of the kernel did.
static void report(const Access *access, uint64_t at, TileActor before,
                   uint32_t index, bool was_read) {
  const char *noun = was_read                     ? "read"
                     : before & TILE_ACTOR_ATOMIC ? "atomic update"
                                                  : "write";
  const char *verb = access->use == TILE_GLOBAL_READ     ? "read"
                     : access->use >= TILE_GLOBAL_ATOMIC ? "atomic update"
                                                         : "write";
  TileWarp *warp = access->warp;
  const TileCluster *cluster = warp->cluster;
  bool is_output = access->use == TILE_GLOBAL_WRITE && !was_read &&
                   !(before & TILE_ACTOR_ATOMIC);
  bool is_test = before & TILE_ACTOR_TEST || access->use == TILE_GLOBAL_TEST;
  bool has_read = access->use == TILE_GLOBAL_READ || was_read;
  TileFindingKind kind = is_output             ? TILE_FINDING_GLOBAL_CONFLICT
                         : is_test && has_read ? TILE_FINDING_RACE_TEST_PEDANTIC
                                               : TILE_FINDING_GLOBAL_RACE;
  TileLanes lane = tile_lane_bit(access->lane);
  if (!tile_emu_find_is_new(warp, access->insn, lane, kind))
    return;
  const TileInsn *earlier = &cluster->run->kernel->code[index];
  char place[300], who[150], agent[100], where[256];
  tile_emu_insn_where(cluster->run->module, earlier, where);
  snprintf(place, sizeof place, "%.199s+%llu", access->allocation->name,
           (unsigned long long)at);
  uint32_t cta = tile_actor_cta(before);
  const uint32_t *grid = cluster->run->grid;
  if (is_other_cluster(access, before) ||
      (is_output && cta != tile_emu_cta_number(warp->cta)))
    snprintf(who, sizeof who, "CTA (%u,%u,%u)", cta % grid[0],
             cta / grid[0] % grid[1], cta / grid[0] / grid[1]);
  else
    snprintf(who, sizeof who, "%s%s",
             tile_emu_agent_name(cluster, tile_actor_epoch(before), agent),
             cluster->num_ctas > 1 ? "" : " of this CTA");
  char text[1000];
  if (is_output)
    snprintf(text, sizeof text,
             "%s was already written by %s at %s in this launch, without "
             "synchronisation",
             place, who, where);
  else
    snprintf(text, sizeof text,
             "%s of %s is not ordered after the %s by %s at %s", verb, place,
             noun, who, where);
  TileRace race = {warp,    access->insn, lane, kind, {"global", 0, ""},
                   earlier, text};
  snprintf(race.memory.name, sizeof race.memory.name, "%.199s", place);
  bool is_deferred =
      access->use == TILE_GLOBAL_READ ? tile_emu_race_defer_read(&race)
      : was_read && !is_other_cluster(access, before)
          ? tile_emu_race_defer_write(&race, tile_actor_epoch(before),
                                      access->allocation->memory + at)
          : false;
  if (!is_deferred)
    tile_emu_race_find(&race);
}

//===-- Rules -------------------------------------------------------------===//

/// A write before: `index` is that of a pair.
static inline void check_writer(Access *access, uint64_t index,
                                TileActor before, TileActor bytes) {
  const TileAllocation *allocation = access->allocation;
  if (before == access->ordered || !shares_bytes(before, bytes))
    return;
  bool is_harmless = access->use == TILE_GLOBAL_READ
                         ? before & TILE_ACTOR_UNCHANGED
                         : access->use == TILE_GLOBAL_STORE_UNCHANGED;
  uint32_t time =
      allocation->writer_epochs ? allocation->writer_epochs[index] : 0;
  if (is_harmless || is_ordered(access, before, time))
    access->ordered = before;
  else
    report(access, index * PAIR_BYTES, before, allocation->writer_insns[index],
           false);
}

/// A read or an atomic update before.
static void check_reader(Access *access, uint64_t at, TileActor reader,
                         uint32_t insn, TileActor bytes) {
  if (!reader || reader == access->ordered || !shares_bytes(reader, bytes))
    return;
  const TileCluster *cluster = access->warp->cluster;
  bool was_atomic = reader & TILE_ACTOR_ATOMIC;
  bool is_other = is_other_cluster(access, reader);
  if (was_atomic ? access->use >= TILE_GLOBAL_ATOMIC
                 : access->use == TILE_GLOBAL_READ)
    return;
  bool is_co_resident = cluster->run->residence;
  if (is_other && is_co_resident)
    return; // when that was is not known
  bool is_crowd = (reader & TILE_ACTOR_CROWD) && !cluster->seen && !is_other &&
                  !is_co_resident;
  if (is_crowd || !is_ordered(access, reader, 0))
    report(access, at, reader, insn, !was_atomic);
  else
    access->ordered = reader;
}

static void check_both(Access *access, uint64_t at, const TileReaders *readers,
                       TileActor bytes) {
  check_reader(access, at, __atomic_load_n(&readers->first, __ATOMIC_RELAXED),
               __atomic_load_n(&readers->first_insn, __ATOMIC_RELAXED), bytes);
  check_reader(access, at, __atomic_load_n(&readers->last, __ATOMIC_RELAXED),
               __atomic_load_n(&readers->last_insn, __ATOMIC_RELAXED), bytes);
}

/// Both by one agent in one go, or the later one makes up for the earlier: it
/// has all its bytes and races with what the other did. Sets `out_merged`.
static bool actor_merge(TileActor earlier, TileActor later,
                        TileActor *out_merged) {
  TileActor kinds = TILE_ACTOR_ATOMIC | TILE_ACTOR_TEST, bytes = 15ull << 56;
  if (!is_same_agent(earlier, later) || (earlier ^ later) & kinds)
    return false;
  bool is_once = tile_actor_epoch(earlier) == tile_actor_epoch(later);
  if (!is_once && earlier & ~later & bytes)
    return false;
  *out_merged = later | (earlier & (TILE_ACTOR_CROWD | bytes));
  return true;
}

/// Keeps the first reader and the last.
static void add_reader(const Access *access, TileReaders *readers,
                       TileActor bytes) {
  TileActor actor = access->actor | bytes, merged = actor;
  TileActor first = __atomic_load_n(&readers->first, __ATOMIC_RELAXED);
  uint32_t insn = insn_index(access);
  if (!first || actor_merge(first, actor, &merged)) {
    __atomic_store_n(&readers->first, merged, __ATOMIC_RELAXED);
    __atomic_store_n(&readers->first_insn, insn, __ATOMIC_RELAXED);
    return;
  }
  TileActor last = __atomic_load_n(&readers->last, __ATOMIC_RELAXED);
  if (last && !actor_merge(last, actor, &merged) &&
      is_other_cluster(access, last))
    __atomic_store_n(&readers->first, first | TILE_ACTOR_CROWD,
                     __ATOMIC_RELAXED);
  __atomic_store_n(&readers->last, merged, __ATOMIC_RELAXED);
  __atomic_store_n(&readers->last_insn, insn, __ATOMIC_RELAXED);
}

//===-- Memory ------------------------------------------------------------===//

/// Allocated when somebody reads; NULL when there is no memory for it.
static TileReaders *readers_get(TileReaders **place, uint64_t count) {
  TileReaders *readers = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (TILE_LIKELY(readers))
    return readers;
  TileReaders *fresh = calloc(count, sizeof *fresh);
  if (__atomic_compare_exchange_n(place, &readers, fresh, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  free(fresh); // another host thread was faster
  return readers;
}

void tile_emu_global_clear(TileEmu *emu, bool is_co_resident) {
  enum { LARGE_BYTES = 1 << 20 };
  for (size_t i = 0; i < emu->num_allocations; i++) {
    TileAllocation *allocation = &emu->allocations[i];
    size_t count = allocation->size_bytes / PAIR_BYTES + 2;
    if (!allocation->writers)
      continue;
    free(allocation->readers);
    free(allocation->line_readers);
    allocation->readers = allocation->line_readers = NULL;
    allocation->is_updated = false;
    if (is_co_resident && !allocation->writer_epochs)
      allocation->writer_epochs =
          tile_emu_calloc(count, sizeof *allocation->writer_epochs);
    if (!allocation->is_written)
      continue;
    allocation->is_written = false;
    // Large arrays are allocated anew: their pages cost nothing until a kernel
    // writes to the memory they describe.
    if (count * sizeof *allocation->writers < LARGE_BYTES) {
      memset(allocation->writers, 0, count * sizeof *allocation->writers);
      continue;
    }
    free(allocation->writers);
    allocation->writers = tile_emu_calloc(count, sizeof *allocation->writers);
  }
}

const TileActor *tile_emu_global_writers(TileCluster *cluster, uint64_t address,
                                         uint64_t size_bytes) {
  const TileAllocation *allocation =
      tile_emu_allocation_find(cluster, address, size_bytes);
  if (!allocation || !allocation->writers)
    return NULL;
  return allocation->writers +
         (address - (uintptr_t)allocation->memory) / PAIR_BYTES;
}

//===-- Ranges ------------------------------------------------------------===//

/// Against all writes.
static void check_writers(Access *access, uint64_t first, uint64_t end) {
  const TileActor *writers = access->allocation->writers;
  for (uint64_t k = first / PAIR_BYTES; k * PAIR_BYTES < end; k++) {
    TileActor before = __atomic_load_n(&writers[k], __ATOMIC_RELAXED);
    if (before)
      check_writer(access, k, before, bytes_of(k, PAIR_BYTES, first, end));
  }
}

static void add_readers(const Access *access, uint64_t first, uint64_t end) {
  TileAllocation *allocation = access->allocation;
  uint64_t size_bytes = allocation->size_bytes;
  TileReaders *lines = NULL, *words = NULL;
  while (first < end) {
    if (first % LINE_BYTES == 0 && end - first >= LINE_BYTES) {
      if (!lines)
        lines = readers_get(&allocation->line_readers, size_bytes / LINE_BYTES);
      if (!lines)
        return;
      add_reader(access, &lines[first / LINE_BYTES], 15ull << 56);
      first += LINE_BYTES;
      continue;
    }
    if (!words)
      words = readers_get(&allocation->readers, size_bytes / WORD_BYTES + 1);
    if (!words)
      return;
    uint64_t k = first / WORD_BYTES;
    add_reader(access, &words[k], bytes_of(k, WORD_BYTES, first, end));
    first = (k + 1) * WORD_BYTES;
  }
}

/// What is ordered after the write is ordered after them.
static void reader_forget(TileReaders *readers) {
  if (__atomic_load_n(&readers->first, __ATOMIC_RELAXED))
    __atomic_store_n(&readers->first, 0, __ATOMIC_RELAXED);
  if (__atomic_load_n(&readers->last, __ATOMIC_RELAXED))
    __atomic_store_n(&readers->last, 0, __ATOMIC_RELAXED);
}

/// Against reads and atomic updates.
static void check_readers(Access *access, uint64_t first, uint64_t end) {
  const TileAllocation *allocation = access->allocation;
  const TileReaders *lines =
      __atomic_load_n(&allocation->line_readers, __ATOMIC_ACQUIRE);
  TileReaders *words = __atomic_load_n(&allocation->readers, __ATOMIC_ACQUIRE);
  uint64_t end_line = allocation->size_bytes / LINE_BYTES;
  for (uint64_t k = first / LINE_BYTES; lines && k * LINE_BYTES < end; k++) {
    if (k >= end_line)
      break;
    uint64_t at = k * LINE_BYTES < first ? first : k * LINE_BYTES;
    check_both(access, at, &lines[k], 15ull << 56);
  }
  for (uint64_t k = first / WORD_BYTES; words && k * WORD_BYTES < end; k++) {
    TileActor bytes = bytes_of(k, WORD_BYTES, first, end);
    uint64_t at = k * WORD_BYTES < first ? first : k * WORD_BYTES;
    check_both(access, at, &words[k], bytes);
    if (access->use == TILE_GLOBAL_WRITE && bytes == 15ull << 56)
      reader_forget(&words[k]);
  }
}

static void add_writer(const Access *access, uint64_t first, uint64_t end) {
  TileAllocation *allocation = access->allocation;
  bool has_times = access->warp->cluster->run->residence;
  __atomic_store_n(&allocation->is_written, true, __ATOMIC_RELAXED);
  for (uint64_t k = first / PAIR_BYTES; k * PAIR_BYTES < end; k++) {
    TileActor bytes = bytes_of(k, PAIR_BYTES, first, end);
    __atomic_store_n(&allocation->writers[k], access->actor | bytes,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&allocation->writer_insns[k], insn_index(access),
                     __ATOMIC_RELAXED);
    if (has_times)
      allocation->writer_epochs[k] = order_epoch(access->warp);
  }
}

//===-- Entry -------------------------------------------------------------===//

void tile_emu_global_check(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                           const uint8_t *memory, uint64_t size_bytes,
                           TileEpoch epoch, TileGlobalUse use) {
  TileAllocation *allocation =
      tile_emu_allocation_find(warp->cluster, (uintptr_t)memory, size_bytes);
  uint64_t cta = tile_emu_cta_number(warp->cta);
  if (!allocation || !allocation->writers || cta >= MAX_CTAS)
    return;
  Access access = {.warp = warp,
                   .insn = insn,
                   .lane = lane,
                   .allocation = allocation,
                   .actor = (cta + 1) << 32 | epoch,
                   .use = use};
  uint64_t first = (uint64_t)(memory - allocation->memory);
  uint64_t end = first + size_bytes;
  if (use == TILE_GLOBAL_STORE_UNCHANGED)
    access.actor |= TILE_ACTOR_UNCHANGED;
  if (use >= TILE_GLOBAL_ATOMIC)
    access.actor |= TILE_ACTOR_ATOMIC;
  if (use == TILE_GLOBAL_TEST)
    access.actor |= TILE_ACTOR_TEST;
  bool is_write =
      use == TILE_GLOBAL_WRITE || use == TILE_GLOBAL_STORE_UNCHANGED;
  bool is_atomic = access.actor & TILE_ACTOR_ATOMIC;
  if (is_atomic)
    __atomic_store_n(&allocation->is_updated, true, __ATOMIC_RELAXED);
  if (__atomic_load_n(&allocation->is_written, __ATOMIC_RELAXED))
    check_writers(&access, first, end);
  if (use == TILE_GLOBAL_WRITE || is_atomic ||
      __atomic_load_n(&allocation->is_updated, __ATOMIC_RELAXED))
    check_readers(&access, first, end);
  if (is_write)
    add_writer(&access, first, end);
  else
    add_readers(&access, first, end);
}

void tile_emu_global_check_now(TileWarp *warp, const TileInsn *insn,
                               uint32_t lane, const uint8_t *memory,
                               uint64_t size_bytes, TileGlobalUse use) {
  uint32_t thread = tile_warp_thread(warp, lane);
  uint32_t tick = warp->cluster->clocks.threads[thread].tick;
  tile_emu_global_check(warp, insn, lane, memory, size_bytes,
                        tile_epoch(thread, tick), use);
}
