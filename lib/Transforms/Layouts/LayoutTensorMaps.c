//===- LayoutTensorMaps.c - Tensor maps of copies by TMA ------------------===//
//
// Part of tile-layout-inference: box and swizzle follow from the layout of the
// shared tile, the rest from the window.
//
//===----------------------------------------------------------------------===//

#include "LayoutTensorMaps.h"

#include "Analysis/Index/Index.h"
#include "Support/Diagnostics.h"

#include "Dialect/Im2col.h"
#include <stdio.h>

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

static Description describe(MlirValue window, const TileLayoutTma *tma) {
  Description out = {.swizzle_bytes = tma->swizzle};
  TileIm2colOp im2col = tile_im2col_of(window);
  if (im2col.op.ptr)
    describe_im2col(im2col, tma, &out);
  else
    describe_region(tile_region_cast(mlirOpResultGetOwner(window)), tma, &out);
  return out;
}

//===-- Maps that the user gave -------------------------------------------===//

typedef struct {
  char chars[200];
  int length;
} Text;

static void add(Text *text, const char *word, int64_t number) {
  int room = (int)sizeof text->chars - text->length;
  int length = snprintf(text->chars + text->length, (size_t)room, word,
                        (long long)number);
  text->length += length < room ? length : room - 1;
}

static void add_list(Text *text, const char *name, const int64_t *numbers,
                     intptr_t count) {
  add(text, name, 0);
  for (intptr_t i = 0; i < count; i++)
    add(text, i ? ", %lld" : "%lld", numbers[i]);
  add(text, "]", 0);
}

static Text text_of(const Description *map) {
  Text out = {.length = 0};
  add_list(&out, "box [", map->box, map->box_rank);
  if (map->num_pixels) {
    add_list(&out, " lower [", map->lower, map->num_pixels);
    add_list(&out, " upper [", map->upper, map->num_pixels);
    add_list(&out, " step [", map->step, map->num_pixels);
  }
  add(&out, " swizzle %lld", map->swizzle_bytes);
  return out;
}

static intptr_t read_list(MlirAttribute list, int64_t *out, intptr_t most) {
  intptr_t count =
      mlirAttributeIsNull(list) ? 0 : mlirDenseArrayGetNumElements(list);
  for (intptr_t i = 0; i < count && i < most; i++)
    out[i] = mlirDenseI64ArrayGetElement(list, i);
  return count < most ? count : most;
}

static Description read_map(TileTensorMapOp map) {
  Description out = {.swizzle_bytes = (int)tile_tensor_map_swizzle(map)};
  out.box_rank =
      read_list(tile_tensor_map_box_attr(map), out.box, TILE_MAX_RANK);
  out.num_pixels = read_list(tile_tensor_map_lower_attr(map), out.lower,
                             TILE_IM2COL_MAX_DIMS);
  read_list(tile_tensor_map_upper_attr(map), out.upper, TILE_IM2COL_MAX_DIMS);
  read_list(tile_tensor_map_step_attr(map), out.step, TILE_IM2COL_MAX_DIMS);
  return out;
}

MlirLogicalResult tile_tensor_map_check(MlirOperation op, MlirValue value,
                                        MlirValue window,
                                        const TileLayoutTma *tma) {
  Description wanted = describe(window, tma);
  TileTensorMapOp map = {{NULL}};
  if (mlirValueIsAOpResult(value))
    map = tile_tensor_map_dyn(mlirOpResultGetOwner(value));
  if (!map.op.ptr || same_map(map, &wanted))
    return tile_success();
  MlirLocation place = mlirOperationGetLocation(map.op);
  if (!mlirValueEqual(tile_tensor_map_tensor(map), wanted.tensor))
    return tile_emit_error_with_note(
        op, place, "the map is here",
        "expects a tensor map of the tensor of its window, got one of another");
  Description got = read_map(map);
  return tile_emit_error_with_note(
      op, place, "the map is here",
      "expects a tensor map with %s, as the layout of the tile has it, got %s",
      text_of(&wanted).chars, text_of(&got).chars);
}

//===-- Maps that are made ------------------------------------------------===//

MlirValue tile_tensor_map_find_or_build(TileBuilder *b, MlirOperation launch,
                                        MlirValue window,
                                        const TileLayoutTma *tma) {
  Description wanted = describe(window, tma);
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
