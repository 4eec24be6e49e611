//===- Im2colWindows.h - Copies from the matrix of a convolution ----------===//
#ifndef TILE_CONVERSION_IM2COL_WINDOWS_H
#define TILE_CONVERSION_IM2COL_WINDOWS_H

#include "Conversion/ToNVVM/Lowering.h"
#include "Dialect/Im2col.h"

/// A `tile.im2col` whose numbers are in registers; in the arena.
typedef struct Im2colWindow Im2colWindow;

/// Emits what all elements of the window have in common.
const Im2colWindow *im2col_window_build(Lowering *l, TileIm2colOp im2col,
                                        const Memory *image);

/// Where a group is in the image.
typedef struct {
  MlirValue pointer; // ptr<1>
  MlirValue inside;  // i1: the first element is in the image
  TileInt channel;   // of the first element
} Im2colGroup;
/// At tile coordinates `at`.
Im2colGroup im2col_group_at(Lowering *l, const View *view, const TileInt *at);

/// cp.async of `count` elements at tile coordinates `at` to `dst`, ptr<3>.
void im2col_copy_async(Lowering *l, const View *view, const TileInt *at,
                       MlirValue dst, int64_t count);

/// Operands of cp.async.bulk.tensor in im2col mode, contiguous dimension first.
typedef struct {
  intptr_t rank;                        // of the image
  MlirValue coordinates[TILE_MAX_RANK]; // i32: c, w (, h (, d)), n of the first
                                        // pixel
  MlirValue offsets[TILE_IM2COL_MAX_DIMS]; // i16: w (, h (, d)) of the element
                                           // of the filter, rank - 2
} Im2colBox;
/// Of the box that begins at constant tile coordinates `box_at`.
void im2col_box_at(Lowering *l, const View *view, const int64_t *box_at,
                   Im2colBox *out);

#endif // TILE_CONVERSION_IM2COL_WINDOWS_H
