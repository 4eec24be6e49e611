//===- Race.c - Checks accesses to shared memory against earlier ones -----===//
//
// Every byte remembers the epoch of the last write and who read it since: one
// epoch, or a set of epochs when the readers are not ordered. Sets are shared
// between bytes. The work is done 16 bytes at a time where all 16 agree.
//
//===----------------------------------------------------------------------===//

#include "Race.h"

#include <stdlib.h>

enum {
  CHUNK_BYTES = 16,
  MAX_READERS = 2048, // of one byte, not ordered with each other
  NUM_SET_BUCKETS = 1 << 16
};

//===-- Order -------------------------------------------------------------===//

static inline bool is_ordered(const TileAccess *access, TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch);
  return agent == access->thread ||
         access->causal[agent] >= tile_epoch_tick(epoch);
}

static inline bool is_fenced(const TileAccess *access, TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch), tick = tile_epoch_tick(epoch);
  return agent == access->thread ? tick <= access->fenced_tick
                                 : access->fenced[agent] >= tick;
}

TileAccess tile_emu_access_thread(TileWarp *warp, const TileInsn *insn,
                                  uint32_t lane) {
  uint32_t thread = tile_warp_thread(warp, lane);
  const TileThreadClock *clock = &warp->cluster->clocks.threads[thread];
  return (TileAccess){.warp = warp,
                      .insn = insn,
                      .lane = lane,
                      .what = "",
                      .causal = clock->causal->ticks,
                      .fenced = clock->fenced->ticks,
                      .thread = thread,
                      .fenced_tick = clock->fenced_tick,
                      .epoch = tile_epoch(thread, clock->tick)};
}

TileAccess tile_emu_access_async(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane, TileEpoch epoch, bool is_async,
                                 const char *what) {
  TileAccess access = tile_emu_access_thread(warp, insn, lane);
  access.epoch = epoch;
  access.is_async = is_async;
  access.is_bulk = true;
  access.what = what;
  return access;
}

//===-- Rules -------------------------------------------------------------===//

/// `previous` wrote a byte that `access` now reads or writes.
static void check_after_write(TileCta *cta, uint32_t offset, TileEpoch previous,
                              TileAccess *access, bool is_write) {
  if (previous == access->ordered_write)
    return;
  const TileClocks *clocks = &cta->cluster->clocks;
  uint32_t agent = tile_epoch_agent(previous);
  bool was_generic = agent < clocks->first_wgmma; // a thread or its cp.async
  if (!is_ordered(access, previous)) {
    if (!(access->is_async && was_generic && is_fenced(access, previous))) {
      tile_emu_race_report(cta, offset, access, is_write, previous, true,
                           TILE_FINDING_RACE);
      return;
    }
  } else if (access->is_async && was_generic && !is_fenced(access, previous)) {
    bool is_customary = is_write || agent >= cta->cluster->num_threads;
    tile_emu_race_report(cta, offset, access, is_write, previous, true,
                         is_customary ? TILE_FINDING_PROXY_PEDANTIC
                                      : TILE_FINDING_PROXY);
    return;
  }
  access->ordered_write = previous;
}

//===-- Read sets ---------------------------------------------------------===//

typedef struct {
  uint32_t count;
  TileEpoch epochs[];
} ReadSet;

struct TileReadSets {
  ReadSet **sets; // by number; 0 is not used
  uint32_t count, capacity;
  uint32_t buckets[NUM_SET_BUCKETS]; // open addressing; 0: free
};

static bool is_set(uint32_t reader) {
  return tile_epoch_agent(reader) == TILE_AGENT_SET;
}

static const ReadSet *set_get(const TileCluster *cluster, uint32_t reader) {
  return cluster->read_sets->sets[tile_epoch_tick(reader)];
}

