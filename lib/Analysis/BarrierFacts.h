//===- BarrierFacts.h - What is known of accesses, waits and phases -------===//
//
// The words of a state of BarrierMachine.h, and sets of facts in it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_FACTS_H
#define TILE_ANALYSIS_BARRIER_FACTS_H

#include "BarrierMachine.h"

//===-- Words -------------------------------------------------------------===//

/// Of an mbarrier: parity of the phase, arrivals and bytes that it lacks, and
/// sets of agents: that wait for it, that expect bytes without an arrival.
enum {
  BARRIER_PHASE,
  BARRIER_PENDING,
  BARRIER_BYTES,
  BARRIER_BLOCKED,
  BARRIER_OPEN,
  BARRIER_WORDS
};

/// What of an agent is under way at a resource: 0, or 1 and how many of its
/// kind are younger. Copies begin to count when their group is closed.
enum {
  BARRIER_AGE_PRODUCT,
  BARRIER_AGE_STORE,
  BARRIER_AGE_COPY,
  BARRIER_NUM_AGES,
  BARRIER_MAX_AGE = 15
};

/// What has surely happened before the agent came where it is.
int32_t *barrier_known(const BarrierMachine *m, int32_t *state, int agent);
/// What it did itself: other threads do not know that of each other. Of a
/// leader the same as barrier_known.
int32_t *barrier_own(const BarrierMachine *m, int32_t *state, int agent);
/// What has happened before the phase of a slot will end.
int32_t *barrier_gathering(const BarrierMachine *m, int32_t *state, int slot);
/// What had happened before the last one ended.
int32_t *barrier_complete(const BarrierMachine *m, int32_t *state, int slot);
/// Of all of these together; they follow each other.
int barrier_num_sets(const BarrierMachine *m);
int32_t *barrier_words(const BarrierMachine *m, int32_t *state, int slot);
int32_t *barrier_age(const BarrierMachine *m, int32_t *state, int agent,
                     int resource, int kind);

//===-- Facts -------------------------------------------------------------===//

/// Facts of a barrier: the last phase is complete, the one before it is, and
/// from the third on that an agent has passed its last wait.
enum { BARRIER_LAST_COMPLETE, BARRIER_ONE_BEFORE, BARRIER_FIRST_WAIT };

/// The stores of an agent to a resource are over, they are so for the async
/// proxy, its reads are; the TMA copy into it has landed.
int fact_written(const BarrierMachine *m, int resource, int agent);
int fact_visible(const BarrierMachine *m, int resource, int agent);
int fact_read(const BarrierMachine *m, int resource, int agent);
int fact_landed(const BarrierMachine *m, int resource);
/// `which` of the facts of a barrier.
int fact_phase(const BarrierMachine *m, int slot, int which);
bool barrier_has(const int32_t *set, int fact);
void barrier_put(int32_t *set, int fact);
void barrier_take(int32_t *set, int fact);
/// Whether what the fact is about has begun, so that it matters who knows.
bool barrier_is_active(const BarrierMachine *m, const int32_t *state, int fact);
/// Nobody knows the fact any more.
void barrier_forget(const BarrierMachine *m, int32_t *state, int fact);
void barrier_activate(const BarrierMachine *m, int32_t *state, int fact);
void barrier_deactivate(const BarrierMachine *m, int32_t *state, int fact);
/// Adds what is in `from`, and its clocks.
void barrier_join(const BarrierMachine *m, int32_t *to, const int32_t *from);

/// Notes the first fault.
void barrier_fail(const BarrierMachine *m, int agent,
                  const TileProtocolNode *node, const char *code,
                  const char *format, ...)
    __attribute__((format(printf, 5, 6)));

//===-- Accesses (BarrierAccess.c) ----------------------------------------===//

void barrier_fill(const BarrierMachine *m, int32_t *state, int agent,
                  const TraceStep *step);
void barrier_read(const BarrierMachine *m, int32_t *state, int agent,
                  const TraceStep *step);
/// Everything of a kind that is under way gets older.
void barrier_grow_older(const BarrierMachine *m, int32_t *state, int agent,
                        int kind);
/// What has at least `pending` younger ones is over.
void barrier_retire(const BarrierMachine *m, int32_t *state, int agent,
                    int kind, int pending);
void barrier_fence(const BarrierMachine *m, int32_t *state, int agent);

//===-- Phases (BarrierMachine.c) -----------------------------------------===//

/// The slot of a row among all slots; -1 after a fault.
int barrier_slot_index(const BarrierMachine *m, int agent,
                       const TileProtocolNode *node, int row, int slot);
/// (B3) of what an agent does to a phase.
bool barrier_is_in_phase(const BarrierMachine *m, int32_t *state, int slot,
                         int agent, const TileProtocolNode *node,
                         const char *what);
/// Ends the phase when nothing is missing.
void barrier_check_phase(const BarrierMachine *m, int32_t *state, int slot,
                         int agent, const TileProtocolNode *node);

#endif // TILE_ANALYSIS_BARRIER_FACTS_H
