//===- SmallFloats.c - Floats of 8, 6 and 4 bits as bits ------------------===//
//
// To fewer bits: rounds to nearest even; what is too large, infinity included,
// becomes the largest finite number; NaN stays NaN, and becomes the largest
// number where there is none (PTX ISA, cvt with .satfinite). Chips without the
// instruction do the same on bits; for all but the two of e4m3 and e5m2 that is
// every chip here. Powers of two (f8E8M0FNU): the nearest one, of two the
// greater one, the least or the greatest one beyond them; NaN of NaN and of
// what has a sign.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

#include "Support/Constants.h"
#include "Support/DtypeTable.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/math.h"

#include <math.h>

enum { F16_BIAS = 15 };

/// A format of at most 8 bits as its conversions need it.
typedef struct {
  int bits, mantissa_bits, bias;
  int f16_shift; // exponent bits that f16 has more, so much its bits move
  bool has_infinity, has_nan, is_power;
  uint32_t max_bits; // f32 bits of the largest finite number
  uint32_t min_bits; // f32 bits of the smallest normal number
  uint32_t ulp_bits; // f32 bits of 2^23 times the smallest number
  int64_t nan;       // its bits, without the sign
  const char *ptx;   // name of one of them
} Format;

static uint32_t f32_bits(double value) {
  float number = (float)value;
  uint32_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static Format format_of(MlirType type) {
  const TileDtypeInfo *info = tile_elem_info(type);
  const TileFloatFormat *f = &info->format;
  int bias = tile_float_bias(f), nan = (1 << (info->bits - 1)) - 1;
  // The largest number is before infinity, or before the NaN of all ones.
  int largest =
      f->has_infinity ? nan - (1 << f->mantissa_bits) : nan - !f->is_finite;
  return (Format){
      .bits = info->bits,
      .mantissa_bits = f->mantissa_bits,
      .bias = bias,
      .f16_shift = tile_dtype_info(TILE_DTYPE_F16)->format.exponent_bits -
                   f->exponent_bits,
      .has_infinity = f->has_infinity,
      .has_nan = !f->is_finite,
      .is_power = f->is_unsigned,
      .max_bits =
          f32_bits(tile_small_float_to_double(info->dtype, (uint32_t)largest)),
      .min_bits = f32_bits(ldexp(1, 1 - bias)),
      .ulp_bits = f32_bits(ldexp(1, 23 + 1 - bias - f->mantissa_bits)),
      .nan = nan,
      .ptx = info->ptx};
}

static MlirType type_f32(Lowering *l) {
  return mlirF32TypeGet(tile_builder_context(&l->b));
}

static MlirType type_f16(Lowering *l) {
  return mlirF16TypeGet(tile_builder_context(&l->b));
}

static MlirType type_i8(Lowering *l) {
  return mlirIntegerTypeGet(tile_builder_context(&l->b), 8);
}

static MlirType type_i16(Lowering *l) {
  return mlirIntegerTypeGet(tile_builder_context(&l->b), 16);
}

static MlirValue word(Lowering *l, uint32_t value) {
  return tile_const_int(&l->b, (int32_t)value, 32);
}

static MlirValue shifted_left(Lowering *l, MlirValue x, int bits) {
  return arith_shli(&l->b, x, word(l, (uint32_t)bits));
}

static MlirValue shifted_right(Lowering *l, MlirValue x, int bits) {
  return arith_shrui(&l->b, x, word(l, (uint32_t)bits));
}

static MlirValue masked(Lowering *l, MlirValue x, uint32_t mask) {
  return arith_andi(&l->b, x, word(l, mask));
}

static MlirValue compared(Lowering *l, ArithCmpIPredicate predicate,
                          MlirValue x, uint32_t y) {
  return arith_cmpi(&l->b, .predicate = predicate, .lhs = x, .rhs = word(l, y));
}

static MlirValue as_f32(Lowering *l, MlirValue bits) {
  return arith_bitcast(&l->b, .type = type_f32(l), .in = bits);
}

static MlirValue as_word(Lowering *l, MlirValue value) {
  return arith_bitcast(&l->b, .type = type_i32(l), .in = value);
}

//===-- Powers of two -----------------------------------------------------===//

enum { F32_MANTISSA = 23, F32_INFINITY = 0x7f800000, F32_NAN = 0x7fffffff };

// The code is the exponent of f32, but the least one is no normal number there.
static MlirValue widen_power(Lowering *l, MlirValue byte) {
  MlirValue code = arith_extui(&l->b, .type = type_i32(l), .in = byte);
  MlirValue bits = shifted_left(l, code, F32_MANTISSA);
  MlirValue is_least = compared(l, ARITH_CMP_I_PREDICATE_eq, code, 0);
  MlirValue is_nan = compared(l, ARITH_CMP_I_PREDICATE_eq, code, 0xff);
  bits = arith_select(&l->b, is_least, word(l, 0x00400000), bits);
  return as_f32(l, arith_select(&l->b, is_nan, word(l, F32_NAN), bits));
}

// Half a unit of the exponent is added: that of 2^-126 is smaller by half below
// it. As unsigned numbers, those with a sign are above infinity.
static MlirValue narrow_power(Lowering *l, MlirValue x) {
  MlirValue bits = as_word(l, x);
  MlirValue is_normal =
      compared(l, ARITH_CMP_I_PREDICATE_uge, bits, 1u << F32_MANTISSA);
  MlirValue below = word(l, 0x00200000);
  MlirValue half = arith_select(&l->b, is_normal, word(l, 0x00400000), below);
  MlirValue code =
      shifted_right(l, arith_addi(&l->b, bits, half), F32_MANTISSA);
  code = arith_minui(&l->b, code, word(l, 0xfe));
  MlirValue is_nan = compared(l, ARITH_CMP_I_PREDICATE_ugt, bits, F32_INFINITY);
  code = arith_select(&l->b, is_nan, word(l, 0xff), code);
  return arith_trunci(&l->b, .type = type_i8(l), .in = code);
}

//===-- From 8 bits and less ----------------------------------------------===//

// A format is part of f16: its upper byte, where it has as many bits of
// exponent; else the bits move, and the exponents are as far apart as the
// biases.
static MlirValue widen_bits(Lowering *l, MlirValue byte, const Format *format) {
  MlirValue x = arith_extui(&l->b, .type = type_i32(l), .in = byte);
  uint32_t sign_bit = 1u << (format->bits - 1);
  MlirValue magnitude = masked(l, x, sign_bit - 1);
  MlirValue sign = shifted_left(l, masked(l, x, sign_bit), 32 - format->bits);
  MlirValue half = arith_trunci(
      &l->b, .type = type_i16(l),
      .in = shifted_left(l, magnitude, 10 - format->mantissa_bits));
  half = arith_bitcast(&l->b, .type = type_f16(l), .in = half);
  MlirValue wide = arith_extf(&l->b, .type = type_f32(l), .in = half);
  if (format->f16_shift) {
    MlirValue scale = arith_constant(
        &l->b, mlirFloatAttrDoubleGet(tile_builder_context(&l->b), type_f32(l),
                                      ldexp(1, F16_BIAS - format->bias)));
    wide = arith_mulf(&l->b, wide, scale);
  }
  if (!format->has_infinity && format->has_nan) {
    MlirValue is_nan =
        compared(l, ARITH_CMP_I_PREDICATE_eq, magnitude, (uint32_t)format->nan);
    wide = arith_select(&l->b, is_nan, as_f32(l, word(l, F32_NAN)), wide);
  }
  return as_f32(l, arith_ori(&l->b, as_word(l, wide), sign));
}

static MlirValue inline_asm(Lowering *l, MlirType type, MlirValue *operands,
                            intptr_t count, const char *text,
                            const char *constraints) {
  return mlirOperationGetResult(
      llvm_inline_asm_op(&l->b, .type = type, .operands = {operands, count},
                         .asm_string = text, .constraints = constraints)
          .op,
      0);
}

// Two numbers of an i16 to two f16 of an i32.
static MlirValue widen_pair(Lowering *l, MlirValue pair, const Format *format) {
  char text[64];
  snprintf(text, sizeof text, "cvt.rn.f16x2.%sx2 $0, $1;", format->ptx);
  return inline_asm(l, type_i32(l), &pair, 1, text, "=r,h");
}

static MlirValue widen_instruction(Lowering *l, MlirValue byte,
                                   const Format *format) {
  MlirValue pair = arith_extui(&l->b, .type = type_i16(l), .in = byte);
  MlirValue halves = widen_pair(l, pair, format);
  MlirValue low = arith_trunci(&l->b, .type = type_i16(l), .in = halves);
  low = arith_bitcast(&l->b, .type = type_f16(l), .in = low);
  return arith_extf(&l->b, .type = type_f32(l), .in = low);
}

// Of the floats of 8 bits with a sign; the conversions of others begin with
// sm_100.
static bool has_instruction(const Lowering *l, const Format *format) {
  return l->target->has_f8 && format->bits == 8;
}

MlirValue small_float_widen(Lowering *l, MlirValue byte, MlirType from) {
  Format format = format_of(from);
  if (format.is_power)
    return widen_power(l, byte);
  return has_instruction(l, &format) ? widen_instruction(l, byte, &format)
                                     : widen_bits(l, byte, &format);
}

// Two numbers in the upper bytes of two halves, without their signs, are f16
// when the bits and the exponents move. What has all bits of the magnitude is
// NaN.
static MlirValue widen_pair_bits(Lowering *l, MlirValue pair,
                                 const Format *format) {
  enum { EACH = 0x00010001, F16_MANTISSA = 10 };
  uint32_t factor = (uint32_t)(2 * F16_BIAS - format->bias) << F16_MANTISSA;
  int64_t two = 2;
  MlirType halves = mlirVectorTypeGet(1, &two, type_f16(l));
  MlirValue sign = masked(l, pair, 0x8000 * (uint32_t)EACH);
  MlirValue magnitude = masked(l, pair, 0x7f00 * (uint32_t)EACH);
  MlirValue scale = llvm_bitcast(&l->b, halves, word(l, factor * EACH));
  MlirValue x = llvm_bitcast(&l->b, halves,
                             shifted_right(l, magnitude, format->f16_shift));
  x = llvm_bitcast(&l->b, type_i32(l), llvm_fmul(&l->b, x, scale));
  MlirValue carry = arith_addi(&l->b, magnitude, word(l, 0x0100 * EACH));
  MlirValue is_nan =
      shifted_right(l, masked(l, carry, 0x8000 * (uint32_t)EACH), 15);
  MlirValue nan = arith_muli(&l->b, is_nan, word(l, 0x7fff));
  return arith_ori(&l->b, arith_ori(&l->b, x, nan), sign);
}

void float8_widen_word(Lowering *l, MlirValue four, MlirType from,
                       MlirValue out[2]) {
  Format format = format_of(from);
  for (int i = 0; i < 2; i++) {
    MlirValue pair = i ? shifted_right(l, four, 16) : four;
    if (l->target->has_f8) {
      pair = arith_trunci(&l->b, .type = type_i16(l), .in = pair);
      out[i] = widen_pair(l, pair, &format);
      continue;
    }
    MlirValue upper = shifted_left(l, masked(l, pair, 0xff), 8);
    pair =
        arith_ori(&l->b, upper, shifted_left(l, masked(l, pair, 0xff00), 16));
    out[i] = format.f16_shift ? widen_pair_bits(l, pair, &format) : pair;
  }
}

//===-- To 8 bits ---------------------------------------------------------===//

// f64 to f32 that a second rounding does not spoil: what is inexact is cut and
// gets an odd last bit.
static MlirValue round_to_odd(Lowering *l, MlirValue x) {
  MlirType f64 = mlirValueGetType(x);
  MlirValue near = arith_truncf(&l->b, .type = type_f32(l), .in = x);
  MlirValue back = arith_extf(&l->b, .type = f64, .in = near);
  MlirValue size = math_absf(&l->b, back);
  MlirValue is_above = arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_OGT,
                                  .lhs = size, .rhs = math_absf(&l->b, x));
  MlirValue is_inexact = arith_cmpf(
      &l->b, .predicate = ARITH_CMP_F_PREDICATE_ONE, .lhs = back, .rhs = x);
  MlirValue bits = as_word(l, near);
  MlirValue below = arith_subi(
      &l->b, bits, arith_extui(&l->b, .type = type_i32(l), .in = is_above));
  return as_f32(
      l, arith_ori(&l->b, below,
                   arith_extui(&l->b, .type = type_i32(l), .in = is_inexact)));
}

