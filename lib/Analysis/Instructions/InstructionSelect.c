//===- InstructionSelect.c - Which instruction an op can and should use ---===//
//
// Pure functions of an op, its types, the facts on its regions and the target.
// Legality is complete: what passes here lowers. The rules come from the PTX
// ISA sections named beside them.
//
//===----------------------------------------------------------------------===//

#include "Instruction.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Support/Arithmetic.h"
#include "Support/Diagnostics.h"

const char *tile_instr_name(TileInstr instr) {
  static const char *const names[] = {[TILE_INSTR_Simt] = "simt",
                                      [TILE_INSTR_CpAsync] = "cp_async",
                                      [TILE_INSTR_Tma] = "tma",
                                      [TILE_INSTR_Mma] = "mma",
                                      [TILE_INSTR_Wgmma] = "wgmma"};
  return names[instr];
}

// The stride of the last dimension of a memref type; INT64_MIN when dynamic.
static int64_t last_stride(MlirType type) {
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(type);
  if (rank < 1 || rank > TILE_MAX_RANK ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return INT64_MIN;
  return mlirShapedTypeIsDynamicStrideOrOffset(strides[rank - 1])
             ? INT64_MIN
             : strides[rank - 1];
}

// Rows of the tile are runs of consecutive elements of global memory.
static bool has_contiguous_rows(TileRegionOp region, TileReason *out) {
  MlirType source = mlirValueGetType(tile_region_source(region));
  int64_t stride = last_stride(source);
  if (stride != 1)
    return tile_refuse(
        out, "tile-instr/stride",
        stride == INT64_MIN
            ? "the last stride of the tensor is not known to be 1"
            : "the last stride of the tensor is %lld, not 1",
        (long long)stride);
  if (tile_region_ids(region).ptr &&
      tile_region_dim(region) == mlirShapedTypeGetRank(source) - 1)
    return tile_refuse(out, "tile-instr/gather",
                       "elements of its rows are named by numbers");
  if (tile_region_result_dim(region, (int)mlirShapedTypeGetRank(source) - 1) <
      0)
    return tile_refuse(
        out, "tile-instr/stride",
        "the window drops the contiguous dimension of the tensor");
  return true;
}

//===-- Copies ------------------------------------------------------------===//

typedef struct {
  TileShape src, dst;
  TileRegionOp region; // of the global side, or null
  int64_t inner_bytes; // of a row of the tile
  bool is_made;        // the shared side is a tile that does not exist yet
} CopyView;

static bool copy_view(TileCopyOp copy, CopyView *out) {
  out->is_made = false;
  if (!tile_shape_of(tile_copy_src(copy), &out->src) ||
      !tile_shape_of(tile_copy_dst(copy), &out->dst))
    return false;
  out->region =
      tile_region_of(out->src.space == TILE_SPACE_GLOBAL ? tile_copy_src(copy)
                                                         : tile_copy_dst(copy));
  int rank = out->src.rank;
  out->inner_bytes =
      rank ? out->src.extent[rank - 1] * tile_elem_bits(out->src.element) / 8
           : 0;
  return true;
}

static bool is_store(const CopyView *view) {
  return view->dst.space == TILE_SPACE_GLOBAL;
}

// No instruction for these two memories: nothing that a user would ask about.
static bool refuse_spaces(TileReason *out) {
  return tile_refuse(out, "spaces", "%s", "");
}

// What tma and cp_async have in common: plain bytes of rows of a tensor.
static bool moves_bytes(const CopyView *view, const char *what,
                        TileReason *out) {
  if (!mlirTypeEqual(view->src.element, view->dst.element))
    return tile_refuse(out, "tile-instr/convert",
                       "%s does not convert elements", what);
  if (!view->region.op.ptr)
    return tile_refuse(out, "tile-instr/window",
                       "the %s is a whole tensor, not a "
                       "window",
                       is_store(view) ? "destination" : "source");
  return has_contiguous_rows(view->region, out);
}

static MlirValue global_side(TileCopyOp copy, const CopyView *view) {
  return is_store(view) ? tile_copy_dst(copy) : tile_copy_src(copy);
}

static MlirValue shared_side(TileCopyOp copy, const CopyView *view) {
  return is_store(view) ? tile_copy_src(copy) : tile_copy_dst(copy);
}

// PTX ISA, cp.async: 4, 8 or 16 bytes, aligned to their size.
enum { MIN_ASYNC_BYTES = 4, MAX_ASYNC_BYTES = 16 };

static bool cp_async_is_legal(TileCopyOp copy, const CopyView *view,
                              int64_t align, TileReason *out) {
  if (view->src.space != TILE_SPACE_GLOBAL ||
      view->dst.space != TILE_SPACE_SHARED)
    return refuse_spaces(out);
  if (!moves_bytes(view, "cp.async", out))
    return false;
  if (tile_region_ids(view->region).ptr &&
      tile_window_pad(tile_copy_src(copy)).ptr)
    return tile_refuse(out, "tile-instr/pad",
                       "it fills in zeros for rows that numbers do not name, "
                       "and the pad is not known to be 0");
  if (mlirTypeIsAInteger(view->src.element) &&
      mlirIntegerTypeGetWidth(view->src.element) == 1)
    return tile_refuse(out, "tile-instr/types",
                       "i1 has no packed form that cp.async could copy");
  if (!instr_window_is_aligned(tile_copy_src(copy), align, MIN_ASYNC_BYTES,
                               "cp.async", out))
    return false;
  if (view->inner_bytes % MIN_ASYNC_BYTES)
    return tile_refuse(out, "tile-instr/row",
                       "rows of the tile have %lld bytes, no multiple "
                       "of 4",
                       (long long)view->inner_bytes);
  TileLayout layout;
  if (!tile_given_layout(tile_copy_dst(copy), &layout))
    return true;
  int64_t run = tile_layout_contiguous_run(&layout, layout.in.num_axes - 1) *
                tile_elem_bits(view->dst.element) / 8;
  if (run % MIN_ASYNC_BYTES)
    return tile_refuse(out, "tile-instr/layout",
                       "the given layout stores %lld bytes of a row together; "
                       "cp.async needs 4",
                       (long long)run);
  return true;
}

// PTX ISA, mbarrier: the transaction count has 20 bits.
enum { MAX_EXPECT_BYTES = (1 << 20) - 1 };

// Some layout of the tile suits TMA: rows of more than 256 elements are cut in
// boxes, which cannot start at any byte.
static bool has_tma_layout(const TileShape *tile, TileReason *out) {
  static const char *const texts[] = {"linear", "swizzle<128>", "swizzle<64>",
                                      "swizzle<32>"};
  TileReason error, first = {""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    TileLayout layout;
    if (tile_layout_parse(texts[i], tile->extent, tile->rank,
                          tile_elem_bits(tile->element), &layout, &error) &&
        instr_suits_tma(TILE_NULL_VALUE, tile, &layout, &error))
      return true;
    if (i == 0)
      first = error;
  }
  return tile_refuse(out, "tile-instr/layout",
                     "no layout of the tile suits TMA: %.120s", first.text);
}

// A map has a dimension that the kernel ends twice (tile.tensor_map).
static bool map_takes_ends(TileRegionOp region, TileReason *out) {
  int rank = (int)tile_region_static_sizes_size(region);
  int count = (int)tile_region_bounded_size(region);
  if (count && tile_region_bounded(region, count - 1) == rank - 1)
    return tile_refuse(out, "tile-instr/end",
                       "rows of the window end where the kernel says, and TMA "
                       "knows where those of the tensor do");
  if (count && rank + count > TILE_MAX_RANK)
    return tile_refuse(out, "tile-instr/end",
                       "the window ends where the kernel says in %d of %d "
                       "dimensions, and a tensor map has at most %d of both "
                       "together",
                       count, rank, TILE_MAX_RANK);
  return tile_window_starts_inside(region) ||
         tile_refuse(out, "tile-instr/end",
                     "the window ends where the kernel says, and may begin "
                     "before place 0");
}

// A loop whose copies are under way while later rounds begin.
static bool is_pipelined(MlirOperation op) {
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages")));
}

// Of a tensor of the host, or one that the kernel makes and which stays what it
// is while copies of it are under way.
static bool copy_has_map(const CopyView *view, const TileInstrContext *context,
                         TileReason *out) {
  MlirValue tensor = tile_region_source(view->region);
  if (!context->in_launch || !context->target->has_map_replace ||
      instr_is_of_host(tensor) || !mlirValueIsAOpResult(tensor))
    return instr_has_map(tensor, context, out);
  if (tile_region_bounded_size(view->region))
    return tile_refuse(out, "tile-instr/end",
                       "the window ends where the kernel says, in a tensor "
                       "that it makes: the tensor can end there");
  MlirOperation scope = mlirOpResultGetOwner(tensor);
  for (; !tile_kernel_is(scope); scope = mlirOperationGetParentOperation(scope))
    if (is_pipelined(scope))
      return tile_refuse(out, "tile-instr/base",
                         "each round of the pipelined loop has another "
                         "tensor, and one tensor map in use cannot be "
                         "replaced");
  return true;
}

// PTX ISA, tensor maps and cp.async.bulk.tensor; CUDA driver API,
// cuTensorMapEncodeTiled.
static bool tma_is_legal(TileCopyOp copy, const CopyView *view,
                         const TileInstrContext *context, int64_t align,
                         TileReason *out) {
  if (!context->target->has_tma)
    return tile_refuse(out, "target", "%s has no TMA", context->target->chip);
  bool is_load = view->src.space == TILE_SPACE_GLOBAL &&
                 view->dst.space == TILE_SPACE_SHARED;
  if (!is_load && (view->src.space != TILE_SPACE_SHARED || !is_store(view)))
    return refuse_spaces(out);
  if (!moves_bytes(view, "TMA", out))
    return false;
  if (!view->is_made && !tile_is_whole_or_slot(shared_side(copy, view)))
    return tile_refuse(
        out, "tile-instr/window",
        "TMA moves whole tiles and slots of rings, and the %s is "
        "another window",
        is_load ? "destination" : "source");
  MlirValue tensor = tile_region_source(view->region);
  if (tile_region_ids(view->region).ptr)
    return tile_refuse(out, "tile-instr/gather",
                       "TMA takes boxes, and numbers name rows of the window");
  if (!map_takes_ends(view->region, out))
    return false;
  if (!copy_has_map(view, context, out) ||
      (!is_load && !instr_stores_rows(tensor, out)))
    return false;
  // The hardware stops at a box that begins inside 16 bytes.
  if (!instr_window_is_aligned(global_side(copy, view), align, 16, "TMA", out))
    return false;
  if (is_load && !context->splits_pads &&
      tile_window_pad(tile_copy_src(copy)).ptr)
    return tile_refuse(out, "tile-instr/pad",
                       "it fills in zeros, and the pad is not known to be 0");
  int64_t size_bytes =
      tile_shape_num_elems(&view->dst) * tile_elem_bits(view->dst.element) / 8;
  if (is_load && size_bytes > MAX_EXPECT_BYTES)
    return tile_refuse(out, "tile-instr/size",
                       "a barrier can expect at most %d bytes, the tile "
                       "has %lld",
                       MAX_EXPECT_BYTES, (long long)size_bytes);
  if (view->inner_bytes % 16)
    return tile_refuse(out, "tile-instr/row",
                       "rows of the tile have %lld bytes, no multiple of 16",
                       (long long)view->inner_bytes);
  TileLayout layout;
  TileReason error;
  if (view->is_made || !tile_given_layout(shared_side(copy, view), &layout))
    return has_tma_layout(&view->dst, out);
  if (!instr_suits_tma(shared_side(copy, view), &view->dst, &layout, &error))
    return tile_refuse(out, "tile-instr/layout",
                       "the given layout does not suit TMA: %.120s",
                       error.text);
  return true;
}

// Those that fill a channel are the agents that it names.
static bool channel_takes(TileCopyOp copy, TileInstr instr) {
  MlirValue signal = tile_copy_signal(copy);
  TileChannelOp channel = {{NULL}};
  if (!mlirValueIsNull(signal) &&
      tile_channel_type_is(mlirValueGetType(signal)))
    channel = tile_channel_of(signal);
  if (mlirOperationIsNull(channel.op))
    return true;
  if (instr == TILE_INSTR_Tma)
    return tile_channel_tma(channel);
  bool has_pad = tile_window_pad(tile_copy_src(copy)).ptr != NULL;
  bool takes_threads = tile_channel_simt_threads(channel) > 0;
  return instr == TILE_INSTR_CpAsync
             ? tile_channel_cp_async_threads(channel) > 0 &&
                   (!has_pad || takes_threads)
             : takes_threads;
}

bool tile_copy_instr_is_legal(TileCopyOp copy, TileInstr instr,
                              const TileInstrContext *context,
                              TileReason *out) {
  CopyView view;
  if (!copy_view(copy, &view))
    return instr_refuse_internal(out, "operands are no tiles");
  // What the host has checked counts where it says more than what is known.
  int64_t align = tile_row_align_bytes(global_side(copy, &view));
  if (align < context->checked_bytes)
    align = context->checked_bytes;
  if (!channel_takes(copy, instr))
    return tile_refuse(out, "channel",
                       "the channel that it fills has no such agent");
  if (tile_im2col_of(tile_copy_src(copy)).op.ptr)
    return tile_im2col_instr_is_legal(
        copy, instr, context, context->checked_bytes >= MAX_ASYNC_BYTES, out);
  switch (instr) {
  case TILE_INSTR_Simt:
    return true;
  case TILE_INSTR_CpAsync:
    return cp_async_is_legal(copy, &view, align, out);
  case TILE_INSTR_Tma:
    return tma_is_legal(copy, &view, context, align, out);
  case TILE_INSTR_Mma:
  case TILE_INSTR_Wgmma:
    break;
  }
  return instr_refuse_internal(out, "no copy instruction");
}

int64_t tile_copy_async_bytes(TileCopyOp copy, const TileInstrContext *context,
                              int64_t align_bytes) {
  TileInstrContext checked = tile_instr_context_checked(context, align_bytes);
  CopyView view;
  TileReason reason;
  TileLayout layout;
  if (tile_im2col_of(tile_copy_src(copy)).op.ptr ||
      !tile_copy_instr_is_legal(copy, TILE_INSTR_CpAsync, &checked, &reason) ||
      !copy_view(copy, &view))
    return 0;
  int64_t known = tile_row_align_bytes(tile_copy_src(copy));
  int64_t bytes = tile_gcd(MAX_ASYNC_BYTES, view.inner_bytes);
  bytes = tile_gcd(bytes, tile_column_align_bytes(tile_copy_src(copy)));
  bytes = tile_gcd(bytes, known > align_bytes ? known : align_bytes);
  if (tile_given_layout(tile_copy_dst(copy), &layout))
    bytes = tile_gcd(
        bytes, tile_layout_contiguous_run(&layout, layout.in.num_axes - 1) *
                   tile_elem_bits(view.dst.element) / 8);
  return bytes;
}

bool tile_staged_store_is_legal(TileCopyOp copy,
                                const TileInstrContext *context,
                                bool is_aligned, TileReason *out_reason) {
  CopyView view;
  if (!copy_view(copy, &view) || !is_store(&view))
    return refuse_spaces(out_reason);
  int64_t align = is_aligned ? 16 : tile_row_align_bytes(tile_copy_dst(copy));
  view.src = view.dst;
  view.src.space = TILE_SPACE_SHARED;
  view.is_made = true;
  view.inner_bytes =
      view.dst.extent[view.dst.rank - 1] * tile_elem_bits(view.dst.element) / 8;
  return tma_is_legal(copy, &view, context, align, out_reason);
}

//===-- Given instructions ------------------------------------------------===//

MlirLogicalResult tile_instr_verify(MlirOperation op,
                                    const TileInstrContext *context,
                                    bool is_aligned) {
  TileReason reason;
  TileInstr instr;
  TileProduct product;
  bool is_legal = true;
  if (tile_copy_is(op)) {
    TileCopyOp copy = tile_copy_cast(op);
    instr = tile_copy_instr(copy);
    TileInstrContext checked =
        tile_instr_context_checked(context, is_aligned ? MAX_ASYNC_BYTES : 0);
    is_legal = mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
               tile_copy_instr_is_legal(copy, instr, &checked, &reason);
  } else if (tile_product_of(op, &product)) {
    instr = product.instr;
    is_legal = !product.has_instr ||
               tile_product_instr_is_legal(&product, instr, context, &reason);
  } else if (tile_atomic_is(op)) {
    TileAtomicOp atomic = tile_atomic_cast(op);
    instr = tile_atomic_instr(atomic);
    is_legal = mlirAttributeIsNull(tile_atomic_instr_attr(atomic)) ||
               instr != TILE_INSTR_Tma ||
               tile_atomic_tma_is_legal(atomic, context, is_aligned, &reason);
  }
  if (is_legal)
    return tile_success();
  if (!strcmp(reason.code, INSTR_INTERNAL))
    return tile_emit_internal_error(op, "%s: %s", tile_instr_name(instr),
                                    reason.text);
  return tile_emit_error(op, "cannot use %s: %s", tile_instr_name(instr),
                         reason.text);
}
