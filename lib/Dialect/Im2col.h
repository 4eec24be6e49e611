//===- Im2col.h - The matrix that a tile.im2col is a window of ------------===//
#ifndef TILE_DIALECT_IM2COL_H
#define TILE_DIALECT_IM2COL_H

#include "Ops.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_IM2COL_MAX_DIMS = 3 };

/// The attributes of a `tile.im2col`, in pixels, in the order of the image:
/// depth and height, if it has them, and width.
typedef struct {
  int num_dims; // of pixels, 1 to 3: dimension d is 1 + d of the image
  int64_t kernel[TILE_IM2COL_MAX_DIMS], stride[TILE_IM2COL_MAX_DIMS],
      dilation[TILE_IM2COL_MAX_DIMS];
  int64_t lower[TILE_IM2COL_MAX_DIMS], upper[TILE_IM2COL_MAX_DIMS]; // pads
  int64_t reach[TILE_IM2COL_MAX_DIMS]; // from its first element to the last
} TileIm2colWindow;

/// The op satisfies its constraints. What it leaves out has its default.
TileIm2colWindow tile_im2col_window(TileIm2colOp im2col);

/// Number of windows along dimension `dim` of an image of `num_pixels` >= 0
/// pixels there; 0 when none fits.
int64_t tile_im2col_num_windows(const TileIm2colWindow *window, int dim,
                                int64_t num_pixels);

/// The op behind a tile operand, or null.
TileIm2colOp tile_im2col_of(MlirValue tile);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_IM2COL_H
