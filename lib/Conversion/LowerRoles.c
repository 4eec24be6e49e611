//===- LowerRoles.c - Roles become branches on the warp -------------------===//
//
// Consumes: kernels with `tile.specialize`.
// Produces: a chain of `scf.if` on `tile.warp_id`, one arm per role, in the
//           order of the warps; `tile.warps` on every op that depends on who
//           executes it; setmaxnreg where the chip has it; named barriers for
//           the thread barriers and the turns of roles. Their ids are the
//           lowest ones that the kernel does not use itself.
// Fails:    more than 16 named barriers; a thread barrier of a role of several
//           warpgroups while one of them has its turn.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Memory/Memory.h"
#include "Conversion.h"
#include "Dialect/Ops.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Target/Target.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvvm.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

enum {
  MAX_ROLES = 32,
  NUM_NAMED_BARRIERS = 16, // PTX ISA, bar.sync; 0 is that of the block
  WARP_THREADS = 32,
  WARPGROUP_WARPS = 4
};

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  TileRoleOp op;
  TileWarps warps;
  int barrier_id; // of all its threads; 0: it has no thread barrier
  bool has_turns;
  bool is_of_one; // all that it does is done by its first thread
} Role;

typedef struct {
  MlirOperation kernel;
  TileSpecializeOp specialize;
  const TileTarget *target;
  Role roles[MAX_ROLES];
  int num_roles;
  bool id_is_used[NUM_NAMED_BARRIERS];
  int num_ids;          // that are wanted
  int turns_id;         // barrier of the first warpgroup that takes turns
  int num_turns;        // warpgroups that do; 0: none
  int launch_registers; // of a thread, when the kernel begins
} Plan;

//===-- Build: IR to plan; may fail ---------------------------------------===//

static MlirWalkResult note_ids(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (!tile_barrier_sync_is(op))
    return MlirWalkResultAdvance;
  MlirAttribute id = tile_barrier_sync_id_attr(tile_barrier_sync_cast(op));
  if (!mlirAttributeIsNull(id))
    plan->id_is_used[mlirIntegerAttrGetValueInt(id)] = true;
  return MlirWalkResultAdvance;
}

static bool is_plain_barrier(MlirOperation op) {
  return tile_barrier_sync_is(op) &&
         mlirAttributeIsNull(
             tile_barrier_sync_threads_attr(tile_barrier_sync_cast(op)));
}

// Whether the first thread of a role executes `op` alone, or nothing depends on
// who does.
static bool is_done_by_one(MlirOperation op) {
  if (tile_copy_is(op))
    return tile_copy_map(tile_copy_cast(op)).ptr != NULL;
  if (tile_barrier_wait_is(op))
    return tile_barrier_wait_leader(tile_barrier_wait_cast(op));
  if (tile_barrier_arrive_is(op))
    return tile_barrier_arrive_by(tile_barrier_arrive_cast(op)) ==
           TILE_ARRIVAL_Leader;
  return tile_barrier_expect_is(op) || scf_for_is(op) || scf_if_is(op) ||
         scf_while_is(op) || mlirxIsTerminator(op) || memref_load_is(op) ||
         mlirxIsMemoryEffectFree(op);
}

static MlirWalkResult survey_role(MlirOperation op, void *user_data) {
  Role *role = user_data;
  role->is_of_one &= tile_role_is(op) || is_done_by_one(op);
  if (is_plain_barrier(op) && role->warps.count > 1)
    role->barrier_id = -1; // wanted
  role->has_turns |= tile_turn_is(op);
  return MlirWalkResultAdvance;
}

typedef struct {
  const Role *role;
  MlirOperation turn; // that has begun, in program order; or null
  MlirLogicalResult result;
} TurnCheck;

