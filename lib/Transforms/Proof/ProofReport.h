//===- ProofReport.h - What is said of a verdict --------------------------===//
#ifndef TILE_TRANSFORMS_PROOF_REPORT_H
#define TILE_TRANSFORMS_PROOF_REPORT_H

#include "Analysis/Program/KernelProgram.h"
#include "TilePasses.h"

/// Emits an error for a rejection, with the schedule that goes wrong; for what
/// is neither proved nor wrong a remark, or an error with `strict`. Fails after
/// an error.
MlirLogicalResult proof_report(TileArena *arena, MlirOperation kernel,
                               const TileKernelVerdict *judged,
                               const TileVerifyChannelsOptions *options);

#endif // TILE_TRANSFORMS_PROOF_REPORT_H
