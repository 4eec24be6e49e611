//===- Persist.c - Blocks that loop over tiles ----------------------------===//
//
// Consumes: launches with more blocks ("tiles") than multiprocessors.
// Produces: a grid of min(multiprocessors · blocks per multiprocessor, tiles),
//           and a loop over tiles around the body; block ids are those of the
//           tile. Where shared memory is short, epilogues in parts. A remark
//           where a launch that would gain stays as it is.
// Fails:    `persist = true` in tile.kernel_config, and it is not possible.
// Idempotent: a grid made from `tile.num_sms` is left alone.
//
//===----------------------------------------------------------------------===//

#include "Persist.h"

#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include <string.h>

//===-- Report ------------------------------------------------------------===//

static MlirLogicalResult report(const TilePersistPlan *plan, bool is_required) {
  const TilePersistReason *reason = &plan->reason;
  const TilePersistText *text = tile_persist_text(reason->code);
  MlirOperation op = plan->launch.op;
  bool has_note = reason->culprit.ptr && text->note;
  MlirLocation at = mlirOperationGetLocation(has_note ? reason->culprit : op);
  char figures[96] = "";
  for (int i = 0; i < 2 && text->units[i]; i++)
    snprintf(figures + strlen(figures), sizeof figures - strlen(figures),
             "%s %lld %s", i ? "," : ":", (long long)reason->figures[i],
             text->units[i]);
  if (is_required && has_note)
    return tile_emit_error_with_note(
        op, at, text->note, "cannot be persistent as required: %s [%s]; %s",
        text->reason, reason->code, text->help);
  if (is_required)
    return tile_emit_error(op, "cannot be persistent as required: %s [%s]; %s",
                           text->reason, reason->code, text->help);
  // The kernel of one source line is in every variant of its launch.
  if (tile_is_in_fallback_variant(op))
    return tile_success();
  if (has_note)
    tile_emit_remark_with_note(op, at, text->note, reason->code,
                               "is not persistent: %s%s; %s", text->reason,
                               figures, text->help);
  else
    tile_emit_remark(op, reason->code, "is not persistent: %s%s; %s",
                     text->reason, figures, text->help);
  return tile_success();
}

//===-- Apply; cannot fail ------------------------------------------------===//

// The grid of the launch as it was: constants, or values of the host.
typedef struct {
  const TilePersistPlan *plan;
  TileBuilder b;
  MlirBlock body;
  MlirValue extent[3]; // captured by the kernel
  MlirValue num_tiles;
} Apply;

static bool is_one(MlirValue value) {
  int64_t constant;
  return mlirxConstantInt(value, &constant) && constant == 1;
}

// A product; constants are multiplied here, for analyses to see.
static MlirValue multiply(TileBuilder *b, MlirValue x, MlirValue y) {
  int64_t a, c, product;
  if (is_one(x) || is_one(y))
    return is_one(x) ? y : x;
  if (mlirxConstantInt(x, &a) && mlirxConstantInt(y, &c) &&
      !__builtin_mul_overflow(a, c, &product))
    return tile_const_index(b, product);
  return arith_muli(b, x, y);
}

// The loop counts with 32 bits: so many tiles, and as many blocks beyond.
static void require_tiles(Apply *apply) {
  TileBuilder *b = &apply->b;
  if (apply->plan->num_tiles >= 0)
    return;
  MlirValue fits = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ule,
                              .lhs = apply->num_tiles,
                              .rhs = tile_const_index(b, (int64_t)1 << 30));
  tile_require(b, .condition = fits,
               .text = "a persistent launch has at most 2^30 tiles");
}

static void apply_grid(Apply *apply) {
  TileBuilder *b = &apply->b;
  GPULaunchOp launch = apply->plan->launch;
  apply->extent[0] = gpu_launch_gridSizeX(launch);
  apply->extent[1] = gpu_launch_gridSizeY(launch);
  apply->extent[2] = gpu_launch_gridSizeZ(launch);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, launch.op);
  apply->num_tiles = multiply(
      b, multiply(b, apply->extent[0], apply->extent[1]), apply->extent[2]);
  require_tiles(apply);
  MlirValue blocks = multiply(b, tile_num_sms(b),
                              tile_const_index(b, apply->plan->blocks_per_sm));
  MlirValue one = tile_const_index(b, 1);
  gpu_launch_set_gridSizeX(launch, arith_minui(b, blocks, apply->num_tiles));
  gpu_launch_set_gridSizeY(launch, one);
  gpu_launch_set_gridSizeZ(launch, one);
}

// Number `i` of the values that stand for the ids, then for the grid.
static void replace_ids(Apply *apply, const MlirValue ids[3]) {
  enum { FIRST_GRID_SIZE = 6 }; // among the arguments of the body
  for (int i = 0; i < 3; i++) {
    mlirRewriterBaseReplaceAllUsesWith(
        apply->b.rw, mlirBlockGetArgument(apply->body, i), ids[i]);
    mlirRewriterBaseReplaceAllUsesWith(
        apply->b.rw, mlirBlockGetArgument(apply->body, FIRST_GRID_SIZE + i),
        apply->extent[i]);
  }
}

