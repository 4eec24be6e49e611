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
      info->bits <= 32)
    return tile_success();
  return tile_emit_error(op, // (C1)
                         "expects f32, f16, bf16, f8E4M3FN or f8E5M2 as the "
                         "result, got %s",
                         tile_verify_type_text(type).chars);
}
