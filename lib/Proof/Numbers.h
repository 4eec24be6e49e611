//===- Numbers.h - Numbers as far as they are known -----------------------===//
#ifndef TILE_PROOF_NUMBERS_H
#define TILE_PROOF_NUMBERS_H

#include "Program.h"

/// `value`, or `value` modulo `modulus`.
typedef struct {
  int64_t value;
  int64_t modulus; // 0: exact
  int32_t is_known;
  int32_t is_least; // with a modulus: the number is `value` or more
} ProofNumber;

ProofNumber proof_number(int64_t value, int64_t modulus);
bool proof_number_is_exact(ProofNumber number);
/// sum + factor * number
ProofNumber proof_number_add(ProofNumber sum, int64_t factor,
                             ProofNumber number);
/// A function of numbers; `constant` as in ProofScalar. Unknown where it is not
/// computed.
ProofNumber proof_apply(int function, int64_t constant, int num_args,
                        const ProofNumber *args);

#endif // TILE_PROOF_NUMBERS_H
