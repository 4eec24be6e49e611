//===- ProtocolEval.c - Slots and parities, executed ----------------------===//
//
// Positions are computed exactly; counters that have no bound are kept modulo a
// number that is large enough for `counter mod depth` and for its parity.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"
#include "Tile/Support/Arithmetic.h"

//===-- Numbers -----------------------------------------------------------===//

static ProtocolNumber unknown(void) { return (ProtocolNumber){false, 0, 0}; }

static ProtocolNumber known(int64_t value, int64_t modulus) {
  if (modulus) {
    value %= modulus;
    value += value < 0 ? modulus : 0;
  }
  return (ProtocolNumber){true, value, modulus};
}

static ProtocolNumber product(ProtocolNumber a, ProtocolNumber b) {
  const int64_t limit = INT64_C(1) << 31;
  if (a.modulus && b.modulus)
    return unknown();
  int64_t factor = a.modulus ? b.value : a.value;
  int64_t modulus = a.modulus + b.modulus;
  if (factor < 0 || factor >= limit || a.value >= limit || b.value >= limit ||
      modulus >= limit)
    return unknown();
  return known(a.value * b.value, modulus * factor);
}

// x = value + t * modulus, with x and t not negative.
static ProtocolNumber quotient(ProtocolNumber a, ProtocolNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  return known(a.value / b.value, a.modulus / b.value);
}

static ProtocolNumber remainder_of(ProtocolNumber a, ProtocolNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  return known(a.value % b.value, 0);
}

static bool is_mask(ProtocolNumber x) {
  return !x.modulus && x.value > 0 && (x.value & (x.value + 1)) == 0;
}

static ProtocolNumber conjunction(ProtocolNumber a, ProtocolNumber b) {
  if (!a.modulus && !b.modulus)
    return known(a.value & b.value, 0);
  if (is_mask(b))
    return remainder_of(a, known(b.value + 1, 0));
  return is_mask(a) ? remainder_of(b, known(a.value + 1, 0)) : unknown();
}

static int64_t compare(int function, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (function) {
  case TILE_PROTOCOL_FN_EQ:
    return a == b;
  case TILE_PROTOCOL_FN_NE:
    return a != b;
  case TILE_PROTOCOL_FN_LT:
    return a < b;
  case TILE_PROTOCOL_FN_LE:
    return a <= b;
  case TILE_PROTOCOL_FN_GT:
    return a > b;
  case TILE_PROTOCOL_FN_GE:
    return a >= b;
  case TILE_PROTOCOL_FN_ULT:
    return x < y;
  case TILE_PROTOCOL_FN_ULE:
    return x <= y;
  case TILE_PROTOCOL_FN_UGT:
    return x > y;
  default:
    return x >= y;
  }
}

// Functions of which nothing is known unless both numbers are exact.
static ProtocolNumber of_exact(int function, int64_t a, int64_t b) {
  switch (function) {
  case TILE_PROTOCOL_FN_XOR:
    return known(a ^ b, 0);
  case TILE_PROTOCOL_FN_OR:
    return known(a | b, 0);
  case TILE_PROTOCOL_FN_MIN:
    return known(a < b ? a : b, 0);
  case TILE_PROTOCOL_FN_MAX:
    return known(a > b ? a : b, 0);
  case TILE_PROTOCOL_FN_CEILDIV:
    return a >= 0 && b > 0 ? known((a + b - 1) / b, 0) : unknown();
  default:
    return known(compare(function, a, b), 0);
  }
}

static ProtocolNumber of_two(int function, ProtocolNumber a, ProtocolNumber b) {
  switch (function) {
  case TILE_PROTOCOL_FN_ADD:
    return known(a.value + b.value, tile_gcd(a.modulus, b.modulus));
  case TILE_PROTOCOL_FN_SUB:
    return known(a.value - b.value, tile_gcd(a.modulus, b.modulus));
  case TILE_PROTOCOL_FN_MUL:
    return product(a, b);
  case TILE_PROTOCOL_FN_DIV:
    return quotient(a, b);
  case TILE_PROTOCOL_FN_REM:
    return remainder_of(a, b);
  case TILE_PROTOCOL_FN_AND:
    return conjunction(a, b);
  default:
    return a.modulus || b.modulus ? unknown()
                                  : of_exact(function, a.value, b.value);
  }
}

//===-- Scalars -----------------------------------------------------------===//

static ProtocolNumber advance(const TileProtocolScalar *scalar,
                              const ProtocolNumber *args) {
  int64_t depth = scalar->constant;
  bool wraps = args[0].value + 1 == depth;
  if (args[0].modulus)
    return unknown();
  if (scalar->function == TILE_PROTOCOL_FN_ADVANCE_SLOT)
    return known(wraps ? 0 : args[0].value + 1, 0);
  return args[1].modulus ? unknown() : known(args[1].value ^ wraps, 0);
}

static ProtocolNumber choose(const ProtocolNumber *args) {
  const ProtocolNumber *a = &args[1], *b = &args[2];
  if (args[0].is_known && !args[0].modulus)
    return args[0].value ? *a : *b;
  bool same = a->is_known && b->is_known && a->value == b->value &&
              a->modulus == b->modulus;
  return same ? *a : unknown();
}

