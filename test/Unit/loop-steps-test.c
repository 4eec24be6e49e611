//===- loop-steps-test.c - Wait counts against a run of every step --------===//
//
// Random pipelines of up to three groups and up to three stages, run step by
// step as the code does: commits are appended to a list, and a wait with count
// c lets all but the last c be seen. Every group that is needed must be seen,
// for every number of iterations; in the guarded and in the rotated form no
// wait waits for more than it needs. The counts of the reference cases are
// written out.
//
//===----------------------------------------------------------------------===//

#include "layout-check.h"

#include "Analysis/Loops/LoopPlan.h"

#include <stdbool.h>

enum { ROUNDS = 2000, MAX_GROUPS = 3, MAX_COMMITS = 256, MAX_ITERS = 10 };

typedef struct {
  TileLoopSchedule schedule;
  TileLoopGroup groups[MAX_GROUPS];
  TileLoopWait waits[MAX_GROUPS];
  int group_of_wait[MAX_GROUPS];
} Pipe;

typedef struct {
  int group;
  int64_t iter;
} Commit;

typedef struct {
  Commit commits[MAX_COMMITS];
  int num_commits, num_waits, num_late;
} Run;

// The last iteration of a rotated loop ends after it, alone.
static bool is_behind_loop(const Pipe *pipe, int64_t step, int64_t n) {
  return pipe->schedule.is_rotated && n > 0 &&
         step + 1 == n + pipe->schedule.last_stage;
}

// The place of a step in the code, as tile_loop_schedule_pending names it.
static int64_t place_of(const Pipe *pipe, int64_t step, int64_t n) {
  if (is_behind_loop(pipe, step, n))
    return TILE_LAST_STEP;
  bool is_steady = step >= pipe->schedule.last_stage &&
                   (!pipe->schedule.is_peeled || step < n);
  return is_steady ? TILE_STEADY_STEP : step;
}

static void run_wait(const Pipe *pipe, int w, int64_t step, int64_t n,
                     Run *run) {
  int64_t iter = step - pipe->waits[w].stage;
  if (iter < 0 || iter >= n)
    return;
  int pending = tile_loop_schedule_pending(&pipe->schedule, &pipe->waits[w],
                                           place_of(pipe, step, n));
  int needed = -1;
  for (int c = 0; c < run->num_commits; c++)
    if (run->commits[c].group == pipe->group_of_wait[w] &&
        run->commits[c].iter == iter)
      needed = c;
  CHECK(needed >= 0, "group %d of iteration %d", w, (int)iter);
  CHECK(pending >= 0 && pending <= run->num_commits - 1 - needed,
        "%d under way, %d may be", pending, run->num_commits - 1 - needed);
  run->num_waits++;
  run->num_late += pending < run->num_commits - 1 - needed;
}

static void run_step(const Pipe *pipe, int64_t step, int64_t n, Run *run) {
  for (int32_t order = 0; order < 2 * MAX_GROUPS; order++)
    for (int g = 0; g < pipe->schedule.num_groups; g++) {
      if (pipe->waits[g].order == order)
        run_wait(pipe, g, step, n, run);
      int64_t iter = step - pipe->groups[g].stage;
      if (pipe->groups[g].order == order && iter >= 0 &&
          (!pipe->schedule.is_peeled || iter < n) &&
          !is_behind_loop(pipe, step, n))
        run->commits[run->num_commits++] = (Commit){g, iter};
    }
}

static Run run_all(Pipe *pipe, int64_t n) {
  Run run = {.num_commits = 0};
  for (int64_t step = 0; step < n + pipe->schedule.last_stage; step++)
    run_step(pipe, step, n, &run);
  return run;
}

static void random_pipe(Pipe *pipe) {
  int num_groups = 1 + (int)rnd(MAX_GROUPS);
  int32_t order[2 * MAX_GROUPS], stages = 1 + (int32_t)rnd(3);
  for (int i = 0; i < 2 * num_groups; i++) {
    int j = (int)rnd((unsigned)i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  *pipe = (Pipe){.schedule = {.num_groups = num_groups, .last_stage = stages}};
  pipe->schedule.groups = pipe->groups;
  for (int g = 0; g < num_groups; g++) {
    pipe->group_of_wait[g] = g;
    pipe->groups[g] = (TileLoopGroup){0, order[2 * g]};
    pipe->waits[g] =
        (TileLoopWait){1 + (int32_t)rnd((unsigned)stages), order[2 * g + 1],
                       &pipe->group_of_wait[g], 1};
  }
}

static void guarded_counts_are_exact(void **state) {
  (void)state;
  int num_waits = 0;
  for (int round = 0; round < ROUNDS; round++) {
    Pipe pipe;
    random_pipe(&pipe);
    pipe.schedule.num_iters = -1;
    for (int64_t n = 0; n <= MAX_ITERS; n++) {
      Run run = run_all(&pipe, n);
      assert_int_equal(run.num_late, 0);
      num_waits += run.num_waits;
    }
  }
  assert_true(num_waits > ROUNDS);
}

static void peeled_counts_are_safe(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    Pipe pipe;
    random_pipe(&pipe);
    pipe.schedule.is_peeled = true;
    for (int64_t n = 0; n <= MAX_ITERS; n++) {
      pipe.schedule.num_iters = n;
      run_all(&pipe, n);
    }
  }
}

static void rotated_counts_are_exact(void **state) {
  (void)state;
  int num_waits = 0;
  for (int round = 0; round < ROUNDS; round++) {
    Pipe pipe;
    random_pipe(&pipe);
    pipe.schedule.is_rotated = true;
    pipe.schedule.num_iters = -1;
    for (int64_t n = 0; n <= MAX_ITERS; n++) {
      Run run = run_all(&pipe, n);
      assert_int_equal(run.num_late, 0);
      num_waits += run.num_waits;
    }
  }
  assert_true(num_waits > ROUNDS);
}

// Stages 0 and 2, four iterations: 2, then 1 and 0 in the drain.
static void drain_counts_down(void **state) {
  (void)state;
  Pipe pipe = {.schedule = {.num_groups = 1,
                            .last_stage = 2,
                            .is_peeled = true,
                            .num_iters = 4},
               .groups = {{0, 0}}};
  pipe.schedule.groups = pipe.groups;
  pipe.waits[0] = (TileLoopWait){2, 1, &pipe.group_of_wait[0], 1};
  const TileLoopSchedule *s = &pipe.schedule;
  assert_int_equal(tile_loop_schedule_pending(s, pipe.waits, 0), -1);
  assert_int_equal(tile_loop_schedule_pending(s, pipe.waits, TILE_STEADY_STEP),
                   2);
  assert_int_equal(tile_loop_schedule_pending(s, pipe.waits, 4), 1);
  assert_int_equal(tile_loop_schedule_pending(s, pipe.waits, 5), 0);
}

// Attention and a product: the slots of each.
static void slots_follow_orders(void **state) {
  (void)state;
  TilePlanItem copy = {.stage = 0, .order = 1},
               before = {.stage = 2, .order = 0};
  TilePlanItem behind = {.stage = 2, .order = 4};
  assert_int_equal(tile_loop_plan_num_slots(&copy, &before), 2);
  assert_int_equal(tile_loop_plan_num_slots(&copy, &behind), 3);
  assert_int_equal(tile_loop_plan_num_slots(&copy, &copy), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guarded_counts_are_exact),
      cmocka_unit_test(peeled_counts_are_safe),
      cmocka_unit_test(rotated_counts_are_exact),
      cmocka_unit_test(drain_counts_down),
      cmocka_unit_test(slots_follow_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
