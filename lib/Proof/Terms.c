//===- Terms.c - Values as functions of other values ----------------------===//
//
// Sums and products with constants are those of a ring, so that they may be
// ordered whatever the width of the numbers; constants are kept so small that
// no width matters to them.
//
//===----------------------------------------------------------------------===//

#include "Terms.h"

#include <string.h>

enum { MAX_TERMS = 200000 };

static const int64_t max_constant = INT32_MAX;

//===-- The table ---------------------------------------------------------===//

static bool is_same(const ProofTerm *a, const ProofTerm *b) {
  bool result = a->kind == b->kind && a->constant == b->constant &&
                a->function == b->function && a->num_args == b->num_args;
  for (int i = 0; i < a->num_args && result; i++)
    result = a->args[i] == b->args[i] &&
             (!a->factors || a->factors[i] == b->factors[i]);
  return result;
}

static uint64_t hash_of(const ProofTerm *term) {
  uint64_t hash = tile_hash_word(TILE_HASH_START, (uint64_t)term->kind);
  hash = tile_hash_word(hash, (uint64_t)term->constant);
  hash = tile_hash_word(hash, (uint64_t)term->function);
  for (int i = 0; i < term->num_args; i++) {
    hash = tile_hash_word(hash, (uint64_t)term->args[i]);
    if (term->factors)
      hash = tile_hash_word(hash, (uint64_t)term->factors[i]);
  }
  return hash;
}

static ProofTermId add(ProofTerms *t, ProofTerm term) {
  size_t count = (size_t)term.num_args;
  term.args = tile_arena_copy(t->arena, term.args, sizeof *term.args * count,
                              sizeof *term.args * (count + 1));
  if (term.factors)
    term.factors =
        tile_arena_copy(t->arena, term.factors, sizeof *term.factors * count,
                        sizeof *term.factors * (count + 1));
  term.size = 1;
  term.has_symbol = term.kind == PROOF_TERM_SYMBOL;
  for (int i = 0; i < term.num_args; i++) {
    term.has_symbol |= t->items[term.args[i]].has_symbol;
    term.size += t->items[term.args[i]].size;
  }
  TILE_ARENA_RESERVE(t->arena, t->items, t->count, t->capacity);
  t->items[t->count] = term;
  return t->count++;
}

static ProofTermId intern(ProofTerms *t, ProofTerm term) {
  TileKeySearch search = tile_key_search(&t->keys, hash_of(&term));
  while (tile_key_next(&search))
    if (is_same(&t->items[search.index], &term))
      return search.index;
  if (t->count == MAX_TERMS)
    return PROOF_NO_TERM;
  tile_key_add(&search);
  return add(t, term);
}

ProofTermId proof_term_leaf(ProofTerms *t, ProofTermKind kind, int64_t number) {
  return intern(t, (ProofTerm){.kind = kind, .constant = number});
}

bool proof_term_is_constant(const ProofTerms *t, ProofTermId id) {
  return id != PROOF_NO_TERM && t->items[id].kind == PROOF_TERM_CONSTANT;
}

static ProofTermId boolean(ProofTerms *t, bool value) {
  return proof_term_constant(t, value ? -1 : 0);
}

static ProofTermId complement(ProofTerms *t, ProofTermId id) {
  if (id == PROOF_NO_TERM)
    return id;
  if (proof_term_is_constant(t, id))
    return proof_term_constant(t, ~t->items[id].constant);
  if (t->items[id].kind == PROOF_TERM_NOT)
    return t->items[id].args[0];
  return intern(
      t, (ProofTerm){.kind = PROOF_TERM_NOT, .num_args = 1, .args = &id});
}

//===-- Sums --------------------------------------------------------------===//

static bool is_small(int64_t value) {
  return value <= max_constant && value >= -max_constant;
}

static void remove_at(ProofSum *s, int at) {
  s->count--;
  for (int i = at; i < s->count; i++) {
    s->args[i] = s->args[i + 1];
    s->factors[i] = s->factors[i + 1];
  }
}

