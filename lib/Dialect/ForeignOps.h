//===- ForeignOps.h - Ops of other dialects beside tile ops ---------------===//
#ifndef TILE_DIALECT_FOREIGN_OPS_H
#define TILE_DIALECT_FOREIGN_OPS_H

#include "Ops.h"
#include "Support/Arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the name of `op` begins with `prefix`, such as "gpu.".
bool tile_op_name_begins(MlirOperation op, const char *prefix);

/// Whether a function is for others of its module alone.
bool tile_function_is_private(MlirOperation function);

/// Whether `op` is a gpu.module with targets of which none is NVIDIA's: it is
/// passed by.
bool tile_gpu_module_is_foreign(MlirOperation op);

/// Whether what `op` does depends on how many threads the block has, or has
/// threads wait for each other: no warps may be added around it.
bool tile_foreign_op_needs_threads(MlirOperation op);

/// Whether `op` only writes to memrefs, so that one thread may do it for all:
/// all ops of memref and vector that do, but vector.store, which each thread
/// does.
bool tile_foreign_op_stores(MlirOperation op);

/// Whether the threads of a block each get another result of `op`: ids of gpu
/// and registers of nvvm.
bool tile_foreign_op_is_thread_id(MlirOperation op);

/// The memref that `memref` is a part of, or other extents of, by ops of other
/// dialects; itself: none.
MlirValue tile_foreign_root(MlirValue memref);

//===-- Values that differ between threads (TileUniform.c) ----------------===//

/// What follows from the ids of threads in a kernel, as far as values show it;
/// what is stored and loaded again is not followed. In an arena.
typedef struct {
  MlirValue *values;
  size_t num_values;
  MlirOperation *scopes; // loops and branches that such values control
  size_t num_scopes;
} TileDivergence;
void tile_divergence_find(TileArena *arena, MlirOperation kernel,
                          TileDivergence *out);
/// Whether an operand of `op`, or whether it is executed, differs.
bool tile_divergence_reaches(const TileDivergence *divergence,
                             MlirOperation op);
/// Whether `op` is executed differs.
bool tile_divergence_controls(const TileDivergence *divergence,
                              MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_FOREIGN_OPS_H
