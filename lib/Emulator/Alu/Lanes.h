//===- Lanes.h - Sets of the 32 lanes of a warp ---------------------------===//
//
// A warp instruction works on a set of lanes, one bit each. The common case
// is all 32: TILE_VECTOR then is a plain counted loop that compilers turn into
// vector code; TILE_FOR_LANES visits the set bits in ascending order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_LANES_H
#define TILE_EMULATOR_LANES_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t TileLanes;

enum { TILE_WARP_SIZE = 32 };
#define TILE_ALL_LANES 0xffffffffu

#define TILE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TILE_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static inline uint32_t tile_lane_first(TileLanes lanes) {
  return (uint32_t)__builtin_ctz(lanes);
}

static inline uint32_t tile_lane_count(TileLanes lanes) {
  return (uint32_t)__builtin_popcount(lanes);
}

static inline TileLanes tile_lane_bit(uint32_t lane) { return 1u << lane; }

static inline bool tile_lane_in(TileLanes lanes, uint32_t lane) {
  return (lanes >> lane) & 1u;
}

#define TILE_FOR_LANES(lane, lanes)                                            \
  for (TileLanes lane##_left = (lanes), lane = 0;                              \
       lane##_left && ((lane = tile_lane_first(lane##_left)), true);           \
       lane##_left &= lane##_left - 1)

#if defined(__clang__)
#define TILE_INDEPENDENT_ITERATIONS /* clang decides by itself */
#else
#define TILE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

/// Runs the statements for every lane `l` of `lanes`. Source and destination
/// registers are either the same register or disjoint, so iterations are
/// independent.
#define TILE_VECTOR(lanes, ...)                                                \
  do {                                                                         \
    if (TILE_LIKELY((lanes) == TILE_ALL_LANES)) {                              \
      TILE_INDEPENDENT_ITERATIONS                                              \
      for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {                          \
        __VA_ARGS__;                                                           \
      }                                                                        \
    } else {                                                                   \
      for (TileLanes rest_ = (lanes); rest_; rest_ &= rest_ - 1) {             \
        uint32_t l = tile_lane_first(rest_);                                   \
        __VA_ARGS__;                                                           \
      }                                                                        \
    }                                                                          \
  } while (0)

#endif // TILE_EMULATOR_LANES_H
