//===- layout-check.h - Checks and random numbers of the layout tests -----===//
//
// Random inputs are a fixed sequence: every test program starts the generator
// at the same seed, so a failure repeats.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_CHECK_H
#define TILE_TEST_UNIT_LAYOUT_CHECK_H

// cmocka.h needs the first three.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/// Ends the test with a message when `cond` is false.
#define CHECK(cond, ...)                                                       \
  do {                                                                         \
    if (!(cond)) {                                                             \
      print_error("%s:%d: %s: ", __FILE__, __LINE__, #cond);                   \
      print_error(__VA_ARGS__);                                                \
      print_error("\n");                                                       \
      fail();                                                                  \
    }                                                                          \
  } while (0)

/// xorshift64 from the fixed seed 88172645463325252; a number below `n`.
static inline unsigned rnd(unsigned n) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 11) % n;
}

#endif
