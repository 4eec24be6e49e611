//===- BarrierTerms.c - Values as functions of other values ---------------===//
//
// Sums and products with constants are those of a ring, so that they may be
// ordered whatever the width of the numbers; constants are kept so small that
// no width matters to them.
//
//===----------------------------------------------------------------------===//

#include "BarrierTerms.h"

#include <string.h>

enum { MAX_TERMS = 20000, FIRST_BUCKETS = 256 };

static const int64_t max_constant = INT32_MAX;

//===-- The table ---------------------------------------------------------===//

void barrier_terms_init(BarrierTerms *t, const TileProtocol *protocol,
                        TileArena *arena) {
  *t = (BarrierTerms){.protocol = protocol, .arena = arena};
  t->of_scalar =
      TILE_ARENA_NEW(arena, BarrierTermId, protocol->num_scalars + 1);
}

static bool is_same(const BarrierTerm *a, const BarrierTerm *b) {
  bool result = a->kind == b->kind && a->constant == b->constant &&
                a->atom == b->atom && a->function == b->function &&
                a->num_args == b->num_args;
  for (int i = 0; i < a->num_args && result; i++)
    result = a->args[i] == b->args[i] &&
             (!a->factors || a->factors[i] == b->factors[i]);
  return result;
}

static uint64_t mix(uint64_t hash, int64_t value) {
  return (hash ^ (uint64_t)value) * UINT64_C(1099511628211);
}

static int *bucket_of(const BarrierTerms *t, const BarrierTerm *term) {
  uint64_t hash = mix(UINT64_C(1469598103934665603), term->kind);
  hash = mix(mix(mix(hash, term->constant), term->atom), term->function);
  for (int i = 0; i < term->num_args; i++)
    hash = mix(mix(hash, term->args[i]), term->factors ? term->factors[i] : 0);
  size_t mask = (size_t)t->num_buckets - 1, at = (hash ^ hash >> 32) & mask;
  while (t->buckets[at] && !is_same(&t->items[t->buckets[at] - 1], term))
    at = (at + 1) & mask;
  return &t->buckets[at];
}

static BarrierTermId intern(BarrierTerms *t, BarrierTerm term) {
  if (2 * t->count >= t->num_buckets) {
    t->num_buckets = t->num_buckets ? 4 * t->num_buckets : FIRST_BUCKETS;
    t->buckets = TILE_ARENA_NEW(t->arena, int, t->num_buckets);
    for (int i = 0; i < t->count; i++)
      *bucket_of(t, &t->items[i]) = i + 1;
  }
  int *bucket = bucket_of(t, &term);
  if (*bucket)
    return *bucket - 1;
  if (t->count == MAX_TERMS)
    return BARRIER_NO_TERM;
  size_t count = (size_t)term.num_args;
  term.args = tile_arena_copy(t->arena, term.args, sizeof *term.args * count,
                              sizeof *term.args * (count + 1));
  if (term.factors)
    term.factors =
        tile_arena_copy(t->arena, term.factors, sizeof *term.factors * count,
                        sizeof *term.factors * (count + 1));
  for (int i = 0; i < term.num_args; i++) {
    term.atoms |= t->items[term.args[i]].atoms;
    term.has_unstable |= t->items[term.args[i]].has_unstable;
  }
  TILE_ARENA_RESERVE(t->arena, t->items, t->count, t->capacity);
  t->items[t->count] = term;
  *bucket = ++t->count;
  return t->count - 1;
}

BarrierTermId barrier_term_constant(BarrierTerms *t, int64_t value) {
  return intern(
      t,
      (BarrierTerm){.kind = BARRIER_TERM_CONST, .atom = -1, .constant = value});
}

static bool is_constant(const BarrierTerms *t, BarrierTermId id) {
  return t->items[id].kind == BARRIER_TERM_CONST;
}

static BarrierTermId boolean(BarrierTerms *t, bool value) {
  return barrier_term_constant(t, value ? -1 : 0);
}

static BarrierTermId complement(BarrierTerms *t, BarrierTermId id) {
  if (id == BARRIER_NO_TERM)
    return id;
  if (is_constant(t, id))
    return barrier_term_constant(t, ~t->items[id].constant);
  if (t->items[id].kind == BARRIER_TERM_NOT)
    return t->items[id].args[0];
  return intern(
      t, (BarrierTerm){
             .kind = BARRIER_TERM_NOT, .atom = -1, .num_args = 1, .args = &id});
}

//===-- Sums --------------------------------------------------------------===//

typedef struct {
  int64_t constant;
  int count;
  BarrierTermId args[BARRIER_MAX_SUMMANDS];
  int64_t factors[BARRIER_MAX_SUMMANDS];
  bool fits;
} Sum;