static void add_summand(ProofSum *s, ProofTermId id, int64_t factor) {
  int at = 0;
  while (at < s->count && s->args[at] < id)
    at++;
  if (at < s->count && s->args[at] == id) {
    s->factors[at] += factor;
    s->fits &= is_small(s->factors[at]);
    if (s->factors[at] == 0)
      remove_at(s, at);
    return;
  }
  s->fits &= s->count < PROOF_MAX_SUMMANDS;
  if (!s->fits || factor == 0)
    return;
  for (int i = s->count++; i > at; i--) {
    s->args[i] = s->args[i - 1];
    s->factors[i] = s->factors[i - 1];
  }
  s->args[at] = id;
  s->factors[at] = factor;
}

ProofSum proof_sum_of(const ProofTerms *t, ProofTermId id) {
  ProofSum out = {.fits = id != PROOF_NO_TERM};
  if (!out.fits)
    return out;
  const ProofTerm *term = &t->items[id];
  if (term->kind == PROOF_TERM_CONSTANT) {
    out.fits = is_small(term->constant);
    out.constant = term->constant;
  } else if (term->kind == PROOF_TERM_SUM) {
    out.constant = term->constant;
    out.count = term->num_args;
    memcpy(out.args, term->args, sizeof *term->args * (size_t)out.count);
    memcpy(out.factors, term->factors,
           sizeof *term->factors * (size_t)out.count);
  } else {
    add_summand(&out, id, 1);
  }
  return out;
}

void proof_sum_add(ProofSum *sum, int64_t factor, const ProofSum *other) {
  sum->fits &= other->fits && is_small(factor) && is_small(other->constant);
  if (!sum->fits)
    return;
  sum->constant += factor * other->constant;
  sum->fits = is_small(sum->constant);
  for (int i = 0; i < other->count && sum->fits; i++) {
    int64_t by = factor * other->factors[i];
    sum->fits = is_small(by);
    if (sum->fits)
      add_summand(sum, other->args[i], by);
  }
}

ProofSum proof_sum_difference(const ProofTerms *t, ProofTermId a,
                              ProofTermId b) {
  ProofSum out = proof_sum_of(t, a), minus = proof_sum_of(t, b);
  proof_sum_add(&out, -1, &minus);
  return out;
}

ProofTermId proof_term_of_sum(ProofTerms *t, const ProofSum *s) {
  if (!s->fits)
    return PROOF_NO_TERM;
  if (s->count == 0)
    return proof_term_constant(t, s->constant);
  if (s->count == 1 && s->factors[0] == 1 && s->constant == 0)
    return s->args[0];
  return intern(t, (ProofTerm){.kind = PROOF_TERM_SUM,
                               .constant = s->constant,
                               .num_args = s->count,
                               .args = s->args,
                               .factors = s->factors});
}

static ProofTermId scaled_sum(ProofTerms *t, ProofTermId a, int64_t factor,
                              ProofTermId b) {
  ProofSum out = {.fits = true}, by = proof_sum_of(t, b);
  if (a != PROOF_NO_TERM)
    out = proof_sum_of(t, a);
  proof_sum_add(&out, factor, &by);
  return proof_term_of_sum(t, &out);
}

// The factor that a product or shift has, or 0.
static int64_t factor_of(const ProofTerms *t, int function,
                         const ProofTermId *args) {
  enum { MAX_SHIFT = 30 };
  if (!proof_term_is_constant(t, args[1]))
    return 0;
  int64_t by = t->items[args[1]].constant;
  if (function == PROOF_MUL)
    return by;
  return function == PROOF_SHL && by >= 0 && by <= MAX_SHIFT ? INT64_C(1) << by
                                                             : 0;
}

static ProofTermId linear(ProofTerms *t, int function,
                          const ProofTermId *args) {
  if (function == PROOF_ADD)
    return scaled_sum(t, args[0], 1, args[1]);
  if (function == PROOF_SUB)
    return scaled_sum(t, args[0], -1, args[1]);
  const ProofTermId swapped[2] = {args[1], args[0]};
  int64_t factor = factor_of(t, function, args);
  if (factor)
    return scaled_sum(t, PROOF_NO_TERM, factor, args[0]);
  factor = function == PROOF_MUL ? factor_of(t, function, swapped) : 0;
  return factor ? scaled_sum(t, PROOF_NO_TERM, factor, args[1]) : PROOF_NO_TERM;
}

