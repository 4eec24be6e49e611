//===- PipelinePlanning.c - Assign a stage to every op of a loop ----------===//
//
// Consumes: `scf.for` and `scf.while` loops with `tile.num_stages` >= 1.
// Produces: `tile.stage` (0 = earliest), `tile.order` on every scheduled op of
//           the body, `tile.group` on copies that complete asynchronously.
//           No op is moved or erased; those that compute guards of copies
//           in fragments are repeated where later stages use these as well.
// Fails:    a plan written by the user that breaks a dependence, lacks an op or
//           exceeds the number of stages.
// Method:   docs/Rationale/Pipelining.md. One verifier judges every plan.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "Support/Diagnostics.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  TilePlannedLoop loop;
  int *broken; // per item: the edge that kept it from running ahead, or -1
} Work;

static MlirOperation op_of(const Work *work, int item) {
  return work->loop.body.statements[item].op;
}

//===-- Build: IR to plan -------------------------------------------------===//

// Whether all that the statement writes is new in each iteration.
static bool writes_versions_only(const Work *work, const TileStatement *s) {
  for (int a = 0; a < s->num_accesses; a++) {
    const TileLoopBuffer *buffer =
        &work->loop.body.buffers[s->accesses[a].buffer];
    if (s->accesses[a].writes && !buffer->is_versioned && !buffer->is_renewed)
      return false;
  }
  return !s->has_other_effects;
}

// A leaf op that moves data from global into shared memory. It may also read
// what the loop leaves alone: indices in a tile, scales in a fragment.
static bool is_load_to_shared(const Work *work, const TileStatement *s) {
  bool reads_global = false, writes_shared = false;
  if (!tile_op_is(s->op) && !tile_copy_loop_is(s->op))
    return false;
  for (int a = 0; a < s->num_accesses; a++) {
    const TileLoopBuffer *buffer =
        &work->loop.body.buffers[s->accesses[a].buffer];
    TileSpace space = buffer->space;
    if (s->accesses[a].reads && space != TILE_SPACE_GLOBAL &&
        buffer->is_written)
      return false;
    if (s->accesses[a].writes && space != TILE_SPACE_SHARED)
      return false;
    reads_global |= s->accesses[a].reads && space == TILE_SPACE_GLOBAL;
    writes_shared |= s->accesses[a].writes;
  }
  return reads_global && writes_shared && !s->has_other_effects;
}

static void plan_build(Work *work, const TileLoopForm *loop,
                       int32_t num_stages) {
  tile_planned_loop_build(work->arena, loop, num_stages, &work->loop);
  int n = work->loop.plan.num_items;
  work->broken = TILE_ARENA_NEW(work->arena, int, n + 1);
  for (int i = 0; i < n; i++) {
    const TileStatement *s = &work->loop.body.statements[i];
    TilePlanItem *item = &work->loop.plan.items[i];
    work->broken[i] = -1;
    item->is_copy =
        is_load_to_shared(work, s) || tile_cp_async_commit_is(s->op);
    item->can_lead = writes_versions_only(work, s) &&
                     !tile_cp_async_wait_is(s->op) && !tile_gemm_is(s->op) &&
                     !tile_gemm_sp_is(s->op) &&
                     (item->is_copy || tile_parallel_is(s->op) ||
                      mlirOperationGetNumRegions(s->op) == 0);
  }
}

//===-- Solve and verify --------------------------------------------------===//

// A statement in the way of others does not run ahead. Ends: each round takes
// one statement from those that do.
static void plan_solve(Work *work) {
  int *scratch =
      TILE_ARENA_NEW(work->arena, int, work->loop.plan.num_items + 1);
  for (;;) {
    tile_loop_plan_solve(&work->loop.plan, scratch);
    int e = tile_loop_plan_find_broken(&work->loop.plan);
    if (e < 0)
      return;
    const TileLoopEdge *edge = &work->loop.plan.edges[e];
    int item = work->loop.plan.items[edge->to].is_first ? edge->to : edge->from;
    if (!work->loop.plan.items[item].is_first)
      return; // the verifier reports it
    work->loop.plan.items[item].can_lead = false;
    work->broken[item] = e;
  }
}

