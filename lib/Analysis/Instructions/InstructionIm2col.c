//===- InstructionIm2col.c - Instructions that read im2col matrices -------===//
//
// PTX ISA, "im2col mode" and cp.async; CUDA driver API,
// cuTensorMapEncodeIm2col. What both need is that columns which lie together in
// the tile lie together in the image: in runs that are of one element of the
// filter.
//
//===----------------------------------------------------------------------===//

#include "Instruction.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Support/Arithmetic.h"

enum {
  TMA_BYTES = 16,                  // of an address, a stride, a row of a box
  CP_ASYNC_BYTES = 4,              // the smallest group
  MAX_STRIDE = 8,                  // element strides of a tensor map
  MAX_EXPECT_BYTES = (1 << 20) - 1 // PTX ISA, mbarrier: 20 bits
};

//===-- Facts -------------------------------------------------------------===//

static int64_t elem_bytes(TileIm2colOp im2col) {
  MlirType type = mlirValueGetType(tile_im2col_image(im2col));
  return tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
}

// Columns of the window that begin at a multiple, if those of an element of the
// filter do.
static int64_t window_run(TileIm2colOp im2col) {
  return tile_gcd(
      tile_index_divisor(tile_int_value(tile_im2col_column(im2col))),
      tile_im2col_static_sizes(im2col, 1));
}

// Of the type of the image, which may leave it open.
static int64_t image_channels(TileIm2colOp im2col) {
  MlirType type = mlirValueGetType(tile_im2col_image(im2col));
  return mlirShapedTypeGetDimSize(type,
                                  (intptr_t)mlirShapedTypeGetRank(type) - 1);
}

// A number that divides the columns of an element of the filter; 1: unknown.
static int64_t tap_columns_divisor(TileIm2colOp im2col) {
  MlirValue channels = tile_im2col_channels(im2col);
  if (channels.ptr)
    return tile_index_divisor(tile_int_value(channels));
  int64_t extent = image_channels(im2col);
  return mlirShapedTypeIsDynamicSize(extent) ? 1 : extent;
}

bool tile_im2col_run_is_open(TileIm2colOp im2col) {
  return mlirAttributeIsNull(tile_im2col_run_attr(im2col)) &&
         mlirValueIsNull(tile_im2col_channels(im2col)) &&
         mlirShapedTypeIsDynamicSize(image_channels(im2col));
}

int64_t tile_im2col_known_run(TileIm2colOp im2col, bool channels_fit) {
  if (!mlirAttributeIsNull(tile_im2col_run_attr(im2col)))
    return tile_im2col_run(im2col);
  int64_t run = window_run(im2col);
  if (channels_fit && tile_im2col_run_is_open(im2col))
    return run;
  return tile_gcd(run, tap_columns_divisor(im2col));
}

//===-- Groups of columns -------------------------------------------------===//

