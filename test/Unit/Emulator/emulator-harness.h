//===- emulator-harness.h - Runs PTX snippets in unit tests ---------------===//
//
// harness_run parses a module, fills buffers, launches its first kernel and
// copies the buffers back. harness_lanes wraps one or few instructions of one
// warp: operands in, results out, no boilerplate in the test.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_EMULATOR_HARNESS_H
#define TILE_TEST_UNIT_EMULATOR_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Tile/Emulator.h"

#include <stdio.h>
#include <string.h>

#define HARNESS_HEADER ".version 9.0\n.target sm_90a\n.address_size 64\n"

enum { HARNESS_MAX_ARGS = 12, HARNESS_LANES = 32 };

/// Memory of the device, filled from and copied back to `data`.
typedef struct {
  void *data;
  size_t size_bytes;
  const char *name;
} HarnessBuffer;

/// One kernel argument: a buffer, a tensor map over a buffer, or a value.
typedef struct {
  HarnessBuffer buffer;
  TileTensorMap map; // rank 0: none; `address` is filled in
  int map_of;        // number of the argument whose buffer the map describes
  uint32_t value;    // when there is neither
} HarnessArg;

typedef struct {
  const char *ptx;
  uint32_t grid[3], block, cluster; // 0: 1, a block of 32
  size_t smem_bytes;
  HarnessArg args[HARNESS_MAX_ARGS];
  size_t num_args;
  size_t num_memory_args; // the first ones, which the kernel does not take
  TileEmuOptions options; // seed 0: the defaults
  void (*inspect)(TileEmu *emu, void *user_data); // after the launch, or NULL
  void *user_data;
} HarnessRun;

typedef struct {
  TileStatus status;
  char *report; // harness_result_deinit
  char *output;
  char kinds[400]; // of findings, each followed by a space
  size_t num_findings;
  TileEmuStats stats;
} HarnessResult;

/// Fails the test when the module cannot be parsed.
HarnessResult harness_run(const HarnessRun *run);
void harness_result_deinit(HarnessResult *result);
/// harness_run, and fails the test when there is any finding.
void harness_run_clean(const HarnessRun *run);
/// harness_run; fails the test unless a finding of `kind` is reported and its
/// report contains `text`.
void harness_run_finds(const HarnessRun *run, const char *kind,
                       const char *text);
/// Parses text that is not PTX; fails unless the message contains `text`.
void harness_parse_fails(const char *ptx, const char *text);

//===-- Instructions of one warp ------------------------------------------===//

/// Operands of a lane. PTX names: a64 (b64), a32 (b32, the low half), a16
/// (b16), fa (f32, the same bits), da (f64); likewise b, c, e. Predicates pa
/// and pb are the lowest bit of a and b.
typedef struct {
  uint64_t a, b, c, e;
} HarnessOperands;

/// Results of a lane. PTX names d64, d32, d16, fd, dd, p, q.
typedef struct {
  uint64_t d64;
  uint64_t dd;
  uint32_t d32, fd;
  uint32_t d16, p, q, unused;
} HarnessResults;

/// Executes `text` in all lanes of a warp; fails the test on any finding.
void harness_lanes(const char *text,
                   const HarnessOperands operands[HARNESS_LANES],
                   HarnessResults out_results[HARNESS_LANES]);

/// Random operands, with special values among them.
void harness_operands(uint32_t seed, HarnessOperands out[HARNESS_LANES]);
/// Operands that are f32 numbers of moderate size, and special ones.
void harness_float_operands(uint32_t seed, HarnessOperands out[HARNESS_LANES]);
uint32_t harness_random(uint32_t *state);

static inline float harness_f32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float number;
  memcpy(&number, &low, sizeof number);
  return number;
}
static inline uint32_t harness_bits(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}
static inline double harness_f64(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}
static inline uint64_t harness_bits64(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

//===-- Naive conversions, independent of the emulator --------------------===//

/// Value of a small float with this many exponent and mantissa bits.
double harness_small_float(uint32_t bits, int exponent_bits, int mantissa_bits);
static inline float harness_bf16(uint32_t bits) {
  return (float)harness_small_float(bits, 8, 7);
}
static inline float harness_f16(uint32_t bits) {
  return (float)harness_small_float(bits, 5, 10);
}

/// A test that executes `text` with random operands and compares `field` of
/// every lane with `expr` of `x`, the operands.
#define HARNESS_CASE(name, make_operands, text, field, expr)                   \
  static void name(void **state) {                                             \
    (void)state;                                                               \
    HarnessOperands in[HARNESS_LANES];                                         \
    HarnessResults out[HARNESS_LANES];                                         \
    for (uint32_t seed = 1; seed <= 4; seed++) {                               \
      make_operands(seed, in);                                                 \
      harness_lanes(text, in, out);                                            \
      for (uint32_t l = 0; l < HARNESS_LANES; l++) {                           \
        HarnessOperands x = in[l];                                             \
        (void)x;                                                               \
        uint64_t expected = (uint64_t)(expr);                                  \
        if (out[l].field != expected)                                          \
          print_error("%s: lane %u, a 0x%llx b 0x%llx c 0x%llx e 0x%llx\n",    \
                      text, l, (unsigned long long)x.a,                        \
                      (unsigned long long)x.b, (unsigned long long)x.c,        \
                      (unsigned long long)x.e);                                \
        assert_int_equal(out[l].field, expected);                              \
      }                                                                        \
    }                                                                          \
  }

#endif // TILE_TEST_UNIT_EMULATOR_HARNESS_H
