//===- Facts.h - What is known of accesses, waits and phases --------------===//
//
// The words of a state of Machine.h, and sets of facts in it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROOF_FACTS_H
#define TILE_PROOF_FACTS_H

#include "Machine.h"

//===-- Words -------------------------------------------------------------===//

/// Of roles that take turns: whose it is, and sets of agents: that are in it,
/// that have ended it, that have arrived in it.
enum {
  PROOF_WHOSE_TURN,
  PROOF_IN_TURN,
  PROOF_TURNS_ENDED,
  PROOF_HAS_ARRIVED,
  PROOF_TURN_WORDS
};

/// Of an mbarrier: parity of the phase, arrivals and bytes that it lacks, and
/// sets of agents: that wait for it, that expect bytes without an arrival.
enum {
  PROOF_PHASE,
  PROOF_PENDING,
  PROOF_BYTES,
  PROOF_BLOCKED,
  PROOF_OPEN,
  PROOF_WORDS
};

/// What of an agent is under way at a resource: 0, or 1 and how many of its
/// kind are younger. Copies begin to count when their group is closed.
enum { PROOF_MAX_AGE = 15 };

/// What has surely happened before the agent came where it is.
int32_t *proof_known(const ProofMachine *m, int32_t *state, int agent);
/// What it did itself: other threads do not know that of each other. Of a
/// leader the same as proof_known.
int32_t *proof_own(const ProofMachine *m, int32_t *state, int agent);
/// What has happened before the phase of a slot will end.
int32_t *proof_gathering(const ProofMachine *m, int32_t *state, int slot);
/// What had happened before the last one ended.
int32_t *proof_complete(const ProofMachine *m, int32_t *state, int slot);
/// What had happened before a turn was handed on.
int32_t *proof_handed_on(const ProofMachine *m, int32_t *state);
/// Of all of these together; they follow each other.
int proof_num_sets(const ProofMachine *m);
int32_t *proof_words(const ProofMachine *m, int32_t *state, int slot);
int32_t *proof_age(const ProofMachine *m, int32_t *state, int agent,
                   int resource, int kind);

//===-- Facts -------------------------------------------------------------===//

/// Facts of a barrier: the last phase is complete, the one before it is, and
/// from the third on that an agent has passed its last wait.
enum { PROOF_LAST_COMPLETE, PROOF_ONE_BEFORE, PROOF_FIRST_WAIT };

/// The stores of an agent to a resource are over, they are so for the async
/// proxy, its reads are; the TMA copy into it has landed.
int proof_fact_written(const ProofMachine *m, int resource, int agent);
int proof_fact_visible(const ProofMachine *m, int resource, int agent);
int proof_fact_read(const ProofMachine *m, int resource, int agent);
int proof_fact_landed(const ProofMachine *m, int resource);
/// `which` of the facts of a barrier.
int proof_fact_phase(const ProofMachine *m, int slot, int which);
bool proof_has(const int32_t *set, int fact);
void proof_put(int32_t *set, int fact);
void proof_take(int32_t *set, int fact);
/// Whether what the fact is about has begun, so that it matters who knows.
bool proof_is_active(const ProofMachine *m, const int32_t *state, int fact);
/// Nobody knows the fact any more.
void proof_forget(const ProofMachine *m, int32_t *state, int fact);
void proof_activate(const ProofMachine *m, int32_t *state, int fact);
void proof_deactivate(const ProofMachine *m, int32_t *state, int fact);
/// Adds what is in `from`, and its clocks.
void proof_join(const ProofMachine *m, int32_t *to, const int32_t *from);

/// Notes the first fault.
void proof_fail(const ProofMachine *m, int agent, const ProofOp *op,
                const char *code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

//===-- Accesses (Access.c) ----------------------------------------===//

void proof_fill(const ProofMachine *m, int32_t *state, int agent,
                const ProofStep *step);
void proof_read(const ProofMachine *m, int32_t *state, int agent,
                const ProofStep *step);
/// Readers have given back the slot of a row: what its tiles hold is no fill of
/// the next round.
void proof_empty(const ProofMachine *m, int32_t *state, int row, int slot);
/// Everything of a kind that is under way gets older.
void proof_grow_older(const ProofMachine *m, int32_t *state, int agent,
                      int kind);
/// What has at least `pending` younger ones is over.
void proof_retire(const ProofMachine *m, int32_t *state, int agent, int kind,
                  int pending);
void proof_fence(const ProofMachine *m, int32_t *state, int agent);

//===-- Phases (Machine.c) -----------------------------------------===//

/// The slot of a row among all slots; -1 after a fault.
int proof_slot_index(const ProofMachine *m, int agent, const ProofOp *op,
                     int row, int slot);
/// (B3) of what an agent does to a phase.
bool proof_is_in_phase(const ProofMachine *m, int32_t *state, int slot,
                       int agent, const ProofOp *op, const char *what);
/// Ends the phase when nothing is missing.
void proof_check_phase(const ProofMachine *m, int32_t *state, int slot,
                       int agent, const ProofOp *op);

#endif // TILE_PROOF_FACTS_H
