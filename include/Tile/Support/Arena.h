//===- Arena.h - Memory that is freed all at once -------------------------===//
#ifndef TILE_SUPPORT_ARENA_H
#define TILE_SUPPORT_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TileArenaBlock TileArenaBlock;

/// One arena per pass run; not thread safe.
typedef struct {
  TileArenaBlock *blocks; // newest first
} TileArena;

void tile_arena_init(TileArena *arena);
/// Frees everything that was allocated from the arena.
void tile_arena_deinit(TileArena *arena);
/// Zero-filled, aligned for any object. Aborts when memory is exhausted.
void *tile_arena_alloc(TileArena *arena, size_t size_bytes);
/// A copy of the first `length` bytes of `text`, terminated.
char *tile_arena_strdup(TileArena *arena, const char *text, size_t length);

#define TILE_ARENA_NEW(arena, type, count)                                     \
  ((type *)tile_arena_alloc((arena), sizeof(type) * (size_t)(count)))

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_ARENA_H