ProtocolNumber protocol_apply(const TileProtocolScalar *scalar,
                              const ProtocolNumber *args) {
  if (scalar->function >= TILE_PROTOCOL_FN_OTHER)
    return unknown();
  if (scalar->function == TILE_PROTOCOL_FN_SELECT)
    return choose(args);
  for (int i = 0; i < scalar->num_args; i++)
    if (!args[i].is_known)
      return unknown();
  if (scalar->function <= TILE_PROTOCOL_FN_ADVANCE_PARITY)
    return advance(scalar, args);
  return scalar->function == TILE_PROTOCOL_FN_CAST
             ? args[0]
             : of_two(scalar->function, args[0], args[1]);
}

static ProtocolNumber eval_op(const ProtocolBinding *binding,
                              const int32_t *bound,
                              const TileProtocolScalar *scalar) {
  ProtocolNumber args[PROTOCOL_MAX_ARGS] = {{0}};
  if (scalar->num_args > PROTOCOL_MAX_ARGS)
    return unknown();
  for (int i = 0; i < scalar->num_args; i++)
    args[i] = protocol_eval(binding, bound, scalar->args[i]);
  return protocol_apply(scalar, args);
}

ProtocolNumber protocol_eval(const ProtocolBinding *binding,
                             const int32_t *bound, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &binding->protocol->scalars[id];
  if (scalar->kind == TILE_PROTOCOL_CONST)
    return known(scalar->constant, 0);
  if (scalar->kind == TILE_PROTOCOL_OP)
    return eval_op(binding, bound, scalar);
  int place = binding->place[id];
  if (place < 0 || bound[place] == PROTOCOL_UNBOUND)
    return unknown();
  return known(bound[place], binding->modulus[id]);
}

// Counters beyond this are no positions.
enum { MAX_EXACT = 4096 };

int32_t protocol_place_value(const ProtocolBinding *binding,
                             TileProtocolScalarId id, ProtocolNumber number) {
  int64_t modulus = binding->modulus[id];
  if (!number.is_known)
    return PROTOCOL_UNBOUND;
  if (modulus)
    return number.modulus % modulus
               ? PROTOCOL_UNBOUND
               : (int32_t)known(number.value, modulus).value;
  bool fits = !number.modulus && number.value <= MAX_EXACT &&
              number.value >= -MAX_EXACT;
  return fits ? (int32_t)number.value : PROTOCOL_UNBOUND;
}

//===-- What a channel depends on -----------------------------------------===//

typedef struct {
  const TileProtocol *protocol;
  ProtocolBinding *out;
  bool *is_marked;
  TileProtocolScalarId *todo;
  int num_todo;
  int64_t *modulus;
  int64_t depth;
  bool fits;
} Mark;

static void mark(Mark *m, TileProtocolScalarId id) {
  if (id < 0 || m->is_marked[id])
    return;
  m->is_marked[id] = true;
  m->todo[m->num_todo++] = id;
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
    if (next->args[i] == id && other->kind == TILE_PROTOCOL_CONST)
      return other->constant;
  }
  return 0;
}

static int64_t place_modulus(const Mark *m, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &m->protocol->scalars[id];
  int64_t step = 0;
  if (scalar->kind == TILE_PROTOCOL_IV) {
    const TileProtocolScalar *by = &m->protocol->scalars[scalar->node->step];
    step = by->kind == TILE_PROTOCOL_CONST ? by->constant : 1;
  } else if (scalar->kind == TILE_PROTOCOL_ARG) {
    step = counter_step(m->protocol, id);
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

enum { ALL_CHANNELS = -1 }; // and decisions

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
  bool is_any = channel == ALL_CHANNELS;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (is_any)
      mark_decision(m, node);
    for (int r = 0; r < node->num_reads; r++)
      if (is_any || node->reads[r].channel == channel)
        mark(m, node->reads[r].slot);
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

// What the marked scalars depend on.
static void mark_sources(Mark *m) {
  for (int next = 0; next < m->num_todo; next++) {
    const TileProtocolScalar *scalar = &m->protocol->scalars[m->todo[next]];
    if (scalar->kind == TILE_PROTOCOL_OP) {
      for (int i = 0; i < scalar->num_args; i++)
        mark(m, scalar->args[i]);
    } else if (scalar->kind >= TILE_PROTOCOL_IV) {
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

bool protocol_binding_build(const TileProtocol *protocol, TileArena *arena,
                            int role, int channel, ProtocolBinding *out) {
  int count = protocol->num_scalars + 1;
  *out = (ProtocolBinding){.protocol = protocol};
  out->place = TILE_ARENA_NEW(arena, int, count);
  out->modulus = TILE_ARENA_NEW(arena, int64_t, count);
  for (int i = 0; i < protocol->num_scalars; i++)
    out->place[i] = -1;
  Mark m = {.protocol = protocol,
            .out = out,
            .modulus = out->modulus,
            .is_marked = TILE_ARENA_NEW(arena, bool, count),
            .todo = TILE_ARENA_NEW(arena, TileProtocolScalarId, count),
            .depth = channel < 0 ? 1 : protocol->channels[channel].depth,
            .fits = true};
  mark_block(&m, &protocol->roles[role].body, channel);
  mark_sources(&m);
  give_places(&m, &protocol->roles[role].body, 0);
  return m.fits;
}
