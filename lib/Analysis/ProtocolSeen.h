//===- ProtocolSeen.h - States that a search has seen ---------------------===//
#ifndef TILE_ANALYSIS_PROTOCOL_SEEN_H
#define TILE_ANALYSIS_PROTOCOL_SEEN_H

#include "Support/Arena.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether a state adds nothing to one that is kept and has the same words.
typedef bool (*ProtocolSeenCovers)(const void *user_data, const int32_t *kept,
                                   const int32_t *state);

/// States of `num_words` words, numbered as they are found. Behind each stand
/// `num_more` words; without `covers` they do not tell states apart. Pointers
/// to states stay.
typedef struct {
  TileArena *arena;
  int num_words, num_more;
  ProtocolSeenCovers covers; // or NULL
  const void *user_data;
  int count;
  int32_t **chunks;
  int num_chunks, chunk_capacity;
  int *buckets; // index + 1
  int num_buckets;
} ProtocolSeen;

/// Memory comes from `arena`.
void protocol_seen_init(ProtocolSeen *table, TileArena *arena, int num_words,
                        int num_more);
int32_t *protocol_seen_at(const ProtocolSeen *table, int index);
/// A place behind the states that are kept, for the next one.
int32_t *protocol_seen_next(ProtocolSeen *table);
/// The last one that is kept with the same words, or -1.
int protocol_seen_like(const ProtocolSeen *table, const int32_t *state);
/// Keeps the state at that place if it is new.
bool protocol_seen_keep(ProtocolSeen *table);

#endif // TILE_ANALYSIS_PROTOCOL_SEEN_H
