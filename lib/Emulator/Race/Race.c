//===- Race.c - Checks accesses to shared memory against earlier ones -----===//
//
// Memory remembers the epoch of the last write and who read it since: one
// epoch, or a set of epochs when the readers are not ordered. Sets are shared.
// One entry serves 16 bytes as long as all of them were accessed together.
//
//===----------------------------------------------------------------------===//

#include "Race.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Undefined/Undefined.h"

#include <stdio.h>
#include <stdlib.h>

//===-- Reports -----------------------------------------------------------===//

static bool race_report(TileCta *cta, uint32_t offset,
                        const TileShadowAccess *access, bool is_write,
                        const TileEarlier *earlier, TileFindingKind kind) {
  TileLanes lane = tile_lane_bit(access->lane);
  if (!tile_emu_find_is_new(access->warp, access->insn, lane, kind))
    return true;
  const TileRun *run = cta->cluster->run;
  const TileInsn *insn = &run->kernel->code[earlier->insn];
  char name[200], agent[100], where[256], text[1000];
  tile_emu_shared_name(cta, offset, name);
  tile_emu_agent_name(cta->cluster, earlier->epoch, agent);
  tile_emu_insn_where(run->module, insn, where);
  bool was_atomic = tile_epoch_is_atomic(&cta->cluster->clocks, earlier->epoch);
  const char *verb = access->is_atomic && !access->is_bulk && is_write
                         ? "atomic update"
                     : is_write ? "write"
                                : "read";
  if (kind == TILE_FINDING_PROXY_LOAD)
    snprintf(text, sizeof text,
             "%s%s of %s (shared 0x%x) through the async proxy comes after the "
             "arrival of %s, but its load at %s may still be under way",
             access->what, verb, name, offset, agent, where);
  else if (kind == TILE_FINDING_PROXY || kind == TILE_FINDING_PROXY_PEDANTIC)
    snprintf(text, sizeof text,
             "%s%s of %s (shared 0x%x) through the async proxy comes after the "
             "generic-proxy write by %s at %s, but no proxy fence lies between "
             "them",
             access->what, verb, name, offset, agent, where);
  else
    snprintf(text, sizeof text,
             "%s%s of %s (shared 0x%x) is not ordered after the %s by %s at %s",
             access->what, verb, name, offset,
             kind == TILE_FINDING_RACE_OVERLAP ? "overlapping write"
             : was_atomic                      ? "atomic update"
             : earlier->is_write               ? "write"
                                               : "read",
             agent, where);
  TileRace race = {access->warp,           access->insn, lane, kind,
                   {"shared", offset, ""}, insn,         text};
  snprintf(race.memory.name, sizeof race.memory.name, "%s", name);
  bool was_read = is_write && !earlier->is_write && !was_atomic;
  bool is_deferred =
      is_write ? was_read && tile_emu_race_defer_write(&race, earlier->epoch,
                                                       cta->smem + offset)
               : !access->is_bulk && tile_emu_race_defer_read(&race);
  if (!is_deferred)
    tile_emu_race_find(&race);
  return !is_deferred;
}

enum {
  CHUNK_BYTES = TILE_SHADOW_CHUNK_BYTES,
  MAX_READERS = 2048, // of one byte, not ordered with each other
  NUM_SET_BUCKETS = 1 << 16,
  NUM_STEPS = 1 << 12
};

//===-- Order -------------------------------------------------------------===//

static inline uint32_t access_insn(const TileShadowAccess *access) {
  return (uint32_t)(access->insn - access->warp->kernel->code);
}

static inline bool is_ordered(const TileShadowAccess *access, TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch);
  return agent == access->thread ||
         access->causal[agent] >= tile_epoch_tick(epoch);
}

static inline bool is_fenced(const TileShadowAccess *access, TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch), tick = tile_epoch_tick(epoch);
  return agent == access->thread ? tick <= access->fenced_tick
                                 : access->fenced[agent] >= tick;
}

TileShadowAccess tile_emu_access_thread(TileWarp *warp, const TileInsn *insn,
                                        uint32_t lane) {
  uint32_t thread = tile_warp_thread(warp, lane);
  const TileThreadClock *clock = &warp->cluster->clocks.threads[thread];
  return (TileShadowAccess){.warp = warp,
                            .insn = insn,
                            .lane = lane,
                            .what = "",
                            .causal = clock->causal->ticks,
                            .fenced = clock->fenced->ticks,
                            .thread = thread,
                            .fenced_tick = clock->fenced_tick,
                            .epoch = tile_epoch(thread, clock->tick)};
}

