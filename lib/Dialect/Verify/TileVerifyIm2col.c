//===- TileVerifyIm2col.c - Constraints of tile.im2col --------------------===//
//
// Labels such as (C2) are those of TileGatherOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Im2col.h"
#include "TileVerify.h"

enum {
  MAX_PIXELS = 32767,             // of a filter, a stride, a pad
  MAX_EXTENT = 1 << 30,           // of the image: pads fit beside it in 31 bits
  MAX_LINES = TILE_MAX_TILE_ELEMS // rows and columns
};

//===-- Constraints -------------------------------------------------------===//

static MlirLogicalResult verify_list(MlirOperation op, const char *name,
                                     MlirAttribute list, int num_dims,
                                     int64_t smallest) {
  if (mlirAttributeIsNull(list))
    return tile_success();
  intptr_t count = mlirDenseArrayGetNumElements(list);
  if (count != num_dims)
    return tile_emit_error(op,
                           "expects '%s' to hold %d number%s, one per "
                           "dimension of pixels, got %td",
                           name, num_dims, num_dims == 1 ? "" : "s", count);
  for (int d = 0; d < num_dims; d++) {
    int64_t pixels = mlirDenseI64ArrayGetElement(list, d);
    if (pixels < smallest || pixels > MAX_PIXELS)
      return tile_emit_error(
          op, "expects numbers from %" PRId64 " to %d in '%s', got %" PRId64,
          smallest, MAX_PIXELS, name, pixels);
  }
  return tile_success();
}

// (C4)
static MlirLogicalResult verify_lists(TileIm2colOp im2col, int num_dims) {
  const struct {
    const char *name;
    MlirAttribute list;
    int64_t smallest;
  } lists[] = {{"kernel", tile_im2col_kernel_attr(im2col), 1},
               {"stride", tile_im2col_stride_attr(im2col), 1},
               {"dilation", tile_im2col_dilation_attr(im2col), 1},
               {"pad", tile_im2col_pad_attr(im2col), 0},
               {"pad_upper", tile_im2col_pad_upper_attr(im2col), 0}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (tile_failed(verify_list(im2col.op, lists[i].name, lists[i].list,
                                num_dims, lists[i].smallest)))
      return tile_failure();
  return tile_success();
}

// A dynamic factor, below 0, counts as 1; with one of 0 there are none.
static MlirLogicalResult verify_count(MlirOperation op, const char *name,
                                      const int64_t *factors, int num_factors) {
  int64_t count = 1;
  for (int i = 0; i < num_factors; i++)
    if (factors[i] == 0)
      return tile_success();
  for (int i = 0; i < num_factors; i++) {
    int64_t factor = factors[i] < 0 ? 1 : factors[i];
    if (count > MAX_LINES / factor)
      return tile_emit_error(op, "expects at most %d %s", MAX_LINES, name);
    count *= factor;
  }
  return tile_success();
}

// (C5)
static MlirLogicalResult verify_size(TileIm2colOp im2col,
                                     const TileShape *image) {
  TileIm2colWindow window = tile_im2col_window(im2col);
  int num_dims = window.num_dims;
  int64_t rows[1 + TILE_IM2COL_MAX_DIMS], columns[1 + TILE_IM2COL_MAX_DIMS];
  MlirValue channels = tile_im2col_channels(im2col);
  for (int d = 0; d < image->rank; d++)
    if (image->extent[d] > MAX_EXTENT)
      return tile_emit_error(
          im2col.op, "expects extents of 'image' up to %d, got %" PRId64,
          MAX_EXTENT, image->extent[d]);
  rows[0] = image->extent[0];
  columns[0] = image->extent[1 + num_dims];
  if (!mlirValueIsNull(channels) && !mlirxConstantInt(channels, &columns[0]))
    columns[0] = -1;
  for (int d = 0; d < num_dims; d++) {
    int64_t extent = image->extent[1 + d];
    rows[1 + d] = extent < 0 ? -1 : tile_im2col_num_windows(&window, d, extent);
    columns[1 + d] = window.kernel[d];
  }
  if (tile_failed(verify_count(im2col.op, "rows", rows, 1 + num_dims)))
    return tile_failure();
  return verify_count(im2col.op, "columns", columns, 1 + num_dims);
}

// (C2)
static MlirLogicalResult verify_sizes(TileIm2colOp im2col) {
  intptr_t count = tile_im2col_static_sizes_size(im2col);
  if (count != 2)
    return tile_emit_error(im2col.op, "expects 2 sizes, got %td", count);
  int64_t rows = tile_im2col_static_sizes(im2col, 0);
  int64_t columns = tile_im2col_static_sizes(im2col, 1);
  if (rows < 1 || columns < 1 || rows > MAX_LINES / columns)
    return tile_emit_error(im2col.op,
                           "expects sizes from 1, of at most %d elements, got "
                           "%" PRId64 " and %" PRId64,
                           MAX_LINES, rows, columns);
  return tile_success();
}

// (C3)
static MlirLogicalResult verify_users(TileIm2colOp im2col) {
  MlirOpOperand use = mlirValueGetFirstUse(tile_im2col_region(im2col));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_copy_is(user) && mlirOpOperandGetOperandNumber(use) == 0)
      continue;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(user));
    return tile_emit_error_with_note(
        im2col.op, mlirOperationGetLocation(user), "this is the user",
        "expects only tile.copy to use it, as the source, got '%.*s'",
        (int)name.length, name.data);
  }
  return tile_success();
}

// (C6)
static MlirLogicalResult verify_facts(TileIm2colOp im2col) {
  int64_t align = tile_im2col_align(im2col), run = tile_im2col_run(im2col);
  if (!mlirAttributeIsNull(tile_im2col_align_attr(im2col)) &&
      !tile_verify_is_power_of_two(align))
    return tile_emit_error(
        im2col.op, "expects 'align' to be a power of two, got %" PRId64, align);
  int64_t columns = tile_im2col_static_sizes(im2col, 1);
  if (!mlirAttributeIsNull(tile_im2col_run_attr(im2col)) &&
      (run < 1 || columns % run))
    return tile_emit_error(im2col.op,
                           "expects 'run' to divide the %" PRId64
                           " columns, got %" PRId64,
                           columns, run);
  return tile_success();
}

MlirLogicalResult tile_im2col_verify(MlirOperation op) {
  TileIm2colOp im2col = tile_im2col_cast(op);
  MlirType type = mlirValueGetType(tile_im2col_image(im2col));
  TileShape image;
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (!tile_shape_get(type, &image) || image.rank < 3 ||
      image.rank > 2 + TILE_IM2COL_MAX_DIMS ||
      image.space != TILE_SPACE_GLOBAL) // (C1)
    return tile_emit_error(
        op, "expects 'image' of rank 3 to 5 in global memory, got %s",
        tile_verify_type_text(type).chars);
  if (tile_failed(verify_sizes(im2col)) || tile_failed(verify_users(im2col)) ||
      tile_failed(verify_lists(im2col, image.rank - 2)) ||
      tile_failed(verify_facts(im2col)))
    return tile_failure();
  return verify_size(im2col, &image);
}
