//===- TileVerifyChannels.c - Constraints of channels and positions -------===//
//
// Labels such as (C2) are those of TileChannelOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

enum { MAX_DEPTH = 64, MAX_WARPS = TILE_MAX_BLOCK_THREADS / TILE_WARP_THREADS };

//===-- tile.channel ------------------------------------------------------===//

static MlirLogicalResult verify_depth(MlirOperation op, int64_t depth) {
  if (depth < 1 || depth > MAX_DEPTH)
    return tile_emit_error(op, "expects 'depth' from 1 to %d, got %" PRId64,
                           MAX_DEPTH, depth);
  return tile_success();
}

static MlirLogicalResult verify_ring(MlirOperation op, MlirValue ring,
                                     int64_t depth) {
  TileShape shape;
  if (tile_shape_of(ring, &shape) && shape.rank >= 2 &&
      shape.space == TILE_SPACE_SHARED && shape.extent[0] == depth)
    return tile_success();
  return tile_emit_error(
      op,
      "expects rings in shared memory, of rank 2 to %d, whose first extent "
      "is the depth %" PRId64 ", got %s",
      TILE_MAX_RANK, depth,
      tile_verify_type_text(mlirValueGetType(ring)).chars);
}

static MlirLogicalResult verify_different(TileChannelOp channel, intptr_t i) {
  TileRange rings = tile_channel_rings(channel);
  for (intptr_t j = 0; j < i; j++)
    if (mlirValueEqual(tile_range_at(rings, j), tile_range_at(rings, i)))
      return tile_emit_error(channel.op,
                             "expects different rings, got one as number %td "
                             "and %td",
                             j, i);
  return tile_success();
}

static MlirLogicalResult verify_agents(MlirOperation op, const char *name,
                                       int64_t count, int64_t multiple,
                                       int64_t limit) {
  if (count >= 0 && count <= limit && count % multiple == 0)
    return tile_success();
  if (multiple > 1)
    return tile_emit_error(op,
                           "expects '%s' to be a multiple of %" PRId64
                           " from 0 to %" PRId64 ", got %" PRId64,
                           name, multiple, limit, count);
  return tile_emit_error(op, "expects '%s' from 0 to %" PRId64 ", got %" PRId64,
                         name, limit, count);
}

MlirLogicalResult tile_channel_verify(MlirOperation op) {
  TileChannelOp channel = tile_channel_cast(op);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_depth(op, tile_channel_depth(channel)))) // (C1)
    return tile_failure();
  TileRange rings = tile_channel_rings(channel);
  if (rings.n == 0)
    return tile_emit_error(op, "expects at least one ring");
  for (intptr_t i = 0; i < rings.n; i++) // (C2)
    if (tile_failed(verify_ring(op, tile_range_at(rings, i),
                                tile_channel_depth(channel))) ||
        tile_failed(verify_different(channel, i)))
      return tile_failure();
  if (tile_failed(verify_agents(op, "cp_async_threads",
                                tile_channel_cp_async_threads(channel),
                                TILE_WARP_THREADS,
                                TILE_MAX_BLOCK_THREADS)) || // (C3)
      tile_failed(verify_agents(op, "simt_threads",
                                tile_channel_simt_threads(channel),
                                TILE_WARP_THREADS, TILE_MAX_BLOCK_THREADS)))
    return tile_failure();
  return verify_agents(op, "consumer_warps",
                       tile_channel_consumer_warps(channel), 1,
                       MAX_WARPS); // (C4)
}

//===-- tile.channel_barriers ---------------------------------------------===//

MlirLogicalResult tile_channel_barriers_verify(MlirOperation op) {
  TileChannelBarriersOp channel = tile_channel_barriers_cast(op);
  int64_t full = tile_barrier_type_slots(
      mlirValueGetType(tile_channel_barriers_full(channel)));
  int64_t empty = tile_barrier_type_slots(
      mlirValueGetType(tile_channel_barriers_empty(channel)));
  TileRange rings = tile_channel_barriers_rings(channel);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (full != empty || rings.n == 0) // (C1)
    return tile_emit_error(op,
                           "expects barriers of the same number of slots and "
                           "at least one ring, got %" PRId64 ", %" PRId64
                           " and %td",
                           full, empty, rings.n);
  for (intptr_t i = 0; i < rings.n; i++)
    if (tile_failed(verify_ring(op, tile_range_at(rings, i), full)))
      return tile_failure();
  return tile_success();
}

//===-- Positions ---------------------------------------------------------===//

static MlirLogicalResult verify_position(MlirOperation op, MlirValue slot,
                                         MlirValue parity, int64_t depth) {
  int64_t constant;
  if (depth > 0 && mlirxConstantInt(slot, &constant) &&
      (constant < 0 || constant >= depth))
    return tile_emit_error(
        op, "expects a slot from 0 to %" PRId64 ", got the constant %" PRId64,
        depth - 1, constant);
  if (mlirxConstantInt(parity, &constant) && (constant < 0 || constant > 1))
    return tile_emit_error(
        op, "expects a parity of 0 or 1, got the constant %" PRId64, constant);
  return tile_success();
}

MlirLogicalResult tile_verify_channel_slot(MlirOperation op, MlirValue channel,
                                           MlirValue slot) {
  TileChannelOp source = tile_channel_of(channel);
  int64_t constant;
  if (mlirOperationIsNull(source.op) || !mlirxConstantInt(slot, &constant) ||
      (constant >= 0 && constant < tile_channel_depth(source)))
    return tile_success();
  return tile_emit_error(
      op, "expects a slot from 0 to %" PRId64 ", got the constant %" PRId64,
      tile_channel_depth(source) - 1, constant);
}

// The four verbs have the same operands in the same order.
static MlirLogicalResult verify_verb(MlirOperation op) {
  enum { CHANNEL, SLOT, PARITY };
  TileChannelOp channel = tile_channel_of(mlirOperationGetOperand(op, CHANNEL));
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (mlirOperationIsNull(tile_role_of(op).op)) // (C1)
    return tile_emit_error(op, "expects to be inside a tile.role");
  int64_t depth =
      mlirOperationIsNull(channel.op) ? 0 : tile_channel_depth(channel);
  return verify_position(op, mlirOperationGetOperand(op, SLOT),
                         mlirOperationGetOperand(op, PARITY), depth); // (C2)
}

MlirLogicalResult tile_acquire_verify(MlirOperation op) {
  return verify_verb(op);
}
MlirLogicalResult tile_commit_verify(MlirOperation op) {
  return verify_verb(op);
}
MlirLogicalResult tile_wait_verify(MlirOperation op) { return verify_verb(op); }
MlirLogicalResult tile_release_verify(MlirOperation op) {
  return verify_verb(op);
}

MlirLogicalResult tile_advance_verify(MlirOperation op) {
  TileAdvanceOp advance = tile_advance_cast(op);
  int64_t depth = tile_advance_depth(advance);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_depth(op, depth))) // (C1)
    return tile_failure();
  return verify_position(op, tile_advance_slot(advance),
                         tile_advance_parity(advance), depth); // (C2)
}
