//===- TileInfer.c - Result types of windows and storage ------------------===//

#include "Ops.h"
#include "Support/Diagnostics.h"
#include "TileHooks.h"
#include "TileLayouts.h"

static MlirAttribute input_attr(const TileInferInput *input,
                                MlirStringRef name) {
  return mlirDictionaryAttrGetElementByName(input->attributes, name);
}

static bool is_dropped(MlirAttribute dropped, int64_t dim) {
  if (mlirAttributeIsNull(dropped))
    return false;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(dropped); i++)
    if (mlirDenseI64ArrayGetElement(dropped, i) == dim)
      return true;
  return false;
}

MlirLogicalResult tile_region_infer(const TileInferInput *input,
                                    MlirType *out_type) {
  MlirType source = mlirValueGetType(input->operands[0]);
  MlirAttribute sizes = input_attr(input, TILE_STR("static_sizes"));
  MlirAttribute dropped = input_attr(input, TILE_STR("dropped"));
  if (mlirAttributeIsNull(sizes) || !mlirTypeIsAMemRef(source))
    return tile_emit_error_at(
        input->location, "expects 'static_sizes', and a memref of which it "
                         "is a window");
  int64_t extent[TILE_MAX_RANK];
  intptr_t rank = 0;
  for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(sizes); d++) {
    if (is_dropped(dropped, d))
      continue;
    if (rank == TILE_MAX_RANK)
      return tile_emit_error_at(input->location,
                                "expects a region of at most %d dimensions",
                                TILE_MAX_RANK);
    extent[rank++] = mlirDenseI64ArrayGetElement(sizes, d);
  }
  *out_type = tile_region_type(input->context, (TileI64s){extent, rank},
                               mlirShapedTypeGetElementType(source),
                               mlirMemRefTypeGetMemorySpace(source));
  return tile_success();
}

MlirLogicalResult tile_im2col_infer(const TileInferInput *input,
                                    MlirType *out_type) {
  return tile_region_infer(input, out_type);
}

MlirLogicalResult tile_storage_infer(const TileInferInput *input,
                                     MlirType *out_type) {
  TileShape shape;
  if (!tile_shape_of(input->operands[0], &shape) ||
      !tile_shape_is_static(&shape))
    return tile_emit_error_at(input->location, "expects a static tile");
  int64_t num_elems = 0;
  if (!tile_layout_storage_elems(input->operands[0], &num_elems))
    return tile_emit_error_at(input->location,
                              "expects a tile.alloc with a layout");
  TileSpace space =
      shape.space == TILE_SPACE_FRAGMENT ? TILE_SPACE_PRIVATE : shape.space;
  *out_type = mlirMemRefTypeContiguousGet(
      shape.element, 1, &num_elems, tile_space_attr(input->context, space));
  return tile_success();
}

MlirLogicalResult tile_remote_infer(const TileInferInput *input,
                                    MlirType *out_type) {
  MlirType tile = mlirValueGetType(input->operands[0]);
  int64_t extent[TILE_MAX_RANK];
  intptr_t rank = mlirTypeIsAMemRef(tile) ? mlirShapedTypeGetRank(tile) : -1;
  if (rank < 0 || rank > TILE_MAX_RANK)
    return tile_emit_error_at(input->location,
                              "expects a tile of at most %d dimensions",
                              TILE_MAX_RANK);
  for (intptr_t d = 0; d < rank; d++)
    extent[d] = mlirShapedTypeGetDimSize(tile, d);
  *out_type = mlirMemRefTypeContiguousGet(
      mlirShapedTypeGetElementType(tile), rank, extent,
      tile_space_attr(input->context, TILE_SPACE_CLUSTER));
  return tile_success();
}
