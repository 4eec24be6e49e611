//===- launcher-smallfloat-test.c - SmallFloat against a naive version ----===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Support/DtypeTable.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
  TileDtype dtype;
  int exponent_bits, mantissa_bits, shift;
  bool has_infinity;
  uint32_t largest; // magnitude of the largest finite number
} Case;

static const Case cases[] = {
    {TILE_DTYPE_F16, 5, 10, 0, true, 0x7BFF},
    {TILE_DTYPE_BF16, 8, 7, 0, true, 0x7F7F},
    {TILE_DTYPE_TF32, 8, 10, 13, true, 0x3FBFF},
    {TILE_DTYPE_F8E4M3FN, 4, 3, 0, false, 0x7E},
    {TILE_DTYPE_F8E5M2, 5, 2, 0, true, 0x7B},
};

enum { NUM_CASES = sizeof cases / sizeof cases[0] };

/// The value of a finite magnitude by the definition of the format.
static double naive_value(const Case *c, uint32_t magnitude) {
  uint32_t exponent = magnitude >> c->mantissa_bits;
  double value = magnitude & ((1U << c->mantissa_bits) - 1);
  if (exponent > 0)
    value += 1U << c->mantissa_bits;
  int scale = (exponent > 0 ? (int)exponent : 1) -
              ((1 << (c->exponent_bits - 1)) - 1) - c->mantissa_bits;
  for (; scale > 0; scale--)
    value *= 2;
  for (; scale < 0; scale++)
    value /= 2;
  return value;
}

static double decode(const Case *c, uint32_t magnitude) {
  return tile_small_float_to_double(c->dtype, magnitude << c->shift);
}

static uint32_t encode(const Case *c, double value) {
  uint32_t bits = tile_small_float_from_double(c->dtype, value);
  assert_int_equal(bits & ((1U << c->shift) - 1), 0);
  return bits >> c->shift;
}

static void test_every_number_decodes_and_returns(void **state) {
  (void)state;
  for (int i = 0; i < NUM_CASES; i++) {
    const Case *c = &cases[i];
    uint32_t sign = 1U << (c->exponent_bits + c->mantissa_bits);
    for (uint32_t m = 0; m <= c->largest; m++) {
      double value = naive_value(c, m);
      assert_true(decode(c, m) == value && decode(c, m | sign) == -value);
      assert_int_equal(encode(c, value), m);
      assert_int_equal(encode(c, -value), m | sign);
    }
  }
}

/// Rounding changes only at the midpoints, so all of them decide every double.
static void test_every_midpoint_rounds_to_even(void **state) {
  (void)state;
  for (int i = 0; i < NUM_CASES; i++) {
    const Case *c = &cases[i];
    for (uint32_t m = 0; m < c->largest; m++) {
      double middle = (naive_value(c, m) + naive_value(c, m + 1)) / 2;
      assert_int_equal(encode(c, nextafter(middle, 0)), m);
      assert_int_equal(encode(c, middle), m + (m & 1));
      assert_int_equal(encode(c, nextafter(middle, INFINITY)), m + 1);
    }
  }
}

static void test_overflow(void **state) {
  (void)state;
  for (int i = 0; i < NUM_CASES; i++) {
    const Case *c = &cases[i];
    // Half a step above the largest number is a tie with the next encoding.
    double step = naive_value(c, c->largest) - naive_value(c, c->largest - 1);
    double middle = naive_value(c, c->largest) + step / 2;
    assert_int_equal(encode(c, nextafter(middle, 0)), c->largest);
    assert_int_equal(encode(c, middle), c->largest + (c->largest & 1));
    assert_int_equal(encode(c, nextafter(middle, INFINITY)), c->largest + 1);
    assert_int_equal(encode(c, 1e300), c->largest + 1);
    assert_int_equal(encode(c, INFINITY), c->largest + 1);
    double above = decode(c, c->largest + 1);
    assert_true(c->has_infinity ? isinf(above) : isnan(above));
  }
}

static void test_nan_and_tiny_numbers(void **state) {
  (void)state;
  for (int i = 0; i < NUM_CASES; i++) {
    const Case *c = &cases[i];
    assert_true(isnan(decode(c, encode(c, NAN))));
    assert_int_equal(encode(c, 5e-324), 0);
    assert_int_equal(encode(c, 1e-200), 0);
    assert_int_equal(encode(c, -0.0) >> (c->exponent_bits + c->mantissa_bits),
                     1);
  }
  // Every encoding above infinity is a NaN.
  for (uint32_t m = 0x7C01; m <= 0x7FFF; m++)
    assert_true(isnan(tile_small_float_to_double(TILE_DTYPE_F16, m)));
}