// The coordinates of tile number `tile`.
static void decode(Apply *apply, MlirValue tile, MlirValue out[3]) {
  TileBuilder *b = &apply->b;
  const MlirValue *extent = apply->extent;
  MlirValue zero = tile_const_index(b, 0), plane = tile;
  out[0] = out[1] = out[2] = zero;
  if (!is_one(extent[2])) {
    MlirValue area = multiply(b, extent[0], extent[1]);
    out[2] = is_one(area) ? tile : arith_divui(b, tile, area);
    plane = is_one(area) ? zero : arith_remui(b, tile, area);
  }
  if (is_one(extent[0])) {
    out[1] = plane;
  } else if (is_one(extent[1])) {
    out[0] = plane;
  } else if (apply->plan->panel > 0) {
    // Tiles of a plane are numbered along x, like blocks: (plane, 0) is the one
    // with that number.
    MlirOperation swizzle =
        tile_block_swizzle_op(b, .x = plane, .y = zero, .grid_x = extent[0],
                              .grid_y = extent[1],
                              .panel = TILE_SOME(apply->plan->panel))
            .op;
    out[0] = mlirOperationGetResult(swizzle, 0);
    out[1] = mlirOperationGetResult(swizzle, 1);
  } else {
    out[0] = arith_remui(b, plane, extent[0]);
    out[1] = arith_divui(b, plane, extent[0]);
  }
}

static bool stays_outside(MlirOperation op) {
  return tile_alloc_is(op) || memref_alloca_is(op) || tile_kernel_config_is(op);
}

// The ops that ask for ids or the grid, rather than use the arguments.
static MlirWalkResult replace_query(MlirOperation op, void *user_data) {
  Apply *apply = user_data;
  int first = gpu_block_id_is(op) ? 0 : 6;
  if (!gpu_block_id_is(op) && !gpu_grid_dim_is(op))
    return MlirWalkResultAdvance;
  int dimension = gpu_block_id_is(op)
                      ? (int)gpu_block_id_dimension(gpu_block_id_cast(op))
                      : (int)gpu_grid_dim_dimension(gpu_grid_dim_cast(op));
  mlirRewriterBaseReplaceAllUsesWith(
      apply->b.rw, mlirOperationGetResult(op, 0),
      mlirBlockGetArgument(apply->body, first + dimension));
  return MlirWalkResultAdvance;
}

static void apply_loop(Apply *apply) {
  TileBuilder *b = &apply->b;
  MlirOperation end = mlirBlockGetTerminator(apply->body);
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirBlock block = mlirBlockCreate(1, &index, &b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirOperationWalk(apply->plan->launch.op, replace_query, apply,
                    MlirWalkPreOrder);

  MlirValue ids[3];
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  decode(apply, mlirBlockGetArgument(block, 0), ids);
  MlirOperation yield = scf_yield(b, .results = {NULL, 0}).op;
  replace_ids(apply, ids);
  TILE_FOR_EACH_OP (op, apply->body)
    if (!stays_outside(op) && !mlirOperationEqual(op, end))
      mlirRewriterBaseMoveOpBefore(b->rw, op, yield);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, end);
  ScfForOp loop = scf_for_op(b, .type = {NULL, 0},
                             .lowerBound = mlirBlockGetArgument(apply->body, 0),
                             .upperBound = apply->num_tiles,
                             .step = mlirBlockGetArgument(apply->body, 6),
                             .initArgs = {NULL, 0}, .region = region);
  mlirOperationSetDiscardableAttributeByName(
      loop.op, TILE_STR(TILE_PERSISTENT_ATTR),
      mlirUnitAttrGet(tile_builder_context(b)));
  if (apply->plan->is_pingpong)
    mlirOperationSetDiscardableAttributeByName(
        loop.op, TILE_STR(TILE_PINGPONG_ATTR),
        mlirUnitAttrGet(tile_builder_context(b)));
}

static void plan_apply(const TilePersistPlan *plan) {
  MlirOperation launch = plan->launch.op;
  Apply apply = {.plan = plan, .body = tile_kernel_body(launch)};
  apply.b = (TileBuilder){mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                          mlirOperationGetLocation(launch)};
  apply_grid(&apply);
  apply_loop(&apply);
  for (const TileStaging *s = plan->stagings; s; s = s->next)
    staged_parts_apply(apply.b.rw, s);
  mlirIRRewriterDestroy(apply.b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult find_pipelined(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages")));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Nothing runs ahead without a pipelined loop.
static bool is_concerned(MlirOperation kernel, TilePersistWish wish) {
  bool found = wish == TILE_PERSIST_REQUIRED;
  if (wish == TILE_PERSIST_CHOSEN)
    mlirOperationWalk(kernel, find_pipelined, &found, MlirWalkPreOrder);
  return found;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  const TilePersistOptions *options = user_data;
  const TileTarget *target;
  if (!gpu_launch_is(kernel))
    return tile_success();
  TilePersistWish wish = tile_persist_wish(kernel);
  if (!is_concerned(kernel, wish))
    return tile_success();
  if (tile_failed(tile_target_resolve(kernel, options->target, &target)))
    return tile_failure();
  TileArena arena;
  TilePersistPlan plan;
  bool is_required = wish == TILE_PERSIST_REQUIRED;
  MlirLogicalResult result = tile_success();
  tile_arena_init(&arena);
  tile_persist_plan_build(&arena, kernel, target, &plan);
  bool is_chosen = plan.is_candidate && !plan.is_by_hand;
  if (!plan.is_persistent && (is_required || is_chosen)) {
    bool is_declined =
        plan.reason.code && (plan.reason.is_illegal || !is_required);
    if (is_declined)
      result = report(&plan, is_required);
    else
      plan_apply(&plan);
  }
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult tile_persist_run(MlirOperation op,
                                   const TilePersistOptions *options) {
  return tile_kernels_visit_verified(op, visit_kernel, (void *)options);
}
