//===- Words.h - Small numbers for what comes from outside ----------------===//
#ifndef TILE_PROOF_WORDS_H
#define TILE_PROOF_WORDS_H

#include "State.h"

typedef enum {
  PROOF_WORD_PLAIN,  // every number from outside is `seed`
  PROOF_WORD_DIGITS, // the digits, in the order in which they are asked for
  PROOF_WORD_RANDOM, // drawn from `seed`
} ProofWordKind;

/// What a number is asked for as.
typedef enum {
  PROOF_AS_VALUE,
  PROOF_AS_POSITION,
  PROOF_AS_CONDITION
} ProofUseAs;

enum { PROOF_MAX_DIGITS = 48 };

/// What everything that comes from outside the roles is in one run.
typedef struct ProofWord {
  ProofWordKind kind;
  uint64_t seed;
  int64_t unit;  // numbers are multiples of it, so that loops with steps run
  int num_trips; // digits of numbers: from 0 to this
  int num_digits;
  uint64_t keys[PROOF_MAX_DIGITS];
  uint8_t digits[PROOF_MAX_DIGITS], bases[PROOF_MAX_DIGITS];
  bool has_overflow; // more numbers were asked for than there are digits
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
/// The next word of PROOF_WORD_DIGITS after one that was run; false at the end.
bool proof_word_next(ProofWord *word);

#endif // TILE_PROOF_WORDS_H
