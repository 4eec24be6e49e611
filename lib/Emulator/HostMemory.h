//===- HostMemory.h - Memory that cannot run out --------------------------===//
//
// malloc, calloc and realloc that abort when the host is out of memory, and
// arrays in an arena. Memory that users ask for by size is not taken here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_HOST_MEMORY_H
#define TILE_EMULATOR_HOST_MEMORY_H

#include "Support/Arena.h"

#include <stddef.h>

void *tile_emu_malloc(size_t size_bytes);
void *tile_emu_calloc(size_t count, size_t elem_bytes);
void *tile_emu_realloc(void *memory, size_t size_bytes);
/// Aligned and not initialised; `align_bytes` is a power of two. free().
void *tile_emu_aligned(size_t align_bytes, size_t size_bytes);

/// `array` with room for one more element of `elem_bytes`; the old array is
/// abandoned when it grows. `count` is the number of elements in use.
void *tile_emu_arena_grow(TileArena *arena, void *array, size_t count,
                          size_t elem_bytes);

#endif // TILE_EMULATOR_HOST_MEMORY_H
