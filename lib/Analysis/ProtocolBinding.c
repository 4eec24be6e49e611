//===- ProtocolBinding.c - Which numbers states keep ----------------------===//
//
// What slots and parities depend on; in programs on barriers, what guards do as
// well, where it can be followed.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"

//===-- What a channel depends on -----------------------------------------===//

typedef struct {
  const TileProtocol *protocol;
  ProtocolBinding *out;
  bool *is_marked;
  TileProtocolScalarId *todo;
  int num_todo;
  int64_t *modulus;
  int64_t depth;
  bool skips_open; // numbers that cannot be followed mark nothing
  bool fits;
} Mark;

static void mark(Mark *m, TileProtocolScalarId id) {
  if (id < 0 || m->is_marked[id])
    return;
  m->is_marked[id] = true;
  m->todo[m->num_todo++] = id;
}

// The argument of the loop that a scalar of its second block is, or itself.
static TileProtocolScalarId argument_of(const TileProtocol *protocol,
                                        TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &protocol->scalars[id];
  if (scalar->kind != TILE_PROTOCOL_AFTER)
    return id;
  TileProtocolScalarId passed = scalar->node->passed[scalar->index];
  const TileProtocolScalar *arg = &protocol->scalars[passed];
  return arg->kind == TILE_PROTOCOL_ARG && arg->node == scalar->node ? passed
                                                                     : id;
}

// The step of `x` when it is `x + constant` in the next iteration.
static int64_t counter_step(const TileProtocol *protocol,
                            TileProtocolScalarId id) {
  const TileProtocolScalar *arg = &protocol->scalars[id];
  const TileProtocolScalar *next =
      &protocol->scalars[arg->node->yields[0][arg->index]];
  if (next->kind != TILE_PROTOCOL_OP || next->function != TILE_PROTOCOL_FN_ADD)
    return 0;
  for (int i = 0; i < 2; i++) {
    const TileProtocolScalar *other = &protocol->scalars[next->args[1 - i]];
    if (argument_of(protocol, next->args[i]) == id &&
        other->kind == TILE_PROTOCOL_CONST)
      return other->constant;
  }
  return 0;
}

static int64_t place_modulus(const Mark *m, TileProtocolScalarId id) {
  TileProtocolScalarId argument = argument_of(m->protocol, id);
  const TileProtocolScalar *scalar = &m->protocol->scalars[argument];
  int64_t step = 0;
  if (scalar->kind == TILE_PROTOCOL_IV) {
    const TileProtocolScalar *by = &m->protocol->scalars[scalar->node->step];
    step = by->kind == TILE_PROTOCOL_CONST ? by->constant : 1;
  } else if (scalar->kind == TILE_PROTOCOL_ARG) {
    step = counter_step(m->protocol, argument);
  }
  int64_t modulus = (step < 0 ? -step : step) * 2 * m->depth;
  return modulus <= INT32_MAX ? modulus : 1;
}

static void mark_control(Mark *m, const TileProtocolScalar *scalar) {
  const TileProtocolNode *node = scalar->node;
  int i = scalar->index;
  if (scalar->kind == TILE_PROTOCOL_IV) {
    mark(m, node->lower);
    mark(m, node->step);
  } else if (scalar->kind == TILE_PROTOCOL_ARG) {
    mark(m, node->inits[i]);
    mark(m, node->yields[0][i]);
  } else if (node->kind == TILE_PROTOCOL_WHILE) {
    mark(m, node->passed[i]); // AFTER and RESULT
  } else if (node->kind == TILE_PROTOCOL_IF) {
    mark(m, node->yields[0][i]);
    mark(m, node->yields[1][i]);
  } else {
    mark(m, node->args[i]);
  }
}

// ALL_CHANNELS: decisions as well; other negative numbers: nothing.
enum { ALL_CHANNELS = -1, ALL_POSITIONS = -3 };

static void mark_decision(Mark *m, const TileProtocolNode *node) {
  if (node->kind == TILE_PROTOCOL_FOR) {
    mark(m, node->lower);
    mark(m, node->upper);
    mark(m, node->step);
  } else if (node->kind >= TILE_PROTOCOL_IF) {
    mark(m, node->condition);
  }
}

static void mark_block(Mark *m, const TileProtocolBlock *block, int channel) {
  bool is_any = channel == ALL_CHANNELS || channel == ALL_POSITIONS;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (channel == ALL_CHANNELS)
      mark_decision(m, node);
    for (int r = 0; r < node->num_reads; r++)
      if (is_any || node->reads[r].channel == channel)
        mark(m, node->reads[r].slot);
    if (node->kind == TILE_PROTOCOL_ASSIGN) {
      mark(m, node->to);
      mark(m, node->from);
    }
    if (node->kind <= TILE_PROTOCOL_FILL && node->channel >= 0 &&
        (is_any || node->channel == channel)) {
      mark(m, node->slot);
      if (node->kind == TILE_PROTOCOL_WAIT)
        mark(m, node->parity);
      if (node->kind == TILE_PROTOCOL_FILL &&
          node->fill == TILE_PROTOCOL_BY_TMA)
        mark(m, node->bar_slot);
    }
    mark_block(m, &node->blocks[0], channel);
    mark_block(m, &node->blocks[1], channel);
  }
}

