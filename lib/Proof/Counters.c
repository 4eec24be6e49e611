//===- Counters.c - Counters of loops begin -------------------------------===//
//
// A counter gets a name when its loop begins, and counters of other roles that
// begin at the same place the same one. What was known of the value is known by
// its name.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <string.h>

static void drop_entry(ProofState *s, int at) {
  s->num_entries--;
  memmove(s->entries + at, s->entries + at + 1,
          sizeof *s->entries * (size_t)(s->num_entries - at));
}

// What is known of the first rounds of a counter is known of them by its name.
static void carry_over(ProofContext *c, ProofState *s, int agent, int index,
                       ProofTermId start, ProofTermId named) {
  enum { MAX_ROUNDS = 10 };
  const ProofVariable *variable =
      &c->needs.roles[proof_role_of(agent)].items[index];
  ProofTermId *place = &s->values[agent][index];
  for (int round = 0; round < c->needs.rounds && round < MAX_ROUNDS; round++) {
    for (int i = 0; i < variable->num_questions; i++) {
      *place = start;
      int outcome = proof_outcome(
          c, s, proof_value_of(c, s, agent, variable->questions[i]));
      *place = named;
      if (outcome < 0)
        continue;
      ProofTermId term = proof_value_of(c, s, agent, variable->questions[i]);
      proof_learn(c, s, term, outcome);
      proof_restate(c, s, term);
    }
    *place = start;
    start = proof_value_of(c, s, agent, variable->next);
    *place = named;
    named = proof_value_of(c, s, agent, variable->next);
    if (start == PROOF_NO_TERM || named == PROOF_NO_TERM)
      return;
  }
}

// What is known of `id` is known where `from` is `to`, too.
static ProofTermId replaced(ProofContext *c, ProofTermId id, ProofTermId from,
                            ProofTermId to) {
  proof_replace_begin(&c->terms);
  proof_replace_set(&c->terms, from, to);
  return proof_replace(&c->terms, id);
}

// All have begun, so nobody will ask by what they began at. Where that is an
// input and others, the input is the name less the others: so it is told to
// those who are on their way.
static void tell_by_name(ProofContext *c, ProofState *s,
                         const ProofEntry *entry) {
  ProofSum start = proof_sum_of(&c->terms, entry->start);
  ProofSum name = proof_sum_of(&c->terms, entry->value);
  int atom = 0, num_bounds = s->num_bounds;
  while (atom < start.count && start.factors[atom] != 1)
    atom++;
  if (!start.fits || atom == start.count)
    return;
  ProofTermId from = start.args[atom];
  ProofSum itself = proof_sum_of(&c->terms, from);
  proof_sum_add(&name, -1, &start);
  proof_sum_add(&name, 1, &itself);
  ProofTermId to = proof_term_of_sum(&c->terms, &name);
  ProofBound bounds[PROOF_MAX_BOUNDS];
  memcpy(bounds, s->bounds, sizeof bounds);
  for (int i = 0; i < num_bounds; i++) {
    ProofTermId form = replaced(c, bounds[i].form, from, to);
    ProofSum sum = proof_sum_of(&c->terms, form);
    if (form != bounds[i].form && bounds[i].is_truth)
      proof_learn(c, s, form, bounds[i].low);
    else if (form != bounds[i].form)
      proof_learn_bounds(c, s, &sum, bounds[i].low, bounds[i].high);
  }
}

// The value that a counter has which began at the same place, or PROOF_NO_TERM.
static ProofTermId entered(ProofContext *c, ProofState *s, int agent,
                           const ProofVariable *variable, ProofTermId start) {
  for (int i = 0; i < s->num_entries; i++) {
    ProofEntry *entry = &s->entries[i];
    if (entry->class_number != variable->class_number ||
        (entry->agents & 1u << agent))
      continue;
    ProofSum by = proof_sum_difference(&c->terms, start, entry->start);
    ProofSum value = proof_sum_of(&c->terms, entry->value);
    if (!proof_is_of_steps(c, &by))
      continue;
    proof_sum_add(&value, 1, &by);
    entry->agents |= 1u << agent;
    if (entry->agents == c->needs.class_agents[variable->class_number]) {
      tell_by_name(c, s, entry);
      drop_entry(s, i);
    }
    return proof_term_of_sum(&c->terms, &value);
  }
  return PROOF_NO_TERM;
}

// `named` is what the counter is now, `start` what it was until now: what is
// known of the one is known of the other.
static void tell_of_start(ProofContext *c, ProofState *s, int agent, int index,
                          ProofTermId start, ProofTermId named) {
  ProofTermId *place = &s->values[agent][index];
  ProofSum same = proof_sum_difference(&c->terms, named, start);
  proof_learn_bounds(c, s, &same, 0, 0);
  carry_over(c, s, agent, index, start, named);
  *place = named;
}

void proof_enter(ProofContext *c, ProofState *s, int agent, int index) {
  const ProofVariable *variable =
      &c->needs.roles[proof_role_of(agent)].items[index];
  ProofTermId *place = &s->values[agent][index], start = *place;
  if (start == PROOF_NO_TERM)
    return;
  *place = entered(c, s, agent, variable, start);
  bool is_first = *place == PROOF_NO_TERM;
  if (is_first)
    *place = proof_new_symbol(c, s, start, variable->step, variable->modulus);
  if (*place == PROOF_NO_TERM || *place == start)
    return;
  tell_of_start(c, s, agent, index, start, *place);
  if (is_first && s->num_entries < PROOF_MAX_ENTRIES &&
      variable->class_number >= 0)
    s->entries[s->num_entries++] =
        (ProofEntry){variable->class_number, start, *place, 1u << agent};
}