static uint32_t hash_epochs(const TileEpoch *epochs, uint32_t count) {
  uint32_t hash = count;
  for (uint32_t i = 0; i < count; i++)
    hash = hash * 0x9e3779b1u + epochs[i];
  return hash ^ (hash >> 15);
}

static TileReadSets *sets_get(TileCluster *cluster) {
  if (!cluster->read_sets) {
    cluster->read_sets = tile_emu_calloc(1, sizeof *cluster->read_sets);
    cluster->read_sets->count = 1;
  }
  return cluster->read_sets;
}

/// The reader value that stands for these epochs. When the table is full it
/// forgets all but the last: races may be missed, none is invented.
static uint32_t set_intern(TileCluster *cluster, const TileEpoch *epochs,
                           uint32_t count) {
  TileReadSets *table = sets_get(cluster);
  uint32_t slot = hash_epochs(epochs, count) % NUM_SET_BUCKETS;
  for (; table->buckets[slot]; slot = (slot + 1) % NUM_SET_BUCKETS) {
    const ReadSet *set = table->sets[table->buckets[slot]];
    if (set->count == count &&
        !memcmp(set->epochs, epochs, count * sizeof *epochs))
      return tile_epoch(TILE_AGENT_SET, table->buckets[slot]);
  }
  if (table->count > NUM_SET_BUCKETS / 2)
    return epochs[count - 1];
  if (table->count >= table->capacity) {
    table->capacity = table->capacity ? 2 * table->capacity : 256;
    table->sets =
        tile_emu_realloc(table->sets, table->capacity * sizeof *table->sets);
  }
  ReadSet *set = tile_emu_malloc(sizeof *set + count * sizeof *epochs);
  set->count = count;
  memcpy(set->epochs, epochs, count * sizeof *epochs);
  table->sets[table->count] = set;
  table->buckets[slot] = table->count;
  return tile_epoch(TILE_AGENT_SET, table->count++);
}

void tile_emu_read_sets_clear(TileCluster *cluster) {
  TileReadSets *table = cluster->read_sets;
  if (!table || table->count == 1)
    return;
  for (uint32_t i = 1; i < table->count; i++)
    free(table->sets[i]);
  table->count = 1;
  memset(table->buckets, 0, sizeof table->buckets);
}

void tile_emu_read_sets_destroy(TileCluster *cluster) {
  tile_emu_read_sets_clear(cluster);
  if (cluster->read_sets)
    free(cluster->read_sets->sets);
  free(cluster->read_sets);
}

/// Adds `access` to the readers; those ordered before it need no memory.
static uint32_t readers_add(TileCta *cta, uint32_t readers,
                            TileAccess *access) {
  if (readers == 0 || readers == access->epoch)
    return access->epoch;
  if (readers == access->merged_from)
    return access->merged_to;
  TileEpoch kept[MAX_READERS + 1];
  uint32_t count = 0;
  if (!is_set(readers)) {
    if (!is_ordered(access, readers))
      kept[count++] = readers;
  } else {
    const ReadSet *set = set_get(cta->cluster, readers);
    for (uint32_t i = 0; i < set->count && count < MAX_READERS; i++)
      if (set->epochs[i] != access->epoch &&
          !is_ordered(access, set->epochs[i]))
        kept[count++] = set->epochs[i];
  }
  kept[count++] = access->epoch;
  access->merged_from = readers;
  access->merged_to =
      count == 1 ? access->epoch : set_intern(cta->cluster, kept, count);
  return access->merged_to;
}

/// `access` overwrites a byte that `readers` have read.
static void check_after_read(TileCta *cta, uint32_t offset, uint32_t readers,
                             TileAccess *access) {
  if (readers == access->ordered_read)
    return;
  const TileEpoch *epochs = &readers;
  uint32_t count = 1;
  if (is_set(readers)) {
    epochs = set_get(cta->cluster, readers)->epochs;
    count = set_get(cta->cluster, readers)->count;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!is_ordered(access, epochs[i])) {
      tile_emu_race_report(cta, offset, access, true, epochs[i], false,
                           TILE_FINDING_RACE);
      return;
    }
  access->ordered_read = readers;
}

