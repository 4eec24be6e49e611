//===- VerifyPrograms.h - What lib/Proof says of a kernel -----------------===//
#ifndef TILE_TRANSFORMS_VERIFY_PROGRAMS_H
#define TILE_TRANSFORMS_VERIFY_PROGRAMS_H

#include "Analysis/Program/KernelProgram.h"
#include "TilePasses.h"

/// The verdict on the roles of a kernel and on its block: of the one that is
/// worst. Owner of the schedule: the arena of the judgement.
typedef struct {
  bool has_programs; // else the verdict is PROOF_PROVED
  TileKernelProgram program;
  ProofVerdict verdict;
} VerifyPrograms;

/// Judges the programs of a kernel; the points of `plan` count as if they stood
/// there.
void verify_programs_judge(TileArena *arena, MlirOperation kernel,
                           const TileSyncPlan *plan,
                           const TileVerifyChannelsOptions *options,
                           VerifyPrograms *out);

/// Reports a rejection: an error with the schedule that goes wrong.
MlirLogicalResult
verify_programs_report(TileArena *arena, MlirOperation kernel,
                       const VerifyPrograms *programs,
                       const TileVerifyChannelsOptions *options);

#endif // TILE_TRANSFORMS_VERIFY_PROGRAMS_H
