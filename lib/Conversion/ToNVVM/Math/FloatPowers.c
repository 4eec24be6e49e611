//===- FloatPowers.c - Powers and roots -----------------------------------===//
//
// x^y = 2^(y log2 |x|), where the logarithm is the sum of two numbers: y takes
// its error up to the exponent of the result. The rest are signs and domains.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Support/MlirExtra.h"

//===-- Powers ------------------------------------------------------------===//

// a^(y + y_low) = 2^(y log2 a + …). What the power has beyond one number
// multiplies the result where that is a number. `y_low` may be null.
static MlirValue power_of_positive(const FloatMath *m, MlirValue a, MlirValue y,
                                   MlirValue y_low) {
  if (m->is_fast)
    return approximate(m, "ex2.approx.ftz",
                       mul(m, y, approximate(m, "lg2.approx", a)));
  MlirValue log_low, log = float_log2_pair(m, a, &log_low);
  MlirValue high = mul(m, y, log);
  MlirValue low = fma3(m, y, log_low, fma3(m, y, log, minus(m, high)));
  if (y_low.ptr)
    low = fma3(m, y_low, log, low);
  MlirValue result = float_exp2(m, high);
  MlirValue more = mul(m, low, number(m, LN_2));
  double bound = m->is_double ? 1024 : 128;
  MlirValue is_plain =
      both(m, less(m, high, bound), greater(m, high, -2 * bound));
  return choose(m, is_plain, fma3(m, result, more, result), result);
}

// With the sign of x where the power is odd. What is to the power 0 is 1, and
// what 1 is to any power; so is |x| = 1 to an infinite one.
static MlirValue power(const FloatMath *m, MlirValue x, MlirValue y,
                       MlirValue y_low, MlirValue is_odd) {
  MlirValue a = magnitude(m, x), one = number(m, 1);
  MlirValue result = power_of_positive(m, a, y, y_low);
  MlirValue is_number = compare(m, ARITH_CMP_F_PREDICATE_ORD, y, y);
  result = choose(m, both(m, equal(m, a, 1), is_number), one, result);
  MlirValue flips = both(m, is_odd, is_signed(m, as_word(m, x)));
  result = choose(m, flips, minus(m, result), result);
  MlirValue is_one = either(m, equal(m, y, 0), equal(m, x, 1));
  return choose(m, is_one, one, result);
}

// A negative x takes whole y only.
static MlirValue float_pow(const FloatMath *m, MlirValue x, MlirValue y) {
  MlirValue half = mul(m, y, number(m, 0.5));
  MlirValue is_fraction =
      compare(m, ARITH_CMP_F_PREDICATE_ONE, math_floor(m->b, y), y);
  MlirValue is_whole =
      compare(m, ARITH_CMP_F_PREDICATE_OEQ, math_floor(m->b, y), y);
  MlirValue is_odd =
      compare(m, ARITH_CMP_F_PREDICATE_ONE, math_floor(m->b, half), half);
  MlirValue result =
      power(m, x, y, (MlirValue){NULL}, both(m, is_whole, is_odd));
  MlirValue is_finite =
      compare(m, ARITH_CMP_F_PREDICATE_OGT, x, minus(m, infinity(m)));
  MlirValue is_wrong = both(m, both(m, less(m, x, 0), is_finite), is_fraction);
  return choose(m, is_wrong, not_a_number(m), result);
}

// x^n by products of squares, for a small n; of 1 / x for a negative one, so
// that nothing overflows where the result is small.
static MlirValue product_of_squares(const FloatMath *m, MlirValue x,
                                    int64_t n) {
  MlirValue one = number(m, 1), result = one;
  MlirValue square = n < 0 ? quotient(m, one, x) : x;
  bool is_first = true;
  for (int64_t left = n < 0 ? -n : n; left > 0; left /= 2) {
    if (left % 2)
      result = is_first ? square : mul(m, result, square);
    is_first = is_first && left % 2 == 0;
    if (left > 1)
      square = mul(m, square, square);
  }
  return result;
}

