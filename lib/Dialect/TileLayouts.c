//===- TileLayouts.c - Layout attributes as layouts of the algebra --------===//

#include "Tile/Dialect/TileLayouts.h"

enum { TEXT_CAPACITY = 2048 };

bool tile_layout_of_alloc(TileAllocOp alloc, TileLayout *out_layout,
                          TileLayoutError *out_error) {
  MlirAttribute attr = tile_alloc_layout_attr(alloc);
  TileShape shape;
  if (mlirAttributeIsNull(attr) ||
      !tile_shape_of(mlirOperationGetResult(alloc.op, 0), &shape)) {
    snprintf(out_error->text, sizeof out_error->text, "no layout");
    return false;
  }
  MlirStringRef text = tile_layout_attr_text(attr);
  char copy[TEXT_CAPACITY];
  if (text.length >= sizeof copy) {
    snprintf(out_error->text, sizeof out_error->text,
             "layout text of %zu characters, at most %d are allowed",
             text.length, TEXT_CAPACITY - 1);
    return false;
  }
  memcpy(copy, text.data, text.length);
  copy[text.length] = '\0';
  return tile_layout_parse(copy, shape.extent, shape.rank,
                           tile_elem_bits(shape.element), out_layout,
                           out_error);
}

bool tile_layout_of_tile(MlirValue base, TileLayout *out_layout,
                         TileLayoutError *out_error) {
  TileShape shape, source_shape;
  MlirOperation owner = {NULL};
  if (mlirValueIsAOpResult(base))
    owner = mlirOpResultGetOwner(base);
  if (tile_alloc_is(owner))
    return tile_layout_of_alloc(tile_alloc_cast(owner), out_layout, out_error);
  if (!tile_view_is(owner)) {
    snprintf(out_error->text, sizeof out_error->text, "no layout");
    return false;
  }
  MlirValue source = tile_view_source(tile_view_cast(owner));
  TileLayout layout;
  return tile_shape_of(base, &shape) && tile_shape_of(source, &source_shape) &&
         tile_layout_of_tile(source, &layout, out_error) &&
         tile_layout_reinterpret(
             &layout, tile_elem_bits(source_shape.element), shape.extent,
             shape.rank, tile_elem_bits(shape.element), out_layout, out_error);
}

bool tile_layout_storage_elems(MlirValue base, int64_t *out_num_elems) {
  TileLayout layout;
  TileLayoutError error;
  TileShape shape;
  if (!tile_layout_of_tile(base, &layout, &error) ||
      !tile_shape_of(base, &shape))
    return false;
  *out_num_elems = shape.space == TILE_SPACE_FRAGMENT
                       ? tile_layout_axis_size(&layout.in, TILE_LAYOUT_REG)
                       : tile_layout_span(&layout.out, 0);
  return true;
}
