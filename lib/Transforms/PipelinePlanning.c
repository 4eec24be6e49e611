//===- PipelinePlanning.c - Assign a stage to every op of a loop ----------===//
//
// Consumes: `scf.for` loops with `tile.num_stages` >= 1.
// Produces: `tile.stage` (0 = earliest), `tile.order` on every scheduled op of
//           the body, `tile.group` on copies that complete asynchronously.
//           No op is created, moved or erased.
// Fails:    a plan written by the user that breaks a dependence, lacks an op or
//           exceeds the number of stages.
// Method:   docs/Rationale/Pipelining.md. One verifier judges every plan.
//
//===----------------------------------------------------------------------===//

#include "Tile/LoopBody.h"
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"

static const char stage_name[] = "tile.stage";
static const char order_name[] = "tile.order";
static const char group_name[] = "tile.group";

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  TileLoopBody body;
  TileLoopPlan plan;
  int *broken; // per item: the edge that kept it from running ahead, or -1
} Work;

static MlirOperation op_of(const Work *work, int item) {
  return work->body.statements[item].op;
}

static bool attr_get(MlirOperation op, const char *name, int32_t *out) {
  MlirAttribute attr =
      mlirOperationGetDiscardableAttributeByName(op, tile_str(name));
  if (mlirAttributeIsNull(attr))
    return false;
  *out = (int32_t)mlirIntegerAttrGetValueInt(attr);
  return true;
}

//===-- Build: IR to plan -------------------------------------------------===//

// Whether all that the statement writes is a version of a shared tile.
static bool writes_versions_only(const Work *work, const TileStatement *s) {
  for (int a = 0; a < s->num_accesses; a++)
    if (s->accesses[a].writes &&
        !work->body.buffers[s->accesses[a].buffer].is_versioned)
      return false;
  return !s->has_other_effects;
}

// A leaf op that moves data from global into shared memory.
static bool is_load_to_shared(const Work *work, const TileStatement *s) {
  bool reads_global = false, writes_shared = false;
  if (!tile_op_is(s->op))
    return false;
  for (int a = 0; a < s->num_accesses; a++) {
    TileSpace space = work->body.buffers[s->accesses[a].buffer].space;
    if (s->accesses[a].reads && space != TILE_SPACE_GLOBAL)
      return false;
    if (s->accesses[a].writes && space != TILE_SPACE_SHARED)
      return false;
    reads_global |= s->accesses[a].reads;
    writes_shared |= s->accesses[a].writes;
  }
  return reads_global && writes_shared && !s->has_other_effects;
}

static void plan_build(Work *work, ScfForOp loop, int32_t num_stages) {
  tile_loop_body_build(work->arena, loop, &work->body);
  TileLoopEdge *edges;
  int n = work->body.num_statements;
  work->plan =
      (TileLoopPlan){.items = TILE_ARENA_NEW(work->arena, TilePlanItem, n + 1),
                     .num_items = n,
                     .num_stages = num_stages};
  work->broken = TILE_ARENA_NEW(work->arena, int, n + 1);
  tile_loop_edges_build(work->arena, &work->body, &edges,
                        &work->plan.num_edges);
  work->plan.edges = edges;
  for (int i = 0; i < n; i++) {
    const TileStatement *s = &work->body.statements[i];
    work->broken[i] = -1;
    work->plan.items[i] = (TilePlanItem){
        .group = -1,
        .is_copy = is_load_to_shared(work, s),
        .can_lead = writes_versions_only(work, s) &&
                    mlirOperationGetNumRegions(s->op) == 0 &&
                    !tile_gemm_is(s->op) && !tile_gemm_sp_is(s->op)};
  }
}

//===-- A plan of the user ------------------------------------------------===//

// The first statement that carries the attribute, or -1.
static int find_attr(const Work *work, const char *name) {
  int32_t value;
  for (int i = 0; i < work->plan.num_items; i++)
    if (attr_get(op_of(work, i), name, &value))
      return i;
  return -1;
}

static MlirLogicalResult need_attr(const Work *work, int item, int witness,
                                   const char *name) {
  return tile_emit_error_with_note(
      op_of(work, item), mlirOperationGetLocation(op_of(work, witness)),
      "this op of the loop has it",
      "expects '%s': all ops of a planned loop "
      "have it",
      name);
}

static MlirLogicalResult read_stage(Work *work, int item, int witness) {
  TilePlanItem *it = &work->plan.items[item];
  if (!attr_get(op_of(work, item), stage_name, &it->stage))
    return need_attr(work, item, witness, stage_name);
  if (it->stage > work->plan.num_stages)
    return tile_emit_error(op_of(work, item),
                           "expects '%s' to be at most 'tile.num_stages' = %d, "
                           "got %d",
                           stage_name, (int)work->plan.num_stages,
                           (int)it->stage);
  return tile_success();
}

