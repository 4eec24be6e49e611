//===- InstructionSelect.c - Which instruction an op can and should use ---===//
//
// Pure functions of an op, its types, the facts on its regions and the target.
// Legality is complete: what passes here lowers. The rules come from the PTX
// ISA sections named beside them.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis.h"

#include "Tile/Dialect/TileLayouts.h"
#include "Tile/LayoutAccess.h"
#include "Tile/LayoutHardware.h"
#include "Tile/Ops/func.h"
#include "Tile/Support/Diagnostics.h"
#include <stdarg.h>
#include <stdio.h>

const char *tile_instr_name(TileInstr instr) {
  static const char *const names[] = {[TILE_INSTR_Simt] = "simt",
                                      [TILE_INSTR_CpAsync] = "cp_async",
                                      [TILE_INSTR_Tma] = "tma",
                                      [TILE_INSTR_Mma] = "mma",
                                      [TILE_INSTR_Wgmma] = "wgmma"};
  return names[instr];
}

static bool refuse(TileInstrReason *out, const char *code, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

static bool refuse(TileInstrReason *out, const char *code, const char *format,
                   ...) {
  out->code = code;
  va_list args;
  va_start(args, format);
  vsnprintf(out->text, sizeof out->text, format, args);
  va_end(args);
  return false;
}

//===-- Facts about global tensors ----------------------------------------===//

static TileRegionOp region_of(MlirValue tile) {
  if (!mlirValueIsAOpResult(tile))
    return (TileRegionOp){{NULL}};
  return tile_region_dyn(mlirOpResultGetOwner(tile));
}

int64_t tile_row_align_bytes(MlirValue tile) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape))
    return 1;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  TileRegionOp region = region_of(tile);
  if (!region.op.ptr || mlirAttributeIsNull(tile_region_align_attr(region)))
    return elem_bytes;
  int64_t align = tile_region_align(region);
  return align > elem_bytes ? align : elem_bytes;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Rows start `align` bytes apart at least; the window starts at a column.
static int64_t window_align(MlirValue tile, int64_t align) {
  TileRegionOp region = region_of(tile);
  TileShape shape;
  if (!region.op.ptr || !tile_shape_of(tile, &shape))
    return align;
  int last =
      (int)mlirShapedTypeGetRank(mlirValueGetType(tile_region_source(region))) -
      1;
  int64_t column = tile_index_divisor(tile_region_offset(region, last)) *
                   tile_elem_bits(shape.element) / 8;
  return gcd(align, column);
}