TileShadowAccess tile_emu_access_async(TileWarp *warp, const TileInsn *insn,
                                       uint32_t lane, TileEpoch epoch,
                                       bool is_async, const char *what) {
  TileShadowAccess access = tile_emu_access_thread(warp, insn, lane);
  access.epoch = epoch;
  access.is_async = is_async;
  access.is_bulk = true;
  access.what = what;
  return access;
}

//===-- Reads of wgmma ----------------------------------------------------===//

static inline bool is_wgmma(const TileClocks *clocks, TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch);
  return agent >= clocks->first_wgmma && agent < clocks->end_warpgroup;
}

/// Does the thread know that a warp (its agent) has waited for the operation?
/// It has waited itself, or was told by who has.
static bool has_waited(const TileShadowAccess *access, const TileClocks *clocks,
                       uint32_t agent, uint32_t tick) {
  const TileWarp *warp = access->warp;
  return access->causal[agent] >= tick ||
         (clocks->waited[agent - clocks->first_wgmma] >= tick &&
          agent == tile_agent_of_warp(clocks, warp->cta->rank, warp->index));
}

/// Is the thread ordered after all warps that took part in the read?
static bool is_wgmma_over(const TileShadowAccess *access,
                          const TileClocks *clocks, TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch), tick = tile_epoch_tick(epoch);
  if (agent < clocks->first_warpgroup)
    return has_waited(access, clocks, agent, tick);
  uint32_t first = tile_agent_of_first_warp(clocks, agent);
  for (uint32_t i = 0; i < TILE_WARPGROUP_WARPS; i++)
    if (!has_waited(access, clocks, first + i, tick))
      return false;
  return true;
}

static bool is_other_read_ordered(const TileCluster *cluster,
                                  const TileShadowAccess *access,
                                  TileEpoch epoch) {
  bool is_test;
  if (tile_epoch_is_atomic(&cluster->clocks, epoch))
    epoch = tile_epoch_of_thread(&cluster->clocks, epoch, &is_test);
  return is_wgmma(&cluster->clocks, epoch)
             ? is_wgmma_over(access, &cluster->clocks, epoch)
             : is_ordered(access, epoch);
}

/// Of a read or an atomic update; mostly by a thread.
static inline bool is_read_ordered(const TileCluster *cluster,
                                   const TileShadowAccess *access,
                                   TileEpoch epoch) {
  return TILE_LIKELY(tile_epoch_agent(epoch) < cluster->clocks.first_wgmma)
             ? is_ordered(access, epoch)
             : is_other_read_ordered(cluster, access, epoch);
}

/// Of a read that is not ordered. Kernels in which one thread of a consumer
/// warpgroup gives a slot back rely on the other warps being done with wgmma,
/// too; threads of the warpgroup that store after their own wait do not.
static TileFindingKind read_race_kind(const TileCluster *cluster,
                                      const TileShadowAccess *access,
                                      TileEpoch epoch) {
  const TileClocks *clocks = &cluster->clocks;
  const TileWarp *warp = access->warp;
  if (!is_wgmma(clocks, epoch))
    return TILE_FINDING_RACE;
  uint32_t first = tile_agent_of_first_warp(clocks, tile_epoch_agent(epoch));
  uint32_t own = tile_agent_of_warp(clocks, warp->cta->rank, warp->index);
  bool is_own = tile_agent_of_first_warp(clocks, own) == first;
  for (uint32_t i = 0; i < TILE_WARPGROUP_WARPS; i++)
    if (has_waited(access, clocks, first + i, tile_epoch_tick(epoch)))
      return is_own && !access->is_async ? TILE_FINDING_RACE_WARPGROUP
                                         : TILE_FINDING_RACE_PEDANTIC;
  return TILE_FINDING_RACE;
}

// Whether loads of the thread at `tick` were over when it reached `until`.
// What is too long ago to be known were.
static bool loads_had_ended(const TileThreadClock *thread, uint32_t tick,
                            uint32_t until) {
  for (uint32_t i = 0; i < TILE_LOAD_ENDS; i++) { // from the oldest one
    uint32_t end =
        thread->load_ends[(thread->last_load_end + 1 + i) % TILE_LOAD_ENDS];
    if (end >= tick)
      return end <= until || i == 0;
  }
  return false;
}

