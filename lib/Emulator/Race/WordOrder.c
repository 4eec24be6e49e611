//===- WordOrder.c - Threads that synchronise through words of memory -----===//

#include "WordOrder.h"

#include <stdlib.h>

enum { WORD_BYTES = 4, MIN_CAPACITY = 64 };

/// A word that somebody has released.
typedef struct {
  uintptr_t key; // 0: free
  TileSyncPoint sync;
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
  TileSyncPoint *sync = &word_get(cluster, key)->sync;
  if (releases)
    tile_emu_sync_release(clocks, thread, sync);
  else
    tile_emu_sync_release_until(clocks, thread, sync, warp->fence_tick[lane]);
  tile_emu_sync_publish(clocks, sync);
}

void tile_emu_words_clear(TileCluster *cluster) {
  struct TileWords *table = cluster->words;
  if (!table)
    return;
  for (uint32_t i = 0; i < table->capacity; i++)
    tile_emu_sync_deinit(&cluster->clocks, &table->words[i].sync);
  free(table->words);
  free(table);
  cluster->words = NULL;
}
