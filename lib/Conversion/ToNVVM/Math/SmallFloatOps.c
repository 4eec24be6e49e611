//===- SmallFloatOps.c - Casts of floats of 8 bits, numbers of 4 bits -----===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Conversion/ToNVVM/Memory/Memories.h"
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
