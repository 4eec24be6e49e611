//===- KeyTable.h - Interned keys -----------------------------------------===//
//
// A hash table that gives equal keys the same number: 0, 1, 2, … in the order
// in which they were added. The keys themselves stand in an array of the
// caller, who hashes and compares them; the table keeps hashes and numbers. It
// is asked, never walked, so nothing depends on hashes or addresses.
//
//   TileKeySearch search = tile_key_search(&table, hash_of(key));
//   while (tile_key_next(&search))
//     if (is_same(&items[search.index], key))
//       return search.index;
//   int index = tile_key_add(&search);
//   …                                   // room for items[index]
//   items[index] = key;
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_KEY_TABLE_H
#define TILE_SUPPORT_KEY_TABLE_H

#include "Arena.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===-- Hashes ------------------------------------------------------------===//

/// Begin with TILE_HASH_START and mix in each part of the key.
/// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv, a word at a time.
#define TILE_HASH_START UINT64_C(1469598103934665603)

static inline uint64_t tile_hash_word(uint64_t hash, uint64_t word) {
  return (hash ^ word) * UINT64_C(1099511628211);
}

static inline uint64_t tile_hash_bytes(uint64_t hash, const void *data,
                                       size_t size_bytes) {
  const unsigned char *bytes = (const unsigned char *)data;
  for (size_t i = 0; i < size_bytes; i++)
    hash = tile_hash_word(hash, bytes[i]);
  return hash;
}

//===-- Table -------------------------------------------------------------===//

typedef struct {
  uint32_t hash;
  int32_t number; // of the key, from 1; 0: free
} TileKeyBucket;

/// Set the arena, which must live as long; the rest is zero to begin with.
typedef struct {
  TileArena *arena;
  TileKeyBucket *buckets;
  int32_t count;        // of keys
  uint32_t num_buckets; // 0 or a power of two
} TileKeyTable;

/// A search in progress; the table must not change but by tile_key_add of it.
typedef struct {
  TileKeyTable *table;
  uint32_t hash, at; // next bucket
  int32_t index;     // of the key to compare with, after tile_key_next
} TileKeySearch;

TileKeySearch tile_key_search(TileKeyTable *table, uint64_t hash);

/// True when `index` names a key that has the same hash; false when there is
/// none any more.
static inline bool tile_key_next(TileKeySearch *search) {
  const TileKeyTable *table = search->table;
  while (table->num_buckets) {
    const TileKeyBucket *bucket = &table->buckets[search->at];
    if (!bucket->number)
      return false;
    search->at = (search->at + 1) & (table->num_buckets - 1);
    search->index = bucket->number - 1;
    if (bucket->hash == search->hash)
      return true;
  }
  return false;
}

/// Adds the key that the search did not find, after tile_key_next said false.
/// Returns its number.
int32_t tile_key_add(TileKeySearch *search);

//===-- What belongs to a pointer -----------------------------------------===//

typedef struct {
  const void *key;
  void *value;
} TilePointerMapEntry;

/// Pointers with a value each. Set the arena, which must live as long; the rest
/// is zero to begin with.
typedef struct {
  TileArena *arena;
  TileKeyTable keys;
  TilePointerMapEntry *entries; // by number of the key
  int32_t capacity;
} TilePointerMap;

/// What was set for `key`; NULL when nothing was.
void *tile_pointer_map_get(const TilePointerMap *map, const void *key);
/// Neither `key` nor `value` is NULL.
void tile_pointer_map_set(TilePointerMap *map, const void *key, void *value);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_KEY_TABLE_H
