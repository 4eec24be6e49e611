//===- SmallFloatOps.c - Casts and functions of floats of 8 and 4 bits ----===//
//
// Functions are those of f32, rounded once.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Conversion/ToNVVM/Memory/Memories.h"
#include "FloatMath.h"
#include "SmallFloats.h"

#include "Support/Constants.h"

static MlirType type_f32(Lowering *l) {
  return mlirF32TypeGet(tile_builder_context(&l->b));
}

//===-- arith.extf, arith.truncf ------------------------------------------===//

static bool is_unary_of_float8(MlirOperation op) {
  return float8_is(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
         float8_is(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

bool float8_cast_is(MlirOperation op) {
  return (arith_extf_is(op) || arith_truncf_is(op)) && is_unary_of_float8(op);
}

void lower_float8_cast(Lowering *l, MlirOperation op) {
  MlirValue in = mlirOperationGetOperand(op, 0);
  MlirType from = mlirValueGetType(in),
           to = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue value = element_loaded(
      l, convert_element(l, element_stored(l, in, from), from, to), to);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     value);
}

//===-- Functions -----------------------------------===//

static const char math_prefix[] = "math.";

bool float8_math_is(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t length = sizeof math_prefix - 1;
  return name.length > length && !memcmp(name.data, math_prefix, length) &&
         float8_is(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

// The same op of f32, in front of which its own lowering may put something.
static MlirOperation widen_op(Lowering *l, MlirOperation op) {
  MlirOperation wide = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(value);
    if (float8_is(type))
      mlirOperationSetOperand(wide, i,
                              convert_element(l, element_stored(l, value, type),
                                              type, type_f32(l)));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (float8_is(mlirValueGetType(mlirOperationGetResult(op, i))))
      mlirValueSetType(mlirOperationGetResult(wide, i), type_f32(l));
  mlirRewriterBaseInsert(l->b.rw, wide);
  return wide;
}

static void lower_float8_is_normal(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  MlirValue wide =
      convert_element(l, element_stored(l, x, type), type, type_f32(l));
  mlirRewriterBaseReplaceAllUsesWith(
      l->b.rw, mlirOperationGetResult(op, 0),
      math_is_normal(l, wide, float8_least_normal(type)));
}

void lower_float8_math(Lowering *l, MlirOperation op) {
  if (math_isnormal_is(op)) { // it is another number in f32
    lower_float8_is_normal(l, op);
    return;
  }
  MlirOperation wide = widen_op(l, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue value = mlirOperationGetResult(wide, i);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (float8_is(type))
      value =
          element_loaded(l, convert_element(l, value, type_f32(l), type), type);
    mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, i),
                                       value);
  }
  if (math_native_is(wide))
    return;
  if (!math_function_is(wide)) {
    lower_fail(l, op, "has no lowering to nvvm");
    return;
  }
  mlirRewriterBaseSetInsertionPointBefore(l->b.rw, wide);
  lower_math_function(l, wide);
  mlirRewriterBaseEraseOp(l->b.rw, wide);
}

//===-- tile.unpack_fp4 ---------------------------------------------------===//

void lower_tile_unpack_fp4(Lowering *l, MlirOperation op) {
  TileUnpackFp4Op unpack = tile_unpack_fp4_cast(op);
  MlirType to = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue byte = arith_extui(&l->b, .type = type_i32(l),
                               .in = tile_unpack_fp4_pair(unpack));
  TileInt index = index_operand(l, tile_unpack_fp4_index(unpack));
  MlirValue number = float4_widen(l, byte, tile_int_get(&l->i32, index));
  MlirValue value =
      element_loaded(l, convert_element(l, number, type_f32(l), to), to);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     value);
}
