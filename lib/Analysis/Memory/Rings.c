//===- Rings.c - Shared tiles with a stage dimension ----------------------===//
//
// The slots of a ring are tiles of their own that share one layout: a ring is
// laid out as one slot, expanded by the stage dimension.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "Dialect/TileLayouts.h"

// Whether `tile` is a window that drops the first `lead` dimensions of its
// ring, and may drop others.
static bool is_in_slot(MlirValue tile, int lead) {
  TileBox box;
  if (!tile_box_of(tile, &box))
    return false;
  for (int d = 0; d < lead; d++)
    if (box.dim[d] >= 0)
      return false;
  return true;
}

// Whether `layout` places what its first dimension counts alike; `out_slot` is
// how.
static bool is_expanded(TileLayout layout, TileLayout *out_slot) {
  TileLayout expanded;
  TileReason error;
  if (!tile_layout_drop_leading(&layout, out_slot, &error))
    return false;
  int64_t second[TILE_LAYOUT_MAX_AXES] = {1}, offset = 0;
  if (layout.in.extent[0] > 1)
    tile_layout_eval(&layout, second, &offset);
  if (!tile_layout_expand(out_slot, layout.in.extent[0], offset, 1, &expanded,
                          &error))
    return false;
  tile_layout_canonicalize(&expanded);
  tile_layout_canonicalize(&layout);
  return tile_layout_equal(&expanded, &layout);
}

// Whether a layout that the user gave places every slot alike.
static bool slots_are_alike(TileAllocOp alloc, int lead) {
  TileLayout layout;
  TileReason error;
  if (mlirAttributeIsNull(tile_alloc_layout_attr(alloc)))
    return true;
  if (!tile_layout_of_alloc(alloc, &layout, &error))
    return false;
  for (int d = 0; d < lead; d++)
    if (!is_expanded(layout, &layout))
      return false;
  return true;
}

// Whether tile ops see nothing of `ring`, also through views that keep its
// `lead` stage dimensions, but slots; sets `inout_has_slots` when they see any.
static bool only_slots(MlirValue ring, int lead, const TileShape *whole,
                       bool *inout_has_slots) {
  TileShape shape;
  if (!tile_shape_of(ring, &shape) || shape.rank <= lead)
    return false;
  for (int d = 0; d < lead; d++)
    if (shape.extent[d] != whole->extent[d])
      return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(ring);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileAccess accesses[TILE_MAX_ACCESSES];
    if (tile_region_is(user)) {
      if (!is_in_slot(mlirOperationGetResult(user, 0), lead))
        return false;
      *inout_has_slots = true;
    } else if (tile_view_is(user) || tile_remote_is(user)) {
      if (!only_slots(mlirOperationGetResult(user, 0), lead, whole,
                      inout_has_slots))
        return false;
    } else if (tile_accesses_get(user, accesses) > 0) {
      return false; // the ring as a whole
    }
  }
  return true;
}

int tile_num_stage_dims(TileAllocOp alloc) {
  MlirValue ring = tile_alloc_memref(alloc);
  TileShape shape;
  if (!tile_shape_of(ring, &shape) || shape.space != TILE_SPACE_SHARED)
    return 0;
  int lead = 0;
  bool has_slots = false;
  while (only_slots(ring, lead + 1, &shape, &has_slots) && has_slots &&
         slots_are_alike(alloc, lead + 1))
    lead++;
  return lead;
}

bool tile_given_layout(MlirValue tile, TileLayout *out_layout) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileAllocOp alloc = tile_buffer_alloc(buffer);
  TileReason error;
  if (!alloc.op.ptr || !tile_layout_of_tile(buffer.base, out_layout, &error))
    return false;
  for (int lead = tile_num_stage_dims(alloc); lead > 0; lead--)
    if (!tile_layout_drop_leading(out_layout, out_layout, &error))
      return false;
  return true;
}

MlirAttribute tile_ring_layout(TileAllocOp alloc, int64_t num_slots) {
  enum { TEXT_CAPACITY = 2048 };
  TileLayout layout, ring;
  TileReason error;
  TileShape shape;
  char text[TEXT_CAPACITY];
  if (mlirAttributeIsNull(tile_alloc_layout_attr(alloc)) ||
      !tile_shape_of(tile_alloc_memref(alloc), &shape) ||
      !tile_layout_of_alloc(alloc, &layout, &error))
    return (MlirAttribute){NULL};
  int bits = tile_elem_bits(shape.element);
  int64_t align_elems = tile_shared_align_bytes(&layout) * 8 / bits;
  if (!tile_layout_expand(&layout, num_slots, 0, align_elems, &ring, &error) ||
      tile_layout_print(&ring, bits, text, sizeof text) >= TEXT_CAPACITY)
    return (MlirAttribute){NULL};
  return tile_layout_attr(mlirOperationGetContext(alloc.op), tile_str(text));
}

int64_t tile_slot_offset_bytes(MlirValue tile, int64_t align_bytes) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileAllocOp alloc = tile_buffer_alloc(buffer);
  TileShape shape;
  TileLayout layout;
  TileReason error;
  if (!alloc.op.ptr || !tile_shape_of(buffer.base, &shape) ||
      !tile_layout_of_tile(buffer.base, &layout, &error))
    return 0;
  for (int d = tile_num_stage_dims(alloc) - 1; d >= 0; d--) {
    int64_t second[TILE_LAYOUT_MAX_AXES] = {0}, offset = 0;
    second[d] = shape.extent[d] > 1;
    tile_layout_eval(&layout, second, &offset);
    int64_t offset_bytes = offset * tile_elem_bits(shape.element) / 8;
    if (offset_bytes % align_bytes)
      return offset_bytes;
  }
  return 0;
}

bool tile_is_whole_or_slot(MlirValue tile) {
  TileShape shape, whole;
  TileBuffer buffer = tile_buffer_of(tile);
  TileAllocOp alloc = tile_buffer_alloc(buffer);
  if (!tile_shape_of(tile, &shape) || !tile_shape_of(buffer.base, &whole))
    return false;
  int lead = alloc.op.ptr ? tile_num_stage_dims(alloc) : 0;
  if (shape.rank != whole.rank - lead)
    return false;
  for (int d = 0; d < shape.rank; d++)
    if (shape.extent[d] != whole.extent[lead + d])
      return false;
  return true;
}
