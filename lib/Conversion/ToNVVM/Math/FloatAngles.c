//===- FloatAngles.c - Circular functions and their inverses --------------===//
//
// Sine and cosine are series of an angle of at most pi/4 (FloatReduction.c).
// Every inverse is the angle of a point in the plane.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Tile/Ops/llvm.h"

static const double pi = 3.14159265358979324;

//===-- Circular functions ------------------------------------------------===//

/// Of the reduced angle; `quadrant` is a word.
typedef struct {
  MlirValue sine, cosine, quadrant;
} Circle;

static Circle circle_of(const FloatMath *m, MlirValue x) {
  Circle circle;
  Reduced reduced = float_reduce_angle(m, x);
  circle.quadrant = reduced.quadrant;
  MlirValue r = reduced.angle;
  MlirValue s = mul(m, r, r);
  MlirValue rest = m->is_double
                       ? minus(m, factorials(m, s, 3, 2, -1, 8))
                       : POLYNOMIAL(m, s, 2.86567956e-6, -1.98559923e-4,
                                    8.33338592e-3, -1.66666672e-1);
  circle.sine = fma3(m, mul(m, rest, s), r, r);
  circle.cosine = m->is_double ? factorials(m, s, 0, 2, -1, 10)
                               : POLYNOMIAL(m, s, 2.44677067e-5, -1.38877297e-3,
                                            4.16666567e-2, -0.5, 1.0);
  return circle;
}

static MlirValue has_bit(const FloatMath *m, MlirValue bits, uint64_t bit) {
  MlirValue masked_bit = arith_andi(m->b, bits, word(m, bit));
  return arith_cmpi(m->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                    .lhs = masked_bit, .rhs = word(m, 0));
}

// Infinity and NaN have no angle. The result is pinned after the branch of the
// reduction: LLVM would sink what computes it to its use, and keep the operands
// of many elements in registers until then.
static MlirValue finish(const FloatMath *m, MlirValue x, MlirValue result) {
  MlirValue size = magnitude(m, x);
  MlirValue is_finite =
      compare(m, ARITH_CMP_F_PREDICATE_OLT, size, infinity(m));
  return value_pinned(m->l, choose(m, is_finite, result, not_a_number(m)));
}

static MlirValue cosine_of(const FloatMath *m, MlirValue x, Circle circle) {
  MlirValue is_odd = has_bit(m, circle.quadrant, 1);
  MlirValue value = choose(m, is_odd, circle.sine, circle.cosine);
  // Quadrants 1 and 2.
  MlirValue next = arith_addi(m->b, circle.quadrant, word(m, 1));
  MlirValue is_negative = has_bit(m, next, 2);
  value = choose(m, is_negative, minus(m, value), value);
  return finish(m, x, value);
}

// What of |x| is in quadrants 2 and 3 is negative, and so is the sine of -x.
static MlirValue sine_of(const FloatMath *m, MlirValue x, Circle circle) {
  MlirValue is_odd = has_bit(m, circle.quadrant, 1);
  MlirValue value = choose(m, is_odd, circle.cosine, circle.sine);
  MlirValue is_negative = has_bit(m, circle.quadrant, 2);
  MlirValue flips = arith_xori(m->b, is_negative, is_signed(m, as_word(m, x)));
  value = choose(m, flips, minus(m, value), value);
  return finish(m, x, value);
}

static MlirValue float_cos(const FloatMath *m, MlirValue x) {
  return cosine_of(m, x, circle_of(m, x));
}

static MlirValue float_sin(const FloatMath *m, MlirValue x) {
  return sine_of(m, x, circle_of(m, x));
}

static void float_sincos(const FloatMath *m, MlirValue x, MlirValue out[2]) {
  Circle circle = circle_of(m, x);
  out[0] = sine_of(m, x, circle);
  out[1] = cosine_of(m, x, circle);
}

static MlirValue float_tan(const FloatMath *m, MlirValue x) {
  Circle circle = circle_of(m, x);
  MlirValue is_odd = has_bit(m, circle.quadrant, 1);
  MlirValue sine = choose(m, is_odd, circle.cosine, circle.sine);
  MlirValue value =
      quotient(m, sine, choose(m, is_odd, circle.sine, circle.cosine));
  MlirValue flips = arith_xori(m->b, is_odd, is_signed(m, as_word(m, x)));
  value = choose(m, flips, minus(m, value), value);
  return finish(m, x, value);
}

//===-- Angles of points --------------------------------------------------===//

// y + y s P(s), with s = y^2 of at most tan^2(pi/8); fitted in the Chebyshev
// nodes.
static MlirValue small_angle(const FloatMath *m, MlirValue y) {
  MlirValue s = mul(m, y, y);
  MlirValue p =
      m->is_double
          ? POLYNOMIAL(m, s, 1.62843750500433944e-2, -3.45693150633260898e-2,
                       4.55154473402216165e-2, -5.23044364068694771e-2,
                       5.87892755447380676e-2, -6.66642476020052014e-2,
                       7.69229636804229712e-2, -9.09090875325911294e-2,
                       1.11111111051505879e-1, -1.42857142856597778e-1,
                       1.99999999999998043e-1, -3.33333333333333332e-1)
          : POLYNOMIAL(m, s, -6.451718869e-2, 1.074366832e-1, -1.426394975e-1,
                       1.999954031e-1, -3.333333176e-1);
  return fma3(m, mul(m, p, s), y, y);
}

