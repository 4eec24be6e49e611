//===- Im2col.c - The matrix that a tile.im2col is a window of ------------===//

#include "Im2col.h"

#include <string.h>

static void read_list(MlirAttribute list, int num_dims, int64_t otherwise,
                      int64_t *out) {
  for (int d = 0; d < num_dims; d++)
    out[d] = mlirAttributeIsNull(list) ? otherwise
                                       : mlirDenseI64ArrayGetElement(list, d);
}

TileIm2colWindow tile_im2col_window(TileIm2colOp im2col) {
  MlirType image = mlirValueGetType(tile_im2col_image(im2col));
  TileIm2colWindow window = {.num_dims = (int)mlirShapedTypeGetRank(image) - 2};
  int num_dims = window.num_dims;
  read_list(tile_im2col_kernel_attr(im2col), num_dims, 1, window.kernel);
  read_list(tile_im2col_stride_attr(im2col), num_dims, 1, window.stride);
  read_list(tile_im2col_dilation_attr(im2col), num_dims, 1, window.dilation);
  read_list(tile_im2col_pad_attr(im2col), num_dims, 0, window.lower);
  memcpy(window.upper, window.lower, sizeof window.upper);
  if (!mlirAttributeIsNull(tile_im2col_pad_upper_attr(im2col)))
    read_list(tile_im2col_pad_upper_attr(im2col), num_dims, 0, window.upper);
  for (int d = 0; d < num_dims; d++)
    window.reach[d] = window.dilation[d] * (window.kernel[d] - 1);
  return window;
}

TileIm2colOp tile_im2col_of(MlirValue tile) {
  if (!mlirValueIsAOpResult(tile))
    return (TileIm2colOp){{NULL}};
  return tile_im2col_dyn(mlirOpResultGetOwner(tile));
}

int64_t tile_im2col_num_windows(const TileIm2colWindow *window, int dim,
                                int64_t num_pixels) {
  int64_t last = window->lower[dim] + num_pixels + window->upper[dim] -
                 window->reach[dim] - 1;
  return last < 0 ? 0 : last / window->stride[dim] + 1;
}
