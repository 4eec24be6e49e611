//===- FloatPowers.c - Logarithms, areas, powers and roots ----------------===//
// x = 2^exponent times a mantissa near 1, whose logarithm is a polynomial.
//
//
// x^y = 2^(y log2 |x|), where the logarithm is the sum of two numbers: y takes
// its error up to the exponent of the result. The rest are signs and domains.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Support/MlirExtra.h"

//===-- Parts of a number -------------------------------------------------===//

/// x = 2^exponent (1 + f), with 1 + f in [2/3, 4/3) in f32 and in [sqrt(1/2),
/// sqrt(2)) in f64. Of 0, infinity and NaN it is any number.
typedef struct {
  MlirValue exponent, f;
} Split;

static Split split_of(const FloatMath *m, MlirValue x) {
  double lift = m->is_double ? 0x1p52 : 0x1p23;
  MlirValue is_small = less(m, x, m->least);
  MlirValue normal = choose(m, is_small, mul(m, x, number(m, lift)), x);
  MlirValue bits = as_word(m, normal);
  MlirValue above = arith_subi(
      m->b, bits, word(m, m->is_double ? 0x3fe6a09e667f3bcd : 0x3f2aaaab));
  uint64_t mask = ~(((uint64_t)1 << m->num_mantissa_bits) - 1);
  MlirValue e = arith_andi(m->b, above, word(m, mask));
  MlirValue mantissa = as_float(m, arith_subi(m->b, bits, e));
  MlirValue f = sub(m, mantissa, number(m, 1));
  MlirValue number_e = float_of(m, e);
  MlirValue exponent = mul(m, number_e, number(m, 1 / lift));
  MlirValue lower = sub(m, exponent, number(m, m->num_mantissa_bits));
  return (Split){choose(m, is_small, lower, exponent), f};
}

//===-- Logarithm of a mantissa -------------------------------------------===//

// ln(1 + f) = f - f^2/2 + f^3 ….
static MlirValue single_log_mantissa(const FloatMath *m, MlirValue f) {
  MlirValue s = mul(m, f, f);
  MlirValue even = POLYNOMIAL(m, s, -0x1.0ae000p-3, -0x1.f1988ap-4,
                              -0x1.55b36cp-3, -0x1.fffe02p-3);
  MlirValue odd = POLYNOMIAL(m, s, 0x1.208000p-3, 0x1.1e5740p-3, 0x1.99d8b2p-3);
  MlirValue r = fma3(m, odd, f, even);
  r = fma3(m, r, f, number(m, 0x1.5554fap-2));
  r = fma3(m, r, f, number(m, -0.5));
  return fma3(m, r, s, f);
}

// 2/3 + 2/5 z + 2/7 z^2 ….
static MlirValue odd_series(const FloatMath *m, MlirValue z) {
  static const double coefficients[] = {2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17,
                                        2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                                        2.0 / 7,  2.0 / 5,  2.0 / 3};
  return m->is_double ? polynomial(m, z, coefficients, 11)
                      : polynomial(m, z, coefficients + 5, 6);
}

// With s = f / (2 + f): ln(1 + f) = 2 (s + s^3/3 + s^5/5 + …), of which 2 s is
// f - s f; so what is added to f is small.
static MlirValue double_log_mantissa(const FloatMath *m, MlirValue f) {
  MlirValue s = quotient(m, f, add(m, f, number(m, 2))), z = mul(m, s, s);
  MlirValue series = odd_series(m, z);
  MlirValue one_half = number(m, 0.5);
  MlirValue half = mul(m, one_half, mul(m, f, f));
  MlirValue rest = fma3(m, series, z, half);
  return sub(m, f, fma3(m, minus(m, s), rest, half));
}

static MlirValue log_mantissa(const FloatMath *m, MlirValue f) {
  return m->is_double ? double_log_mantissa(m, f) : single_log_mantissa(m, f);
}

// 0, negative numbers, infinity and NaN.
static MlirValue logarithm_edges(const FloatMath *m, MlirValue x,
                                 MlirValue result) {
  MlirValue is_finite = compare(m, ARITH_CMP_F_PREDICATE_OLT, x, infinity(m));
  result = choose(m, is_finite, result, x); // infinity and NaN
  MlirValue is_negative = less(m, x, 0);
  result = choose(m, is_negative, not_a_number(m), result);
  MlirValue is_zero = equal(m, x, 0);
  return choose(m, is_zero, minus(m, infinity(m)), result);
}