static MlirWalkResult check_turn(MlirOperation op, void *user_data) {
  TurnCheck *check = user_data;
  if (tile_turn_is(op))
    check->turn = tile_turn_edge(tile_turn_cast(op)) == TILE_TURN_Begin
                      ? op
                      : (MlirOperation){NULL};
  if (!is_plain_barrier(op) || !check->turn.ptr)
    return MlirWalkResultAdvance;
  MlirLocation begin = mlirOperationGetLocation(check->turn);
  MlirOperation next = mlirOperationGetNextInBlock(op);
  // tile-insert-sync puts a barrier before the statement that needs it,
  // with the place of that one.
  if (next.ptr && mlirLocationEqual(mlirOperationGetLocation(op),
                                    mlirOperationGetLocation(next)))
    check->result = tile_emit_error_with_note(
        next, begin, "the turn begins here",
        "makes all %lld warps of the role meet during the turn of one of its "
        "warpgroups, because they share what it reads or writes: the others "
        "wait for the turn",
        (long long)check->role->warps.count);
  else
    check->result = tile_emit_error_with_note(
        op, begin, "the turn begins here",
        "waits for all %lld warps of the role during the turn of one of its "
        "warpgroups: the others wait for the turn",
        (long long)check->role->warps.count);
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult check_turns(const Role *role) {
  TurnCheck check = {role, {NULL}, tile_success()};
  if (role->has_turns && role->warps.count > WARPGROUP_WARPS)
    mlirOperationWalk(role->op.op, check_turn, &check, MlirWalkPreOrder);
  return check.result;
}

// The lowest `count` ids in a row that are free; 0 when there are none.
static int take_ids(Plan *plan, int count) {
  plan->num_ids += count;
  for (int first = 1; first + count <= NUM_NAMED_BARRIERS; first++) {
    int length = 0;
    while (length < count && !plan->id_is_used[first + length])
      length++;
    if (length < count)
      continue;
    for (int i = 0; i < count; i++)
      plan->id_is_used[first + i] = true;
    return first;
  }
  return 0;
}

static MlirLogicalResult give_ids(Plan *plan) {
  bool fits = true;
  for (int i = 0; i < plan->num_roles; i++) {
    Role *role = &plan->roles[i];
    int first;
    if (role->barrier_id < 0)
      fits &= (role->barrier_id = take_ids(plan, 1)) != 0;
    if (role->has_turns)
      plan->num_turns = tile_turns_of(role->op, &first);
  }
  if (plan->num_turns > 0)
    fits &= (plan->turns_id = take_ids(plan, plan->num_turns)) != 0;
  if (fits)
    return tile_success();
  return tile_emit_error(plan->specialize.op,
                         "needs %d named barriers beside those that the kernel "
                         "names; a block has %d",
                         plan->num_ids, NUM_NAMED_BARRIERS);
}

static MlirLogicalResult plan_build(Plan *plan) {
  mlirOperationWalk(plan->kernel, note_ids, plan, MlirWalkPreOrder);
  TILE_FOR_EACH_OP (op, tile_specialize_block(plan->specialize)) {
    Role *role = &plan->roles[plan->num_roles++];
    role->op = tile_role_cast(op);
    role->warps =
        (TileWarps){tile_role_first_warp(role->op), tile_role_warps(role->op)};
    role->is_of_one = true;
    mlirOperationWalk(op, survey_role, role, MlirWalkPreOrder);
    if (tile_failed(check_turns(role)))
      return tile_failure();
  }
  plan->launch_registers = (int)tile_kernel_thread_registers(
      plan->kernel, plan->target, tile_kernel_num_threads(plan->kernel));
  return give_ids(plan);
}

//===-- Apply: what is inside a role --------------------------------------===//

typedef struct {
  const Plan *plan;
  const Role *role;
  TileBuilder b;
} Rewrite;

// Threads of one warp meet in their warp; others at the barrier of the role.
static void name_barrier(const Rewrite *r, MlirOperation op) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  TileBarrierSyncOp sync = tile_barrier_sync_cast(op);
  tile_barrier_sync_set_id_attr(sync,
                                mlirIntegerAttrGet(i64, r->role->barrier_id));
  tile_barrier_sync_set_threads_attr(
      sync, mlirIntegerAttrGet(i64, r->role->warps.count * WARP_THREADS));
}

// Number of the executing warpgroup among those that take turns.
static TileInt turn_number(Rewrite *r, TileIntMath *math, int first) {
  if (r->role->warps.count == WARPGROUP_WARPS)
    return tile_int_constant(first);
  TileInt warp = tile_int_value(tile_warp_id(&r->b, 0));
  TileInt inside =
      tile_int_sub(math, warp, tile_int_constant(r->role->warps.first));
  TileInt group = tile_int_div(math, inside, WARPGROUP_WARPS);
  return tile_int_add(math, group, tile_int_constant(first));
}

static TileIntMath turn_math(Rewrite *r) {
  return (TileIntMath){&r->b,
                       mlirIntegerTypeGet(tile_builder_context(&r->b), 32)};
}