//===-- Bytes -------------------------------------------------------------===//

static inline bool all_equal(const uint32_t values[CHUNK_BYTES]) {
  uint32_t difference = 0;
  for (uint32_t i = 1; i < CHUNK_BYTES; i++)
    difference |= values[i] ^ values[0];
  return difference == 0;
}

static inline void fill(uint32_t values[CHUNK_BYTES], uint32_t value) {
  for (uint32_t i = 0; i < CHUNK_BYTES; i++)
    values[i] = value;
}

static void check_mbarrier(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                           const TileAccess *access, const char *verb) {
  for (uint32_t k = offset / 8; k <= (offset + size_bytes - 1) / 8; k++) {
    uint16_t index = cta->shadow.mbarrier[k];
    if (!index || !cta->mbarriers[index - 1].is_live)
      continue;
    char name[200];
    tile_emu_find(access->warp, access->insn, tile_lane_bit(access->lane),
                  TILE_FINDING_MBARRIER_OVERWRITE,
                  "%s%s of the live mbarrier at %s (shared 0x%x)", access->what,
                  verb, tile_emu_shared_name(cta, k * 8, name), k * 8);
    return;
  }
}

static inline bool has_mbarrier(const TileShadow *shadow, uint32_t chunk) {
  return shadow->mbarrier[2 * chunk] | shadow->mbarrier[2 * chunk + 1];
}

static void report_uninitialised(TileCta *cta, uint32_t offset,
                                 const TileAccess *access) {
  char name[200];
  tile_emu_find(access->warp, access->insn, tile_lane_bit(access->lane),
                TILE_FINDING_UNINITIALISED,
                "%sread of %s (shared 0x%x), which nobody has written",
                access->what, tile_emu_shared_name(cta, offset, name), offset);
}

/// Bytes [offset, offset + count) of one chunk, one by one.
static void read_bytes(TileCta *cta, uint32_t offset, uint32_t count,
                       TileAccess *access) {
  TileShadow *shadow = &cta->shadow;
  for (uint32_t at = offset; at < offset + count; at++) {
    TileEpoch writer = shadow->write[at];
    if (!writer)
      report_uninitialised(cta, at, access);
    else
      check_after_write(cta, at, writer, access, false);
    shadow->read[at] = readers_add(cta, shadow->read[at], access);
  }
}

static void read_chunk(TileCta *cta, uint32_t offset, TileAccess *access) {
  uint32_t *write = cta->shadow.write + offset;
  uint32_t *read = cta->shadow.read + offset;
  if (TILE_UNLIKELY(!all_equal(write) || !all_equal(read))) {
    read_bytes(cta, offset, CHUNK_BYTES, access);
    return;
  }
  if (TILE_UNLIKELY(!write[0]))
    report_uninitialised(cta, offset, access);
  else
    check_after_write(cta, offset, write[0], access, false);
  if (read[0] != access->epoch)
    fill(read, readers_add(cta, read[0], access));
}

void tile_emu_shadow_read(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                          TileAccess *access) {
  TileShadow *shadow = &cta->shadow;
  uint32_t end = offset + size_bytes;
  uint32_t index = (uint32_t)(access->insn - access->warp->kernel->code);
  while (offset < end) {
    uint32_t chunk = offset / CHUNK_BYTES;
    uint32_t chunk_end = (chunk + 1) * CHUNK_BYTES;
    uint32_t count = (chunk_end < end ? chunk_end : end) - offset;
    if (TILE_UNLIKELY(has_mbarrier(shadow, chunk)))
      check_mbarrier(cta, offset, count, access, "read");
    if (count == CHUNK_BYTES)
      read_chunk(cta, offset, access);
    else
      read_bytes(cta, offset, count, access);
    shadow->chunks[chunk].read_epoch = access->epoch;
    shadow->chunks[chunk].read_insn = index;
    offset += count;
  }
}

