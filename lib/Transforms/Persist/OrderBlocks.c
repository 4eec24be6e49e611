//===- OrderBlocks.c - Blocks that take longest go first ------------------===//
//
// Consumes: launches with blocks in x and y, whose loops run longer, or
// shorter,
//           from x to x, such as causal attention with queries in x and heads
//           in y.
// Produces: other numbers of the blocks: panels of some rows of y, in which
// those
//           of all rows that take longest come first.
// Keeps:    launches that are, or have to be, persistent, that form clusters or
//           renumber their blocks themselves, and kernels with ops that may ask
//           for ids unseen.
// Fails:    only on a target that cannot be resolved.
// Method:   the hardware gives the next block to whoever is done, in the order
//           of numbers. Row by row, the last row begins with its longest block,
//           when others have none left. A panel has blocks for three times all
//           multiprocessors: more read different things at once.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Memory/Memory.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/KeyTable.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include "Transforms/Persist/BlockIds.h"

//===-- Which way a value goes --------------------------------------------===//

// From x to x + 1, as the blocks of one row have it; invariants are taken for
// positive. It decides what pays, never what is right.
typedef enum { FALLS = -1, STAYS = 0, GROWS = 1, UNKNOWN = 2 } Trend;

static Trend opposite(Trend a) { return a == UNKNOWN ? a : (Trend)-a; }

static Trend both(Trend a, Trend b) {
  if (a == STAYS || a == b)
    return b;
  return b == STAYS ? a : UNKNOWN;
}

static bool keeps_trend(MlirOperation op) {
  return arith_addi_is(op) || arith_minsi_is(op) || arith_minui_is(op) ||
         arith_maxsi_is(op) || arith_maxui_is(op);
}

static bool scales(MlirOperation op) {
  return arith_muli_is(op) || arith_divui_is(op) || arith_divsi_is(op) ||
         arith_ceildivui_is(op) || arith_ceildivsi_is(op) ||
         arith_floordivsi_is(op);
}

static Trend trend_of(const TileIdMasks *masks, MlirValue value, int depth) {
  if (tile_id_mask(masks, value) == 0)
    return STAYS;
  if (mlirValueIsABlockArgument(value)) {
    MlirBlock block = mlirBlockArgumentGetOwner(value);
    bool is_id = gpu_launch_is(mlirBlockGetParentOperation(block)) &&
                 mlirBlockArgumentGetArgNumber(value) < 3;
    return is_id ? GROWS : UNKNOWN;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (gpu_block_id_is(op))
    return GROWS;
  if (depth == 0 || mlirOperationGetNumOperands(op) == 0)
    return UNKNOWN;
  Trend a = trend_of(masks, mlirOperationGetOperand(op, 0), depth - 1);
  if (arith_index_cast_is(op) || arith_index_castui_is(op))
    return a;
  if (mlirOperationGetNumOperands(op) != 2)
    return UNKNOWN;
  Trend b = trend_of(masks, mlirOperationGetOperand(op, 1), depth - 1);
  if (keeps_trend(op))
    return both(a, b);
  if (arith_subi_is(op))
    return both(a, opposite(b));
  return scales(op) && b == STAYS ? a : UNKNOWN;
}

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  GPULaunchOp launch;
  TileIdMasks masks;
  int num_loops;   // whose length depends on the number of the block
  Trend trend;     // of their lengths
  bool is_refused; // an op says so
} Plan;

static MlirWalkResult find_work(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_copy_is(op) || tile_gemm_is(op) || tile_parallel_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void note_loop(Plan *plan, ScfForOp loop) {
  enum { MAX_DEPTH = 12 };
  MlirValue first = scf_for_lowerBound(loop), end = scf_for_upperBound(loop);
  int mask = tile_id_mask(&plan->masks, first) |
             tile_id_mask(&plan->masks, end) |
             tile_id_mask(&plan->masks, scf_for_step(loop));
  bool works = false;
  mlirOperationWalk(loop.op, find_work, &works, MlirWalkPreOrder);
  if (!mask || !works)
    return;
  Trend length = both(trend_of(&plan->masks, end, MAX_DEPTH),
                      opposite(trend_of(&plan->masks, first, MAX_DEPTH)));
  plan->is_refused |=
      mask != TILE_BY_X || tile_id_mask(&plan->masks, scf_for_step(loop));
  plan->trend = both(plan->trend, length);
  plan->num_loops++;
}

static MlirWalkResult scan_op(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (mlirOperationEqual(op, plan->launch.op))
    return MlirWalkResultAdvance;
  tile_id_masks_note(&plan->masks, op);
  plan->is_refused |= tile_block_swizzle_is(op) || tile_grid_sync_is(op) ||
                      scf_while_is(op) || !tile_op_asks_for_ids_in_sight(op);
  if (scf_for_is(op))
    note_loop(plan, scf_for_cast(op));
  return MlirWalkResultAdvance;
}

static bool is_one(MlirValue value) {
  int64_t number;
  return mlirxConstantInt(value, &number) && number == 1;
}

// Owner of the masks: `arena`. False: the blocks keep their numbers.
static bool plan_build(TileArena *arena, MlirOperation kernel, Plan *out) {
  *out = (Plan){.launch = gpu_launch_cast(kernel), .trend = STAYS};
  tile_id_masks_begin(&out->masks, arena, kernel);
  if (is_one(gpu_launch_gridSizeX(out->launch)) ||
      is_one(gpu_launch_gridSizeY(out->launch)) ||
      !mlirValueIsNull(gpu_launch_clusterSizeX(out->launch)) ||
      tile_kernel_persist_wish(kernel) == TILE_PERSIST_REQUIRED)
    return false;
  mlirOperationWalk(kernel, scan_op, out, MlirWalkPreOrder);
  return out->num_loops > 0 && !out->is_refused &&
         (out->trend == FALLS || out->trend == GROWS);
}

//===-- Apply; cannot fail ------------------------------------------------===//

enum { MAX_PANEL = 32, WAVES = 3 };

// The largest power of two of rows that do not have more than three blocks for
// each multiprocessor; as a value of the host.
static MlirValue build_panel(TileBuilder *b, GPULaunchOp launch) {
  mlirRewriterBaseSetInsertionPointBefore(b->rw, launch.op);
  MlirValue width = gpu_launch_gridSizeX(launch);
  MlirValue num_sms = tile_num_sms(b);
  MlirValue room = arith_muli(b, num_sms, tile_const_index(b, WAVES));
  MlirValue panel = tile_const_index(b, 1);
  for (int64_t rows = 2; rows <= MAX_PANEL; rows *= 2) {
    MlirValue wide = tile_const_index(b, rows);
    MlirValue fits = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ule,
                                .lhs = arith_muli(b, width, wide), .rhs = room);
    panel = arith_select(b, fits, wide, panel);
  }
  return panel;
}

