//===- Terms.h - Values as functions of other values ----------------------===//
//
// Terms are interned: equal terms are equal values. Sums are ordered and their
// constants added up, comparisons are `<` and `==`. A symbol is a value that a
// state of the proof has a name for.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROOF_TERMS_H
#define TILE_PROOF_TERMS_H

#include "Numbers.h"
#include "Support/KeyTable.h"

typedef int ProofTermId;

enum { PROOF_NO_TERM = -1, PROOF_MAX_SUMMANDS = 8 };

typedef enum {
  PROOF_TERM_CONSTANT, // `constant`; true is -1
  PROOF_TERM_INPUT,    // the scalar `constant`
  PROOF_TERM_SYMBOL,   // number `constant`
  PROOF_TERM_SUM,      // `constant` and the sum of factors[i] * args[i]
  PROOF_TERM_CALL,     // `function` of args; `constant` as in ProofScalar
  PROOF_TERM_NOT,      // all bits of args[0] flipped
} ProofTermKind;

typedef struct {
  ProofTermKind kind;
  int64_t constant;
  int function, num_args;
  const ProofTermId *args; // of a sum: ascending
  const int64_t *factors;
  bool has_symbol; // in it
  int size;        // terms in it
} ProofTerm;

typedef struct {
  TileArena *arena;
  ProofTerm *items;
  int count, capacity;
  TileKeyTable keys;
  struct {
    int stamp;
    ProofTermId term;
  } *replaced; // of the replacement `stamp`
  int replaced_capacity, stamp;
} ProofTerms;

/// Memory comes from `arena`.
static inline void proof_terms_init(ProofTerms *t, TileArena *arena) {
  *t = (ProofTerms){.arena = arena, .keys.arena = arena};
}
/// The functions below return PROOF_NO_TERM when there are too many terms, and
/// of PROOF_NO_TERM.
/// A constant, the number of an input or that of a symbol.
ProofTermId proof_term_leaf(ProofTerms *terms, ProofTermKind kind,
                            int64_t number);
static inline ProofTermId proof_term_constant(ProofTerms *t, int64_t value) {
  return proof_term_leaf(t, PROOF_TERM_CONSTANT, value);
}
static inline ProofTermId proof_term_input(ProofTerms *t, ProofScalarId id) {
  return proof_term_leaf(t, PROOF_TERM_INPUT, id);
}
static inline ProofTermId proof_term_symbol(ProofTerms *t, int number) {
  return proof_term_leaf(t, PROOF_TERM_SYMBOL, number);
}
ProofTermId proof_term_call(ProofTerms *terms, int function, int64_t constant,
                            int num_args, const ProofTermId *args);
bool proof_term_is_constant(const ProofTerms *terms, ProofTermId id);

//===-- Sums --------------------------------------------------------------===//

/// A sum that is no term. Numbers are below 2^31, so that no product overflows.
typedef struct {
  int64_t constant;
  int count;
  ProofTermId args[PROOF_MAX_SUMMANDS]; // ascending
  int64_t factors[PROOF_MAX_SUMMANDS];  // none is 0
  bool fits;                            // else it is not known
} ProofSum;

ProofSum proof_sum_of(const ProofTerms *terms, ProofTermId id);
/// sum + factor * other
void proof_sum_add(ProofSum *sum, int64_t factor, const ProofSum *other);
/// a - b
ProofSum proof_sum_difference(const ProofTerms *terms, ProofTermId a,
                              ProofTermId b);
ProofTermId proof_term_of_sum(ProofTerms *terms, const ProofSum *sum);

//===-- Replacements ------------------------------------------------------===//

/// Begins a replacement: nothing is replaced.
void proof_replace_begin(ProofTerms *terms);
/// `from` becomes `to`, also within terms.
void proof_replace_set(ProofTerms *terms, ProofTermId from, ProofTermId to);
/// The term after the replacement.
ProofTermId proof_replace(ProofTerms *terms, ProofTermId id);

#endif // TILE_PROOF_TERMS_H