// An integer as the sum of two floats, of which the second may be null. Of an
// i64 in f32 the bits above 2^31 may be wrong: such powers are 0, 1 or
// infinite.
static MlirValue whole_number(const FloatMath *m, MlirValue n,
                              MlirValue *out_low) {
  int width = (int)mlirIntegerTypeGetWidth(mlirValueGetType(n));
  *out_low = (MlirValue){NULL};
  if (width <= m->num_mantissa_bits)
    return float_of(m, n);
  int64_t mask = m->is_double ? 0xffffffff : 0xfff;
  MlirValue rest = arith_andi(m->b, n, tile_const_int(m->b, mask, width));
  *out_low = float_of(m, rest);
  return float_sum(m, float_of(m, arith_subi(m->b, n, rest)), out_low);
}

static MlirValue float_powi(const FloatMath *m, MlirValue x, MlirValue n) {
  enum { MAX_PRODUCT = 8 };
  int64_t constant;
  if (mlirxConstantInt(n, &constant) && constant >= -MAX_PRODUCT &&
      constant <= MAX_PRODUCT)
    return product_of_squares(m, x, constant);
  if (mlirTypeIsAIndex(mlirValueGetType(n)))
    n = arith_index_cast(m->b, .type = type_i32(m->l), .in = n);
  MlirValue is_odd = arith_trunci(m->b, .type = type_i1(m->l), .in = n);
  MlirValue low, y = whole_number(m, n, &low);
  return power(m, x, y, low, is_odd);
}

//===-- Roots -------------------------------------------------------------===//

// 1 / sqrt(x).
static MlirValue float_rsqrt(const FloatMath *m, MlirValue x) {
  return m->is_double ? quotient(m, number(m, 1), math_sqrt(m->b, x))
                      : approximate(m, "rsqrt.approx", x);
}

// y near a^(-1/3), from dividing the exponent: 1 - a y^3 is at most 0.11. Each
// step takes it to 0.6 times its cube.
static MlirValue reciprocal_cube_root(const FloatMath *m, MlirValue a) {
  MlirValue third = arith_divui(m->b, as_word(m, a), word(m, 3));
  MlirValue start = word(m, m->is_double ? 0x553ef0ff289dd796 : 0x54a2fa8c);
  MlirValue y = as_float(m, arith_subi(m->b, start, third));
  for (int i = 0; i < (m->is_double ? 3 : 2); i++) {
    MlirValue product = mul(m, mul(m, a, y), mul(m, y, y));
    MlirValue h = sub(m, number(m, 1), product);
    MlirValue step = mul(m, POLYNOMIAL(m, h, 2.0 / 9, 1.0 / 3), h);
    y = fma3(m, step, y, y);
  }
  return y;
}

// c = a y^2, and once more by Newton. Subnormal numbers are lifted by a cube.
static MlirValue float_cbrt(const FloatMath *m, MlirValue x) {
  MlirValue a = magnitude(m, x);
  MlirValue is_small = less(m, a, m->least);
  a = choose(m, is_small, mul(m, a, number(m, 0x1p54)), a);
  MlirValue y = reciprocal_cube_root(m, a), square = mul(m, y, y);
  MlirValue c = mul(m, a, square);
  MlirValue left = fma3(m, minus(m, mul(m, c, c)), c, a);
  c = fma3(m, left, mul(m, square, number(m, 1.0 / 3)), c);
  c = choose(m, is_small, mul(m, c, number(m, 0x1p-18)), c);
  MlirValue is_finite =
      compare(m, ARITH_CMP_F_PREDICATE_OLT, magnitude(m, x), infinity(m));
  MlirValue is_plain = both(m, is_finite, greater(m, magnitude(m, x), 0));
  return choose(m, is_plain, signed_as(m, c, x), x);
}

//===-- The table ---------------------------------------------------------===//

const FloatFunction *float_power_find(MlirOperation op) {
  static const FloatFunction rows[] = {
      {math_cbrt_is, .accurate = float_cbrt},
      {math_fpowi_is, .binary = float_powi},
      {math_powf_is, .binary = float_pow},
      {math_rsqrt_is, .accurate = float_rsqrt},
  };
  return float_function_find(rows, sizeof rows / sizeof *rows, op);
}
