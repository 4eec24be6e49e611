//===- ProductSelect.c - Which matrix instruction a product can use -------===//
//
// As InstructionSelect.c: pure functions, complete legality. The .sp forms have
// the shapes of the dense ones with twice the K, of which A stores half.
//
//===----------------------------------------------------------------------===//

#include "Instruction.h"

#include "Analysis/Memory/Memory.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutHardware.h"

typedef struct {
  TileShape a, b, c;
  int64_t m, n;
  int64_t k;   // as A stores it
  int k_ratio; // elements of K for one of A
  int bits;    // of A and B
} GemmView;

static bool gemm_view(const TileProduct *gemm, GemmView *out) {
  if (!tile_shape_of(gemm->a, &out->a) || !tile_shape_of(gemm->b, &out->b) ||
      !tile_shape_of(gemm->c, &out->c))
    return false;
  out->m = out->c.extent[0];
  out->n = out->c.extent[1];
  out->k = out->a.extent[!gemm->transpose_a];
  out->k_ratio = tile_product_k_ratio(gemm);
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
static bool wgmma_takes_types(const TileProduct *gemm, const GemmView *view,
                              TileReason *out) {
  if (mlirTypeIsAF16(view->c.element))
    return tile_refuse(out, "tile-instr/types",
                       "f16 accumulators are lowered to mma only");
  if (view->bits == 64)
    return tile_refuse(out, "tile-instr/types", "wgmma has no f64");
  if (view->bits == 16)
    return true;
  bool a_in_registers = view->a.space == TILE_SPACE_FRAGMENT;
  if ((gemm->transpose_a && !a_in_registers) || !gemm->transpose_b)
    return tile_refuse(
        out, "tile-instr/transpose",
        "wgmma reads %d-bit operands that are contiguous along K: A "
        "stored M x K and B stored N x K",
        view->bits);
  return true;
}

// More columns than one instruction has are several, which start at swizzle
// atoms: in every partition that layout inference may choose.
static bool wgmma_divides_columns(const GemmView *view, int64_t groups,
                                  const TileTarget *target, TileReason *out) {
  for (int64_t cols = 1; cols <= groups; cols++) {
    int64_t columns = view->n / cols;
    if (groups % cols == 0 && view->n % cols == 0 &&
        columns % target->wgmma.n_step == 0 && columns > target->wgmma.n_max &&
        columns % 64)
      return tile_refuse(
          out, "tile-instr/shape",
          "a warpgroup may own %lld columns; more than %d must be a "
          "multiple of 64",
          (long long)columns, target->wgmma.n_max);
  }
  return true;
}

static bool wgmma_reads(MlirValue tile, const TileShape *shape, bool mn_is_last,
                        TileReason *out) {
  TileLayout layout;
  TileReason error;
  TileHwDesc desc;
  if (!tile_is_whole_or_slot(tile) || // inference looks at windows
      !tile_given_layout(tile, &layout) ||
      tile_hw_wgmma_desc(&layout, tile_elem_bits(shape->element), mn_is_last,
                         !mn_is_last, shape->extent[mn_is_last], &desc, &error))
    return true;
  return tile_refuse(out, "tile-instr/layout",
                     "a given layout does not suit %.120s", error.text);
}

// Whether the tile behind a view can have rows of 64 bytes along K, swizzled as
// wgmma.sp reads them, in the shape that the view has.
static bool view_has_rows(MlirValue tile, const TileShape *shape) {
  static const char *const texts[] = {"swizzle<128>", "swizzle<64>"};
  TileBuffer buffer = tile_buffer_of(tile);
  TileShape root;
  int bits = tile_elem_bits(shape->element);
  if (!mlirValueEqual(tile, buffer.base) ||
      mlirValueEqual(buffer.base, buffer.root) ||
      !tile_shape_of(buffer.root, &root))
    return true;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    TileLayout seen, behind;
    TileReason error;
    if (tile_layout_parse(texts[i], shape->extent, shape->rank, bits, &seen,
                          &error) &&
        tile_layout_reinterpret(&seen, bits, root.extent, root.rank,
                                tile_elem_bits(root.element), &behind, &error))
      return true;
  }
  return false;
}

// B along K comes in rows of 64 bytes or more.
static bool wgmma_sp_reads(MlirValue tile, const TileShape *shape,
                           bool mn_is_last, TileReason *out) {
  int bits = tile_elem_bits(shape->element);
  TileLayout layout;
  TileReason error;
  TileHwDesc desc;
  if (tile_is_whole_or_slot(tile) && tile_given_layout(tile, &layout) &&
      tile_hw_wgmma_desc(&layout, bits, mn_is_last, !mn_is_last,
                         shape->extent[mn_is_last], &desc, &error) &&
      !tile_hw_wgmma_sp_reads(desc.mode, desc.mn_major))
    return tile_refuse(out, "tile-instr/layout",
                       "a given layout of B has rows of %d bytes along "
                       "K; wgmma.sp reads 64",
                       desc.mode);
  if (!mn_is_last && !tile_given_layout(tile, &layout) &&
      !view_has_rows(tile, shape))
    return tile_refuse(out, "tile-instr/layout",
                       "no layout of the tile behind the view of B has rows "
                       "of 64 bytes along K, which wgmma.sp reads");
  return true;
}