static void write_bytes(TileCta *cta, uint32_t offset, uint32_t count,
                        TileAccess *access) {
  TileShadow *shadow = &cta->shadow;
  for (uint32_t at = offset; at < offset + count; at++) {
    if (shadow->write[at])
      check_after_write(cta, at, shadow->write[at], access, true);
    if (shadow->read[at])
      check_after_read(cta, at, shadow->read[at], access);
    shadow->write[at] = access->epoch;
    shadow->read[at] = 0;
  }
}

static void write_chunk(TileCta *cta, uint32_t offset, TileAccess *access) {
  uint32_t *write = cta->shadow.write + offset;
  uint32_t *read = cta->shadow.read + offset;
  if (TILE_UNLIKELY(!all_equal(write) || !all_equal(read))) {
    write_bytes(cta, offset, CHUNK_BYTES, access);
    return;
  }
  if (TILE_UNLIKELY(access->is_bulk && write[0] == access->epoch))
    tile_emu_race_report(cta, offset, access, true, write[0], true,
                         TILE_FINDING_RACE_OVERLAP);
  else if (write[0])
    check_after_write(cta, offset, write[0], access, true);
  if (read[0])
    check_after_read(cta, offset, read[0], access);
  fill(write, access->epoch);
  fill(read, 0);
}

void tile_emu_shadow_write(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                           TileAccess *access) {
  TileShadow *shadow = &cta->shadow;
  uint32_t end = offset + size_bytes;
  uint32_t index = (uint32_t)(access->insn - access->warp->kernel->code);
  while (offset < end) {
    uint32_t chunk = offset / CHUNK_BYTES;
    uint32_t chunk_end = (chunk + 1) * CHUNK_BYTES;
    uint32_t count = (chunk_end < end ? chunk_end : end) - offset;
    if (TILE_UNLIKELY(has_mbarrier(shadow, chunk)))
      check_mbarrier(cta, offset, count, access, "write");
    if (count == CHUNK_BYTES)
      write_chunk(cta, offset, access);
    else
      write_bytes(cta, offset, count, access);
    shadow->layout[chunk] = access->layout;
    shadow->chunks[chunk].write_epoch = access->epoch;
    shadow->chunks[chunk].write_insn = index;
    offset += count;
  }
}

//===-- Memory ------------------------------------------------------------===//

void tile_emu_shadow_init(TileShadow *shadow, uint32_t smem_bytes) {
  uint32_t num_chunks = smem_bytes / CHUNK_BYTES + 1;
  shadow->write = tile_emu_aligned(64, num_chunks * CHUNK_BYTES * 4u);
  shadow->read = tile_emu_aligned(64, num_chunks * CHUNK_BYTES * 4u);
  shadow->chunks = tile_emu_malloc(num_chunks * sizeof *shadow->chunks);
  shadow->layout = tile_emu_malloc(num_chunks);
  shadow->mbarrier = tile_emu_malloc(2u * num_chunks * sizeof(uint16_t));
}

void tile_emu_shadow_clear(TileShadow *shadow, uint32_t smem_bytes) {
  uint32_t num_chunks = smem_bytes / CHUNK_BYTES + 1;
  memset(shadow->write, 0, num_chunks * CHUNK_BYTES * 4u);
  memset(shadow->read, 0, num_chunks * CHUNK_BYTES * 4u);
  memset(shadow->chunks, 0, num_chunks * sizeof *shadow->chunks);
  memset(shadow->layout, 0, num_chunks);
  memset(shadow->mbarrier, 0, 2u * num_chunks * sizeof(uint16_t));
}

void tile_emu_shadow_deinit(TileShadow *shadow) {
  free(shadow->write);
  free(shadow->read);
  free(shadow->chunks);
  free(shadow->layout);
  free(shadow->mbarrier);
}
