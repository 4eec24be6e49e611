//===- Account.h - What a compilation chose -------------------------------===//
#ifndef TILE_LIB_PIPELINE_ACCOUNT_H
#define TILE_LIB_PIPELINE_ACCOUNT_H

#include "Support/StringBuilder.h"
#include "mlir-c/IR.h"

/// Adds to `out` the instructions of copies and products, or, once kernels are
/// outlined, the shared memory of launches.
void tile_account_add(MlirOperation module, bool is_outlined, TileString *out);

#endif // TILE_LIB_PIPELINE_ACCOUNT_H