//===-- Logarithms --------------------------------------------------------===//

// ln 2 as the sum of two numbers in f64: e times the first one is exact.
static MlirValue float_log(const FloatMath *m, MlirValue x) {
  Split split = split_of(m, x);
  MlirValue log = log_mantissa(m, split.f);
  if (!m->is_double)
    return logarithm_edges(m, x, fma3(m, split.exponent, number(m, LN_2), log));
  MlirValue low =
      fma3(m, split.exponent, number(m, 1.90821492927058770e-10), log);
  return logarithm_edges(
      m, x, fma3(m, split.exponent, number(m, 0x1.62e42fee00000p-1), low));
}

static MlirValue float_log2(const FloatMath *m, MlirValue x) {
  Split split = split_of(m, x);
  MlirValue log = log_mantissa(m, split.f);
  return logarithm_edges(m, x, fma3(m, log, number(m, LOG2_E), split.exponent));
}

static MlirValue float_log10(const FloatMath *m, MlirValue x) {
  Split split = split_of(m, x);
  MlirValue log = log_mantissa(m, split.f);
  MlirValue small = mul(m, log, number(m, 0.43429448190325183));
  return logarithm_edges(
      m, x, fma3(m, split.exponent, number(m, 0.30102999566398120), small));
}

// With s = f / (2 + f), as above: what rounding takes from s, from its product
// with log2 e and from the sum with the exponent goes into the second number.
// The series is at most a hundredth of the whole.
static MlirValue float_log2_pair(const FloatMath *m, MlirValue x,
                                 MlirValue *out_low) {
  // log2 e as the sum of two numbers.
  MlirValue c = number_of(m, 1.44269502, LOG2_E);
  MlirValue c_low = number_of(m, 1.92596303e-8, 2.03552737409310332e-17);
  Split split = split_of(m, x);
  MlirValue f = split.f, two = number(m, 2);
  MlirValue one = number(m, 1);
  MlirValue inverse = quotient(m, one, add(m, f, two));
  MlirValue s = mul(m, f, inverse), minus_s = minus(m, s), z = mul(m, s, s);
  MlirValue left = fma3(m, minus_s, f, fma3(m, minus_s, two, f));
  MlirValue low = mul(m, left, mul(m, inverse, two));
  low = fma3(m, mul(m, odd_series(m, z), z), s, low);
  MlirValue twice = add(m, s, s), product = mul(m, twice, c);
  low = fma3(m, low, c,
             fma3(m, twice, c_low, fma3(m, twice, c, minus(m, product))));
  MlirValue fraction = float_sum(m, product, &low);
  MlirValue high = float_sum(m, split.exponent, &fraction);
  *out_low = add(m, fraction, low);
  return logarithm_edges(m, x, high);
}

// What 1 + x loses is put back.
static MlirValue float_log1p(const FloatMath *m, MlirValue x) {
  MlirValue u = add(m, number(m, 1), x);
  MlirValue lost = sub(m, x, sub(m, u, number(m, 1)));
  MlirValue correction = quotient(m, lost, u);
  MlirValue log = float_log(m, u);
  MlirValue is_positive = greater(m, u, 0);
  MlirValue is_plain = both(m, is_positive, less(m, u, 0x1p100));
  MlirValue result = choose(m, is_plain, add(m, log, correction), log);
  return choose(m, equal(m, x, 0), x, result); // -0
}

//===-- Inverse hyperbolic functions --------------------------------------===//

// ln(1 + sum); where x is so large that its square may overflow, ln 2x.
static MlirValue log_of_sum(const FloatMath *m, MlirValue sum, MlirValue x) {
  MlirValue is_large = greater(m, x, 0x1p60);
  MlirValue log = float_log1p(m, choose(m, is_large, x, sum));
  return choose(m, is_large, add(m, log, number(m, LN_2)), log);
}