static bool is_small(int64_t value) {
  return value <= max_constant && value >= -max_constant;
}

static void add_summand(Sum *s, BarrierTermId id, int64_t factor) {
  int at = 0;
  while (at < s->count && s->args[at] < id)
    at++;
  if (at < s->count && s->args[at] == id) {
    s->factors[at] += factor;
    s->fits &= is_small(s->factors[at]);
    return;
  }
  if (s->count == BARRIER_MAX_SUMMANDS) {
    s->fits = false;
    return;
  }
  for (int i = s->count++; i > at; i--) {
    s->args[i] = s->args[i - 1];
    s->factors[i] = s->factors[i - 1];
  }
  s->args[at] = id;
  s->factors[at] = factor;
}

// Numbers are below 2^31, so that no product overflows.
static void add_term(const BarrierTerms *t, Sum *s, BarrierTermId id,
                     int64_t factor) {
  const BarrierTerm *term = &t->items[id];
  if (term->kind == BARRIER_TERM_CONST || term->kind == BARRIER_TERM_SUM) {
    s->fits &= is_small(term->constant) && is_small(factor);
    s->constant += s->fits ? term->constant * factor : 0;
    s->fits &= is_small(s->constant);
  }
  if (term->kind == BARRIER_TERM_SUM) {
    for (int i = 0; i < term->num_args && s->fits; i++) {
      s->fits &= is_small(term->factors[i] * factor);
      add_summand(s, term->args[i], term->factors[i] * factor);
    }
  } else if (term->kind != BARRIER_TERM_CONST) {
    s->fits &= is_small(factor);
    add_summand(s, id, factor);
  }
}

static BarrierTermId finish_sum(BarrierTerms *t, Sum *s) {
  int count = 0;
  for (int i = 0; i < s->count; i++)
    if (s->factors[i]) {
      s->args[count] = s->args[i];
      s->factors[count++] = s->factors[i];
    }
  if (!s->fits)
    return BARRIER_NO_TERM;
  if (count == 0)
    return barrier_term_constant(t, s->constant);
  if (count == 1 && s->factors[0] == 1 && s->constant == 0)
    return s->args[0];
  return intern(t, (BarrierTerm){.kind = BARRIER_TERM_SUM,
                                 .atom = -1,
                                 .constant = s->constant,
                                 .num_args = count,
                                 .args = s->args,
                                 .factors = s->factors});
}

BarrierTermId barrier_term_sum(BarrierTerms *t, BarrierTermId a, int64_t factor,
                               BarrierTermId b) {
  Sum s = {.fits = true};
  if (a == BARRIER_NO_TERM || b == BARRIER_NO_TERM)
    return BARRIER_NO_TERM;
  add_term(t, &s, a, 1);
  add_term(t, &s, b, factor);
  return finish_sum(t, &s);
}

// The factor that a product or shift has, or 0.
static int64_t factor_of(const BarrierTerms *t, int function,
                         const BarrierTermId *args) {
  enum { MAX_SHIFT = 30 };
  if (!is_constant(t, args[1]))
    return 0;
  int64_t by = t->items[args[1]].constant;
  if (function == TILE_PROTOCOL_FN_MUL)
    return by;
  return function == TILE_PROTOCOL_FN_SHL && by >= 0 && by <= MAX_SHIFT
             ? INT64_C(1) << by
             : 0;
}

static BarrierTermId linear(BarrierTerms *t, int function,
                            const BarrierTermId *args) {
  if (function == TILE_PROTOCOL_FN_ADD)
    return barrier_term_sum(t, args[0], 1, args[1]);
  if (function == TILE_PROTOCOL_FN_SUB)
    return barrier_term_sum(t, args[0], -1, args[1]);
  const BarrierTermId swapped[2] = {args[1], args[0]};
  int64_t factor = factor_of(t, function, args);
  if (factor)
    return barrier_term_sum(t, barrier_term_constant(t, 0), factor, args[0]);
  factor =
      function == TILE_PROTOCOL_FN_MUL ? factor_of(t, function, swapped) : 0;
  return factor
             ? barrier_term_sum(t, barrier_term_constant(t, 0), factor, args[1])
             : BARRIER_NO_TERM;
}

//===-- Functions ---------------------------------------------------------===//

static BarrierTermId plain_call(BarrierTerms *t, int function, int64_t number,
                                int num_args, const BarrierTermId *args) {
  return intern(t, (BarrierTerm){.kind = BARRIER_TERM_CALL,
                                 .atom = -1,
                                 .constant = number,
                                 .function = function,
                                 .num_args = num_args,
                                 .args = args});
}