static bool wgmma_accumulates(const TileProduct *gemm, const GemmView *view,
                              int64_t groups, TileReason *out) {
  TileLayout layout, expected;
  TileReason error;
  if (!tile_given_layout(gemm->c, &layout))
    return true;
  for (int64_t rows = 1; rows <= groups; rows++)
    if (groups % rows == 0 &&
        tile_hw_wgmma_acc(view->m, view->n, (int)rows, (int)(groups / rows),
                          &expected, &error) &&
        tile_layout_equal(&layout, &expected))
      return true;
  return tile_refuse(
      out, "tile-instr/layout",
      "the given layout of C is no accumulator of %lld warpgroups",
      (long long)groups);
}

// PTX ISA, wgmma.mma_async: m64, n a multiple of 8 up to 256 (of 16 for
// integers), k of 32 bytes; B in shared memory, A there or in registers.
static bool wgmma_is_legal(const TileProduct *gemm, const GemmView *view,
                           const TileInstrContext *context, TileReason *out) {
  const TileTarget *target = context->target;
  if (!target->has_wgmma)
    return tile_refuse(out, "target", "%s has no wgmma", target->chip);
  if (view->b.space != TILE_SPACE_SHARED)
    return tile_refuse(out, "tile-instr/operands",
                       "wgmma needs B in shared memory");
  if (!wgmma_takes_types(gemm, view, out))
    return false;
  if (context->num_threads % 128)
    return tile_refuse(
        out, "tile-instr/threads",
        "wgmma needs whole warpgroups of 128 threads, the kernel has "
        "%lld threads",
        (long long)context->num_threads);
  int64_t k = target->wgmma.k_bytes * 8 / view->bits;
  if (view->k % k)
    return tile_refuse(
        out, "tile-instr/shape", "K = %lld is no multiple of %lld",
        (long long)(view->k * view->k_ratio), (long long)(k * view->k_ratio));
  TileWarpPolicy policy = gemm->policy;
  int64_t groups = context->num_threads / 128;
  int n_step = mlirTypeIsAInteger(view->c.element) ? 16 : target->wgmma.n_step;
  if (!has_partition(view, policy, groups, target->wgmma.m, n_step))
    return tile_refuse(
        out, "tile-instr/partition",
        "%lldx%lld cannot be shared by %lld warpgroups of %dx%d with "
        "policy %s",
        (long long)view->m, (long long)view->n, (long long)groups,
        target->wgmma.m, n_step, policy_name(policy));
  bool ta = gemm->transpose_a, tb = gemm->transpose_b;
  return wgmma_divides_columns(view, groups, target, out) &&
         (view->a.space != TILE_SPACE_SHARED ||
          wgmma_reads(gemm->a, &view->a, ta, out)) &&
         wgmma_reads(gemm->b, &view->b, !tb, out) &&
         (!gemm->is_sparse || wgmma_sp_reads(gemm->b, &view->b, !tb, out)) &&
         wgmma_accumulates(gemm, view, groups, out);
}

// PTX ISA, mma.sync: m16n8, k of 32 bytes; of f64 two of m8n8k4.
static bool mma_is_legal(const TileProduct *gemm, const GemmView *view,
                         const TileInstrContext *context, TileReason *out) {
  const TileTarget *target = context->target;
  if (gemm->is_sparse && view->bits == 8 && !target->has_f8 &&
      tile_elem_is_float(view->a.element))
    return tile_refuse(out, "tile-instr/types",
                       "%s has no mma.sp of 8-bit floats", target->chip);
  if (context->num_threads % 32)
    return tile_refuse(out, "tile-instr/threads",
                       "mma needs whole warps, the kernel has %lld "
                       "threads",
                       (long long)context->num_threads);
  int64_t k = target->mma.k_bytes * 8 / view->bits;
  if (view->k % k)
    return tile_refuse(
        out, "tile-instr/shape", "K = %lld is no multiple of %lld",
        (long long)(view->k * view->k_ratio), (long long)(k * view->k_ratio));
  TileWarpPolicy policy = gemm->policy;
  int64_t warps = context->num_threads / 32;
  if (!has_partition(view, policy, warps, target->mma.m, target->mma.n))
    return tile_refuse(out, "tile-instr/partition",
                       "%lldx%lld cannot be shared by %lld warps of %dx%d with "
                       "policy %s",
                       (long long)view->m, (long long)view->n, (long long)warps,
                       target->mma.m, target->mma.n, policy_name(policy));
  return true;
}

static bool starts_warpgroup(const TileProduct *gemm, TileReason *out) {
  TileWarps warps;
  if (!tile_role_warps_of(gemm->op, &warps) || warps.first % 4 == 0)
    return true;
  return tile_refuse(
      out, "tile-instr/threads",
      "wgmma needs aligned warpgroups, the role starts at warp %lld",
      (long long)warps.first);
}

bool tile_product_instr_is_legal(const TileProduct *gemm, TileInstr instr,
                                 const TileInstrContext *context,
                                 TileReason *out_reason) {
  GemmView view;
  if (!gemm_view(gemm, &view))
    return instr_refuse_internal(out_reason, "operands are no tiles");
  if (view.a.rank != 2)
    return tile_refuse(out_reason, "tile-instr/shape",
                       "it is a product for each of %lld matrices; run "
                       "tile-expand-products first",
                       (long long)view.a.extent[0]);
  TileInstrContext own = *context; // a role has threads of its own
  own.num_threads = tile_op_num_threads(gemm->op, context->num_threads);
  if (instr == TILE_INSTR_Wgmma)
    return starts_warpgroup(gemm, out_reason) &&
           wgmma_is_legal(gemm, &view, &own, out_reason);
  if (instr == TILE_INSTR_Mma)
    return mma_is_legal(gemm, &view, &own, out_reason);
  return instr_refuse_internal(out_reason, "no matrix instruction");
}
