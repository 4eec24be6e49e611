//===- TileVerifyMoves.c - Constraints of copies and fills ----------------===//
//
// Labels such as (C2) are those of TileMoveOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Boxes.h"
#include "TileVerify.h"

//===-- tile.copy ---------------------------------------------------------===//

static MlirLogicalResult copy_verify_types(MlirOperation op,
                                           const TileShape *src,
                                           const TileShape *dst) {
  if (!tile_shape_equal_extents(src, dst)) // (C1)
    return tile_emit_error(op,
                           "expects 'src' and 'dst' of the same shape, got %s "
                           "and %s; tile.arrange broadcasts and reshapes",
                           tile_verify_shape_text(src).chars,
                           tile_verify_shape_text(dst).chars);
  if (src->space == TILE_SPACE_GLOBAL && dst->space == TILE_SPACE_GLOBAL)
    return tile_emit_error(op, "expects 'src' or 'dst' outside global memory, "
                               "got both in it"); // (C2)
  if (tile_elem_is_float(src->element) != tile_elem_is_float(dst->element))
    return tile_emit_error( // (C3)
        op, "expects two float or two integer element types, got %s and %s",
        tile_verify_type_text(src->element).chars,
        tile_verify_type_text(dst->element).chars);
  return tile_success();
}

static bool copy_instr_fits(TileInstr instr, TileSpace src, TileSpace dst) {
  bool to_shared = src == TILE_SPACE_GLOBAL && dst == TILE_SPACE_SHARED;
  bool from_shared = src == TILE_SPACE_SHARED && dst == TILE_SPACE_GLOBAL;
  switch (instr) {
  case TILE_INSTR_Simt:
    return true;
  case TILE_INSTR_CpAsync:
    return to_shared;
  case TILE_INSTR_Tma:
    return to_shared || from_shared;
  case TILE_INSTR_Mma:
  case TILE_INSTR_Wgmma:
    break;
  }
  return false;
}

static MlirLogicalResult copy_verify_instr(MlirOperation op, const char *name,
                                           MlirAttribute attribute,
                                           const TileShape *src,
                                           const TileShape *dst) {
  if (mlirAttributeIsNull(attribute))
    return tile_success();
  TileInstr instr = TileInstr_from_attr(attribute);
  if (instr == TILE_INSTR_Mma || instr == TILE_INSTR_Wgmma) // (C4)
    return tile_emit_error(op,
                           "expects '%s' to be simt, cp_async or tma, "
                           "got %s",
                           name, tile_verify_attr_text(attribute).chars);
  if (!copy_instr_fits(instr, src->space, dst->space)) // (C9)
    return tile_emit_error(
        op, "expects '%s' to be %s, got %s, which %s, for a copy from %s to %s",
        name,
        copy_instr_fits(TILE_INSTR_Tma, src->space, dst->space) ? "simt or tma"
                                                                : "simt",
        tile_verify_attr_text(attribute).chars,
        instr == TILE_INSTR_Tma ? "copies between global and shared memory only"
                                : "copies from global to shared memory only",
        tile_space_name(src->space), tile_space_name(dst->space));
  return tile_success();
}

static MlirLogicalResult copy_verify_channel(TileCopyOp copy) {
  TileChannelOp channel = tile_channel_of(tile_copy_signal(copy));
  if (tile_failed(tile_verify_channel_slot(copy.op, tile_copy_signal(copy),
                                           tile_copy_slot(copy)))) // (C7)
    return tile_failure();
  if (mlirOperationIsNull(channel.op))
    return tile_success();
  TileBuffer dst = tile_buffer_of(tile_copy_dst(copy));
  TileRange rings = tile_channel_rings(channel);
  for (intptr_t i = 0; i < rings.n; i++)
    if (mlirValueEqual(tile_range_at(rings, i), dst.root) && dst.region.ptr)
      return tile_success();
  return tile_emit_error_with_note( // (C10)
      copy.op, mlirOperationGetLocation(channel.op), "the channel is here",
      "expects 'dst' to be a slot of a ring of the channel that it signals");
}

static MlirLogicalResult copy_verify_signal(TileCopyOp copy) {
  bool is_tma = !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
                tile_copy_instr(copy) == TILE_INSTR_Tma;
  MlirValue signal = tile_copy_signal(copy), slot = tile_copy_slot(copy);
  bool is_channel = !mlirValueIsNull(signal) &&
                    tile_channel_type_is(mlirValueGetType(signal));
  if (!is_tma && !mlirValueIsNull(signal) && !is_channel) // (C6)
    return tile_emit_error(copy.op, "expects 'signal' of a barrier only with "
                                    "instr = #tile.instr<tma>");
  if (!is_tma && !mlirValueIsNull(tile_copy_map(copy)))
    return tile_emit_error(copy.op,
                           "expects 'map' only with instr = #tile.instr<tma>");
  if (mlirValueIsNull(signal) != mlirValueIsNull(slot)) // (C7)
    return tile_emit_error(copy.op,
                           "expects 'signal' and 'slot' together, got only "
                           "'%s'",
                           mlirValueIsNull(slot) ? "signal" : "slot");
  if (mlirValueIsNull(signal))
    return tile_success();
  return is_channel ? copy_verify_channel(copy)
                    : tile_verify_slot(copy.op, signal, slot);
}