static BarrierTermId ordered_call(BarrierTerms *t, int function,
                                  BarrierTermId a, BarrierTermId b) {
  const BarrierTermId args[2] = {a < b ? a : b, a < b ? b : a};
  return plain_call(t, function, 0, 2, args);
}

static BarrierTermId less(BarrierTerms *t, int function, BarrierTermId a,
                          BarrierTermId b) {
  const BarrierTermId args[2] = {a, b};
  int64_t x = t->items[a].constant, y = t->items[b].constant;
  bool is_signed = function == TILE_PROTOCOL_FN_LT;
  if (is_constant(t, a) && is_constant(t, b) && is_small(x) && is_small(y) &&
      (is_signed || (x >= 0 && y >= 0)))
    return boolean(t, x < y);
  return a == b ? boolean(t, false) : plain_call(t, function, 0, 2, args);
}

static BarrierTermId equality(BarrierTerms *t, BarrierTermId a,
                              BarrierTermId b) {
  if (a == b)
    return boolean(t, true);
  if (is_constant(t, a) && is_constant(t, b) &&
      is_small(t->items[a].constant) && is_small(t->items[b].constant))
    return boolean(t, false);
  return ordered_call(t, TILE_PROTOCOL_FN_EQ, a, b);
}

static BarrierTermId comparison(BarrierTerms *t, int function,
                                const BarrierTermId *args) {
  switch (function) {
  case TILE_PROTOCOL_FN_EQ:
    return equality(t, args[0], args[1]);
  case TILE_PROTOCOL_FN_NE:
    return complement(t, equality(t, args[0], args[1]));
  case TILE_PROTOCOL_FN_LT:
  case TILE_PROTOCOL_FN_ULT:
    return less(t, function, args[0], args[1]);
  case TILE_PROTOCOL_FN_GT:
    return less(t, TILE_PROTOCOL_FN_LT, args[1], args[0]);
  case TILE_PROTOCOL_FN_UGT:
    return less(t, TILE_PROTOCOL_FN_ULT, args[1], args[0]);
  case TILE_PROTOCOL_FN_LE:
    return complement(t, less(t, TILE_PROTOCOL_FN_LT, args[1], args[0]));
  case TILE_PROTOCOL_FN_ULE:
    return complement(t, less(t, TILE_PROTOCOL_FN_ULT, args[1], args[0]));
  case TILE_PROTOCOL_FN_GE:
    return complement(t, less(t, TILE_PROTOCOL_FN_LT, args[0], args[1]));
  default:
    return complement(t, less(t, TILE_PROTOCOL_FN_ULT, args[0], args[1]));
  }
}

// AND, OR and XOR.
static BarrierTermId logic(BarrierTerms *t, int function,
                           const BarrierTermId *args) {
  for (int i = 0; i < 2; i++) {
    const BarrierTerm *term = &t->items[args[i]];
    bool is_ones = term->kind == BARRIER_TERM_CONST && term->constant == -1;
    bool is_zero = term->kind == BARRIER_TERM_CONST && term->constant == 0;
    if (function == TILE_PROTOCOL_FN_XOR && is_ones)
      return complement(t, args[1 - i]);
    if (function == TILE_PROTOCOL_FN_AND ? is_ones : is_zero)
      return args[1 - i];
    if (function != TILE_PROTOCOL_FN_XOR && (is_ones || is_zero))
      return args[i];
  }
  if (args[0] == args[1] && function != TILE_PROTOCOL_FN_XOR)
    return args[0];
  return ordered_call(t, function, args[0], args[1]);
}

static BarrierTermId choice(BarrierTerms *t, const BarrierTermId *args) {
  if (args[1] == args[2])
    return args[1];
  if (is_constant(t, args[0]))
    return args[t->items[args[0]].constant & 1 ? 1 : 2];
  return plain_call(t, TILE_PROTOCOL_FN_SELECT, 0, 3, args);
}

BarrierTermId barrier_term_call(BarrierTerms *t, int function, int64_t number,
                                int num_args, const BarrierTermId *args) {
  for (int i = 0; i < num_args; i++)
    if (args[i] == BARRIER_NO_TERM)
      return BARRIER_NO_TERM;
  if (function >= TILE_PROTOCOL_FN_EQ && function <= TILE_PROTOCOL_FN_UGE)
    return comparison(t, function, args);
  if (function == TILE_PROTOCOL_FN_AND || function == TILE_PROTOCOL_FN_OR ||
      function == TILE_PROTOCOL_FN_XOR)
    return logic(t, function, args);
  if (function == TILE_PROTOCOL_FN_SELECT)
    return choice(t, args);
  BarrierTermId sum = BARRIER_NO_TERM;
  if (function == TILE_PROTOCOL_FN_ADD || function == TILE_PROTOCOL_FN_SUB ||
      function == TILE_PROTOCOL_FN_MUL || function == TILE_PROTOCOL_FN_SHL)
    sum = linear(t, function, args);
  return sum != BARRIER_NO_TERM
             ? sum
             : plain_call(t, function, number, num_args, args);
}