// The quotient of a sum whose parts are all multiples of a constant.
static ProofTermId exact_quotient(ProofTerms *t, const ProofTermId *args) {
  ProofSum sum = proof_sum_of(t, args[0]);
  int64_t by = t->items[args[1]].constant;
  if (!proof_term_is_constant(t, args[1]) || by <= 0 || sum.constant % by)
    return PROOF_NO_TERM;
  sum.constant /= by;
  for (int i = 0; i < sum.count; i++) {
    if (sum.factors[i] % by)
      return PROOF_NO_TERM;
    sum.factors[i] /= by;
  }
  return proof_term_of_sum(t, &sum);
}

//===-- Functions ---------------------------------------------------------===//

static ProofTermId plain_call(ProofTerms *t, int function, int64_t constant,
                              int num_args, const ProofTermId *args) {
  return intern(t, (ProofTerm){.kind = PROOF_TERM_CALL,
                               .constant = constant,
                               .function = function,
                               .num_args = num_args,
                               .args = args});
}

static ProofTermId ordered_call(ProofTerms *t, int function, ProofTermId a,
                                ProofTermId b) {
  const ProofTermId args[2] = {a < b ? a : b, a < b ? b : a};
  return plain_call(t, function, 0, 2, args);
}

static ProofTermId comparison(ProofTerms *t, int function,
                              const ProofTermId *args) {
  if (args[0] == args[1])
    return boolean(t, function == PROOF_EQ);
  return function == PROOF_EQ ? ordered_call(t, function, args[0], args[1])
                              : plain_call(t, function, 0, 2, args);
}

// AND, OR and XOR.
static ProofTermId logic(ProofTerms *t, int function, const ProofTermId *args) {
  for (int i = 0; i < 2; i++) {
    const ProofTerm *term = &t->items[args[i]];
    bool is_ones = term->kind == PROOF_TERM_CONSTANT && term->constant == -1;
    bool is_zero = term->kind == PROOF_TERM_CONSTANT && term->constant == 0;
    if (function == PROOF_XOR && is_ones)
      return complement(t, args[1 - i]);
    if (function == PROOF_AND ? is_ones : is_zero)
      return args[1 - i];
    if (function != PROOF_XOR && (is_ones || is_zero))
      return args[i];
  }
  if (args[0] == args[1] && function != PROOF_XOR)
    return args[0];
  return ordered_call(t, function, args[0], args[1]);
}

static ProofTermId choice(ProofTerms *t, const ProofTermId *args) {
  if (args[1] == args[2])
    return args[1];
  if (proof_term_is_constant(t, args[0]))
    return args[t->items[args[0]].constant & 1 ? 1 : 2];
  return plain_call(t, PROOF_SELECT, 0, 3, args);
}

// Of constants, or PROOF_NO_TERM.
static ProofTermId folded(ProofTerms *t, int function, int64_t constant,
                          int num_args, const ProofTermId *args) {
  ProofNumber numbers[PROOF_MAX_ARGS], out;
  if (num_args > PROOF_MAX_ARGS || function >= PROOF_OTHER)
    return PROOF_NO_TERM;
  for (int i = 0; i < num_args; i++) {
    if (!proof_term_is_constant(t, args[i]))
      return PROOF_NO_TERM;
    numbers[i] = proof_number(t->items[args[i]].constant, 0);
    if (!is_small(numbers[i].value))
      return PROOF_NO_TERM;
  }
  out = proof_apply(function, constant, num_args, numbers);
  if (!proof_number_is_exact(out) || !is_small(out.value))
    return PROOF_NO_TERM;
  return proof_term_constant(t, out.value);
}

