//===- ElementLoops.h - What the body of a tile.parallel accesses ---------===//
#ifndef TILE_DIALECT_ELEMENT_LOOPS_H
#define TILE_DIALECT_ELEMENT_LOOPS_H

#include "Ops.h"
#include "Tile/Ops/memref.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A `memref.load`, `memref.store` or `memref.atomic_rmw`. What stores has its
/// value before the memref and the indices.
typedef struct {
  MlirOperation op;
  MlirValue memref;
  TileRange indices;
  bool is_store;
  bool is_atomic; // a store that loads as well, in one step
} TileElementAccess;

/// False when `op` accesses no element of a memref.
bool tile_element_access_get(MlirOperation op, TileElementAccess *out_access);

/// Whether a load or store is of the element that the arguments of the block of
/// a loop are the indices of.
bool tile_access_is_own_element(MlirOperation access, MlirBlock body);

/// What a `memref.atomic_rmw` does. False for a kind that tile.atomic has not.
typedef struct {
  TileAtomicKind kind;
  bool is_unsigned; // max and min
} TileElementUpdate;
bool tile_element_update_get(MemRefAtomicRMWOp op,
                             TileElementUpdate *out_update);
bool tile_atomic_is_bitwise(TileAtomicKind kind);
/// Whether elements of this type can be updated, as the table of tile.atomic
/// says.
bool tile_atomic_takes(TileAtomicKind kind, MlirType element);

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
