//===- MathFunctions.c - The math ops of kernels --------------------------===//
//
// The GPU has ex2, lg2, sin, cos, tanh, rsqrt, all approximate and not all
// accurate; there is no library to call. Functions are made of these and of
// polynomials: those of f64 in f64, others in f32, rounded once. The errors
// that tests hold: docs/Rationale/MathFunctions.md.
//
// With fastmath<afn> some of f32 are one instruction and a product at most:
// ex2.approx.ftz, lg2.approx, sin.approx, cos.approx, tanh.approx. ptxas writes
// ex2.approx without .ftz as four instructions, which scale what is below
// 2^-126; with it that is 0.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Tile/Ops/llvm.h"

#include <math.h>

FloatMath float_math_get(Lowering *l, bool is_double) {
  MlirContext context = tile_builder_context(&l->b);
  FloatMath m = {.l = l,
                 .b = &l->b,
                 .type = mlirF32TypeGet(context),
                 .word = type_i32(l),
                 .num_bits = 32,
                 .num_mantissa_bits = 23,
                 .bias = 127,
                 .least = 0x1p-126};
  if (is_double) {
    m.type = mlirF64TypeGet(context);
    m.word = type_i64(l);
    m.is_double = true;
    m.num_bits = 64;
    m.num_mantissa_bits = 52;
    m.bias = 1023;
    m.least = 0x1p-1022;
  }
  return m;
}

MlirValue approximate(const FloatMath *m, const char *instruction,
                      MlirValue x) {
  char text[64];
  snprintf(text, sizeof text, "%s.f32 $0, $1;", instruction);
  return mlirOperationGetResult(
      llvm_inline_asm_op(m->b, .type = m->type, .operands = {&x, 1},
                         .asm_string = text, .constraints = "=f,f")
          .op,
      0);
}

//===-- One instruction ---------------------------------------------------===//

static MlirValue fast_exp2(const FloatMath *m, MlirValue x) {
  return approximate(m, "ex2.approx.ftz", x);
}

static MlirValue fast_exp(const FloatMath *m, MlirValue x) {
  return fast_exp2(m, mul(m, x, number(m, LOG2_E)));
}

static MlirValue fast_log2(const FloatMath *m, MlirValue x) {
  return approximate(m, "lg2.approx", x);
}

static MlirValue fast_log(const FloatMath *m, MlirValue x) {
  return mul(m, fast_log2(m, x), number(m, LN_2));
}

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
  return quotient(m, fast_sin(m, x), fast_cos(m, x));
}

static MlirValue fast_tanh(const FloatMath *m, MlirValue x) {
  return approximate(m, "tanh.approx", x);
}

//===-- Of every type -----------------------------------------------------===//

static MlirValue compare_magnitude(Lowering *l, MlirValue x,
                                   ArithCmpFPredicate predicate, double bound) {
  MlirValue other =
      arith_constant(&l->b, mlirFloatAttrDoubleGet(tile_builder_context(&l->b),
                                                   mlirValueGetType(x), bound));
  return arith_cmpf(&l->b, .predicate = predicate, .lhs = math_absf(&l->b, x),
                    .rhs = other);
}

static MlirValue is_finite(Lowering *l, MlirOperation op) {
  return compare_magnitude(l, mlirOperationGetOperand(op, 0),
                           ARITH_CMP_F_PREDICATE_OLT, (double)INFINITY);
}

static MlirValue is_infinite(Lowering *l, MlirOperation op) {
  return compare_magnitude(l, mlirOperationGetOperand(op, 0),
                           ARITH_CMP_F_PREDICATE_OEQ, (double)INFINITY);
}

static MlirValue is_nan(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  return arith_cmpf(&l->b, .predicate = ARITH_CMP_F_PREDICATE_UNO, .lhs = x,
                    .rhs = x);
}

