//===- Im2colWindows.c - Copies from the matrix of a convolution ----------===//
//
// TileGatherOps.td has the formula. All numbers are i32, divisions unsigned:
// what is below 0 becomes too large, which is outside as well. Only the start
// of a box, which may be below row 0, is divided rounding down.
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include "Analysis/Instructions/Instructions.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

//===-- Arithmetic --------------------------------------------------------===//

static MlirValue get(Lowering *l, TileInt x) {
  return tile_int_get(&l->i32, x);
}

static TileInt add(Lowering *l, TileInt x, TileInt y) {
  return tile_int_add(&l->i32, x, y);
}

static TileInt add_known(Lowering *l, TileInt x, int64_t y) {
  return tile_int_add(&l->i32, x, tile_int_constant(y));
}

static TileInt at_least(Lowering *l, TileInt x, int64_t least) {
  if (tile_int_is_constant(x))
    return x.constant < least ? tile_int_constant(least) : x;
  return tile_int_value(
      arith_maxsi(&l->b, x.value, tile_const_int(&l->b, least, 32)));
}

typedef struct {
  TileInt quotient, rest;
} Division;

// `by` is at least 1.
static Division divide(Lowering *l, TileInt x, TileInt by) {
  Division result;
  if (tile_int_is_constant(by)) {
    result.quotient = tile_int_div(&l->i32, x, by.constant);
    result.rest = tile_int_rem(&l->i32, x, by.constant);
    return result;
  }
  result.quotient = tile_int_value(arith_divui(&l->b, get(l, x), by.value));
  result.rest = tile_int_sub(&l->i32, x,
                             tile_int_mul_value(&l->i32, result.quotient, by));
  return result;
}

// Rounds down: of a negative number the complement is divided.
static Division divide_down(Lowering *l, TileInt x, TileInt by) {
  MlirValue value = get(l, x);
  MlirValue sign = arith_shrsi(&l->b, value, tile_const_int(&l->b, 31, 32));
  MlirValue flipped = arith_xori(&l->b, value, sign);
  MlirValue quotient =
      arith_xori(&l->b, arith_divui(&l->b, flipped, get(l, by)), sign);
  Division result = {.quotient = tile_int_value(quotient)};
  result.rest = tile_int_sub(&l->i32, x,
                             tile_int_mul_value(&l->i32, result.quotient, by));
  return result;
}

static MlirValue is_below(Lowering *l, TileInt x, TileInt end) {
  MlirValue left = get(l, x);
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = left,
                    .rhs = get(l, end));
}

//===-- The matrix --------------------------------------------------------===//

struct Im2colWindow {
  TileIm2colOp op;
  TileIm2colWindow filter;
  const TileInt *extent;         // of the image: n, pixels, c
  TileInt row, column;           // first ones of the window
  TileInt num_rows, num_columns; // of the matrix
  // Rows of an image, of all windows with one position in the first dimension
  // of pixels, in the first two; at least 1.
  TileInt rows_of[TILE_IM2COL_MAX_DIMS];
  TileInt per_tap; // columns of a filter element; at least 1
};

static TileInt num_windows(Lowering *l, const TileIm2colWindow *filter, int dim,
                           TileInt num_pixels) {
  if (tile_int_is_constant(num_pixels))
    return tile_int_constant(
        tile_im2col_num_windows(filter, dim, num_pixels.constant));
  // One stride more than after the first window: 0 of them stay 0.
  int64_t room = filter->lower[dim] + filter->upper[dim] - filter->reach[dim] -
                 1 + filter->stride[dim];
  return tile_int_div(&l->i32, at_least(l, add_known(l, num_pixels, room), 0),
                      filter->stride[dim]);
}

const Im2colWindow *im2col_window_build(Lowering *l, TileIm2colOp im2col,
                                        const Memory *image) {
  Im2colWindow *w = TILE_ARENA_NEW(l->arena, Im2colWindow, 1);
  MlirValue channels = tile_im2col_channels(im2col);
  w->op = im2col;
  w->filter = tile_im2col_window(im2col);
  w->extent = image->extent;
  w->row = index_operand(l, tile_im2col_row(im2col));
  w->column = index_operand(l, tile_im2col_column(im2col));
  int num_dims = w->filter.num_dims;
  TileInt per_tap = channels.ptr ? at_least(l, index_operand(l, channels), 0)
                                 : w->extent[1 + num_dims];
  TileInt rows = tile_int_constant(1);
  int64_t num_taps = 1;
  for (int d = num_dims - 1; d >= 0; d--) {
    rows = tile_int_mul_value(
        &l->i32, num_windows(l, &w->filter, d, w->extent[1 + d]), rows);
    w->rows_of[d] = at_least(l, rows, 1);
    num_taps *= w->filter.kernel[d];
  }
  w->num_rows = tile_int_mul_value(&l->i32, w->extent[0], rows);
  w->num_columns = tile_int_mul(&l->i32, per_tap, num_taps);
  w->per_tap = at_least(l, per_tap, 1);
  return w;
}

//===-- Positions ---------------------------------------------------------===//

// Positions of a window, from the row of its image.
static void split_row(Lowering *l, const Im2colWindow *w, TileInt row,
                      TileInt *out_position) {
  int num_dims = w->filter.num_dims;
  for (int d = 0; d + 1 < num_dims; d++) {
    Division by_rows = divide(l, row, w->rows_of[d + 1]);
    out_position[d] = by_rows.quotient;
    row = by_rows.rest;
  }
  out_position[num_dims - 1] = row;
}

