//===- LoopPlan.c - Stages and orders of a pipelined loop -----------------===//
//
// The rule of the reference system (docs/Rationale/Pipelining.md): statements
// keep their order, and a copy is placed right behind its last use, to fetch
// for a later iteration. When all copies end up at the tail of the body they
// are rotated to its head, which saves an iteration of latency.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include <stddef.h>

//===-- Questions ---------------------------------------------------------===//

int32_t tile_loop_plan_last_stage(const TileLoopPlan *plan) {
  int32_t last = 0;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].stage > last)
      last = plan->items[i].stage;
  return last;
}

int32_t tile_loop_plan_first_stage(const TileLoopPlan *plan) {
  int32_t first = INT32_MAX;
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].stage < first)
      first = plan->items[i].stage;
  return first;
}

int32_t tile_loop_plan_num_slots(const TilePlanItem *writer,
                                 const TilePlanItem *user) {
  int32_t slots = user->stage - writer->stage;
  return user->order >= writer->order ? slots + 1 : slots;
}

static bool edge_holds(const TileLoopPlan *plan, const TileLoopEdge *edge) {
  const TilePlanItem *from = &plan->items[edge->from];
  const TilePlanItem *to = &plan->items[edge->to];
  // Iteration i + 1 takes over what iteration i has updated: the update of the
  // step before is there from the stage of its statement on.
  if (edge->kind == TILE_EDGE_CARRIED)
    return from->stage <= to->stage;
  int32_t slack = to->stage + edge->distance - from->stage;
  return slack > 0 || (slack == 0 && from->order < to->order);
}

int tile_loop_plan_find_broken(const TileLoopPlan *plan) {
  for (int e = 0; e < plan->num_edges; e++)
    if (!edge_holds(plan, &plan->edges[e]))
      return e;
  return -1;
}

bool tile_loop_plan_find_tie(const TileLoopPlan *plan, int *out_a, int *out_b) {
  for (int b = 0; b < plan->num_items; b++)
    for (int a = 0; a < b; a++)
      if (plan->items[a].order == plan->items[b].order) {
        *out_a = a;
        *out_b = b;
        return true;
      }
  return false;
}

//===-- Which statements run ahead ----------------------------------------===//

// Edges along which a statement prepares another one: it computes what the
// other reads, in this iteration or by a carried value in the next, or fills
// what the other then overwrites in part.
static bool prepares(const TileLoopEdge *edge, int from) {
  if (edge->from != from)
    return false;
  if (edge->distance)
    return edge->kind == TILE_EDGE_CARRIED;
  return edge->kind == TILE_EDGE_FLOW || edge->kind == TILE_EDGE_VALUE ||
         edge->kind == TILE_EDGE_OUTPUT;
}

// Sets `is_first` of item `i` and its last use; later items are done. What
// prepares others that run ahead goes in front of the first of them. True when
// the item runs ahead now, and did not before.
static bool find_last_use(TileLoopPlan *plan, int i, int *last_use) {
  TilePlanItem *item = &plan->items[i];
  bool feeds_first = false;
  int earliest = INT32_MAX;
  last_use[i] = -1;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (!prepares(edge, i))
      continue;
    bool is_first = plan->items[edge->to].is_first;
    if ((edge->kind == TILE_EDGE_OUTPUT || edge->distance) && !is_first)
      continue;
    int use = is_first ? last_use[edge->to] : edge->to;
    feeds_first |= is_first;
    if (is_first && use < earliest)
      earliest = use;
    if (use > last_use[i])
      last_use[i] = use;
  }
  if (earliest < last_use[i])
    last_use[i] = earliest;
  bool was_first = item->is_first;
  item->is_first =
      item->can_lead && last_use[i] > i && (item->is_copy || feeds_first);
  return item->is_first && !was_first;
}

//===-- Stages and orders -------------------------------------------------===//

// Every statement keeps its place; those that run ahead follow their last use.
static void place(TileLoopPlan *plan, const int *last_use) {
  int32_t order = 0;
  for (int i = 0; i < plan->num_items; i++) {
    if (plan->items[i].is_first)
      continue;
    plan->items[i].stage = plan->num_stages;
    plan->items[i].order = order++;
    for (int j = 0; j < i; j++)
      if (plan->items[j].is_first && last_use[j] == i) {
        plan->items[j].stage = 0;
        plan->items[j].order = order++;
      }
  }
}

static bool is_tail(const TileLoopPlan *plan, int num_first) {
  for (int i = 0; i < plan->num_items; i++)
    if (plan->items[i].is_first !=
        (plan->items[i].order >= plan->num_items - num_first))
      return false;
  return true;
}

// The statements that run ahead move from the tail of the body to its head:
// what they fetch is one iteration less ahead, and as early in time.
static void rotate(TileLoopPlan *plan, int num_first) {
  for (int i = 0; i < plan->num_items; i++) {
    TilePlanItem *item = &plan->items[i];
    if (item->is_first) {
      item->order -= plan->num_items - num_first;
      continue;
    }
    item->order += num_first;
    item->stage = plan->num_stages - 1;
  }
}

void tile_loop_plan_solve(TileLoopPlan *plan, int *scratch) {
  int num_first = 0;
  for (int i = 0; i < plan->num_items; i++)
    plan->items[i].is_first = false;
  // Carried values lead back: each round but the last adds one that runs ahead.
  for (bool grew = true; grew;) {
    grew = false;
    for (int i = plan->num_items - 1; i >= 0; i--)
      grew |= find_last_use(plan, i, scratch);
  }
  for (int i = 0; i < plan->num_items; i++)
    num_first += plan->items[i].is_first;
  place(plan, scratch);
  if (num_first > 0 && plan->num_stages >= 2 && is_tail(plan, num_first))
    rotate(plan, num_first);
}
