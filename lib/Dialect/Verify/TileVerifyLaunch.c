//===- TileVerifyLaunch.c - Constraints of barriers of launches -----------===//
//
// Labels such as (C2) are those of TileLaunchOps.td and TileClusterOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

static bool is_counter(const TileShape *shape) {
  return shape->space == TILE_SPACE_GLOBAL &&
         tile_shape_num_elems(shape) == 1 &&
         mlirTypeIsAInteger(shape->element) &&
         mlirIntegerTypeGetWidth(shape->element) == 32;
}

MlirLogicalResult tile_verify_counter(MlirOperation op, MlirValue counter) {
  TileShape shape;
  if (tile_failed(
          tile_verify_tile(op, counter, "counter", 1, TILE_MAX_RANK, &shape)))
    return tile_failure();
  if (is_counter(&shape))
    return tile_success();
  return tile_emit_error(op,
                         "expects 'counter' to be one i32 in global memory, "
                         "got %s in %s",
                         tile_verify_shape_text(&shape).chars,
                         tile_space_name(shape.space));
}

MlirLogicalResult tile_grid_sync_verify(MlirOperation op) {
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(tile_verify_counter(
          op, tile_grid_sync_counter(tile_grid_sync_cast(op)))))
    return tile_failure();
  return tile_verify_outside_loop(op, "a barrier of the launch"); // (C2)
}

static MlirLogicalResult verify_of_launch(MlirOperation op) {
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  return tile_verify_outside_loop(op, "an op of the launch"); // (C1)
}

MlirLogicalResult tile_launch_wait_verify(MlirOperation op) {
  return verify_of_launch(op);
}

MlirLogicalResult tile_launch_next_verify(MlirOperation op) {
  return verify_of_launch(op);
}

//===-- Clusters ----------------------------------------------------------===//

MlirLogicalResult tile_cluster_sync_verify(MlirOperation op) {
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  return tile_verify_outside_loop(op, "a barrier of the cluster"); // (C1)
}

static bool is_shared_tile(MlirValue tile) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || shape.space != TILE_SPACE_SHARED ||
      !mlirValueIsAOpResult(tile))
    return false;
  MlirOperation owner = mlirOpResultGetOwner(tile);
  return tile_alloc_is(owner) || tile_view_is(owner);
}

MlirLogicalResult tile_remote_verify(MlirOperation op) {
  TileRemoteOp remote = tile_remote_cast(op);
  MlirValue tile = tile_remote_tile(remote);
  int64_t rank;
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (!is_shared_tile(tile)) // (C1)
    return tile_emit_error(op,
                           "expects 'tile' to be a shared tile, the result of "
                           "tile.alloc or tile.view, got %s",
                           tile_verify_type_text(mlirValueGetType(tile)).chars);
  if (mlirxConstantInt(tile_remote_rank(remote), &rank) &&
      (rank < 0 || rank >= TILE_MAX_CLUSTER_BLOCKS)) // (C2)
    return tile_emit_error(op, "expects 'rank' from 0 to %d, got %" PRId64,
                           TILE_MAX_CLUSTER_BLOCKS - 1, rank);
  return tile_verify_outside_loop(op, "a tile of another block"); // (C3)
}
