//===- MathFunctions.c - Functions that the hardware lacks ----------------===//
//
// The GPU has ex2, lg2, sin, cos, tanh, rsqrt, all approximate and not all
// accurate; there is no library to call. Functions of f32 are made of these and
// of polynomials; narrower types compute in f32. Bounds on the relative error
// that tests hold (docs/Rationale/MathFunctions.md):
//
//   exp, expm1, tanh, erf, log, log2, log10, log1p, rsqrt   2^-21
//   sin, cos                 2^-20 of 1, where |x| <= 2^15
//   pow                      2^-21 + |y log2 x| 2^-23
//
// With fastmath<afn> exp, exp2, log, log2, sin, cos and tanh are one
// instruction and a product at most: ex2.approx.ftz, lg2.approx, sin.approx,
// cos.approx, tanh.approx. ptxas writes ex2.approx without .ftz as four
// instructions, which scale what is below 2^-126; with it that is 0.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Tile/Ops/llvm.h"
#include "Tile/Ops/math.h"
#include "Tile/Support/Constants.h"

#include <math.h>

//===-- Arithmetic of f32 -------------------------------------------------===//

static MlirType type_f32(Lowering *l) {
  return mlirF32TypeGet(tile_builder_context(&l->b));
}

static MlirValue number(Lowering *l, double value) {
  return arith_constant(
      &l->b,
      mlirFloatAttrDoubleGet(tile_builder_context(&l->b), type_f32(l), value));
}

static MlirValue word(Lowering *l, uint32_t value) {
  return tile_const_int(&l->b, (int32_t)value, 32);
}

static MlirValue add(Lowering *l, MlirValue x, MlirValue y) {
  return arith_addf(&l->b, x, y);
}

static MlirValue sub(Lowering *l, MlirValue x, MlirValue y) {
  return arith_subf(&l->b, x, y);
}

static MlirValue mul(Lowering *l, MlirValue x, MlirValue y) {
  return arith_mulf(&l->b, x, y);
}

static MlirValue fma3(Lowering *l, MlirValue x, MlirValue y, MlirValue z) {
  return math_fma(&l->b, x, y, z);
}

static MlirValue less(Lowering *l, MlirValue x, double y) {
  return arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_OLT, .lhs = x,
                    .rhs = number(l, y));
}

static MlirValue greater(Lowering *l, MlirValue x, double y) {
  return arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_OGT, .lhs = x,
                    .rhs = number(l, y));
}

static MlirValue equal(Lowering *l, MlirValue x, double y) {
  return arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_OEQ, .lhs = x,
                    .rhs = number(l, y));
}

static MlirValue choose(Lowering *l, MlirValue condition, MlirValue x,
                        MlirValue y) {
  return arith_select(&l->b, condition, x, y);
}

static MlirValue as_f32(Lowering *l, MlirValue bits) {
  return arith_bitcast(&l->b, .type = type_f32(l), .in = bits);
}

static MlirValue as_word(Lowering *l, MlirValue value) {
  return arith_bitcast(&l->b, .type = type_i32(l), .in = value);
}

// The highest coefficient first.
static MlirValue polynomial(Lowering *l, MlirValue x,
                            const double *coefficients, int count) {
  MlirValue sum = number(l, coefficients[0]);
  for (int i = 1; i < count; i++)
    sum = fma3(l, sum, x, number(l, coefficients[i]));
  return sum;
}

