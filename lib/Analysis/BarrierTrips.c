//===- BarrierTrips.c - How many iterations loops have left ---------------===//
//
// A pipelined loop asks whether the iteration whose copy it is about to issue
// still comes:
//
//   for iv = lower to upper step s:  if upper - iv > q * s: copy
//
// With R iterations left, this one included, that is R > q. R is followed as a
// number from 0 to a limit that is beyond all q, as "more than the limit", and
// behind an iteration of that as "the limit or more", which is taken apart when
// the loop decides next. A comparison of the bounds themselves in front of the
// loop is the same of the number that it begins with.
//
//===----------------------------------------------------------------------===//

#include "BarrierTrips.h"

#include "ProtocolInternal.h"

enum { MAX_SKIPS = 62, NOT_IN_LOOP = -1 };

//===-- Scalars -----------------------------------------------------------===//

static const TileProtocolScalar *scalar_at(const BarrierTrips *t,
                                           TileProtocolScalarId id) {
  return &t->protocol->scalars[id];
}

static bool is_op(const BarrierTrips *t, TileProtocolScalarId id,
                  int function) {
  const TileProtocolScalar *scalar = scalar_at(t, id);
  return scalar->kind == TILE_PROTOCOL_OP && scalar->function == function;
}

static bool is_constant(const BarrierTrips *t, TileProtocolScalarId id) {
  return scalar_at(t, id)->kind == TILE_PROTOCOL_CONST;
}

static TileProtocolScalarId strip(const BarrierTrips *t,
                                  TileProtocolScalarId id) {
  while (is_op(t, id, TILE_PROTOCOL_FN_CAST))
    id = scalar_at(t, id)->args[0];
  return id;
}

// `id` without the constants that it adds, which go to `sum`; a constant stays.
static TileProtocolScalarId strip_sum(const BarrierTrips *t,
                                      TileProtocolScalarId id, int64_t *sum) {
  id = strip(t, id);
  while (is_op(t, id, TILE_PROTOCOL_FN_ADD)) {
    const TileProtocolScalar *add = scalar_at(t, id);
    int side = is_constant(t, add->args[0]) ? 0 : 1;
    if (!is_constant(t, add->args[side]))
      return id;
    *sum += scalar_at(t, add->args[side])->constant;
    id = strip(t, add->args[1 - side]);
  }
  return id;
}

//===-- Guards ------------------------------------------------------------===//

// `R > skips` of a loop, or of the number that a count begins with.
typedef struct {
  int count, loop; // loop -1: from the origin
  int64_t skips;
  int64_t base; // steps in front of the number that is subtracted
  bool is_negated;
  bool is_unsigned; // up to `base` it may have any outcome
} Guard;

static int loop_of_iv(const BarrierTrips *t, TileProtocolScalarId iv) {
  for (int i = 0; i < t->num_loops; i++)
    if (t->loops[i].loop->iv == iv)
      return i;
  return -1;
}

// The steps from the origin of a count to `base`; -1 where that is no number.
static int64_t steps_to(const BarrierTrips *t, const BarrierTripCount *count,
                        TileProtocolScalarId base) {
  const TileProtocolScalar *scalar = scalar_at(t, base);
  if (count->lower >= 0)
    return count->lower == base && count->origin == 0 ? 0 : -1;
  int64_t distance = scalar->constant - count->origin;
  return scalar->kind == TILE_PROTOCOL_CONST && distance >= 0 &&
                 distance % count->step == 0
             ? distance / count->step
             : -1;
}

// Sets the guard `upper - base > more`.
static bool set_distance(const BarrierTrips *t, TileProtocolScalarId upper,
                         TileProtocolScalarId base, int64_t more, Guard *out) {
  out->loop = loop_of_iv(t, base);
  for (int c = 0; c < t->num_counts; c++) {
    const BarrierTripCount *count = &t->counts[c];
    int64_t base_steps = 0;
    if (out->loop < 0)
      base_steps = steps_to(t, count, base);
    else if (t->loops[out->loop].count != c)
      continue;
    if (count->upper != upper || base_steps < 0 || more % count->step)
      continue;
    int64_t skips = base_steps + more / count->step;
    if (skips < 0 || skips > MAX_SKIPS || base_steps > MAX_SKIPS)
      continue;
    out->count = c;
    out->skips = skips;
    out->base = base_steps;
    return true;
  }
  return false;
}

