//===- TileCombine.h - Reductions and scans whose body combines -----------===//
#ifndef TILE_DIALECT_TILE_COMBINE_H
#define TILE_DIALECT_TILE_COMBINE_H

#include "Dialect/Ops.h"

/// tile.reduce_by and tile.scan_by alike.
typedef struct {
  MlirOperation op;
  TileRange srcs, dsts;
  int dim;
  bool is_scan;
  bool takes_position; // the last part of a state
  bool folds;          // reduction: the old destinations take part
  bool is_reversed;    // scan: from the end
  MlirBlock body;
} TileCombine;

/// False: `op` is none of them.
bool tile_combine_of(MlirOperation op, TileCombine *out);

/// Type in which part `i` of a state is computed.
MlirType tile_combine_type(const TileCombine *combine, intptr_t i);

/// What combines results of `kind`: absolute values are taken once.
TileReduceKind tile_reduce_kind_of_results(TileReduceKind kind);

/// The part of tile_accesses_get for these and tile.reduce_all.
int tile_combine_accesses(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]);

#endif // TILE_DIALECT_TILE_COMBINE_H
