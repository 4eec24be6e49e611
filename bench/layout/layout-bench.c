//===- layout-bench.c - Time of layout inference --------------------------===//
//
// Prints, per example problem of the unit tests, the median, the smallest and
// the largest time of `build` and `solve` in microseconds, and the search
// nodes. Usage: layout-bench [repetitions [problem]]
//
//===----------------------------------------------------------------------===//
#include "layout-problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REPETITIONS = 1000 };

static double now_us(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct {
  double median_us, min_us, max_us;
  long long nodes;
  bool ok;
} Sample;

static Sample measure(const TileInferProblem *p, int repetitions) {
  static double us[MAX_REPETITIONS];
  Sample s = {0};
  for (int i = 0; i < repetitions; i++) {
    TileInferModel m;
    TileInferResult r = {0};
    TileArena arena;
    double begin = now_us();
    tile_arena_init(&arena);
    s.ok =
        tile_infer_build(p, &arena, &m, NULL) && tile_infer_solve(&m, &r, NULL);
    s.nodes = (long long)r.nodes;
    tile_arena_deinit(&arena);
    us[i] = now_us() - begin;
  }
  qsort(us, (size_t)repetitions, sizeof *us, compare);
  s.median_us = us[repetitions / 2];
  s.min_us = us[0], s.max_us = us[repetitions - 1];
  return s;
}

int main(int argc, char **argv) {
  long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 11;
  if (repetitions < 1 || repetitions > MAX_REPETITIONS)
    return fprintf(stderr, "1 to %d repetitions\n", MAX_REPETITIONS), 1;
  TileArena arena;
  tile_arena_init(&arena);
  printf("%-22s %10s %10s %10s %7s\n", "problem", "median us", "min us",
         "max us", "nodes");
  for (int i = 0; i < layout_problem_count(); i++) {
    LayoutProblem x;
    layout_problem_get(i, &arena, &x);
    if (argc > 2 && strcmp(argv[2], x.problem.name) != 0)
      continue;
    Sample s = measure(&x.problem, (int)repetitions);
    printf("%-22s %10.0f %10.0f %10.0f %7lld%s\n", x.problem.name, s.median_us,
           s.min_us, s.max_us, s.nodes, s.ok ? "" : "  (expected error)");
  }
  tile_arena_deinit(&arena);
  return 0;
}
