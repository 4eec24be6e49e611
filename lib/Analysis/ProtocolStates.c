//===- ProtocolStates.c - Sets of states ----------------------------------===//

#include "ProtocolInternal.h"

#include <string.h>

void protocol_set_init(ProtocolStateSet *set, TileArena *arena) {
  *set = (ProtocolStateSet){.arena = arena};
}

// States are compared as bytes, and assignments need not copy padding.
_Static_assert(sizeof(ProtocolState) ==
                   4 * PROTOCOL_MAX_PLACES + 8 + 8 + 4 + 2 + 4 +
                       PROTOCOL_MAX_GROUPS + 1 + PROTOCOL_MAX_GROUPS +
                       sizeof(((ProtocolState *)NULL)->unused),
               "a state has no padding");

// FNV-1a.
static uint64_t hash_of(const ProtocolState *state) {
  const unsigned char *bytes = (const unsigned char *)state;
  uint64_t hash = UINT64_C(1469598103934665603);
  for (size_t i = 0; i < sizeof *state; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static int *bucket_of(ProtocolStateSet *set, const ProtocolState *state) {
  size_t mask = (size_t)set->num_buckets - 1, at = hash_of(state) & mask;
  while (set->buckets[at] &&
         memcmp(&set->states[set->buckets[at] - 1], state, sizeof *state) != 0)
    at = (at + 1) & mask;
  return &set->buckets[at];
}

static void grow(ProtocolStateSet *set) {
  int capacity = set->capacity ? 2 * set->capacity : 8;
  ProtocolState *old = set->states;
  set->states = TILE_ARENA_NEW(set->arena, ProtocolState, capacity);
  if (set->num_states)
    memcpy(set->states, old, sizeof *old * (size_t)set->num_states);
  set->capacity = capacity;
  set->num_buckets = 2 * capacity;
  set->buckets = TILE_ARENA_NEW(set->arena, int, set->num_buckets);
  for (int i = 0; i < set->num_states; i++)
    *bucket_of(set, &set->states[i]) = i + 1;
}

bool protocol_set_add(ProtocolStateSet *set, const ProtocolState *state) {
  if (set->num_states == set->capacity)
    grow(set);
  int *bucket = bucket_of(set, state);
  if (*bucket)
    return false;
  set->states[set->num_states] = *state;
  *bucket = ++set->num_states;
  return true;
}
