//===- Words.h - Small numbers for what comes from outside ----------------===//
#ifndef TILE_PROOF_WORDS_H
#define TILE_PROOF_WORDS_H

#include "State.h"

/// What a number is asked for as.
typedef enum {
  PROOF_AS_VALUE,
  PROOF_AS_POSITION,
  PROOF_AS_CONDITION
} ProofUseAs;

/// What everything that comes from outside the roles is in one run.
typedef struct ProofWord {
  bool is_plain; // every number is `seed`; else they are drawn from it
  uint64_t seed;
  int64_t unit;    // numbers are multiples of it, so that loops with steps run
  int64_t num_new; // numbers that updates have found: 0, 1, 2 and so on
  /// Per scalar: it is a bound of a loop. Other slots and parities are not any
  /// numbers.
  const bool *is_bound;
  ProofUseAs asked;
  /// A decision or position came from a number that may not be free, as
  /// functions that are not computed; or from one that no role computes, nor
  /// memory has.
  bool is_uncertain, has_guess;
} ProofWord;

/// The number that a scalar is of an agent.
int64_t proof_word_value(const ProofContext *context, const ProofState *state,
                         int agent, ProofScalarId id);
#endif // TILE_PROOF_WORDS_H
