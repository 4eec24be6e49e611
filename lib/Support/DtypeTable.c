//===- DtypeTable.c - What every layer needs to know of an element type ---===//
//
// Sums: PTX ISA, tables of mma, mma.sp, wgmma.mma_async.
//
//===----------------------------------------------------------------------===//

#include "DtypeTable.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

//===-- Rows --------------------------------------------------------------===//

#define FLOAT(d) .dtype = TILE_DTYPE_##d, .kind = TILE_NUMBER_FLOAT
#define SIGNED(d) .dtype = TILE_DTYPE_##d, .kind = TILE_NUMBER_SIGNED
#define UNSIGNED(d) .dtype = TILE_DTYPE_##d, .kind = TILE_NUMBER_UNSIGNED
#define COMPLEX(part)                                                          \
  .dtype = TILE_DTYPE_COMPLEX_##part, .kind = TILE_NUMBER_COMPLEX
#define F16 (UINT32_C(1) << TILE_DTYPE_F16)
#define F32 (UINT32_C(1) << TILE_DTYPE_F32)
#define F64 (UINT32_C(1) << TILE_DTYPE_F64)
#define I32 (UINT32_C(1) << TILE_DTYPE_I32)

static const TileDtypeInfo rows[TILE_NUM_DTYPES] = {
    [TILE_DTYPE_F16] = {FLOAT(F16), .name = "f16", .bits = 16, .size_bytes = 2,
                        .format = {5, 10, true, 0}, .is_of_tiles = true,
                        .is_of_hosts = true, .ptx = "f16", .factor = "f16",
                        .sums = F32 | F16, .sparse_sums = F32 | F16,
                        .tensor_map = TILE_TENSOR_MAP_F16, .npy = "<f2"},
    [TILE_DTYPE_BF16] = {FLOAT(BF16), .name = "bf16", .bits = 16,
                         .size_bytes = 2, .format = {8, 7, true, 0},
                         .is_of_tiles = true, .is_of_hosts = true,
                         .ptx = "bf16", .factor = "bf16", .sums = F32,
                         .sparse_sums = F32, .tensor_map = TILE_TENSOR_MAP_BF16,
                         .npy = "|V2"},
    [TILE_DTYPE_F32] = {FLOAT(F32), .name = "f32", .bits = 32, .size_bytes = 4,
                        .format = {8, 23, true, 0}, .is_of_tiles = true,
                        .is_of_hosts = true, .ptx = "f32", .factor = "tf32",
                        .sums = F32, .sparse_sums = F32,
                        .tensor_map = TILE_TENSOR_MAP_F32, .npy = "<f4"},
    [TILE_DTYPE_F64] = {FLOAT(F64), .name = "f64", .bits = 64, .size_bytes = 8,
                        .format = {11, 52, true, 0}, .is_of_tiles = true,
                        .is_of_hosts = true, .ptx = "f64", .factor = "f64",
                        .sums = F64, .tensor_map = TILE_TENSOR_MAP_F64,
                        .npy = "<f8"},
    [TILE_DTYPE_TF32] = {FLOAT(TF32), .name = "tf32", .bits = 32,
                         .size_bytes = 4, .format = {8, 10, true, 13},
                         .ptx = "f32", .tensor_map = TILE_TENSOR_MAP_TF32},
    [TILE_DTYPE_F8E4M3FN] = {FLOAT(F8E4M3FN), .name = "f8E4M3FN", .bits = 8,
                             .size_bytes = 1, .format = {4, 3, false, 0},
                             .is_of_tiles = true, .ptx = "e4m3",
                             .factor = "e4m3", .sums = F32 | F16,
                             .sparse_sums = F32,
                             .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_F8E5M2] = {FLOAT(F8E5M2), .name = "f8E5M2", .bits = 8,
                           .size_bytes = 1, .format = {5, 2, true, 0},
                           .is_of_tiles = true, .ptx = "e5m2", .factor = "e5m2",
                           .sums = F32 | F16, .sparse_sums = F32,
                           .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_F8E8M0FNU] =
        {FLOAT(F8E8M0FNU), .name = "f8E8M0FNU", .bits = 8, .size_bytes = 1,
         .format = {.exponent_bits = 8, .is_unsigned = true},
         .is_of_tiles = true, .ptx = "ue8m0", .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_F6E3M2FN] = {FLOAT(F6E3M2FN), .name = "f6E3M2FN", .bits = 6,
                             .size_bytes = 1,
                             .format = {3, 2, .is_finite = true},
                             .is_of_tiles = true, .ptx = "e3m2",
                             .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_F6E2M3FN] = {FLOAT(F6E2M3FN), .name = "f6E2M3FN", .bits = 6,
                             .size_bytes = 1,
                             .format = {2, 3, .is_finite = true},
                             .is_of_tiles = true, .ptx = "e2m3",
                             .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_F4E2M1FN] = {FLOAT(F4E2M1FN), .name = "f4E2M1FN", .bits = 4,
                             .size_bytes = 1,
                             .format = {2, 1, .is_finite = true},
                             .is_of_tiles = true, .ptx = "e2m1",
                             .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_I1] = {UNSIGNED(I1), .name = "i1", .bits = 1, .size_bytes = 1,
                       .is_of_tiles = true, .ptx = "u8",
                       .tensor_map = TILE_TENSOR_MAP_U8, .npy = "|b1"},
    [TILE_DTYPE_I4] = {SIGNED(I4), .name = "i4", .bits = 4, .size_bytes = 1,
                       .is_of_tiles = true, .ptx = "s8",
                       .tensor_map = TILE_TENSOR_MAP_U8},
    [TILE_DTYPE_I8] = {SIGNED(I8), .name = "i8", .bits = 8, .size_bytes = 1,
                       .is_of_tiles = true, .ptx = "s8", .factor = "s8",
                       .sums = I32, .sparse_sums = I32,
                       .tensor_map = TILE_TENSOR_MAP_U8, .npy = "|i1"},
    [TILE_DTYPE_I16] = {SIGNED(I16), .name = "i16", .bits = 16, .size_bytes = 2,
                        .is_of_tiles = true, .ptx = "s16",
                        .tensor_map = TILE_TENSOR_MAP_U16, .npy = "<i2"},
    [TILE_DTYPE_I32] = {SIGNED(I32), .name = "i32", .bits = 32, .size_bytes = 4,
                        .is_of_tiles = true, .ptx = "s32",
                        .tensor_map = TILE_TENSOR_MAP_I32, .npy = "<i4"},
    [TILE_DTYPE_I64] = {SIGNED(I64), .name = "i64", .bits = 64, .size_bytes = 8,
                        .is_of_tiles = true, .ptx = "s64",
                        .tensor_map = TILE_TENSOR_MAP_I64, .npy = "<i8"},
    [TILE_DTYPE_U8] = {UNSIGNED(U8), .name = "u8", .bits = 8, .size_bytes = 1,
                       .is_of_tiles = true, .ptx = "u8",
                       .tensor_map = TILE_TENSOR_MAP_U8, .npy = "|u1"},
    [TILE_DTYPE_U16] = {UNSIGNED(U16), .name = "u16", .bits = 16,
                        .size_bytes = 2, .is_of_tiles = true, .ptx = "u16",
                        .tensor_map = TILE_TENSOR_MAP_U16, .npy = "<u2"},
    [TILE_DTYPE_U32] = {UNSIGNED(U32), .name = "u32", .bits = 32,
                        .size_bytes = 4, .is_of_tiles = true, .ptx = "u32",
                        .tensor_map = TILE_TENSOR_MAP_U32, .npy = "<u4"},
    [TILE_DTYPE_U64] = {UNSIGNED(U64), .name = "u64", .bits = 64,
                        .size_bytes = 8, .is_of_tiles = true, .ptx = "u64",
                        .tensor_map = TILE_TENSOR_MAP_U64, .npy = "<u8"},
    [TILE_DTYPE_INDEX] = {SIGNED(INDEX), .name = "index", .bits = 64,
                          .size_bytes = 8, .ptx = "s64",
                          .tensor_map = TILE_TENSOR_MAP_I64},
    [TILE_DTYPE_COMPLEX_F32] = {COMPLEX(F32), .name = "complex<f32>",
                                .bits = 64, .size_bytes = 8, .ptx = "b64",
                                .npy = "<c8"},
    [TILE_DTYPE_COMPLEX_F64] = {COMPLEX(F64), .name = "complex<f64>",
                                .bits = 128, .size_bytes = 16, .ptx = "b128",
                                .npy = "<c16"},
};

