//===- ExpandSwitches.c - Switches around pipelined copies as ifs ---------===//
//
// Consumes: `scf.index_switch` around copies of loops with `tile.num_stages`,
//           and those of functions that launch.
// Produces: `scf.if` on case 0, with case 1 and the others in its else, in the
//           order in which they stand; the default is the last else.
// Keeps:    every other switch.
// Fails:    never.
// Method:   regions move as they are: both ops end them with `scf.yield`. So
//           later passes know one form of branches.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Loops/Loops.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/ForeignOps.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct Item {
  struct Item *next; // inner ones first
  ScfIndexSwitchOp op;
} Item;

typedef struct {
  TileArena *arena;
  Item *items;
} Plan;

static MlirWalkResult find_copy(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_copy_is(op) && tile_num_stages_around(op) > 0;
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  bool found = false;
  if (!scf_index_switch_is(op) ||
      scf_index_switch_cases_size(scf_index_switch_cast(op)) == 0)
    return MlirWalkResultAdvance;
  mlirOperationWalk(op, find_copy, &found, MlirWalkPreOrder);
  if (!found)
    return MlirWalkResultAdvance;
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  *item = (Item){plan->items, scf_index_switch_cast(op)};
  plan->items = item;
  return MlirWalkResultAdvance;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static MlirRegion taken(MlirOperation op, intptr_t region) {
  MlirRegion out = mlirRegionCreate();
  mlirRegionTakeBody(out, mlirOperationGetRegion(op, region));
  return out;
}

static bool is_empty(MlirRegion region) {
  MlirOperation first =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(region));
  return mlirxIsTerminator(first) && mlirOperationGetNumOperands(first) == 0;
}

// Where the branch of `op` on case `i` stands: for the first one the switch,
// for others an else, which begins here.
static MlirRegion begin_branch(TileBuilder *b, ScfIndexSwitchOp op,
                               intptr_t i) {
  if (i == 0) {
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op.op);
    return (MlirRegion){NULL};
  }
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  return region;
}

// From the last case to the first: each branch has those after it in its else.
static void expand(TileArena *arena, TileBuilder *b, ScfIndexSwitchOp op) {
  intptr_t num_results = mlirOperationGetNumResults(op.op);
  MlirValue *results = TILE_ARENA_NEW(arena, MlirValue, num_results + 1);
  MlirRegion otherwise = taken(op.op, 0);
  if (is_empty(otherwise)) {
    mlirRegionDestroy(otherwise);
    otherwise = (MlirRegion){NULL};
  }
  for (intptr_t i = scf_index_switch_cases_size(op) - 1; i >= 0; i--) {
    MlirRegion then = taken(op.op, i + 1), home = begin_branch(b, op, i);
    MlirValue is_case =
        arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                   .lhs = scf_index_switch_arg(op),
                   .rhs = tile_const_index(b, scf_index_switch_cases(op, i)));
    MlirOperation branch = scf_if(b, .condition = is_case, .thenRegion = then,
                                  .elseRegion = otherwise)
                               .op;
    for (intptr_t r = 0; r < num_results; r++)
      results[r] = mlirOperationGetResult(branch, r);
    if (i > 0)
      scf_yield(b, .results = {results, num_results});
    otherwise = home;
  }
  mlirRewriterBaseReplaceOpWithValues(b->rw, op.op, num_results, results);
}

static void apply(const Plan *plan, MlirOperation root) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(root)),
                   mlirOperationGetLocation(root)};
  for (const Item *item = plan->items; item; item = item->next) {
    b.loc = mlirOperationGetLocation(item->op.op);
    tile_plan_around_drop(item->op.op);
    expand(plan->arena, &b, item->op);
  }
  mlirIRRewriterDestroy(b.rw);
}

//===-- Host functions ----------------------------------------------------===//

// A function that is called may launch.
static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= gpu_launch_is(op) || gpu_launch_func_is(op) || func_call_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The metadata of a launch knows ifs; what a kernel holds is its own business.
static MlirWalkResult plan_host_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (gpu_launch_is(op))
    return MlirWalkResultSkip;
  if (!scf_index_switch_is(op) ||
      scf_index_switch_cases_size(scf_index_switch_cast(op)) == 0)
    return MlirWalkResultAdvance;
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  *item = (Item){plan->items, scf_index_switch_cast(op)};
  plan->items = item;
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit_function(MlirOperation op, void *user_data) {
  Plan plan = {.arena = user_data};
  if (gpu_module_is(op))
    return MlirWalkResultSkip;
  if (!func_func_is(op))
    return MlirWalkResultAdvance;
  // What others call may compute a number for a launch.
  bool launches = tile_function_is_private(op);
  mlirOperationWalk(op, find_launch, &launches, MlirWalkPreOrder);
  if (launches) {
    mlirOperationWalk(op, plan_host_visit, &plan, MlirWalkPreOrder);
    apply(&plan, op);
  }
  return MlirWalkResultSkip;
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.arena = user_data};
  mlirOperationWalk(kernel, plan_visit, &plan, MlirWalkPreOrder);
  apply(&plan, kernel);
  return tile_success();
}

MlirLogicalResult
tile_expand_switches_run(MlirOperation op,
                         const TileExpandSwitchesOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  mlirOperationWalk(op, visit_function, &arena, MlirWalkPreOrder);
  tile_arena_deinit(&arena);
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
