//===- Limits.c - When a compilation has to end ---------------------------===//

#include "Target/Limits.h"

#include "Target/PhaseTimer.h"
#include <malloc.h>
#include <stdio.h>

static uint64_t heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
}

void tile_limits_begin(TileLimits *limits) {
  limits->end_ms = tile_now_ms() + (double)limits->max_ms;
  limits->start_bytes = limits->max_memory_bytes ? heap_bytes() : 0;
}

// Milliseconds that are left; -1: any number.
static int64_t left_ms(const TileLimits *limits) {
  if (!limits->max_ms)
    return -1;
  double left = limits->end_ms - tile_now_ms();
  return left > 0 ? (int64_t)left : 0;
}

const char *tile_limits_reached(const TileLimits *limits, char *out_text,
                                size_t capacity) {
  if (atomic_load(&limits->is_cancelled)) {
    snprintf(out_text, capacity, "was cancelled");
    return "cancel";
  }
  if (left_ms(limits) == 0) {
    snprintf(out_text, capacity, "took longer than its limit of %llu ms",
             (unsigned long long)limits->max_ms);
    return "time";
  }
  uint64_t now_bytes = limits->max_memory_bytes ? heap_bytes() : 0;
  if (now_bytes <= limits->start_bytes ||
      now_bytes - limits->start_bytes <= limits->max_memory_bytes)
    return NULL;
  snprintf(out_text, capacity, "took more memory than its limit of %llu bytes",
           (unsigned long long)limits->max_memory_bytes);
  return "memory";
}
