//===- Limits.h - When a compilation has to end ---------------------------===//
#ifndef TILE_LIB_TARGET_LIMITS_H
#define TILE_LIB_TARGET_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The flag may be set by any thread; the rest belongs to the compilation.
typedef struct {
  atomic_bool is_cancelled;
  uint64_t max_ms, max_memory_bytes; // 0: none
  double end_ms;                     // of tile_now_ms
  uint64_t start_bytes;              // of the heap
  atomic_int reached;                // which one was, for good
} TileLimits;

/// Begins a compilation: its time, and what the heap holds before it.
void tile_limits_begin(TileLimits *limits);

/// NULL while nothing has been reached, else the code of the error, "cancel",
/// "time" or "memory", and its text. What has been reached stays so until the
/// next begin: memory that is freed on the way out changes nothing.
const char *tile_limits_reached(TileLimits *limits, char *out_text,
                                size_t capacity);

#endif // TILE_LIB_TARGET_LIMITS_H