#define POLYNOMIAL(l, x, ...)                                                  \
  polynomial(l, x, (const double[]){__VA_ARGS__},                              \
             (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static MlirValue approximate(Lowering *l, const char *instruction,
                             MlirValue x) {
  char text[64];
  snprintf(text, sizeof text, "%s.f32 $0, $1;", instruction);
  return mlirOperationGetResult(
      llvm_inline_asm_op(&l->b, .type = type_f32(l), .operands = {&x, 1},
                         .asm_string = text, .constraints = "=f,f")
          .op,
      0);
}

static const double log2_e = 1.44269504088896341, ln_2 = 0.693147180559945309;

//===-- Exponentials ------------------------------------------------------===//

// x = (j + f) ln 2 with |f| <= 1/2: 2^j is exact, 2^f small. Beyond the bounds
// the result is 0 or infinity; NaN passes both comparisons.
static MlirValue exponential(Lowering *l, MlirValue x) {
  x = choose(l, less(l, x, -105), number(l, -105), x);
  x = choose(l, greater(l, x, 89), number(l, 89), x);
  MlirValue scaled = mul(l, x, number(l, log2_e));
  MlirValue j = math_roundeven(&l->b, scaled);
  j = choose(l, greater(l, j, 127), number(l, 127), j);
  MlirValue minus_j = arith_negf(&l->b, j);
  // log2 e as the sum of two floats.
  MlirValue f = fma3(l, x, number(l, 1.44269502), minus_j);
  f = fma3(l, x, number(l, 1.92596303e-8), f);
  return mul(l, approximate(l, "ex2.approx", f),
             approximate(l, "ex2.approx", j));
}

static MlirValue fast_exponential_2(Lowering *l, MlirValue x) {
  return approximate(l, "ex2.approx.ftz", x);
}

static MlirValue fast_exponential(Lowering *l, MlirValue x) {
  return fast_exponential_2(l, mul(l, x, number(l, log2_e)));
}

static MlirValue exponential_minus_1(Lowering *l, MlirValue x) {
  MlirValue near = POLYNOMIAL(l, x, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                              1.0 / 6, 0.5, 1.0);
  MlirValue is_near = less(l, math_absf(&l->b, x), 0.35);
  return choose(l, is_near, mul(l, near, x),
                sub(l, exponential(l, x), number(l, 1)));
}

// 1 - 2 / (e^2|x| + 1), near 0 the series.
static MlirValue hyperbolic_tangent(Lowering *l, MlirValue x) {
  MlirValue magnitude = math_absf(&l->b, x);
  MlirValue square = mul(l, x, x);
  MlirValue series =
      POLYNOMIAL(l, square, 3.59212803e-3, -8.86323553e-3, 2.18694885e-2,
                 -5.39682540e-2, 1.33333333e-1, -3.33333333e-1);
  MlirValue near = fma3(l, mul(l, series, square), x, x);
  MlirValue power = exponential(l, add(l, magnitude, magnitude));
  MlirValue quotient =
      arith_divf(&l->b, number(l, 2), add(l, power, number(l, 1)));
  MlirValue far = math_copysign(&l->b, sub(l, number(l, 1), quotient), x);
  return choose(l, less(l, magnitude, 0.5), near, far);
}

// Near 0 a polynomial, else 1 - e^p(|x|).
static MlirValue error_function(Lowering *l, MlirValue x) {
  MlirValue t = math_absf(&l->b, x), s = mul(l, x, x);
  MlirValue p =
      POLYNOMIAL(l, t, -1.72853470e-5, 3.83197126e-4, -3.88396438e-3,
                 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1);
  MlirValue exponent = fma3(l, p, t, arith_negf(&l->b, t));
  MlirValue far = sub(l, number(l, 1), exponential(l, exponent));
  far = choose(l, greater(l, t, 4), number(l, 1), far);
  far = math_copysign(&l->b, far, x);
  MlirValue near =
      POLYNOMIAL(l, s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                 1.12819925e-1, -3.76125336e-1, 1.28379166e-1);
  near = fma3(l, near, x, x);
  return choose(l, less(l, t, 0.927734375), near,
                choose(l,
                       arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_UNO,
                                  .lhs = x, .rhs = x),
                       x, far));
}

//===-- Logarithms --------------------------------------------------------===//

/// ln x = exponent * ln 2 + ln m, with m in [2/3, 4/3).
typedef struct {
  MlirValue exponent, log_mantissa;
} Logarithm;

static Logarithm logarithm_parts(Lowering *l, MlirValue x) {
  MlirValue is_small = less(l, x, 0x1p-126);
  MlirValue normal = choose(l, is_small, mul(l, x, number(l, 0x1p23)), x);
  MlirValue bits = as_word(l, normal);
  MlirValue above = arith_subi(&l->b, bits, word(l, 0x3f2aaaab));
  MlirValue e = arith_andi(&l->b, above, word(l, 0xff800000));
  MlirValue m = as_f32(l, arith_subi(&l->b, bits, e));
  MlirValue exponent = mul(l, arith_sitofp(&l->b, .type = type_f32(l), .in = e),
                           number(l, 0x1p-23));
  exponent = choose(l, is_small, sub(l, exponent, number(l, 23)), exponent);
  MlirValue f = sub(l, m, number(l, 1)), s = mul(l, f, f);
  MlirValue even = POLYNOMIAL(l, s, -0x1.0ae000p-3, -0x1.f1988ap-4,
                              -0x1.55b36cp-3, -0x1.fffe02p-3);
  MlirValue odd = POLYNOMIAL(l, s, 0x1.208000p-3, 0x1.1e5740p-3, 0x1.99d8b2p-3);
  MlirValue r = fma3(l, odd, f, even);
  r = fma3(l, r, f, number(l, 0x1.5554fap-2));
  r = fma3(l, r, f, number(l, -0.5));
  return (Logarithm){exponent, fma3(l, r, s, f)};
}

// 0, negative numbers, infinity and NaN.
static MlirValue logarithm_edges(Lowering *l, MlirValue x, MlirValue result) {
  MlirValue infinity = as_f32(l, word(l, 0x7f800000));
  MlirValue is_finite = arith_cmpf(
      &l->b, .predicate = ARITH_CMP_F_PREDICATE_OLT, .lhs = x, .rhs = infinity);
  result = choose(l, is_finite, result, x); // infinity and NaN
  MlirValue nan = as_f32(l, word(l, 0x7fffffff));
  result = choose(l, less(l, x, 0), nan, result);
  return choose(l, equal(l, x, 0), as_f32(l, word(l, 0xff800000)), result);
}

static MlirValue logarithm(Lowering *l, MlirValue x) {
  Logarithm parts = logarithm_parts(l, x);
  return logarithm_edges(
      l, x, fma3(l, parts.exponent, number(l, ln_2), parts.log_mantissa));
}

static MlirValue logarithm_2(Lowering *l, MlirValue x) {
  Logarithm parts = logarithm_parts(l, x);
  return logarithm_edges(
      l, x, fma3(l, parts.log_mantissa, number(l, log2_e), parts.exponent));
}

static MlirValue logarithm_10(Lowering *l, MlirValue x) {
  Logarithm parts = logarithm_parts(l, x);
  MlirValue small = mul(l, parts.log_mantissa, number(l, 0.43429448190325183));
  return logarithm_edges(
      l, x, fma3(l, parts.exponent, number(l, 0.30102999566398120), small));
}

static MlirValue fast_logarithm(Lowering *l, MlirValue x) {
  return mul(l, approximate(l, "lg2.approx", x), number(l, ln_2));
}

static MlirValue fast_logarithm_2(Lowering *l, MlirValue x) {
  return approximate(l, "lg2.approx", x);
}

// What 1 + x loses is put back.
static MlirValue logarithm_1_plus(Lowering *l, MlirValue x) {
  MlirValue u = add(l, number(l, 1), x);
  MlirValue lost = sub(l, x, sub(l, u, number(l, 1)));
  MlirValue correction = arith_divf(&l->b, lost, u);
  MlirValue log = logarithm(l, u);
  MlirValue is_plain = arith_andi(&l->b, greater(l, u, 0), less(l, u, 0x1p100));
  return choose(l, is_plain, add(l, log, correction), log);
}

//===-- Circular functions ------------------------------------------------===//

// `shift` quarters of a turn: 0 sine, 1 cosine. x is reduced by pi/2 as the sum
// of three floats.
static MlirValue circular(Lowering *l, MlirValue x, uint32_t shift) {
  MlirValue turns = mul(l, x, number(l, 0.636619772));
  MlirValue j = math_roundeven(&l->b, turns);
  MlirValue minus_j = arith_negf(&l->b, j);
  MlirValue r = fma3(l, minus_j, number(l, 1.57079601e+00), x);
  r = fma3(l, minus_j, number(l, 3.13916473e-07), r);
  r = fma3(l, minus_j, number(l, 5.39030253e-15), r);
  MlirValue quadrant = arith_addi(
      &l->b, arith_fptosi(&l->b, .type = type_i32(l), .in = j), word(l, shift));
  MlirValue s = mul(l, r, r);
  MlirValue sine = POLYNOMIAL(l, s, 2.86567956e-6, -1.98559923e-4,
                              8.33338592e-3, -1.66666672e-1);
  sine = fma3(l, mul(l, sine, s), r, r);
  MlirValue cosine =
      POLYNOMIAL(l, s, 2.44677067e-5, -1.38877297e-3, 4.16666567e-2, -0.5, 1.0);
  MlirValue one = word(l, 1), two = word(l, 2);
  MlirValue is_odd =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                 .lhs = arith_andi(&l->b, quadrant, one), .rhs = word(l, 0));
  MlirValue is_lower =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                 .lhs = arith_andi(&l->b, quadrant, two), .rhs = word(l, 0));
  MlirValue value = choose(l, is_odd, cosine, sine);
  return choose(l, is_lower, arith_negf(&l->b, value), value);
}

