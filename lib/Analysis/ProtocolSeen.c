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

// Where the state is, or belongs.
static int *bucket_of(const ProtocolSeen *table, const int32_t *state) {
  uint64_t hash = UINT64_C(1469598103934665603);
  for (int i = 0; i < table->num_words; i++)
    hash = (hash ^ (uint32_t)state[i]) * UINT64_C(1099511628211);
  size_t mask = (size_t)table->num_buckets - 1;
  size_t at = (hash ^ hash >> 32) & mask;
  size_t size_bytes = sizeof *state * (size_t)table->num_words;
  while (table->buckets[at] &&
         memcmp(protocol_seen_at(table, table->buckets[at] - 1), state,
                size_bytes) != 0)
    at = (at + 1) & mask;
  return &table->buckets[at];
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