MlirValue math_is_normal(Lowering *l, MlirValue x, double least) {
  MlirValue is_large =
      compare_magnitude(l, x, ARITH_CMP_F_PREDICATE_OGE, least);
  MlirValue is_bounded =
      compare_magnitude(l, x, ARITH_CMP_F_PREDICATE_OLT, (double)INFINITY);
  return arith_andi(&l->b, is_large, is_bounded);
}

static MlirValue is_normal(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  double least = mlirTypeIsAF64(type)   ? 0x1p-1022
                 : mlirTypeIsAF16(type) ? 0x1p-14
                                        : 0x1p-126;
  return math_is_normal(l, x, least);
}

static MlirValue clamp(Lowering *l, MlirOperation op) {
  MlirValue above = arith_maximumf(&l->b, mlirOperationGetOperand(op, 0),
                                   mlirOperationGetOperand(op, 1));
  return arith_minimumf(&l->b, above, mlirOperationGetOperand(op, 2));
}

static MlirValue ipowi(Lowering *l, MlirOperation op) {
  return integer_power(l, mlirOperationGetOperand(op, 0),
                       mlirOperationGetOperand(op, 1));
}

// An index is 32 bits wide here, in convert-math-to-llvm it is 64.
static bool is_of_index(MlirOperation op) {
  bool counts = math_absi_is(op) || math_ctlz_is(op) || math_ctpop_is(op) ||
                math_cttz_is(op);
  return counts &&
         mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

static MlirValue of_i32(Lowering *l, MlirOperation op) {
  MlirValue index = mlirOperationGetOperand(op, 0);
  MlirOperation clone = mlirOperationClone(op);
  mlirOperationSetOperand(
      clone, 0, arith_index_cast(&l->b, .type = type_i32(l), .in = index));
  MlirValue result = mlirOperationGetResult(clone, 0);
  mlirValueSetType(result, type_i32(l));
  mlirRewriterBaseInsert(l->b.rw, clone);
  return arith_index_cast(&l->b, .type = mlirValueGetType(index), .in = result);
}

static const struct {
  bool (*is)(MlirOperation op);
  MlirValue (*build)(Lowering *l, MlirOperation op);
} expansions[] = {
    {is_of_index, of_i32},         {math_clampf_is, clamp},
    {math_ipowi_is, ipowi},        {math_isfinite_is, is_finite},
    {math_isinf_is, is_infinite},  {math_isnan_is, is_nan},
    {math_isnormal_is, is_normal},
};

enum { NUM_EXPANSIONS = sizeof expansions / sizeof *expansions };

static int find_expansion(MlirOperation op) {
  for (int i = 0; i < NUM_EXPANSIONS; i++)
    if (expansions[i].is(op))
      return i;
  return -1;
}

//===-- Of floats ---------------------------------------------------------===//

typedef MlirValue (*Unary)(const FloatMath *m, MlirValue x);
typedef MlirValue (*Binary)(const FloatMath *m, MlirValue x, MlirValue y);

typedef void (*Pair)(const FloatMath *m, MlirValue x, MlirValue out[2]);

/// How an op is computed; `fast…` is of f32 with fastmath<afn>, or NULL.
typedef struct {
  bool (*is)(MlirOperation op);
  Unary accurate, fast;
  Binary binary;        // instead
  Pair pair, fast_pair; // instead: two results
} Function;

static const Function functions[] = {
    {math_acos_is, .accurate = float_acos},
    {math_acosh_is, .accurate = float_acosh},
    {math_asin_is, .accurate = float_asin},
    {math_asinh_is, .accurate = float_asinh},
    {math_atan_is, .accurate = float_atan},
    {math_atan2_is, .binary = float_atan2},
    {math_atanh_is, .accurate = float_atanh},
    {math_cbrt_is, .accurate = float_cbrt},
    {math_cos_is, .accurate = float_cos, .fast = fast_cos},
    {math_cosh_is, .accurate = float_cosh},
    {math_erf_is, .accurate = float_erf},
    {math_erfc_is, .accurate = float_erfc},
    {math_exp_is, .accurate = float_exp, .fast = fast_exp},
    {math_exp2_is, .accurate = float_exp2, .fast = fast_exp2},
    {math_expm1_is, .accurate = float_expm1},
    {math_fpowi_is, .binary = float_powi},
    {math_log_is, .accurate = float_log, .fast = fast_log},
    {math_log10_is, .accurate = float_log10},
    {math_log1p_is, .accurate = float_log1p},
    {math_log2_is, .accurate = float_log2, .fast = fast_log2},
    {math_powf_is, .binary = float_pow},
    {math_rsqrt_is, .accurate = float_rsqrt},
    {math_sin_is, .accurate = float_sin, .fast = fast_sin},
    {math_sincos_is, .pair = float_sincos, .fast_pair = fast_sincos},
    {math_sinh_is, .accurate = float_sinh},
    {math_tan_is, .accurate = float_tan, .fast = fast_tan},
    {math_tanh_is, .accurate = float_tanh, .fast = fast_tanh},
};

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

static const Function *find_function(MlirOperation op) {
  for (int i = 0; i < NUM_FUNCTIONS; i++)
    if (functions[i].is(op))
      return &functions[i];
  return NULL;
}

static bool allows_approximation(MlirOperation op) {
  MlirAttribute flags =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("fastmath"));
  if (mlirAttributeIsNull(flags))
    return false;
  return (ArithFastMathFlags_from_attr(flags) & ARITH_FAST_MATH_FLAGS_afn) != 0;
}

