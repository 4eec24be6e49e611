//===- ProtocolEval.c - Slots and parities, executed ----------------------===//
//
// Positions are computed exactly; counters that have no bound are kept modulo a
// number that is large enough for `counter mod depth` and for its parity.
//
//===----------------------------------------------------------------------===//

#include "ProtocolInternal.h"
#include "Tile/Support/Arithmetic.h"

//===-- Numbers -----------------------------------------------------------===//

static ProtocolNumber unknown(void) { return (ProtocolNumber){0}; }

static ProtocolNumber known(int64_t value, int64_t modulus) {
  if (modulus) {
    value %= modulus;
    value += value < 0 ? modulus : 0;
  }
  return (ProtocolNumber){true, value, modulus, false};
}

static bool is_at_least(ProtocolNumber x) { return !x.modulus || x.is_least; }

// A sum of numbers of which the least value is known.
static ProtocolNumber sum(ProtocolNumber a, ProtocolNumber b) {
  int64_t value = a.value + b.value, modulus = tile_gcd(a.modulus, b.modulus);
  if (modulus && value >= 0 && is_at_least(a) && is_at_least(b))
    return (ProtocolNumber){true, value, modulus, true};
  return known(value, modulus);
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
  ProtocolNumber out = known(a.value / b.value, a.modulus / b.value);
  if (!a.modulus || !a.is_least)
    return out;
  return (ProtocolNumber){true, a.value / b.value, a.modulus / b.value, true};
}

static ProtocolNumber remainder_of(ProtocolNumber a, ProtocolNumber b) {
  if (b.modulus || b.value <= 0 || a.value < 0 || a.modulus % b.value)
    return unknown();
  return known(a.value % b.value, 0);
}

static bool is_shift(ProtocolNumber x) {
  enum { MAX_SHIFT = 30 };
  return !x.modulus && x.value >= 0 && x.value <= MAX_SHIFT;
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

// Of `a`, which is `a.value` or more, and an exact number.
static ProtocolNumber compare_least(int function, ProtocolNumber a, int64_t b) {
  bool is_above = a.value > b, is_not_below = a.value >= b;
  switch (function) {
  case TILE_PROTOCOL_FN_EQ:
    return is_above ? known(0, 0) : unknown();
  case TILE_PROTOCOL_FN_NE:
    return is_above ? known(1, 0) : unknown();
  case TILE_PROTOCOL_FN_LT:
  case TILE_PROTOCOL_FN_ULT:
    return is_not_below ? known(0, 0) : unknown();
  case TILE_PROTOCOL_FN_GE:
  case TILE_PROTOCOL_FN_UGE:
    return is_not_below ? known(1, 0) : unknown();
  case TILE_PROTOCOL_FN_LE:
  case TILE_PROTOCOL_FN_ULE:
    return is_above ? known(0, 0) : unknown();
  case TILE_PROTOCOL_FN_GT:
  case TILE_PROTOCOL_FN_UGT:
    return is_above ? known(1, 0) : unknown();
  default:
    return unknown();
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
    return sum(a, b);
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
  case TILE_PROTOCOL_FN_SHL:
    return is_shift(b) ? product(a, known(INT64_C(1) << b.value, 0))
                       : unknown();
  case TILE_PROTOCOL_FN_SHR:
    return is_shift(b) ? quotient(a, known(INT64_C(1) << b.value, 0))
                       : unknown();
  default:
    if (a.modulus && a.is_least && !b.modulus && b.value >= 0)
      return compare_least(function, a, b.value);
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
  int place = binding->place[id];
  if (scalar->kind == TILE_PROTOCOL_OP && place < 0)
    return eval_op(binding, bound, scalar);
  if (place < 0 || bound[place] == PROTOCOL_UNBOUND)
    return unknown();
  int32_t value = bound[place];
  if (!binding->threshold)
    return known(value, binding->modulus[id]);
  bool is_exact = !binding->modulus[id] || value < binding->threshold;
  return (ProtocolNumber){true, value, is_exact ? 0 : binding->modulus[id],
                          !is_exact};
}

// Counters beyond this are no positions.
enum { MAX_EXACT = 4096 };

// Exact below the threshold, then what it is modulo from there on.
static int32_t threshold_value(ProtocolNumber number, int64_t modulus,
                               int64_t threshold) {
  if (number.value < 0 || number.modulus % modulus ||
      (number.modulus && !(number.is_least && number.value >= threshold)))
    return PROTOCOL_UNBOUND;
  if (number.value < threshold)
    return (int32_t)number.value;
  return (int32_t)(threshold + (number.value - threshold) % modulus);
}

int32_t protocol_place_value(const ProtocolBinding *binding,
                             TileProtocolScalarId id, ProtocolNumber number) {
  int64_t modulus = binding->modulus[id];
  if (!number.is_known)
    return PROTOCOL_UNBOUND;
  if (modulus && binding->threshold)
    return threshold_value(number, modulus, binding->threshold);
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

// What the marked scalars depend on.
static void mark_sources(Mark *m) {
  for (int next = 0; next < m->num_todo; next++) {
    const TileProtocolScalar *scalar = &m->protocol->scalars[m->todo[next]];
    if (scalar->kind == TILE_PROTOCOL_OP) {
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

static bool is_constant(const TileProtocol *protocol, TileProtocolScalarId id) {
  return protocol->scalars[id].kind == TILE_PROTOCOL_CONST;
}

static bool is_comparison(const TileProtocolScalar *scalar) {
  return scalar->kind == TILE_PROTOCOL_OP &&
         scalar->function >= TILE_PROTOCOL_FN_EQ &&
         scalar->function <= TILE_PROTOCOL_FN_UGE;
}

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
      if (constant > MAX_GUARD)
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