int64_t tile_window_align_bytes(MlirValue tile) {
  return window_align(tile, tile_row_align_bytes(tile));
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

static bool region_drops(TileRegionOp region, int64_t dim) {
  for (intptr_t i = 0; i < tile_region_dropped_size(region); i++)
    if (tile_region_dropped(region, i) == dim)
      return true;
  return false;
}

// Rows of the tile are runs of consecutive elements of global memory.
static bool has_contiguous_rows(TileRegionOp region, TileInstrReason *out) {
  MlirType source = mlirValueGetType(tile_region_source(region));
  int64_t stride = last_stride(source);
  if (stride != 1)
    return refuse(out, "tile-instr/stride",
                  stride == INT64_MIN
                      ? "the last stride of the tensor is not known to be 1"
                      : "the last stride of the tensor is %lld, not 1",
                  (long long)stride);
  if (region_drops(region, mlirShapedTypeGetRank(source) - 1))
    return refuse(out, "tile-instr/stride",
                  "the window drops the contiguous dimension of the tensor");
  return true;
}

static bool pads_with_zero(TileRegionOp region, TileInstrReason *out) {
  MlirValue pad = tile_region_pad(region);
  MlirAttribute value;
  if (!pad.ptr)
    return true;
  if (mlirxConstantAttr(pad, &value) &&
      ((mlirAttributeIsAFloat(value) &&
        mlirFloatAttrGetValueDouble(value) == 0) ||
       (mlirAttributeIsAInteger(value) &&
        mlirIntegerAttrGetValueInt(value) == 0)))
    return true;
  return refuse(out, "tile-instr/pad", "the pad value is not a constant zero");
}

//===-- Copies ------------------------------------------------------------===//

typedef struct {
  TileShape src, dst;
  TileRegionOp region; // of the global side, or null
  int64_t inner_bytes; // of a row of the tile
} CopyView;

static bool copy_view(TileCopyOp copy, CopyView *out) {
  if (!tile_shape_of(tile_copy_src(copy), &out->src) ||
      !tile_shape_of(tile_copy_dst(copy), &out->dst))
    return false;
  out->region =
      region_of(out->src.space == TILE_SPACE_GLOBAL ? tile_copy_src(copy)
                                                    : tile_copy_dst(copy));
  int rank = out->src.rank;
  out->inner_bytes =
      rank ? out->src.extent[rank - 1] * tile_elem_bits(out->src.element) / 8
           : 0;
  return true;
}

// What tma and cp_async have in common: plain bytes from global to shared.
static bool moves_bytes_to_shared(const CopyView *view, const char *what,
                                  TileInstrReason *out) {
  if (view->src.space != TILE_SPACE_GLOBAL ||
      view->dst.space != TILE_SPACE_SHARED)
    return refuse(out, "spaces",
                  "%s copies from global to shared memory, not "
                  "from %s to %s",
                  what, tile_space_name(view->src.space),
                  tile_space_name(view->dst.space));
  if (!mlirTypeEqual(view->src.element, view->dst.element))
    return refuse(out, "tile-instr/convert", "%s does not convert elements",
                  what);
  if (!view->region.op.ptr)
    return refuse(out, "tile-instr/window",
                  "the source is a whole tensor, not a window");
  return has_contiguous_rows(view->region, out) &&
         pads_with_zero(view->region, out);
}

// PTX ISA, cp.async: 4, 8 or 16 bytes, aligned to their size.
static bool cp_async_is_legal(TileCopyOp copy, const CopyView *view,
                              const TileInstrContext *context, int64_t align,
                              TileInstrReason *out) {
  if (!context->target->has_cp_async)
    return refuse(out, "target", "%s has no cp.async", context->target->chip);
  if (!moves_bytes_to_shared(view, "cp.async", out))
    return false;
  align = window_align(tile_copy_src(copy), align);
  if (mlirTypeIsAInteger(view->src.element) &&
      mlirIntegerTypeGetWidth(view->src.element) == 1)
    return refuse(out, "tile-instr/types",
                  "i1 has no packed form that cp.async could copy");
  if (align % 4)
    return refuse(
        out, "tile-instr/alignment",
        "rows are known to be aligned to %lld bytes; cp.async needs 4",
        (long long)align);
  if (view->inner_bytes % 4)
    return refuse(out, "tile-instr/row",
                  "rows of the tile have %lld bytes, no multiple "
                  "of 4",
                  (long long)view->inner_bytes);
  TileLayout layout;
  if (!tile_given_layout(tile_copy_dst(copy), &layout))
    return true;
  int64_t run = tile_layout_contiguous_run(&layout, layout.in.num_axes - 1) *
                tile_elem_bits(view->dst.element) / 8;
  if (run % 4)
    return refuse(out, "tile-instr/layout",
                  "the given layout stores %lld bytes of a row together; "
                  "cp.async needs 4",
                  (long long)run);
  return true;
}

// PTX ISA, mbarrier: the transaction count has 20 bits.
enum { MAX_EXPECT_BYTES = (1 << 20) - 1 };

static bool suits_tma(const TileShape *tile, const TileLayout *layout,
                      TileLayoutError *out_error) {
  TileLayoutTma tma;
  return tile_layout_derive_tma(layout, tile_elem_bits(tile->element),
                                tile->rank - 1, &tma, out_error);
}

// Some layout of the tile suits TMA: rows of more than 256 elements are cut in
// boxes, which cannot start at any byte.
static bool has_tma_layout(const TileShape *tile, TileInstrReason *out) {
  static const char *const texts[] = {"linear", "swizzle<128>", "swizzle<64>",
                                      "swizzle<32>"};
  TileLayoutError error, first = {""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    TileLayout layout;
    if (tile_layout_parse(texts[i], tile->extent, tile->rank,
                          tile_elem_bits(tile->element), &layout, &error) &&
        suits_tma(tile, &layout, &error))
      return true;
    if (i == 0)
      first = error;
  }
  return refuse(out, "tile-instr/layout",
                "no layout of the tile suits TMA: %.120s", first.text);
}

// PTX ISA, tensor maps and cp.async.bulk.tensor; CUDA driver API,
// cuTensorMapEncodeTiled.
static bool tma_is_legal(TileCopyOp copy, const CopyView *view,
                         const TileInstrContext *context, int64_t align,
                         TileInstrReason *out) {
  if (!context->target->has_tma)
    return refuse(out, "target", "%s has no TMA", context->target->chip);
  if (!moves_bytes_to_shared(view, "TMA", out))
    return false;
  if (!tile_is_whole_or_slot(tile_copy_dst(copy)))
    return refuse(out, "tile-instr/window",
                  "TMA fills whole tiles and slots of rings, and the "
                  "destination is another window");
  MlirValue tensor = tile_region_source(view->region);
  if (!context->in_launch || !mlirValueIsABlockArgument(tensor) ||
      !func_func_is(
          mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(tensor))))
    return refuse(out, "tile-instr/base",
                  "a tensor map can only be made on the host, of "
                  "an argument of the function that launches");
  // The hardware stops at a box that begins inside 16 bytes.
  align = window_align(tile_copy_src(copy), align);
  if (align % 16)
    return refuse(out, "tile-instr/alignment",
                  "rows are known to be aligned to %lld bytes; TMA needs 16",
                  (long long)align);
  int64_t size_bytes =
      tile_shape_num_elems(&view->dst) * tile_elem_bits(view->dst.element) / 8;
  if (size_bytes > MAX_EXPECT_BYTES)
    return refuse(out, "tile-instr/size",
                  "a barrier can expect at most %d bytes, the tile "
                  "has %lld",
                  MAX_EXPECT_BYTES, (long long)size_bytes);
  if (view->inner_bytes % 16)
    return refuse(out, "tile-instr/row",
                  "rows of the tile have %lld bytes, no multiple of 16",
                  (long long)view->inner_bytes);
  TileLayout layout;
  TileLayoutError error;
  if (!tile_given_layout(tile_copy_dst(copy), &layout))
    return has_tma_layout(&view->dst, out);
  if (!suits_tma(&view->dst, &layout, &error))
    return refuse(out, "tile-instr/layout",
                  "the given layout does not suit TMA: %.120s", error.text);
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
  return instr == TILE_INSTR_CpAsync
             ? tile_channel_cp_async_threads(channel) > 0
             : tile_channel_simt_threads(channel) > 0;
}

