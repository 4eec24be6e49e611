//===- TileVerifyCombine.c - Constraints of reductions by a body ----------===//
//
// Labels such as (C2) are those of TileCombineOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TileCombine.h"
#include "TileVerify.h"

enum { MAX_SOURCES = 4 };

//===-- Tiles -------------------------------------------------------------===//

static bool is_allowed_space(TileSpace space, bool allow_global) {
  return space == TILE_SPACE_SHARED || space == TILE_SPACE_FRAGMENT ||
         (allow_global && space == TILE_SPACE_GLOBAL);
}

static MlirLogicalResult verify_side(MlirOperation op, MlirValue tile,
                                     const char *name, bool allow_global,
                                     TileShape *out) {
  if (tile_failed(tile_verify_tile(op, tile, name, 1, TILE_MAX_RANK, out)))
    return tile_failure();
  if (!is_allowed_space(out->space, allow_global))
    return tile_emit_error(op,
                           "expects '%s' in %sshared memory or a fragment, "
                           "got it in %s",
                           name, allow_global ? "global or " : "",
                           tile_space_name(out->space));
  if (out->space == TILE_SPACE_FRAGMENT &&
      tile_region_type_is(mlirValueGetType(tile)))
    return tile_emit_error(op,
                           "expects '%s' to be a whole fragment, got a "
                           "window of one",
                           name);
  return tile_success();
}

static MlirLogicalResult verify_dim(MlirOperation op, int64_t dim, int rank) {
  if (dim >= 0 && dim < rank)
    return tile_success();
  return tile_emit_error(op,
                         "expects 'dim' from 0 to %d for a tile of rank %d, "
                         "got %" PRId64,
                         rank - 1, rank, dim);
}

// (C1)
static MlirLogicalResult verify_sources(const TileCombine *combine,
                                        TileShape *out) {
  if (combine->srcs.n < 1 || combine->srcs.n > MAX_SOURCES)
    return tile_emit_error(combine->op, "expects 1 to %d sources, got %td",
                           MAX_SOURCES, combine->srcs.n);
  for (intptr_t i = 0; i < combine->srcs.n; i++) {
    TileShape shape;
    MlirValue tile = tile_range_at(combine->srcs, i);
    if (tile_failed(verify_side(combine->op, tile, "srcs", true, &shape)))
      return tile_failure();
    if (i == 0)
      *out = shape;
    if (!tile_shape_equal_extents(&shape, out))
      return tile_emit_error(combine->op,
                             "expects sources of the same shape, got %s and %s",
                             tile_verify_shape_text(out).chars,
                             tile_verify_shape_text(&shape).chars);
  }
  return tile_success();
}

static bool is_result_shape(const TileCombine *combine, const TileShape *src,
                            const TileShape *dst) {
  bool keeps_dim = dst->rank == src->rank;
  int d = 0;
  if (combine->is_scan || (!keeps_dim && dst->rank != src->rank - 1))
    return tile_shape_equal_extents(src, dst);
  for (int s = 0; s < src->rank; s++) {
    bool goes = s == combine->dim;
    if (goes && !keeps_dim)
      continue;
    if (dst->extent[d++] != (goes ? 1 : src->extent[s]))
      return false;
  }
  return true;
}

// A scan may write to what it reads at the same place.
static bool is_own_buffer(const TileCombine *combine, intptr_t dst) {
  MlirValue root = tile_buffer_of(tile_range_at(combine->dsts, dst)).root;
  for (intptr_t i = 0; i < combine->srcs.n; i++) {
    MlirValue src = tile_range_at(combine->srcs, i);
    bool is_same = combine->is_scan && i == dst &&
                   mlirValueEqual(src, tile_range_at(combine->dsts, dst));
    if (!is_same && mlirValueEqual(tile_buffer_of(src).root, root))
      return false;
  }
  for (intptr_t i = 0; i < dst; i++)
    if (mlirValueEqual(tile_buffer_of(tile_range_at(combine->dsts, i)).root,
                       root))
      return false;
  return true;
}

// (C3)
static MlirLogicalResult verify_destinations(const TileCombine *combine,
                                             const TileShape *src) {
  intptr_t expected = combine->srcs.n + combine->takes_position;
  if (combine->dsts.n != expected)
    return tile_emit_error(combine->op, "expects %td destinations, got %td",
                           expected, combine->dsts.n);
  for (intptr_t i = 0; i < combine->dsts.n; i++) {
    TileShape shape;
    MlirValue tile = tile_range_at(combine->dsts, i);
    if (tile_failed(
            verify_side(combine->op, tile, "dsts", !combine->is_scan, &shape)))
      return tile_failure();
    if (!is_result_shape(combine, src, &shape))
      return tile_emit_error(
          combine->op,
          "expects destinations of the shape of the sources %s%s, "
          "got %s",
          tile_verify_shape_text(src).chars,
          combine->is_scan ? "" : " without 'dim', or with extent 1 there",
          tile_verify_shape_text(&shape).chars);
    if (!is_own_buffer(combine, i))
      return tile_emit_error(combine->op,
                             "expects destination %td to be a "
                             "buffer of its own",
                             i);
  }
  return tile_success();
}

//===-- The body ----------------------------------------------------------===//

static MlirType element_of(MlirValue tile) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  return shape.element;
}

