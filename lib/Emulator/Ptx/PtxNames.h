//===- PtxNames.h - Names of a scope, found in constant time --------------===//
#ifndef TILE_EMULATOR_PTX_NAMES_H
#define TILE_EMULATOR_PTX_NAMES_H

#include "Emulator/HostMemory.h"

#include <stdbool.h>
#include <stdint.h>

/// A piece of the PTX text.
typedef struct {
  const char *start;
  uint32_t length;
} TileText;

typedef struct {
  TileText name; // start NULL: free
  uint32_t value;
} TileNameEntry;

/// A zeroed table is empty. Memory belongs to the arena.
typedef struct {
  TileNameEntry *entries;
  uint32_t capacity, count; // capacity: 0 or a power of two
} TileNameTable;

/// The value of `name`, or NULL.
const uint32_t *tile_emu_names_find(const TileNameTable *table, TileText name);
/// False when the name is there already.
bool tile_emu_names_add(TileNameTable *table, TileArena *arena, TileText name,
                        uint32_t value);

#endif // TILE_EMULATOR_PTX_NAMES_H