// Whether a wait for groups stays before the statement: it may need it, or
// has effects of its own.
static bool stops_wait(const Work *work, int wait, int item) {
  const TileLoopPlan *plan = &work->loop.plan;
  const TileStatement *s = &work->loop.body.statements[item];
  if (s->has_other_effects || tile_cp_async_commit_is(s->op) ||
      tile_cp_async_wait_is(s->op))
    return true;
  for (int e = plan->items[wait].edge; e >= 0; e = plan->edges[e].next)
    if (plan->edges[e].to == item && plan->edges[e].distance == 0)
      return true;
  return false;
}

// A wait of the user moves before the first op that may need it: what does
// not, runs before.
static void delay_wait(Work *work, int wait) {
  TileLoopPlan *plan = &work->loop.plan;
  int32_t from = plan->items[wait].order, to = INT32_MAX;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].order > from && plan->items[i].order < to &&
        stops_wait(work, wait, i))
      to = plan->items[i].order;
  if (to == INT32_MAX)
    return;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].order > from && plan->items[i].order < to)
      plan->items[i].order--;
  plan->items[wait].order = to - 1;
}

static void delay_waits(Work *work) {
  for (int i = 0; i < work->loop.plan.num_items; i++)
    if (tile_cp_async_wait_is(op_of(work, i)))
      delay_wait(work, i);
}

//===-- Groups ------------------------------------------------------------===//

static bool is_async_copy(MlirOperation op) {
  if (tile_copy_loop_is_cp_async(op))
    return true;
  if (!tile_copy_is(op) || tile_copy_async(tile_copy_cast(op)) ||
      mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))))
    return false;
  TileInstr instr = tile_copy_instr(tile_copy_cast(op));
  return instr == TILE_INSTR_CpAsync || instr == TILE_INSTR_Tma;
}

// The last statement, by stage and order, that reads what the item writes.
static int last_use_of(const TileLoopPlan *plan, int item) {
  int last = -1;
  for (int e = plan->items[item].edge; e >= 0; e = plan->edges[e].next) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->distance || edge->kind != TILE_EDGE_FLOW)
      continue;
    const TilePlanItem *use = &plan->items[edge->to];
    if (last < 0 || use->stage > plan->items[last].stage ||
        (use->stage == plan->items[last].stage &&
         use->order > plan->items[last].order))
      last = edge->to;
  }
  return last;
}

static bool runs_ahead(const TileLoopPlan *plan, int item) {
  int use = last_use_of(plan, item);
  return use >= 0 && plan->items[item].stage < plan->items[use].stage;
}

// The statement that comes next by order, after `order`.
static int next_by_order(const TileLoopPlan *plan, int64_t order) {
  int next = -1;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].order > order &&
        (next < 0 || plan->items[i].order < plan->items[next].order))
      next = i;
  return next;
}

// Copies of one stage with the same last use complete together. Groups are
// numbered as they are issued, after those that the user numbered.
static void plan_groups(Work *work) {
  TileLoopPlan *plan = &work->loop.plan;
  int32_t num_groups = 0;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].group >= num_groups)
      num_groups = plan->items[i].group + 1;
  for (int i = next_by_order(plan, INT64_MIN); i >= 0;
       i = next_by_order(plan, plan->items[i].order)) {
    TilePlanItem *item = &plan->items[i];
    if (item->group >= 0 || !is_async_copy(op_of(work, i)) || !item->is_copy ||
        !runs_ahead(plan, i))
      continue;
    for (int j = 0; j < plan->num_items && item->group < 0; j++)
      if (j != i && plan->items[j].group >= 0 &&
          plan->items[j].stage == item->stage &&
          last_use_of(plan, j) == last_use_of(plan, i))
        item->group = plan->items[j].group;
    if (item->group < 0)
      item->group = num_groups++;
  }
}

//===-- Remarks -----------------------------------------------------------===//