static MlirValue sine(Lowering *l, MlirValue x) { return circular(l, x, 0); }

static MlirValue cosine(Lowering *l, MlirValue x) { return circular(l, x, 1); }

static MlirValue fast_sine(Lowering *l, MlirValue x) {
  return approximate(l, "sin.approx", x);
}

static MlirValue fast_cosine(Lowering *l, MlirValue x) {
  return approximate(l, "cos.approx", x);
}

static MlirValue fast_tangent(Lowering *l, MlirValue x) {
  return approximate(l, "tanh.approx", x);
}

static MlirValue reciprocal_root(Lowering *l, MlirValue x) {
  return approximate(l, "rsqrt.approx", x);
}

//===-- Powers ------------------------------------------------------------===//

// 2^(y log2 |x|). A negative x takes whole y only, and its sign where y is odd.
static MlirValue power(Lowering *l, MlirValue x, MlirValue y) {
  MlirValue magnitude = math_absf(&l->b, x);
  Logarithm parts = logarithm_parts(l, magnitude);
  MlirValue log = logarithm_edges(
      l, magnitude,
      fma3(l, parts.log_mantissa, number(l, log2_e), parts.exponent));
  MlirValue high = mul(l, y, log);
  MlirValue result = approximate(l, "ex2.approx", high);
  MlirValue half = mul(l, y, number(l, 0.5));
  MlirValue is_whole = arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_OEQ,
                                  .lhs = math_floor(&l->b, y), .rhs = y);
  MlirValue is_odd = arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_ONE,
                                .lhs = math_floor(&l->b, half), .rhs = half);
  is_odd = arith_andi(&l->b, is_whole, is_odd);
  MlirValue is_negative = less(l, x, 0);
  MlirValue flips = arith_andi(&l->b, is_odd, is_negative);
  result = choose(l, flips, arith_negf(&l->b, result), result);
  MlirValue is_wrong =
      arith_andi(&l->b, is_negative,
                 arith_xori(&l->b, is_whole, tile_const_int(&l->b, 1, 1)));
  result = choose(l, is_wrong, as_f32(l, word(l, 0x7fffffff)), result);
  MlirValue is_one = arith_ori(&l->b, equal(l, y, 0), equal(l, x, 1));
  return choose(l, is_one, number(l, 1), result);
}

