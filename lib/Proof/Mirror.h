//===- Mirror.h - Parities that threads keep as bits ----------------------===//
#ifndef TILE_PROOF_MIRROR_H
#define TILE_PROOF_MIRROR_H

#include "State.h"

typedef struct ProofMirrors ProofMirrors;

/// Finds the numbers that hold parities of a row. Owner: `arena`.
ProofMirrors *proof_mirrors_build(const ProofProgram *program,
                                  TileArena *arena);
/// Makes the phases of such rows 0, where all these numbers are known.
void proof_mirror(const ProofMirrors *mirrors, ProofContext *context,
                  ProofState *state);

#endif // TILE_PROOF_MIRROR_H
