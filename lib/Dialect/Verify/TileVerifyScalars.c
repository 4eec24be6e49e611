//===- TileVerifyScalars.c - Constraints of ops on elements ---------------===//
//
// tile.transpose, and what stands in kernels and in bodies of element loops.
// Labels such as (C2) are those of TileElementOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ElementLoops.h"
#include "TileVerify.h"

//===-- tile.transpose ----------------------------------------------------===//

static MlirLogicalResult verify_side(MlirOperation op, MlirValue tile,
                                     const char *name, TileShape *out_shape) {
  MlirType type = mlirValueGetType(tile);
  if (!tile_shape_get(type, out_shape) || out_shape->rank < 2 ||
      !tile_shape_is_static(out_shape) ||
      !tile_verify_is_element(out_shape->element)) // (C1)
    return tile_emit_error(op,
                           "expects '%s' to be a static tile of rank 2 to "
                           "%d, got %s",
                           name, TILE_MAX_RANK,
                           tile_verify_type_text(type).chars);
  if (out_shape->space == TILE_SPACE_PRIVATE ||
      out_shape->space == TILE_SPACE_OTHER) // (C4)
    return tile_emit_error(op,
                           "expects '%s' in global or shared memory or a "
                           "fragment, got it in %s",
                           name, tile_space_name(out_shape->space));
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape whole;
  if (out_shape->space == TILE_SPACE_FRAGMENT &&
      tile_shape_of(buffer.base, &whole) &&
      !tile_shape_equal_extents(out_shape, &whole)) // (C5)
    return tile_emit_error(op,
                           "expects '%s' to be a whole fragment, got a "
                           "window of %s",
                           name, tile_verify_shape_text(&whole).chars);
  return tile_success();
}

static bool elements_fit(MlirType a, MlirType b) {
  return mlirTypeEqual(a, b) || tile_elem_is_float(a) == tile_elem_is_float(b);
}

MlirLogicalResult tile_transpose_verify(MlirOperation op) {
  TileTransposeOp transpose = tile_transpose_cast(op);
  TileShape src, dst;
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(
          verify_side(op, tile_transpose_src(transpose), "src", &src)) ||
      tile_failed(verify_side(op, tile_transpose_dst(transpose), "dst", &dst)))
    return tile_failure();
  TileShape expected = src;
  expected.extent[src.rank - 1] = src.extent[src.rank - 2];
  expected.extent[src.rank - 2] = src.extent[src.rank - 1];
  if (!tile_shape_equal_extents(&expected, &dst)) { // (C2)
    expected.element = dst.element;
    return tile_emit_error(op, "expects 'dst' of shape %s, got %s",
                           tile_verify_shape_text(&expected).chars,
                           tile_verify_shape_text(&dst).chars);
  }
  if (!elements_fit(src.element, dst.element)) // (C3)
    return tile_emit_error(op,
                           "expects element types that are equal, both float "
                           "or both integer, got %s and %s",
                           tile_verify_type_text(src.element).chars,
                           tile_verify_type_text(dst.element).chars);
  if (src.space == TILE_SPACE_GLOBAL && dst.space == TILE_SPACE_GLOBAL) // (C4)
    return tile_emit_error(op, "expects 'src' or 'dst' outside global memory; "
                               "go through a shared tile");
  return tile_success();
}

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