//===-- Predicates and bounds: of every type ------------------------------===//

static MlirValue compare_magnitude(Lowering *l, MlirOperation op,
                                   ArithCmpFPredicate predicate) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  MlirValue infinity =
      arith_constant(&l->b, mlirFloatAttrDoubleGet(tile_builder_context(&l->b),
                                                   type, (double)INFINITY));
  return arith_cmpf(&l->b, .predicate = predicate, .lhs = math_absf(&l->b, x),
                    .rhs = infinity);
}

static MlirValue is_finite(Lowering *l, MlirOperation op) {
  return compare_magnitude(l, op, ARITH_CMP_F_PREDICATE_OLT);
}

static MlirValue is_infinite(Lowering *l, MlirOperation op) {
  return compare_magnitude(l, op, ARITH_CMP_F_PREDICATE_OEQ);
}

static MlirValue is_nan(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  return arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_UNO, .lhs = x,
                    .rhs = x);
}

static MlirValue clamp(Lowering *l, MlirOperation op) {
  MlirValue above = arith_maximumf(&l->b, mlirOperationGetOperand(op, 0),
                                   mlirOperationGetOperand(op, 1));
  return arith_minimumf(&l->b, above, mlirOperationGetOperand(op, 2));
}

static const struct {
  bool (*is)(MlirOperation op);
  MlirValue (*build)(Lowering *l, MlirOperation op);
} expansions[] = {
    {math_clampf_is, clamp},
    {math_isfinite_is, is_finite},
    {math_isinf_is, is_infinite},
    {math_isnan_is, is_nan},
};

