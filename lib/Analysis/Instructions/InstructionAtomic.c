//===- InstructionAtomic.c - Atomic updates that TMA can do ---------------===//
//
// PTX ISA, "cp.reduce.async.bulk.tensor": a box of shared memory is combined
// with a tensor. What holds for tensor maps and boxes is as for copies.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Instruction.h"

enum { TMA_ALIGN_BYTES = 16 };

// Extremes of floats would lose NaN.
static bool takes_type(TileAtomicKind kind, MlirType element) {
  int bits = tile_elem_bits(element);
  if (kind == TILE_ATOMIC_KIND_Exchange || kind == TILE_ATOMIC_KIND_Inc)
    return false;
  if (tile_elem_is_float(element))
    return kind == TILE_ATOMIC_KIND_Add && bits <= 32;
  return bits == 32 || bits == 64;
}

static bool has_unit_rows(TileRegionOp region) {
  MlirType source = mlirValueGetType(tile_region_source(region));
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(source);
  return rank >= 1 && rank <= TILE_MAX_RANK &&
         mlirLogicalResultIsSuccess(
             mlirMemRefTypeGetStridesAndOffset(source, strides, &offset)) &&
         strides[rank - 1] == 1 &&
         tile_region_result_dim(region, (int)rank - 1) >= 0;
}

static bool has_tma_layout(MlirValue tile, const TileShape *shape,
                           TileReason *out) {
  TileLayout layout;
  TileReason error;
  bool ok = tile_given_layout(tile, &layout) ||
            tile_layout_parse("linear", shape->extent, shape->rank,
                              tile_elem_bits(shape->element), &layout, &error);
  return (ok && instr_suits_tma(tile, shape, &layout, &error)) ||
         tile_refuse(out, "tile-instr/layout",
                     "the layout of the tile does not suit TMA: %.120s",
                     error.text);
}

bool tile_atomic_tma_is_legal(TileAtomicOp atomic,
                              const TileInstrContext *context,
                              bool rows_are_aligned, TileReason *out) {
  TileShape src, dst;
  MlirValue window = tile_atomic_dst(atomic), tile = tile_atomic_src(atomic);
  if (!tile_shape_of(tile, &src) || !tile_shape_of(window, &dst) ||
      src.space != TILE_SPACE_SHARED || dst.space != TILE_SPACE_GLOBAL)
    return tile_refuse(out, "spaces", "%s", "");
  if (!context->target->has_tma)
    return tile_refuse(out, "target", "%s has no TMA", context->target->chip);
  TileOrdering ordering;
  if (tile_atomic_old(atomic).ptr)
    return tile_refuse(out, "tile-instr/old", "TMA gives no values back");
  if (tile_ordering_of(atomic.op, &ordering))
    return tile_refuse(out, "tile-instr/order", "TMA orders nothing");
  if (!mlirTypeEqual(src.element, dst.element))
    return tile_refuse(out, "tile-instr/convert",
                       "TMA does not convert elements");
  if (!takes_type(tile_atomic_kind(atomic), dst.element))
    return tile_refuse(out, "tile-instr/types",
                       "TMA has no such update of elements of this type");
  TileBuffer buffer = tile_buffer_of(window);
  if (!buffer.region.ptr || !tile_is_whole_or_slot(tile))
    return tile_refuse(out, "tile-instr/window",
                       "TMA takes whole tiles to windows of tensors");
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  if (tile_region_ids(region).ptr)
    return tile_refuse(out, "tile-instr/gather",
                       "TMA takes boxes, and numbers name rows of the window");
  if (tile_region_bounded_size(region) > 0)
    return tile_refuse(out, "tile-instr/end",
                       "the window ends where the kernel says, which updates "
                       "by TMA do not know");
  if (!has_unit_rows(region))
    return tile_refuse(out, "tile-instr/stride",
                       "rows of the window are not known to be contiguous");
  MlirValue tensor = tile_region_source(region);
  if (!instr_has_map(tensor, context, out) || !instr_stores_rows(tensor, out) ||
      !instr_window_is_aligned(window,
                               rows_are_aligned ? TMA_ALIGN_BYTES
                                                : tile_row_align_bytes(window),
                               TMA_ALIGN_BYTES, "TMA", out))
    return false;
  int64_t row_bytes =
      dst.extent[dst.rank - 1] * tile_elem_bits(dst.element) / 8;
  if (row_bytes % TMA_ALIGN_BYTES)
    return tile_refuse(out, "tile-instr/row",
                       "rows of the tile have %lld bytes, no multiple of 16",
                       (long long)row_bytes);
  return has_tma_layout(tile, &src, out);
}
