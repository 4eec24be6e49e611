//===- LayoutProblem.h - The layouts of a kernel as a problem to solve ----===//
#ifndef TILE_TRANSFORMS_LAYOUT_PROBLEM_H
#define TILE_TRANSFORMS_LAYOUT_PROBLEM_H

#include "Dialect/Ops.h"
#include "Layout/LayoutInfer.h"
#include "Support/Arena.h"

/// A kernel as plain data. `values[i]` is the IR value of buffer i: the result
/// of a `tile.alloc`, or a global window; `ops[i]` is the IR op of op i.
typedef struct {
  TileInferProblem problem;
  MlirValue *values;
  MlirOperation *ops;
} TileLayoutProblem;

/// Owner: `arena`. Errors: an op without instruction, a window that a product
/// cannot take.
MLIR_CAPI_EXPORTED MlirLogicalResult
tile_layout_problem_build(TileArena *arena, MlirOperation kernel,
                          int64_t num_threads, TileLayoutProblem *out_problem);

#endif // TILE_TRANSFORMS_LAYOUT_PROBLEM_H
