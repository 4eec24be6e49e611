//===- ScfRegions.h - Loops and branches around code that is emitted ------===//
//
// What is emitted between `begin` and tile_scf_end is the body.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_SCF_REGIONS_H
#define TILE_CONVERSION_SCF_REGIONS_H

#include "Dialect/Ops.h"

/// Starts a loop `for i in 0 .. count`. Returns i.
MlirValue tile_scf_for_begin(TileBuilder *b, int64_t count);
void tile_scf_if_begin(TileBuilder *b, MlirValue condition);
/// What is emitted until tile_scf_else runs where `condition` holds, what comes
/// then where it does not.
void tile_scf_if_else_begin(TileBuilder *b, MlirValue condition);
void tile_scf_else(TileBuilder *b);
/// Ends the innermost loop or branch: `b` stands behind it.
void tile_scf_end(TileBuilder *b);

#endif // TILE_CONVERSION_SCF_REGIONS_H