const TileDtypeInfo *tile_dtype_info(TileDtype dtype) { return &rows[dtype]; }

const TileDtypeInfo *tile_dtype_named(const char *name) {
  for (int i = 0; i < TILE_NUM_DTYPES; i++)
    if (strcmp(name, rows[i].name) == 0)
      return &rows[i];
  return NULL;
}

//===-- Numbers of small floats -------------------------------------------===//

// Integer arithmetic on the bits of a double, so that no rounding mode and no
// double rounding can interfere.

typedef TileFloatFormat Format;

enum { DOUBLE_MANTISSA_BITS = 52, DOUBLE_BIAS = 1023 };

static uint32_t largest_magnitude(const Format *f) {
  uint32_t all_ones = (1U << (f->exponent_bits + f->mantissa_bits)) - 1;
  if (f->is_finite)
    return all_ones;
  return f->has_infinity ? all_ones - (1U << f->mantissa_bits) : all_ones - 1;
}

// Formats without NaN have their largest number in its place.
static uint32_t quiet_nan(const Format *f) {
  if (f->is_finite)
    return largest_magnitude(f);
  uint32_t infinity = largest_magnitude(f) + 1; // of formats that have one
  return f->has_infinity ? infinity | 1U << (f->mantissa_bits - 1) : infinity;
}

