//===- Prove.h - Programs, for all trip counts and guards -----------------===//
#ifndef TILE_PROOF_PROVE_H
#define TILE_PROOF_PROVE_H

#include "Proof.h"

/// Agents that a SYNC of `agent` waits for.
unsigned proof_sync_agents(const ProofProgram *program, int agent,
                           const ProofOp *op);
/// Writes a verdict that is not PROOF_PROVED into `verdict`, which is, where
/// the program is not proved.
void proof_prove(const ProofProgram *program, const ProofLimits *limits,
                 ProofVerdict *verdict);

#endif // TILE_PROOF_PROVE_H
