//===- WsRotate.c - Consumer loops that stay pipelined --------------------===//
//
// A loop that the producer serves has no copies to run ahead any more, so it is
// no longer pipelined, unless it holds dependent products: then it keeps
// `tile.num_stages` = 2, and tile-pipeline-planning rotates it
// (Analysis/LoopRotation.c).
//
//===----------------------------------------------------------------------===//

#include "WsEmit.h"

#include "Tile/LoopRotation.h"
#include "Tile/Support/Diagnostics.h"
#include "Tile/Support/Iterate.h"

static const char num_stages_name[] = "tile.num_stages";

static MlirWalkResult find_wait(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_wait_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Loops with verbs are those that the producer serves.
static bool is_served(MlirOperation loop) {
  int32_t num_stages;
  bool found = false;
  if (tile_loop_attr_get(loop, num_stages_name, &num_stages))
    mlirOperationWalk(loop, find_wait, &found, MlirWalkPreOrder);
  return found;
}

static bool is_wished(const TileRolePlan *plan) {
  TileKernelConfigOp config = tile_kernel_config_of(plan->kernel);
  return !config.op.ptr ||
         mlirAttributeIsNull(tile_kernel_config_rotate_attr(config)) ||
         tile_kernel_config_rotate(config);
}

// Factors and sums of two iterations are alive at a time: all fragments of the
// loop, and what is needed for addresses and masks.
static bool fits_registers(const TileRolePlan *plan, const TileLoopBody *body) {
  enum { SCALARS = 40 };
  int64_t threads = 32 * plan->num_warps[TILE_ROLE_CONSUMER];
  int64_t num_bits = 0;
  for (int i = 0; i < body->num_buffers; i++) {
    TileShape shape;
    if (body->buffers[i].space == TILE_SPACE_FRAGMENT &&
        tile_shape_of(body->buffers[i].root, &shape))
      num_bits += tile_shape_num_elems(&shape) * tile_elem_bits(shape.element);
  }
  return num_bits / 32 / threads + SCALARS <=
         tile_role_consumer_registers(plan);
}

static bool decide(const TileRolePlan *plan, MlirOperation op,
                   TileRotation *out) {
  TilePlannedLoop loop;
  TileLoopForm form;
  *out = (TileRotation){NULL, {NULL}};
  if (!tile_loop_form_get(op, &form) || !is_wished(plan))
    return false;
  tile_planned_loop_build(plan->arena, &form, TILE_ROTATION_STAGES, &loop);
  if (!tile_rotation_plan(plan->arena, &loop, out))
    return false;
  if (fits_registers(plan, &loop.body))
    return true;
  *out = (TileRotation){"tile-rotation/registers", op};
  return false;
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  const TileRolePlan *plan = user_data;
  TileRotation reason;
  if (!is_served(op))
    return MlirWalkResultAdvance;
  if (decide(plan, op, &reason)) {
    MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
    mlirOperationSetDiscardableAttributeByName(
        op, tile_str(num_stages_name),
        mlirIntegerAttrGet(i32, TILE_ROTATION_STAGES));
    return MlirWalkResultAdvance;
  }
  mlirOperationRemoveDiscardableAttributeByName(op, tile_str(num_stages_name));
  if (reason.code && !tile_is_in_fallback_variant(plan->kernel))
    tile_rotation_remark(op, &reason);
  return MlirWalkResultAdvance;
}

void ws_rotate(const TileRolePlan *plan, MlirOperation role) {
  mlirOperationWalk(role, visit, (void *)plan, MlirWalkPreOrder);
}
