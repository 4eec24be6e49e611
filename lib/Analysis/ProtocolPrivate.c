//===- ProtocolPrivate.c - What a role does without channels --------------===//
//
// Buffers that asynchronous stores read: between a write and the store that
// reads it stands a proxy fence, between the store and the next write, or the
// end, a wait until it has read. Turns: each begins and ends.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

#include <string.h>

enum { IN_TURN = 1, HAS_ARRIVED = 2 }; // flags of a state

static void stop_private(ProtocolRun *run, const char *code,
                         const TileProtocolNode *node, const char *text) {
  if (proof_stopped(run->proof))
    return;
  proof_stop(run->proof, TILE_PROTOCOL_REJECTED, code, run->role, -1, node,
             "%s", text);
  run->proof->verdict->is_private = true;
}

static void stop_turn(ProtocolRun *run, const TileProtocolNode *node,
                      const char *text) {
  proof_stop(run->proof, TILE_PROTOCOL_UNKNOWN, "turn", run->role, -1, node,
             "%s", text);
}

static void check_turn(ProtocolRun *run, const TileProtocolNode *node,
                       ProtocolState *state) {
  bool in_turn = state->flags & IN_TURN;
  if (node->is_begin && in_turn)
    stop_turn(run, node, "a turn may begin within a turn");
  else if (!node->is_begin && !in_turn)
    stop_turn(run, node, "a turn may end that has not begun");
  state->flags = node->is_begin ? IN_TURN : 0;
}

// The warpgroups of one role are one behind the other: what one of them waits
// for in its turn must not need those that have not had theirs.
static void check_wait(ProtocolRun *run, const TileProtocolNode *node,
                       const ProtocolState *state) {
  bool has_others = run->proof->protocol->roles[run->role].num_turns > 1;
  if (has_others && (state->flags & HAS_ARRIVED))
    stop_turn(run, node,
              "waits behind an arrival in the same turn, while other "
              "warpgroups of the role wait for theirs");
}

static void event(ProtocolRun *run, const TileProtocolNode *node,
                  ProtocolState *state) {
  uint64_t buffer = UINT64_C(1) << (node->buffer & 63);
  switch (node->kind) {
  case TILE_PROTOCOL_TURN:
    check_turn(run, node, state);
    break;
  case TILE_PROTOCOL_WAIT:
    check_wait(run, node, state);
    break;
  case TILE_PROTOCOL_ARRIVE:
  case TILE_PROTOCOL_ARRIVE_ASYNC:
    state->flags |= state->flags & IN_TURN ? HAS_ARRIVED : 0;
    break;
  case TILE_PROTOCOL_FENCE:
    state->dirty = 0;
    break;
  case TILE_PROTOCOL_STORE_WAIT:
    state->cells = 0;
    break;
  case TILE_PROTOCOL_STORE:
    if (state->dirty & buffer)
      stop_private(
          run, "missing-proxy-fence", node,
          "an asynchronous store reads a tile that was written without "
          "a proxy fence behind the writes");
    state->cells |= buffer;
    break;
  case TILE_PROTOCOL_WRITE:
    if (state->cells & buffer)
      stop_private(run, "store-source-overwritten", node,
                   "writes a tile that an asynchronous store may still read");
    state->dirty |= buffer;
    break;
  default:
    break;
  }
}

void proof_check_private(Proof *proof, int role) {
  TileArena scratch;
  ProtocolState start;
  ProtocolStateSet states;
  tile_arena_init(&scratch);
  ProtocolRun run = {.proof = proof,
                     .role = role,
                     .channel = -1,
                     .event = event,
                     .arena = &scratch};
  // No scalar is followed: no event has channel -1 and a slot.
  protocol_binding_build(proof->protocol, &scratch, role, -2, &run.binding);
  memset(&start, 0, sizeof start);
  protocol_set_init(&states, &scratch);
  protocol_set_add(&states, &start);
  protocol_run_block(&run, &proof->protocol->roles[role].body, &states);
  for (int i = 0; i < states.num_states; i++) {
    if (states.states[i].cells)
      stop_private(&run, "exit-with-store", NULL,
                   "ends while an asynchronous store may still read a tile");
    if (states.states[i].flags & IN_TURN)
      stop_turn(&run, NULL, "may end within a turn");
  }
  tile_arena_deinit(&scratch);
}
