//===- TileLayouts.c - Layout attributes as layouts of the algebra --------===//

#include "TileLayouts.h"

enum { TEXT_CAPACITY = 2048 };

static bool parse(MlirAttribute attr, const int64_t *shape, int rank,
                  int elem_bits, TileLayout *out_layout,
                  TileReason *out_error) {
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
  return tile_layout_parse(copy, shape, rank, elem_bits, out_layout, out_error);
}

bool tile_layout_of_loop(TileParallelOp loop, TileLayout *out_layout,
                         TileReason *out_error) {
  enum { ANY_ELEM_BITS = 32 };
  MlirAttribute attr = tile_parallel_layout_attr(loop);
  int64_t extents[TILE_MAX_RANK];
  int rank = (int)tile_parallel_extents_size(loop);
  for (int d = 0; d < rank; d++)
    extents[d] = tile_parallel_extents(loop, d);
  if (!mlirAttributeIsNull(attr))
    return parse(attr, extents, rank, ANY_ELEM_BITS, out_layout, out_error);
  snprintf(out_error->text, sizeof out_error->text, "no layout");
  return false;
}

bool tile_layout_of_alloc(TileAllocOp alloc, TileLayout *out_layout,
                          TileReason *out_error) {
  MlirAttribute attr = tile_alloc_layout_attr(alloc);
  TileShape shape;
  if (mlirAttributeIsNull(attr) ||
      !tile_shape_of(mlirOperationGetResult(alloc.op, 0), &shape)) {
    snprintf(out_error->text, sizeof out_error->text, "no layout");
    return false;
  }
  return parse(attr, shape.extent, shape.rank, tile_elem_bits(shape.element),
               out_layout, out_error);
}

bool tile_layout_of_tile(MlirValue base, TileLayout *out_layout,
                         TileReason *out_error) {
  TileShape shape, source_shape;
  MlirOperation owner = {NULL};
  if (mlirValueIsAOpResult(base))
    owner = mlirOpResultGetOwner(base);
  if (tile_alloc_is(owner))
    return tile_layout_of_alloc(tile_alloc_cast(owner), out_layout, out_error);
  if (tile_remote_is(owner)) // every block has the same
    return tile_layout_of_tile(tile_remote_tile(tile_remote_cast(owner)),
                               out_layout, out_error);
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
  TileReason error;
  TileShape shape;
  if (!tile_layout_of_tile(base, &layout, &error) ||
      !tile_shape_of(base, &shape))
    return false;
  *out_num_elems = shape.space == TILE_SPACE_FRAGMENT
                       ? tile_layout_axis_size(&layout.in, TILE_LAYOUT_REG)
                       : tile_layout_span(&layout.out, 0);
  return true;
}
