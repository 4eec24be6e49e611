//===- HostMemory.c - Memory that cannot run out --------------------------===//

#include "HostMemory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void *tile_emu_malloc(size_t size_bytes) {
  void *memory = malloc(size_bytes ? size_bytes : 1);
  if (!memory)
    abort();
  return memory;
}

void *tile_emu_calloc(size_t count, size_t elem_bytes) {
  void *memory = calloc(count ? count : 1, elem_bytes ? elem_bytes : 1);
  if (!memory)
    abort();
  return memory;
}

void *tile_emu_realloc(void *memory, size_t size_bytes) {
  void *larger = realloc(memory, size_bytes ? size_bytes : 1);
  if (!larger)
    abort();
  return larger;
}

void *tile_emu_aligned(size_t align_bytes, size_t size_bytes) {
  size_t rounded = (size_bytes + align_bytes) / align_bytes * align_bytes;
  void *memory = aligned_alloc(align_bytes, rounded);
  if (!memory)
    abort();
  return memory;
}

void *tile_emu_arena_grow(TileArena *arena, void *array, size_t count,
                          size_t elem_bytes) {
  // Capacities are powers of two from 16 on, so `count` tells when it is full.
  bool is_full = count == 0 || (count >= 16 && (count & (count - 1)) == 0);
  if (!is_full)
    return array;
  size_t capacity = count ? 2 * count : 16;
  void *larger = tile_arena_alloc(arena, capacity * elem_bytes);
  if (count)
    memcpy(larger, array, count * elem_bytes);
  return larger;
}
