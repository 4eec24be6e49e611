//===- Words.c - Small numbers for what comes from outside ----------------===//

#include "Words.h"

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x =
      (a ^ (b + UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
  return (x ^ x >> 29) * UINT64_C(0x94D049BB133111EB) >> 1;
}

// The number that `key` stands for; memory and guards are 0 or 1 in half of the
// words.
static int64_t outside(const ProofWord *word, uint64_t key, bool is_bit) {
  enum { RANGE = 9 };
  if (word->is_plain)
    return (int64_t)word->seed * word->unit;
  if (is_bit && word->seed % 2)
    return (int64_t)(mix(key, word->seed) % 2);
  return (int64_t)(mix(key, word->seed) % RANGE) * word->unit;
}

static int64_t value_of(const ProofContext *c, const ProofState *s, int agent,
                        ProofScalarId id, bool is_bit);

static int64_t function_value(const ProofContext *c, const ProofState *s,
                              int agent, ProofScalarId id) {
  const ProofScalar *scalar = &c->program->scalars[id];
  ProofNumber args[PROOF_MAX_ARGS] = {{0}};
  uint64_t hash = (uint64_t)scalar->function;
  for (int i = 0; i < scalar->num_args; i++) {
    int64_t value = value_of(c, s, agent, scalar->args[i], false);
    hash = mix(hash, (uint64_t)value);
    if (i < PROOF_MAX_ARGS)
      args[i] = proof_number(value, 0);
  }
  ProofNumber number =
      proof_apply(scalar->function, scalar->constant, scalar->num_args, args);
  if (number.is_known)
    return number.value;
  c->word->is_uncertain |=
      !scalar->is_free ||
      (c->word->asked == PROOF_AS_POSITION && !c->word->is_bound[id]);
  return outside(c->word, hash, true);
}

// What a slot holds. What updates find goes up, as tickets do, and so does what
// a slot holds that nobody has filled; it is not sure that it can.
static int64_t held_value(const ProofContext *c, const ProofState *s, int agent,
                          ProofScalarId id) {
  const ProofScalar *held = &c->program->scalars[id];
  ProofWord *word = c->word;
  int first = PROOF_NONE, num_slots = 0;
  int64_t slot = 0;
  word->is_uncertain = true;
  if (held->kind == PROOF_HELD) {
    int buffer = c->program->windows[held->constant].buffer;
    first = c->needs.first_cell[buffer];
    num_slots = c->program->buffers[buffer].num_slots;
    slot = held->num_args ? value_of(c, s, agent, held->args[0], false) : 0;
  }
  bool is_known = first >= 0 && slot >= 0 && slot < num_slots &&
                  s->cells[first + slot] >= 0;
  return is_known ? c->terms.items[s->cells[first + slot]].constant
                  : word->num_new++;
}

static int64_t value_of(const ProofContext *c, const ProofState *s, int agent,
                        ProofScalarId id, bool is_bit) {
  const ProofScalar *scalar = &c->program->scalars[id];
  ProofWord *word = c->word;
  if (scalar->kind == PROOF_CONSTANT)
    return scalar->constant;
  if (scalar->kind == PROOF_FUNCTION)
    return function_value(c, s, agent, id);
  if (scalar->kind == PROOF_HELD || scalar->kind == PROOF_NEW)
    return held_value(c, s, agent, id);
  if (scalar->kind == PROOF_VARIABLE) {
    int index = c->needs.index[id];
    ProofTermId term = index < 0 ? PROOF_NO_TERM : s->values[agent][index];
    return term < 0 ? 0 : c->terms.items[term].constant;
  }
  word->is_uncertain |= word->asked == PROOF_AS_POSITION && !word->is_bound[id];
  word->has_guess |= !scalar->is_free;
  return outside(word, mix((uint64_t)id, 0), is_bit);
}

int64_t proof_word_value(const ProofContext *c, const ProofState *s, int agent,
                         ProofScalarId id) {
  return value_of(c, s, agent, id, c->word->asked == PROOF_AS_CONDITION);
}