static bool is_constant(const TileProtocol *protocol, TileProtocolScalarId id) {
  return protocol->scalars[id].kind == TILE_PROTOCOL_CONST;
}

static bool is_comparison(const TileProtocolScalar *scalar) {
  return scalar->kind == TILE_PROTOCOL_OP &&
         scalar->function >= TILE_PROTOCOL_FN_EQ &&
         scalar->function <= TILE_PROTOCOL_FN_UGE;
}

// Whether a number is computed from others that are followed: counters modulo
// their period.
static bool is_followed(const Mark *m, TileProtocolScalarId id) {
  const TileProtocolScalar *scalars = m->protocol->scalars;
  const TileProtocolScalar *scalar = &scalars[id];
  if (scalar->kind != TILE_PROTOCOL_OP)
    return scalar->kind != TILE_PROTOCOL_OPAQUE;
  bool result = scalar->function < TILE_PROTOCOL_FN_OTHER;
  for (int i = 0; i < scalar->num_args && result; i++)
    result = is_followed(m, scalar->args[i]);
  if (scalar->function != TILE_PROTOCOL_FN_REM || !result)
    return result;
  const TileProtocolScalar *by = &scalars[scalar->args[1]];
  return by->kind == TILE_PROTOCOL_CONST && by->constant > 0 &&
         2 * m->depth % by->constant == 0;
}

// Of a function, whether it may be known of numbers that are.
static bool may_be_followed(const Mark *m, const TileProtocolScalar *scalar) {
  if (!is_comparison(scalar))
    return scalar->function < TILE_PROTOCOL_FN_OTHER;
  return is_followed(m, scalar->args[0]) && is_followed(m, scalar->args[1]);
}

// What the marked scalars depend on.
static void mark_sources(Mark *m) {
  for (int next = 0; next < m->num_todo; next++) {
    const TileProtocolScalar *scalar = &m->protocol->scalars[m->todo[next]];
    bool is_op = scalar->kind == TILE_PROTOCOL_OP;
    if (is_op && m->skips_open && !may_be_followed(m, scalar))
      continue;
    if (is_op) {
      for (int i = 0; i < scalar->num_args; i++)
        mark(m, scalar->args[i]);
    } else if (scalar->kind >= TILE_PROTOCOL_IV &&
               scalar->kind != TILE_PROTOCOL_VARIABLE) {
      mark_control(m, scalar);
    }
  }
}

const bool *protocol_needed_scalars(const TileProtocol *protocol,
                                    TileArena *arena) {
  int count = protocol->num_scalars + 1;
  Mark m = {.protocol = protocol,
            .is_marked = TILE_ARENA_NEW(arena, bool, count),
            .todo = TILE_ARENA_NEW(arena, TileProtocolScalarId, count)};
  for (int r = 0; r < protocol->num_roles; r++)
    mark_block(&m, &protocol->roles[r].body, ALL_CHANNELS);
  mark_sources(&m);
  return m.is_marked;
}

//===-- Places ------------------------------------------------------------===//
//
// Values of control flow beside each other are never alive together, so they
// share places. Results have places that the inside of their op has not.

static void give_place(Mark *m, TileProtocolScalarId id, int *next) {
  if (!m->is_marked[id])
    return;
  if (*next == PROTOCOL_MAX_PLACES) {
    m->fits = false;
    return;
  }
  m->out->place[id] = *next;
  if (m->out->num_places <= *next)
    m->out->num_places = *next + 1;
  int64_t *modulus = &m->modulus[id];
  *modulus = place_modulus(m, id);
  (*next)++;
}

static void give_places(Mark *m, const TileProtocolBlock *block, int next) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind < TILE_PROTOCOL_IF)
      continue;
    bool is_while = node->kind == TILE_PROTOCOL_WHILE;
    int num_results = is_while ? node->num_passed : node->num_values;
    for (int k = 0; k < num_results; k++)
      give_place(m, node->results[k], &next);
    int inner = next;
    if (node->kind == TILE_PROTOCOL_FOR)
      give_place(m, node->iv, &inner);
    for (int k = 0; k < node->num_values && node->args; k++)
      give_place(m, node->args[k], &inner);
    for (int k = 0; k < node->num_passed; k++)
      give_place(m, node->after[k], &inner);
    give_places(m, &node->blocks[0], inner);
    give_places(m, &node->blocks[1], inner);
  }
}

// A binding without places, for positions that come back after `depth` rounds.
static Mark binding_begin(const TileProtocol *protocol, TileArena *arena,
                          int64_t depth, ProtocolBinding *out) {
  int count = protocol->num_scalars + 1;
  *out = (ProtocolBinding){.protocol = protocol};
  out->place = TILE_ARENA_NEW(arena, int, count);
  out->modulus = TILE_ARENA_NEW(arena, int64_t, count);
  for (int i = 0; i < protocol->num_scalars; i++)
    out->place[i] = -1;
  return (Mark){.protocol = protocol,
                .out = out,
                .modulus = out->modulus,
                .is_marked = TILE_ARENA_NEW(arena, bool, count),
                .todo = TILE_ARENA_NEW(arena, TileProtocolScalarId, count),
                .depth = depth,
                .fits = true};
}

