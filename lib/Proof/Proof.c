//===- Proof.c - Whether the threads of a kernel fit together -------------===//

#include "Proof.h"

#include "Explore.h"
#include "Prove.h"

void proof_verify(const ProofProgram *program, const ProofLimits *limits,
                  TileArena *arena, ProofVerdict *out_verdict) {
  *out_verdict = (ProofVerdict){.role = PROOF_NONE};
  proof_prove(program, limits, out_verdict);
  if (out_verdict->outcome != PROOF_PROVED &&
      proof_explore(program, limits, arena, out_verdict))
    out_verdict->outcome = PROOF_REJECTED;
}
