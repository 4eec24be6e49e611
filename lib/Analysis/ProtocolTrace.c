//===- ProtocolTrace.c - Roles executed for one word of decisions ---------===//
//
// What comes from outside gets small numbers, drawn from a word. Then every
// decision, slot and parity is known, and each role is a list of steps.
//
//===----------------------------------------------------------------------===//

#include "ProtocolTrace.h"

enum { MAX_STEPS = 1000, MAX_ITERATIONS = 300 };

typedef struct {
  const TileProtocol *protocol;
  TileArena *arena;
  TraceWord *word;
  Trace *out;
  const bool *is_needed; // per scalar: for a decision, a slot or a parity
  int64_t *values;       // of what control flow binds, per scalar
  uint64_t path;         // of iterations: private values differ in each
  int role, num_iterations;
  unsigned own_values; // roles that asked for values of their own
  bool is_position;    // slots and parities are not any numbers,
  bool *is_bound;      // but for those that loops run to, per scalar
} Tracer;

//===-- Numbers -----------------------------------------------------------===//

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x =
      (a ^ (b + UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
  return (x ^ x >> 29) * UINT64_C(0x94D049BB133111EB) >> 1;
}

static uint8_t digit_of(TraceWord *word, uint64_t key, int base) {
  for (int i = 0; i < word->num_digits; i++)
    if (word->keys[i] == key)
      return word->digits[i];
  if (word->num_digits == TRACE_MAX_DIGITS) {
    word->has_overflow = true;
    return 0;
  }
  word->keys[word->num_digits] = key;
  word->bases[word->num_digits] = (uint8_t)base;
  word->digits[word->num_digits] = 0;
  word->num_digits++;
  return 0;
}

// The number that `key` stands for; memory and guards are 0 or 1 in most words.
static int64_t outside(const Tracer *t, uint64_t key, bool is_bit) {
  enum { RANGE = 9 };
  TraceWord *word = t->word;
  if (word->kind == WORD_PLAIN)
    return (int64_t)word->seed * word->unit;
  if (word->kind == WORD_RANDOM)
    return (int64_t)(mix(key, word->seed) % RANGE) * word->unit;
  return digit_of(word, key, is_bit ? 2 : word->num_trips + 1) *
         (is_bit ? 1 : word->unit);
}

bool trace_word_next(TraceWord *word) {
  while (word->num_digits > 0) {
    int last = word->num_digits - 1;
    if (++word->digits[last] < word->bases[last])
      return true;
    word->num_digits--;
  }
  return false;
}

static int64_t value_of(Tracer *t, TileProtocolScalarId id);

static int64_t op_value(Tracer *t, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &t->protocol->scalars[id];
  ProtocolNumber args[PROTOCOL_MAX_ARGS] = {{0}};
  uint64_t hash = (uint64_t)scalar->function;
  for (int i = 0; i < scalar->num_args; i++) {
    int64_t value = value_of(t, scalar->args[i]);
    hash = mix(hash, (uint64_t)value);
    if (i < PROTOCOL_MAX_ARGS)
      args[i] = (ProtocolNumber){true, value, 0};
  }
  ProtocolNumber number = {false, 0, 0};
  if (scalar->num_args <= PROTOCOL_MAX_ARGS)
    number = protocol_apply(scalar, args);
  if (number.is_known)
    return number.value;
  t->out->is_certain &= scalar->is_free && (!t->is_position || t->is_bound[id]);
  return outside(t, hash, true);
}

static int64_t value_of(Tracer *t, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &t->protocol->scalars[id];
  if (scalar->kind == TILE_PROTOCOL_CONST)
    return scalar->constant;
  if (scalar->kind == TILE_PROTOCOL_OP)
    return op_value(t, id);
  if (scalar->kind != TILE_PROTOCOL_OPAQUE)
    return t->values[id];
  if (!scalar->is_shared)
    t->own_values |= 1u << t->role;
  t->out->is_certain &= !t->is_position || t->is_bound[id];
  t->out->has_guess |= !scalar->is_free;
  return outside(t, mix((uint64_t)id, scalar->is_shared ? 0 : t->path), false);
}

// The number of a slot; slots of whole tiles have none.
static int32_t slot_value(Tracer *t, TileProtocolScalarId id) {
  return id < 0 ? id : (int32_t)value_of(t, id);
}

static bool holds(Tracer *t, TileProtocolScalarId condition) {
  const TileProtocolScalar *scalar = &t->protocol->scalars[condition];
  if (scalar->kind != TILE_PROTOCOL_OPAQUE)
    return value_of(t, condition) & 1;
  if (!scalar->is_shared)
    t->own_values |= 1u << t->role;
  t->out->has_guess |= !scalar->is_free;
  return outside(t, mix((uint64_t)condition, scalar->is_shared ? 0 : t->path),
                 true) &
         1;
}

static void bind(Tracer *t, int count, const TileProtocolScalarId *to,
                 const TileProtocolScalarId *from) {
  int64_t *values = TILE_ARENA_NEW(t->arena, int64_t, count + 1);
  for (int i = 0; i < count; i++)
    if (t->is_needed[to[i]])
      values[i] = value_of(t, from[i]);
  for (int i = 0; i < count; i++)
    t->values[to[i]] = values[i];
}

//===-- Steps -------------------------------------------------------------===//

static void run_block(Tracer *t, const TileProtocolBlock *block);

static bool is_over(const Tracer *t) { return !t->out->is_complete; }

static void run_event(Tracer *t, const TileProtocolNode *node) {
  if (node->kind == TILE_PROTOCOL_ASSIGN) {
    if (t->is_needed[node->to])
      t->values[node->to] = value_of(t, node->from);
    return;
  }
  TraceRole *role = &t->out->roles[t->role];
  if (role->num_steps == MAX_STEPS) {
    t->out->is_complete = false;
    return;
  }
  TILE_ARENA_RESERVE(t->arena, role->steps, role->num_steps, role->capacity);
  TraceStep *step = &role->steps[role->num_steps++];
  *step = (TraceStep){.node = node};
  t->is_position = true;
  if (node->kind <= TILE_PROTOCOL_FILL && node->channel >= 0) {
    step->slot = slot_value(t, node->slot);
    if (node->kind == TILE_PROTOCOL_WAIT)
      step->parity = (int32_t)value_of(t, node->parity);
    if (node->kind == TILE_PROTOCOL_FILL && node->fill == TILE_PROTOCOL_BY_TMA)
      step->bar_slot = (int32_t)value_of(t, node->bar_slot);
  }
  for (int i = 0; i < node->num_reads; i++)
    step->read_slots[i] = slot_value(t, node->reads[i].slot);
  t->is_position = false;
}

static void note_choice(Tracer *t, const TileProtocolNode *node,
                        int64_t count) {
  Trace *out = t->out;
  for (int i = 0; i < out->num_choices; i++)
    if (out->choices[i].node == node)
      return; // how it went the first time
  if (out->num_choices < TRACE_MAX_CHOICES)
    out->choices[out->num_choices++] = (TileProtocolChoice){node, count};
}

static void run_for(Tracer *t, const TileProtocolNode *node) {
  int64_t lower = value_of(t, node->lower), upper = value_of(t, node->upper);
  int64_t step = value_of(t, node->step), trips = 0;
  uint64_t path = t->path;
  const TileProtocolScalar *scalars = t->protocol->scalars;
  bool is_fixed = scalars[node->upper].kind == TILE_PROTOCOL_CONST &&
                  scalars[node->lower].kind == TILE_PROTOCOL_CONST;
  bool wraps = node->is_unsigned && (lower < 0 || upper < 0);
  if (step <= 0 || wraps)
    t->out->is_complete = false; // no run of a loop, or one without end
  if (!is_fixed && step > 0)
    note_choice(t, node, upper > lower ? (upper - lower + step - 1) / step : 0);
  bind(t, node->num_values, node->args, node->inits);
  for (int64_t iv = lower; iv < upper && !is_over(t); iv += step) {
    t->path = mix(path, (uint64_t)++trips);
    t->out->is_complete &= ++t->num_iterations <= MAX_ITERATIONS;
    t->values[node->iv] = iv;
    run_block(t, &node->blocks[0]);
    bind(t, node->num_values, node->args, node->yields[0]);
  }
  if (!is_fixed)
    t->out->loops[t->role] = (TileProtocolChoice){node, trips};
  t->path = path;
  bind(t, node->num_values, node->results, node->args);
}

static void run_while(Tracer *t, const TileProtocolNode *node) {
  uint64_t path = t->path;
  int64_t trips = 0;
  bind(t, node->num_values, node->args, node->inits);
  while (!is_over(t)) {
    t->path = mix(path, (uint64_t)trips + 1);
    t->out->is_complete &= ++t->num_iterations <= MAX_ITERATIONS;
    run_block(t, &node->blocks[0]);
    bool goes_on = holds(t, node->condition);
    bind(t, node->num_passed, goes_on ? node->after : node->results,
         node->passed);
    if (!goes_on)
      break;
    trips++;
    run_block(t, &node->blocks[1]);
    bind(t, node->num_values, node->args, node->yields[0]);
  }
  note_choice(t, node, trips);
  t->path = path;
}

static void run_block(Tracer *t, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes && !is_over(t); i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_IF) {
      bool is_taken = holds(t, node->condition);
      note_choice(t, node, is_taken);
      run_block(t, &node->blocks[!is_taken]);
      bind(t, node->num_values, node->results, node->yields[!is_taken]);
    } else if (node->kind == TILE_PROTOCOL_FOR) {
      run_for(t, node);
    } else if (node->kind == TILE_PROTOCOL_WHILE) {
      run_while(t, node);
    } else {
      run_event(t, node);
    }
  }
}

