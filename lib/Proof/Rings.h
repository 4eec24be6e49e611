//===- Rings.h - Slots that make no difference ----------------------------===//
//
// The slots of a ring are alike. Where all that a program does with them is to
// go on to the next one, a state is as good as the one that it becomes when all
// slots, and the parities that go with them, are turned on together.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROOF_RINGS_H
#define TILE_PROOF_RINGS_H

#include "State.h"

typedef struct ProofRings ProofRings;

/// Owner: the arena of the context.
ProofRings *proof_rings_build(const ProofContext *context);
/// Turns each ring so that the first position in it is 0.
void proof_rings_turn(const ProofRings *rings, ProofContext *context,
                      ProofState *state);

#endif // TILE_PROOF_RINGS_H
