//===- Explore.h - Runs that go wrong -------------------------------------===//
#ifndef TILE_PROOF_EXPLORE_H
#define TILE_PROOF_EXPLORE_H

#include "Proof.h"

/// Runs small numbers of everything that comes from outside, smallest first,
/// until one breaks a rule; leaves its schedule in the verdict. Returns whether
/// it is sure that the run can be.
bool proof_explore(const ProofProgram *program, const ProofLimits *limits,
                   TileArena *arena, ProofVerdict *verdict);

#endif // TILE_PROOF_EXPLORE_H
