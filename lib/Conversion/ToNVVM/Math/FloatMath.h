//===- FloatMath.h - Arithmetic that functions of floats are made of ------===//
//
// A function is built for one type, f32 or f64. The builders here take the
// type from FloatMath; the functions, each in both types, are those of the
// Float*.c files. docs/Rationale/MathFunctions.md states their
// errors.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_FLOAT_MATH_H
#define TILE_CONVERSION_FLOAT_MATH_H

#include "Conversion/ToNVVM/Lowering.h"

#include "Support/Constants.h"
#include "Tile/Ops/math.h"

/// The type that a function is computed in.
typedef struct {
  Lowering *l;
  TileBuilder *b;
  MlirType type, word; // f32 and i32, or f64 and i64
  bool is_double;
  bool is_fast; // fastmath<afn>, of f32
  int num_bits, num_mantissa_bits, bias;
  double least; // normal number
} FloatMath;

/// For f32, or for f64 when `is_double`.
FloatMath float_math_get(Lowering *l, bool is_double);

#define LOG2_E 1.44269504088896341
#define LN_2 0.693147180559945309

//===-- Numbers and words -------------------------------------------------===//

static inline MlirValue number(const FloatMath *m, double value) {
  return arith_constant(
      m->b, mlirFloatAttrDoubleGet(tile_builder_context(m->b), m->type, value));
}

/// One of two numbers: of f32, of f64.
static inline MlirValue number_of(const FloatMath *m, double f32, double f64) {
  return number(m, m->is_double ? f64 : f32);
}

static inline MlirValue word(const FloatMath *m, uint64_t value) {
  return tile_const_int(m->b, m->is_double ? (int64_t)value : (int32_t)value,
                        m->num_bits);
}

static inline MlirValue as_float(const FloatMath *m, MlirValue bits) {
  return arith_bitcast(m->b, .type = m->type, .in = bits);
}

static inline MlirValue as_word(const FloatMath *m, MlirValue value) {
  return arith_bitcast(m->b, .type = m->word, .in = value);
}

/// The float of a signed word.
static inline MlirValue float_of(const FloatMath *m, MlirValue value) {
  return arith_sitofp(m->b, .type = m->type, .in = value);
}

static inline MlirValue infinity(const FloatMath *m) {
  return as_float(m, word(m, m->is_double ? 0x7ff0000000000000 : 0x7f800000));
}

static inline MlirValue not_a_number(const FloatMath *m) {
  return as_float(m, word(m, m->is_double ? 0x7ff8000000000000 : 0x7fffffff));
}

//===-- Arithmetic --------------------------------------------------------===//

static inline MlirValue add(const FloatMath *m, MlirValue x, MlirValue y) {
  return arith_addf(m->b, x, y);
}

static inline MlirValue sub(const FloatMath *m, MlirValue x, MlirValue y) {
  return arith_subf(m->b, x, y);
}

static inline MlirValue mul(const FloatMath *m, MlirValue x, MlirValue y) {
  return arith_mulf(m->b, x, y);
}

static inline MlirValue quotient(const FloatMath *m, MlirValue x, MlirValue y) {
  return arith_divf(m->b, x, y);
}

static inline MlirValue minus(const FloatMath *m, MlirValue x) {
  return arith_negf(m->b, x);
}

/// x y + z, rounded once.
static inline MlirValue fma3(const FloatMath *m, MlirValue x, MlirValue y,
                             MlirValue z) {
  return math_fma(m->b, x, y, z);
}

static inline MlirValue magnitude(const FloatMath *m, MlirValue x) {
  return math_absf(m->b, x);
}

/// The magnitude of x with the sign of y.
static inline MlirValue signed_as(const FloatMath *m, MlirValue x,
                                  MlirValue y) {
  return math_copysign(m->b, x, y);
}

/// The highest coefficient first.
static inline MlirValue polynomial(const FloatMath *m, MlirValue x,
                                   const double *coefficients, int count) {
  MlirValue sum = number(m, coefficients[0]);
  for (int i = 1; i < count; i++)
    sum = fma3(m, sum, x, number(m, coefficients[i]));
  return sum;
}

