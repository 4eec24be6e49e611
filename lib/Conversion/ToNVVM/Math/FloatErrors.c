//===- FloatErrors.c - The error function and its complement --------------===//
//
// For a = |x| and w = 1 / (a + k): erfc a = e^(-a^2) w P(1 - 2 k w), with P
// fitted in the Chebyshev nodes for all a whose result is a number.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

//===-- The complement ----------------------------------------------------===//

// P and w of the above.
static MlirValue scaled_complement(const FloatMath *m, MlirValue a) {
  double k = m->is_double ? 4 : 3;
  MlirValue w = quotient(m, number(m, 1), add(m, a, number(m, k)));
  MlirValue u = fma3(m, w, number(m, -2 * k), number(m, 1));
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
  return choose(m, less(m, x, 0), sub(m, number(m, 2), positive), positive);
}

//===-- The function ------------------------------------------------------===//

// Near 0 a polynomial, else 1 - e^p(|x|).
static MlirValue single_erf(const FloatMath *m, MlirValue x) {
  MlirValue t = magnitude(m, x), s = mul(m, x, x);
  MlirValue p =
      POLYNOMIAL(m, t, -1.72853470e-5, 3.83197126e-4, -3.88396438e-3,
                 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1);
  MlirValue exponent = fma3(m, p, t, minus(m, t));
  MlirValue far = sub(m, number(m, 1), float_exp(m, exponent));
  far = choose(m, greater(m, t, 4), number(m, 1), far);
  MlirValue near =
      POLYNOMIAL(m, s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                 1.12819925e-1, -3.76125336e-1, 1.28379166e-1);
  near = fma3(m, near, x, x);
  far = choose(m, is_unordered(m, x, x), x, signed_as(m, far, x));
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
  MlirValue far = signed_as(m, sub(m, number(m, 1), complement(m, a)), x);
  return choose(m, less(m, a, 1), mul(m, near, x), far);
}

//===-- The table ---------------------------------------------------------===//

const FloatFunction *float_error_find(MlirOperation op) {
  static const FloatFunction rows[] = {
      {math_erf_is, .accurate = float_erf},
      {math_erfc_is, .accurate = float_erfc},
  };
  return float_function_find(rows, sizeof rows / sizeof *rows, op);
}
