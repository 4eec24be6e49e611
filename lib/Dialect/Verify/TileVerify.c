//===- TileVerify.c - Constraints of copies, fills and products -----------===//
//
// Labels such as (C2) are those of TileOps.td. Every error is reported at the
// op that breaks the constraint, with what was expected and what was found.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"
#include "TileVerifyOverlap.h"

//===-- Shared ------------------------------------------------------------===//

typedef struct {
  TileVerifyText *text;
  size_t length;
} TextSink;

static void append(MlirStringRef piece, void *user_data) {
  TextSink *sink = user_data;
  for (size_t i = 0; i < piece.length; i++)
    if (sink->length + 1 < sizeof sink->text->chars)
      sink->text->chars[sink->length++] = piece.data[i];
}

TileVerifyText tile_verify_type_text(MlirType type) {
  TileVerifyText text = {{0}};
  mlirTypePrint(type, append, &(TextSink){&text, 0});
  return text;
}

TileVerifyText tile_verify_attr_text(MlirAttribute attribute) {
  TileVerifyText text = {{0}};
  mlirAttributePrint(attribute, append, &(TextSink){&text, 0});
  return text;
}

TileVerifyText tile_verify_shape_text(const TileShape *shape) {
  TileVerifyText text = {{0}};
  tile_shape_print(shape, text.chars, sizeof text.chars);
  return text;
}

bool tile_verify_is_power_of_two(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

bool tile_verify_is_element(MlirType element) {
  const TileDtypeInfo *info = tile_elem_info(element);
  return info && info->is_of_tiles;
}

// Attributes of others have the name of their dialect in front.
static MlirLogicalResult verify_attributes(MlirOperation op) {
  intptr_t count = mlirOperationGetNumDiscardableAttributes(op);
  for (intptr_t i = 0; i < count; i++) {
    MlirStringRef name =
        mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (!memchr(name.data, '.', name.length))
      return tile_emit_error(op, "has no attribute '%.*s'", (int)name.length,
                             name.data);
  }
  return tile_success();
}

MlirLogicalResult tile_verify_op(MlirOperation op) {
  if (tile_failed(verify_attributes(op)))
    return tile_failure();
  int depth = 0;
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(parent) && depth <= TILE_MAX_NESTING) {
    depth++;
    parent = mlirOperationGetParentOperation(parent);
  }
  if (depth <= TILE_MAX_NESTING)
    return tile_success();
  return tile_emit_error(op, "expects to be nested in at most %d ops",
                         TILE_MAX_NESTING);
}

bool tile_verify_is_inside(int64_t offset, int64_t size, int64_t extent) {
  if (mlirShapedTypeIsDynamicStrideOrOffset(offset))
    offset = 0;
  if (offset < 0)
    return false;
  return mlirShapedTypeIsDynamicSize(extent) || offset <= extent - size;
}

//===-- Tiles -------------------------------------------------------------===//

MlirLogicalResult tile_verify_tile(MlirOperation op, MlirValue tile,
                                   const char *name, int min_rank, int max_rank,
                                   TileShape *out_shape) {
  MlirType type = mlirValueGetType(tile);
  if (!tile_shape_get(type, out_shape) || out_shape->rank < min_rank ||
      out_shape->rank > max_rank || !tile_shape_is_static(out_shape)) {
    if (min_rank == max_rank)
      return tile_emit_error(op,
                             "expects '%s' to be static and of rank %d, "
                             "got %s",
                             name, min_rank, tile_verify_type_text(type).chars);
    return tile_emit_error(
        op, "expects '%s' to be static and of rank %d to %d, got %s", name,
        min_rank, max_rank, tile_verify_type_text(type).chars);
  }
  if (out_shape->space == TILE_SPACE_OTHER)
    return tile_emit_error(op,
                           "expects '%s' in global, shared or private memory "
                           "or a fragment, got %s",
                           name, tile_verify_type_text(type).chars);
  if (!tile_verify_is_element(out_shape->element))
    return tile_emit_error(op, "expects elements of '%s' to be %s, got %s",
                           name, TILE_VERIFY_ELEMENTS,
                           tile_verify_type_text(out_shape->element).chars);
  // A region is a way to name a window, not a value: region (C7). What uses a
  // window of an im2col matrix is the business of its op: im2col (C3).
  if (tile_region_type_is(type) &&
      (!mlirValueIsAOpResult(tile) ||
       (!tile_region_is(mlirOpResultGetOwner(tile)) &&
        !tile_im2col_is(mlirOpResultGetOwner(tile)))))
    return tile_emit_error(
        op, "expects '%s' to be a memref or the result of tile.region", name);
  return tile_success();
}

//===-- tile.copy ---------------------------------------------------------===//

static MlirLogicalResult copy_verify_types(MlirOperation op,
                                           const TileShape *src,
                                           const TileShape *dst) {
  if (!tile_shape_equal_extents(src, dst)) // (C1)
    return tile_emit_error(op,
                           "expects 'src' and 'dst' of the same shape, got %s "
                           "and %s",
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

static bool copy_may_be_async(TileCopyOp copy, const TileShape *dst) {
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return false;
  TileInstr instr = tile_copy_instr(copy);
  return instr == TILE_INSTR_CpAsync ||
         (instr == TILE_INSTR_Tma && dst->space == TILE_SPACE_GLOBAL);
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
  if (tile_verify_windows_overlap(tile_copy_src(copy),
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
