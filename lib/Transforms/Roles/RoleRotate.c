//===- RoleRotate.c - Consumer loops that stay pipelined ------------------===//
//
// A loop that the producer serves has no copies to run ahead any more, so it is
// no longer pipelined, unless it holds dependent products: then it keeps
// `tile.num_stages` = 2, and tile-pipeline-planning rotates it
// (Analysis/Loops/LoopRotation.c). A loop whose threads load something by way
// of registers (scales of a fragment, a tile that stays with the consumers)
// keeps `tile.num_stages` = 1.
//
// Warpgroups of such loops take turns to multiply. Of warpgroups in step the
// products all wait first, then all scalar work; one step apart, the products
// of one run during the scalar work of the others. That pays as soon as the
// scalar work takes longer than the late product, as softmax does. Between
// begin and end of a turn no barrier of the role may stand, so all factors are
// fragments or rings of channels. Where tiles themselves are taken in turn
// (RolePingpong.c), nothing is left to do here.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Analysis/Loops/Loops.h"
#include "Dialect/Products.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"

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

//===-- Turns -------------------------------------------------------------===//

typedef struct {
  const TileRolePlan *plan;
  int num_rotated;
  MlirOperation shares; // a product with a factor that threads write, or null
  int64_t least_rows;   // of factors in registers; 0: there are none
} Walk;

static bool is_ring(MlirValue tile) {
  MlirValue root = tile_buffer_of(tile).root;
  for (MlirOpOperand use = mlirValueGetFirstUse(root);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_channel_is(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static void note_factors(Walk *walk, const TileLoopBody *body) {
  for (int i = 0; i < body->num_statements; i++) {
    TileProduct product;
    TileShape a;
    if (!tile_product_of(body->statements[i].op, &product))
      continue;
    bool is_private =
        tile_shape_of(product.a, &a) && a.space == TILE_SPACE_FRAGMENT;
    if ((!is_private && !is_ring(product.a)) || !is_ring(product.b) ||
        (product.is_sparse && !is_ring(product.e)))
      walk->shares = product.op;
    if (is_private && (!walk->least_rows || a.extent[0] < walk->least_rows))
      walk->least_rows = a.extent[0];
  }
}

// Warpgroups that take turns: a barrier hands over from each to the next.
static void take_turns(const Walk *walk, TileRoleOp role) {
  enum { LEAST_WARPS = 8, MOST_WARPS = 32, GROUP_WARPS = 4, GROUP_ROWS = 64 };
  TileKernelConfigOp config = tile_kernel_config_of(walk->plan->kernel);
  int64_t warps = walk->plan->num_warps[TILE_ROLE_CONSUMER];
  bool is_said =
      config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_partition_attr(config));
  bool is_asked = is_said && tile_kernel_config_partition(config) ==
                                 TILE_PARTITION_Pingpong;
  const char *reason = NULL;
  if (is_said && !is_asked)
    return;
  if (walk->num_rotated == 0) // then each would compute whole tiles
    reason = walk->plan->pingpong_reason;
  else if (warps % GROUP_WARPS || warps < LEAST_WARPS || warps > MOST_WARPS)
    reason = "it takes from 2 to 8 warpgroups";
  else if (walk->shares.ptr)
    reason = "threads of all of them fill a factor in shared memory together";
  else if (walk->least_rows &&
           walk->least_rows < warps / GROUP_WARPS * GROUP_ROWS)
    reason = "there are not 64 rows for each of them, so that one computes "
             "parts of the factors of another";
  if (!reason)
    tile_role_set_pingpong(role, true);
  else if (is_asked && !tile_is_in_fallback_variant(walk->plan->kernel))
    tile_emit_remark(config.op, "tile-rotation/turns",
                     "the computing warpgroups do not take turns: %s", reason);
}

//===-- Loops -------------------------------------------------------------===//

static bool decide(Walk *walk, MlirOperation op, TileRotation *out) {
  const TileRolePlan *plan = walk->plan;
  TilePlannedLoop loop;
  TileLoopForm form;
  *out = (TileRotation){.code = NULL};
  if (!tile_loop_form_get(op, &form) || !tile_rotation_is_wished(plan->kernel))
    return false;
  tile_planned_loop_build(plan->arena, &form, TILE_ROTATION_STAGES, &loop);
  if (!tile_rotation_plan(plan->arena, &loop, out))
    return false;
  int64_t threads = 32 * plan->num_warps[TILE_ROLE_CONSUMER];
  if (!tile_rotation_fits(&loop.body, threads, plan->consumer_registers, out))
    return false;
  note_factors(walk, &loop.body);
  walk->num_rotated++;
  return true;
}

// A copy of the consumers that would take another slot.
static bool is_asynchronous(MlirOperation op) {
  return tile_copy_is(op) &&
         !mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))) &&
         tile_copy_instr(tile_copy_cast(op)) != TILE_INSTR_Simt;
}

static MlirWalkResult find_fragment_load(MlirOperation op, void *user_data) {
  bool *found = user_data;
  TileShape src, dst;
  *found |= tile_copy_is(op) &&
            tile_shape_of(tile_copy_src(tile_copy_cast(op)), &src) &&
            tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
            src.space == TILE_SPACE_GLOBAL && dst.space == TILE_SPACE_FRAGMENT;
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// A load ahead of its iteration runs under the decision of that iteration. An
// scf.while would carry it from there, and the producer, which decides on the
// same numbers in each iteration, would not be seen to decide alike.
static bool loads_by_registers(const Walk *walk, MlirOperation op) {
  TileLoopBody body;
  TileLoopForm form;
  bool found = false;
  if (!tile_loop_form_get(op, &form))
    return false;
  mlirOperationWalk(op, find_fragment_load, &found, MlirWalkPreOrder);
  tile_loop_body_build(walk->plan->arena, &form, &body);
  for (int i = 0; i < body.num_statements; i++) {
    found |= tile_loop_body_loads_plainly(&body, i);
    if (is_asynchronous(body.statements[i].op))
      return false;
  }
  if (found && form.condition.ptr && !tile_is_in_fallback_variant(op))
    tile_emit_remark(op, "tile-pipeline/plain",
                     "its threads load in every iteration and wait for memory: "
                     "ahead, the loop would carry its decisions, and roles "
                     "have to be seen to decide alike");
  return found && !form.condition.ptr;
}

static void set_stages(MlirOperation op, int32_t num_stages) {
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  mlirOperationSetDiscardableAttributeByName(
      op, tile_str(num_stages_name), mlirIntegerAttrGet(i32, num_stages));
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  Walk *walk = user_data;
  TileRotation reason;
  if (!is_served(op))
    return MlirWalkResultAdvance;
  if (decide(walk, op, &reason)) {
    set_stages(op, TILE_ROTATION_STAGES);
    return MlirWalkResultAdvance;
  }
  if (loads_by_registers(walk, op))
    set_stages(op, 1); // registers have no slots
  else
    mlirOperationRemoveDiscardableAttributeByName(op,
                                                  tile_str(num_stages_name));
  if (reason.code && !tile_is_in_fallback_variant(walk->plan->kernel))
    tile_rotation_remark(op, &reason);
  return MlirWalkResultAdvance;
}

void role_rotate(const TileRolePlan *plan, MlirOperation role) {
  Walk walk = {.plan = plan};
  mlirOperationWalk(role, visit, &walk, MlirWalkPreOrder);
  if (plan->num_groups == 1)
    take_turns(&walk, tile_role_cast(role));
}
