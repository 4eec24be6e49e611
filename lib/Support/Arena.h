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

/// `from_bytes` of `from`, then zeros; `to_bytes` in all, at least as
/// many.
void *tile_arena_copy(TileArena *arena, const void *from, size_t from_bytes,
                      size_t to_bytes);

/// Room for one more of `items`: doubles them when `count` has come to their
/// `capacity`. All three are lvalues without side effects; 0 is an empty array.
#define TILE_ARENA_RESERVE(arena, items, count, capacity)                      \
  do {                                                                         \
    if ((count) != (capacity))                                                 \
      break;                                                                   \
    (capacity) = (capacity) ? 2 * (capacity) : 16;                             \
    (items) =                                                                  \
        tile_arena_copy((arena), (items), sizeof *(items) * (size_t)(count),   \
                        sizeof *(items) * (size_t)(capacity));                 \
  } while (0)

#define TILE_ARENA_NEW(arena, type, count)                                     \
  ((type *)tile_arena_alloc((arena), sizeof(type) * (size_t)(count)))

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_ARENA_H