// `left > right`. Sums do not overflow; differences of bounds may.
static bool set_greater(const BarrierTrips *t, TileProtocolScalarId left,
                        TileProtocolScalarId right, Guard *out) {
  int64_t more = 0;
  left = strip(t, left);
  right = strip(t, right);
  if (is_op(t, left, TILE_PROTOCOL_FN_SUB) && is_constant(t, right)) {
    const TileProtocolScalar *difference = scalar_at(t, left);
    TileProtocolScalarId base = strip_sum(t, difference->args[1], &more);
    int64_t behind = more > 0 ? more : 0;
    more += scalar_at(t, right)->constant;
    if (!set_distance(t, strip(t, difference->args[0]), base, more, out))
      return false;
    int64_t step = t->counts[out->count].step;
    out->base += behind / step + (behind % step != 0);
    return true;
  }
  right = strip_sum(t, right, &more);
  if (!set_distance(t, left, right, more, out))
    return false;
  const BarrierTripCount *count = &t->counts[out->count];
  out->base = 0;
  return !out->is_unsigned || (count->lower < 0 && count->origin >= 0);
}

static bool guard_of(const BarrierTrips *t, const TileProtocolScalar *compare,
                     Guard *out) {
  *out = (Guard){.loop = -1};
  if (compare->kind != TILE_PROTOCOL_OP)
    return false;
  const TileProtocolScalarId *args = compare->args;
  switch (compare->function) {
  case TILE_PROTOCOL_FN_UGT:
  case TILE_PROTOCOL_FN_ULE:
    out->is_unsigned = true;
    // fallthrough
  case TILE_PROTOCOL_FN_GT:
  case TILE_PROTOCOL_FN_LE:
    out->is_negated = compare->function == TILE_PROTOCOL_FN_LE ||
                      compare->function == TILE_PROTOCOL_FN_ULE;
    return set_greater(t, args[0], args[1], out);
  case TILE_PROTOCOL_FN_ULT:
  case TILE_PROTOCOL_FN_UGE:
    out->is_unsigned = true;
    // fallthrough
  case TILE_PROTOCOL_FN_LT:
  case TILE_PROTOCOL_FN_GE:
    out->is_negated = compare->function == TILE_PROTOCOL_FN_GE ||
                      compare->function == TILE_PROTOCOL_FN_UGE;
    return set_greater(t, args[1], args[0], out);
  default:
    return false;
  }
}

//===-- Build -------------------------------------------------------------===//

// Loops share a count where their lower bounds are whole steps apart: a loop
// may have iterations taken out in front of it.
static void add_loop(BarrierTrips *t, TileArena *arena, int role,
                     const TileProtocolNode *node) {
  BarrierTripCount count = {.upper = strip(t, node->upper),
                            .step = scalar_at(t, node->step)->constant};
  BarrierTripLoop loop = {.loop = node, .role = role};
  int64_t lower = 0;
  count.lower = strip_sum(t, node->lower, &lower);
  if (is_constant(t, count.lower)) {
    lower += scalar_at(t, count.lower)->constant;
    count.lower = -1;
  }
  bool fits = lower >= 0 && lower / count.step <= MAX_SKIPS;
  count.origin = fits ? lower % count.step : lower;
  loop.skips = fits ? (int)(lower / count.step) : 0;
  while (loop.count < t->num_counts &&
         (t->counts[loop.count].lower != count.lower ||
          t->counts[loop.count].origin != count.origin ||
          t->counts[loop.count].upper != count.upper ||
          t->counts[loop.count].step != count.step))
    loop.count++;
  if (loop.count == t->num_counts) {
    TILE_ARENA_RESERVE(arena, t->counts, t->num_counts, t->count_capacity);
    t->counts[t->num_counts++] = count;
  }
  TILE_ARENA_RESERVE(arena, t->loops, t->num_loops, t->loop_capacity);
  t->loops[t->num_loops++] = loop;
}