/// A thread has loaded, and told `access`, a write of the async proxy: was the
/// load over by then? Within a warp nobody is told before.
static bool has_load_ended(const TileCluster *cluster,
                           const TileShadowAccess *access, TileEpoch epoch) {
  uint32_t thread = tile_epoch_agent(epoch);
  if (thread >= cluster->num_threads ||
      thread / TILE_WARP_SIZE == access->thread / TILE_WARP_SIZE ||
      is_fenced(access, epoch))
    return true;
  return loads_had_ended(&cluster->clocks.threads[thread],
                         tile_epoch_tick(epoch), access->causal[thread]);
}

//===-- Rules -------------------------------------------------------------===//

/// `previous` wrote a byte, by `insn`, that `access` now reads or writes.
static void check_after_write(TileCta *cta, uint32_t offset, TileEpoch previous,
                              uint32_t insn, TileShadowAccess *access,
                              bool is_write) {
  if (previous == access->ordered_write)
    return;
  const TileClocks *clocks = &cta->cluster->clocks;
  if (TILE_UNLIKELY(tile_epoch_is_atomic(clocks, previous)))
    return; // the first to touch the byte; also among its readers
  uint32_t agent = tile_epoch_agent(previous);
  bool was_generic = agent < clocks->first_wgmma; // a thread or its cp.async
  access->met_thread |= was_generic;
  if (!is_ordered(access, previous)) {
    if (!(access->is_async && was_generic && is_fenced(access, previous))) {
      race_report(cta, offset, access, is_write,
                  &(TileEarlier){previous, insn, true}, TILE_FINDING_RACE);
      access->met_thread = true;
      return;
    }
  } else if (access->is_async && was_generic && !is_fenced(access, previous)) {
    bool is_customary = is_write || agent >= cta->cluster->num_threads;
    race_report(
        cta, offset, access, is_write, &(TileEarlier){previous, insn, true},
        is_customary ? TILE_FINDING_PROXY_PEDANTIC : TILE_FINDING_PROXY);
    return;
  }
  access->ordered_write = previous;
}

//===-- Read sets ---------------------------------------------------------===//

#define MIXED_INSNS UINT32_MAX

/// Readers that are not ordered. Mostly all of them executed one instruction.
typedef struct {
  uint32_t count;
  uint32_t insn; // index in the kernel; MIXED_INSNS: after the epochs
  TileEpoch epochs[];
} ReadSet;

/// `readers` (by `insn`, when that is one) with `epoch` (by `epoch_insn`) added
/// were `result` before; 0 readers: no entry.
typedef struct {
  uint32_t readers, insn, epoch, epoch_insn, result;
} ReadSetStep;

struct TileReadSets {
  ReadSet **sets; // by number; 0 is not used
  uint32_t count, capacity;
  uint32_t buckets[NUM_SET_BUCKETS]; // open addressing; 0: free
  ReadSetStep steps[NUM_STEPS];      // the last ones
};

static bool is_set(uint32_t reader) {
  return tile_epoch_agent(reader) == TILE_AGENT_SET;
}

static const ReadSet *set_get(const TileCluster *cluster, uint32_t reader) {
  return cluster->read_sets->sets[tile_epoch_tick(reader)];
}

static uint32_t hash_words(uint32_t hash, const uint32_t *words,
                           uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    hash = hash * 0x9e3779b1u + words[i];
  return hash;
}

/// The instruction of reader `index`.
static uint32_t set_insn(const ReadSet *set, uint32_t index) {
  return set->insn == MIXED_INSNS ? set->epochs[set->count + index] : set->insn;
}

static TileReadSets *sets_get(TileCluster *cluster) {
  if (!cluster->read_sets) {
    cluster->read_sets = tile_emu_calloc(1, sizeof *cluster->read_sets);
    cluster->read_sets->count = 1;
  }
  return cluster->read_sets;
}