bool protocol_binding_build(const TileProtocol *protocol, TileArena *arena,
                            int role, int channel, ProtocolBinding *out) {
  int64_t depth = channel < 0 ? 1 : protocol->channels[channel].depth;
  Mark m = binding_begin(protocol, arena, depth, out);
  mark_block(&m, &protocol->roles[role].body, channel);
  mark_sources(&m);
  give_places(&m, &protocol->roles[role].body, 0);
  return m.fits;
}

//===-- Programs on barriers ----------------------------------------------===//

// Counters are compared with the numbers of slots and of the first rounds.
enum { MAX_GUARD = 64 };

bool protocol_is_fixed(const TileProtocol *protocol, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &protocol->scalars[id];
  if (scalar->kind == TILE_PROTOCOL_OPAQUE)
    return scalar->is_fixed;
  bool is_fixed = scalar->kind <= TILE_PROTOCOL_OP;
  for (int i = 0; i < scalar->num_args && is_fixed; i++)
    is_fixed = protocol_is_fixed(protocol, scalar->args[i]);
  return is_fixed;
}

// Comparisons with constants can be decided, other guards are left open.
static void mark_guard(Mark *m, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &m->protocol->scalars[id];
  if (is_comparison(scalar)) {
    for (int i = 0; i < 2; i++) {
      if (!is_constant(m->protocol, scalar->args[i]))
        continue;
      int64_t constant = m->protocol->scalars[scalar->args[i]].constant;
      if (constant > MAX_GUARD || !is_followed(m, scalar->args[1 - i]))
        continue;
      mark(m, id);
      if (constant >= m->out->threshold)
        m->out->threshold = constant + 1;
    }
    return;
  }
  if (scalar->kind == TILE_PROTOCOL_OP &&
      scalar->function < TILE_PROTOCOL_FN_OTHER)
    for (int i = 0; i < scalar->num_args; i++)
      mark_guard(m, scalar->args[i]);
  if (scalar->kind != TILE_PROTOCOL_OPAQUE)
    mark(m, id);
}

static void mark_guards(Mark *m, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_IF)
      mark_guard(m, node->condition);
    if (node->kind == TILE_PROTOCOL_FOR &&
        is_constant(m->protocol, node->lower) &&
        is_constant(m->protocol, node->upper))
      mark(m, node->iv);
    mark_guards(m, &node->blocks[0]);
    mark_guards(m, &node->blocks[1]);
  }
}

// Loops of constant bounds are followed exactly.
static void set_exact(Mark *m, const TileProtocolBlock *block) {
  enum { MAX_TRIPS = 64 };
  const TileProtocolScalar *scalars = m->protocol->scalars;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_FOR &&
        is_constant(m->protocol, node->lower) &&
        is_constant(m->protocol, node->upper) &&
        is_constant(m->protocol, node->step) &&
        scalars[node->upper].constant - scalars[node->lower].constant <=
            MAX_TRIPS * scalars[node->step].constant)
      m->out->modulus[node->iv] = 0;
    set_exact(m, &node->blocks[0]);
    set_exact(m, &node->blocks[1]);
  }
}

static void give_params(Mark *m, const TileProtocolBlock *block, int *next) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_FOR && m->is_marked[node->upper] &&
        protocol_is_fixed(m->protocol, node->upper) &&
        !is_constant(m->protocol, node->upper) &&
        m->out->place[node->upper] < 0 && *next < PROTOCOL_MAX_PLACES) {
      m->out->params[m->out->num_params++] = node->upper;
      m->out->place[node->upper] = (*next)++;
      m->out->num_places = *next;
      m->out->modulus[node->upper] = 2 * m->depth;
    }
    give_params(m, &node->blocks[0], next);
    give_params(m, &node->blocks[1], next);
  }
}

bool protocol_binding_build_all(const TileProtocol *protocol, TileArena *arena,
                                int role, int64_t period,
                                ProtocolBinding *out) {
  int next = 0;
  Mark m = binding_begin(protocol, arena, period, out);
  m.skips_open = true;
  out->threshold = 1;
  out->params =
      TILE_ARENA_NEW(arena, TileProtocolScalarId, protocol->num_scalars + 1);
  const TileProtocolBlock *body = &protocol->roles[role].body;
  mark_block(&m, body, ALL_POSITIONS);
  mark_guards(&m, body);
  mark_sources(&m);
  for (int i = 0; i < protocol->num_scalars; i++)
    if (protocol->scalars[i].kind == TILE_PROTOCOL_VARIABLE &&
        protocol->scalars[i].index == role)
      give_place(&m, i, &next);
  give_params(&m, body, &next);
  give_places(&m, body, next);
  set_exact(&m, body);
  return m.fits;
}
