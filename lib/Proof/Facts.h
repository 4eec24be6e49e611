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
static inline int32_t *proof_known(const ProofMachine *m, int32_t *state,
                                   int agent) {
  return state + m->sets + agent * m->set_words;
}
/// What it did itself: other threads do not know that of each other. Of a
/// leader the same as proof_known.
static inline int32_t *proof_own(const ProofMachine *m, int32_t *state,
                                 int agent) {
  int set = proof_is_leader(agent) ? agent : m->num_agents + agent;
  return state + m->sets + set * m->set_words;
}
/// How many events of agent `who` the agent knows of, of a machine with clocks.
static inline int proof_clock(const ProofMachine *m, int32_t *state, int agent,
                              int who) {
  int a = proof_known(m, state, agent)[m->fact_words + who];
  int b = proof_own(m, state, agent)[m->fact_words + who];
  return a > b ? a : b;
}
/// What has happened before the phase of a slot will end.
static inline int32_t *proof_gathering(const ProofMachine *m, int32_t *state,
                                       int slot) {
  return state + m->sets + (2 * m->num_agents + slot) * m->set_words;
}
/// What had happened before the last one ended.
static inline int32_t *proof_complete(const ProofMachine *m, int32_t *state,
                                      int slot) {
  int set = 2 * m->num_agents + m->num_slots + slot;
  return state + m->sets + set * m->set_words;
}
/// What had happened before a turn was handed on.
static inline int32_t *proof_handed_on(const ProofMachine *m, int32_t *state) {
  int set = 2 * (m->num_agents + m->num_slots);
  return state + m->sets + set * m->set_words;
}
/// Of all of these together; they follow each other.
static inline int proof_num_sets(const ProofMachine *m) {
  return 2 * (m->num_agents + m->num_slots) + 1;
}
static inline int32_t *proof_words(const ProofMachine *m, int32_t *state,
                                   int slot) {
  return state + m->barriers + slot * PROOF_WORDS;
}
static inline int32_t *proof_age(const ProofMachine *m, int32_t *state,
                                 int agent, int resource, int kind) {
  return state + m->ages +
         (agent * m->num_resources + resource) * PROOF_NUM_UNDER_WAY + kind;
}

//===-- Facts -------------------------------------------------------------===//

/// Facts of a barrier: the last phase is complete, the one before it is, and
/// from the third on that an agent has passed its last wait.
enum { PROOF_LAST_COMPLETE, PROOF_ONE_BEFORE, PROOF_FIRST_WAIT };

static inline int proof_facts_per_resource(const ProofMachine *m) {
  return 3 * m->num_agents + 1;
}
/// The stores of an agent to a resource are over, they are so for the async
/// proxy, its reads are; the TMA copy into it has landed.
static inline int proof_fact_written(const ProofMachine *m, int resource,
                                     int agent) {
  return resource * proof_facts_per_resource(m) + agent;
}
static inline int proof_fact_visible(const ProofMachine *m, int resource,
                                     int agent) {
  return resource * proof_facts_per_resource(m) + m->num_agents + agent;
}
static inline int proof_fact_read(const ProofMachine *m, int resource,
                                  int agent) {
  return resource * proof_facts_per_resource(m) + 2 * m->num_agents + agent;
}
static inline int proof_fact_landed(const ProofMachine *m, int resource) {
  return resource * proof_facts_per_resource(m) + 3 * m->num_agents;
}
/// `which` of the facts of a barrier.
static inline int proof_fact_phase(const ProofMachine *m, int slot, int which) {
  return m->num_resources * proof_facts_per_resource(m) +
         slot * (PROOF_FIRST_WAIT + m->num_agents) + which;
}
static inline bool proof_has(const int32_t *set, int fact) {
  return (uint32_t)set[fact / 32] >> fact % 32 & 1;
}
static inline void proof_put(int32_t *set, int fact) {
  set[fact / 32] = (int32_t)((uint32_t)set[fact / 32] | 1u << fact % 32);
}
static inline void proof_take(int32_t *set, int fact) {
  set[fact / 32] = (int32_t)((uint32_t)set[fact / 32] & ~(1u << fact % 32));
}
/// Whether what the fact is about has begun, so that it matters who knows.
static inline bool proof_is_active(const ProofMachine *m, const int32_t *state,
                                   int fact) {
  return proof_has(state + m->active, fact);
}
/// Nobody knows the fact any more.
static inline void proof_forget(const ProofMachine *m, int32_t *state,
                                int fact) {
  for (int i = 0; i < proof_num_sets(m); i++)
    proof_take(state + m->sets + i * m->set_words, fact);
}
static inline void proof_activate(const ProofMachine *m, int32_t *state,
                                  int fact) {
  proof_forget(m, state, fact);
  proof_put(state + m->active, fact);
}
static inline void proof_deactivate(const ProofMachine *m, int32_t *state,
                                    int fact) {
  proof_forget(m, state, fact);
  proof_take(state + m->active, fact);
}
/// Adds what is in `from`, and its clocks.
static inline void proof_join(const ProofMachine *m, int32_t *to,
                              const int32_t *from) {
  for (int i = 0; i < m->fact_words; i++)
    to[i] |= from[i];
  for (int i = m->fact_words; i < m->set_words; i++)
    to[i] = to[i] > from[i] ? to[i] : from[i];
}

#endif // TILE_PROOF_FACTS_H
