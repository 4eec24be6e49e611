//===- Proof.h - Whether the threads of a kernel fit together -------------===//
#ifndef TILE_PROOF_PROOF_H
#define TILE_PROOF_PROOF_H

#include "Program.h"

//===-- Counterexample ----------------------------------------------------===//

/// How a decision goes: trips of a loop, 1 or 0 for a guard.
typedef struct {
  const void *origin;
  bool is_loop;
  int64_t count;
} ProofChoice;

/// One event of a schedule.
typedef struct {
  int role;
  const ProofOp *op;
  int place; // row of a barrier, window of an access
  int slot;
  int parity; // WAIT
  bool waits; // for ever
} ProofMove;

/// A run that goes wrong: how the decisions go, at most a few of them, and the
/// events in order. The last one is the fault; of a deadlock, the last ones are
/// the waits that all roles stand at.
typedef struct {
  ProofMove *moves;
  int num_moves;
  ProofChoice *choices;
  int num_choices;
} ProofSchedule;

/// How far counterexamples are looked for. The result depends on nothing else.
typedef struct {
  int64_t max_runs;   // words of decisions; 0: none
  int64_t max_states; // of the proof
} ProofLimits;

//===-- Verdict -----------------------------------------------------------===//

typedef enum {
  PROOF_PROVED,
  PROOF_REJECTED, // a rule is broken in a run that was found
  PROOF_UNKNOWN,  // neither proved nor shown wrong
} ProofOutcome;

typedef struct {
  ProofOutcome outcome;
  const char *code;              // "early-wait": stable; NULL when proved
  char text[240];                // one sentence with slot, parity and state
  int role;                      // or PROOF_NONE
  const void *origin, *other;    // ops, or NULL
  int64_t num_states, num_runs;  // effort
  const ProofSchedule *schedule; // or NULL
} ProofVerdict;

/// Judges a program for all trip counts, guards and schedules; what is not
/// proved is executed for small ones. Memory comes from `arena`.
void proof_verify(const ProofProgram *program, const ProofLimits *limits,
                  TileArena *arena, ProofVerdict *out_verdict);

#endif // TILE_PROOF_PROOF_H
