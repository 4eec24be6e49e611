//===- ProtocolSeen.c - States that a search has seen ---------------------===//

#include "ProtocolSeen.h"

#include <string.h>

enum { CHUNK_STATES = 256, FIRST_BUCKETS = 256 };

static size_t stride_of(const ProtocolSeen *table) {
  return (size_t)table->num_words + (size_t)table->num_more;
}

void protocol_seen_init(ProtocolSeen *table, TileArena *arena, int num_words,
                        int num_more) {
  *table = (ProtocolSeen){
      .arena = arena, .num_words = num_words, .num_more = num_more};
}

int32_t *protocol_seen_at(const ProtocolSeen *table, int index) {
  return table->chunks[index / CHUNK_STATES] +
         (size_t)(index % CHUNK_STATES) * stride_of(table);
}

int32_t *protocol_seen_next(ProtocolSeen *table) {
  if (table->count / CHUNK_STATES == table->num_chunks) {
    TILE_ARENA_RESERVE(table->arena, table->chunks, table->num_chunks,
                       table->chunk_capacity);
    table->chunks[table->num_chunks++] =
        TILE_ARENA_NEW(table->arena, int32_t, CHUNK_STATES *stride_of(table));
  }
  return protocol_seen_at(table, table->count);
}

static bool is_alike(const ProtocolSeen *table, const int32_t *kept,
                     const int32_t *state) {
  return memcmp(kept, state, sizeof *state * (size_t)table->num_words) == 0;
}

// The first bucket that a state may be in; others follow.
static size_t first_bucket(const ProtocolSeen *table, const int32_t *state) {
  uint64_t hash = UINT64_C(1469598103934665603);
  for (int i = 0; i < table->num_words; i++)
    hash = (hash ^ (uint32_t)state[i]) * UINT64_C(1099511628211);
  return (hash ^ hash >> 32) & ((size_t)table->num_buckets - 1);
}

// Where the state is, or one that covers it, or where it belongs.
static int *bucket_of(const ProtocolSeen *table, const int32_t *state) {
  size_t mask = (size_t)table->num_buckets - 1;
  for (size_t at = first_bucket(table, state);; at = (at + 1) & mask) {
    int *bucket = &table->buckets[at];
    if (!*bucket)
      return bucket;
    const int32_t *kept = protocol_seen_at(table, *bucket - 1);
    if (is_alike(table, kept, state) &&
        (!table->covers || table->covers(table->user_data, kept, state)))
      return bucket;
  }
}

int protocol_seen_like(const ProtocolSeen *table, const int32_t *state) {
  size_t mask = (size_t)table->num_buckets - 1;
  int found = -1;
  if (!table->num_buckets)
    return -1;
  for (size_t at = first_bucket(table, state); table->buckets[at];
       at = (at + 1) & mask)
    if (is_alike(table, protocol_seen_at(table, table->buckets[at] - 1), state))
      found = table->buckets[at] - 1;
  return found;
}

static void grow(ProtocolSeen *table) {
  table->num_buckets =
      table->num_buckets ? 4 * table->num_buckets : FIRST_BUCKETS;
  table->buckets = TILE_ARENA_NEW(table->arena, int, table->num_buckets);
  for (int i = 0; i < table->count; i++)
    *bucket_of(table, protocol_seen_at(table, i)) = i + 1;
}

bool protocol_seen_keep(ProtocolSeen *table) {
  if (2 * table->count >= table->num_buckets)
    grow(table);
  int *bucket = bucket_of(table, protocol_seen_at(table, table->count));
  if (*bucket)
    return false;
  *bucket = ++table->count;
  return true;
}