static bool copy_is_legal(TileCopyOp copy, TileInstr instr,
                          const TileInstrContext *context, bool assume_aligned,
                          TileInstrReason *out) {
  CopyView view;
  if (!copy_view(copy, &view))
    return refuse(out, "type", "operands are no tiles");
  int64_t align =
      assume_aligned ? 16 : tile_row_align_bytes(tile_copy_src(copy));
  if (!channel_takes(copy, instr))
    return refuse(out, "channel",
                  "the channel that it fills has no such agent");
  switch (instr) {
  case TILE_INSTR_Simt:
    return true;
  case TILE_INSTR_CpAsync:
    return cp_async_is_legal(copy, &view, context, align, out);
  case TILE_INSTR_Tma:
    return tma_is_legal(copy, &view, context, align, out);
  case TILE_INSTR_Mma:
  case TILE_INSTR_Wgmma:
    break;
  }
  return refuse(out, "kind", "%s is no copy instruction",
                tile_instr_name(instr));
}

bool tile_copy_instr_is_legal(TileCopyOp copy, TileInstr instr,
                              const TileInstrContext *context,
                              TileInstrReason *out_reason) {
  return copy_is_legal(copy, instr, context, false, out_reason);
}

bool tile_copy_instr_is_legal_if_aligned(TileCopyOp copy, TileInstr instr,
                                         const TileInstrContext *context,
                                         TileInstrReason *out_reason) {
  return copy_is_legal(copy, instr, context, true, out_reason);
}

//===-- Products ----------------------------------------------------------===//

typedef struct {
  TileShape a, b, c;
  int64_t m, n, k;
  int bits; // of A and B
} GemmView;

static bool gemm_view(TileGemmOp gemm, GemmView *out) {
  if (!tile_shape_of(tile_gemm_a(gemm), &out->a) ||
      !tile_shape_of(tile_gemm_b(gemm), &out->b) ||
      !tile_shape_of(tile_gemm_c(gemm), &out->c))
    return false;
  out->m = out->c.extent[0];
  out->n = out->c.extent[1];
  out->k = out->a.extent[!tile_gemm_transpose_a(gemm)];
  out->bits = tile_elem_bits(out->a.element);
  return true;
}

// A partition of `units` warps or warpgroups over C exists, with `m` x `n` per
// instruction, that agrees with the policy.
static bool has_partition(const GemmView *view, TileWarpPolicy policy,
                          int64_t units, int64_t m, int64_t n) {
  for (int64_t rows = 1; rows <= units; rows++) {
    if (units % rows)
      continue;
    int64_t cols = units / rows;
    if ((policy == TILE_WARP_POLICY_FullRow && cols != 1) ||
        (policy == TILE_WARP_POLICY_FullCol && rows != 1))
      continue;
    if (view->m % (rows * m) == 0 && view->n % (cols * n) == 0)
      return true;
  }
  return false;
}

