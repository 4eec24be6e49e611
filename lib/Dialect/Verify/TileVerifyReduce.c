//===- TileVerifyReduce.c - Constraints of reductions and scans -----------===//
//
// Labels such as (C2) are those of TileReduceOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

//===-- Shared ------------------------------------------------------------===//

// Threads do not know which of their registers lie in a window of a fragment.
MlirLogicalResult tile_verify_space(MlirOperation op, MlirValue tile,
                                    const char *name, const TileShape *shape,
                                    bool allow_global) {
  bool is_memory = shape->space == TILE_SPACE_SHARED ||
                   (allow_global && shape->space == TILE_SPACE_GLOBAL);
  if (!is_memory && shape->space != TILE_SPACE_FRAGMENT)
    return tile_emit_error(op,
                           "expects '%s' in %sshared memory or a fragment, "
                           "got it in %s",
                           name, allow_global ? "global or " : "",
                           tile_space_name(shape->space));
  if (shape->space == TILE_SPACE_FRAGMENT &&
      tile_region_type_is(mlirValueGetType(tile)))
    return tile_emit_error(op,
                           "expects '%s' to be a whole fragment, got a window "
                           "of one",
                           name);
  return tile_success();
}

static MlirLogicalResult verify_dim(MlirOperation op, int64_t dim,
                                    const TileShape *src) {
  if (dim >= 0 && dim < src->rank)
    return tile_success();
  return tile_emit_error(
      op,
      "expects 'dim' from 0 to %d for a tile of rank %d, got "
      "%" PRId64,
      src->rank - 1, src->rank, dim);
}

static bool is_int1(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

MlirLogicalResult tile_verify_elements(MlirOperation op, const TileShape *src,
                                       const TileShape *dst) {
  const TileShape *shapes[2] = {src, dst};
  for (int i = 0; i < 2; i++)
    if (tile_elem_is_float(shapes[i]->element) &&
        tile_elem_bits(shapes[i]->element) == 8)
      return tile_emit_error(op,
                             "cannot compute with %s; copy the tile to f16, "
                             "bf16 or f32 first",
                             tile_verify_type_text(shapes[i]->element).chars);
  if (tile_elem_is_float(src->element) != tile_elem_is_float(dst->element))
    return tile_emit_error(
        op, "expects two float or two integer element types, got %s and %s",
        tile_verify_type_text(src->element).chars,
        tile_verify_type_text(dst->element).chars);
  return tile_success();
}

//===-- tile.reduce -------------------------------------------------------===//

static bool is_bitwise(TileReduceKind kind) {
  return kind == TILE_REDUCE_KIND_And || kind == TILE_REDUCE_KIND_Or ||
         kind == TILE_REDUCE_KIND_Xor;
}

static bool reduced_shape_fits(const TileShape *src, const TileShape *dst,
                               int dim, bool is_partial) {
  int d = 0;
  bool keeps_dim = dst->rank == src->rank;
  if (!keeps_dim && (is_partial || dst->rank != src->rank - 1))
    return false;
  for (int s = 0; s < src->rank; s++) {
    if (s == dim && !keeps_dim)
      continue;
    if (s == dim ? !is_partial && dst->extent[d] != 1
                 : dst->extent[d] != src->extent[s])
      return false;
    d++;
  }
  return true;
}

static MlirLogicalResult reduce_verify_kind(TileReduceOp reduce,
                                            const TileShape *src,
                                            const TileShape *dst) {
  TileReduceKind kind = tile_reduce_kind(reduce);
  const char *name = TileReduceKind_cases[kind].s;
  if (is_bitwise(kind) && tile_elem_is_float(src->element))
    return tile_emit_error(reduce.op, "expects integers with '%s', got %s",
                           name, tile_verify_type_text(src->element).chars);
  if (!is_bitwise(kind) && is_int1(dst->element))
    return tile_emit_error(reduce.op,
                           "expects 'and', 'or' or 'xor' into i1, got '%s'; a "
                           "wider 'dst' counts",
                           name);
  return tile_success();
}

// (C1), (C2): two tiles, and a dimension of the first.
static MlirLogicalResult verify_lines(MlirOperation op, MlirValue from,
                                      MlirValue to, int64_t dim,
                                      TileShape *out_src, TileShape *out_dst) {
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(
          tile_verify_tile(op, from, "src", 1, TILE_MAX_RANK, out_src)) ||
      tile_failed(tile_verify_tile(op, to, "dst", 1, TILE_MAX_RANK, out_dst)) ||
      tile_failed(tile_verify_space(op, from, "src", out_src, false)) ||
      tile_failed(tile_verify_space(op, to, "dst", out_dst, false)) ||
      tile_failed(verify_dim(op, dim, out_src)))
    return tile_failure();
  return tile_success();
}

