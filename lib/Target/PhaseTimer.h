//===- PhaseTimer.h - Milliseconds between phases -------------------------===//
#ifndef TILE_LIB_TARGET_PHASE_TIMER_H
#define TILE_LIB_TARGET_PHASE_TIMER_H

#include <time.h>

static inline double tile_now_ms(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/// Milliseconds since `*start_ms`, which becomes now.
static inline double tile_lap_ms(double *start_ms) {
  double now_ms = tile_now_ms();
  double lap_ms = now_ms - *start_ms;
  *start_ms = now_ms;
  return lap_ms;
}

#endif // TILE_LIB_TARGET_PHASE_TIMER_H
