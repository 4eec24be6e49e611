//===- NarrowFloat.h - f16, bf16, tf32 and fp8 ----------------------------===//
//
// PTX ISA, "Alternate Floating-Point Data Formats" and "cvt". Conversions to a
// format give its canonical NaN. Written without branches where it matters, so
// that loops over lanes become vector code.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_NARROW_FLOAT_H
#define TILE_EMULATOR_NARROW_FLOAT_H

#include <stdint.h>
#include <string.h>

static inline uint32_t tile_bits_of_f32(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}
static inline float tile_f32_of_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/// 8 exponent and 7 mantissa bits: the upper half of an f32.
static inline float tile_f32_of_bf16(uint32_t bits) {
  return tile_f32_of_bits(bits << 16);
}
static inline uint16_t tile_bf16_of_f32(float number) {
  uint32_t bits = tile_bits_of_f32(number);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

/// 5 exponent and 10 mantissa bits.
static inline float tile_f32_of_f16(uint32_t bits) {
  // Shifted into place the exponent is too small by 127 - 15.
  float scaled = tile_f32_of_bits((bits & 0x7fffu) << 13) * 0x1p112f;
  uint32_t magnitude = tile_bits_of_f32(scaled);
  magnitude |= (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
  return tile_f32_of_bits(magnitude | (bits & 0x8000u) << 16);
}
static inline uint16_t tile_f16_of_f32(float number) {
  uint32_t bits = tile_bits_of_f32(number), magnitude = bits & 0x7fffffffu;
  uint32_t normal = magnitude - 0x38000000u;
  normal = (normal + 0xfffu + ((normal >> 13) & 1u)) >> 13;
  // Adding 0.5 makes the hardware round to a multiple of 2^-24.
  uint32_t tiny =
      tile_bits_of_f32(tile_f32_of_bits(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? tiny : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result |= (bits >> 16) & 0x8000u;
  return (uint16_t)(magnitude > 0x7f800000u ? 0x7fffu : result);
}

/// Rounds to f32 so that rounding on to a smaller format gives the result of
/// rounding only once: inexact results get an odd last bit.
static inline float tile_f32_round_odd(double number) {
  float rounded = (float)number;
  if ((double)rounded == number || number != number)
    return rounded;
  double magnitude = number < 0 ? -number : number;
  float rounded_magnitude = rounded < 0 ? -rounded : rounded;
  uint32_t bits = tile_bits_of_f32(rounded);
  bits -= (double)rounded_magnitude > magnitude;
  return tile_f32_of_bits(bits | 1u);
}

/// 4 exponent and 3 mantissa bits, bias 7, no infinity, one NaN a sign.
static inline float tile_f32_of_e4m3(uint32_t bits) {
  float magnitude = tile_f32_of_bits((bits & 0x7fu) << 20) * 0x1p120f;
  uint32_t result = tile_bits_of_f32(magnitude) | (bits & 0x80u) << 24;
  return tile_f32_of_bits((bits & 0x7fu) == 0x7fu ? 0x7fffffffu : result);
}
/// 5 exponent and 2 mantissa bits: the upper half of an f16.
static inline float tile_f32_of_e5m2(uint32_t bits) {
  return tile_f32_of_f16((bits & 0xffu) << 8);
}

#endif // TILE_EMULATOR_NARROW_FLOAT_H