static MlirValue turn_barrier(Rewrite *r, TileIntMath *math, TileInt number) {
  return tile_int_get(
      math, tile_int_add(math, number, tile_int_constant(r->plan->turns_id)));
}

// A turn is a barrier of the two warpgroups that hand it over: one arrives, the
// other one waits.
static MlirValue turn_threads(Rewrite *r) {
  enum { NUM_THREADS = 2 * WARPGROUP_WARPS * WARP_THREADS };
  return tile_const_int(&r->b, NUM_THREADS, 32);
}

static void lower_turn(Rewrite *r, MlirOperation op) {
  TileBuilder *b = &r->b;
  int first;
  tile_turns_of(r->role->op, &first);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  b->loc = mlirOperationGetLocation(op);
  TileIntMath math = turn_math(r);
  TileInt number = turn_number(r, &math, first);
  if (tile_turn_edge(tile_turn_cast(op)) == TILE_TURN_Begin) {
    MlirValue own = turn_barrier(r, &math, number);
    nvvm_barrier_op(b, .barrierId = own, .numberOfThreads = turn_threads(r));
  } else {
    TileInt next =
        tile_int_rem(&math, tile_int_add(&math, number, tile_int_constant(1)),
                     r->plan->num_turns);
    MlirValue theirs = turn_barrier(r, &math, next);
    nvvm_barrier_arrive_op(b, .barrierId = theirs,
                           .numberOfThreads = turn_threads(r));
  }
  mlirRewriterBaseEraseOp(b->rw, op);
}

static MlirWalkResult rewrite_inner(MlirOperation op, void *user_data) {
  Rewrite *r = user_data;
  if (tile_role_is(op))
    return MlirWalkResultAdvance;
  if (tile_turn_is(op)) {
    lower_turn(r, op);
    return MlirWalkResultAdvance;
  }
  if (is_plain_barrier(op))
    name_barrier(r, op);
  if (!tile_op_is(op) && !memref_store_is(op))
    return MlirWalkResultAdvance;
  int64_t warps[2] = {r->role->warps.first, r->role->warps.count};
  mlirOperationSetDiscardableAttributeByName(
      op, TILE_STR(TILE_WARPS_ATTR),
      mlirDenseI64ArrayGet(mlirOperationGetContext(op), 2, warps));
  return MlirWalkResultAdvance;
}

//===-- Apply: the arms ---------------------------------------------------===//

static MlirRegion arm_region(MlirLocation loc) {
  MlirOperationState state = mlirOperationStateGet(TILE_STR("scf.yield"), loc);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&state));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

// The last warpgroup hands the first turn over.
static void begin_turns(Rewrite *r) {
  int first, turns = tile_turns_of(r->role->op, &first);
  int64_t groups = r->role->warps.count / WARPGROUP_WARPS;
  TileBuilder *b = &r->b;
  if (!tile_role_pingpong(r->role->op) || r->plan->num_turns == 0 ||
      first + groups != turns)
    return;
  MlirValue id = tile_const_int(b, r->plan->turns_id, 32);
  if (groups == 1) {
    nvvm_barrier_arrive_op(b, .barrierId = id,
                           .numberOfThreads = turn_threads(r));
    return;
  }
  TileIntMath math = turn_math(r);
  MlirValue number = tile_int_get(&math, turn_number(r, &math, first));
  MlirValue is_last =
      arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = number,
                 .rhs = tile_const_int(b, turns - 1, 32));
  ScfIfOp branch =
      scf_if_op(b, .condition = is_last, .thenRegion = arm_region(b->loc));
  MlirBlock body = mlirRegionGetFirstBlock(scf_if_thenRegion(branch));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, mlirBlockGetTerminator(body));
  nvvm_barrier_arrive_op(b, .barrierId = id,
                         .numberOfThreads = turn_threads(r));
  mlirRewriterBaseSetInsertionPointAfter(b->rw, branch.op);
}

// PTX ISA, setmaxnreg: all warps of a warpgroup execute it.
static void set_registers(Rewrite *r) {
  MlirAttribute wanted = tile_role_registers_attr(r->role->op);
  if (mlirAttributeIsNull(wanted) || !r->plan->target->has_setmaxnreg)
    return;
  int64_t registers = mlirIntegerAttrGetValueInt(wanted);
  if (registers == r->plan->launch_registers)
    return;
  nvvm_setmaxregister_op(&r->b, .regCount = registers,
                         .action = registers < r->plan->launch_registers
                                       ? NVVM_SET_MAX_REGISTER_ACTION_decrease
                                       : NVVM_SET_MAX_REGISTER_ACTION_increase);
}

