//===- LoopPlan.c - Stages, orders and waits of a pipeline ----------------===//
//
// The rule of the reference system (docs/Rationale/Pipelining.md): statements
// keep their order, and a copy is placed right after its last use, to fetch
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
static bool prepares(const TileLoopEdge *edge) {
  if (edge->distance)
    return edge->kind == TILE_EDGE_CARRIED;
  return edge->kind == TILE_EDGE_FLOW || edge->kind == TILE_EDGE_VALUE ||
         edge->kind == TILE_EDGE_OUTPUT;
}

// Sets `is_first` of item `i` and its last use; later items are done. What
// prepares others that run ahead goes before the first of them. True when
// the item runs ahead now, and did not before.
static bool find_last_use(TileLoopPlan *plan, int i, int *last_use) {
  TilePlanItem *item = &plan->items[i];
  bool feeds_first = false;
  int earliest = INT32_MAX;
  last_use[i] = -1;
  for (int e = item->edge; e >= 0; e = plan->edges[e].next) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (!prepares(edge))
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

//===-- Waits: how many groups may be under way ---------------------------===//
//
// `cp.async.wait_group n` lets at most the n youngest groups be under way. The
// right n at a place in the code is the number of groups committed after the
// youngest one that the place needs. It is found by running the schedule, which
// is the definition of the number: nothing can be forgotten.

static bool is_last_step(const TileLoopSchedule *schedule, int64_t step,
                         int64_t num_iters) {
  return schedule->is_rotated && num_iters > 0 &&
         step == num_iters + schedule->last_stage - 1;
}

// Where step `step` of a run of `num_iters` iterations is in the code.
static int64_t place_of(const TileLoopSchedule *schedule, int64_t step,
                        int64_t num_iters) {
  if (step < schedule->last_stage)
    return step; // prologue
  if (schedule->is_peeled && step >= num_iters)
    return step; // epilogue
  return is_last_step(schedule, step, num_iters) ? TILE_LAST_STEP
                                                 : TILE_STEADY_STEP;
}

// Groups committed in one step by a run of `num_iters` iterations.
static bool commits(const TileLoopSchedule *schedule,
                    const TileLoopGroup *group, int64_t step,
                    int64_t num_iters) {
  int64_t iter = step - group->stage;
  return iter >= 0 && (!schedule->is_peeled || iter < num_iters) &&
         !is_last_step(schedule, step, num_iters);
}

// Groups committed in `step` after the ops of order `after` and before those
// of order `before`.
static int64_t count_commits(const TileLoopSchedule *schedule, int64_t step,
                             int64_t num_iters, int64_t after, int64_t before) {
  int64_t count = 0;
  for (int g = 0; g < schedule->num_groups; g++)
    count += schedule->groups[g].order > after &&
             schedule->groups[g].order < before &&
             commits(schedule, &schedule->groups[g], step, num_iters);
  return count;
}

// Groups committed between `group` of iteration `iter` and the wait in `step`.
static int64_t count_behind(const TileLoopSchedule *schedule,
                            const TileLoopGroup *group, int64_t iter,
                            int64_t step, int32_t order, int64_t num_iters) {
  int64_t begin = iter + group->stage; // the step that commits it
  if (begin == step)
    return count_commits(schedule, step, num_iters, group->order, order);
  int64_t count =
      count_commits(schedule, begin, num_iters, group->order, INT64_MAX);
  for (int64_t s = begin + 1; s < step; s++)
    count += count_commits(schedule, s, num_iters, INT64_MIN, INT64_MAX);
  return count + count_commits(schedule, step, num_iters, INT64_MIN, order);
}

static void run(const TileLoopSchedule *schedule, const TileLoopWait *wait,
                int64_t place, int64_t num_iters, int64_t *least) {
  int64_t num_steps = num_iters + schedule->last_stage;
  for (int64_t step = 0; step < num_steps; step++) {
    int64_t iter = step - wait->stage;
    if (place_of(schedule, step, num_iters) != place || iter < 0 ||
        iter >= num_iters)
      continue;
    for (int g = 0; g < wait->num_groups; g++) {
      int64_t count = count_behind(schedule, &schedule->groups[wait->groups[g]],
                                   iter, step, wait->order, num_iters);
      if (*least < 0 || count < *least)
        *least = count;
    }
  }
}

int tile_loop_schedule_pending(const TileLoopSchedule *schedule,
                               const TileLoopWait *wait, int64_t step) {
  // Steps repeat once the pipeline is full: longer runs show nothing new.
  int64_t bound = 2 * (int64_t)schedule->last_stage + 4;
  int64_t least = -1;
  if (schedule->is_peeled) {
    run(schedule, wait, step, schedule->num_iters, &least);
    return (int)least;
  }
  for (int64_t n = 0; n <= bound; n++)
    run(schedule, wait, step, n, &least);
  return (int)least;
}