// Of a sum, the sum of its parts as numbers without a sign: none overflows.
static ProofTermId cast(ProofTerms *t, ProofTermId id) {
  ProofSum sum = proof_sum_of(t, id), out = {.constant = sum.constant};
  out.fits = sum.fits;
  if (t->items[id].kind != PROOF_TERM_SUM)
    return plain_call(t, PROOF_CAST, -1, 1, &id);
  for (int i = 0; i < sum.count; i++) {
    ProofSum part = proof_sum_of(t, cast(t, sum.args[i]));
    proof_sum_add(&out, sum.factors[i], &part);
  }
  return proof_term_of_sum(t, &out);
}

ProofTermId proof_term_call(ProofTerms *t, int function, int64_t constant,
                            int num_args, const ProofTermId *args) {
  for (int i = 0; i < num_args; i++)
    if (args[i] == PROOF_NO_TERM)
      return PROOF_NO_TERM;
  ProofTermId known = folded(t, function, constant, num_args, args);
  if (known != PROOF_NO_TERM)
    return known;
  if (function == PROOF_CAST)
    return t->items[args[0]].kind == PROOF_TERM_CALL &&
                   t->items[args[0]].function == PROOF_CAST
               ? args[0]
               : cast(t, args[0]);
  if (proof_is_comparison(function))
    return comparison(t, function, args);
  if (function == PROOF_AND || function == PROOF_OR || function == PROOF_XOR)
    return logic(t, function, args);
  if (function == PROOF_SELECT)
    return choice(t, args);
  if (function == PROOF_ADD || function == PROOF_SUB || function == PROOF_MUL ||
      function == PROOF_SHL)
    known = linear(t, function, args);
  else if (function == PROOF_DIV)
    known = exact_quotient(t, args);
  return known != PROOF_NO_TERM
             ? known
             : plain_call(t, function, constant, num_args, args);
}

//===-- Replacements ------------------------------------------------------===//

static void reserve(ProofTerms *t, ProofTermId id) {
  if (id < t->replaced_capacity)
    return;
  int capacity = 2 * id + 64;
  t->replaced = tile_arena_copy(
      t->arena, t->replaced, sizeof *t->replaced * (size_t)t->replaced_capacity,
      sizeof *t->replaced * (size_t)capacity);
  t->replaced_capacity = capacity;
}

void proof_replace_begin(ProofTerms *t) { t->stamp++; }

void proof_replace_set(ProofTerms *t, ProofTermId from, ProofTermId to) {
  reserve(t, from);
  t->replaced[from].stamp = t->stamp;
  t->replaced[from].term = to;
}

static ProofTermId replace_sum(ProofTerms *t, ProofTermId id) {
  ProofSum out = {.constant = t->items[id].constant, .fits = true};
  for (int i = 0; i < t->items[id].num_args; i++) {
    ProofSum part = proof_sum_of(t, proof_replace(t, t->items[id].args[i]));
    proof_sum_add(&out, t->items[id].factors[i], &part);
  }
  return proof_term_of_sum(t, &out);
}

static ProofTermId replace_call(ProofTerms *t, ProofTermId id) {
  enum { MAX_ARGS = 16 };
  ProofTermId args[MAX_ARGS];
  ProofTerm term = t->items[id];
  if (term.num_args > MAX_ARGS)
    return PROOF_NO_TERM;
  for (int i = 0; i < term.num_args; i++)
    args[i] = proof_replace(t, term.args[i]);
  if (term.kind == PROOF_TERM_NOT)
    return complement(t, args[0]);
  return proof_term_call(t, term.function, term.constant, term.num_args, args);
}

ProofTermId proof_replace(ProofTerms *t, ProofTermId id) {
  if (id == PROOF_NO_TERM)
    return id;
  if (id < t->replaced_capacity && t->replaced[id].stamp == t->stamp)
    return t->replaced[id].term;
  if (t->items[id].num_args == 0)
    return id;
  ProofTermId result = t->items[id].kind == PROOF_TERM_SUM
                           ? replace_sum(t, id)
                           : replace_call(t, id);
  proof_replace_set(t, id, result);
  return result;
}
