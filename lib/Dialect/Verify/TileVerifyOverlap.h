//===- TileVerifyOverlap.h - Copies between windows of one tile -----------===//
#ifndef TILE_DIALECT_TILE_VERIFY_OVERLAP_H
#define TILE_DIALECT_TILE_VERIFY_OVERLAP_H

#include "Dialect/Ops.h"

/// Whether two operands are windows of one tile that share some elements, but
/// not all, at constant offsets: a copy from one to the other would read what
/// it writes. Windows whose offsets are not constant are believed.
bool tile_verify_windows_overlap(MlirValue src, MlirValue dst);

#endif // TILE_DIALECT_TILE_VERIFY_OVERLAP_H
