//===- ExpandIm2col.c - tile.im2col as a loop over elements ---------------===//
//
// Part of tile-expand-elements. TileGatherOps.td has the formula.
//
//===----------------------------------------------------------------------===//

#include "ExpandElements.h"

#include "Tile/Analysis.h"
#include "Tile/Dialect/Im2col.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "Tile/Support/Constants.h"
#include "Tile/Support/Diagnostics.h"
#include <inttypes.h>

//===-- Arithmetic on numbers of which some are known ---------------------===//

static MlirValue get(TileBuilder *b, TileInt x) {
  return tile_int_is_constant(x) ? tile_const_index(b, x.constant) : x.value;
}

static bool is_constant(TileInt x, int64_t constant) {
  return tile_int_is_constant(x) && x.constant == constant;
}

static bool both_known(TileInt x, TileInt y) {
  return tile_int_is_constant(x) && tile_int_is_constant(y);
}

static TileInt sum(TileBuilder *b, TileInt x, TileInt y) {
  if (both_known(x, y))
    return tile_int_constant(x.constant + y.constant);
  if (is_constant(y, 0))
    return x;
  if (is_constant(x, 0))
    return y;
  return tile_int_value(arith_addi(b, get(b, x), get(b, y)));
}

static TileInt sum_known(TileBuilder *b, TileInt x, int64_t y) {
  return sum(b, x, tile_int_constant(y));
}

static TileInt product(TileBuilder *b, TileInt x, TileInt y) {
  if (both_known(x, y))
    return tile_int_constant(x.constant * y.constant);
  if (is_constant(y, 1))
    return x;
  if (is_constant(x, 1))
    return y;
  return tile_int_value(arith_muli(b, get(b, x), get(b, y)));
}

static TileInt product_known(TileBuilder *b, TileInt x, int64_t y) {
  return product(b, x, tile_int_constant(y));
}

// The larger of the two; `least` >= 0.
static TileInt at_least(TileBuilder *b, TileInt x, int64_t least) {
  if (tile_int_is_constant(x))
    return x.constant < least ? tile_int_constant(least) : x;
  return tile_int_value(arith_maxsi(b, x.value, tile_const_index(b, least)));
}

typedef struct {
  TileInt quotient, rest;
} Division;

// Both as unsigned numbers; `by` is not 0.
static Division divide(TileBuilder *b, TileInt x, TileInt by) {
  if (is_constant(by, 1))
    return (Division){x, tile_int_constant(0)};
  if (both_known(x, by) && x.constant >= 0)
    return (Division){tile_int_constant(x.constant / by.constant),
                      tile_int_constant(x.constant % by.constant)};
  return (Division){tile_int_value(arith_divui(b, get(b, x), get(b, by))),
                    tile_int_value(arith_remui(b, get(b, x), get(b, by)))};
}

// As unsigned numbers, negative ones are too large as well.
static MlirValue is_below(TileBuilder *b, TileInt x, TileInt end) {
  return arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = get(b, x),
                    .rhs = get(b, end));
}

//===-- The matrix --------------------------------------------------------===//

typedef struct {
  MlirValue image;
  TileIm2colWindow window;
  TileInt extent[4];              // of the image: n, h, w, c
  TileInt divisor_oh, divisor_ow; // windows along h times w, and w; not 0
  TileInt divisor_c;              // extent[3]; not 0
  TileInt num_rows, num_columns;
} Matrix;

static TileInt num_windows(TileBuilder *b, const TileIm2colWindow *window,
                           int dim, TileInt num_pixels) {
  if (tile_int_is_constant(num_pixels))
    return tile_int_constant(
        tile_im2col_num_windows(window, dim, num_pixels.constant));
  // One stride more than behind the first window: 0 of them stay 0.
  int64_t room = 2 * window->pad[dim] -
                 window->dilation[dim] * (window->kernel[dim] - 1) - 1 +
                 window->stride[dim];
  TileInt pixels = at_least(b, sum_known(b, num_pixels, room), 0);
  return divide(b, pixels, tile_int_constant(window->stride[dim])).quotient;
}

static Matrix matrix_build(TileBuilder *b, TileIm2colOp im2col) {
  Matrix m = {.image = tile_im2col_image(im2col),
              .window = tile_im2col_window(im2col)};
  MlirType type = mlirValueGetType(m.image);
  for (int d = 0; d < 4; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, d);
    m.extent[d] =
        mlirShapedTypeIsDynamicSize(extent)
            ? tile_int_value(memref_dim(b, m.image, tile_const_index(b, d)))
            : tile_int_constant(extent);
  }
  TileInt oh = num_windows(b, &m.window, 0, m.extent[1]);
  TileInt ow = num_windows(b, &m.window, 1, m.extent[2]);
  TileInt pixels = product(b, oh, ow);
  m.num_rows = product(b, m.extent[0], pixels);
  m.num_columns =
      product_known(b, m.extent[3], m.window.kernel[0] * m.window.kernel[1]);
  m.divisor_oh = at_least(b, pixels, 1);
  m.divisor_ow = at_least(b, ow, 1);
  m.divisor_c = at_least(b, m.extent[3], 1);
  return m;
}