static void find_loops(BarrierTrips *t, TileArena *arena, int role,
                       const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_FOR && !node->is_unsigned &&
        is_constant(t, node->step) && scalar_at(t, node->step)->constant > 0 &&
        !(is_constant(t, node->lower) && is_constant(t, node->upper)) &&
        protocol_is_fixed(t->protocol, node->lower) &&
        protocol_is_fixed(t->protocol, node->upper))
      add_loop(t, arena, role, node);
    find_loops(t, arena, role, &node->blocks[0]);
    find_loops(t, arena, role, &node->blocks[1]);
  }
}

static void find_guards(BarrierTrips *t, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = scalar_at(t, id);
  Guard guard;
  if (guard_of(t, scalar, &guard)) {
    BarrierTripCount *count = &t->counts[guard.count];
    int64_t skips = guard.skips;
    skips += guard.loop < 0 ? 0 : t->loops[guard.loop].skips;
    if (skips >= count->limit)
      count->limit = (int)skips + 1;
  } else if (scalar->kind == TILE_PROTOCOL_OP &&
             scalar->function < TILE_PROTOCOL_FN_OTHER) {
    for (int i = 0; i < scalar->num_args; i++)
      find_guards(t, scalar->args[i]);
  }
}

static void find_conditions(BarrierTrips *t, const TileProtocolBlock *block) {
  for (int i = 0; i < block->num_nodes; i++) {
    const TileProtocolNode *node = block->nodes[i];
    if (node->kind == TILE_PROTOCOL_IF)
      find_guards(t, node->condition);
    find_conditions(t, &node->blocks[0]);
    find_conditions(t, &node->blocks[1]);
  }
}

void barrier_trips_build(const BarrierProgram *program, TileArena *arena,
                         BarrierTrips *out) {
  const TileProtocol *protocol = &program->protocol;
  *out = (BarrierTrips){.protocol = protocol};
  for (int r = 0; r < protocol->num_roles; r++)
    find_loops(out, arena, r, &protocol->roles[r].body);
  for (int r = 0; r < protocol->num_roles && out->num_loops > 0; r++)
    find_conditions(out, &protocol->roles[r].body);
  for (int i = 0; i < out->num_loops; i++) {
    BarrierTripCount *count = &out->counts[out->loops[i].count];
    if (count->limit && count->limit < out->loops[i].skips)
      count->limit = out->loops[i].skips;
  }
}

//===-- Words -------------------------------------------------------------===//

// Of a loop, 1 at least; a count has no lower limit than its loops skip.
static int32_t limit_of(const BarrierTrips *t, int loop) {
  const BarrierTripLoop *at = &t->loops[loop];
  int limit = t->counts[at->count].limit - at->skips;
  return limit > 1 ? limit : 1;
}

// Behind numbers up to the limit.
static int32_t more_than(int32_t limit) { return limit + 1; }
static int32_t at_least(int32_t limit) { return limit + 2; }

int barrier_trips_num_words(const BarrierTrips *t) {
  return t->num_counts + 2 * t->num_loops;
}

static int word_of(const BarrierTrips *t, int loop, int agent) {
  return t->num_counts + 2 * loop + agent % 2;
}

static int find_loop(const BarrierTrips *t, int agent,
                     const TileProtocolNode *loop) {
  for (int i = 0; i < t->num_loops; i++)
    if (t->loops[i].loop == loop && t->loops[i].role == agent / 2)
      return t->counts[t->loops[i].count].limit ? i : -1;
  return -1;
}

// Of those that a count may begin with.
static int num_values(const BarrierTripCount *count) {
  return count->limit ? more_than(count->limit) + 1 : 1;
}

int64_t barrier_trips_num_starts(const BarrierTrips *t) {
  int64_t num = 1;
  for (int c = 0; c < t->num_counts && num <= INT32_MAX; c++)
    num *= num_values(&t->counts[c]);
  return num;
}

void barrier_trips_start(const BarrierTrips *t, int32_t *words, int64_t which) {
  for (int c = 0; c < t->num_counts; c++) {
    int num = num_values(&t->counts[c]);
    words[c] = (int32_t)(which % num);
    which /= num;
  }
  for (int i = t->num_counts; i < barrier_trips_num_words(t); i++)
    words[i] = NOT_IN_LOOP;
}

