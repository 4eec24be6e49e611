//===- BarrierRecall.c - What decisions tell of later ones ----------------===//

#include "BarrierRecall.h"

#include <string.h>

// Words: a bit for each fact that is known, then one for each that holds.
int barrier_recall_num_words(const BarrierRecall *r) {
  return 2 * ((r->num_facts + 31) / 32);
}

static bool has_bit(const int32_t *words, int bit) {
  return (uint32_t)words[bit / 32] >> bit % 32 & 1;
}

static void set_bit(int32_t *words, int bit, bool value) {
  uint32_t mask = UINT32_C(1) << bit % 32, word = (uint32_t)words[bit / 32];
  words[bit / 32] = (int32_t)(value ? word | mask : word & ~mask);
}

static void set_fact(const BarrierRecall *r, int32_t *words, int fact,
                     int value) {
  set_bit(words, fact, value >= 0);
  set_bit(words + barrier_recall_num_words(r) / 2, fact, value > 0);
}

static bool holds(const BarrierRecall *r, const int32_t *words, int fact) {
  return has_bit(words + barrier_recall_num_words(r) / 2, fact);
}

//===-- Values ------------------------------------------------------------===//

static int value_of(const BarrierRecall *r, const int32_t *words,
                    RecallLiteral literal);

// What follows from the parts of a fact.
static int value_of_parts(const BarrierRecall *r, const int32_t *words,
                          const RecallFact *fact) {
  if (fact->kind == RECALL_PLAIN)
    return -1;
  int first = value_of(r, words, fact->parts[0]);
  if (fact->kind == RECALL_SELECT)
    return first < 0 ? -1 : value_of(r, words, fact->parts[first ? 1 : 2]);
  if (fact->kind == RECALL_IMPLIED) {
    int value = first == 1 ? value_of(r, words, fact->parts[1]) : -1;
    return value < 0 && value_of(r, words, fact->parts[2]) == 1
               ? value_of(r, words, fact->parts[3])
               : value;
  }
  int strong = fact->kind == RECALL_OR;
  int second = value_of(r, words, fact->parts[1]);
  if (first == strong || second == strong)
    return strong;
  return first < 0 || second < 0 ? -1 : !strong;
}

static int value_of(const BarrierRecall *r, const int32_t *words,
                    RecallLiteral literal) {
  if (literal.fact == RECALL_NOTHING)
    return -1;
  if (literal.fact == RECALL_TRUE)
    return !literal.is_negated;
  int value =
      has_bit(words, literal.fact)
          ? has_bit(words + barrier_recall_num_words(r) / 2, literal.fact)
          : value_of_parts(r, words, &r->facts[literal.fact]);
  return value < 0 ? -1 : value ^ literal.is_negated;
}

int barrier_recall_outcome(const BarrierRecall *r, const int32_t *words,
                           const RecallCode *code) {
  return value_of(r, words, code->condition);
}

//===-- Learning ----------------------------------------------------------===//

static void learn(const BarrierRecall *r, int32_t *words, RecallLiteral literal,
                  bool value);

static void learn_parts(const BarrierRecall *r, int32_t *words,
                        const RecallFact *fact, bool value) {
  const RecallLiteral *parts = fact->parts;
  if (fact->kind == RECALL_PLAIN)
    return;
  int first = value_of(r, words, parts[0]);
  if (fact->kind == RECALL_IMPLIED) {
    if (first == 1)
      learn(r, words, parts[1], value);
    if (value_of(r, words, parts[2]) == 1)
      learn(r, words, parts[3], value);
    return;
  }
  if (fact->kind == RECALL_SELECT) {
    if (first >= 0)
      learn(r, words, parts[first ? 1 : 2], value);
    return;
  }
  bool weak = fact->kind == RECALL_AND; // both are, where the whole is
  int second = value_of(r, words, parts[1]);
  if (value == weak || second == weak)
    learn(r, words, parts[0], value);
  if (value == weak || first == weak)
    learn(r, words, parts[1], value);
}

// Facts that hold where `fact` does, or do not where it does not.
static void learn_others(const BarrierRecall *r, int32_t *words, int fact,
                         bool value) {
  const uint32_t *others = value ? r->facts[fact].below : r->facts[fact].above;
  for (int i = 0; i < r->num_facts; i++)
    if (others[i / 32] >> i % 32 & 1 && !has_bit(words, i))
      set_fact(r, words, i, value);
}

static void learn_fact(const BarrierRecall *r, int32_t *words, int fact,
                       bool value) {
  set_fact(r, words, fact, value);
  learn_others(r, words, fact, value);
  learn_parts(r, words, &r->facts[fact], value);
}

static void learn(const BarrierRecall *r, int32_t *words, RecallLiteral literal,
                  bool value) {
  if (literal.fact >= 0)
    learn_fact(r, words, literal.fact, value ^ literal.is_negated);
}

void barrier_recall_learn(const BarrierRecall *r, int32_t *words,
                          const RecallCode *code, bool outcome) {
  learn(r, words, code->condition, outcome);
}

//===-- New numbers -------------------------------------------------------===//

void barrier_recall_move(const BarrierRecall *r, int32_t *words,
                         const RecallCode *code) {
  int32_t old[2 * RECALL_WORDS];
  if (code->num_moves == 0)
    return;
  memcpy(old, words, sizeof *old * (size_t)barrier_recall_num_words(r));
  for (int i = 0; i < code->num_moves; i++) {
    int value = value_of(r, old, code->moves[i].from);
    if (value >= 0 || !code->is_end)
      set_fact(r, words, code->moves[i].fact, value);
  }
  for (int i = 0; i < code->num_moves; i++) {
    int fact = code->moves[i].fact;
    if (has_bit(words, fact))
      learn_fact(r, words, fact, holds(r, words, fact));
  }
}

// One way to say the same: a fact that follows from its parts is left out.
void barrier_recall_forget(const BarrierRecall *r, int32_t *words,
                           const RecallCode *code) {
  for (int i = 0; i < r->num_facts; i++) {
    if (!has_bit(words, i))
      continue;
    bool is_live = code->live[i / 32] >> i % 32 & 1;
    if (!is_live || value_of_parts(r, words, &r->facts[i]) >= 0)
      set_fact(r, words, i, -1);
  }
}