static MlirValue narrow_bits(Lowering *l, MlirValue x, const Format *format) {
  int drop = 23 - format->mantissa_bits;
  MlirValue bits = as_word(l, x);
  MlirValue sign =
      shifted_right(l, masked(l, bits, 0x80000000), 32 - format->bits);
  MlirValue magnitude = masked(l, bits, 0x7fffffff);
  MlirValue is_nan =
      compared(l, ARITH_CMP_I_PREDICATE_ugt, magnitude, 0x7f800000);
  MlirValue clamped = arith_minui(&l->b, magnitude, word(l, format->max_bits));
  // Half a unit less one, plus the last bit that stays: ties go to even.
  MlirValue last = masked(l, shifted_right(l, clamped, drop), 1);
  MlirValue rounded_up = arith_addi(&l->b, clamped, last);
  MlirValue rounded =
      arith_addi(&l->b, rounded_up, word(l, (1u << (drop - 1)) - 1));
  MlirValue kept = shifted_right(l, rounded, drop);
  MlirValue normal = arith_subi(
      &l->b, kept,
      word(l, (uint32_t)(127 - format->bias) << format->mantissa_bits));
  // A number whose last bit has the weight of the smallest one does the same.
  MlirValue value = as_f32(l, clamped);
  MlirValue sum =
      arith_addf(&l->b, value, as_f32(l, word(l, format->ulp_bits)));
  MlirValue sum_bits = as_word(l, sum);
  MlirValue tiny = arith_subi(&l->b, sum_bits, word(l, format->ulp_bits));
  MlirValue is_tiny =
      compared(l, ARITH_CMP_I_PREDICATE_ult, magnitude, format->min_bits);
  MlirValue result = arith_select(&l->b, is_tiny, tiny, normal);
  // What has no NaN has cut it to the largest number, which gets no sign.
  if (format->has_nan)
    result =
        arith_select(&l->b, is_nan, word(l, (uint32_t)format->nan), result);
  else
    sign = arith_select(&l->b, is_nan, word(l, 0), sign);
  return arith_trunci(&l->b, .type = type_i8(l),
                      .in = arith_ori(&l->b, result, sign));
}