static const char *help_text(const char *code) {
  static const struct {
    const char *code, *text;
  } list[] = {
      {"tile-pipeline/stale-read",
       "an op reads the tile where the iteration has not filled it before; "
       "copy all of it on every path to that op"},
      {"tile-pipeline/used-outside", "an op outside the loop reads the tile as "
                                     "well; a tile of its own helps"},
      {"tile-pipeline/use", "an op that is no tile op uses the tile; "
                            "copy to another tile for it"},
      {"tile-pipeline/overwritten",
       "another copy of the iteration writes the same part of the tile; two "
       "tiles help"},
      {"tile-pipeline/rank",
       "a ring would have more than 5 dimensions; drop those of extent 1"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i].code, code) == 0)
      return list[i].text;
  return "";
}

// Why a copy does not run ahead of its use.
static void remark_copy(const Work *work, int item) {
  const TileStatement *s = &work->loop.body.statements[item];
  for (int a = 0; a < s->num_accesses; a++) {
    const TileLoopBuffer *buffer =
        &work->loop.body.buffers[s->accesses[a].buffer];
    if (s->accesses[a].writes && buffer->code) {
      tile_emit_remark_with_note(s->op, mlirOperationGetLocation(buffer->blame),
                                 "that op is here", buffer->code,
                                 "is not fetched ahead of its use: %s",
                                 help_text(buffer->code));
      return;
    }
  }
  if (work->broken[item] >= 0) {
    const TileLoopEdge *edge = &work->loop.plan.edges[work->broken[item]];
    bool is_to = edge->to == item;
    MlirOperation other = op_of(work, is_to ? edge->from : edge->to);
    tile_emit_remark_with_note(
        s->op, mlirOperationGetLocation(other), "that op is here",
        "tile-pipeline/dependence",
        "is not fetched ahead of its use: %s%s; take its address and "
        "conditions from memory that the loop does not write, and copy from "
        "such a tensor",
        is_to ? "it has to follow another op, because "
              : "another op of the loop would then come too early",
        is_to ? tile_loop_edge_text(edge->kind) : "");
  } else {
    tile_emit_remark(s->op, "tile-pipeline/unused",
                     "is not fetched ahead: nothing in the loop reads it");
  }
}

typedef struct {
  MlirOperation statement;
} Inside;

static bool is_fetch(MlirOperation op) {
  TileShape src, dst;
  return tile_copy_is(op) && !tile_copy_async(tile_copy_cast(op)) &&
         mlirValueIsNull(tile_copy_signal(tile_copy_cast(op))) &&
         tile_shape_of(tile_copy_src(tile_copy_cast(op)), &src) &&
         tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
         src.space == TILE_SPACE_GLOBAL && dst.space == TILE_SPACE_SHARED;
}

// A copy of a statement that is scheduled as a whole. Pipelined loops inside
// speak for themselves.
static MlirWalkResult remark_inside(MlirOperation op, void *user_data) {
  const Inside *inside = user_data;
  int32_t num_stages;
  if (tile_loop_attr_get(op, "tile.num_stages", &num_stages))
    return MlirWalkResultSkip;
  if (tile_copy_loop_is(op))
    return MlirWalkResultSkip; // a copy itself
  if (is_fetch(op))
    tile_emit_remark_with_note(
        op, mlirOperationGetLocation(inside->statement), "that op is here",
        "tile-pipeline/inner",
        "is not fetched ahead of its use: the loop takes the op around it as "
        "a whole; pipeline an inner loop itself, and let an scf.if give "
        "numbers only");
  return MlirWalkResultAdvance;
}

static void remark_plan(const Work *work) {
  if (tile_is_in_fallback_variant(work->loop.body.loop.op))
    return; // the loop of one source line is in every variant of its launch
  for (int i = 0; i < work->loop.plan.num_items; i++)
    if (work->loop.plan.items[i].is_copy &&
        !work->loop.plan.items[i].is_first &&
        !tile_cp_async_commit_is(op_of(work, i)))
      remark_copy(work, i);
  for (int i = 0; i < work->loop.plan.num_items; i++) {
    Inside inside = {op_of(work, i)};
    if (mlirOperationGetNumRegions(inside.statement) > 0 &&
        !tile_parallel_is(inside.statement))
      mlirOperationWalk(inside.statement, remark_inside, &inside,
                        MlirWalkPreOrder);
  }
}

//===-- Entry -------------------------------------------------------------===//