//===-- Entry -------------------------------------------------------------===//

// Of the loops, so that bounds can be counted in it.
static int64_t largest_step(const TileProtocol *protocol,
                            const TileProtocolBlock *block) {
  int64_t largest = 1;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    int64_t inner[3] = {largest_step(protocol, &node->blocks[0]),
                        largest_step(protocol, &node->blocks[1]), 1};
    if (node->kind == TILE_PROTOCOL_FOR &&
        protocol->scalars[node->step].kind == TILE_PROTOCOL_CONST)
      inner[2] = protocol->scalars[node->step].constant;
    for (int k = 0; k < 3; k++)
      largest = inner[k] > largest ? inner[k] : largest;
  }
  return largest;
}

int64_t trace_unit(const TileProtocol *protocol) {
  int64_t unit = 1;
  for (int r = 0; r < protocol->num_roles; r++) {
    int64_t step = largest_step(protocol, &protocol->roles[r].body);
    unit = step > unit ? step : unit;
  }
  return unit;
}

// What the bounds of loops are made of. Positions of channels are carried, and
// do not come from there.
static void mark_bound(Tracer *t, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &t->protocol->scalars[id];
  if (t->is_bound[id] || scalar->kind > TILE_PROTOCOL_OP)
    return;
  t->is_bound[id] = true;
  for (int i = 0; scalar->kind == TILE_PROTOCOL_OP && i < scalar->num_args; i++)
    mark_bound(t, scalar->args[i]);
}

