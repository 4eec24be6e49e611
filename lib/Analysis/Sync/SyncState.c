//===- SyncState.c - What threads may have done since they met ------------===//

#include "SyncFlow.h"

size_t sync_num_entries(const Flow *flow) {
  return flow->num_places * TILE_NUM_AGES;
}

size_t sync_entry_place(size_t entry) { return entry / TILE_NUM_AGES; }

TileAge sync_entry_age(size_t entry) {
  return (TileAge)(entry % TILE_NUM_AGES);
}

State sync_state_create(Flow *flow) {
  return (State){
      TILE_ARENA_NEW(flow->arena, uint16_t, sync_num_entries(flow) + 1)};
}

void sync_state_assign(const Flow *flow, State to, State from) {
  memcpy(to.bits, from.bits, sync_num_entries(flow) * sizeof *to.bits);
}

// Joins `from` into `to`; true when `to` grew.
bool sync_state_join(const Flow *flow, State to, State from) {
  bool grew = false;
  for (size_t i = 0; i < sync_num_entries(flow); i++) {
    grew |= (from.bits[i] & ~to.bits[i]) != 0;
    to.bits[i] |= from.bits[i];
  }
  return grew;
}

void sync_state_clear(const Flow *flow, State state, int bits) {
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    state.bits[i] &= (uint16_t)~bits;
}

void sync_state_fence(const Flow *flow, State state, uint8_t memories) {
  if (memories & TILE_FENCE_GLOBAL) // which orders shared memory too
    memories |= TILE_FENCE_SHARED;
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    if (memories & sync_place_memory(flow, sync_entry_place(i)))
      state.bits[i] &= (uint16_t)~UNFENCED;
}

void sync_state_meet(const Flow *flow, State state) {
  sync_state_clear(flow, state, SINCE_BARRIER);
}

// What is done to tensors is in no order with what comes.
static void forget_tensors(const Flow *flow, State state) {
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    if (!sync_place_is_shared(flow, sync_entry_place(i)))
      state.bits[i] = 0;
}

// A round of `loop` ends: its values get new numbers.
void sync_state_next_round(const Flow *flow, State state, MlirOperation loop) {
  if (!mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          loop, TILE_STR(TILE_PERSISTENT_ATTR))))
    forget_tensors(flow, state);
  for (size_t i = 0; i < flow->num_places; i++) {
    MlirOperation home = flow->places[i].home;
    uint16_t *ages = &state.bits[i * TILE_NUM_AGES];
    if (mlirOperationIsNull(home) || !tile_op_is_inside(home, loop))
      continue;
    if (mlirOperationEqual(home, loop)) {
      ages[TILE_AGE_EARLIER] |= ages[TILE_AGE_PREVIOUS];
      ages[TILE_AGE_PREVIOUS] = ages[TILE_AGE_SAME];
    } else {
      ages[TILE_AGE_OLDER] |= ages[TILE_AGE_SAME] | ages[TILE_AGE_PREVIOUS] |
                              ages[TILE_AGE_EARLIER];
      ages[TILE_AGE_EARLIER] = ages[TILE_AGE_PREVIOUS] = 0;
    }
    ages[TILE_AGE_SAME] = 0;
  }
}

uint16_t *sync_state_now(State state, size_t place) {
  return &state.bits[place * TILE_NUM_AGES + TILE_AGE_SAME];
}

bool sync_state_has(const Flow *flow, State state, int bits) {
  for (size_t i = 0; i < sync_num_entries(flow); i++)
    if (state.bits[i] & bits)
      return true;
  return false;
}