// A branch for the first thread of the role, around all that it does. Were it
// asked at each op alone, the other lanes of its warp could split off, and run
// through their loops before it goes on.
static void begin_only_thread(Rewrite *r) {
  TileIntMath math = {&r->b, mlirIndexTypeGet(tile_builder_context(&r->b))};
  MlirValue thread =
      tile_int_get(&math, tile_block_thread_build(&math, r->plan->kernel));
  MlirValue is_first = arith_cmpi(
      &r->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = thread,
      .rhs = tile_const_index(&r->b, r->role->warps.first * WARP_THREADS));
  ScfIfOp branch = scf_if_op(&r->b, .condition = is_first,
                             .thenRegion = arm_region(r->b.loc));
  MlirBlock body = mlirRegionGetFirstBlock(scf_if_thenRegion(branch));
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw,
                                          mlirBlockGetTerminator(body));
}

// Moves the body of the role to the insertion point.
static void apply_role(Rewrite *r) {
  MlirOperation anchor = mlirRewriterBaseGetOperationAfterInsertion(r->b.rw);
  mlirOperationWalk(r->role->op.op, rewrite_inner, r, MlirWalkPostOrder);
  r->b.loc = mlirOperationGetLocation(r->role->op.op);
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw, anchor);
  set_registers(r);
  begin_turns(r);
  if (r->role->is_of_one) {
    begin_only_thread(r);
    anchor = mlirRewriterBaseGetOperationAfterInsertion(r->b.rw);
  }
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(r->role->op.op, 0));
  TILE_FOR_EACH_OP (op, body)
    mlirRewriterBaseMoveOpBefore(r->b.rw, op, anchor);
}

static void plan_apply(const Plan *plan) {
  MlirOperation specialize = plan->specialize.op;
  Rewrite r = {plan,
               NULL,
               {mlirIRRewriterCreate(mlirOperationGetContext(specialize)),
                mlirOperationGetLocation(specialize)}};
  TileBuilder *b = &r.b;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, specialize);
  MlirValue warp = {NULL};
  if (plan->num_roles > 1)
    warp = tile_warp_id(b, 0);
  for (int i = 0; i < plan->num_roles; i++) {
    r.role = &plan->roles[i];
    b->loc = mlirOperationGetLocation(r.role->op.op);
    if (i + 1 == plan->num_roles) {
      apply_role(&r); // in the last else
      break;
    }
    int64_t end = r.role->warps.first + r.role->warps.count;
    MlirValue is_mine =
        arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = warp,
                   .rhs = tile_const_int(b, end, 32));
    MlirRegion then_region = arm_region(b->loc);
    ScfIfOp branch =
        scf_if_op(b, .condition = is_mine, .thenRegion = then_region,
                  .elseRegion = arm_region(b->loc));
    MlirBlock mine = mlirRegionGetFirstBlock(scf_if_thenRegion(branch));
    MlirBlock others = mlirRegionGetFirstBlock(scf_if_elseRegion(branch));
    mlirRewriterBaseSetInsertionPointBefore(b->rw,
                                            mlirBlockGetTerminator(mine));
    apply_role(&r);
    mlirRewriterBaseSetInsertionPointBefore(b->rw,
                                            mlirBlockGetTerminator(others));
  }
  mlirRewriterBaseEraseOp(b->rw, specialize);
  mlirIRRewriterDestroy(b->rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const TileLowerRolesOptions *options = user_data;
  Plan plan = {.kernel = kernel, .specialize = tile_kernel_specialize(kernel)};
  if (mlirOperationIsNull(plan.specialize.op))
    return tile_success();
  if (tile_failed(tile_target_resolve(kernel, options->target, &plan.target)) ||
      tile_failed(plan_build(&plan))) {
    tile_kernel_note_refusal(kernel);
    return tile_failure();
  }
  plan_apply(&plan);
  return tile_success();
}

MlirLogicalResult tile_lower_roles_run(MlirOperation op,
                                       const TileLowerRolesOptions *options) {
  TileLowerRolesOptions copy = *options;
  return tile_kernels_visit(op, visit_kernel, &copy);
}
