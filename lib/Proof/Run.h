//===- Run.h - What an op does to a state ---------------------------------===//
#ifndef TILE_PROOF_RUN_H
#define TILE_PROOF_RUN_H

#include "Proof.h"
#include "State.h"

typedef enum {
  PROOF_GOES_ON,
  PROOF_MAY_FREE_OTHERS,
  PROOF_STANDS, // and waits for others
  PROOF_DECIDES,
  PROOF_HAS_ENDED
} ProofProgress;

/// A state of a context that has needs and a machine. Owner: its arena.
ProofState *proof_state_new(const ProofContext *context);
/// Writes what all begin with.
void proof_state_start(const ProofContext *context, ProofState *state);

static inline const ProofOp *proof_op_at(const ProofContext *c,
                                         const ProofState *s, int agent) {
  return &c->program->roles[proof_role_of(agent)].ops[s->pc[agent]];
}
ProofTermId proof_condition_of(ProofContext *context, const ProofState *state,
                               int agent, const ProofOp *op);
/// An agent at a branch goes one way.
static inline void proof_go(ProofState *s, int agent, const ProofOp *op,
                            bool holds) {
  s->pc[agent] = holds ? s->pc[agent] + 1 : op->branch.target;
}
/// Executes the op that an agent is at; of an event writes `out_step`.
ProofProgress proof_run_op(ProofContext *context, ProofState *state, int agent,
                           ProofStep *out_step);

/// What the fault of the context says.
void proof_fault_write(const ProofFault *fault, ProofOutcome outcome,
                       ProofVerdict *out);

#endif // TILE_PROOF_RUN_H
