//===- PlannedLoop.c - Plans on ops, read and judged ----------------------===//
//
// The one verifier of plans: it does not ask who wrote them.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Ops.h"
#include "Loops.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/scf.h"

static const char stage_name[] = "tile.stage";
static const char order_name[] = "tile.order";
static const char group_name[] = "tile.group";

//===-- Attributes --------------------------------------------------------===//

static MlirOperation op_of(const TilePlannedLoop *loop, int item) {
  return loop->body.statements[item].op;
}

bool tile_loop_attr_get(MlirOperation op, const char *name, int32_t *out) {
  MlirAttribute attr =
      mlirOperationGetDiscardableAttributeByName(op, tile_str(name));
  if (mlirAttributeIsNull(attr))
    return false;
  *out = (int32_t)mlirIntegerAttrGetValueInt(attr);
  return true;
}

static void attr_set(MlirOperation op, const char *name, int32_t value) {
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  mlirOperationSetDiscardableAttributeByName(op, tile_str(name),
                                             mlirIntegerAttrGet(type, value));
}

// The first statement that carries the attribute, or -1.
static int find_attr(const TilePlannedLoop *loop, const char *name) {
  int32_t value;
  for (int i = 0; i < loop->plan.num_items; i++)
    if (tile_loop_attr_get(op_of(loop, i), name, &value))
      return i;
  return -1;
}

static int find_without_attr(const TilePlannedLoop *loop, const char *name) {
  int32_t value;
  for (int i = 0; i < loop->plan.num_items; i++)
    if (!tile_loop_attr_get(op_of(loop, i), name, &value))
      return i;
  return -1;
}

//===-- Build -------------------------------------------------------------===//

// Chains the edges of each statement, in their order.
static void link_edges(TileLoopPlan *plan, TileLoopEdge *edges, int num_edges) {
  for (int i = 0; i < plan->num_items; i++)
    plan->items[i].edge = -1;
  for (int e = num_edges - 1; e >= 0; e--) {
    TilePlanItem *from = &plan->items[edges[e].from];
    edges[e].next = from->edge;
    from->edge = e;
  }
  plan->edges = edges;
  plan->num_edges = num_edges;
}

void tile_planned_loop_build(TileArena *arena, const TileLoopForm *loop,
                             int32_t num_stages, TilePlannedLoop *out_loop) {
  TileLoopEdge *edges;
  int num_edges;
  *out_loop = (TilePlannedLoop){.plan.num_stages = num_stages};
  tile_loop_body_build(arena, loop, &out_loop->body);
  TileLoopPlan *plan = &out_loop->plan;
  plan->num_items = out_loop->body.num_statements;
  plan->items = TILE_ARENA_NEW(arena, TilePlanItem, plan->num_items + 1);
  for (int i = 0; i < plan->num_items; i++) {
    plan->items[i].group = -1;
    tile_loop_attr_get(op_of(out_loop, i), group_name, &plan->items[i].group);
  }
  tile_loop_edges_build(arena, &out_loop->body, &edges, &num_edges);
  link_edges(plan, edges, num_edges);
}

//===-- Read --------------------------------------------------------------===//

int tile_planned_loop_find_unplanned(const TilePlannedLoop *loop,
                                     bool *out_some) {
  if (out_some)
    *out_some =
        find_attr(loop, stage_name) >= 0 || find_attr(loop, order_name) >= 0;
  return find_without_attr(loop, stage_name);
}

static MlirLogicalResult need_attr(const TilePlannedLoop *loop, int item,
                                   int witness, const char *name) {
  return tile_emit_error_with_note(
      op_of(loop, item), mlirOperationGetLocation(op_of(loop, witness)),
      "this op of the loop has it",
      "expects '%s': all ops of a planned loop have it", name);
}

static MlirLogicalResult read_stages(TilePlannedLoop *loop) {
  int missing = find_without_attr(loop, stage_name);
  int witness = find_attr(loop, stage_name);
  if (missing >= 0)
    return need_attr(loop, missing,
                     witness >= 0 ? witness : find_attr(loop, order_name),
                     witness >= 0 ? stage_name : "tile.stage");
  for (int i = 0; i < loop->plan.num_items; i++) {
    TilePlanItem *item = &loop->plan.items[i];
    tile_loop_attr_get(op_of(loop, i), stage_name, &item->stage);
    if (item->stage > loop->plan.num_stages)
      return tile_emit_error(
          op_of(loop, i),
          "expects '%s' to be at most 'tile.num_stages' = %d, got %d",
          stage_name, (int)loop->plan.num_stages, (int)item->stage);
  }
  return tile_success();
}

// Program order where there are stages only.
static MlirLogicalResult read_orders(TilePlannedLoop *loop) {
  int witness = find_attr(loop, order_name);
  int missing = find_without_attr(loop, order_name);
  if (witness >= 0 && missing >= 0)
    return need_attr(loop, missing, witness, order_name);
  for (int i = 0; i < loop->plan.num_items; i++) {
    loop->plan.items[i].order = i;
    tile_loop_attr_get(op_of(loop, i), order_name, &loop->plan.items[i].order);
  }
  int a, b;
  if (!tile_loop_plan_find_tie(&loop->plan, &a, &b))
    return tile_success();
  return tile_emit_error_with_note(
      op_of(loop, b), mlirOperationGetLocation(op_of(loop, a)),
      "this op has the same", "expects a '%s' of its own, got %d", order_name,
      (int)loop->plan.items[b].order);
}

