//===- ElementLoops.h - What the body of a tile.parallel accesses ---------===//
#ifndef TILE_DIALECT_ELEMENT_LOOPS_H
#define TILE_DIALECT_ELEMENT_LOOPS_H

#include "Tile/Dialect/Ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A `memref.load` or `memref.store`.
typedef struct {
  MlirOperation op;
  MlirValue memref;
  TileRange indices;
  bool is_store;
} TileElementAccess;

/// False when `op` accesses no element of a memref.
bool tile_element_access_get(MlirOperation op, TileElementAccess *out_access);

/// Calls `visit` on every access of the body, at any depth, in program order,
/// until it returns false.
typedef bool (*TileElementVisitor)(const TileElementAccess *access,
                                   void *user_data);
void tile_parallel_visit(TileParallelOp loop, TileElementVisitor visit,
                         void *user_data);

/// The part of tile_accesses_get for the ops of TileElementOps.td.
int tile_element_accesses(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]);

/// The block of the body; its arguments are the parallel indices.
MlirBlock tile_parallel_block(TileParallelOp loop);
/// Number of the parallel index that `value` is, or -1.
int tile_parallel_index(TileParallelOp loop, MlirValue value);
/// The parallel indices that `value` may depend on, as a mask.
unsigned tile_parallel_dependence(TileParallelOp loop, MlirValue value);
/// The innermost `tile.parallel` around `op`, or a null handle.
TileParallelOp tile_parallel_around(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_ELEMENT_LOOPS_H
