//===- Facts.c - What is known of accesses, waits and phases --------------===//

#include "Facts.h"

#include <stdarg.h>
#include <stdio.h>

//===-- Places in a state -------------------------------------------------===//

int32_t *proof_known(const ProofMachine *m, int32_t *state, int agent) {
  return state + m->sets + agent * m->set_words;
}

// What the agent did itself: its threads do not know that of each other.
int32_t *proof_own(const ProofMachine *m, int32_t *state, int agent) {
  int set = proof_is_leader(agent) ? agent : m->num_agents + agent;
  return state + m->sets + set * m->set_words;
}

int32_t *proof_gathering(const ProofMachine *m, int32_t *state, int slot) {
  return state + m->sets + (2 * m->num_agents + slot) * m->set_words;
}

int32_t *proof_complete(const ProofMachine *m, int32_t *state, int slot) {
  int set = 2 * m->num_agents + m->num_slots + slot;
  return state + m->sets + set * m->set_words;
}

int32_t *proof_handed_on(const ProofMachine *m, int32_t *state) {
  int set = 2 * (m->num_agents + m->num_slots);
  return state + m->sets + set * m->set_words;
}

int proof_num_sets(const ProofMachine *m) {
  return 2 * (m->num_agents + m->num_slots) + 1;
}

int32_t *proof_words(const ProofMachine *m, int32_t *state, int slot) {
  return state + m->barriers + slot * PROOF_WORDS;
}

int32_t *proof_age(const ProofMachine *m, int32_t *state, int agent,
                   int resource, int kind) {
  return state + m->ages +
         (agent * m->num_resources + resource) * PROOF_NUM_UNDER_WAY + kind;
}

//===-- Facts -------------------------------------------------------------===//

static int facts_per_resource(const ProofMachine *m) {
  return 3 * m->num_agents + 1;
}
int proof_fact_written(const ProofMachine *m, int resource, int agent) {
  return resource * facts_per_resource(m) + agent;
}
int proof_fact_visible(const ProofMachine *m, int resource, int agent) {
  return resource * facts_per_resource(m) + m->num_agents + agent;
}
int proof_fact_read(const ProofMachine *m, int resource, int agent) {
  return resource * facts_per_resource(m) + 2 * m->num_agents + agent;
}
int proof_fact_landed(const ProofMachine *m, int resource) {
  return resource * facts_per_resource(m) + 3 * m->num_agents;
}
int proof_fact_phase(const ProofMachine *m, int slot, int which) {
  return m->num_resources * facts_per_resource(m) +
         slot * (PROOF_FIRST_WAIT + m->num_agents) + which;
}

bool proof_has(const int32_t *set, int fact) {
  return (uint32_t)set[fact / 32] >> fact % 32 & 1;
}
void proof_put(int32_t *set, int fact) {
  set[fact / 32] = (int32_t)((uint32_t)set[fact / 32] | 1u << fact % 32);
}
void proof_take(int32_t *set, int fact) {
  set[fact / 32] = (int32_t)((uint32_t)set[fact / 32] & ~(1u << fact % 32));
}

bool proof_is_active(const ProofMachine *m, const int32_t *state, int fact) {
  return proof_has(state + m->active, fact);
}

// The fact is no longer known to anybody.
void proof_forget(const ProofMachine *m, int32_t *state, int fact) {
  for (int i = 0; i < proof_num_sets(m); i++)
    proof_take(state + m->sets + i * m->set_words, fact);
}

void proof_activate(const ProofMachine *m, int32_t *state, int fact) {
  proof_forget(m, state, fact);
  proof_put(state + m->active, fact);
}

void proof_deactivate(const ProofMachine *m, int32_t *state, int fact) {
  proof_forget(m, state, fact);
  proof_take(state + m->active, fact);
}

void proof_join(const ProofMachine *m, int32_t *to, const int32_t *from) {
  for (int i = 0; i < m->fact_words; i++)
    to[i] |= from[i];
  for (int i = m->fact_words; i < m->set_words; i++)
    to[i] = to[i] > from[i] ? to[i] : from[i];
}

//===-- What everybody knows ----------------------------------------------===//

static bool is_common(const ProofMachine *m, int32_t *state, int fact) {
  for (int a = 0; a < m->num_agents; a++)
    if (!proof_has(proof_known(m, state, a), fact))
      return false;
  return true;
}

// Accesses that everybody knows to be over are as if there had been none.
static void forget_accesses(const ProofMachine *m, int32_t *state, int r) {
  if (is_common(m, state, proof_fact_landed(m, r)))
    proof_deactivate(m, state, proof_fact_landed(m, r));
  for (int a = 0; a < m->num_agents; a++) {
    int written = proof_fact_written(m, r, a),
        visible = proof_fact_visible(m, r, a);
    if (is_common(m, state, proof_fact_read(m, r, a)))
      proof_deactivate(m, state, proof_fact_read(m, r, a));
    if (!is_common(m, state, written) ||
        (m->is_read_async[r] && !is_common(m, state, visible)))
      continue;
    proof_deactivate(m, state, written);
    proof_deactivate(m, state, visible);
  }
}

