//===- Limits.c - When a compilation has to end ---------------------------===//

#include "Target/Limits.h"

#include "Target/PhaseTimer.h"

#include <malloc.h>
#include <stdio.h>

enum { NOT_REACHED, CANCELLED, TOO_LONG, TOO_LARGE };

static uint64_t heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
}

void tile_limits_begin(TileLimits *limits) {
  limits->end_ms = tile_now_ms() + (double)limits->max_ms;
  limits->start_bytes = limits->max_memory_bytes ? heap_bytes() : 0;
  atomic_store(&limits->reached, NOT_REACHED);
}

// Milliseconds that are left; -1: any number.
static int64_t left_ms(const TileLimits *limits) {
  if (!limits->max_ms)
    return -1;
  double left = limits->end_ms - tile_now_ms();
  return left > 0 ? (int64_t)left : 0;
}

static bool is_too_large(const TileLimits *limits) {
  uint64_t now_bytes = limits->max_memory_bytes ? heap_bytes() : 0;
  return now_bytes > limits->start_bytes &&
         now_bytes - limits->start_bytes > limits->max_memory_bytes;
}

// Several threads may ask: the first one to find out decides for all.
static int find_reached(TileLimits *limits) {
  int before = atomic_load(&limits->reached);
  if (before != NOT_REACHED)
    return before;
  int now = atomic_load(&limits->is_cancelled) ? CANCELLED
            : left_ms(limits) == 0             ? TOO_LONG
            : is_too_large(limits)             ? TOO_LARGE
                                               : NOT_REACHED;
  if (now == NOT_REACHED ||
      atomic_compare_exchange_strong(&limits->reached, &before, now))
    return now;
  return before;
}

const char *tile_limits_reached(TileLimits *limits, char *out_text,
                                size_t capacity) {
  switch (find_reached(limits)) {
  case CANCELLED:
    snprintf(out_text, capacity, "was cancelled");
    return "cancel";
  case TOO_LONG:
    snprintf(out_text, capacity, "took longer than its limit of %llu ms",
             (unsigned long long)limits->max_ms);
    return "time";
  case TOO_LARGE:
    snprintf(out_text, capacity,
             "took more memory than its limit of %llu bytes",
             (unsigned long long)limits->max_memory_bytes);
    return "memory";
  default:
    return NULL;
  }
}
