//===- State.h - States of a proof ----------------------------------------===//
//
// Where each agent is, what its variables are as terms, what is known of the
// terms, and the words of the machine. Symbols are values that the state has
// names for; nothing else is known of them than what the state says.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROOF_STATE_H
#define TILE_PROOF_STATE_H

#include "Machine.h"
#include "Terms.h"
#include "Variables.h"

enum { PROOF_MAX_SYMBOLS = 64, PROOF_MAX_BOUNDS = 160, PROOF_MAX_ENTRIES = 16 };

typedef struct {
  ProofNumber number;
  int64_t step, modulus; // of the counter that it began as; 0 and 1
} ProofSymbol;

/// low <= form <= high; the form is a sum without a constant. Of a condition
/// that holds or does not: -1 or 0.
typedef struct {
  int64_t low, high; // or the ends of their type
  ProofTermId form;
  int32_t is_truth;
} ProofBound;

/// Counters of a class began at `start`, which is `value` now. Agents that have
/// yet to begin there have the same value then.
typedef struct {
  int class_number;
  ProofTermId start, value;
  unsigned agents; // that have begun
} ProofEntry;

typedef struct {
  int pc[PROOF_MAX_AGENTS];
  ProofTermId *values[PROOF_MAX_AGENTS]; // per variable; PROOF_NO_TERM
  ProofTermId *cells; // what slots hold, of ProofNeeds.num_cells; the same
  ProofSymbol symbols[PROOF_MAX_SYMBOLS];
  ProofBound bounds[PROOF_MAX_BOUNDS]; // ascending
  ProofEntry entries[PROOF_MAX_ENTRIES];
  int num_symbols, num_bounds, num_entries;
  int32_t *words; // of the machine
} ProofState;

/// What all states of a proof share.
typedef struct {
  const ProofProgram *program;
  TileArena *arena;
  ProofNeeds needs;
  ProofTerms terms;
  ProofMachine machine;
  ProofFault fault;
  ProofTermId *fixed;    // of needs.fixed
  ProofTermId *positive; // steps of loops, which are at least 1
  int num_positive, positive_capacity;
  /// What is known of needs.residues in this start.
  ProofTermId *residue_terms;
  ProofNumber *residues;
  /// Of a run of small numbers: what they are; else null (Words.h).
  struct ProofWord *word;
} ProofContext;

//===-- What is known of terms (Beliefs.c) --------------------------------===//

ProofNumber proof_number_of(const ProofContext *context,
                            const ProofState *state, ProofTermId id);
/// The least value of a sum that is known, or INT64_MIN.
int64_t proof_low(const ProofContext *context, const ProofState *state,
                  const ProofSum *sum);
/// Notes low <= sum <= high; either may be the end of its type.
void proof_learn_bounds(ProofContext *context, ProofState *state,
                        const ProofSum *sum, int64_t low, int64_t high);
/// The symbol that a bound gives one number, which is -bound->low, or
/// PROOF_NO_TERM.
static inline ProofTermId proof_known_symbol(const ProofContext *c,
                                             const ProofBound *bound) {
  const ProofTerm *form = &c->terms.items[bound->form];
  bool is_symbol = bound->low == bound->high && form->num_args == 1 &&
                   form->kind == PROOF_TERM_SUM && form->factors[0] == -1 &&
                   c->terms.items[form->args[0]].kind == PROOF_TERM_SYMBOL;
  return is_symbol ? form->args[0] : PROOF_NO_TERM;
}
/// Whether a term is a comparison, or made of such.
bool proof_is_condition(const ProofContext *context, ProofTermId id);
/// Whether the term was found to hold as it stands: 1, 0, or -1.
int proof_truth(const ProofState *state, ProofTermId term);
/// Notes that, unless it is known already.
void proof_learn_truth(ProofState *state, ProofTermId term, bool holds);
/// Whether a condition holds: 1, 0, or -1 where that is not known.
int proof_outcome(ProofContext *context, const ProofState *state,
                  ProofTermId condition);
/// Writes down what is known of a comparison now, of sums alone.
void proof_restate(ProofContext *context, ProofState *state,
                   ProofTermId comparison);
/// The condition was found to hold or not.
void proof_learn(ProofContext *context, ProofState *state,
                 ProofTermId condition, bool holds);

/// Draws conclusions from all that is known. False where it contradicts itself:
/// then no run comes here.
bool proof_conclude(ProofContext *context, ProofState *state);

//===-- Names of values (Symbols.c) ---------------------------------------===//

/// The term that a scalar is of an agent.
ProofTermId proof_value_of(ProofContext *context, const ProofState *state,
                           int agent, ProofScalarId id);

/// Where the state keeps what a slot of a window holds; -1 where it does not,
/// or the slot is not known. `slot`: PROOF_NONE of all.
int proof_cell_of(ProofContext *context, const ProofState *state, int agent,
                  int window, ProofScalarId slot);

/// A name for a value, or PROOF_NO_TERM when there are too many. Of a counter:
/// how far an iteration moves it, and what its number is kept modulo.
ProofTermId proof_new_symbol(ProofContext *context, ProofState *state,
                             ProofTermId value, int64_t step, int64_t modulus);

//===-- Counters (Counters.c) ---------------------------------------------===//

/// Whether the term is the step of a loop; whether a sum is a constant and
/// such.
static inline bool proof_is_positive(const ProofContext *c, ProofTermId id) {
  for (int i = 0; i < c->num_positive; i++)
    if (c->positive[i] == id)
      return true;
  return false;
}
static inline bool proof_is_of_steps(const ProofContext *c,
                                     const ProofSum *sum) {
  bool result = sum->fits;
  for (int i = 0; i < sum->count; i++)
    result &= proof_is_positive(c, sum->args[i]);
  return result;
}
/// Variable `index` of an agent, a counter, begins at its value: that gets a
/// name.
void proof_enter(ProofContext *context, ProofState *state, int agent,
                 int index);

/// Symbols.c: gives values new names, so that states that differ in names are
/// one, and forgets what nobody asks for. False when there are too many.
bool proof_rename(ProofContext *context, ProofState *state);

#endif // TILE_PROOF_STATE_H
