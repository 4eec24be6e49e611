//===- NarrowFloat.c - f16, bf16, tf32 and fp8 ----------------------------===//
//-----------------------------===//

#include "NarrowFloat.h"

#include <math.h>

uint16_t tile_emu_f16_truncate(float number) {
  uint32_t bits = tile_bits_of_f32(number), magnitude = bits & 0x7fffffffu;
  uint32_t sign = (bits >> 16) & 0x8000u;
  if (magnitude > 0x7f800000u)
    return 0x7fff;
  if (magnitude == 0x7f800000u)
    return (uint16_t)(sign | 0x7c00u);
  if (magnitude >= 0x47800000u)
    return (uint16_t)(sign | 0x7bffu);
  if (magnitude >= 0x38800000u)
    return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
  if (magnitude < 0x33800000u) // below the smallest subnormal, 2^-24
    return (uint16_t)sign;
  uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  return (uint16_t)(sign | mantissa >> (126 - (magnitude >> 23)));
}

uint16_t tile_emu_bf16_truncate(float number) {
  uint32_t bits = tile_bits_of_f32(number);
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : bits >> 16);
}

float tile_emu_tf32_of_f32(float number) {
  uint32_t bits = tile_bits_of_f32(number);
  if ((bits & 0x7f800000u) != 0x7f800000u)
    bits += 0x1000u;
  return tile_f32_of_bits(bits & ~0x1fffu);
}

/// A format of 8 bits with saturation: rounds to `mantissa_bits`.
static uint8_t round_to_fp8(float number, float largest, int mantissa_bits,
                            int min_exponent, uint32_t largest_bits) {
  uint32_t sign = tile_bits_of_f32(number) >> 31 << 7;
  if (isnan(number))
    return 0x7f;
  float magnitude = fminf(fabsf(number), largest);
  int exponent;
  frexpf(magnitude, &exponent);
  exponent--;
  if (exponent < min_exponent)
    exponent = min_exponent;
  uint32_t one = 1u << mantissa_bits;
  uint32_t mantissa =
      (uint32_t)nearbyintf(ldexpf(magnitude, mantissa_bits - exponent));
  if (mantissa >= 2 * one) {
    mantissa /= 2;
    exponent++;
  }
  if (mantissa < one) // subnormal
    return (uint8_t)(sign | mantissa);
  uint32_t biased = (uint32_t)(exponent - min_exponent + 1);
  uint32_t result = biased << mantissa_bits | (mantissa - one);
  return (uint8_t)(sign | (result > largest_bits ? largest_bits : result));
}

uint8_t tile_emu_e4m3_of_f32(float number) {
  return round_to_fp8(number, 448.0f, 3, -6, 0x7e);
}

uint8_t tile_emu_e5m2_of_f32(float number) {
  return round_to_fp8(number, 57344.0f, 2, -14, 0x7b);
}
