//===- SmallFloat.c - Floating-point formats that C has no type for -------===//
//
// One description per format and integer arithmetic on the bits of a double,
// so that no rounding mode and no double rounding can interfere.
//
//===----------------------------------------------------------------------===//

#include "SmallFloat.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
  int exponent_bits, mantissa_bits;
  bool has_infinity; // false: the top exponent holds numbers, all ones is NaN
  int storage_shift; // zero bits below the mantissa in memory
} Format;

static const Format formats[] = {
    [TILE_SMALL_FLOAT_F16] = {5, 10, true, 0},
    [TILE_SMALL_FLOAT_BF16] = {8, 7, true, 0},
    [TILE_SMALL_FLOAT_TF32] = {8, 10, true, 13},
    [TILE_SMALL_FLOAT_F8E4M3FN] = {4, 3, false, 0},
    [TILE_SMALL_FLOAT_F8E5M2] = {5, 2, true, 0},
};

enum { DOUBLE_MANTISSA_BITS = 52, DOUBLE_BIAS = 1023 };

static uint32_t largest_magnitude(const Format *f) {
  uint32_t all_ones = (1U << (f->exponent_bits + f->mantissa_bits)) - 1;
  return f->has_infinity ? all_ones - (1U << f->mantissa_bits) : all_ones - 1;
}

static uint32_t quiet_nan(const Format *f) {
  uint32_t infinity = largest_magnitude(f) + 1; // of formats that have one
  return f->has_infinity ? infinity | 1U << (f->mantissa_bits - 1) : infinity;
}

double tile_small_float_to_double(TileSmallFloat format, uint32_t bits) {
  if (format == TILE_SMALL_FLOAT_TF32) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  const Format *f = &formats[format];
  uint32_t sign_bit = 1U << (f->exponent_bits + f->mantissa_bits);
  uint32_t magnitude = bits & (sign_bit - 1);
  double sign = bits & sign_bit ? -1.0 : 1.0;
  if (magnitude > largest_magnitude(f)) {
    bool is_infinity = f->has_infinity && magnitude == largest_magnitude(f) + 1;
    return copysign(is_infinity ? (double)INFINITY : (double)NAN, sign);
  }
  int bias = (1 << (f->exponent_bits - 1)) - 1;
  int exponent = (int)(magnitude >> f->mantissa_bits);
  uint32_t mantissa = magnitude & ((1U << f->mantissa_bits) - 1);
  if (exponent == 0) // subnormal: no hidden one, exponent of the first normals
    exponent = 1;
  else
    mantissa |= 1U << f->mantissa_bits;
  return sign * ldexp(mantissa, exponent - bias - f->mantissa_bits);
}

/// Returns `mantissa` / 2^`shift`, rounded to nearest even; shift >= 1.
static uint64_t shift_right_rounded(uint64_t mantissa, int shift) {
  if (shift > DOUBLE_MANTISSA_BITS + 2) // less than half of the last place
    return 0;
  uint64_t quotient = mantissa >> shift;
  uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
  uint64_t half = UINT64_C(1) << (shift - 1);
  bool round_up = rest > half || (rest == half && (quotient & 1));
  return quotient + round_up;
}

/// Encodes a finite, positive double; the result may exceed the largest number.
static uint64_t encode_magnitude(const Format *f, uint64_t bits) {
  int exponent = (int)(bits >> DOUBLE_MANTISSA_BITS) - DOUBLE_BIAS;
  uint64_t mantissa = bits & ((UINT64_C(1) << DOUBLE_MANTISSA_BITS) - 1);
  if (exponent == -DOUBLE_BIAS) // subnormal doubles are below every format
    return 0;
  mantissa |= UINT64_C(1) << DOUBLE_MANTISSA_BITS;

  int bias = (1 << (f->exponent_bits - 1)) - 1;
  int shift = DOUBLE_MANTISSA_BITS - f->mantissa_bits;
  int biased = exponent + bias;
  if (biased < 1)
    return shift_right_rounded(mantissa, shift + 1 - biased);
  // The hidden one adds 1 to the exponent field, hence the - 1; a carry out of
  // the mantissa moves into the exponent by itself.
  return ((uint64_t)(biased - 1) << f->mantissa_bits) +
         shift_right_rounded(mantissa, shift);
}

uint32_t tile_small_float_from_double(TileSmallFloat format, double value) {
  const Format *f = &formats[format];
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  bool is_negative = bits >> 63;
  bits &= UINT64_MAX >> 1;

  uint64_t result = quiet_nan(f);
  if (!isnan(value)) {
    uint64_t overflow = (uint64_t)largest_magnitude(f) + 1; // infinity or NaN
    result = isinf(value) ? overflow : encode_magnitude(f, bits);
    if (result > overflow)
      result = overflow;
  }
  if (is_negative)
    result |= UINT64_C(1) << (f->exponent_bits + f->mantissa_bits);
  return (uint32_t)(result << f->storage_shift);
}