// The angle of `low` over `high`, 0 <= low <= high: up to pi/8 from its
// quotient, above it pi/4 and the angle of (low - high) over (low + high).
static MlirValue angle_below_half(const FloatMath *m, MlirValue low,
                                  MlirValue high) {
  MlirValue is_steep = compare(m, ARITH_CMP_F_PREDICATE_OGT, low,
                               mul(m, high, number(m, 0.414213562373095049)));
  MlirValue top = choose(m, is_steep, sub(m, low, high), low);
  MlirValue y = quotient(m, top, choose(m, is_steep, add(m, low, high), high));
  MlirValue angle = small_angle(m, y);
  return choose(m, is_steep, add(m, angle, number(m, pi / 4)), angle);
}

/// Two magnitudes, with a quotient that can be computed.
typedef struct {
  MlirValue low, high;
} Ratio;

// The sum of huge numbers must not overflow; infinity over infinity is 1, and
// 0 over 0 is 0.
static Ratio ratio_of(const FloatMath *m, MlirValue low, MlirValue high) {
  MlirValue is_huge = greater(m, high, m->is_double ? 0x1p1000 : 0x1p120);
  MlirValue quarter = number(m, 0.25);
  MlirValue scale = choose(m, is_huge, quarter, number(m, 1));
  MlirValue is_infinite =
      compare(m, ARITH_CMP_F_PREDICATE_OEQ, high, infinity(m));
  MlirValue both_are = compare(m, ARITH_CMP_F_PREDICATE_OEQ, low, infinity(m));
  MlirValue one = number(m, 1);
  MlirValue unit = choose(m, both_are, one, number(m, 0));
  low = choose(m, is_infinite, unit, mul(m, low, scale));
  MlirValue is_edge = either(m, is_infinite, equal(m, high, 0));
  high = choose(m, is_edge, one, mul(m, high, scale));
  return (Ratio){low, high};
}

static MlirValue float_atan2(const FloatMath *m, MlirValue y, MlirValue x) {
  MlirValue a = magnitude(m, y), b = magnitude(m, x);
  MlirValue is_above = compare(m, ARITH_CMP_F_PREDICATE_OGT, a, b);
  MlirValue low = choose(m, is_above, b, a);
  Ratio ratio = ratio_of(m, low, choose(m, is_above, a, b));
  MlirValue angle = angle_below_half(m, ratio.low, ratio.high);
  angle = choose(m, is_above, sub(m, number(m, pi / 2), angle), angle);
  MlirValue is_left = is_signed(m, as_word(m, x));
  angle = choose(m, is_left, sub(m, number(m, pi), angle), angle);
  MlirValue is_nan = is_unordered(m, x, y);
  angle = choose(m, is_nan, not_a_number(m), angle);
  return signed_as(m, angle, y);
}

static MlirValue float_atan(const FloatMath *m, MlirValue x) {
  return float_atan2(m, x, number(m, 1));
}

// The other side of a right triangle with hypotenuse 1: NaN for |x| > 1.
static MlirValue side_of(const FloatMath *m, MlirValue x) {
  MlirValue one = number(m, 1);
  MlirValue below = sub(m, one, x);
  return math_sqrt(m->b, mul(m, below, add(m, one, x)));
}

static MlirValue float_asin(const FloatMath *m, MlirValue x) {
  return float_atan2(m, x, side_of(m, x));
}

static MlirValue float_acos(const FloatMath *m, MlirValue x) {
  return float_atan2(m, side_of(m, x), x);
}

//===-- With fastmath<afn>: one instruction -------------------------------===//

static MlirValue fast_sin(const FloatMath *m, MlirValue x) {
  return approximate(m, "sin.approx", x);
}

static MlirValue fast_cos(const FloatMath *m, MlirValue x) {
  return approximate(m, "cos.approx", x);
}

static void fast_sincos(const FloatMath *m, MlirValue x, MlirValue out[2]) {
  out[0] = fast_sin(m, x);
  out[1] = fast_cos(m, x);
}

static MlirValue fast_tan(const FloatMath *m, MlirValue x) {
  MlirValue sine = fast_sin(m, x);
  return quotient(m, sine, fast_cos(m, x));
}

//===-- The table ---------------------------------------------------------===//

// ProductTurns.c counts registers for those that reduce their angle.
const FloatFunction *float_angle_find(MlirOperation op) {
  static const FloatFunction rows[] = {
      {math_acos_is, .accurate = float_acos},
      {math_asin_is, .accurate = float_asin},
      {math_atan_is, .accurate = float_atan},
      {math_atan2_is, .binary = float_atan2},
      {math_cos_is, .accurate = float_cos, .fast = fast_cos},
      {math_sin_is, .accurate = float_sin, .fast = fast_sin},
      {math_sincos_is, .pair = float_sincos, .fast_pair = fast_sincos},
      {math_tan_is, .accurate = float_tan, .fast = fast_tan},
  };
  return float_function_find(rows, sizeof rows / sizeof *rows, op);
}