// (C4) of part `i` of a state.
static MlirLogicalResult verify_part(const TileCombine *combine, intptr_t i) {
  MlirType type = tile_combine_type(combine, i);
  MlirType other = tile_combine_type(combine, i + combine->dsts.n);
  MlirType dst = element_of(tile_range_at(combine->dsts, i));
  MlirType src =
      i < combine->srcs.n ? element_of(tile_range_at(combine->srcs, i)) : dst;
  bool is_float = tile_elem_is_float(type);
  if (!mlirTypeEqual(type, other))
    return tile_emit_error(combine->op,
                           "expects arguments %td and %td of the body of the "
                           "same type, got %s and %s",
                           i, i + combine->dsts.n,
                           tile_verify_type_text(type).chars,
                           tile_verify_type_text(other).chars);
  bool fits =
      tile_verify_is_element(type) && tile_elem_is_float(src) == is_float &&
      tile_elem_is_float(dst) == is_float && (i < combine->srcs.n || !is_float);
  if (fits)
    return tile_success();
  return tile_emit_error(combine->op,
                         "expects argument %td of the body to be %s, got %s", i,
                         i >= combine->srcs.n || !tile_elem_is_float(dst)
                             ? "an integer, as its tiles are"
                             : "a float, as its tiles are",
                         tile_verify_type_text(type).chars);
}

static MlirWalkResult find_effect(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  if (tile_reduce_by_is(op) || tile_scan_by_is(op) || mlirxIsTerminator(op) ||
      mlirOperationGetNumRegions(op) > 0 || mlirxIsMemoryEffectFree(op))
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

// (C5)
static MlirLogicalResult verify_body(const TileCombine *combine) {
  MlirOperation found = {NULL};
  mlirOperationWalk(combine->op, find_effect, &found, MlirWalkPreOrder);
  if (found.ptr)
    return tile_emit_error(found,
                           "has effects, in a body that combines states");
  MlirOperation yield = mlirBlockGetTerminator(combine->body);
  if (mlirOperationIsNull(yield) || !tile_yield_is(yield))
    return tile_emit_error(combine->op, "expects its body to end with "
                                        "tile.yield");
  intptr_t count = mlirOperationGetNumOperands(yield);
  if (count != combine->dsts.n)
    return tile_emit_error(yield, "expects %td values, got %td",
                           combine->dsts.n, count);
  for (intptr_t i = 0; i < count; i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(yield, i));
    MlirType expected = tile_combine_type(combine, i);
    if (!mlirTypeEqual(type, expected))
      return tile_emit_error(yield, "expects value %td of type %s, got %s", i,
                             tile_verify_type_text(expected).chars,
                             tile_verify_type_text(type).chars);
  }
  return tile_success();
}

static MlirLogicalResult verify_combine(MlirOperation op) {
  TileCombine combine;
  TileShape src;
  tile_combine_of(op, &combine);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_sources(&combine, &src)) ||
      tile_failed(verify_dim(op, combine.dim, src.rank)) || // (C2)
      tile_failed(verify_destinations(&combine, &src)))
    return tile_failure();
  intptr_t num_args = mlirBlockGetNumArguments(combine.body);
  if (num_args != 2 * combine.dsts.n) // (C4)
    return tile_emit_error(op, "expects a body with %td arguments, got %td",
                           2 * combine.dsts.n, num_args);
  for (intptr_t i = 0; i < combine.dsts.n; i++)
    if (tile_failed(verify_part(&combine, i)))
      return tile_failure();
  return verify_body(&combine);
}

MlirLogicalResult tile_reduce_by_verify_regions(MlirOperation op) {
  return verify_combine(op);
}

MlirLogicalResult tile_scan_by_verify_regions(MlirOperation op) {
  return verify_combine(op);
}

//===-- tile.reduce_all ---------------------------------------------------===//

static bool is_bitwise(TileReduceKind kind) {
  return kind == TILE_REDUCE_KIND_And || kind == TILE_REDUCE_KIND_Or ||
         kind == TILE_REDUCE_KIND_Xor;
}

MlirLogicalResult tile_reduce_all_verify(MlirOperation op) {
  TileReduceAllOp reduce = tile_reduce_all_cast(op);
  TileReduceKind kind = tile_reduce_all_kind(reduce);
  MlirType result = mlirValueGetType(mlirOperationGetResult(op, 0));
  TileShape src;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(
          verify_side(op, tile_reduce_all_src(reduce), "src", false, &src)))
    return tile_failure();
  bool is_float = tile_elem_is_float(src.element);
  bool fits =
      tile_verify_is_element(result) &&
      tile_elem_is_float(result) == is_float &&
      (is_float ? tile_elem_bits(result) > 8 && tile_elem_bits(src.element) > 8
                : mlirIntegerTypeGetWidth(result) > 1);
  if (!fits) // (C2)
    return tile_emit_error(op,
                           "expects two floats of at least 16 bits, or two "
                           "integers and no i1 as the result, got %s and %s",
                           tile_verify_type_text(src.element).chars,
                           tile_verify_type_text(result).chars);
  if (is_bitwise(kind) && is_float) // (C3)
    return tile_emit_error(op, "expects integers with '%s', got %s",
                           TileReduceKind_cases[kind].s,
                           tile_verify_type_text(src.element).chars);
  return tile_success();
}
