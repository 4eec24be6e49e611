//===- FloatExponentials.c - Exponentials and what is made of them --------===//
// x = (j + f) ln 2 with a whole j and |f| <= 1/2: 2^j is a word of exponent
// bits, and e^r - 1 of r = f ln 2 a polynomial, so that what is near 0 keeps
// its bits. e^x of f32 alone is made of ex2.approx.
//
//
// For a = |x| and w = 1 / (a + k): erfc a = e^(-a^2) w P(1 - 2 k w), with P
// fitted in the Chebyshev nodes for all a whose result is a number.
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
  MlirValue power = fma3(m, scale, parts.small, scale);
  return mul(m, power, power_of_2(m, second));
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
  MlirValue power = approximate(m, "ex2.approx", f);
  return mul(m, power, approximate(m, "ex2.approx", j));
}

static MlirValue float_exp(const FloatMath *m, MlirValue x) {
  if (!m->is_double)
    return single_exponential(m, x);
  return scaled(m, exponential_parts(m, at_most(m, at_least(m, x, -746), 710)));
}

MlirValue float_exp2(const FloatMath *m, MlirValue x) {
  if (!m->is_double)
    return approximate(m, "ex2.approx", x);
  x = at_most(m, at_least(m, x, -1076), 1025);
  MlirValue j = math_roundeven(m->b, x);
  MlirValue rest = sub(m, x, j);
  MlirValue r = mul(m, rest, number(m, LN_2));
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
  MlirValue power = quarter_expm1(m, x);
  return unless_tiny(m, x, mul(m, power, number(m, 4)));
}

//===-- Hyperbolic functions ----------------------------------------------===//

// With E = e^|x| - 1: sinh = (E + E / (E + 1)) / 2.
static MlirValue float_sinh(const FloatMath *m, MlirValue x) {
  MlirValue quarter = quarter_expm1(m, magnitude(m, x));
  MlirValue four = number(m, 4);
  MlirValue power = fma3(m, quarter, four, number(m, 1));
  MlirValue half = add(m, quarter, quotient(m, quarter, power));
  return unless_tiny(m, x, signed_as(m, add(m, half, half), x));
}

// cosh = (e^|x| + e^-|x|) / 2.
static MlirValue float_cosh(const FloatMath *m, MlirValue x) {
  MlirValue a = at_most(m, magnitude(m, x), m->is_double ? 710.6 : 89.5);
  Exponential parts = exponential_parts(m, a);
  MlirValue scale = power_of_2(m, sub(m, parts.power, number(m, 2)));
  MlirValue quarter = fma3(m, scale, parts.small, scale);
  MlirValue two = number(m, 2);
  return fma3(m, quarter, two, quotient(m, number(m, 0.125), quarter));
}

// With E = e^2|x| - 1: tanh = E / (E + 2).
static MlirValue float_tanh(const FloatMath *m, MlirValue x) {
  MlirValue a = at_most(m, magnitude(m, x), 20);
  MlirValue quarter = quarter_expm1(m, add(m, a, a));
  MlirValue result = quotient(m, quarter, add(m, quarter, number(m, 0.5)));
  return unless_tiny(m, x, signed_as(m, result, x));
}

//===-- The complement ----------------------------------------------------===//

