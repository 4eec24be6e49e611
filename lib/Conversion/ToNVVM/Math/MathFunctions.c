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

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Conversion/ToNVVM/Memory/Memories.h"
#include "FloatMath.h"
#include "SmallFloats.h"

#include "Support/Diagnostics.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/vector.h"

#include <math.h>

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

// Whether |x| is a number from `least` on.
static MlirValue is_normal_from(Lowering *l, MlirValue x, double least) {
  MlirValue is_large =
      compare_magnitude(l, x, ARITH_CMP_F_PREDICATE_OGE, least);
  MlirValue is_bounded =
      compare_magnitude(l, x, ARITH_CMP_F_PREDICATE_OLT, (double)INFINITY);
  return arith_andi(&l->b, is_large, is_bounded);
}

// The smallest normal number of a float.
static double least_normal(MlirType type) {
  return ldexp(1, 1 - tile_float_bias(&tile_elem_info(type)->format));
}

static MlirValue is_normal(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  return is_normal_from(l, x, least_normal(type));
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

static const FloatFunction *find_function(MlirOperation op) {
  const FloatFunction *function = float_exponential_find(op);
  if (!function)
    function = float_power_find(op);
  return function ? function : float_angle_find(op);
}

static bool allows_approximation(MlirOperation op) {
  MlirAttribute flags =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("fastmath"));
  if (mlirAttributeIsNull(flags))
    return false;
  return (ArithFastMathFlags_from_attr(flags) & ARITH_FAST_MATH_FLAGS_afn) != 0;
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

//===-- One op ------------------------------------------------------------===//

static void lower_function(Lowering *l, MlirOperation op,
                           const FloatFunction *function) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  const TileDtypeInfo *info = tile_elem_info(type);
  if (!info || !tile_dtype_info_is_float(info) || info->bits <= 8) {
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

static void lower_wide(Lowering *l, MlirOperation op) {
  int expansion = find_expansion(op);
  if (expansion < 0)
    lower_function(l, op, find_function(op));
  else
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                       expansions[expansion].build(l, op));
}

//===-- Of 8-bit floats: those of f32, rounded once -----------------------===//

static MlirType type_f32(Lowering *l) {
  return mlirF32TypeGet(tile_builder_context(&l->b));
}

static const char math_prefix[] = "math.";

static bool is_of_float8(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = sizeof math_prefix - 1;
  return name.length > length && !memcmp(name.data, math_prefix, length) &&
         small_float_is(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

// The same op of f32, before which its own lowering may put something.
static MlirOperation widen_op(Lowering *l, MlirOperation op) {
  MlirOperation wide = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(value);
    if (small_float_is(type))
      mlirOperationSetOperand(wide, i,
                              convert_element(l, element_stored(l, value, type),
                                              type, type_f32(l)));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (small_float_is(mlirValueGetType(mlirOperationGetResult(op, i))))
      mlirValueSetType(mlirOperationGetResult(wide, i), type_f32(l));
  mlirRewriterBaseInsert(l->b.rw, wide);
  return wide;
}

static void lower_is_normal(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  MlirValue wide =
      convert_element(l, element_stored(l, x, type), type, type_f32(l));
  mlirRewriterBaseReplaceAllUsesWith(
      l->b.rw, mlirOperationGetResult(op, 0),
      is_normal_from(l, wide, least_normal(type)));
}

static void lower_float8(Lowering *l, MlirOperation op) {
  if (math_isnormal_is(op)) { // it is another number in f32
    lower_is_normal(l, op);
    return;
  }
  MlirOperation wide = widen_op(l, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue value = mlirOperationGetResult(wide, i);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (small_float_is(type))
      value =
          element_loaded(l, convert_element(l, value, type_f32(l), type), type);
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, i),
                                       value);
  }
  if (math_native_is(wide))
    return;
  if (!find_function(wide) && find_expansion(wide) < 0) {
    lower_fail(l, op, "has no lowering to nvvm");
    return;
  }
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, wide);
  lower_wide(l, wide);
  mlirRewriterBaseEraseOp(l->b.rw, wide);
}

//===-- Of vectors: element by element ------------------------------------===//

static bool is_of_vector(MlirOperation op) {
  return mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static void lower_one(Lowering *l, MlirOperation op) {
  if (is_of_float8(op))
    lower_float8(l, op);
  else
    lower_wide(l, op);
}

// The same op of the elements at `position`, lowered; its results.
static void lower_element(Lowering *l, MlirOperation op, TileI64s position,
                          MlirValue *out) {
  MlirOperation scalar = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mlirOperationSetOperand(
        scalar, i,
        vector_extract(&l->b, .source = mlirOperationGetOperand(op, i),
                       .static_position = position));
  intptr_t num_results = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < num_results; i++)
    mlirValueSetType(mlirOperationGetResult(scalar, i),
                     vector_element(mlirOperationGetResult(op, i)));
  mlirRewriterBaseInsert(l->b.rw, scalar);
  // A join of the results takes what the lowering puts in their place.
  MlirOperation joined[2];
  for (intptr_t i = 0; i < num_results; i++) {
    MlirValue result = mlirOperationGetResult(scalar, i);
    int64_t one = 1;
    MlirType type = mlirVectorTypeGet(1, &one, mlirValueGetType(result));
    joined[i] = vector_from_elements_op(&l->b, .type = type,
                                        .elements = TILE_VALUES(result))
                    .op;
  }
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, scalar);
  lower_one(l, scalar);
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, op);
  for (intptr_t i = 0; i < num_results; i++) {
    out[i] = mlirOperationGetOperand(joined[i], 0);
    mlirRewriterBaseEraseOp(l->b.rw, joined[i]);
  }
  mlirRewriterBaseEraseOp(l->b.rw, scalar);
}

static void lower_vector(Lowering *l, MlirOperation op) {
  enum { MAX_ELEMS = 64 };
  MlirValue elems[2][MAX_ELEMS], out[2];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t rank = mlirShapedTypeGetRank(type), count = 1;
  for (intptr_t d = 0; d < rank; d++)
    count *= (intptr_t)mlirShapedTypeGetDimSize(type, d);
  if (count > MAX_ELEMS || rank > TILE_MAX_RANK) {
    lower_fail(l, op,
               "has no lowering for a vector of %td elements, only of "
               "at most %d",
               count, MAX_ELEMS);
    return;
  }
  lower_foreign_operands(l, op);
  for (intptr_t e = 0; e < count && !tile_failed(l->result); e++) {
    int64_t position[TILE_MAX_RANK];
    intptr_t rest = e;
    for (intptr_t d = rank - 1; d >= 0; d--) {
      position[d] = rest % mlirShapedTypeGetDimSize(type, d);
      rest /= (intptr_t)mlirShapedTypeGetDimSize(type, d);
    }
    lower_element(l, op, (TileI64s){position, rank}, out);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      elems[i][e] = out[i];
  }
  for (intptr_t i = 0;
       i < mlirOperationGetNumResults(op) && !tile_failed(l->result); i++)
    mlirRewriterBaseReplaceAllUsesWith(
        l->b.rw, mlirOperationGetResult(op, i),
        vector_from_elements(
            &l->b, .type = mlirValueGetType(mlirOperationGetResult(op, i)),
            .elements = {elems[i], count}));
}

//===-- Entry -------------------------------------------------------------===//

bool math_function_is(MlirOperation op) {
  return is_of_float8(op) || find_function(op) || find_expansion(op) >= 0;
}

void lower_math_function(Lowering *l, MlirOperation op) {
  if (is_of_vector(op))
    lower_vector(l, op);
  else
    lower_one(l, op);
}
