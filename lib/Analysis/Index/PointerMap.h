//===- PointerMap.h - Looks up what belongs to a pointer ------------------===//
//
// A hash table from pointers to pointers, in an arena. It is only asked, never
// walked: nothing depends on the order of addresses.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_POINTER_MAP_H
#define TILE_ANALYSIS_POINTER_MAP_H

#include "Support/Arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const void *key; // NULL: free
  void *value;
} TilePointerMapEntry;

/// Zero-initialise all but the arena.
typedef struct {
  TileArena *arena;
  TilePointerMapEntry *entries;
  size_t num_entries, capacity; // capacity: 0 or a power of two
} TilePointerMap;

static inline TilePointerMapEntry *
tile_pointer_map_slot(const TilePointerMap *map, const void *key) {
  // Multiplicative hashing (Knuth); the low bits of addresses say little.
  uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
  size_t i = (size_t)(hash >> 32) & (map->capacity - 1);
  while (map->entries[i].key && map->entries[i].key != key)
    i = (i + 1) & (map->capacity - 1);
  return &map->entries[i];
}

/// What was set for `key`; NULL when nothing was.
static inline void *tile_pointer_map_get(const TilePointerMap *map,
                                         const void *key) {
  return map->capacity ? tile_pointer_map_slot(map, key)->value : NULL;
}

/// Neither `key` nor `value` is NULL.
static inline void tile_pointer_map_set(TilePointerMap *map, const void *key,
                                        void *value) {
  if (2 * map->num_entries >= map->capacity) {
    TilePointerMap larger = {map->arena, NULL, 0,
                             map->capacity ? 2 * map->capacity : 64};
    larger.entries =
        TILE_ARENA_NEW(map->arena, TilePointerMapEntry, larger.capacity);
    for (size_t i = 0; i < map->capacity; i++)
      if (map->entries[i].key)
        tile_pointer_map_set(&larger, map->entries[i].key,
                             map->entries[i].value);
    *map = larger;
  }
  TilePointerMapEntry *entry = tile_pointer_map_slot(map, key);
  map->num_entries += !entry->key;
  *entry = (TilePointerMapEntry){key, value};
}

#endif // TILE_ANALYSIS_POINTER_MAP_H
