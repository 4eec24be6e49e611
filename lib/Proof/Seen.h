//===- Seen.h - States that a proof has seen ------------------------------===//
#ifndef TILE_PROOF_SEEN_H
#define TILE_PROOF_SEEN_H

#include "State.h"

typedef struct {
  int32_t *words; // those that tell states apart, then those of sets
  int num_words;
  bool is_open; // has yet to be expanded
} ProofKept;

typedef struct {
  TileArena *arena;
  bool merges; // states that differ in what agents know
  ProofKept *items;
  int count, capacity;
  size_t num_words; // of all of them
  int *buckets;     // index + 1
  int num_buckets;
  int32_t *scratch;
  int scratch_capacity;
} ProofSeen;

void proof_seen_init(ProofSeen *seen, bool merges, TileArena *arena);
/// Keeps the state, unless one that is kept covers it. With `merges`, of states
/// that differ in what agents know one is kept, in which nobody knows more than
/// in each: few, but it may be too little for a proof.
void proof_seen_keep(ProofSeen *seen, const ProofContext *context,
                     const ProofState *state);
/// Writes a kept state into `state`, which has room for it.
void proof_seen_restore(const ProofSeen *seen, int index,
                        const ProofContext *context, ProofState *state);

#endif // TILE_PROOF_SEEN_H
