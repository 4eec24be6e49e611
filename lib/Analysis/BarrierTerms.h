//===- BarrierTerms.h - Values as functions of other values ---------------===//
//
// Equal terms are equal values, as long as the scalars in them stay the same.
// Sums are ordered and their constants added up, comparisons are `<` and `==`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_TERMS_H
#define TILE_ANALYSIS_BARRIER_TERMS_H

#include "Tile/Protocol.h"

typedef int BarrierTermId;

enum { BARRIER_NO_TERM = -1, BARRIER_MAX_SUMMANDS = 16 };

typedef enum {
  BARRIER_TERM_CONST, // `constant`; true is -1
  BARRIER_TERM_ATOM,  // the scalar `atom`
  BARRIER_TERM_SUM,   // `constant` and the sum of factors[i] * args[i]
  BARRIER_TERM_CALL,  // `function` of args
  BARRIER_TERM_NOT,   // all bits of args[0] flipped
} BarrierTermKind;

typedef struct {
  BarrierTermKind kind;
  int64_t constant;
  TileProtocolScalarId atom;
  int function, num_args;
  const BarrierTermId *args; // of a sum: ascending
  const int64_t *factors;
  uint64_t atoms;    // one bit each, of number modulo 64
  bool has_unstable; // depends on what another iteration may find changed
} BarrierTerm;

typedef struct {
  const TileProtocol *protocol;
  TileArena *arena;
  BarrierTerm *items;
  int count, capacity;
  int *buckets; // id + 1
  int num_buckets;
  BarrierTermId *of_scalar; // id + 1
  struct {
    int stamp;
    BarrierTermId term;
  } *replaced; // of the replacement `stamp`
  int replaced_capacity, stamp;
} BarrierTerms;

/// Memory comes from `arena`.
void barrier_terms_init(BarrierTerms *terms, const TileProtocol *protocol,
                        TileArena *arena);
/// The functions below return BARRIER_NO_TERM when there are too many terms,
/// and of BARRIER_NO_TERM.
BarrierTermId barrier_term_of(BarrierTerms *terms, TileProtocolScalarId id);
BarrierTermId barrier_term_constant(BarrierTerms *terms, int64_t value);
BarrierTermId barrier_term_call(BarrierTerms *terms, int function,
                                int64_t constant, int num_args,
                                const BarrierTermId *args);
/// a + factor * b; BARRIER_NO_TERM as well where numbers are too large.
BarrierTermId barrier_term_sum(BarrierTerms *terms, BarrierTermId a,
                               int64_t factor, BarrierTermId b);
/// `term`, where the scalars `from` are the terms `to`.
BarrierTermId barrier_term_replace(BarrierTerms *terms, BarrierTermId term,
                                   int count, const TileProtocolScalarId *from,
                                   const BarrierTermId *to);

#endif // TILE_ANALYSIS_BARRIER_TERMS_H