static MlirValue narrow_instruction(Lowering *l, MlirValue x,
                                    const Format *format) {
  char text[64];
  snprintf(text, sizeof text, "cvt.rn.satfinite.%sx2.f32 $0, $1, $2;",
           format->ptx);
  MlirValue zero =
      arith_constant(&l->b, mlirFloatAttrDoubleGet(tile_builder_context(&l->b),
                                                   type_f32(l), 0.0));
  MlirValue operands[2] = {zero, x}; // the second one is the low byte
  MlirValue pair = inline_asm(l, type_i16(l), operands, 2, text, "=h,f,f");
  return arith_trunci(&l->b, .type = type_i8(l), .in = pair);
}

MlirValue small_float_narrow(Lowering *l, MlirValue value, MlirType to) {
  Format format = format_of(to);
  if (mlirTypeIsAF64(mlirValueGetType(value)))
    value = round_to_odd(l, value);
  else if (!mlirTypeIsAF32(mlirValueGetType(value)))
    value = arith_extf(&l->b, .type = type_f32(l), .in = value);
  if (format.is_power)
    return narrow_power(l, value);
  return has_instruction(l, &format) ? narrow_instruction(l, value, &format)
                                     : narrow_bits(l, value, &format);
}

bool small_float_is(MlirType type) {
  const TileDtypeInfo *info = tile_elem_info(type);
  return info && tile_dtype_info_is_float(info) && info->bits <= 8;
}

//===-- From 4 bits -------------------------------------------------------===//

// Bits of f32: from 1 on the exponent and mantissa move into place; 0 and 0.5
// have no exponent.
MlirValue float4_widen(Lowering *l, MlirValue pair, MlirValue index) {
  MlirValue odd = masked(l, index, 1);
  MlirValue x = arith_shrui(&l->b, pair, shifted_left(l, odd, 2));
  MlirValue magnitude = masked(l, x, 7);
  MlirValue sign = shifted_left(l, masked(l, x, 8), 28);
  enum { F32_BIAS = 127 };
  MlirValue placed = shifted_left(l, magnitude, F32_MANTISSA - 1);
  MlirValue normal = arith_addi(
      &l->b, placed, word(l, (uint32_t)(F32_BIAS - 1) << F32_MANTISSA));
  MlirValue half = arith_muli(&l->b, magnitude, word(l, 0x3f000000));
  MlirValue is_tiny = compared(l, ARITH_CMP_I_PREDICATE_ult, magnitude, 2);
  MlirValue bits =
      arith_ori(&l->b, arith_select(&l->b, is_tiny, half, normal), sign);
  return as_f32(l, bits);
}