enum { NUM_EXPANSIONS = sizeof expansions / sizeof *expansions };

static int find_expansion(MlirOperation op) {
  for (int i = 0; i < NUM_EXPANSIONS; i++)
    if (expansions[i].is(op))
      return i;
  return -1;
}

//===-- Entry -------------------------------------------------------------===//

typedef MlirValue (*Function)(Lowering *l, MlirValue x);

static const struct {
  bool (*is)(MlirOperation op);
  Function accurate, fast; // NULL when there is none
} functions[] = {
    {math_cos_is, cosine, fast_cosine},
    {math_erf_is, error_function, NULL},
    {math_exp_is, exponential, fast_exponential},
    {math_exp2_is, NULL, fast_exponential_2}, // else LLVM's
    {math_expm1_is, exponential_minus_1, NULL},
    {math_log_is, logarithm, fast_logarithm},
    {math_log10_is, logarithm_10, NULL},
    {math_log1p_is, logarithm_1_plus, NULL},
    {math_log2_is, logarithm_2, fast_logarithm_2},
    {math_rsqrt_is, reciprocal_root, NULL},
    {math_sin_is, sine, fast_sine},
    {math_tanh_is, hyperbolic_tangent, fast_tangent},
};

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

static bool allows_approximation(MlirOperation op) {
  MlirAttribute flags =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("fastmath"));
  if (mlirAttributeIsNull(flags))
    return false;
  return (ArithFastMathFlags_from_attr(flags) & ARITH_FAST_MATH_FLAGS_afn) != 0;
}

static bool is_of_f64(MlirOperation op) {
  return mlirTypeIsAF64(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

bool math_function_is(MlirOperation op) {
  if (math_powf_is(op) || find_expansion(op) >= 0)
    return true;
  for (int i = 0; i < NUM_FUNCTIONS; i++)
    if (functions[i].is(op))
      return functions[i].accurate || allows_approximation(op) || is_of_f64(op);
  return false;
}

// The rest that LLVM selects instructions for.
bool math_native_is(MlirOperation op) {
  static const char *const names[] = {
      "math.absf",  "math.absi",      "math.ceil", "math.copysign", "math.ctlz",
      "math.ctpop", "math.cttz",      "math.exp2", "math.floor",    "math.fma",
      "math.round", "math.roundeven", "math.sqrt", "math.trunc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (tile_ods_op_is(op, names[i], strlen(names[i])))
      return true;
  return false;
}

void lower_math_function(Lowering *l, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), value = {NULL};
  int expansion = find_expansion(op);
  if (expansion >= 0) {
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, result,
                                       expansions[expansion].build(l, op));
    return;
  }
  MlirType type = mlirValueGetType(result), f32 = type_f32(l);
  if (!mlirTypeIsAF32(type) && !mlirTypeIsAF16(type) &&
      !mlirTypeIsABF16(type)) {
    lower_fail(l, op, "has no lowering but for f32 and narrower floats");
    return;
  }
  MlirValue x = convert_element(l, mlirOperationGetOperand(op, 0), type, f32);
  if (math_powf_is(op))
    value = power(
        l, x, convert_element(l, mlirOperationGetOperand(op, 1), type, f32));
  for (int i = 0; i < NUM_FUNCTIONS; i++)
    if (functions[i].is(op))
      value = functions[i].fast && allows_approximation(op)
                  ? functions[i].fast(l, x)
                  : functions[i].accurate(l, x);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, result,
                                     convert_element(l, value, f32, type));
}