// The largest one for a grid of constants; 0: the grid is known to the host.
static int64_t constant_panel(GPULaunchOp launch, const TileTarget *target) {
  int64_t width, height, panel = 1;
  if (!mlirxConstantInt(gpu_launch_gridSizeX(launch), &width) ||
      !mlirxConstantInt(gpu_launch_gridSizeY(launch), &height))
    return 0;
  while (panel < MAX_PANEL && 2 * panel * width <= WAVES * target->num_sms)
    panel *= 2;
  return panel;
}

// Where block (x, y) of the hardware is in the order.
typedef struct {
  TileBuilder b;
  MlirValue x, y, width, height;
} Place;

// The same as tile.block_swizzle, with a panel that the host knows.
static void build_numbers(Place *place, MlirValue panel) {
  TileBuilder *b = &place->b;
  MlirValue number =
      arith_addi(b, arith_muli(b, place->y, place->width), place->x);
  MlirValue blocks = arith_muli(b, place->width, panel);
  MlirValue inside = arith_remui(b, number, blocks);
  MlirValue first = arith_muli(b, arith_divui(b, number, blocks), panel);
  MlirValue rows = arith_minui(b, arith_subi(b, place->height, first), panel);
  place->x = arith_divui(b, inside, rows);
  place->y = arith_addi(b, first, arith_remui(b, inside, rows));
}

static void build_swizzle(Place *place, int64_t panel) {
  MlirOperation swizzle =
      tile_block_swizzle_op(&place->b, .x = place->x, .y = place->y,
                            .grid_x = place->width, .grid_y = place->height,
                            .panel = TILE_SOME(panel))
          .op;
  place->x = mlirOperationGetResult(swizzle, 0);
  place->y = mlirOperationGetResult(swizzle, 1);
}

static void report(const Plan *plan) {
  tile_emit_remark(plan->launch.op, "tile-persist/longest-first",
                   "its blocks run in another order: loops are %s from block "
                   "to block in x, so the %s go first, in panels of rows of y; "
                   "tile.block_swizzle gives an order",
                   plan->trend == GROWS ? "longer" : "shorter",
                   plan->trend == GROWS ? "last" : "first");
}

static void plan_apply(const Plan *plan, const TileTarget *target) {
  enum { FIRST_GRID_SIZE = 6 }; // among the arguments of the body
  MlirOperation launch = plan->launch.op;
  MlirBlock body = tile_kernel_body(launch);
  Place place = {.b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                       mlirOperationGetLocation(launch)},
                 .width = mlirBlockGetArgument(body, FIRST_GRID_SIZE),
                 .height = mlirBlockGetArgument(body, FIRST_GRID_SIZE + 1)};
  TileBuilder *b = &place.b;
  int64_t constant = constant_panel(plan->launch, target);
  MlirValue panel = constant ? TILE_NULL_VALUE : build_panel(b, plan->launch);
  tile_block_ids_use_arguments(b->rw, launch);
  mlirRewriterBaseSetInsertionPointToStart(b->rw, body);
  place.x = gpu_block_id(b, .dimension = GPU_DIMENSION_x);
  place.y = gpu_block_id(b, .dimension = GPU_DIMENSION_y);
  if (constant)
    build_swizzle(&place, constant);
  else
    build_numbers(&place, panel);
  if (plan->trend == GROWS)
    place.x = arith_subi(b, arith_subi(b, place.width, tile_const_index(b, 1)),
                         place.x);
  mlirRewriterBaseReplaceAllUsesWith(b->rw, mlirBlockGetArgument(body, 0),
                                     place.x);
  mlirRewriterBaseReplaceAllUsesWith(b->rw, mlirBlockGetArgument(body, 1),
                                     place.y);
  mlirIRRewriterDestroy(b->rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  const TileTarget *target;
  Plan plan;
  if (!gpu_launch_is(kernel) || !plan_build(&run->arena, kernel, &plan))
    return tile_success();
  if (tile_failed(tile_target_resolve(kernel, run->target_option, &target)))
    return tile_failure();
  plan_apply(&plan, target);
  report(&plan);
  return tile_success();
}

MlirLogicalResult tile_order_blocks_run(MlirOperation op,
                                        const TileOrderBlocksOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