/// The reader value that stands for these epochs, all by `insn` or, when that
/// is MIXED_INSNS, by `insns`. When the table is full it forgets all but the
/// last: races may be missed, none is invented.
static uint32_t set_intern(TileCluster *cluster, const TileEpoch *epochs,
                           uint32_t insn, const uint32_t *insns,
                           uint32_t count) {
  TileReadSets *table = sets_get(cluster);
  size_t size_bytes = count * sizeof *epochs;
  uint32_t hash = hash_words(count + insn * 31, epochs, count);
  if (insn == MIXED_INSNS)
    hash = hash_words(hash, insns, count);
  uint32_t slot = (hash ^ hash >> 15) % NUM_SET_BUCKETS;
  for (; table->buckets[slot]; slot = (slot + 1) % NUM_SET_BUCKETS) {
    const ReadSet *set = table->sets[table->buckets[slot]];
    if (set->count == count && set->insn == insn &&
        !memcmp(set->epochs, epochs, size_bytes) &&
        (insn != MIXED_INSNS ||
         !memcmp(set->epochs + count, insns, size_bytes)))
      return tile_epoch(TILE_AGENT_SET, table->buckets[slot]);
  }
  if (table->count > NUM_SET_BUCKETS / 2)
    return epochs[count - 1];
  if (table->count >= table->capacity) {
    table->capacity = table->capacity ? 2 * table->capacity : 256;
    table->sets =
        tile_emu_realloc(table->sets, table->capacity * sizeof *table->sets);
  }
  bool is_mixed = insn == MIXED_INSNS;
  ReadSet *set =
      tile_emu_malloc(sizeof *set + size_bytes + is_mixed * size_bytes);
  set->count = count;
  set->insn = insn;
  memcpy(set->epochs, epochs, size_bytes);
  if (is_mixed)
    memcpy(set->epochs + count, insns, size_bytes);
  table->sets[table->count] = set;
  table->buckets[slot] = table->count;
  return tile_epoch(TILE_AGENT_SET, table->count++);
}

