//===- Arithmetic.h - Small functions of whole numbers --------------------===//
#ifndef TILE_SUPPORT_ARITHMETIC_H
#define TILE_SUPPORT_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/// The largest number that divides both, never negative. Everything divides 0,
/// so the result for 0 and x is the magnitude of x.
static inline int64_t tile_gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static inline bool tile_is_power_of_two(int64_t x) {
  return x > 0 && !(x & (x - 1));
}

#endif // TILE_SUPPORT_ARITHMETIC_H
