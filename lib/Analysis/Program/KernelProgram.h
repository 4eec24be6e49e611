//===- KernelProgram.h - Kernels as programs of their threads -------------===//
#ifndef TILE_ANALYSIS_PROGRAM_KERNEL_PROGRAM_H
#define TILE_ANALYSIS_PROGRAM_KERNEL_PROGRAM_H

#include "Analysis/Sync/Sync.h"
#include "Dialect/Ops.h"
#include "Proof/Proof.h"

/// The verdict on the roles of a kernel and on its block: of the one that is
/// worst. `program` is that of a verdict that is not PROOF_PROVED; it is not
/// complete where the code is PROGRAM_NOT_FOLLOWED: then the text says of the
/// op why, as the end of a sentence about it.
#define PROGRAM_NOT_FOLLOWED "form"
typedef struct {
  ProofProgram program;
  ProofVerdict verdict;
} TileKernelVerdict;

/// Judges the programs of a kernel; PROOF_PROVED where there are none. The
/// points of `plan` count as if they stood there. Owner: `arena`.
void tile_kernel_judge(TileArena *arena, MlirOperation kernel,
                       const TileSyncPlan *plan, const ProofLimits *limits,
                       TileKernelVerdict *out);

#endif // TILE_ANALYSIS_PROGRAM_KERNEL_PROGRAM_H
