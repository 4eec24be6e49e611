//===- Instruction.c - What the rules of instructions have in common ------===//

#include "Instruction.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "mlir-c/AffineMap.h"

bool instr_refuse_internal(TileReason *out, const char *what) {
  return tile_refuse(out, INSTR_INTERNAL, "%s", what);
}

// Whether a tensor is there before the kernel that uses it is launched.
bool instr_is_of_host(MlirValue tensor) {
  MlirOperation scope =
      mlirValueIsABlockArgument(tensor)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(tensor))
          : mlirOpResultGetOwner(tensor);
  while (scope.ptr && !func_func_is(scope) && !tile_kernel_is(scope))
    scope = mlirOperationGetParentOperation(scope);
  return scope.ptr && !gpu_launch_is(scope) && func_func_is(scope);
}

bool instr_has_map(MlirValue tensor, const TileInstrContext *context,
                   TileReason *out) {
  return (context->in_launch && instr_is_of_host(tensor)) ||
         tile_refuse(out, "tile-instr/base",
                     "a tensor map can only be made on the host, of a tensor "
                     "of the function that launches");
}

// The hardware cuts what is stored beyond a tensor in pieces of 16 bytes: it
// writes beside a row that ends within one. Rows that follow one another end
// where the next one starts, which is aligned then.
bool instr_stores_rows(MlirValue tensor, TileReason *out) {
  enum { PIECE_BYTES = 16 };
  MlirType type = mlirValueGetType(tensor);
  int64_t rank = mlirShapedTypeGetRank(type);
  int64_t bits = tile_elem_bits(mlirShapedTypeGetElementType(type));
  MlirAttribute layout = mlirMemRefTypeGetLayout(type);
  bool is_known =
      mlirShapedTypeIsDynamicDim(type, rank - 1)
          ? rank > 1 && mlirAttributeIsAAffineMap(layout) &&
                mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout))
          : mlirShapedTypeGetDimSize(type, rank - 1) * bits / 8 % PIECE_BYTES ==
                0;
  return is_known || tile_refuse(out, "tile-instr/row",
                                 "TMA stores whole pieces of 16 bytes, and "
                                 "rows of the tensor are not known to end "
                                 "with one");
}

// PTX ISA, cp.async.bulk.tensor: shared addresses are multiples of 128 bytes;
// swizzle modes are patterns of 8 rows, at addresses that are multiples of
// them.
bool instr_slots_suit_tma(MlirValue tile, const TileLayoutTma *tma,
                          TileReason *out_error) {
  int64_t align = tma->swizzle ? INT64_C(8) * tma->swizzle : 128;
  int64_t offset_bytes = tile_slot_offset_bytes(tile, align);
  if (!offset_bytes)
    return true;
  snprintf(out_error->text, sizeof out_error->text,
           "slots start %lld bytes apart, TMA needs a multiple of %lld",
           (long long)offset_bytes, (long long)align);
  return false;
}

bool instr_suits_tma(MlirValue tile, const TileShape *shape,
                     const TileLayout *layout, TileReason *out_error) {
  TileLayoutTma tma;
  return tile_layout_derive_tma(layout, tile_elem_bits(shape->element),
                                shape->rank - 1, &tma, out_error) &&
         (mlirValueIsNull(tile) || instr_slots_suit_tma(tile, &tma, out_error));
}

// A static stride that no fact about the tensor could mend.
static bool refuse_stride(MlirValue window, int bytes, const char *what,
                          TileReason *out) {
  MlirType type = mlirValueGetType(tile_buffer_of(window).root);
  int64_t strides[TILE_MAX_RANK], offset;
  if (!mlirTypeIsAMemRef(type) || mlirShapedTypeGetRank(type) > TILE_MAX_RANK ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return true;
  int64_t elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  for (int d = 0; d + 1 < mlirShapedTypeGetRank(type); d++)
    if (!mlirShapedTypeIsDynamicStrideOrOffset(strides[d]) &&
        strides[d] * elem_bytes % bytes)
      return tile_refuse(out, "tile-instr/alignment",
                         "stride %d of the tensor is %lld bytes; %s needs a "
                         "multiple of %d",
                         d, (long long)strides[d] * elem_bytes, what, bytes);
  return true;
}

bool instr_window_is_aligned(MlirValue window, int64_t row_align, int bytes,
                             const char *what, TileReason *out) {
  int64_t column = tile_column_align_bytes(window);
  if (column % bytes)
    return tile_refuse(out, "tile-instr/alignment",
                       "windows are known to start at columns that are "
                       "multiples of %lld bytes; %s needs %d",
                       (long long)column, what, bytes);
  if (row_align % bytes == 0)
    return true;
  return refuse_stride(window, bytes, what, out) &&
         tile_refuse(out, "tile-instr/alignment",
                     "rows are known to be aligned to %lld bytes; %s needs %d",
                     (long long)row_align, what, bytes);
}
