//===- SmallFloatOps.c - Casts of small floats, elements of words ---------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Conversion/ToNVVM/Memory/Memories.h"
#include "SmallFloats.h"

#include "Support/Constants.h"

static MlirType type_f32(Lowering *l) {
  return mlirF32TypeGet(tile_builder_context(&l->b));
}

//===-- arith.extf, arith.truncf ------------------------------------------===//

static bool is_unary_of_small_float(MlirOperation op) {
  return small_float_is(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
         small_float_is(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

bool small_float_cast_is(MlirOperation op) {
  return (arith_extf_is(op) || arith_truncf_is(op)) &&
         is_unary_of_small_float(op);
}

void lower_small_float_cast(Lowering *l, MlirOperation op) {
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

//===-- tile.unpack, tile.pack --------------------------------------------===//

// An integer of its width, or the element itself.
static MlirValue as_element(Lowering *l, MlirValue code, MlirType element) {
  return tile_elem_is_float(element)
             ? arith_bitcast(&l->b, .type = element, .in = code)
             : code;
}

void lower_tile_unpack(Lowering *l, MlirOperation op) {
  TileUnpackOp unpack = tile_unpack_cast(op);
  MlirValue word = tile_unpack_word(unpack);
  MlirType type = mlirValueGetType(word),
           element = mlirValueGetType(mlirOperationGetResult(op, 0));
  int bits = tile_elem_info(element)->bits;
  int word_bits = (int)mlirIntegerTypeGetWidth(type);
  TileInt index = index_operand(l, tile_unpack_index(unpack));
  int last = tile_word_num_elems(type, element) - 1;
  MlirValue at = tile_int_get(&l->i32, index);
  MlirValue number = arith_andi(&l->b, at, tile_const_int(&l->b, last, 32));
  MlirValue shift = arith_muli(&l->b, number, tile_const_int(&l->b, bits, 32));
  if (word_bits > 32)
    shift = arith_extui(&l->b, .type = type, .in = shift);
  else if (word_bits < 32)
    shift = arith_trunci(&l->b, .type = type, .in = shift);
  MlirValue code = arith_shrui(&l->b, word, shift);
  if (bits < word_bits)
    code = arith_trunci(&l->b, .type = type_int(l, bits), .in = code);
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     as_element(l, code, element));
}

void lower_tile_pack(Lowering *l, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType element = mlirValueGetType(mlirOperationGetOperand(op, 0));
  int bits = tile_elem_info(element)->bits;
  int word_bits = (int)mlirIntegerTypeGetWidth(type);
  MlirValue word = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue code = mlirOperationGetOperand(op, i);
    if (tile_elem_is_float(element))
      code = arith_bitcast(&l->b, .type = type_int(l, bits), .in = code);
    if (bits < word_bits)
      code = arith_extui(&l->b, .type = type, .in = code);
    if (i > 0) {
      MlirValue by = tile_const_int(&l->b, i * bits, word_bits);
      code = arith_ori(&l->b, word, arith_shli(&l->b, code, by));
    }
    word = code;
  }
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     word);
}