// (C14)
static MlirLogicalResult copy_verify_multicast(TileCopyOp copy,
                                               const TileShape *dst) {
  MlirValue mask = tile_copy_multicast(copy), signal = tile_copy_signal(copy);
  int64_t ranks;
  if (mlirValueIsNull(mask))
    return tile_success();
  bool is_load = !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
                 tile_copy_instr(copy) == TILE_INSTR_Tma &&
                 dst->space == TILE_SPACE_SHARED;
  if (!is_load || mlirValueIsNull(signal) ||
      !tile_barrier_type_is(mlirValueGetType(signal)))
    return tile_emit_error(copy.op,
                           "expects 'multicast' only with instr = "
                           "#tile.instr<tma> into shared memory, and 'signal' "
                           "of a barrier");
  if (mlirxConstantInt(mask, &ranks) &&
      (ranks < 1 || ranks >= INT64_C(1) << TILE_MAX_CLUSTER_BLOCKS))
    return tile_emit_error(copy.op,
                           "expects a mask of blocks from 0 to %d, got the "
                           "constant %" PRId64,
                           TILE_MAX_CLUSTER_BLOCKS - 1, ranks);
  return tile_success();
}

static bool copy_may_be_async(TileCopyOp copy, const TileShape *dst) {
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return false;
  TileInstr instr = tile_copy_instr(copy);
  return instr == TILE_INSTR_CpAsync ||
         (instr == TILE_INSTR_Tma && dst->space == TILE_SPACE_GLOBAL);
}

// Whether two operands are windows of one tile that share some elements, but
// not all, at constant offsets: a copy from one to the other would read what it
// writes. Windows whose offsets are not constant are believed.
static bool windows_overlap(MlirValue src, MlirValue dst) {
  TileBox from, to;
  TileShape shape;
  return tile_shape_of(src, &shape) && shape.space != TILE_SPACE_GLOBAL &&
         tile_box_of(src, &from) && tile_box_of(dst, &to) &&
         mlirValueEqual(from.base, to.base) &&
         tile_boxes_overlap_as_named(&from, &to) == TILE_OVERLAP_SOME;
}

MlirLogicalResult tile_copy_verify(MlirOperation op) {
  TileCopyOp copy = tile_copy_cast(op);
  TileShape src, dst;
  if (tile_failed(tile_verify_op(op)) || // (C8)
      tile_failed(tile_verify_tile(op, tile_copy_src(copy), "src", 1,
                                   TILE_MAX_RANK, &src)) ||
      tile_failed(tile_verify_tile(op, tile_copy_dst(copy), "dst", 1,
                                   TILE_MAX_RANK, &dst)))
    return tile_failure();
  if (tile_failed(copy_verify_types(op, &src, &dst)))
    return tile_failure();
  if (windows_overlap(tile_copy_src(copy),
                      tile_copy_dst(copy))) // (C12)
    return tile_emit_error(op, "copies between windows of one tile that "
                               "overlap: what is read may be overwritten "
                               "before");
  if (tile_failed(copy_verify_instr(op, "instr", tile_copy_instr_attr(copy),
                                    &src, &dst)) ||
      tile_failed(copy_verify_instr(op, "prefer", tile_copy_prefer_attr(copy),
                                    &src, &dst)))
    return tile_failure();
  int64_t width = tile_copy_vector_width(copy);
  if (!mlirAttributeIsNull(tile_copy_vector_width_attr(copy)) &&
      (width > 16 || !tile_verify_is_power_of_two(width))) // (C5)
    return tile_emit_error(op,
                           "expects 'vector_width' to be a power of two from 1 "
                           "to 16, got %" PRId64,
                           width);
  if (!mlirAttributeIsNull(tile_copy_eviction_attr(copy)) &&
      src.space != TILE_SPACE_GLOBAL && dst.space != TILE_SPACE_GLOBAL) // (C13)
    return tile_emit_error(op,
                           "expects 'eviction' only where 'src' or 'dst' is in "
                           "global memory: others do not pass L2");
  if (tile_copy_async(copy) && !copy_may_be_async(copy, &dst)) // (C11)
    return tile_emit_error(op, "expects 'async' only with instr = "
                               "#tile.instr<cp_async>, and with "
                               "#tile.instr<tma> out of shared memory");
  if (tile_failed(copy_verify_multicast(copy, &dst)))
    return tile_failure();
  return copy_verify_signal(copy);
}

//===-- Waits for copies --------------------------------------------------===//

static MlirLogicalResult verify_pending(MlirOperation op, int64_t pending) {
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (pending < 0 || pending > INT32_MAX) // (C1)
    return tile_emit_error(
        op, "expects 'pending' from 0 to 2^31 - 1, got %" PRId64, pending);
  return tile_success();
}

MlirLogicalResult tile_cp_async_wait_verify(MlirOperation op) {
  return verify_pending(
      op, tile_cp_async_wait_pending(tile_cp_async_wait_cast(op)));
}

MlirLogicalResult tile_tma_wait_verify(MlirOperation op) {
  return verify_pending(op, tile_tma_wait_pending(tile_tma_wait_cast(op)));
}

//===-- tile.fill ---------------------------------------------------------===//

MlirLogicalResult tile_fill_verify(MlirOperation op) {
  TileFillOp fill = tile_fill_cast(op);
  TileShape dst;
  if (tile_failed(tile_verify_op(op)) || // (C2)
      tile_failed(tile_verify_tile(op, tile_fill_dst(fill), "dst", 0,
                                   TILE_MAX_RANK, &dst)))
    return tile_failure();
  MlirType value = mlirValueGetType(tile_fill_value(fill));
  if (!mlirTypeEqual(value, dst.element)) // (C1)
    return tile_emit_error(op,
                           "expects 'value' of the element type %s of 'dst', "
                           "got %s",
                           tile_verify_type_text(dst.element).chars,
                           tile_verify_type_text(value).chars);
  return tile_success();
}