// With a = |x|: ln(1 + a + a^2 / (1 + sqrt(a^2 + 1))).
static MlirValue float_asinh(const FloatMath *m, MlirValue x) {
  MlirValue a = magnitude(m, x), square = mul(m, a, a);
  MlirValue one = number(m, 1);
  MlirValue root = math_sqrt(m->b, add(m, square, one));
  MlirValue sum = add(m, a, quotient(m, square, add(m, root, one)));
  return signed_as(m, log_of_sum(m, sum, a), x);
}

// With t = x - 1: ln(1 + t + sqrt(2 t + t^2)).
static MlirValue float_acosh(const FloatMath *m, MlirValue x) {
  MlirValue t = sub(m, x, number(m, 1));
  MlirValue square = fma3(m, t, t, add(m, t, t));
  MlirValue sum = add(m, t, math_sqrt(m->b, square));
  MlirValue is_below = less(m, x, 1);
  MlirValue nan = not_a_number(m);
  return choose(m, is_below, nan, log_of_sum(m, sum, x));
}

// With a = |x|: ln(1 + 2 a / (1 - a)) / 2.
static MlirValue float_atanh(const FloatMath *m, MlirValue x) {
  MlirValue a = magnitude(m, x);
  MlirValue twice = add(m, a, a);
  MlirValue ratio = quotient(m, twice, sub(m, number(m, 1), a));
  MlirValue log = float_log1p(m, ratio);
  MlirValue result = mul(m, log, number(m, 0.5));
  MlirValue is_outside = greater(m, a, 1);
  result = choose(m, is_outside, not_a_number(m), result);
  return signed_as(m, result, x);
}

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
  MlirValue is_below = less(m, high, bound);
  MlirValue is_plain = both(m, is_below, greater(m, high, -2 * bound));
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
  MlirValue is_zero = equal(m, y, 0);
  MlirValue is_one = either(m, is_zero, equal(m, x, 1));
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
  if (!m->is_double)
    return approximate(m, "rsqrt.approx", x);
  MlirValue one = number(m, 1);
  return quotient(m, one, math_sqrt(m->b, x));
}

// y near a^(-1/3), from dividing the exponent: 1 - a y^3 is at most 0.11. Each
// step takes it to 0.6 times its cube.
static MlirValue reciprocal_cube_root(const FloatMath *m, MlirValue a) {
  MlirValue bits = as_word(m, a);
  MlirValue third = arith_divui(m->b, bits, word(m, 3));
  MlirValue start = word(m, m->is_double ? 0x553ef0ff289dd796 : 0x54a2fa8c);
  MlirValue y = as_float(m, arith_subi(m->b, start, third));
  for (int i = 0; i < (m->is_double ? 3 : 2); i++) {
    MlirValue a_y = mul(m, a, y);
    MlirValue product = mul(m, a_y, mul(m, y, y));
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
  MlirValue size = magnitude(m, x);
  MlirValue is_finite =
      compare(m, ARITH_CMP_F_PREDICATE_OLT, size, infinity(m));
  MlirValue is_plain = both(m, is_finite, greater(m, magnitude(m, x), 0));
  return choose(m, is_plain, signed_as(m, c, x), x);
}

//===-- With fastmath<afn>: one instruction -------------------------------===//

static MlirValue fast_log2(const FloatMath *m, MlirValue x) {
  return approximate(m, "lg2.approx", x);
}

static MlirValue fast_log(const FloatMath *m, MlirValue x) {
  MlirValue log = fast_log2(m, x);
  return mul(m, log, number(m, LN_2));
}

//===-- The table ---------------------------------------------------------===//

const FloatFunction *float_power_find(MlirOperation op) {
  static const FloatFunction rows[] = {
      {math_acosh_is, .accurate = float_acosh},
      {math_asinh_is, .accurate = float_asinh},
      {math_atanh_is, .accurate = float_atanh},
      {math_log_is, .accurate = float_log, .fast = fast_log},
      {math_log10_is, .accurate = float_log10},
      {math_log1p_is, .accurate = float_log1p},
      {math_log2_is, .accurate = float_log2, .fast = fast_log2},
      {math_cbrt_is, .accurate = float_cbrt},
      {math_fpowi_is, .binary = float_powi},
      {math_powf_is, .binary = float_pow},
      {math_rsqrt_is, .accurate = float_rsqrt},
  };
  return float_function_find(rows, sizeof rows / sizeof *rows, op);
}
