//===- Im2col.h - The matrix that a tile.im2col is a window of ------------===//
#ifndef TILE_DIALECT_IM2COL_H
#define TILE_DIALECT_IM2COL_H

#include "Tile/Dialect/Ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The attributes of a `tile.im2col`: height, then width, in pixels.
typedef struct {
  int64_t kernel[2], stride[2], dilation[2], pad[2];
} TileIm2colWindow;

/// The op satisfies its constraints. What it leaves out has its default.
TileIm2colWindow tile_im2col_window(TileIm2colOp im2col);

/// Number of windows along dimension `dim` (0: height, 1: width) of an image of
/// `num_pixels` >= 0 pixels there; 0 when none fits.
int64_t tile_im2col_num_windows(const TileIm2colWindow *window, int dim,
                                int64_t num_pixels);

/// The op behind a tile operand, or null.
TileIm2colOp tile_im2col_of(MlirValue tile);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_IM2COL_H
