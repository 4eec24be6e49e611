//===- TileVerifyArrange.c - Constraints of tiles in another order --------===//
//
// tile.transpose, whose labels such as (C2) are those of TileElementOps.td, and
// tile.arrange, of TileMoveOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

static MlirLogicalResult verify_side(MlirOperation op, MlirValue tile,
                                     const char *name, int min_rank,
                                     TileShape *out_shape) {
  MlirType type = mlirValueGetType(tile);
  if (!tile_shape_get(type, out_shape) || out_shape->rank < min_rank ||
      !tile_shape_is_static(out_shape) ||
      !tile_verify_is_element(out_shape->element)) // (C1)
    return tile_emit_error(op,
                           "expects '%s' to be a static tile of rank %d to "
                           "%d, got %s",
                           name, min_rank, TILE_MAX_RANK,
                           tile_verify_type_text(type).chars);
  if (out_shape->space == TILE_SPACE_PRIVATE ||
      out_shape->space == TILE_SPACE_OTHER) // transposes: (C4); arranges: (C5)
    return tile_emit_error(op,
                           "expects '%s' in global or shared memory or a "
                           "fragment, got it in %s",
                           name, tile_space_name(out_shape->space));
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape whole;
  if (out_shape->space == TILE_SPACE_FRAGMENT &&
      tile_shape_of(buffer.base, &whole) &&
      !tile_shape_equal_extents(out_shape,
                                &whole)) // transposes: (C5); arranges: (C6)
    return tile_emit_error(op,
                           "expects '%s' to be a whole fragment, got a "
                           "window of %s",
                           name, tile_verify_shape_text(&whole).chars);
  return tile_success();
}

// What both ops ask of their two sides together.
static MlirLogicalResult verify_pair(MlirOperation op, const TileShape *src,
                                     const TileShape *dst) {
  MlirType a = src->element, b = dst->element;
  if (!mlirTypeEqual(a, b) &&
      tile_elem_is_float(a) != tile_elem_is_float(b)) // (C3), (C4)
    return tile_emit_error(op,
                           "expects element types that are equal, both float "
                           "or both integer, got %s and %s",
                           tile_verify_type_text(a).chars,
                           tile_verify_type_text(b).chars);
  if (src->space == TILE_SPACE_GLOBAL && dst->space == TILE_SPACE_GLOBAL)
    return tile_emit_error(op, "expects 'src' or 'dst' outside global memory; "
                               "go through a shared tile"); // (C4), (C5)
  return tile_success();
}

//===-- tile.transpose ----------------------------------------------------===//

MlirLogicalResult tile_transpose_verify(MlirOperation op) {
  TileTransposeOp transpose = tile_transpose_cast(op);
  TileShape src, dst;
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(
          verify_side(op, tile_transpose_src(transpose), "src", 2, &src)) ||
      tile_failed(
          verify_side(op, tile_transpose_dst(transpose), "dst", 2, &dst)))
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
  return verify_pair(op, &src, &dst);
}

//===-- tile.arrange ------------------------------------------------------===//

// (C2) `seen` has the dimensions of lists before this one.
static MlirLogicalResult verify_dims(MlirOperation op, MlirAttribute dims,
                                     const char *name, int rank,
                                     unsigned *seen) {
  int64_t before = -1;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(dims); i++) {
    int64_t dim = mlirDenseI64ArrayGetElement(dims, i);
    if (dim <= before || dim >= rank)
      return tile_emit_error(op,
                             "expects '%s' to be ascending dimensions of "
                             "'dst', from 0 to %d, got %" PRId64,
                             name, rank - 1, dim);
    if (*seen >> dim & 1)
      return tile_emit_error(op,
                             "expects dimension %" PRId64 " in 'broadcast' or "
                             "in 'reverse', got it in both",
                             dim);
    *seen |= 1u << dim;
    before = dim;
  }
  return tile_success();
}

// (C3) What `src` may look like: without the dimensions that are broadcast.
static bool is_repeated(const TileShape *src, const TileShape *dst,
                        unsigned broadcast) {
  bool keeps_rank = src->rank == dst->rank;
  int at = 0; // of src
  for (int d = 0; d < dst->rank; d++) {
    bool is_left_out = broadcast >> d & 1;
    if (is_left_out && !keeps_rank)
      continue;
    if (at == src->rank ||
        src->extent[at] != (is_left_out ? 1 : dst->extent[d]))
      return false;
    at++;
  }
  return at == src->rank;
}

static MlirLogicalResult verify_shapes(TileArrangeOp arrange,
                                       const TileShape *src,
                                       const TileShape *dst, unsigned broadcast,
                                       unsigned listed) {
  if (tile_arrange_reshape(arrange) && listed)
    return tile_emit_error(arrange.op, "expects 'reshape' without 'broadcast' "
                                       "and 'reverse'");
  bool fits = tile_arrange_reshape(arrange)
                  ? tile_shape_num_elems(src) == tile_shape_num_elems(dst)
                  : is_repeated(src, dst, broadcast);
  if (fits)
    return tile_success();
  return tile_emit_error(arrange.op, "expects 'src' %s, got %s and 'dst' %s",
                         tile_arrange_reshape(arrange)
                             ? "of as many elements as 'dst'"
                             : "of the shape of 'dst' without the dimensions "
                               "in 'broadcast', or with extent 1 there",
                         tile_verify_shape_text(src).chars,
                         tile_verify_shape_text(dst).chars);
}

MlirLogicalResult tile_arrange_verify(MlirOperation op) {
  TileArrangeOp arrange = tile_arrange_cast(op);
  MlirValue a = tile_arrange_src(arrange), b = tile_arrange_dst(arrange);
  TileShape src, dst;
  unsigned listed = 0;
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_side(op, a, "src", 1, &src)) ||
      tile_failed(verify_side(op, b, "dst", 1, &dst)) ||
      tile_failed(verify_dims(op, tile_arrange_broadcast_attr(arrange),
                              "broadcast", dst.rank, &listed)))
    return tile_failure();
  unsigned broadcast = listed;
  if (tile_failed(verify_dims(op, tile_arrange_reverse_attr(arrange), "reverse",
                              dst.rank, &listed)) ||
      tile_failed(verify_shapes(arrange, &src, &dst, broadcast, listed)) ||
      tile_failed(verify_pair(op, &src, &dst)))
    return tile_failure();
  if (mlirValueEqual(tile_buffer_of(a).root, tile_buffer_of(b).root)) // (C7)
    return tile_emit_error(op, "expects 'src' and 'dst' to be different "
                               "buffers: elements move in any order");
  return tile_success();
}
