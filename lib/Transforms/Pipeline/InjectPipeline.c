//===- InjectPipeline.c - Software pipelines ------------------------------===//
//
// Consumes: `scf.for` and `scf.while` loops with `tile.num_stages` and a plan
//           on their ops; where ops have none, the loop is planned anew.
// Produces: rings, a prologue, one guarded loop (or a peeled loop and an
//           epilogue), groups of asynchronous copies and their waits. No
//           `tile.num_stages`, `tile.stage`, `tile.order` or `tile.group` is
//           left. Loops of copies by cp.async that stay issue one group.
// Keeps:    loops whose ops are all in one stage, and what it declines.
// Fails:    a plan that the verifier of plans rejects.
// Method:   docs/Rationale/Pipelining.md.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"
#include "Support/Diagnostics.h"
#include "TilePasses.h"

static const char num_stages_name[] = "tile.num_stages";

static void strip(MlirOperation loop) {
  mlirOperationRemoveDiscardableAttributeByName(loop,
                                                tile_str(num_stages_name));
  tile_loop_plan_drop(loop);
}

// The loop of one source line is in every variant of its launch: it is told of
// once.
static bool is_told(MlirOperation op) {
  return !tile_is_in_fallback_variant(op);
}

//===-- Build and verify --------------------------------------------------===//

static MlirLogicalResult plan_anew(TileArena *arena, TilePlannedLoop *planned) {
  const TileLoopForm loop = planned->body.loop;
  int32_t num_stages = planned->plan.num_stages;
  tile_loop_plan_drop(loop.op);
  if (tile_failed(pipeline_plan_loop(arena, &loop, num_stages)))
    return tile_failure();
  tile_planned_loop_build(arena, &loop, num_stages, planned);
  return tile_planned_loop_read(planned);
}

// Reads the plan. Ops that passes of others have put between planning and this
// pass have no stage; and a loop that this pass has written may use a tile in
// another way than the loop that stood there, so that versions of it which a
// later or inner loop had planned are none any more.
static MlirLogicalResult read_plan(TileArena *arena, TilePlannedLoop *planned) {
  int unplanned = tile_planned_loop_find_unplanned(planned, NULL);
  if (unplanned >= 0) {
    if (is_told(planned->body.loop.op))
      tile_emit_remark(planned->body.statements[unplanned].op,
                       "tile-pipeline/no-plan",
                       "has no 'tile.stage': its loop is planned anew");
    return plan_anew(arena, planned);
  }
  if (tile_failed(tile_planned_loop_read(planned)))
    return tile_failure();
  return tile_loop_plan_find_broken(&planned->plan) < 0
             ? tile_success()
             : plan_anew(arena, planned);
}

// False when the loop is to stay as it is; `out_result` says whether with an
// error.
static bool loop_read(TileArena *arena, const TileLoopForm *loop,
                      TilePlannedLoop *planned, MlirLogicalResult *out_result) {
  int32_t num_stages = 0;
  tile_loop_attr_get(loop->op, num_stages_name, &num_stages);
  tile_planned_loop_build(arena, loop, num_stages, planned);
  MlirOperation fixed = tile_loop_body_find_fixed(&planned->body);
  if (fixed.ptr) {
    if (is_told(loop->op))
      tile_emit_remark(fixed, "tile-pipeline/while",
                       "keeps its loop from being pipelined: what decides "
                       "about iterations must be computed ahead of them, from "
                       "memory that the loop does not write");
    return false;
  }
  *out_result = read_plan(arena, planned);
  if (!tile_failed(*out_result))
    *out_result = tile_planned_loop_verify(planned);
  return !tile_failed(*out_result);
}

static bool loop_build(TileArena *arena, TilePlannedLoop *planned,
                       Pipeline *out_pipeline) {
  const TileLoopPlan *plan = &planned->plan;
  if (plan->num_items == 0 ||
      tile_loop_plan_first_stage(plan) == tile_loop_plan_last_stage(plan))
    return false; // nothing overlaps
  return pipeline_build(arena, planned, out_pipeline);
}

