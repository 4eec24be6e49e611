//===- TileVerifyLaunch.c - Constraints of barriers of launches -----------===//
//
// Labels such as (C2) are those of TileLaunchOps.td.
//
//===----------------------------------------------------------------------===//

#include "TileVerify.h"

static bool is_counter(const TileShape *shape) {
  return shape->space == TILE_SPACE_GLOBAL &&
         tile_shape_num_elems(shape) == 1 &&
         mlirTypeIsAInteger(shape->element) &&
         mlirIntegerTypeGetWidth(shape->element) == 32;
}

MlirLogicalResult tile_grid_sync_verify(MlirOperation op) {
  TileShape shape;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(
          tile_verify_tile(op, tile_grid_sync_counter(tile_grid_sync_cast(op)),
                           "counter", 1, TILE_MAX_RANK, &shape)))
    return tile_failure();
  if (!is_counter(&shape))
    return tile_emit_error(op,
                           "expects 'counter' to be one i32 in global memory, "
                           "got %s in %s",
                           tile_verify_shape_text(&shape).chars,
                           tile_space_name(shape.space));
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
