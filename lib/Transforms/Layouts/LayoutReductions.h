//===- LayoutReductions.h - Reductions and scans through shared memory ----===//
#ifndef TILE_TRANSFORMS_LAYOUT_REDUCTIONS_H
#define TILE_TRANSFORMS_LAYOUT_REDUCTIONS_H

#include "mlir-c/IR.h"

/// Rewrites every `tile.reduce`, `tile.scan`, `tile.any_of`, `tile.all_of` and
/// `tile.atomic` whose elements must pass between threads by more than
/// shuffles, as ops that read and write scratch tiles in shared memory. Layouts
/// are known. A remark per op gives the cost.
void tile_layout_stage_reductions(MlirOperation kernel);

#endif // TILE_TRANSFORMS_LAYOUT_REDUCTIONS_H
