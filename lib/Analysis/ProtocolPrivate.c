//===- ProtocolPrivate.c - Buffers that asynchronous stores read ----------===//
//
// Between a write and the store that reads it stands a proxy fence, between the
// store and the next write, or the end, a wait until it has read.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

#include <string.h>

static void event(ProtocolRun *run, const TileProtocolNode *node,
                  ProtocolState *state) {
  uint64_t buffer = UINT64_C(1) << (node->buffer & 63);
  switch (node->kind) {
  case TILE_PROTOCOL_FENCE:
    state->dirty = 0;
    break;
  case TILE_PROTOCOL_STORE_WAIT:
    state->cells = 0;
    break;
  case TILE_PROTOCOL_STORE:
    if (state->dirty & buffer)
      proof_stop(run->proof, TILE_PROTOCOL_REJECTED, "missing-proxy-fence",
                 run->role, -1, node,
                 "an asynchronous store reads a tile that was written without "
                 "a proxy fence behind the writes");
    state->cells |= buffer;
    break;
  case TILE_PROTOCOL_WRITE:
    if (state->cells & buffer)
      proof_stop(run->proof, TILE_PROTOCOL_REJECTED, "store-source-overwritten",
                 run->role, -1, node,
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
  for (int i = 0; i < states.num_states; i++)
    if (states.states[i].cells)
      proof_stop(proof, TILE_PROTOCOL_REJECTED, "exit-with-store", role, -1,
                 NULL,
                 "ends while an asynchronous store may still read a tile");
  tile_arena_deinit(&scratch);
}