MlirLogicalResult tile_reduce_verify(MlirOperation op) {
  TileReduceOp reduce = tile_reduce_cast(op);
  MlirValue from = tile_reduce_src(reduce), to = tile_reduce_dst(reduce);
  TileShape src, dst;
  if (tile_failed(
          verify_lines(op, from, to, tile_reduce_dim(reduce), &src, &dst)))
    return tile_failure();
  int dim = (int)tile_reduce_dim(reduce);
  bool is_partial = tile_reduce_partial(reduce);
  if (!reduced_shape_fits(&src, &dst, dim, is_partial)) // (C3)
    return tile_emit_error(op,
                           "expects 'dst' of the shape of %s without dimension "
                           "%d, or with extent 1 there, got %s",
                           tile_verify_shape_text(&src).chars, dim,
                           tile_verify_shape_text(&dst).chars);
  if (is_partial &&
      (dst.space != TILE_SPACE_SHARED || !tile_reduce_clear(reduce)))
    return tile_emit_error(op, "expects 'partial' with 'clear' and 'dst' in "
                               "shared memory");
  if (tile_failed(tile_verify_elements(op, &src, &dst))) // (C4)
    return tile_failure();
  return reduce_verify_kind(reduce, &src, &dst); // (C5)
}

//===-- tile.scan ---------------------------------------------------------===//

MlirLogicalResult tile_scan_verify(MlirOperation op) {
  TileScanOp scan = tile_scan_cast(op);
  MlirValue from = tile_scan_src(scan), to = tile_scan_dst(scan);
  TileShape src, dst;
  if (tile_failed(verify_lines(op, from, to, tile_scan_dim(scan), &src, &dst)))
    return tile_failure();
  if (!tile_shape_equal_extents(&src, &dst)) // (C3)
    return tile_emit_error(op,
                           "expects 'src' and 'dst' of the same shape, got %s "
                           "and %s",
                           tile_verify_shape_text(&src).chars,
                           tile_verify_shape_text(&dst).chars);
  if (is_int1(dst.element)) // (C4)
    return tile_emit_error(op, "expects 'dst' of more than one bit per "
                               "element, got i1");
  return tile_verify_elements(op, &src, &dst);
}

//===-- tile.any_of, tile.all_of ------------------------------------------===//

static MlirLogicalResult verify_mask(MlirOperation op) {
  MlirValue mask = mlirOperationGetOperand(op, 0);
  TileShape shape;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(
          tile_verify_tile(op, mask, "mask", 1, TILE_MAX_RANK, &shape)) ||
      tile_failed(tile_verify_space(op, mask, "mask", &shape, true)))
    return tile_failure();
  if (is_int1(shape.element)) // (C2)
    return tile_success();
  return tile_emit_error(op, "expects 'mask' of i1, got %s",
                         tile_verify_type_text(shape.element).chars);
}

MlirLogicalResult tile_any_of_verify(MlirOperation op) {
  return verify_mask(op);
}

MlirLogicalResult tile_all_of_verify(MlirOperation op) {
  return verify_mask(op);
}
