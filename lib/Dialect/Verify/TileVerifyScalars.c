//===- TileVerifyScalars.c - Constraints of ops on elements ---------------===//
//
// What stands in bodies of element loops. Labels such as (C1) are those of
// TileElementOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

//===-- tile.unpack_fp4 ---------------------------------------------------===//

MlirLogicalResult tile_unpack_fp4_verify(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  const TileDtypeInfo *info = tile_elem_info(type);
  if (info && info->is_of_tiles && tile_dtype_info_is_float(info) &&
      info->sums && info->bits <= 32)
    return tile_success();
  return tile_emit_error(op, // (C1)
                         "expects f32, f16, bf16, f8E4M3FN or f8E5M2 as the "
                         "result, got %s",
                         tile_verify_type_text(type).chars);
}

//===-- tile.unpack, tile.pack --------------------------------------------===//

// (C1) and (C2) of both.
static MlirLogicalResult verify_word(MlirOperation op, MlirType word,
                                     MlirType element) {
  const TileDtypeInfo *info = tile_elem_info(element);
  unsigned bits = mlirIntegerTypeGetWidth(word);
  if (bits < 8 || bits > 64 || (bits & (bits - 1)))
    return tile_emit_error(op, // (C1)
                           "expects a word of 8, 16, 32 or 64 bits, got %s",
                           tile_verify_type_text(word).chars);
  if (!info || !info->is_of_tiles || info->bits < 4 || info->bits > 8 ||
      (mlirTypeIsAInteger(element) && !mlirIntegerTypeIsSignless(element)))
    return tile_emit_error(
        op, // (C2)
        "expects elements of f4E2M1FN, f6E3M2FN, f6E2M3FN, f8E8M0FNU, "
        "f8E4M3FN, f8E5M2, i4 or i8, got %s",
        tile_verify_type_text(element).chars);
  return tile_success();
}

MlirLogicalResult tile_unpack_verify(MlirOperation op) {
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  return verify_word(op,
                     mlirValueGetType(tile_unpack_word(tile_unpack_cast(op))),
                     mlirValueGetType(mlirOperationGetResult(op, 0)));
}

MlirLogicalResult tile_pack_verify(MlirOperation op) {
  MlirType word = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t count = mlirOperationGetNumOperands(op);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (count < 1)
    return tile_emit_error(op, "expects at least one element"); // (C3)
  MlirType element = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (tile_failed(verify_word(op, word, element)))
    return tile_failure();
  int most = tile_word_num_elems(word, element);
  if (count <= most)
    return tile_success();
  return tile_emit_error(op,
                         "expects at most %d elements in %s, got %d", // (C3)
                         most, tile_verify_type_text(word).chars, (int)count);
}
