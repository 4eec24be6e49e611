//===- FloatExponentials.c - Exponentials and hyperbolic functions --------===//
//
// x = (j + f) ln 2 with a whole j and |f| <= 1/2: 2^j is a word of exponent
// bits, and e^r - 1 of r = f ln 2 a polynomial, so that what is near 0 keeps
// its bits. e^x of f32 alone is made of ex2.approx.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

//===-- Parts of an exponential -------------------------------------------===//

/// e^x = 2^power (1 + small).
typedef struct {
  MlirValue power; // whole, as a float
  MlirValue small;
} Exponential;

// e^r - 1 for |r| <= 0.35: the series.
static MlirValue small_exponential(const FloatMath *m, MlirValue r) {
  return mul(m, factorials(m, r, 1, 1, 1, m->is_double ? 13 : 7), r);
}

// ln 2 is the sum of two numbers; j times the first one is exact in f64.
static Exponential exponential_parts(const FloatMath *m, MlirValue x) {
  MlirValue j = math_roundeven(m->b, mul(m, x, number(m, LOG2_E)));
  MlirValue minus_j = minus(m, j);
  MlirValue r =
      fma3(m, minus_j, number_of(m, 0.693359375, 0x1.62e42fee00000p-1), x);
  r = fma3(m, minus_j, number_of(m, -2.12194440e-4, 1.90821492927058770e-10),
           r);
  return (Exponential){j, small_exponential(m, r)};
}

// 2^j for a whole j that is an exponent of normal numbers, or one above.
static MlirValue power_of_2(const FloatMath *m, MlirValue j) {
  MlirValue whole = arith_fptosi(m->b, .type = m->word, .in = j);
  MlirValue biased = arith_addi(m->b, whole, word(m, (uint64_t)m->bias));
  return as_float(
      m, arith_shli(m->b, biased, word(m, (uint64_t)m->num_mantissa_bits)));
}

// 2^j (1 + small), also where 2^j has no exponent: in two steps.
static MlirValue scaled(const FloatMath *m, Exponential parts) {
  MlirValue first = math_floor(m->b, mul(m, parts.power, number(m, 0.5)));
  MlirValue second = sub(m, parts.power, first);
  MlirValue scale = power_of_2(m, first);
  return mul(m, fma3(m, scale, parts.small, scale), power_of_2(m, second));
}

//===-- e^x, 2^x ----------------------------------------------------------===//

// 2^j and 2^f, by the hardware. Beyond the bounds the result is 0 or infinity.
static MlirValue single_exponential(const FloatMath *m, MlirValue x) {
  x = at_most(m, at_least(m, x, -105), 89);
  MlirValue scaled_x = mul(m, x, number(m, LOG2_E));
  MlirValue j = at_most(m, math_roundeven(m->b, scaled_x), 127);
  MlirValue minus_j = minus(m, j);
  // log2 e as the sum of two floats.
  MlirValue f = fma3(m, x, number(m, 1.44269502), minus_j);
  f = fma3(m, x, number(m, 1.92596303e-8), f);
  return mul(m, approximate(m, "ex2.approx", f),
             approximate(m, "ex2.approx", j));
}

MlirValue float_exp(const FloatMath *m, MlirValue x) {
  if (!m->is_double)
    return single_exponential(m, x);
  return scaled(m, exponential_parts(m, at_most(m, at_least(m, x, -746), 710)));
}

MlirValue float_exp2(const FloatMath *m, MlirValue x) {
  if (!m->is_double)
    return approximate(m, "ex2.approx", x);
  x = at_most(m, at_least(m, x, -1076), 1025);
  MlirValue j = math_roundeven(m->b, x);
  MlirValue r = mul(m, sub(m, x, j), number(m, LN_2));
  return scaled(m, (Exponential){j, small_exponential(m, r)});
}

//===-- Near 0 ------------------------------------------------------------===//

/// (e^x - 1) / 4, which does not overflow where the functions below do not. Of
/// a tiny x the quarter loses bits: see `unless_tiny`.
static MlirValue quarter_expm1(const FloatMath *m, MlirValue x) {
  x = at_most(m, at_least(m, x, -40), m->is_double ? 710.6 : 89.5);
  Exponential parts = exponential_parts(m, x);
  MlirValue scale = power_of_2(m, sub(m, parts.power, number(m, 2)));
  return fma3(m, scale, parts.small, sub(m, scale, number(m, 0.25)));
}

// e^x - 1 is x there, and so are the hyperbolic functions.
static MlirValue unless_tiny(const FloatMath *m, MlirValue x,
                             MlirValue result) {
  MlirValue is_tiny =
      less(m, magnitude(m, x), m->is_double ? 0x1p-55 : 0x1p-26);
  return choose(m, is_tiny, x, result);
}

static MlirValue float_expm1(const FloatMath *m, MlirValue x) {
  return unless_tiny(m, x, mul(m, quarter_expm1(m, x), number(m, 4)));
}

//===-- Hyperbolic functions ----------------------------------------------===//

// With E = e^|x| - 1: sinh = (E + E / (E + 1)) / 2.
static MlirValue float_sinh(const FloatMath *m, MlirValue x) {
  MlirValue quarter = quarter_expm1(m, magnitude(m, x));
  MlirValue power = fma3(m, quarter, number(m, 4), number(m, 1));
  MlirValue half = add(m, quarter, quotient(m, quarter, power));
  return unless_tiny(m, x, signed_as(m, add(m, half, half), x));
}

// cosh = (e^|x| + e^-|x|) / 2.
static MlirValue float_cosh(const FloatMath *m, MlirValue x) {
  MlirValue a = at_most(m, magnitude(m, x), m->is_double ? 710.6 : 89.5);
  Exponential parts = exponential_parts(m, a);
  MlirValue scale = power_of_2(m, sub(m, parts.power, number(m, 2)));
  MlirValue quarter = fma3(m, scale, parts.small, scale);
  return fma3(m, quarter, number(m, 2), quotient(m, number(m, 0.125), quarter));
}

// With E = e^2|x| - 1: tanh = E / (E + 2).
static MlirValue float_tanh(const FloatMath *m, MlirValue x) {
  MlirValue a = at_most(m, magnitude(m, x), 20);
  MlirValue quarter = quarter_expm1(m, add(m, a, a));
  MlirValue result = quotient(m, quarter, add(m, quarter, number(m, 0.5)));
  return unless_tiny(m, x, signed_as(m, result, x));
}

//===-- With fastmath<afn>: one instruction -------------------------------===//

static MlirValue fast_exp2(const FloatMath *m, MlirValue x) {
  return approximate(m, "ex2.approx.ftz", x);
}

static MlirValue fast_exp(const FloatMath *m, MlirValue x) {
  return fast_exp2(m, mul(m, x, number(m, LOG2_E)));
}

static MlirValue fast_tanh(const FloatMath *m, MlirValue x) {
  return approximate(m, "tanh.approx", x);
}

//===-- The table ---------------------------------------------------------===//

const FloatFunction *float_exponential_find(MlirOperation op) {
  static const FloatFunction rows[] = {
      {math_cosh_is, .accurate = float_cosh},
      {math_exp_is, .accurate = float_exp, .fast = fast_exp},
      {math_exp2_is, .accurate = float_exp2, .fast = fast_exp2},
      {math_expm1_is, .accurate = float_expm1},
      {math_sinh_is, .accurate = float_sinh},
      {math_tanh_is, .accurate = float_tanh, .fast = fast_tanh},
  };
  return float_function_find(rows, sizeof rows / sizeof *rows, op);
}