void tile_emu_read_sets_clear(TileCluster *cluster) {
  TileReadSets *table = cluster->read_sets;
  if (!table)
    return;
  memset(table->steps, 0, sizeof table->steps);
  if (table->count == 1)
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

/// readers_merge for several instructions: `set`, or one reader by `insn`.
static uint32_t readers_merge_mixed(TileCta *cta, const ReadSet *set,
                                    uint32_t reader, uint32_t insn,
                                    const TileShadowAccess *access) {
  TileEpoch kept[MAX_READERS + 1];
  uint32_t insns[MAX_READERS + 1];
  uint32_t count = 0, num_before = set ? set->count : 1;
  bool is_mixed = false;
  for (uint32_t i = 0; i < num_before && count < MAX_READERS; i++) {
    TileEpoch epoch = set ? set->epochs[i] : reader;
    if (epoch == access->epoch || is_read_ordered(cta->cluster, access, epoch))
      continue;
    insns[count] = set ? set_insn(set, i) : insn;
    kept[count++] = epoch;
  }
  insns[count] = access_insn(access);
  kept[count++] = access->epoch;
  for (uint32_t i = 1; i < count; i++)
    is_mixed |= insns[i] != insns[0];
  return count == 1
             ? access->epoch
             : set_intern(cta->cluster, kept, is_mixed ? MIXED_INSNS : insns[0],
                          insns, count);
}

/// Those of the readers that are not ordered before `access`, and it.
static uint32_t readers_merge(TileCta *cta, uint32_t readers, uint32_t insn,
                              const TileShadowAccess *access) {
  TileEpoch kept[MAX_READERS + 1];
  uint32_t count = 0;
  const ReadSet *set = is_set(readers) ? set_get(cta->cluster, readers) : NULL;
  const TileEpoch *epochs = set ? set->epochs : &readers;
  uint32_t num_before = set ? set->count : 1;
  uint32_t own = access_insn(access);
  if ((set ? set->insn : insn) != own)
    return readers_merge_mixed(cta, set, readers, insn, access);
  for (uint32_t i = 0; i < num_before && count < MAX_READERS; i++)
    if (epochs[i] != access->epoch &&
        !is_read_ordered(cta->cluster, access, epochs[i]))
      kept[count++] = epochs[i];
  kept[count++] = access->epoch;
  return count == 1 ? access->epoch
                    : set_intern(cta->cluster, kept, own, NULL, count);
}

/// Adds `access` to the readers (by `insn`, when that is one); those ordered
/// before it need no memory. Threads that read one array read its elements in
/// the same order, so steps are kept. A step may be older than what the thread
/// has seen since: then readers stay that could go, which makes no difference
/// to later checks.
static uint32_t readers_add(TileCta *cta, uint32_t readers, uint32_t insn,
                            TileShadowAccess *access) {
  if (TILE_UNLIKELY(access->is_atomic)) // strong: races with plain writes only
    return readers;
  if (readers == 0 || readers == access->epoch)
    return access->epoch;
  if (is_set(readers))
    insn = 0;
  if (readers == access->merged_from && insn == access->merged_insn)
    return access->merged_to;
  uint32_t own = access_insn(access);
  uint32_t hash =
      ((readers + insn * 31) * 0x9e3779b1u ^ access->epoch ^ own << 16) *
      0x85ebca6bu;
  ReadSetStep *step = &sets_get(cta->cluster)->steps[hash >> 20];
  if (step->readers != readers || step->insn != insn ||
      step->epoch != access->epoch || step->epoch_insn != own)
    *step = (ReadSetStep){readers, insn, access->epoch, own,
                          readers_merge(cta, readers, insn, access)};
  access->merged_from = readers;
  access->merged_insn = insn;
  access->merged_to = step->result;
  return step->result;
}

static TileFindingKind after_read_kind(const TileCluster *cluster,
                                       const TileShadowAccess *access,
                                       TileEpoch epoch, bool is_write) {
  bool is_test = access->is_test;
  if (tile_epoch_is_atomic(&cluster->clocks, epoch)) {
    tile_epoch_of_thread(&cluster->clocks, epoch, &is_test);
    is_test = is_test && !is_write;
  }
  return is_test ? TILE_FINDING_RACE_TEST_PEDANTIC
                 : read_race_kind(cluster, access, epoch);
}

/// `access` overwrites a byte that `readers` (by `insn`, when that is one) have
/// read or updated, or reads one that some of them have updated.
static void check_after_read(TileCta *cta, uint32_t offset, uint32_t readers,
                             uint32_t insn, TileShadowAccess *access,
                             bool is_write) {
  const TileCluster *cluster = cta->cluster;
  uint32_t *ordered = &access->ordered_reads[readers % 4];
  if (readers == *ordered)
    return;
  const ReadSet *set = is_set(readers) ? set_get(cluster, readers) : NULL;
  bool any_unused = false;
  uint32_t count = set ? set->count : 1;
  for (uint32_t i = 0; i < count; i++) {
    TileEpoch epoch = set ? set->epochs[i] : readers;
    bool was_atomic = tile_epoch_is_atomic(&cluster->clocks, epoch);
    bool is_harmless = was_atomic ? access->is_atomic : !is_write;
    bool is_ordered_now =
        is_harmless || is_read_ordered(cluster, access, epoch);
    if (TILE_LIKELY(is_ordered_now &&
                    (!is_write || !access->is_async || was_atomic ||
                     has_load_ended(cluster, access, epoch))))
      continue;
    TileFindingKind kind =
        is_ordered_now ? TILE_FINDING_PROXY_LOAD
                       : after_read_kind(cluster, access, epoch, is_write);
    bool is_reported = race_report(
        cta, offset, access, is_write,
        &(TileEarlier){epoch, set ? set_insn(set, i) : insn, false}, kind);
    if (is_reported && !tile_emu_finding_is_pedantic(kind))
      return;
    any_unused |= !is_reported;
  }
  if (!any_unused)
    *ordered = readers;
}

//===-- Bytes of a split chunk --------------------------------------------===//

static void report_uninitialised(TileCta *cta, uint32_t offset,
                                 TileShadowAccess *access) {
  char name[200];
  access->met_thread = true;
  if (access->defers_uninitialised) {
    access->has_undefined = true;
    return;
  }
  tile_emu_shared_name(cta, offset, name);
  tile_emu_find_memory(access->warp, "shared", offset, name);
  tile_emu_find(access->warp, access->insn, tile_lane_bit(access->lane),
                TILE_FINDING_UNINITIALISED,
                "%sread of %s (shared 0x%x), which nobody has written",
                access->what, name, offset);
}

/// Several threads may store the same value: compilers do not always choose
/// one of them.
static bool is_repeated(const TileCta *cta, TileEpoch before,
                        const TileShadowAccess *access) {
  return access->is_idle &&
         tile_epoch_agent(before) < cta->cluster->num_threads;
}

/// Gives every byte of the chunk an entry of its own.
static void split(TileCta *cta, uint32_t chunk_index) {
  TileShadowChunk *chunk = &cta->shadow.chunks[chunk_index];
  if (chunk->is_split)
    return;
  chunk->is_split = true;
  TileShadowByte entry = {chunk->write, chunk->readers, chunk->write_insn,
                          chunk->read_insn};
  for (uint32_t i = 0; i < CHUNK_BYTES; i++)
    cta->shadow.bytes[chunk_index * CHUNK_BYTES + i] = entry;
}

static void read_bytes(TileCta *cta, uint32_t offset, uint32_t count,
                       TileShadowAccess *access) {
  uint32_t insn = access_insn(access);
  bool has_atomic = cta->shadow.chunks[offset / CHUNK_BYTES].has_atomic;
  for (uint32_t at = offset; at < offset + count; at++) {
    TileShadowByte *byte = &cta->shadow.bytes[at];
    if (TILE_UNLIKELY(!byte->write))
      report_uninitialised(cta, at, access);
    else
      check_after_write(cta, at, byte->write, byte->write_insn, access, false);
    if (TILE_UNLIKELY(has_atomic && byte->readers))
      check_after_read(cta, at, byte->readers, byte->read_insn, access, false);
    byte->readers = readers_add(cta, byte->readers, byte->read_insn, access);
    byte->read_insn = insn;
  }
}

static void write_bytes(TileCta *cta, uint32_t offset, uint32_t count,
                        TileShadowAccess *access) {
  uint32_t insn = access_insn(access);
  for (uint32_t at = offset; at < offset + count; at++) {
    TileShadowByte *byte = &cta->shadow.bytes[at];
    if (byte->write && !is_repeated(cta, byte->write, access))
      check_after_write(cta, at, byte->write, byte->write_insn, access, true);
    if (byte->readers)
      check_after_read(cta, at, byte->readers, byte->read_insn, access, true);
    *byte = (TileShadowByte){access->epoch, 0, insn, 0};
  }
}

//===-- Chunks ------------------------------------------------------------===//

/// `count` bytes from `offset` on, all in this chunk.
static inline void read_chunk(TileCta *cta, uint32_t offset, uint32_t count,
                              TileShadowAccess *access) {
  TileShadowChunk *chunk = &cta->shadow.chunks[offset / CHUNK_BYTES];
  if (TILE_UNLIKELY(count < CHUNK_BYTES || chunk->is_split)) {
    split(cta, offset / CHUNK_BYTES);
    read_bytes(cta, offset, count, access);
    return;
  }
  if (TILE_UNLIKELY(!chunk->write))
    report_uninitialised(cta, offset, access);
  else if (chunk->write != access->ordered_write)
    check_after_write(cta, offset, chunk->write, chunk->write_insn, access,
                      false);
  if (chunk->readers != access->epoch)
    chunk->readers = readers_add(cta, chunk->readers, chunk->read_insn, access);
  chunk->read_insn = access_insn(access);
}

static inline void write_chunk(TileCta *cta, uint32_t offset, uint32_t count,
                               TileShadowAccess *access) {
  TileShadowChunk *chunk = &cta->shadow.chunks[offset / CHUNK_BYTES];
  if (count < CHUNK_BYTES) {
    split(cta, offset / CHUNK_BYTES);
    write_bytes(cta, offset, count, access);
    return;
  }
  if (chunk->is_split) {
    write_bytes(cta, offset, count, access);
    chunk->is_split = chunk->has_atomic = false;
  } else if (TILE_UNLIKELY(access->is_bulk && chunk->write == access->epoch))
    race_report(cta, offset, access, true,
                &(TileEarlier){chunk->write, chunk->write_insn, true},
                TILE_FINDING_RACE_OVERLAP);
  else {
    if (chunk->write && !is_repeated(cta, chunk->write, access))
      check_after_write(cta, offset, chunk->write, chunk->write_insn, access,
                        true);
    if (chunk->readers)
      check_after_read(cta, offset, chunk->readers, chunk->read_insn, access,
                       true);
  }
  chunk->write = access->epoch;
  chunk->write_insn = access_insn(access);
  chunk->readers = 0;
}

static void check_mbarrier(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                           const TileShadowAccess *access, const char *verb) {
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

//===-- Entry -------------------------------------------------------------===//

static inline uint32_t chunk_rest(uint32_t offset, uint32_t end) {
  uint32_t chunk_end = (offset / CHUNK_BYTES + 1) * CHUNK_BYTES;
  return (chunk_end < end ? chunk_end : end) - offset;
}

void tile_emu_shadow_read(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                          TileShadowAccess *access) {
  TileShadow *shadow = &cta->shadow;
  uint32_t end = offset + size_bytes;
  if (TILE_UNLIKELY(cta->undefined))
    tile_emu_undefined_bytes(cta, offset, size_bytes, access);
  while (offset < end) {
    uint32_t chunk = offset / CHUNK_BYTES, count = chunk_rest(offset, end);
    if (TILE_UNLIKELY(shadow->chunks[chunk].has_mbarrier))
      check_mbarrier(cta, offset, count, access, "read");
    read_chunk(cta, offset, count, access);
    offset += count;
  }
}

void tile_emu_shadow_read_units(TileCta *cta, const uint32_t *offsets,
                                uint32_t count, TileShadowAccess *access) {
  uint32_t index = access_insn(access);
  for (uint32_t i = 0; i < count; i++) {
    TileShadowChunk *chunk = &cta->shadow.chunks[offsets[i] / CHUNK_BYTES];
    bool is_plain = !chunk->is_split && !chunk->has_mbarrier &&
                    chunk->write == access->ordered_write && chunk->write;
    if (TILE_UNLIKELY(!is_plain)) {
      tile_emu_shadow_read(cta, offsets[i], CHUNK_BYTES, access);
      continue;
    }
    if (chunk->readers != access->epoch)
      chunk->readers = chunk->readers ? readers_add(cta, chunk->readers,
                                                    chunk->read_insn, access)
                                      : access->epoch;
    chunk->read_insn = index;
  }
}

void tile_emu_shadow_write(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                           TileShadowAccess *access) {
  TileShadow *shadow = &cta->shadow;
  uint32_t end = offset + size_bytes;
  if (TILE_UNLIKELY(cta->undefined))
    memset(cta->undefined + offset, 0, size_bytes * sizeof *cta->undefined);
  shadow->num_changes++;
  while (offset < end) {
    uint32_t chunk = offset / CHUNK_BYTES, count = chunk_rest(offset, end);
    if (TILE_UNLIKELY(shadow->chunks[chunk].has_mbarrier))
      check_mbarrier(cta, offset, count, access, "write");
    write_chunk(cta, offset, count, access);
    shadow->chunks[chunk].layout = access->layout;
    offset += count;
  }
}

void tile_emu_shadow_atomic(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                            TileShadowAccess *access, bool is_test) {
  const TileClocks *clocks = &cta->cluster->clocks;
  TileEpoch epoch = access->epoch;
  uint32_t insn = access_insn(access);
  access->is_atomic = true;
  access->is_test = is_test;
  if (clocks->first_atomic)
    epoch = tile_epoch_of_atomic(clocks, epoch, is_test);
  cta->shadow.num_changes++;
  for (uint32_t at = offset; at < offset + size_bytes; at++) {
    TileShadowChunk *chunk = &cta->shadow.chunks[at / CHUNK_BYTES];
    TileShadowByte *byte = &cta->shadow.bytes[at];
    split(cta, at / CHUNK_BYTES);
    if (!byte->write) {
      byte->write = epoch;
      byte->write_insn = insn;
    }
    if (!clocks->first_atomic)
      continue; // not checked
    check_after_write(cta, at, byte->write, byte->write_insn, access, true);
    if (byte->readers)
      check_after_read(cta, at, byte->readers, byte->read_insn, access, true);
    byte->readers = epoch; // of many updates the last one is enough
    byte->read_insn = insn;
    chunk->has_atomic = true;
  }
}

void tile_emu_shadow_reduce(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                            TileShadowAccess *access) {
  uint32_t first_mbarrier = cta->cluster->clocks.first_mbarrier;
  access->is_atomic = true;
  cta->shadow.num_changes++;
  for (uint32_t at = offset; at < offset + size_bytes; at++) {
    split(cta, at / CHUNK_BYTES);
    TileShadowByte *byte = &cta->shadow.bytes[at];
    bool was_async = tile_epoch_agent(byte->write) >= first_mbarrier;
    if (!byte->write)
      report_uninitialised(cta, at, access);
    else if (!was_async)
      check_after_write(cta, at, byte->write, byte->write_insn, access, true);
    if (byte->readers)
      check_after_read(cta, at, byte->readers, byte->read_insn, access, true);
    *byte = (TileShadowByte){access->epoch, 0, access_insn(access), 0};
  }
}
