//===- RepeatedOps.h - Ops that several roles execute ---------------------===//
//
// A role that needs what another one computes computes it as well, on tiles of
// its own. That is right where the result depends on nothing but what is read,
// and it can be proved where both ops do the same.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_REPEATED_OPS_H
#define TILE_ANALYSIS_REPEATED_OPS_H

#include "Dialect/Ops.h"
#include "Support/Arena.h"

/// Whether any number of threads may execute `op`, each role on tiles of its
/// own, and all get the same: fills, plain copies, element loops, stores of
/// elements, reductions and scans but for sums of floats.
bool tile_op_is_repeatable(MlirOperation op);
/// As tile_accesses_get, of loads and stores of elements too.
int tile_repeated_accesses(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]);

#endif // TILE_ANALYSIS_REPEATED_OPS_H