//===-- Scalars -----------------------------------------------------------===//

static BarrierTermId atom(BarrierTerms *t, TileProtocolScalarId id) {
  const TileProtocolScalar *scalar = &t->protocol->scalars[id];
  return intern(
      t, (BarrierTerm){.kind = BARRIER_TERM_ATOM,
                       .atom = id,
                       .atoms = UINT64_C(1) << id % 64,
                       .has_unstable = scalar->kind == TILE_PROTOCOL_OPAQUE &&
                                       !scalar->is_fixed});
}

static BarrierTermId make_term(BarrierTerms *t, TileProtocolScalarId id) {
  enum { MAX_ARGS = 8 };
  const TileProtocolScalar *scalar = &t->protocol->scalars[id];
  BarrierTermId args[MAX_ARGS];
  if (scalar->kind == TILE_PROTOCOL_CONST)
    return barrier_term_constant(t, scalar->constant);
  if (scalar->kind != TILE_PROTOCOL_OP)
    return atom(t, id);
  if (scalar->num_args > MAX_ARGS)
    return BARRIER_NO_TERM;
  for (int i = 0; i < scalar->num_args; i++)
    args[i] = barrier_term_of(t, scalar->args[i]);
  return barrier_term_call(t, scalar->function, scalar->constant,
                           scalar->num_args, args);
}

BarrierTermId barrier_term_of(BarrierTerms *t, TileProtocolScalarId id) {
  if (!t->of_scalar[id])
    t->of_scalar[id] = make_term(t, id) + 1;
  return t->of_scalar[id] - 1;
}

//===-- Replacements ------------------------------------------------------===//

typedef struct {
  BarrierTerms *terms;
  int count;
  const TileProtocolScalarId *from;
  const BarrierTermId *to;
  uint64_t atoms;
} Replacement;

static BarrierTermId replace(const Replacement *r, BarrierTermId id);

static BarrierTermId replace_atom(const Replacement *r, BarrierTermId id) {
  for (int i = 0; i < r->count; i++)
    if (r->from[i] == r->terms->items[id].atom)
      return r->to[i];
  return id;
}

static BarrierTermId replace_sum(const Replacement *r, BarrierTermId id) {
  BarrierTerms *t = r->terms;
  BarrierTermId result = barrier_term_constant(t, t->items[id].constant);
  for (int i = 0; i < t->items[id].num_args; i++)
    result = barrier_term_sum(t, result, t->items[id].factors[i],
                              replace(r, t->items[id].args[i]));
  return result;
}

static BarrierTermId replace_call(const Replacement *r, BarrierTermId id) {
  BarrierTerms *t = r->terms;
  BarrierTerm term = t->items[id];
  BarrierTermId *args =
      TILE_ARENA_NEW(t->arena, BarrierTermId, term.num_args + 1);
  for (int i = 0; i < term.num_args; i++)
    args[i] = replace(r, term.args[i]);
  if (term.kind == BARRIER_TERM_NOT)
    return complement(t, args[0]);
  return barrier_term_call(t, term.function, term.constant, term.num_args,
                           args);
}

static BarrierTermId replace(const Replacement *r, BarrierTermId id) {
  BarrierTerms *t = r->terms;
  if (!(t->items[id].atoms & r->atoms))
    return id;
  if (t->items[id].kind == BARRIER_TERM_ATOM)
    return replace_atom(r, id);
  if (id < t->replaced_capacity && t->replaced[id].stamp == t->stamp)
    return t->replaced[id].term;
  BarrierTermId result = t->items[id].kind == BARRIER_TERM_SUM
                             ? replace_sum(r, id)
                             : replace_call(r, id);
  if (id < t->replaced_capacity) {
    t->replaced[id].stamp = t->stamp;
    t->replaced[id].term = result;
  }
  return result;
}

BarrierTermId barrier_term_replace(BarrierTerms *t, BarrierTermId term,
                                   int count, const TileProtocolScalarId *from,
                                   const BarrierTermId *to) {
  Replacement r = {.terms = t, .count = count, .from = from, .to = to};
  if (term == BARRIER_NO_TERM)
    return term;
  for (int i = 0; i < count; i++)
    r.atoms |= UINT64_C(1) << from[i] % 64;
  if (t->replaced_capacity <= term) {
    t->replaced_capacity = 2 * term + 64;
    t->replaced = tile_arena_alloc(t->arena, sizeof *t->replaced *
                                                 (size_t)t->replaced_capacity);
  }
  t->stamp++;
  return replace(&r, term);
}
