//===- BarrierNumbers.c - Numbers that matter later on --------------------===//
//
// States that differ in numbers which nobody asks for any more are one.
//
//===----------------------------------------------------------------------===//

#include "BarrierNumbers.h"

typedef struct {
  const TileProtocol *protocol;
  const BarrierCodes *codes;
  const ProtocolBinding *binding;
  uint64_t *asked; // per scalar: places that its value depends on
  bool *is_known;
  uint64_t *live;
} Live;

_Static_assert(PROTOCOL_MAX_PLACES <= 64, "places are bits");

static uint64_t bit_of(const Live *l, TileProtocolScalarId id) {
  int place = l->binding->place[id];
  return place < 0 ? 0 : UINT64_C(1) << place;
}

static uint64_t asked_by(Live *l, TileProtocolScalarId id) {
  if (id < 0)
    return 0;
  if (l->is_known[id])
    return l->asked[id];
  const TileProtocolScalar *scalar = &l->protocol->scalars[id];
  uint64_t asked = bit_of(l, id);
  if (scalar->kind == TILE_PROTOCOL_OP && !asked)
    for (int i = 0; i < scalar->num_args; i++)
      asked |= asked_by(l, scalar->args[i]);
  l->is_known[id] = true;
  return l->asked[id] = asked;
}

static uint64_t asked_by_event(Live *l, const TileProtocolNode *node) {
  TileProtocolScalarId slots[TILE_PROTOCOL_MAX_READS];
  int count = barrier_event_slots(node, slots);
  uint64_t asked =
      node->kind == TILE_PROTOCOL_WAIT ? asked_by(l, node->parity) : 0;
  for (int i = 0; i < count; i++)
    asked |= asked_by(l, slots[i]);
  return asked;
}

// What is asked for in front of `to` becoming `from`.
static uint64_t asked_by_bind(Live *l, int count,
                              const TileProtocolScalarId *to,
                              const TileProtocolScalarId *from,
                              uint64_t after) {
  uint64_t asked = after;
  for (int i = 0; i < count; i++)
    asked &= ~bit_of(l, to[i]);
  for (int i = 0; i < count; i++)
    if (after & bit_of(l, to[i]))
      asked |= asked_by(l, from[i]);
  return asked;
}

static uint64_t asked_by_loop(Live *l, const TileProtocolNode *loop) {
  return asked_by(l, loop->iv) | asked_by(l, loop->lower) |
         asked_by(l, loop->upper) | asked_by(l, loop->step);
}

static uint64_t asked_at(Live *l, int at) {
  const BarrierCode *code = &l->codes->items[at];
  const TileProtocolNode *node = code->node;
  uint64_t next = l->live[at + 1];
  switch (code->kind) {
  case CODE_EVENT:
    return node->kind == TILE_PROTOCOL_ASSIGN
               ? asked_by_bind(l, 1, &node->to, &node->from, next)
               : asked_by_event(l, node) | next;
  case CODE_BRANCH:
  case CODE_WHILE:
    return asked_by(l, node->condition) | next | l->live[code->target];
  case CODE_HEAD:
    return asked_by_loop(l, node) | next | l->live[code->target];
  case CODE_JUMP:
    return l->live[code->target];
  case CODE_BIND:
    return asked_by_bind(l, code->count, code->to, code->from, next);
  case CODE_NEXT:
    return asked_by_loop(l, node) | next;
  case CODE_END:
    return 0;
  }
  return 0;
}

const uint64_t *barrier_numbers_build(const TileProtocol *protocol,
                                      const BarrierCodes *codes,
                                      const ProtocolBinding *binding,
                                      TileArena *arena) {
  int num_scalars = protocol->num_scalars + 1;
  Live l = {.protocol = protocol,
            .codes = codes,
            .binding = binding,
            .asked = TILE_ARENA_NEW(arena, uint64_t, num_scalars),
            .is_known = TILE_ARENA_NEW(arena, bool, num_scalars),
            .live = TILE_ARENA_NEW(arena, uint64_t, codes->count + 1)};
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int at = codes->count - 1; at >= 0; at--) {
      uint64_t live = asked_at(&l, at);
      has_changed |= live != l.live[at];
      l.live[at] = live;
    }
  }
  return l.live;
}

void barrier_numbers_forget(const uint64_t *live,
                            const ProtocolBinding *binding, int at,
                            int32_t *bound) {
  uint64_t kept = live[at];
  for (int i = 0; i < binding->num_places; i++)
    if (!(kept >> i & 1))
      bound[i] = PROTOCOL_UNBOUND;
}
