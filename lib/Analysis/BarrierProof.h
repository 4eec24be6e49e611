//===- BarrierProof.h - Runs of programs on barriers ----------------------===//
#ifndef TILE_ANALYSIS_BARRIER_PROOF_H
#define TILE_ANALYSIS_BARRIER_PROOF_H

#include "BarrierMachine.h"

/// Agents that a SYNC of `agent` waits for.
unsigned barrier_sync_agents(const BarrierProgram *program, int agent,
                             const TileProtocolNode *node);
/// Runs small numbers of everything that comes from outside, smallest first,
/// until one breaks a rule. Returns whether it is sure that it can.
bool barrier_program_try(const BarrierProgram *program,
                         const TileProtocolLimits *limits, TileArena *arena,
                         TileProtocolVerdict *verdict);

#endif // TILE_ANALYSIS_BARRIER_PROOF_H