static const char *policy_name(TileWarpPolicy policy) {
  static const char *const names[] = {"square", "full_row", "full_col"};
  return names[policy];
}

// PTX ISA, wgmma.mma_async, matrix types; only 16-bit operands may be
// contiguous along M or N.
static bool wgmma_takes_types(TileGemmOp gemm, const GemmView *view,
                              TileInstrReason *out) {
  if (mlirTypeIsAF16(view->c.element))
    return refuse(out, "tile-instr/types",
                  "f16 accumulators are lowered to mma only");
  if (view->bits == 16)
    return true;
  bool a_in_registers = view->a.space == TILE_SPACE_FRAGMENT;
  if ((tile_gemm_transpose_a(gemm) && !a_in_registers) ||
      !tile_gemm_transpose_b(gemm))
    return refuse(out, "tile-instr/transpose",
                  "wgmma reads %d-bit operands that are contiguous along K: A "
                  "stored M x K and B stored N x K",
                  view->bits);
  return true;
}

// More columns than one instruction has are several, which start at swizzle
// atoms: in every partition that layout inference may choose.
static bool wgmma_divides_columns(const GemmView *view, int64_t groups,
                                  const TileTarget *target,
                                  TileInstrReason *out) {
  for (int64_t cols = 1; cols <= groups; cols++) {
    int64_t columns = view->n / cols;
    if (groups % cols == 0 && view->n % cols == 0 &&
        columns % target->wgmma.n_step == 0 && columns > target->wgmma.n_max &&
        columns % 64)
      return refuse(out, "tile-instr/shape",
                    "a warpgroup may own %lld columns; more than %d must be a "
                    "multiple of 64",
                    (long long)columns, target->wgmma.n_max);
  }
  return true;
}

static bool wgmma_reads(MlirValue tile, const TileShape *shape, bool mn_is_last,
                        TileInstrReason *out) {
  TileLayout layout;
  TileLayoutError error;
  TileHwDesc desc;
  if (!tile_given_layout(tile, &layout) ||
      tile_hw_wgmma_desc(&layout, tile_elem_bits(shape->element), mn_is_last,
                         !mn_is_last, shape->extent[mn_is_last], &desc, &error))
    return true;
  return refuse(out, "tile-instr/layout", "a given layout does not suit %.120s",
                error.text);
}

static bool wgmma_accumulates(TileGemmOp gemm, const GemmView *view,
                              int64_t groups, TileInstrReason *out) {
  TileLayout layout, expected;
  TileLayoutError error;
  if (!tile_given_layout(tile_gemm_c(gemm), &layout))
    return true;
  for (int64_t rows = 1; rows <= groups; rows++)
    if (groups % rows == 0 &&
        tile_hw_wgmma_acc(view->m, view->n, (int)rows, (int)(groups / rows),
                          &expected, &error) &&
        tile_layout_equal(&layout, &expected))
      return true;
  return refuse(out, "tile-instr/layout",
                "the given layout of C is no accumulator of %lld warpgroups",
                (long long)groups);
}

// PTX ISA, wgmma.mma_async: m64, n a multiple of 8 up to 256 (of 16 for
// integers), k of 32 bytes; B in shared memory, A there or in registers.
static bool wgmma_is_legal(TileGemmOp gemm, const GemmView *view,
                           const TileInstrContext *context,
                           TileInstrReason *out) {
  const TileTarget *target = context->target;
  if (!target->has_wgmma)
    return refuse(out, "target", "%s has no wgmma", target->chip);
  if (view->b.space != TILE_SPACE_SHARED)
    return refuse(out, "tile-instr/operands", "wgmma needs B in shared memory");
  if (!wgmma_takes_types(gemm, view, out))
    return false;
  if (context->num_threads % 128)
    return refuse(out, "tile-instr/threads",
                  "wgmma needs whole warpgroups of 128 threads, the kernel has "
                  "%lld threads",
                  (long long)context->num_threads);
  int64_t k = target->wgmma.k_bytes * 8 / view->bits;
  if (view->k % k)
    return refuse(out, "tile-instr/shape", "K = %lld is no multiple of %lld",
                  (long long)view->k, (long long)k);
  TileWarpPolicy policy = tile_gemm_policy(gemm);
  int64_t groups = context->num_threads / 128;
  int n_step = mlirTypeIsAInteger(view->c.element) ? 16 : target->wgmma.n_step;
  if (!has_partition(view, policy, groups, target->wgmma.m, n_step))
    return refuse(out, "tile-instr/partition",
                  "%lldx%lld cannot be shared by %lld warpgroups of %dx%d with "
                  "policy %s",
                  (long long)view->m, (long long)view->n, (long long)groups,
                  target->wgmma.m, n_step, policy_name(policy));
  bool ta = tile_gemm_transpose_a(gemm), tb = tile_gemm_transpose_b(gemm);
  return wgmma_divides_columns(view, groups, target, out) &&
         (view->a.space != TILE_SPACE_SHARED ||
          wgmma_reads(tile_gemm_a(gemm), &view->a, ta, out)) &&
         wgmma_reads(tile_gemm_b(gemm), &view->b, !tb, out) &&
         wgmma_accumulates(gemm, view, groups, out);
}