// Powers of two: a code is an exponent, the greatest one NaN.
static double power_to_double(const Format *f, uint32_t bits) {
  uint32_t nan = (1U << f->exponent_bits) - 1;
  bits &= nan;
  return bits == nan ? (double)NAN : ldexp(1, (int)bits - tile_float_bias(f));
}

// The nearest power, the greater one of two; the least or the greatest one
// beyond them. NaN and what is negative become NaN.
static uint32_t power_from_double(const Format *f, double value) {
  int nan = (1 << f->exponent_bits) - 1, exponent = 0;
  if (isnan(value) || signbit(value))
    return (uint32_t)nan;
  if (isinf(value))
    return (uint32_t)nan - 1;
  if (value == 0)
    return 0;
  double mantissa = frexp(value, &exponent); // [0.5, 1)
  int code = exponent - 1 + (mantissa >= 0.75) + tile_float_bias(f);
  return code < 0 ? 0 : code >= nan ? (uint32_t)nan - 1 : (uint32_t)code;
}

double tile_small_float_to_double(TileDtype dtype, uint32_t bits) {
  if (dtype == TILE_DTYPE_TF32) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  const Format *f = &tile_dtype_info(dtype)->format;
  if (f->is_unsigned)
    return power_to_double(f, bits);
  uint32_t sign_bit = 1U << (f->exponent_bits + f->mantissa_bits);
  uint32_t magnitude = bits & (sign_bit - 1);
  double sign = bits & sign_bit ? -1.0 : 1.0;
  if (magnitude > largest_magnitude(f)) {
    bool is_infinity = f->has_infinity && magnitude == largest_magnitude(f) + 1;
    return copysign(is_infinity ? (double)INFINITY : (double)NAN, sign);
  }
  int bias = tile_float_bias(f);
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

  int bias = tile_float_bias(f);
  int shift = DOUBLE_MANTISSA_BITS - f->mantissa_bits;
  int biased = exponent + bias;
  if (biased < 1)
    return shift_right_rounded(mantissa, shift + 1 - biased);
  // The hidden one adds 1 to the exponent field, hence the - 1; a carry out of
  // the mantissa moves into the exponent by itself.
  return ((uint64_t)(biased - 1) << f->mantissa_bits) +
         shift_right_rounded(mantissa, shift);
}

uint32_t tile_small_float_from_double(TileDtype dtype, double value) {
  const Format *f = &tile_dtype_info(dtype)->format;
  if (f->is_unsigned)
    return power_from_double(f, value);
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  bool is_negative = bits >> 63;
  bits &= UINT64_MAX >> 1;

  uint64_t result = quiet_nan(f);
  if (!isnan(value)) {
    // Infinity, NaN, or the largest number.
    uint64_t overflow = (uint64_t)largest_magnitude(f) + !f->is_finite;
    result = isinf(value) ? overflow : encode_magnitude(f, bits);
    if (result > overflow)
      result = overflow;
  }
  if (is_negative && !(f->is_finite && isnan(value)))
    result |= UINT64_C(1) << (f->exponent_bits + f->mantissa_bits);
  return (uint32_t)(result << f->unused_bits);
}
