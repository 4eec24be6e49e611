//===- FragmentBudget.h - Fragments and the registers of threads ----------===//
#ifndef TILE_TRANSFORMS_FRAGMENT_BUDGET_H
#define TILE_TRANSFORMS_FRAGMENT_BUDGET_H

#include "LayoutProblem.h"
#include "Target/Target.h"

typedef struct {
  TileArena *arena;
  MlirOperation kernel;
  const TileTarget *target;
  int64_t num_threads;
  const TileLayoutProblem *problem;
} FragmentBudget;

/// Reports a fragment that the threads which hold it have no room for. Its
/// elements count as they lie in registers when they move in vectors: four
/// bytes share one.
MlirLogicalResult tile_fragment_budget_check(const FragmentBudget *budget,
                                             const TileInferModel *model,
                                             const TileInferResult *result);

/// Remarks on fragments that live at the same time and need more registers than
/// there are. Layouts are known.
void tile_fragment_budget_remark(const FragmentBudget *budget);

#endif // TILE_TRANSFORMS_FRAGMENT_BUDGET_H