static bool starts_warpgroup(TileGemmOp gemm, TileInstrReason *out) {
  TileWarps warps;
  if (!tile_role_warps_of(gemm.op, &warps) || warps.first % 4 == 0)
    return true;
  return refuse(out, "tile-instr/threads",
                "wgmma needs aligned warpgroups, the role starts at warp %lld",
                (long long)warps.first);
}

// PTX ISA, mma.sync: m16n8, k of 32 bytes for 16-bit types.
static bool mma_is_legal(TileGemmOp gemm, const GemmView *view,
                         const TileInstrContext *context,
                         TileInstrReason *out) {
  const TileTarget *target = context->target;
  if (!target->has_mma_f16)
    return refuse(out, "target", "%s has no mma.sync of 16-bit floats",
                  target->chip);
  if (tile_elem_is_float(view->a.element) && view->bits == 8)
    return refuse(out, "tile-instr/types",
                  "mma of 8-bit floats is not lowered yet");
  if (context->num_threads % 32)
    return refuse(out, "tile-instr/threads",
                  "mma needs whole warps, the kernel has %lld "
                  "threads",
                  (long long)context->num_threads);
  int64_t k = target->mma.k_bytes * 8 / view->bits;
  if (view->k % k)
    return refuse(out, "tile-instr/shape", "K = %lld is no multiple of %lld",
                  (long long)view->k, (long long)k);
  TileWarpPolicy policy = tile_gemm_policy(gemm);
  int64_t warps = context->num_threads / 32;
  if (!has_partition(view, policy, warps, target->mma.m, target->mma.n))
    return refuse(out, "tile-instr/partition",
                  "%lldx%lld cannot be shared by %lld warps of %dx%d with "
                  "policy %s",
                  (long long)view->m, (long long)view->n, (long long)warps,
                  target->mma.m, target->mma.n, policy_name(policy));
  return true;
}

bool tile_gemm_instr_is_legal(TileGemmOp gemm, TileInstr instr,
                              const TileInstrContext *context,
                              TileInstrReason *out_reason) {
  GemmView view;
  if (!gemm_view(gemm, &view))
    return refuse(out_reason, "type", "operands are no tiles");
  TileInstrContext own = *context; // a role has threads of its own
  own.num_threads = tile_op_num_threads(gemm.op, context->num_threads);
  if (own.num_threads < 0)
    return refuse(out_reason, "tile-instr/threads",
                  "the number of threads of the kernel is not a constant");
  if (instr == TILE_INSTR_Wgmma)
    return starts_warpgroup(gemm, out_reason) &&
           wgmma_is_legal(gemm, &view, &own, out_reason);
  if (instr == TILE_INSTR_Mma)
    return mma_is_legal(gemm, &view, &own, out_reason);
  return refuse(out_reason, "kind", "%s is no matrix instruction",
                tile_instr_name(instr));
}

//===-- Given instructions ------------------------------------------------===//

MlirLogicalResult tile_instr_verify(MlirOperation op,
                                    const TileInstrContext *context,
                                    bool is_aligned) {
  TileInstrReason reason;
  TileInstr instr;
  bool is_legal = true;
  if (tile_copy_is(op)) {
    TileCopyOp copy = tile_copy_cast(op);
    instr = tile_copy_instr(copy);
    is_legal = mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
               copy_is_legal(copy, instr, context, is_aligned, &reason);
  } else if (tile_gemm_is(op)) {
    TileGemmOp gemm = tile_gemm_cast(op);
    instr = tile_gemm_instr(gemm);
    is_legal = mlirAttributeIsNull(tile_gemm_instr_attr(gemm)) ||
               tile_gemm_instr_is_legal(gemm, instr, context, &reason);
  }
  if (is_legal)
    return tile_success();
  return tile_emit_error(op, "cannot use %s: %s", tile_instr_name(instr),
                         reason.text);
}