// Numbers that went wrong in other libraries, from the formats' papers.
static void test_known_values(void **state) {
  (void)state;
  static const struct {
    TileDtype dtype;
    double value;
    uint32_t bits;
  } known[] = {
      {TILE_DTYPE_F16, 65504, 0x7BFF},
      {TILE_DTYPE_F16, 65520, 0x7C00},
      {TILE_DTYPE_F16, 0x1p-24, 0x0001},
      {TILE_DTYPE_F16, 0x1p-25, 0x0000},
      {TILE_DTYPE_BF16, 1.00390625, 0x3F80},
      {TILE_DTYPE_BF16, 3.140625, 0x4049},
      {TILE_DTYPE_F8E4M3FN, 448, 0x7E},
      {TILE_DTYPE_F8E4M3FN, 464, 0x7E},
      {TILE_DTYPE_F8E4M3FN, 465, 0x7F},
      {TILE_DTYPE_F8E5M2, 57344, 0x7B},
      {TILE_DTYPE_F8E5M2, 61440, 0x7C},
      {TILE_DTYPE_TF32, 1 + 0x1p-11, 0x3F800000},
      {TILE_DTYPE_TF32, 1 + 0x1.8p-10, 0x3F804000},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    assert_int_equal(
        tile_small_float_from_double(known[i].dtype, known[i].value),
        known[i].bits);
}

// Rounding to f32 first and then to the format would give another number.
static void test_no_double_rounding(void **state) {
  (void)state;
  double value = 1 + 0x1p-11 + 0x1p-40; // just above a midpoint of f16
  assert_int_equal(tile_small_float_from_double(TILE_DTYPE_F16, value), 0x3C01);
  assert_int_equal(tile_small_float_from_double(TILE_DTYPE_F16, (float)value),
                   0x3C00);
}

// A tf32 in memory may hold any f32.
static void test_tf32_reads_all_bits(void **state) {
  (void)state;
  float value = 0.1F;
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  assert_true(tile_small_float_to_double(TILE_DTYPE_TF32, bits) == value);
}

// Every number of 4 and 6 bits returns; what lies between goes to the nearest,
// halves to the even code; what is beyond to the largest, as does NaN.
static void test_small_codes(void **state) {
  static const TileDtype types[] = {TILE_DTYPE_F4E2M1FN, TILE_DTYPE_F6E3M2FN,
                                    TILE_DTYPE_F6E2M3FN};
  static const double largest[] = {6, 28, 7.5};
  (void)state;
  for (int t = 0; t < 3; t++) {
    uint32_t sign = 1U << (tile_dtype_info(types[t])->bits - 1);
    for (uint32_t code = 0; code < sign; code++) {
      double value = tile_small_float_to_double(types[t], code);
      assert_int_equal(tile_small_float_from_double(types[t], value), code);
      assert_int_equal(tile_small_float_from_double(types[t], -value),
                       code | sign);
      if (code + 1 == sign)
        break;
      double next = tile_small_float_to_double(types[t], code + 1);
      assert_true(next > value);
      double middle = (value + next) / 2;
      assert_int_equal(tile_small_float_from_double(types[t], middle),
                       code + (code & 1));
      assert_int_equal(
          tile_small_float_from_double(types[t], nextafter(middle, 0)), code);
      assert_int_equal(
          tile_small_float_from_double(types[t], nextafter(middle, 99)),
          code + 1);
    }
    assert_true(tile_small_float_to_double(types[t], sign - 1) == largest[t]);
    assert_int_equal(tile_small_float_from_double(types[t], INFINITY),
                     sign - 1);
    assert_int_equal(tile_small_float_from_double(types[t], -1e30),
                     2 * sign - 1);
    assert_int_equal(tile_small_float_from_double(types[t], (double)NAN),
                     sign - 1);
  }
}

static void test_powers(void **state) {
  static const TileDtype type = TILE_DTYPE_F8E8M0FNU;
  (void)state;
  for (uint32_t code = 0; code < 255; code++) {
    double value = tile_small_float_to_double(type, code);
    assert_true(value == ldexp(1, (int)code - 127));
    assert_int_equal(tile_small_float_from_double(type, value), code);
    uint32_t next = code < 254 ? code + 1 : 254;
    assert_int_equal(tile_small_float_from_double(type, 1.5 * value), next);
    assert_int_equal(tile_small_float_from_double(type, 1.49 * value), code);
    assert_int_equal(tile_small_float_from_double(type, -value), 255);
  }
  assert_true(isnan(tile_small_float_to_double(type, 255)));
  assert_int_equal(tile_small_float_from_double(type, (double)NAN), 255);
  assert_int_equal(tile_small_float_from_double(type, INFINITY), 254);
  assert_int_equal(tile_small_float_from_double(type, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_number_decodes_and_returns),
      cmocka_unit_test(test_every_midpoint_rounds_to_even),
      cmocka_unit_test(test_overflow),
      cmocka_unit_test(test_nan_and_tiny_numbers),
      cmocka_unit_test(test_known_values),
      cmocka_unit_test(test_no_double_rounding),
      cmocka_unit_test(test_small_codes),
      cmocka_unit_test(test_powers),
      cmocka_unit_test(test_tf32_reads_all_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