// What everybody knows is nothing new when a phase tells it; and who ends a
// phase knows it by then, so no wait is missed (B2).
void proof_forget_common(const ProofMachine *m, int32_t *state) {
  for (int r = 0; r < m->num_resources; r++)
    forget_accesses(m, state, r);
  for (int s = 0; s < m->num_slots; s++)
    for (int a = 0; a < m->num_agents; a++)
      if (is_common(m, state, proof_fact_phase(m, s, PROOF_FIRST_WAIT + a)))
        proof_deactivate(m, state,
                         proof_fact_phase(m, s, PROOF_FIRST_WAIT + a));
  for (int i = 0; i < m->num_facts; i++) {
    bool is_known = is_common(m, state, i);
    for (int a = 0; a < m->num_agents; a++)
      if (!proof_is_leader(a) && proof_has(proof_known(m, state, a), i))
        proof_take(proof_own(m, state, a), i);
    for (int s = 0; s < m->num_slots && is_known; s++) {
      proof_take(proof_complete(m, state, s), i);
      proof_take(proof_gathering(m, state, s), i);
    }
  }
}

//===-- States that cover others ------------------------------------------===//

// Whether it matters who knows the fact, but for those of phases.
static bool matters(const ProofMachine *m, const int32_t *state, int fact) {
  int first_phase = proof_fact_phase(m, 0, 0), in_resource;
  if (fact >= first_phase) {
    int which = (fact - first_phase) % (PROOF_FIRST_WAIT + m->num_agents);
    return which < PROOF_FIRST_WAIT || proof_is_active(m, state, fact);
  }
  in_resource = fact % facts_per_resource(m);
  if (in_resource >= m->num_agents && in_resource < 2 * m->num_agents)
    fact -= m->num_agents; // visible: as long as what is written matters
  return proof_is_active(m, state, fact);
}

static uint32_t mattering(const ProofMachine *m, const int32_t *state,
                          int word) {
  uint32_t out = 0;
  for (int i = 0; i < 32 && 32 * word + i < m->num_facts; i++)
    out |= (uint32_t)matters(m, state, 32 * word + i) << i;
  return out;
}

// The facts of a word that would be nothing new in a set.
static uint32_t not_new(const ProofMachine *m, const int32_t *state, int set,
                        int word, uint32_t matter) {
  const int32_t *sets = state + m->sets + word;
  uint32_t known = (uint32_t)sets[set * m->set_words], common = ~UINT32_C(0);
  known |= ~matter;
  if (set < m->num_agents)
    return known;
  if (set < 2 * m->num_agents)
    return known | (uint32_t)sets[(set - m->num_agents) * m->set_words];
  for (int a = 0; a < m->num_agents; a++)
    common &= (uint32_t)sets[a * m->set_words];
  return known | common;
}

bool proof_machine_covers(const ProofMachine *m, const int32_t *kept,
                          const int32_t *state) {
  for (int w = 0; w < m->fact_words; w++)
    if ((state[m->active + w] & ~kept[m->active + w]) ||
        (kept[m->filled + w] & ~state[m->filled + w]))
      return false;
  for (int w = 0; w < m->fact_words; w++) {
    uint32_t matter = mattering(m, state, w);
    for (int set = 0; set < proof_num_sets(m); set++)
      if ((uint32_t)kept[m->sets + set * m->set_words + w] &
          ~not_new(m, state, set, w, matter))
        return false;
  }
  return true;
}

void proof_machine_merge(const ProofMachine *m, const int32_t *kept,
                         int32_t *state) {
  int num_sets = proof_num_sets(m);
  for (int w = 0; w < m->fact_words; w++) {
    uint32_t first = mattering(m, kept, w), second = mattering(m, state, w);
    for (int set = num_sets - 1; set >= 0; set--) {
      uint32_t both = not_new(m, kept, set, w, first) &
                      not_new(m, state, set, w, second) & (first | second);
      state[m->sets + set * m->set_words + w] = (int32_t)both;
    }
  }
  for (int w = 0; w < m->fact_words; w++) {
    state[m->active + w] |= kept[m->active + w];
    state[m->filled + w] &= kept[m->filled + w];
  }
}

//===-- Faults ------------------------------------------------------------===//

void proof_fail(const ProofMachine *m, int agent, const ProofOp *op,
                const char *code, const char *format, ...) {
  ProofFault *fault = m->fault;
  va_list args;
  if (fault->code)
    return;
  *fault =
      (ProofFault){.code = code, .agent = agent, .op = op, .is_sure = true};
  va_start(args, format);
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
}