static MlirLogicalResult check_orders(const Work *work) {
  int a, b;
  if (!tile_loop_plan_find_tie(&work->plan, &a, &b))
    return tile_success();
  return tile_emit_error_with_note(
      op_of(work, b), mlirOperationGetLocation(op_of(work, a)),
      "this op has the same", "expects a '%s' of its own, got %d", order_name,
      (int)work->plan.items[b].order);
}

// Program order where the user gives stages only.
static MlirLogicalResult read_plan(Work *work, int witness) {
  int ordered = find_attr(work, order_name);
  for (int i = 0; i < work->plan.num_items; i++) {
    TilePlanItem *item = &work->plan.items[i];
    if (tile_failed(read_stage(work, i, witness)))
      return tile_failure();
    item->order = i;
    if (ordered >= 0 && !attr_get(op_of(work, i), order_name, &item->order))
      return need_attr(work, i, ordered, order_name);
  }
  return check_orders(work);
}

//===-- Solve and verify --------------------------------------------------===//

static const char *reason_text(TileEdgeKind kind) {
  switch (kind) {
  case TILE_EDGE_FLOW:
    return "it reads what that op writes";
  case TILE_EDGE_ANTI:
    return "it writes what that op reads";
  case TILE_EDGE_OUTPUT:
    return "it writes what that op writes";
  case TILE_EDGE_VALUE:
    return "it uses a result of that op";
  case TILE_EDGE_CARRIED:
    return "it uses a carried value that that op updates";
  case TILE_EDGE_EFFECT:
    return "the effects of the two keep their order";
  }
  return "";
}

static MlirLogicalResult plan_verify(const Work *work) {
  int e = tile_loop_plan_find_broken(&work->plan);
  if (e < 0)
    return tile_success();
  const TileLoopEdge *edge = &work->plan.edges[e];
  const TilePlanItem *from = &work->plan.items[edge->from];
  const TilePlanItem *to = &work->plan.items[edge->to];
  char note[128];
  snprintf(note, sizeof note, "this op is in stage %d, order %d",
           (int)from->stage, (int)from->order);
  return tile_emit_error_with_note(
      op_of(work, edge->to), mlirOperationGetLocation(op_of(work, edge->from)),
      note,
      "must run after another op%s, because %s; stage %d, order %d is too "
      "early",
      edge->distance ? " of the iteration before" : "", reason_text(edge->kind),
      (int)to->stage, (int)to->order);
}

// A statement in the way of others does not run ahead. Ends: each round takes
// one statement from those that do.
static void plan_solve(Work *work) {
  int *scratch = TILE_ARENA_NEW(work->arena, int, work->plan.num_items + 1);
  for (;;) {
    tile_loop_plan_solve(&work->plan, scratch);
    int e = tile_loop_plan_find_broken(&work->plan);
    if (e < 0)
      return;
    const TileLoopEdge *edge = &work->plan.edges[e];
    int item = work->plan.items[edge->to].is_first ? edge->to : edge->from;
    if (!work->plan.items[item].is_first)
      return; // plan_verify reports it
    work->plan.items[item].can_lead = false;
    work->broken[item] = e;
  }
}

//===-- Groups ------------------------------------------------------------===//

static bool is_async_copy(MlirOperation op) {
  if (!tile_copy_is(op) ||
      mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))))
    return false;
  TileInstr instr = tile_copy_instr(tile_copy_cast(op));
  return instr == TILE_INSTR_CpAsync || instr == TILE_INSTR_Tma;
}

// The last statement, by stage and order, that reads what the item writes.
static int last_use_of(const TileLoopPlan *plan, int item) {
  int last = -1;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->from != item || edge->distance || edge->kind != TILE_EDGE_FLOW)
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

static MlirLogicalResult check_groups(const Work *work) {
  const TilePlanItem *items = work->plan.items;
  for (int b = 0; b < work->plan.num_items; b++)
    for (int a = 0; a < b; a++)
      if (items[b].group >= 0 && items[a].group == items[b].group &&
          items[a].stage != items[b].stage)
        return tile_emit_error_with_note(
            op_of(work, b), mlirOperationGetLocation(op_of(work, a)),
            "this op of the group is in another stage",
            "expects the ops of '%s' %d in one stage, got stage %d", group_name,
            (int)items[b].group, (int)items[b].stage);
  return tile_success();
}

// The statement that comes next by order, behind `order`.
static int next_by_order(const TileLoopPlan *plan, int64_t order) {
  int next = -1;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].order > order &&
        (next < 0 || plan->items[i].order < plan->items[next].order))
      next = i;
  return next;
}

