//===- PrintLayouts.h - What the parts of the printer share ---------------===//
#ifndef TILE_TRANSFORMS_PRINT_LAYOUTS_H
#define TILE_TRANSFORMS_PRINT_LAYOUTS_H

#include "mlir-c/IR.h"

/// Prints "line 12: " when the location of `op` has a line.
void tile_print_place(MlirOperation op);
/// Prints how `op` reads and writes shared tiles: the accesses of a warp and
/// their bank conflicts. Nothing for ops that touch none.
void tile_print_accesses(MlirOperation op);

#endif // TILE_TRANSFORMS_PRINT_LAYOUTS_H
