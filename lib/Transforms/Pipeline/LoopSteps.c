//===- LoopSteps.c - Wait counts of a pipelined loop ----------------------===//
//
// `cp.async.wait_group n` lets at most the n youngest groups be under way. The
// right n at a place in the code is the number of groups committed after the
// youngest one that the place needs. It is found by running the schedule, which
// is the definition of the number: nothing can be forgotten.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Loops/LoopPlan.h"

#include <stddef.h>

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

// Groups committed in `step` behind the ops of order `after` and before those
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