static bool channels_are_contiguous(TileIm2colOp im2col, TileReason *out) {
  int64_t strides[TILE_MAX_RANK], offset;
  MlirType type = mlirValueGetType(tile_im2col_image(im2col));
  if (mlirLogicalResultIsSuccess(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
      strides[mlirShapedTypeGetRank(type) - 1] == 1)
    return true;
  return tile_refuse(
      out, "tile-instr/stride",
      "the channels of the image are not known to be contiguous");
}

// Columns that only the channels of the image are have nothing after them.
bool tile_im2col_group_overruns(TileIm2colOp im2col, int64_t group) {
  int64_t channels = image_channels(im2col);
  return !mlirValueIsNull(tile_im2col_channels(im2col)) &&
         (mlirShapedTypeIsDynamicSize(channels) || channels % group);
}

typedef struct {
  TileIm2colOp im2col;
  int64_t align_bytes, run;
  bool may_end_inside;
} Groups;

static bool is_group(const Groups *known, int64_t group, TileReason *out) {
  TileIm2colOp im2col = known->im2col;
  if (known->align_bytes % (group * elem_bytes(im2col)))
    return tile_refuse(out, "tile-instr/alignment",
                       "pixels are known to be aligned to %lld bytes",
                       (long long)known->align_bytes);
  if (known->run % group)
    return tile_refuse(out,
                       tile_im2col_run_is_open(im2col) ? "tile-instr/alignment"
                                                       : "tile-instr/channels",
                       "columns of one element of the filter are known to "
                       "come in runs of %lld",
                       (long long)known->run);
  if (!known->may_end_inside && tile_im2col_group_overruns(im2col, group))
    return tile_refuse(out, "tile-instr/channels",
                       "the image may have any number of channels, which are "
                       "rounded up");
  return true;
}

int64_t tile_im2col_group(TileIm2colOp im2col, int64_t align_bytes, int64_t run,
                          bool may_end_inside, TileReason *out_reason) {
  Groups known = {im2col, align_bytes, run, may_end_inside};
  TileReason reason;
  int64_t group = TMA_BYTES / elem_bytes(im2col);
  if (!channels_are_contiguous(im2col, &reason))
    group = 1;
  while (group > 1 && !is_group(&known, group, &reason))
    group /= 2;
  if (group == 1 && out_reason)
    *out_reason = reason;
  return group;
}

//===-- Legality ----------------------------------------------------------===//

typedef struct {
  TileIm2colOp im2col;
  TileShape dst;
  MlirValue tile; // the destination
  int64_t run, align_bytes;
  bool is_open; // no more is known of the runs, but the host could say it
} Gather;

// What both instructions need, for groups of `bytes` at least.
static bool moves_groups(const Gather *gather, const char *what, int64_t bytes,
                         TileReason *out) {
  MlirType type = mlirValueGetType(tile_im2col_image(gather->im2col));
  if (!mlirTypeEqual(mlirShapedTypeGetElementType(type), gather->dst.element))
    return tile_refuse(out, "tile-instr/convert",
                       "%s does not convert elements", what);
  if (!channels_are_contiguous(gather->im2col, out))
    return false;
  if (!tile_is_whole_or_slot(gather->tile))
    return tile_refuse(out, "tile-instr/window",
                       "%s writes whole tiles and slots of rings, and the "
                       "destination is another window",
                       what);
  int64_t run_bytes = gather->run * elem_bytes(gather->im2col);
  if (run_bytes % bytes)
    return tile_refuse(
        out, gather->is_open ? "tile-instr/alignment" : "tile-instr/channels",
        "columns of one element of the filter are known to come in runs of "
        "%lld bytes; %s needs multiples of %lld",
        (long long)run_bytes, what, (long long)bytes);
  if (gather->align_bytes % bytes)
    return tile_refuse(
        out, "tile-instr/alignment",
        "pixels are known to be aligned to %lld bytes; %s needs %lld",
        (long long)gather->align_bytes, what, (long long)bytes);
  return true;
}

static bool cp_async_is_legal(const Gather *gather, TileReason *out) {
  TileLayout layout;
  if (!moves_groups(gather, "cp.async", CP_ASYNC_BYTES, out))
    return false;
  if (mlirTypeIsAInteger(gather->dst.element) &&
      mlirIntegerTypeGetWidth(gather->dst.element) == 1)
    return tile_refuse(out, "tile-instr/types",
                       "i1 has no packed form that cp.async could copy");
  if (!tile_given_layout(gather->tile, &layout))
    return true;
  int64_t run = tile_layout_contiguous_run(&layout, layout.in.num_axes - 1) *
                elem_bytes(gather->im2col);
  if (run % CP_ASYNC_BYTES)
    return tile_refuse(out, "tile-instr/layout",
                       "the given layout stores %lld bytes of a row together; "
                       "cp.async needs 4",
                       (long long)run);
  return true;
}

// Corners of a box, relative to the first and the last pixel, and offsets of
// elements of the filter share 16 bits (cuTensorMapEncodeIm2col; PTX ISA,
// "im2col offsets"): with fewer dimensions of pixels each has more.
static bool corners_suit_tma(const TileIm2colWindow *window, int dim,
                             TileReason *out) {
  static const int64_t max_corner[] = {1 << 15, 1 << 7, 1 << 4};
  static const int64_t max_offset[] = {0xffff, 0xff, 0x1f};
  int64_t corner = max_corner[window->num_dims - 1];
  int64_t offset = max_offset[window->num_dims - 1];
  int64_t lower = -window->lower[dim];
  int64_t upper = window->upper[dim] - window->reach[dim];
  if (lower < -corner || upper < -corner || upper >= corner)
    return tile_refuse(
        out, "tile-instr/filter",
        "the filter begins %lld to %lld pixels from the image; TMA "
        "takes %lld to %lld",
        (long long)lower, (long long)upper, (long long)-corner,
        (long long)corner - 1);
  if (window->reach[dim] > offset)
    return tile_refuse(out, "tile-instr/filter",
                       "the filter reaches %lld pixels far; TMA takes %lld",
                       (long long)window->reach[dim], (long long)offset);
  return true;
}

static bool filter_suits_tma(TileIm2colOp im2col, TileReason *out) {
  TileIm2colWindow window = tile_im2col_window(im2col);
  MlirType type = mlirValueGetType(tile_im2col_image(im2col));
  for (int d = 0; d < 2 + window.num_dims; d++)
    if (mlirShapedTypeGetDimSize(type, d) == 0)
      return tile_refuse(out, "tile-instr/filter", "the image has no element");
  for (int d = 0; d < window.num_dims; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, 1 + d);
    if (window.stride[d] > MAX_STRIDE)
      return tile_refuse(out, "tile-instr/filter",
                         "the filter moves %lld pixels; TMA moves it 8 at most",
                         (long long)window.stride[d]);
    if (!corners_suit_tma(&window, d, out))
      return false;
    if (!mlirShapedTypeIsDynamicSize(extent) &&
        tile_im2col_num_windows(&window, d, extent) == 0)
      return tile_refuse(out, "tile-instr/filter",
                         "the filter exceeds the padded image");
  }
  return true;
}