MlirLogicalResult tile_planned_loop_read(TilePlannedLoop *loop) {
  if (tile_failed(read_stages(loop)))
    return tile_failure();
  return read_orders(loop);
}

void tile_statement_plan_write(MlirOperation op, int32_t stage, int32_t order) {
  attr_set(op, stage_name, stage);
  attr_set(op, order_name, order);
}

void tile_planned_loop_write(const TilePlannedLoop *loop) {
  for (int i = 0; i < loop->plan.num_items; i++) {
    const TilePlanItem *item = &loop->plan.items[i];
    tile_statement_plan_write(op_of(loop, i), item->stage, item->order);
    if (item->group >= 0)
      attr_set(op_of(loop, i), group_name, item->group);
  }
}

static MlirWalkResult drop_plan(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationRemoveDiscardableAttributeByName(op, tile_str(stage_name));
  mlirOperationRemoveDiscardableAttributeByName(op, tile_str(order_name));
  mlirOperationRemoveDiscardableAttributeByName(op, tile_str(group_name));
  return MlirWalkResultAdvance;
}

static bool is_pipelined(MlirOperation op) {
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages")));
}

// Inner pipelined loops keep their own plans.
static MlirWalkResult drop_own_plan(MlirOperation op, void *user_data) {
  const MlirOperation *top = user_data;
  drop_plan(op, NULL);
  return is_pipelined(op) && !mlirOperationEqual(op, *top)
             ? MlirWalkResultSkip
             : MlirWalkResultAdvance;
}

void tile_loop_plan_drop(MlirOperation loop) {
  mlirOperationWalk(loop, drop_own_plan, &loop, MlirWalkPreOrder);
}

void tile_statement_plan_drop(MlirOperation op) {
  if (is_pipelined(op))
    drop_plan(op, NULL);
  else
    tile_loop_plan_drop(op);
}

typedef struct {
  MlirOperation loop; // keeps its own place in a loop around it
  bool is_planned;
} BodyPlan;

static MlirWalkResult drop_body_plan(MlirOperation op, void *user_data) {
  BodyPlan *plan = user_data;
  if (mlirOperationEqual(op, plan->loop))
    return MlirWalkResultAdvance;
  plan->is_planned |= !mlirAttributeIsNull(
      mlirOperationGetDiscardableAttributeByName(op, tile_str(stage_name)));
  return drop_own_plan(op, &plan->loop);
}

MlirOperation tile_pipelined_loop_around(MlirOperation op) {
  MlirOperation loop = mlirOperationGetParentOperation(op);
  while (scf_if_is(loop))
    loop = mlirOperationGetParentOperation(loop);
  return is_pipelined(loop) ? loop : (MlirOperation){NULL};
}

void tile_plan_around_drop(MlirOperation op) {
  BodyPlan plan = {tile_pipelined_loop_around(op), false};
  if (mlirOperationIsNull(plan.loop))
    return;
  mlirOperationWalk(plan.loop, drop_body_plan, &plan, MlirWalkPreOrder);
  if (plan.is_planned && !tile_is_in_fallback_variant(op))
    tile_emit_remark(op, "tile-pipeline/no-plan",
                     "is rewritten: its loop is planned anew");
}

//===-- Verify ------------------------------------------------------------===//

const char *tile_loop_edge_text(TileEdgeKind kind) {
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

static MlirLogicalResult verify_edges(const TilePlannedLoop *loop) {
  int e = tile_loop_plan_find_broken(&loop->plan);
  if (e < 0)
    return tile_success();
  const TileLoopEdge *edge = &loop->plan.edges[e];
  const TilePlanItem *from = &loop->plan.items[edge->from];
  const TilePlanItem *to = &loop->plan.items[edge->to];
  char note[128];
  snprintf(note, sizeof note, "this op is in stage %d, order %d",
           (int)from->stage, (int)from->order);
  return tile_emit_error_with_note(
      op_of(loop, edge->to), mlirOperationGetLocation(op_of(loop, edge->from)),
      note,
      "must run after another op%s, because %s; stage %d, order %d is too "
      "early",
      edge->distance ? " of the iteration before" : "",
      tile_loop_edge_text(edge->kind), (int)to->stage, (int)to->order);
}

static MlirLogicalResult verify_groups(const TilePlannedLoop *loop) {
  const TilePlanItem *items = loop->plan.items;
  for (int b = 0; b < loop->plan.num_items; b++)
    for (int a = 0; a < b; a++)
      if (items[b].group >= 0 && items[a].group == items[b].group &&
          items[a].stage != items[b].stage)
        return tile_emit_error_with_note(
            op_of(loop, b), mlirOperationGetLocation(op_of(loop, a)),
            "this op of the group is in another stage",
            "expects the ops of '%s' %d in one stage, got stage %d", group_name,
            (int)items[b].group, (int)items[b].stage);
  return tile_success();
}

MlirLogicalResult tile_planned_loop_verify(const TilePlannedLoop *loop) {
  return tile_failed(verify_edges(loop)) ? tile_failure() : verify_groups(loop);
}
