//===- layout-problems.h - Kernels as inference problems ------------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_PROBLEMS_H
#define TILE_TEST_UNIT_LAYOUT_PROBLEMS_H

#include "Layout/LayoutInfer.h"

/// A kernel written down as an inference problem, with its expected end.
typedef struct {
  const char *expect_error; // substring of the error, NULL = must solve
  int64_t cost;             // of the best choice
  TileInferProblem problem;
} LayoutProblem;

int layout_problem_count(void);
/// Owner: |arena|.
void layout_problem_get(int i, TileArena *arena, LayoutProblem *out);

#endif