// Loops of roles have their copies elsewhere; what may overlap is products.
// tile-ws-tiled has decided about them, and says why not.
static bool rotate_role_loop(Work *work) {
  TileRotation reason;
  return work->loop.plan.num_stages >= TILE_ROTATION_STAGES &&
         tile_rotation_plan(work->arena, &work->loop, &reason);
}

// Of other loops, where products depend on each other. The plan of the copies
// is there, and stays where products do not overlap.
static void rotate_loop(Work *work) {
  TileLoopPlan *plan = &work->loop.plan;
  MlirOperation loop = work->loop.body.loop.op;
  MlirOperation kernel = tile_kernel_around(loop);
  int64_t num_threads = kernel.ptr ? tile_kernel_num_threads(kernel) : 0;
  if (num_threads < 1 || !tile_rotation_is_wished(kernel))
    return;
  TilePlanItem *in_order =
      TILE_ARENA_NEW(work->arena, TilePlanItem, plan->num_items + 1);
  memcpy(in_order, plan->items, sizeof *in_order * (size_t)plan->num_items);
  TileRotation reason;
  bool is_rotated = tile_rotation_plan(work->arena, &work->loop, &reason);
  if (is_rotated && tile_rotation_fits(&work->loop.body, num_threads,
                                       pipeline_num_registers(kernel), &reason))
    return;
  memcpy(plan->items, in_order, sizeof *in_order * (size_t)plan->num_items);
  if (reason.code && !tile_is_in_fallback_variant(loop))
    tile_rotation_remark(loop, &reason);
}

MlirLogicalResult pipeline_plan_loop(TileArena *arena, const TileLoopForm *loop,
                                     int32_t num_stages) {
  Work work = {.arena = arena};
  if (num_stages > TILE_MAX_PIPELINE_STAGES)
    return tile_emit_error(loop->op,
                           "expects 'tile.num_stages' to be at most %d, got %d",
                           (int)TILE_MAX_PIPELINE_STAGES, (int)num_stages);
  plan_build(&work, loop, num_stages);
  if (tile_loop_body_find_fixed(&work.loop.body).ptr)
    return tile_success(); // tile-inject-pipeline says so
  bool is_given;
  tile_planned_loop_find_unplanned(&work.loop, &is_given);
  bool is_in_role = pipeline_is_in_role(loop->op);
  if (!is_given && !is_in_role && pipeline_own_fragments(arena, &work.loop))
    plan_build(&work, loop, num_stages);
  if (!is_given && !(is_in_role && rotate_role_loop(&work))) {
    plan_solve(&work);
    delay_waits(&work);
    if (!is_in_role)
      rotate_loop(&work);
  } else if (is_given && tile_failed(tile_planned_loop_read(&work.loop))) {
    return tile_failure();
  }
  plan_groups(&work);
  if (tile_failed(tile_planned_loop_verify(&work.loop)))
    return tile_failure();
  if (!is_given)
    remark_plan(&work);
  tile_planned_loop_write(&work.loop);
  return tile_success();
}

typedef struct {
  TileArena arena;
  MlirLogicalResult result;
} Walk;

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  Walk *walk = user_data;
  TileLoopForm loop;
  int32_t num_stages;
  if (!tile_loop_form_get(op, &loop) ||
      !tile_loop_attr_get(op, "tile.num_stages", &num_stages) ||
      num_stages == 0)
    return MlirWalkResultAdvance;
  walk->result = pipeline_plan_loop(&walk->arena, &loop, num_stages);
  MlirOperation kernel = tile_kernel_around(op);
  if (tile_failed(walk->result) && kernel.ptr)
    tile_kernel_note_refusal(kernel);
  return tile_failed(walk->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

MlirLogicalResult
tile_pipeline_planning_run(MlirOperation op,
                           const TilePipelinePlanningOptions *options) {
  (void)options;
  Walk walk = {.result = tile_success()};
  tile_arena_init(&walk.arena);
  tile_ignored_attributes_warn(op);
  mlirOperationWalk(op, visit, &walk, MlirWalkPreOrder);
  tile_arena_deinit(&walk.arena);
  return walk.result;
}