static MlirLogicalResult inject(MlirOperation op, int32_t num_stages) {
  MlirLogicalResult result = tile_success();
  TileLoopForm loop;
  if (!tile_loop_form_get(op, &loop) || num_stages == 0) {
    strip(op);
    return result;
  }
  TileArena arena;
  tile_arena_init(&arena);
  TilePlannedLoop planned;
  Pipeline pipeline;
  bool is_read = loop_read(&arena, &loop, &planned, &result);
  if (is_read && pipeline_prefetch_fragments(&arena, &planned))
    is_read = loop_read(&arena, &loop, &planned, &result);
  bool is_built = is_read && loop_build(&arena, &planned, &pipeline);
  if (is_built && pipeline_stage_in_registers(&pipeline))
    is_built = loop_read(&arena, &loop, &planned, &result) &&
               loop_build(&arena, &planned, &pipeline);
  if (is_built) {
    MlirRewriterBase rewriter =
        mlirIRRewriterCreate(mlirOperationGetContext(op));
    pipeline_emit(&pipeline, rewriter);
    mlirIRRewriterDestroy(rewriter);
  } else if (!tile_failed(result)) {
    strip(op);
  }
  tile_arena_deinit(&arena);
  return result;
}

//===-- Loops of copies that stay -----------------------------------------===//

// They wait once, after the loop, and not for each copy.
static MlirWalkResult group_copies(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!tile_copy_loop_is_cp_async(op))
    return MlirWalkResultAdvance;
  MlirRewriterBase rewriter = mlirIRRewriterCreate(mlirOperationGetContext(op));
  TileBuilder b = {rewriter, mlirOperationGetLocation(op)};
  tile_copy_loop_set_async(op);
  mlirRewriterBaseSetInsertionPointAfter(rewriter, op);
  tile_cp_async_commit(&b, 0);
  tile_cp_async_wait(&b, .pending = 0);
  mlirIRRewriterDestroy(rewriter);
  return MlirWalkResultSkip;
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  MlirOperation loop;
  int32_t num_stages;
} Find;

static MlirWalkResult find_loop(MlirOperation op, void *user_data) {
  Find *find = user_data;
  if (!tile_loop_attr_get(op, num_stages_name, &find->num_stages))
    return MlirWalkResultAdvance;
  find->loop = op;
  return MlirWalkResultInterrupt;
}

typedef struct {
  TileArena arena;
  MlirLogicalResult result;
} Verify;

static MlirWalkResult verify_loop(MlirOperation op, void *user_data) {
  Verify *verify = user_data;
  TileLoopForm loop;
  TilePlannedLoop planned;
  int32_t num_stages;
  if (!tile_loop_form_get(op, &loop) ||
      !tile_loop_attr_get(op, num_stages_name, &num_stages) || num_stages == 0)
    return MlirWalkResultAdvance;
  tile_planned_loop_build(&verify->arena, &loop, num_stages, &planned);
  if (tile_loop_body_find_fixed(&planned.body).ptr ||
      tile_planned_loop_find_unplanned(&planned, NULL) >= 0)
    return MlirWalkResultAdvance;
  verify->result = tile_planned_loop_read(&planned);
  if (!tile_failed(verify->result))
    verify->result = tile_planned_loop_verify(&planned);
  return tile_failed(verify->result) ? MlirWalkResultInterrupt
                                     : MlirWalkResultAdvance;
}

// All plans, before anything changes.
static MlirLogicalResult verify_plans(MlirOperation op) {
  Verify verify = {.result = tile_success()};
  tile_arena_init(&verify.arena);
  mlirOperationWalk(op, verify_loop, &verify, MlirWalkPreOrder);
  tile_arena_deinit(&verify.arena);
  return verify.result;
}

// Outer loops first: an inner loop is one statement of the outer one, and is
// pipelined where it has come to stand. Ends: each round takes one attribute
// away, and only inner loops, of which there are fewer each time, are cloned.
MlirLogicalResult
tile_inject_pipeline_run(MlirOperation op,
                         const TileInjectPipelineOptions *options) {
  (void)options;
  if (tile_failed(verify_plans(op)))
    return tile_failure();
  for (;;) {
    Find find = {{NULL}, 0};
    mlirOperationWalk(op, find_loop, &find, MlirWalkPreOrder);
    if (mlirOperationIsNull(find.loop)) {
      mlirOperationWalk(op, group_copies, NULL, MlirWalkPreOrder);
      return tile_success();
    }
    if (tile_failed(inject(find.loop, find.num_stages)))
      return tile_failure();
  }
}