// Copies of one stage with the same last use complete together. Groups are
// numbered as they are issued, behind those that the user numbered.
static MlirLogicalResult plan_groups(Work *work) {
  TileLoopPlan *plan = &work->plan;
  int32_t num_groups = 0;
  for (int i = 0; i < plan->num_items; i++)
    if (attr_get(op_of(work, i), group_name, &plan->items[i].group) &&
        plan->items[i].group >= num_groups)
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
  return check_groups(work);
}

//===-- Remarks -----------------------------------------------------------===//

static const char *help_text(const char *code) {
  static const struct {
    const char *code, *text;
  } list[] = {
      {"tile-pipeline/stale-read",
       "an op reads the tile where the iteration has not filled it before"},
      {"tile-pipeline/used-outside",
       "the tile is read outside the loop as well; a tile of its own helps"},
      {"tile-pipeline/use", "an op that is no tile op uses the tile"},
      {"tile-pipeline/rank", "a ring would have more than 5 dimensions"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i].code, code) == 0)
      return list[i].text;
  return "";
}

// Why a copy does not run ahead of its use.
static void remark_copy(const Work *work, int item) {
  const TileStatement *s = &work->body.statements[item];
  for (int a = 0; a < s->num_accesses; a++) {
    const TileLoopBuffer *buffer = &work->body.buffers[s->accesses[a].buffer];
    if (s->accesses[a].writes && buffer->code) {
      tile_emit_remark(s->op, buffer->code,
                       "is not fetched ahead of its use: %s",
                       help_text(buffer->code));
      return;
    }
  }
  if (work->broken[item] >= 0) {
    const TileLoopEdge *edge = &work->plan.edges[work->broken[item]];
    bool is_to = edge->to == item;
    tile_emit_remark(s->op, "tile-pipeline/dependence",
                     "is not fetched ahead of its use: %s",
                     is_to ? reason_text(edge->kind)
                           : "another op of the loop has to see it first");
  } else {
    tile_emit_remark(s->op, "tile-pipeline/unused",
                     "is not fetched ahead: nothing in the loop reads it");
  }
}

static void remark_plan(const Work *work) {
  if (tile_is_in_fallback_variant(work->body.loop.op))
    return; // the loop of one source line is in every variant of its launch
  for (int i = 0; i < work->plan.num_items; i++)
    if (work->plan.items[i].is_copy && !work->plan.items[i].is_first)
      remark_copy(work, i);
}

//===-- Apply: plan to IR; cannot fail ------------------------------------===//

static void attr_set(MlirOperation op, const char *name, int32_t value) {
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  mlirOperationSetDiscardableAttributeByName(op, tile_str(name),
                                             mlirIntegerAttrGet(type, value));
}

static void plan_apply(const Work *work) {
  for (int i = 0; i < work->plan.num_items; i++) {
    const TilePlanItem *item = &work->plan.items[i];
    attr_set(op_of(work, i), stage_name, item->stage);
    attr_set(op_of(work, i), order_name, item->order);
    if (item->group >= 0)
      attr_set(op_of(work, i), group_name, item->group);
  }
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult plan_loop(TileArena *arena, ScfForOp loop,
                                   int32_t num_stages) {
  Work work = {.arena = arena};
  if (num_stages > TILE_MAX_PIPELINE_STAGES)
    return tile_emit_error(loop.op,
                           "expects 'tile.num_stages' to be at most %d, got %d",
                           (int)TILE_MAX_PIPELINE_STAGES, (int)num_stages);
  plan_build(&work, loop, num_stages);
  int witness = find_attr(&work, stage_name);
  if (witness < 0 && find_attr(&work, order_name) >= 0)
    witness = find_attr(&work, order_name);
  if (witness >= 0) {
    if (tile_failed(read_plan(&work, witness)))
      return tile_failure();
  } else {
    plan_solve(&work);
  }
  if (tile_failed(plan_verify(&work)) || tile_failed(plan_groups(&work)))
    return tile_failure();
  if (witness < 0)
    remark_plan(&work);
  plan_apply(&work);
  return tile_success();
}

typedef struct {
  TileArena arena;
  MlirLogicalResult result;
} Walk;

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  Walk *walk = user_data;
  ScfForOp loop = scf_for_dyn(op);
  int32_t num_stages;
  if (mlirOperationIsNull(loop.op) ||
      !attr_get(op, "tile.num_stages", &num_stages) || num_stages == 0)
    return MlirWalkResultAdvance;
  walk->result = plan_loop(&walk->arena, loop, num_stages);
  return tile_failed(walk->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultAdvance;
}

MlirLogicalResult
tile_pipeline_planning_run(MlirOperation op,
                           const TilePipelinePlanningOptions *options) {
  (void)options;
  Walk walk = {.result = tile_success()};
  tile_arena_init(&walk.arena);
  mlirOperationWalk(op, visit, &walk, MlirWalkPreOrder);
  tile_arena_deinit(&walk.arena);
  return walk.result;
}