bool math_function_is(MlirOperation op) {
  return find_function(op) || find_expansion(op) >= 0;
}

// The rest that LLVM selects instructions for.
bool math_native_is(MlirOperation op) {
  static const char *const names[] = {
      "math.absf", "math.absi",  "math.ceil",      "math.copysign",
      "math.ctlz", "math.ctpop", "math.cttz",      "math.floor",
      "math.fma",  "math.round", "math.roundeven", "math.sqrt",
      "math.trunc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (tile_ods_op_is(op, names[i], strlen(names[i])))
      return true;
  return false;
}

//===-- Entry -------------------------------------------------------------===//

static void lower_function(Lowering *l, MlirOperation op,
                           const Function *function) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!mlirTypeIsAF64(type) && !mlirTypeIsAF32(type) && !mlirTypeIsAF16(type) &&
      !mlirTypeIsABF16(type)) {
    lower_fail(
        l, op,
        "has no lowering but for f64, f32, f16, bf16, f8E4M3FN and f8E5M2");
    return;
  }
  FloatMath m = float_math_get(l, mlirTypeIsAF64(type));
  m.is_fast = !m.is_double && allows_approximation(op);
  MlirValue in[2] = {{NULL}, {NULL}}, out[2] = {{NULL}, {NULL}};
  for (int i = 0; i < (int)mlirOperationGetNumOperands(op); i++) {
    in[i] = mlirOperationGetOperand(op, i);
    if (mlirTypeEqual(mlirValueGetType(in[i]), type)) // else a whole power
      in[i] = convert_element(l, in[i], type, m.type);
  }
  if (function->binary)
    out[0] = function->binary(&m, in[0], in[1]);
  else if (function->pair)
    (m.is_fast ? function->fast_pair : function->pair)(&m, in[0], out);
  else
    out[0] = (m.is_fast && function->fast ? function->fast
                                          : function->accurate)(&m, in[0]);
  for (int i = 0; i < (int)mlirOperationGetNumResults(op); i++)
    mlirRewriterBaseReplaceAllUsesWith(
        l->b.rw, mlirOperationGetResult(op, i),
        convert_element(l, out[i], m.type, type));
}

void lower_math_function(Lowering *l, MlirOperation op) {
  int expansion = find_expansion(op);
  if (expansion < 0)
    lower_function(l, op, find_function(op));
  else
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                       expansions[expansion].build(l, op));
}