// P and w of the above.
static MlirValue scaled_complement(const FloatMath *m, MlirValue a) {
  double k = m->is_double ? 4 : 3;
  MlirValue one = number(m, 1);
  MlirValue w = quotient(m, one, add(m, a, number(m, k)));
  MlirValue factor = number(m, -2 * k);
  MlirValue u = fma3(m, w, factor, number(m, 1));
  MlirValue p =
      m->is_double
          ? POLYNOMIAL(m, u, 4.80543612380018681e-10, 2.26811231612818846e-9,
                       -9.15883142605529254e-10, -1.90985275708648759e-8,
                       1.69993202558780137e-9, 1.2867215146802264e-7,
                       -7.56885368803186484e-8, -8.49421548444916088e-7,
                       1.42400599554479067e-6, 4.69586447411936527e-6,
                       -1.88607296467560522e-5, -3.63559614872987931e-6,
                       1.76812762358892155e-4, -4.55052603693316992e-4,
                       -2.80958854460041411e-4, 6.11205564630187382e-3,
                       -2.63700533415401895e-2, 7.63815149099386624e-2,
                       -1.74010937239864503e-1, 3.30851587877990864e-1,
                       -5.40853831313236851e-1, 7.73208702265237369e-1,
                       -9.76548729080881982e-1, 1.09599566100049112)
          : POLYNOMIAL(m, u, -3.318628209e-4, -4.936284502e-4, 3.082170918e-3,
                       -1.217948662e-3, -2.683879514e-2, 1.195269045e-1,
                       -3.104663347e-1, 5.902284809e-1, -8.833944696e-1,
                       1.074006905);
  return mul(m, p, w);
}

// What rounding takes from a^2 is put back: e^(-a^2 - lost) is e^(-a^2) (1 -
// lost). Beyond the bound the result is 0.
static MlirValue complement(const FloatMath *m, MlirValue a) {
  a = at_most(m, a, m->is_double ? 28 : 11);
  MlirValue square = mul(m, a, a);
  MlirValue lost = fma3(m, a, a, minus(m, square));
  MlirValue power = float_exp(m, minus(m, square));
  MlirValue scaled = scaled_complement(m, a);
  return mul(m, power, fma3(m, minus(m, scaled), lost, scaled));
}

static MlirValue float_erfc(const FloatMath *m, MlirValue x) {
  MlirValue positive = complement(m, magnitude(m, x));
  MlirValue is_negative = less(m, x, 0);
  return choose(m, is_negative, sub(m, number(m, 2), positive), positive);
}

//===-- The function ------------------------------------------------------===//

// Near 0 a polynomial, else 1 - e^p(|x|).
static MlirValue single_erf(const FloatMath *m, MlirValue x) {
  MlirValue t = magnitude(m, x), s = mul(m, x, x);
  MlirValue p =
      POLYNOMIAL(m, t, -1.72853470e-5, 3.83197126e-4, -3.88396438e-3,
                 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1);
  MlirValue exponent = fma3(m, p, t, minus(m, t));
  MlirValue one = number(m, 1);
  MlirValue far = sub(m, one, float_exp(m, exponent));
  MlirValue is_large = greater(m, t, 4);
  far = choose(m, is_large, number(m, 1), far);
  MlirValue near =
      POLYNOMIAL(m, s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                 1.12819925e-1, -3.76125336e-1, 1.28379166e-1);
  near = fma3(m, near, x, x);
  MlirValue is_nan = is_unordered(m, x, x);
  far = choose(m, is_nan, x, signed_as(m, far, x));
  return choose(m, less(m, t, 0.927734375), near, far);
}

// Below 1 a polynomial, else 1 - erfc.
static MlirValue float_erf(const FloatMath *m, MlirValue x) {
  if (!m->is_double)
    return single_erf(m, x);
  MlirValue a = magnitude(m, x), s = mul(m, x, x);
  MlirValue near = POLYNOMIAL(
      m, s, -7.79589882700214224e-10, 1.37200645467776856e-8,
      -1.62084838018717059e-7, 1.64474247033173624e-6, -1.49247369074196603e-5,
      1.20552949048397079e-4, -8.54832597538969208e-4, 5.22397760711642273e-3,
      -2.68661706432377704e-2, 1.12837916709450063e-1, -3.76126389031835404e-1,
      1.12837916709551257);
  MlirValue one = number(m, 1);
  MlirValue far = signed_as(m, sub(m, one, complement(m, a)), x);
  MlirValue is_small = less(m, a, 1);
  return choose(m, is_small, mul(m, near, x), far);
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
      {math_erf_is, .accurate = float_erf},
      {math_erfc_is, .accurate = float_erfc},
  };
  return float_function_find(rows, sizeof rows / sizeof *rows, op);
}