// Positions of an element in the filter; beyond it the first is too large.
static void split_tap(Lowering *l, const Im2colWindow *w, TileInt tap,
                      TileInt *out_position) {
  for (int d = w->filter.num_dims - 1; d > 0; d--) {
    Division by_kernel = divide(l, tap, tile_int_constant(w->filter.kernel[d]));
    out_position[d] = by_kernel.rest;
    tap = by_kernel.quotient;
  }
  out_position[0] = tap;
}

//===-- Groups of elements ------------------------------------------------===//

Im2colGroup im2col_group_at(Lowering *l, const View *view, const TileInt *at) {
  const Im2colWindow *w = view->im2col;
  const Memory *image = view->memory;
  const TileIm2colWindow *filter = &w->filter;
  TileInt row = add(l, w->row, at[0]), column = add(l, w->column, at[1]);
  Division by_image = divide(l, row, w->rows_of[0]);
  Division by_tap = divide(l, column, w->per_tap);
  TileInt window[TILE_IM2COL_MAX_DIMS], element[TILE_IM2COL_MAX_DIMS];
  TileInt index[TILE_MAX_RANK];
  split_row(l, w, by_image.rest, window);
  split_tap(l, w, by_tap.quotient, element);
  index[0] = by_image.quotient;
  index[1 + filter->num_dims] = by_tap.rest;
  MlirValue is_inside = is_below(l, row, w->num_rows);
  MlirValue inside =
      arith_andi(&l->b, is_inside, is_below(l, column, w->num_columns));
  for (int d = 0; d < filter->num_dims; d++) {
    TileInt start = tile_int_mul(&l->i32, window[d], filter->stride[d]);
    index[1 + d] = add_known(
        l,
        add(l, start, tile_int_mul(&l->i32, element[d], filter->dilation[d])),
        -filter->lower[d]);
  }
  for (int d = 1; d < image->rank; d++)
    inside = arith_andi(&l->b, inside, is_below(l, index[d], w->extent[d]));
  TileInt linear = tile_int_constant(0);
  for (int d = 0; d < image->rank; d++)
    linear = tile_int_add(
        &l->i64, linear,
        tile_int_mul_value(&l->i64, extend(l, index[d]), image->stride[d]));
  Im2colGroup group = {.inside = inside, .channel = by_tap.rest};
  group.pointer = element_pointer(l, image->pointer, image->element, linear);
  return group;
}

//===-- cp.async ----------------------------------------------------------===//

// What lies past the last channel, and what is outside, is filled with zeros:
// the source is then shorter than the group.
void im2col_copy_async(Lowering *l, const View *view, const TileInt *at,
                       MlirValue dst, int64_t count) {
  Im2colGroup group = im2col_group_at(l, view, at);
  const Memory *image = view->memory;
  int64_t elem_bytes = tile_elem_bits(image->element) / 8;
  TileInt channels = image->extent[image->rank - 1];
  MlirValue elems = tile_const_int(&l->b, count, 32);
  if (tile_im2col_group_overruns(view->im2col->op, count))
    elems = arith_minui(
        &l->b, get(l, tile_int_sub(&l->i32, channels, group.channel)), elems);
  TileInt bytes = tile_int_mul(&l->i32, tile_int_value(elems), elem_bytes);
  MlirValue source =
      arith_select(&l->b, group.inside, group.pointer, image->pointer);
  MlirValue source_bytes = get(l, bytes);
  nvvm_cp_async_shared_global(
      &l->b, .dst = dst, .src = source, .size = count * elem_bytes,
      .modifier = count * elem_bytes == 16 ? NVVM_LOAD_CACHE_MODIFIER_KIND_CG
                                           : NVVM_LOAD_CACHE_MODIFIER_KIND_CA,
      .cpSize = arith_select(&l->b, group.inside, source_bytes,
                             tile_const_int(&l->b, 0, 32)));
}

//===-- TMA ---------------------------------------------------------------===//

// A box beyond the last element of the filter begins past the last channel:
// it is all zeros.
void im2col_box_at(Lowering *l, const View *view, const int64_t *box_at,
                   Im2colBox *out) {
  const Im2colWindow *w = view->im2col;
  const TileIm2colWindow *filter = &w->filter;
  int num_dims = filter->num_dims, last = num_dims + 1;
  Division by_image =
      divide_down(l, add_known(l, w->row, box_at[0]), w->rows_of[0]);
  TileInt column = add_known(l, w->column, box_at[1]);
  Division by_tap = divide(l, column, w->per_tap);
  TileInt window[TILE_IM2COL_MAX_DIMS], element[TILE_IM2COL_MAX_DIMS];
  split_row(l, w, by_image.rest, window);
  split_tap(l, w, by_tap.quotient, element);
  MlirValue is_column = is_below(l, column, w->num_columns);
  MlirValue zero = tile_const_int(&l->b, 0, 32);
  MlirType i16 = mlirIntegerTypeGet(tile_builder_context(&l->b), 16);
  out->rank = view->memory->rank;
  MlirValue channel = get(l, by_tap.rest);
  out->coordinates[0] =
      arith_select(&l->b, is_column, channel, get(l, w->extent[last]));
  out->coordinates[last] = get(l, by_image.quotient);
  for (int d = 0; d < num_dims; d++) { // width comes first
    TileInt offset = tile_int_mul(&l->i32, element[d], filter->dilation[d]);
    out->coordinates[num_dims - d] =
        get(l, add_known(l, tile_int_mul(&l->i32, window[d], filter->stride[d]),
                         -filter->lower[d]));
    out->offsets[num_dims - 1 - d] = arith_trunci(
        &l->b, .type = i16,
        .in = arith_select(&l->b, is_column, get(l, offset), zero));
  }
}
