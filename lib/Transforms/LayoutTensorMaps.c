//===- LayoutTensorMaps.c - Tensor maps of copies by TMA ------------------===//
//
// Part of tile-layout-inference: box and swizzle follow from the layout of the
// shared tile, the rest from the window.
//
//===----------------------------------------------------------------------===//

#include "LayoutTensorMaps.h"

#include "Tile/Analysis.h"

// What a map is made of; the im2col form has two box extents and `pixels`.
typedef struct {
  MlirValue tensor;
  int64_t box[TILE_MAX_RANK];
  intptr_t box_rank, num_pixels; // num_pixels: 0 in the tiled form
  int64_t lower[TILE_IM2COL_MAX_DIMS], upper[TILE_IM2COL_MAX_DIMS],
      step[TILE_IM2COL_MAX_DIMS];
  int swizzle_bytes;
} Description;

// Dropped dimensions have boxes of one.
static void describe_region(TileRegionOp region, const TileLayoutTma *tma,
                            Description *out) {
  out->tensor = tile_region_source(region);
  out->box_rank = mlirShapedTypeGetRank(mlirValueGetType(out->tensor));
  for (int d = 0; d < (int)out->box_rank; d++) {
    int dim = tile_region_result_dim(region, d);
    out->box[d] = dim < 0 ? 1 : tma->box[dim];
  }
}

// The first element of the filter visits the padded image but for what the
// others reach beyond it.
static void describe_im2col(TileIm2colOp im2col, const TileLayoutTma *tma,
                            Description *out) {
  TileIm2colWindow window = tile_im2col_window(im2col);
  out->tensor = tile_im2col_image(im2col);
  out->box_rank = 2;
  out->box[0] = tma->box[0];
  out->box[1] = tma->box[1];
  out->num_pixels = window.num_dims;
  for (int d = 0; d < window.num_dims; d++) {
    out->lower[d] = -window.lower[d];
    out->upper[d] = window.upper[d] - window.reach[d];
    out->step[d] = window.stride[d];
  }
}

static bool same_list(MlirAttribute list, const int64_t *wanted,
                      intptr_t count) {
  intptr_t found =
      mlirAttributeIsNull(list) ? 0 : mlirDenseArrayGetNumElements(list);
  if (found != count)
    return false;
  for (intptr_t i = 0; i < count; i++)
    if (mlirDenseI64ArrayGetElement(list, i) != wanted[i])
      return false;
  return true;
}

static bool same_map(TileTensorMapOp map, const Description *wanted) {
  return mlirValueEqual(tile_tensor_map_tensor(map), wanted->tensor) &&
         tile_tensor_map_swizzle(map) == wanted->swizzle_bytes &&
         same_list(tile_tensor_map_box_attr(map), wanted->box,
                   wanted->box_rank) &&
         same_list(tile_tensor_map_lower_attr(map), wanted->lower,
                   wanted->num_pixels) &&
         same_list(tile_tensor_map_upper_attr(map), wanted->upper,
                   wanted->num_pixels) &&
         same_list(tile_tensor_map_step_attr(map), wanted->step,
                   wanted->num_pixels);
}

MlirValue tile_tensor_map_find_or_build(TileBuilder *b, MlirOperation launch,
                                        MlirValue window,
                                        const TileLayoutTma *tma) {
  Description wanted = {.swizzle_bytes = tma->swizzle};
  TileIm2colOp im2col = tile_im2col_of(window);
  if (im2col.op.ptr)
    describe_im2col(im2col, tma, &wanted);
  else
    describe_region(tile_region_cast(mlirOpResultGetOwner(window)), tma,
                    &wanted);
  MlirBlock block = mlirOperationGetBlock(launch);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, launch); op = mlirOperationGetNextInBlock(op))
    if (tile_tensor_map_is(op) && same_map(tile_tensor_map_cast(op), &wanted))
      return mlirOperationGetResult(op, 0);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, launch);
  TileI64s box = {wanted.box, wanted.box_rank};
  intptr_t num_pixels = wanted.num_pixels;
  if (num_pixels == 0)
    return tile_tensor_map(b, .tensor = wanted.tensor, .box = box,
                           .swizzle = TILE_SOME(wanted.swizzle_bytes));
  return tile_tensor_map(b, .tensor = wanted.tensor, .box = box,
                         .lower = {wanted.lower, num_pixels},
                         .upper = {wanted.upper, num_pixels},
                         .step = {wanted.step, num_pixels},
                         .swizzle = TILE_SOME(wanted.swizzle_bytes));
}
