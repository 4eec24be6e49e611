//===- Numbers.c - Numbers as far as they are known -----------------------===//
//
// Counters that have no bound are kept modulo a number that is large enough for
// `counter mod depth` and for its parity.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "Support/Arithmetic.h"

static ProofNumber unknown(void) { return (ProofNumber){0}; }

ProofNumber proof_number(int64_t value, int64_t modulus) {
  if (modulus) {
    value %= modulus;
    value += value < 0 ? modulus : 0;
  }
  return (ProofNumber){value, modulus, true, false};
}

static bool is_at_least(ProofNumber x) { return !x.modulus || x.is_least; }

// A sum of numbers of which the least value is known.
static ProofNumber sum_of(ProofNumber a, ProofNumber b) {
  int64_t value = a.value + b.value, modulus = tile_gcd(a.modulus, b.modulus);
  if (modulus && value >= 0 && is_at_least(a) && is_at_least(b))
    return (ProofNumber){value, modulus, true, true};
  return proof_number(value, modulus);
}

static ProofNumber product(ProofNumber a, ProofNumber b) {
  const int64_t limit = INT64_C(1) << 31;
  if (a.modulus && b.modulus)
    return unknown();
  int64_t factor = a.modulus ? b.value : a.value;
  int64_t modulus = a.modulus + b.modulus;
  if (factor < 0 || factor >= limit || a.value >= limit || b.value >= limit ||
      modulus >= limit)
    return unknown();
  ProofNumber out = proof_number(a.value * b.value, modulus * factor);
  if (modulus && factor && is_at_least(a) && is_at_least(b))
    out = (ProofNumber){a.value * b.value, modulus * factor, true, true};
  return out;
}

// x = value + t * modulus, with x and t not negative.
static ProofNumber quotient(ProofNumber a, ProofNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  ProofNumber out = proof_number(a.value / b.value, a.modulus / b.value);
  if (a.modulus && a.is_least)
    out = (ProofNumber){a.value / b.value, a.modulus / b.value, true, true};
  return out;
}

static ProofNumber remainder_of(ProofNumber a, ProofNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  return proof_number(a.value % b.value, 0);
}

static bool is_shift(ProofNumber x) {
  enum { MAX_SHIFT = 30 };
  return !x.modulus && x.value >= 0 && x.value <= MAX_SHIFT;
}

static bool is_mask(ProofNumber x) {
  return !x.modulus && x.value > 0 && (x.value & (x.value + 1)) == 0;
}

static ProofNumber conjunction(ProofNumber a, ProofNumber b) {
  if (!a.modulus && !b.modulus)
    return proof_number(a.value & b.value, 0);
  if (is_mask(b))
    return remainder_of(a, proof_number(b.value + 1, 0));
  return is_mask(a) ? remainder_of(b, proof_number(a.value + 1, 0)) : unknown();
}

// Functions of which nothing is known unless both numbers are exact.
static ProofNumber of_exact(int function, int64_t a, int64_t b) {
  switch (function) {
  case PROOF_XOR:
    return proof_number(a ^ b, 0);
  case PROOF_OR:
    return proof_number(a | b, 0);
  case PROOF_MIN:
    return proof_number(a < b ? a : b, 0);
  case PROOF_MAX:
    return proof_number(a > b ? a : b, 0);
  case PROOF_CEILDIV:
    return a >= 0 && b > 0 ? proof_number((a + b - 1) / b, 0) : unknown();
  case PROOF_EQ:
    return proof_number(-(a == b), 0);
  case PROOF_LT:
    return proof_number(-(a < b), 0);
  default:
    return proof_number(-((uint64_t)a < (uint64_t)b), 0);
  }
}

static ProofNumber of_two(int function, ProofNumber a, ProofNumber b) {
  switch (function) {
  case PROOF_ADD:
    return sum_of(a, b);
  case PROOF_SUB:
    return proof_number(a.value - b.value, tile_gcd(a.modulus, b.modulus));
  case PROOF_MUL:
    return product(a, b);
  case PROOF_DIV:
    return quotient(a, b);
  case PROOF_REM:
    return remainder_of(a, b);
  case PROOF_AND:
    return conjunction(a, b);
  case PROOF_SHL:
    return is_shift(b) ? product(a, proof_number(INT64_C(1) << b.value, 0))
                       : unknown();
  case PROOF_SHR:
    return is_shift(b) ? quotient(a, proof_number(INT64_C(1) << b.value, 0))
                       : unknown();
  default:
    return a.modulus || b.modulus ? unknown()
                                  : of_exact(function, a.value, b.value);
  }
}

bool proof_number_is_exact(ProofNumber x) { return x.is_known && !x.modulus; }

ProofNumber proof_number_add(ProofNumber sum, int64_t factor,
                             ProofNumber number) {
  if (!sum.is_known || !number.is_known)
    return unknown();
  number = factor >= 0
               ? product(number, proof_number(factor, 0))
               : proof_number(number.value * factor, number.modulus * -factor);
  return number.is_known ? sum_of(sum, number) : number;
}

//===-- Functions ---------------------------------------------------------===//

static ProofNumber advance(int function, int64_t depth,
                           const ProofNumber *args) {
  bool wraps = args[0].value + 1 == depth;
  if (args[0].modulus)
    return unknown();
  if (function == PROOF_ADVANCE_SLOT)
    return proof_number(wraps ? 0 : args[0].value + 1, 0);
  return args[1].modulus ? unknown() : proof_number(args[1].value ^ wraps, 0);
}

ProofNumber proof_apply(int function, int64_t constant, int num_args,
                        const ProofNumber *args) {
  if (function >= PROOF_OTHER || num_args > PROOF_MAX_ARGS)
    return unknown();
  if (function == PROOF_SELECT)
    return proof_number_is_exact(args[0]) ? args[args[0].value & 1 ? 1 : 2]
                                          : unknown();
  for (int i = 0; i < num_args; i++)
    if (!args[i].is_known)
      return unknown();
  if (function <= PROOF_ADVANCE_PARITY)
    return advance(function, constant, args);
  return function == PROOF_CAST ? args[0] : of_two(function, args[0], args[1]);
}
