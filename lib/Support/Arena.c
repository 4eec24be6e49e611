//===- Arena.c - Memory that is freed all at once -------------------------===//

#include "Arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE_BYTES = 64 * 1024 };

struct TileArenaBlock {
  TileArenaBlock *next;
  size_t used_bytes, size_bytes;
  alignas(max_align_t) unsigned char data[];
};

void tile_arena_init(TileArena *arena) { arena->blocks = NULL; }

void tile_arena_deinit(TileArena *arena) {
  for (TileArenaBlock *block = arena->blocks; block;) {
    TileArenaBlock *next = block->next;
    free(block);
    block = next;
  }
  arena->blocks = NULL;
}

static TileArenaBlock *block_create(size_t size_bytes) {
  TileArenaBlock *block = malloc(sizeof(TileArenaBlock) + size_bytes);
  if (!block) {
    fprintf(stderr, "tile: out of memory: %zu bytes\n", size_bytes);
    abort();
  }
  block->next = NULL;
  block->used_bytes = 0;
  block->size_bytes = size_bytes;
  return block;
}

void *tile_arena_alloc(TileArena *arena, size_t size_bytes) {
  size_t align = alignof(max_align_t);
  size_t rounded = (size_bytes + align - 1) & ~(align - 1);
  TileArenaBlock *block = arena->blocks;
  if (!block || block->size_bytes - block->used_bytes < rounded) {
    block = block_create(rounded > BLOCK_SIZE_BYTES ? rounded
                                                    : (size_t)BLOCK_SIZE_BYTES);
    block->next = arena->blocks;
    arena->blocks = block;
  }
  void *memory = block->data + block->used_bytes;
  block->used_bytes += rounded;
  memset(memory, 0, rounded);
  return memory;
}

void *tile_arena_copy(TileArena *arena, const void *from, size_t from_bytes,
                      size_t to_bytes) {
  void *to = tile_arena_alloc(arena, to_bytes);
  if (from_bytes)
    memcpy(to, from, from_bytes);
  return to;
}

char *tile_arena_strdup(TileArena *arena, const char *text, size_t length) {
  char *copy = tile_arena_alloc(arena, length + 1);
  if (length) // the text may be NULL then
    memcpy(copy, text, length);
  return copy;
}