#define POLYNOMIAL(m, x, ...)                                                  \
  polynomial(m, x, (const double[]){__VA_ARGS__},                              \
             (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

/// sign^0 / first! + sign x / (first + step)! + sign^2 x^2 / (first + 2
/// step)! …, of `count` terms.
static inline MlirValue factorials(const FloatMath *m, MlirValue x, int first,
                                   int step, double sign, int count) {
  double coefficients[16], term = 1;
  for (int i = 2; i <= first; i++)
    term /= i;
  for (int i = 0, n = first; i < count; i++) {
    coefficients[count - 1 - i] = term;
    for (int k = 0; k < step; k++)
      term /= ++n;
    term *= sign;
  }
  return polynomial(m, x, coefficients, count);
}

/// x + *low; *low becomes what rounding takes from it. x is larger, or 0.
static inline MlirValue float_sum(const FloatMath *m, MlirValue x,
                                  MlirValue *low) {
  MlirValue sum = add(m, x, *low);
  *low = sub(m, *low, sub(m, sum, x));
  return sum;
}

//===-- Comparisons: false for NaN ----------------------------------------===//

static inline MlirValue compare(const FloatMath *m,
                                ArithCmpFPredicate predicate, MlirValue x,
                                MlirValue y) {
  return arith_cmpf(m->b, .predicate = predicate, .lhs = x, .rhs = y);
}

static inline MlirValue less(const FloatMath *m, MlirValue x, double y) {
  return compare(m, ARITH_CMP_F_PREDICATE_OLT, x, number(m, y));
}

static inline MlirValue greater(const FloatMath *m, MlirValue x, double y) {
  return compare(m, ARITH_CMP_F_PREDICATE_OGT, x, number(m, y));
}

static inline MlirValue equal(const FloatMath *m, MlirValue x, double y) {
  return compare(m, ARITH_CMP_F_PREDICATE_OEQ, x, number(m, y));
}

static inline MlirValue is_unordered(const FloatMath *m, MlirValue x,
                                     MlirValue y) {
  return compare(m, ARITH_CMP_F_PREDICATE_UNO, x, y);
}

/// Whether the sign bit of a float or a word is set.
static inline MlirValue is_signed(const FloatMath *m, MlirValue bits) {
  return arith_cmpi(m->b, .predicate = ARITH_CMP_I_PREDICATE_slt, .lhs = bits,
                    .rhs = word(m, 0));
}

static inline MlirValue both(const FloatMath *m, MlirValue x, MlirValue y) {
  return arith_andi(m->b, x, y);
}

static inline MlirValue either(const FloatMath *m, MlirValue x, MlirValue y) {
  return arith_ori(m->b, x, y);
}

static inline MlirValue choose(const FloatMath *m, MlirValue condition,
                               MlirValue x, MlirValue y) {
  return arith_select(m->b, condition, x, y);
}

/// At most `y`; NaN passes.
static inline MlirValue at_most(const FloatMath *m, MlirValue x, double y) {
  MlirValue is_greater = greater(m, x, y);
  return choose(m, is_greater, number(m, y), x);
}

/// At least `y`; NaN passes.
static inline MlirValue at_least(const FloatMath *m, MlirValue x, double y) {
  MlirValue is_less = less(m, x, y);
  return choose(m, is_less, number(m, y), x);
}

/// An instruction of f32 with one operand.
MlirValue approximate(const FloatMath *m, const char *instruction, MlirValue x);

//===-- Functions ---------------------------------------------------------===//

/// How an op is computed; `fast…` is of f32 with fastmath<afn>, or NULL.
typedef struct {
  bool (*is)(MlirOperation op);
  MlirValue (*accurate)(const FloatMath *m, MlirValue x);
  MlirValue (*fast)(const FloatMath *m, MlirValue x);
  // Instead: of two operands, or with two results.
  MlirValue (*binary)(const FloatMath *m, MlirValue x, MlirValue y);
  void (*pair)(const FloatMath *m, MlirValue x, MlirValue out[2]);
  void (*fast_pair)(const FloatMath *m, MlirValue x, MlirValue out[2]);
} FloatFunction;

/// The row of `op` among `rows`, or NULL.
const FloatFunction *float_function_find(const FloatFunction *rows,
                                         size_t count, MlirOperation op);

// The functions of each file; NULL for other ops.
const FloatFunction *float_exponential_find(MlirOperation op);
const FloatFunction *float_power_find(MlirOperation op);
const FloatFunction *float_angle_find(MlirOperation op);

// FloatExponentials.c
MlirValue float_exp2(const FloatMath *m, MlirValue x);
// FloatReduction.c
/// |x| = quadrant pi/2 + angle with |angle| <= 0.8, of every finite x.
typedef struct {
  MlirValue angle;
  MlirValue quadrant; // a word, of which the last two bits count
} Reduced;
Reduced float_reduce_angle(const FloatMath *m, MlirValue x);
// IntegerPowers.c
/// x^n of two integers of one type.
MlirValue integer_power(Lowering *l, MlirValue x, MlirValue n);

#endif // TILE_CONVERSION_FLOAT_MATH_H