// What a loop has when it begins.
static int32_t left_at_first(const BarrierTrips *t, const int32_t *words,
                             int loop) {
  const BarrierTripLoop *at = &t->loops[loop];
  const BarrierTripCount *count = &t->counts[at->count];
  int32_t trips = words[at->count];
  if (trips == more_than(count->limit) && at->skips == count->limit)
    return at_least(1);
  return trips > at->skips ? trips - at->skips : 0;
}

bool barrier_trips_may_be(const BarrierTrips *t, const int32_t *words, int loop,
                          int64_t lower, int64_t upper) {
  const BarrierTripCount *count = &t->counts[t->loops[loop].count];
  int64_t trips =
      lower < upper ? (upper - lower + count->step - 1) / count->step : 0;
  int32_t left = left_at_first(t, words, loop), limit = limit_of(t, loop);
  if (!count->limit || left == at_least(limit))
    return !count->limit || trips >= limit;
  return left == more_than(limit) ? trips > limit : trips == left;
}

//===-- Loops -------------------------------------------------------------===//

void barrier_trips_enter(const BarrierTrips *t, int32_t *words, int agent,
                         const TileProtocolScalarId *iv) {
  for (int i = 0; i < t->num_loops; i++)
    if (&t->loops[i].loop->iv == iv && t->loops[i].role == agent / 2)
      words[word_of(t, i, agent)] = left_at_first(t, words, i);
}

void barrier_trips_next(const BarrierTrips *t, int32_t *words, int agent,
                        const TileProtocolNode *loop) {
  int i = find_loop(t, agent, loop);
  if (i < 0)
    return;
  int32_t *left = &words[word_of(t, i, agent)], limit = limit_of(t, i);
  *left = *left == more_than(limit) ? at_least(limit) : *left - 1;
}

int barrier_trips_goes_on(const BarrierTrips *t, const int32_t *words,
                          int agent, const TileProtocolNode *loop) {
  int i = find_loop(t, agent, loop);
  return i < 0 ? -1 : words[word_of(t, i, agent)] > 0;
}

bool barrier_trips_is_open(const BarrierTrips *t, const int32_t *words,
                           int agent, const TileProtocolNode *loop) {
  int i = find_loop(t, agent, loop);
  return i >= 0 && words[word_of(t, i, agent)] == at_least(limit_of(t, i));
}

void barrier_trips_resolve(const BarrierTrips *t, int32_t *words, int agent,
                           const TileProtocolNode *loop, bool has_more) {
  if (!barrier_trips_is_open(t, words, agent, loop))
    return;
  int i = find_loop(t, agent, loop);
  int32_t limit = limit_of(t, i);
  words[word_of(t, i, agent)] = has_more ? more_than(limit) : limit;
}

//===-- Conditions --------------------------------------------------------===//

static int decide(const BarrierTrips *t, const int32_t *words, int agent,
                  const Guard *guard) {
  int32_t left = words[guard->count];
  if (guard->loop >= 0)
    left = t->loops[guard->loop].role == agent / 2
               ? words[word_of(t, guard->loop, agent)]
               : NOT_IN_LOOP;
  if (left == NOT_IN_LOOP || (left <= guard->base && guard->is_unsigned))
    return -1;
  return (left > guard->skips) != guard->is_negated;
}

int barrier_trips_condition(const BarrierTrips *t, const int32_t *words,
                            int agent, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = scalar_at(t, id);
  Guard guard;
  if (guard_of(t, scalar, &guard))
    return t->counts[guard.count].limit ? decide(t, words, agent, &guard) : -1;
  if (!is_op(t, id, TILE_PROTOCOL_FN_AND) && !is_op(t, id, TILE_PROTOCOL_FN_OR))
    return scalar->kind == TILE_PROTOCOL_CONST ? (int)(scalar->constant & 1)
                                               : -1;
  int weak = is_op(t, id, TILE_PROTOCOL_FN_AND), strong = 1 - weak;
  int a = barrier_trips_condition(t, words, agent, scalar->args[0]);
  int b = barrier_trips_condition(t, words, agent, scalar->args[1]);
  if (a == strong || b == strong)
    return strong;
  return a == weak && b == weak ? weak : -1;
}
