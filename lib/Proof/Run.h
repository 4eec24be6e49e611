//===- Run.h - Roles executed for one word of decisions -------------------===//
#ifndef TILE_PROOF_RUN_H
#define TILE_PROOF_RUN_H

#include "Machine.h"
#include "Proof.h"
#include "Variables.h"

//===-- Words -------------------------------------------------------------===//

typedef enum {
  PROOF_WORD_PLAIN,  // every number from outside is `seed`
  PROOF_WORD_DIGITS, // the digits, in the order in which they are asked for
  PROOF_WORD_RANDOM, // drawn from `seed`
} ProofWordKind;

enum { PROOF_MAX_DIGITS = 48 };

/// What everything that comes from outside the roles is in one run.
typedef struct {
  ProofWordKind kind;
  uint64_t seed;
  int64_t unit;  // numbers are multiples of it, so that loops with steps run
  int num_trips; // digits of numbers: from 0 to this
  int num_digits;
  uint64_t keys[PROOF_MAX_DIGITS];
  uint8_t digits[PROOF_MAX_DIGITS], bases[PROOF_MAX_DIGITS];
  bool has_overflow; // more numbers were asked for than there are digits
} ProofWord;

//===-- Runs --------------------------------------------------------------===//

typedef struct {
  ProofStep *steps;
  int num_steps, capacity;
} ProofRoleRun;

enum { PROOF_MAX_CHOICES = 6 };

typedef struct {
  ProofRoleRun roles[PROOF_MAX_ROLES];
  bool is_complete; // no limit was met
  /// No decision or position came from numbers that may not be free: functions
  /// that are not computed.
  bool is_certain;
  bool has_guess; // something depends on what no role computes, nor memory has
  /// Of each role: the last loop whose trips are not fixed; or null.
  ProofChoice loops[PROOF_MAX_ROLES];
  ProofChoice choices[PROOF_MAX_CHOICES];
  int num_choices;
} ProofRun;

#endif // TILE_PROOF_RUN_H
