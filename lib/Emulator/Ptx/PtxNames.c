//===- PtxNames.c - Names of a scope, found in constant time --------------===//

#include "PtxNames.h"

#include <string.h>

/// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv.
static uint32_t hash_of(TileText name) {
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0; i < name.length; i++)
    hash = (hash ^ (uint8_t)name.start[i]) * 16777619u;
  return hash ^ hash >> 15;
}

/// The entry of the name, or the free one where it belongs.
static TileNameEntry *entry_of(const TileNameTable *table, TileText name) {
  uint32_t at = hash_of(name) & (table->capacity - 1);
  for (;;) {
    TileNameEntry *entry = &table->entries[at];
    bool is_same = entry->name.length == name.length && entry->name.start &&
                   !memcmp(entry->name.start, name.start, name.length);
    if (is_same || !entry->name.start)
      return entry;
    at = (at + 1) & (table->capacity - 1);
  }
}

const uint32_t *tile_emu_names_find(const TileNameTable *table, TileText name) {
  if (!table->capacity)
    return NULL;
  const TileNameEntry *entry = entry_of(table, name);
  return entry->name.start ? &entry->value : NULL;
}

static void grow(TileNameTable *table, TileArena *arena) {
  TileNameTable larger = {.capacity =
                              table->capacity ? 4 * table->capacity : 16};
  larger.entries =
      tile_arena_alloc(arena, larger.capacity * sizeof *larger.entries);
  for (uint32_t i = 0; i < table->capacity; i++)
    if (table->entries[i].name.start)
      *entry_of(&larger, table->entries[i].name) = table->entries[i];
  larger.count = table->count;
  *table = larger;
}

bool tile_emu_names_add(TileNameTable *table, TileArena *arena, TileText name,
                        uint32_t value) {
  if (2 * table->count >= table->capacity)
    grow(table, arena);
  TileNameEntry *entry = entry_of(table, name);
  if (entry->name.start)
    return false;
  *entry = (TileNameEntry){name, value};
  table->count++;
  return true;
}