//===-- Columns: an element of the filter, and a channel ------------------===//

typedef struct {
  TileInt dh, dw; // pixels from the output pixel times stride to the one read
  TileInt c;
  MlirValue is_inside; // i1
} Column;

static Column column_build(TileBuilder *b, const Matrix *m, TileInt column) {
  const TileIm2colWindow *window = &m->window;
  Division by_c = divide(b, column, m->divisor_c);
  Division tap = divide(b, by_c.quotient, tile_int_constant(window->kernel[1]));
  return (Column){
      .dh = sum_known(b, product_known(b, tap.quotient, window->dilation[0]),
                      -window->pad[0]),
      .dw = sum_known(b, product_known(b, tap.rest, window->dilation[1]),
                      -window->pad[1]),
      .c = by_c.rest,
      .is_inside = is_below(b, column, m->num_columns)};
}

// Whether all columns of the tile are of one element of the filter. Safe to
// return false: then each column finds its own.
static bool is_one_tap(const Matrix *m, TileInt first, int64_t num_columns) {
  return tile_int_is_constant(m->extent[3]) &&
         m->extent[3].constant % num_columns == 0 &&
         tile_index_divisor(first) % num_columns == 0;
}

//===-- Elements ----------------------------------------------------------===//

// image[n, h, w, c], and 0 outside.
static MlirValue read_element(TileBuilder *b, const Matrix *m, TileInt row,
                              const Column *column) {
  const TileIm2colWindow *window = &m->window;
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(b->rw);
  Division by_image = divide(b, row, m->divisor_oh);
  Division by_line = divide(b, by_image.rest, m->divisor_ow);
  TileInt h =
      sum(b, product_known(b, by_line.quotient, window->stride[0]), column->dh);
  TileInt w =
      sum(b, product_known(b, by_line.rest, window->stride[1]), column->dw);
  MlirValue inside = arith_andi(
      b, arith_andi(b, is_below(b, row, m->num_rows), column->is_inside),
      arith_andi(b, is_below(b, h, m->extent[1]),
                 is_below(b, w, m->extent[2])));
  MlirRegion then = tile_expand_region_begin(b, 0);
  MlirValue at[4] = {get(b, by_image.quotient), get(b, h), get(b, w),
                     get(b, column->c)};
  MlirValue loaded = memref_load(b, .memref = m->image, .indices = {at, 4});
  scf_yield_op(b, {&loaded, 1});
  MlirRegion otherwise = tile_expand_region_begin(b, 0);
  MlirValue zero = tile_expand_zero(
      b, mlirShapedTypeGetElementType(mlirValueGetType(m->image)));
  scf_yield_op(b, {&zero, 1});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, outer);
  return mlirOperationGetResult(scf_if_op(b, .condition = inside,
                                          .thenRegion = then,
                                          .elseRegion = otherwise)
                                    .op,
                                0);
}

//===-- Entry -------------------------------------------------------------===//

// The last index of the loop runs along the channels: neighbours are read
// together, and written together.
void tile_expand_im2col(TileBuilder *b, TileIm2colOp im2col) {
  TileShape dst;
  tile_shape_of(tile_im2col_dst(im2col), &dst);
  tile_emit_remark(im2col.op, "tile-im2col/gather",
                   "reads the image one element at a time, %" PRId64
                   " in all; copies of windows by TMA or cp.async are not made",
                   tile_shape_num_elems(&dst));
  TileInt first_row = tile_int_value(tile_im2col_row(im2col));
  TileInt first_column = tile_int_value(tile_im2col_column(im2col));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, im2col.op);
  Matrix m = matrix_build(b, im2col);
  bool one_tap = is_one_tap(&m, first_column, dst.extent[1]);
  Column column = {.c = tile_int_constant(0)};
  if (one_tap)
    column = column_build(b, &m, first_column);

  MlirRegion body = tile_expand_region_begin(b, 2);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue at[2] = {mlirBlockGetArgument(block, 0),
                     mlirBlockGetArgument(block, 1)};
  TileInt row = sum(b, first_row, tile_int_value(at[0]));
  if (one_tap)
    column.c = sum(b, column.c, tile_int_value(at[1]));
  else
    column = column_build(b, &m, sum(b, first_column, tile_int_value(at[1])));
  TileElementSide to;
  tile_element_side_build(b, tile_im2col_dst(im2col), at, &to);
  MlirValue element = read_element(b, &m, row, &column);
  tile_element_side_write(b, &to, tile_expand_convert(b, element, to.element));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, im2col.op);
  tile_parallel_op(b, .extents = {dst.extent, 2}, .body = body);
  mlirRewriterBaseEraseOp(b->rw, im2col.op);
}
