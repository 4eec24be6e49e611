//===- TileVerify.c - What the constraints of several ops share -----------===//
//
// Every error is reported at the op that breaks the constraint, with what was
// expected and what was found.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

//===-- Shared ------------------------------------------------------------===//

typedef struct {
  TileVerifyText *text;
  size_t length;
} TextSink;

static void append(MlirStringRef piece, void *user_data) {
  TextSink *sink = user_data;
  for (size_t i = 0; i < piece.length; i++)
    if (sink->length + 1 < sizeof sink->text->chars)
      sink->text->chars[sink->length++] = piece.data[i];
}

TileVerifyText tile_verify_type_text(MlirType type) {
  TileVerifyText text = {{0}};
  mlirTypePrint(type, append, &(TextSink){&text, 0});
  return text;
}

TileVerifyText tile_verify_attr_text(MlirAttribute attribute) {
  TileVerifyText text = {{0}};
  mlirAttributePrint(attribute, append, &(TextSink){&text, 0});
  return text;
}

TileVerifyText tile_verify_shape_text(const TileShape *shape) {
  TileVerifyText text = {{0}};
  tile_shape_print(shape, text.chars, sizeof text.chars);
  return text;
}

bool tile_verify_is_power_of_two(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

bool tile_verify_is_element(MlirType element) {
  const TileDtypeInfo *info = tile_elem_info(element);
  return info && info->is_of_tiles;
}

// Attributes of others begin with the name of their dialect.
static MlirLogicalResult verify_attributes(MlirOperation op) {
  intptr_t count = mlirOperationGetNumDiscardableAttributes(op);
  for (intptr_t i = 0; i < count; i++) {
    MlirStringRef name =
        mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (!memchr(name.data, '.', name.length))
      return tile_emit_error(op, "has no attribute '%.*s'", (int)name.length,
                             name.data);
  }
  return tile_success();
}

MlirLogicalResult tile_verify_op(MlirOperation op) {
  if (tile_failed(verify_attributes(op)))
    return tile_failure();
  int depth = 0;
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(parent) && depth <= TILE_MAX_NESTING) {
    depth++;
    parent = mlirOperationGetParentOperation(parent);
  }
  if (depth <= TILE_MAX_NESTING)
    return tile_success();
  return tile_emit_error(op, "expects to be nested in at most %d ops",
                         TILE_MAX_NESTING);
}

bool tile_verify_is_inside(int64_t offset, int64_t size, int64_t extent) {
  if (mlirShapedTypeIsDynamicStrideOrOffset(offset))
    offset = 0;
  if (offset < 0)
    return false;
  return mlirShapedTypeIsDynamicSize(extent) || offset <= extent - size;
}

//===-- Tiles -------------------------------------------------------------===//

MlirLogicalResult tile_verify_tile(MlirOperation op, MlirValue tile,
                                   const char *name, int min_rank, int max_rank,
                                   TileShape *out_shape) {
  MlirType type = mlirValueGetType(tile);
  if (!tile_shape_get(type, out_shape) || out_shape->rank < min_rank ||
      out_shape->rank > max_rank || !tile_shape_is_static(out_shape)) {
    if (min_rank == max_rank)
      return tile_emit_error(op,
                             "expects '%s' to be static and of rank %d, "
                             "got %s",
                             name, min_rank, tile_verify_type_text(type).chars);
    return tile_emit_error(
        op, "expects '%s' to be static and of rank %d to %d, got %s", name,
        min_rank, max_rank, tile_verify_type_text(type).chars);
  }
  if (out_shape->space == TILE_SPACE_OTHER)
    return tile_emit_error(op,
                           "expects '%s' in global, shared or private memory "
                           "or a fragment, got %s",
                           name, tile_verify_type_text(type).chars);
  if (!tile_verify_is_element(out_shape->element))
    return tile_emit_error(op, "expects elements of '%s' to be %s, got %s",
                           name, TILE_ELEMENT_TYPES,
                           tile_verify_type_text(out_shape->element).chars);
  // A region is a way to name a window, not a value: region (C7). What uses a
  // window of an im2col matrix is the business of its op: im2col (C3).
  if (tile_region_type_is(type) &&
      (!mlirValueIsAOpResult(tile) ||
       (!tile_region_is(mlirOpResultGetOwner(tile)) &&
        !tile_im2col_is(mlirOpResultGetOwner(tile)))))
    return tile_emit_error(
        op, "expects '%s' to be a memref or the result of tile.region", name);
  return tile_success();
}