static void mark_bounds(Tracer *t, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_FOR)
      mark_bound(t, node->upper);
    mark_bounds(t, &node->blocks[0]);
    mark_bounds(t, &node->blocks[1]);
  }
}

void trace_build(const TileProtocol *protocol, const bool *is_needed,
                 TileArena *arena, TraceWord *word, Trace *out) {
  *out = (Trace){.is_complete = true, .is_certain = true};
  Tracer t = {.protocol = protocol,
              .arena = arena,
              .word = word,
              .out = out,
              .is_needed = is_needed};
  t.values = TILE_ARENA_NEW(arena, int64_t, protocol->num_scalars + 1);
  t.is_bound = TILE_ARENA_NEW(arena, bool, protocol->num_scalars + 1);
  for (int r = 0; r < protocol->num_roles && protocol->is_of_rows; r++)
    mark_bounds(&t, &protocol->roles[r].body);
  for (t.role = 0; t.role < protocol->num_roles && !is_over(&t); t.role++) {
    t.path = 1;
    t.num_iterations = 0;
    run_block(&t, &protocol->roles[t.role].body);
  }
  out->is_complete &= !word->has_overflow;
  // Values of one role may be anything; those of two may be equal.
  out->is_certain &= (t.own_values & (t.own_values - 1)) == 0;
}
