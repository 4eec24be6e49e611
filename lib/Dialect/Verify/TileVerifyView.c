//===- TileVerifyView.c - Constraints and canonical form of views ---------===//
//
// Labels such as (C2) are those of TileViewOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

//===-- Constraints -------------------------------------------------------===//

static bool can_be_viewed(TileSpace space) {
  return space == TILE_SPACE_SHARED || space == TILE_SPACE_FRAGMENT ||
         space == TILE_SPACE_PRIVATE;
}

static MlirLogicalResult verify_side(MlirOperation op, MlirValue value,
                                     const char *name, TileShape *out_shape) {
  MlirType type = mlirValueGetType(value);
  if (!tile_shape_get(type, out_shape) || out_shape->rank < 1 ||
      !tile_shape_is_static(out_shape)) // (C2)
    return tile_emit_error(op,
                           "expects '%s' to be static and of rank 1 to %d, "
                           "got %s",
                           name, TILE_MAX_RANK,
                           tile_verify_type_text(type).chars);
  if (!can_be_viewed(out_shape->space)) // (C1)
    return tile_emit_error(op,
                           "expects '%s' in shared or private memory or a "
                           "fragment, got %s",
                           name, tile_space_name(out_shape->space));
  if (!tile_verify_is_element(out_shape->element)) // (C5)
    return tile_emit_error(op, "expects elements of %s, got %s",
                           TILE_ELEMENT_TYPES,
                           tile_verify_type_text(out_shape->element).chars);
  if (!mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type))) // (C2)
    return tile_emit_error(op,
                           "expects '%s' to have the identity layout, got %s",
                           name, tile_verify_type_text(type).chars);
  return tile_success();
}

// The product of the extents, or INT64_MAX if it is more than a tile can have.
static int64_t size_bytes(const TileShape *shape) {
  int64_t num_elems = 1;
  for (int d = 0; d < shape->rank; d++) {
    if (shape->extent[d] > TILE_MAX_TILE_ELEMS / num_elems)
      return INT64_MAX;
    num_elems *= shape->extent[d] > 0 ? shape->extent[d] : 1;
  }
  for (int d = 0; d < shape->rank; d++)
    num_elems = shape->extent[d] > 0 ? num_elems : 0;
  return num_elems * (tile_elem_bits(shape->element) / 8);
}

MlirLogicalResult tile_view_verify(MlirOperation op) {
  TileViewOp view = tile_view_cast(op);
  TileShape source, result;
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_side(op, tile_view_source(view), "source", &source)) ||
      tile_failed(verify_side(op, tile_view_result(view), "result", &result)))
    return tile_failure();
  if (source.space != result.space) // (C1)
    return tile_emit_error(op,
                           "expects 'result' in the memory of 'source', %s, "
                           "got %s",
                           tile_space_name(source.space),
                           tile_space_name(result.space));
  if (size_bytes(&source) != size_bytes(&result)) // (C3)
    return tile_emit_error(op,
                           "expects 'result' to have the %" PRId64
                           " bytes of 'source', got %" PRId64,
                           size_bytes(&source), size_bytes(&result));
  int source_bits = tile_elem_bits(source.element),
      result_bits = tile_elem_bits(result.element);
  if (source.space == TILE_SPACE_FRAGMENT && source_bits != result_bits) // (C4)
    return tile_emit_error(op,
                           "expects a view of a fragment to have elements of "
                           "%d bits, got %d",
                           source_bits, result_bits);
  return tile_success();
}

//===-- Canonical form: one view of the tile, or none ---------------------===//

static MlirLogicalResult fold_view(MlirRewritePattern pattern, MlirOperation op,
                                   MlirPatternRewriter rewriter,
                                   void *user_data) {
  (void)pattern, (void)user_data;
  MlirRewriterBase rw = mlirPatternRewriterAsBase(rewriter);
  TileViewOp view = tile_view_cast(op);
  MlirValue source = tile_view_source(view);
  if (mlirTypeEqual(mlirValueGetType(source),
                    mlirValueGetType(tile_view_result(view)))) {
    mlirRewriterBaseReplaceOpWithValues(rw, op, 1, &source);
    return tile_success();
  }
  if (!mlirValueIsAOpResult(source) ||
      !tile_view_is(mlirOpResultGetOwner(source)))
    return tile_failure();
  mlirRewriterBaseStartOpModification(rw, op);
  mlirOperationSetOperand(
      op, 0, tile_view_source(tile_view_cast(mlirOpResultGetOwner(source))));
  mlirRewriterBaseFinalizeOpModification(rw, op);
  return tile_success();
}

void tile_view_canonicalize(MlirContext ctx, MlirRewritePatternSet patterns) {
  mlirRewritePatternSetAdd(
      patterns, mlirOpRewritePatternCreate(
                    TILE_STR("tile.view"), 1, ctx,
                    (MlirRewritePatternCallbacks){.matchAndRewrite = fold_view},
                    NULL, 0, NULL));
}
