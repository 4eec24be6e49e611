//===- KeyTable.c - Interned keys -----------------------------------------===//

#include "KeyTable.h"

enum { FIRST_BUCKETS = 64 };

// Multiplication leaves the low bits the poorest: the high ones join them.
static uint32_t fold(uint64_t hash) { return (uint32_t)(hash ^ hash >> 32); }

static uint32_t free_bucket(const TileKeyTable *table, uint32_t hash) {
  uint32_t at = hash & (table->num_buckets - 1);
  while (table->buckets[at].number)
    at = (at + 1) & (table->num_buckets - 1);
  return at;
}

static void grow(TileKeyTable *table) {
  TileKeyBucket *old = table->buckets;
  uint32_t num_old = table->num_buckets;
  table->num_buckets = num_old ? 2 * num_old : FIRST_BUCKETS;
  table->buckets =
      TILE_ARENA_NEW(table->arena, TileKeyBucket, table->num_buckets);
  for (uint32_t i = 0; i < num_old; i++)
    if (old[i].number)
      table->buckets[free_bucket(table, old[i].hash)] = old[i];
}

TileKeySearch tile_key_search(TileKeyTable *table, uint64_t hash) {
  uint32_t folded = fold(hash);
  uint32_t first = table->num_buckets ? folded & (table->num_buckets - 1) : 0;
  return (TileKeySearch){table, folded, first, -1};
}

int32_t tile_key_add(TileKeySearch *search) {
  TileKeyTable *table = search->table;
  if (2 * (uint32_t)table->count >= table->num_buckets)
    grow(table);
  table->buckets[free_bucket(table, search->hash)] =
      (TileKeyBucket){search->hash, table->count + 1};
  return table->count++;
}

//===-- What belongs to a pointer -----------------------------------------===//

// Multiplicative hashing (Knuth); the low bits of addresses say little.
static uint64_t hash_of_pointer(const void *key) {
  return (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
}

static int32_t find(TileKeySearch *search, const TilePointerMap *map,
                    const void *key) {
  while (tile_key_next(search))
    if (map->entries[search->index].key == key)
      return search->index;
  return -1;
}

void *tile_pointer_map_get(const TilePointerMap *map, const void *key) {
  TileKeyTable keys = map->keys; // a search alone changes nothing
  TileKeySearch search = tile_key_search(&keys, hash_of_pointer(key));
  int32_t found = find(&search, map, key);
  return found < 0 ? NULL : map->entries[found].value;
}

void tile_pointer_map_set(TilePointerMap *map, const void *key, void *value) {
  map->keys.arena = map->arena;
  TileKeySearch search = tile_key_search(&map->keys, hash_of_pointer(key));
  int32_t found = find(&search, map, key);
  if (found < 0) {
    TILE_ARENA_RESERVE(map->arena, map->entries, map->keys.count,
                       map->capacity);
    found = tile_key_add(&search);
  }
  map->entries[found] = (TilePointerMapEntry){key, value};
}