// The box of a layout must not take columns of two elements of the filter.
static bool suits_tma(const Gather *gather, const TileLayout *layout,
                      TileReason *error) {
  TileLayoutTma tma;
  if (!tile_layout_derive_tma(layout, tile_elem_bits(gather->dst.element), 1,
                              &tma, error) ||
      !instr_slots_suit_tma(gather->tile, &tma, error))
    return false;
  if (gather->run % tma.box[1] == 0)
    return true;
  snprintf(error->text, sizeof error->text,
           "boxes of %lld columns, where %lld are of one element of the filter",
           (long long)tma.box[1], (long long)gather->run);
  return false;
}

static bool layout_suits_tma(const Gather *gather, TileReason *out) {
  static const char *const texts[] = {"linear", "swizzle<128>", "swizzle<64>",
                                      "swizzle<32>"};
  TileLayout layout;
  TileReason error, first = {""};
  bool is_given = tile_given_layout(gather->tile, &layout);
  if (is_given && suits_tma(gather, &layout, &first))
    return true;
  for (size_t i = 0; !is_given && i < sizeof texts / sizeof *texts; i++) {
    if (tile_layout_parse(texts[i], gather->dst.extent, 2,
                          tile_elem_bits(gather->dst.element), &layout,
                          &error) &&
        suits_tma(gather, &layout, &error))
      return true;
    if (i == 0)
      first = error;
  }
  return tile_refuse(out, "tile-instr/layout", "%s TMA: %.120s",
                     is_given ? "the given layout does not suit"
                              : "no layout of the tile suits",
                     first.text);
}

static bool tma_is_legal(const Gather *gather, const TileInstrContext *context,
                         TileReason *out) {
  if (!context->target->has_tma)
    return tile_refuse(out, "target", "%s has no TMA", context->target->chip);
  if (!moves_groups(gather, "TMA", TMA_BYTES, out))
    return false;
  MlirValue image = tile_im2col_image(gather->im2col);
  if (!instr_has_map(image, context, out))
    return false;
  int64_t size_bytes =
      tile_shape_num_elems(&gather->dst) * elem_bytes(gather->im2col);
  if (size_bytes > MAX_EXPECT_BYTES)
    return tile_refuse(out, "tile-instr/size",
                       "a barrier can expect at most %d bytes, the tile "
                       "has %lld",
                       MAX_EXPECT_BYTES, (long long)size_bytes);
  return filter_suits_tma(gather->im2col, out) && layout_suits_tma(gather, out);
}

bool tile_im2col_instr_is_legal(TileCopyOp copy, TileInstr instr,
                                const TileInstrContext *context,
                                bool host_can_tell, TileReason *out) {
  MlirValue src = tile_copy_src(copy);
  Gather gather = {.im2col = tile_im2col_of(src), .tile = tile_copy_dst(copy)};
  if (!tile_shape_of(gather.tile, &gather.dst))
    return instr_refuse_internal(out, "operands are no tiles");
  gather.run = tile_im2col_known_run(gather.im2col, host_can_tell);
  gather.is_open = tile_im2col_run_is_open(gather.im2col);
  gather.align_bytes = host_can_tell ? TMA_BYTES : tile_row_align_bytes(src);
  if (instr == TILE_INSTR_Simt)
    return true;
  if (gather.dst.space != TILE_SPACE_SHARED)
    return tile_refuse(out, "spaces", "%s", "");
  return instr == TILE_INSTR_Tma ? tma_is_legal(&gather, context, out)
                                 : cp_async_is_legal(&gather, out);
}
