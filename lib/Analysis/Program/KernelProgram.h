//===- KernelProgram.h - Kernels as programs of their threads -------------===//
#ifndef TILE_ANALYSIS_PROGRAM_KERNEL_PROGRAM_H
#define TILE_ANALYSIS_PROGRAM_KERNEL_PROGRAM_H

#include "Analysis/Sync/Sync.h"
#include "Dialect/Ops.h"
#include "Proof/Proof.h"

/// A kernel, or its roles, as a program.
typedef struct {
  ProofProgram program;
  MlirOperation early; // uses a barrier before all know that it is there; null
  /// Null, or an op that cannot be followed: then `failure` says why, as the
  /// end of a sentence about the op, and the program is not complete.
  MlirOperation failed;
  const char *failure;
} TileKernelProgram;

/// The verdict on the roles of a kernel and on its block: of the one that is
/// worst. `program` is that of a verdict that is not PROOF_PROVED.
typedef struct {
  TileKernelProgram program;
  ProofVerdict verdict;
} TileKernelVerdict;

/// Judges the programs of a kernel; PROOF_PROVED where there are none. The
/// points of `plan` count as if they stood there. Owner: `arena`.
void tile_kernel_judge(TileArena *arena, MlirOperation kernel,
                       const TileSyncPlan *plan, const ProofLimits *limits,
                       TileKernelVerdict *out);

#endif // TILE_ANALYSIS_PROGRAM_KERNEL_PROGRAM_H
