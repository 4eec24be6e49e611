//===- TileVerifyBarrier.c - Constraints of barriers ----------------------===//
//
// Labels such as (C2) are those of TileOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

MlirLogicalResult tile_verify_slot(MlirOperation op, MlirValue barrier,
                                   MlirValue slot) {
  int64_t constant;
  int64_t num_slots = tile_barrier_type_slots(mlirValueGetType(barrier));
  if (mlirxConstantInt(slot, &constant) &&
      (constant < 0 || constant >= num_slots))
    return tile_emit_error(
        op, "expects a slot from 0 to %" PRId64 ", got the constant %" PRId64,
        num_slots - 1, constant);
  return tile_success();
}

// mbarrier counts of arrivals and of bytes have the same range.
static MlirLogicalResult verify_count(MlirOperation op, const char *name,
                                      int64_t count) {
  if (count < 1 || count > TILE_MAX_MBARRIER_COUNT)
    return tile_emit_error(op, "expects '%s' from 1 to %d, got %" PRId64, name,
                           TILE_MAX_MBARRIER_COUNT, count);
  return tile_success();
}

MlirLogicalResult tile_barrier_alloc_verify(MlirOperation op) {
  TileBarrierAllocOp alloc = tile_barrier_alloc_cast(op);
  MlirType type = mlirValueGetType(tile_barrier_alloc_barrier(alloc));
  int64_t num_slots = tile_barrier_type_slots(type);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (num_slots < 1) // (C1)
    return tile_emit_error(op, "expects at least one slot, got %" PRId64,
                           num_slots);
  int64_t offset_bytes = tile_barrier_alloc_offset(alloc);
  if (offset_bytes < 0 || offset_bytes % 8) // (C2)
    return tile_emit_error(op,
                           "expects 'offset' to be a multiple of 8 bytes and "
                           "at least 0, got %" PRId64,
                           offset_bytes);
  return tile_success();
}

MlirLogicalResult tile_barrier_init_verify(MlirOperation op) {
  TileBarrierInitOp init = tile_barrier_init_cast(op);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  return verify_count(op, "arrivals", tile_barrier_init_arrivals(init)); // (C1)
}

MlirLogicalResult tile_barrier_arrive_verify(MlirOperation op) {
  TileBarrierArriveOp arrive = tile_barrier_arrive_cast(op);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (!mlirValueIsNull(tile_barrier_arrive_rank(arrive)) &&
      !mlirAttributeIsNull(tile_barrier_arrive_by_attr(arrive)) &&
      tile_barrier_arrive_by(arrive) == TILE_ARRIVAL_CpAsync) // (C2)
    return tile_emit_error(op, "expects 'rank' without 'by' cp_async: copies "
                               "land in shared memory of this block");
  return tile_verify_slot(op, tile_barrier_arrive_barrier(arrive),
                          tile_barrier_arrive_slot(arrive)); // (C1)
}

MlirLogicalResult tile_barrier_expect_verify(MlirOperation op) {
  TileBarrierExpectOp expect = tile_barrier_expect_cast(op);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(tile_verify_slot(op, tile_barrier_expect_barrier(expect),
                                   tile_barrier_expect_slot(expect)))) // (C1)
    return tile_failure();
  return verify_count(op, "bytes", tile_barrier_expect_bytes(expect)); // (C2)
}

MlirLogicalResult tile_barrier_wait_verify(MlirOperation op) {
  TileBarrierWaitOp wait = tile_barrier_wait_cast(op);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(tile_verify_slot(op, tile_barrier_wait_barrier(wait),
                                   tile_barrier_wait_slot(wait)))) // (C1)
    return tile_failure();
  int64_t parity;
  if (mlirxConstantInt(tile_barrier_wait_parity(wait), &parity) &&
      (parity < 0 || parity > 1)) // (C2)
    return tile_emit_error(
        op, "expects a parity of 0 or 1, got the constant %" PRId64, parity);
  return tile_success();
}

MlirLogicalResult tile_barrier_sync_verify(MlirOperation op) {
  TileBarrierSyncOp sync = tile_barrier_sync_cast(op);
  bool has_id = !mlirAttributeIsNull(tile_barrier_sync_id_attr(sync));
  bool has_threads = !mlirAttributeIsNull(tile_barrier_sync_threads_attr(sync));
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (has_id != has_threads) // (C3)
    return tile_emit_error(op,
                           "expects 'id' and 'threads' together, got only '%s'",
                           has_id ? "id" : "threads");
  if (!has_id)
    return tile_success();
  int64_t id = tile_barrier_sync_id(sync);
  if (id < 0 || id > 15) // (C1)
    return tile_emit_error(op, "expects 'id' from 0 to 15, got %" PRId64, id);
  int64_t num_threads = tile_barrier_sync_threads(sync);
  if (num_threads < 1 || num_threads > TILE_MAX_BLOCK_THREADS ||
      num_threads % TILE_WARP_THREADS) // (C2)
    return tile_emit_error(op,
                           "expects 'threads' to be a positive multiple of %d, "
                           "at most %d, got %" PRId64,
                           TILE_WARP_THREADS, TILE_MAX_BLOCK_THREADS,
                           num_threads);
  return tile_success();
}
