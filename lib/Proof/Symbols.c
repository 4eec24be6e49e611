//===- Symbols.c - Names of values ----------------------------------------===//
//
// A loop makes the same state again and again, but for the numbers of its
// counters. So a state gives names to values: the first variable that a value
// has says its name, others are what they are beside it. What nobody can ask
// for any more is forgotten; that leaves out no run, it only tells less.
//
//===----------------------------------------------------------------------===//

#include "Words.h"

#include <string.h>

enum { MAX_SIZE = 48, MAX_EXACT = 4096, NEW_NAMES = 1 << 20 };

//===-- Values ------------------------------------------------------------===//

int proof_cell_of(ProofContext *c, const ProofState *s, int agent, int window,
                  ProofScalarId slot) {
  int buffer = c->program->windows[window].buffer;
  int num_slots = c->program->buffers[buffer].num_slots;
  int first = c->needs.first_cell[buffer];
  if (first < 0 || (slot < 0 && num_slots > 1))
    return PROOF_NONE;
  if (slot < 0)
    return first;
  ProofNumber number = proof_number_of(c, s, proof_value_of(c, s, agent, slot));
  bool is_known = proof_number_is_exact(number) && number.value >= 0 &&
                  number.value < num_slots;
  return is_known ? first + (int)number.value : PROOF_NONE;
}

static ProofTermId held_of(ProofContext *c, const ProofState *s, int agent,
                           const ProofScalar *held) {
  int cell = proof_cell_of(c, s, agent, (int)held->constant,
                           held->num_args ? held->args[0] : PROOF_NONE);
  return cell < 0 ? PROOF_NO_TERM : s->cells[cell];
}

ProofTermId proof_value_of(ProofContext *c, const ProofState *s, int agent,
                           ProofScalarId id) {
  enum { MAX_ARGS = 16 };
  const ProofScalar *scalar = &c->program->scalars[id];
  ProofTermId args[MAX_ARGS];
  if (c->word)
    return proof_term_constant(&c->terms, proof_word_value(c, s, agent, id));
  switch (scalar->kind) {
  case PROOF_INPUT:
    return proof_term_input(&c->terms, id);
  case PROOF_CONSTANT:
    return proof_term_constant(&c->terms, scalar->constant);
  case PROOF_VARIABLE:
    return c->needs.index[id] < 0 ? PROOF_NO_TERM
                                  : s->values[agent][c->needs.index[id]];
  case PROOF_HELD:
    return held_of(c, s, agent, scalar);
  case PROOF_NEW: // a fill makes it (Run.c)
    return PROOF_NO_TERM;
  case PROOF_FUNCTION:
    break;
  }
  if (scalar->num_args > MAX_ARGS)
    return PROOF_NO_TERM;
  for (int i = 0; i < scalar->num_args; i++)
    args[i] = proof_value_of(c, s, agent, scalar->args[i]);
  if (scalar->function == PROOF_CAST)
    return args[0];
  return proof_term_call(&c->terms, scalar->function, scalar->constant,
                         scalar->num_args, args);
}

static ProofNumber kept_number(ProofNumber number, int64_t modulus) {
  ProofNumber none = {0};
  bool is_least = !number.modulus || number.is_least;
  if (!number.is_known)
    return none;
  if (modulus > 1 && number.modulus % modulus == 0) {
    ProofNumber out = proof_number(number.value, modulus);
    out.is_least = is_least && number.value >= 0;
    return out;
  }
  if (!is_least || number.value < 0)
    return none;
  return (ProofNumber){.is_known = true, .modulus = 1, .is_least = true};
}

// What a name keeps of the number of a value.
static ProofNumber number_kept_of(ProofContext *c, const ProofState *s,
                                  ProofTermId value, int64_t modulus) {
  ProofNumber number = kept_number(proof_number_of(c, s, value), modulus);
  ProofSum sum = proof_sum_of(&c->terms, value);
  if (!number.is_known && proof_low(c, s, &sum) >= 0)
    number = (ProofNumber){.is_known = true, .modulus = 1, .is_least = true};
  return number;
}

ProofTermId proof_new_symbol(ProofContext *c, ProofState *s, ProofTermId value,
                             int64_t step, int64_t modulus) {
  if (s->num_symbols == PROOF_MAX_SYMBOLS)
    return PROOF_NO_TERM;
  s->symbols[s->num_symbols] =
      (ProofSymbol){number_kept_of(c, s, value, modulus), step, modulus};
  return proof_term_symbol(&c->terms, s->num_symbols++);
}

//===-- New names ---------------------------------------------------------===//

typedef struct {
  ProofContext *context;
  ProofState *state;
  ProofTermId from[PROOF_MAX_SYMBOLS], to[PROOF_MAX_SYMBOLS];
  int count;
  bool is_named[PROOF_MAX_SYMBOLS]; // old ones
  ProofSymbol symbols[PROOF_MAX_SYMBOLS];
  int num_symbols;
  bool fits;
} Names;

// From the oldest value beside a symbol to the newest that is asked for.
typedef struct {
  int64_t oldest, newest;
  bool asks_marks; // decisions compare it with numbers
} Span;

typedef struct {
  ProofTermId *value;
  const ProofVariable *variable;
} Place;

static const ProofTerm *term_at(const Names *n, ProofTermId id) {
  return &n->context->terms.items[id];
}

static ProofTermId renamed(const Names *n, ProofTermId id) {
  ProofTerms *terms = &n->context->terms;
  proof_replace_begin(terms);
  for (int i = 0; i < n->count; i++)
    proof_replace_set(terms, n->from[i], n->to[i]);
  return proof_replace(terms, id);
}

// Whether the term has an old symbol that has no new name.
static bool has_unnamed(const Names *n, ProofTermId id) {
  const ProofTerm *term = term_at(n, id);
  if (!term->has_symbol)
    return false;
  if (term->kind == PROOF_TERM_SYMBOL)
    return term->constant < NEW_NAMES && !n->is_named[term->constant];
  for (int i = 0; i < term->num_args; i++)
    if (has_unnamed(n, term_at(n, id)->args[i]))
      return true;
  return false;
}

static ProofTermId next_name(Names *n, ProofTermId value, int64_t step,
                             int64_t modulus) {
  if (n->num_symbols == PROOF_MAX_SYMBOLS || n->count == PROOF_MAX_SYMBOLS) {
    n->fits = false;
    return PROOF_NO_TERM;
  }
  n->symbols[n->num_symbols] = (ProofSymbol){
      number_kept_of(n->context, n->state, value, modulus), step, modulus};
  return proof_term_symbol(&n->context->terms, NEW_NAMES + n->num_symbols++);
}

static void name(Names *n, ProofTermId from, ProofTermId to) {
  n->from[n->count] = from;
  n->to[n->count++] = to;
  if (term_at(n, from)->kind == PROOF_TERM_SYMBOL)
    n->is_named[term_at(n, from)->constant] = true;
}

// A value that is a symbol gives it its name.
static void name_symbol(Names *n, const Place *place) {
  const ProofTerm *term = term_at(n, *place->value);
  if (term->kind != PROOF_TERM_SYMBOL || n->is_named[term->constant])
    return;
  ProofSymbol old = n->state->symbols[term->constant];
  ProofTermId to = next_name(n, *place->value, old.step, old.modulus);
  if (n->fits)
    name(n, *place->value, to);
}

// So does one that is a symbol and a sum of others: s + rest = new.
static void name_sum(Names *n, const Place *place) {
  ProofTerm term = *term_at(n, *place->value);
  if (term.kind != PROOF_TERM_SUM)
    return;
  for (int i = 0; i < term.num_args; i++) {
    ProofTerm part = *term_at(n, term.args[i]);
    if (part.kind != PROOF_TERM_SYMBOL || n->is_named[part.constant] ||
        term.factors[i] != 1)
      continue;
    ProofSum value = proof_sum_of(&n->context->terms, *place->value), rest;
    ProofSum symbol = proof_sum_of(&n->context->terms, term.args[i]);
    proof_sum_add(&value, -1, &symbol);
    ProofTermId others =
        renamed(n, proof_term_of_sum(&n->context->terms, &value));
    if (others == PROOF_NO_TERM || has_unnamed(n, others))
      continue;
    ProofSymbol old = n->state->symbols[part.constant];
    ProofTermId to = next_name(n, *place->value, old.step, old.modulus);
    if (!n->fits)
      return;
    rest = proof_sum_difference(&n->context->terms, to, others);
    name(n, term.args[i], proof_term_of_sum(&n->context->terms, &rest));
    return;
  }
}

// A multiple of one symbol and a constant, and steps or other values.
typedef struct {
  int symbol;
  int64_t factor, constant;
  bool has_others;
} Beside;

static bool is_beside(const Names *n, ProofTermId id, Beside *out) {
  const ProofTerms *terms = &n->context->terms;
  ProofSum sum = proof_sum_of(terms, id);
  *out = (Beside){.symbol = PROOF_NONE, .constant = sum.constant};
  for (int i = 0; i < sum.count; i++) {
    const ProofTerm *part = &terms->items[sum.args[i]];
    if (part->kind != PROOF_TERM_SYMBOL) {
      if (part->has_symbol)
        return false;
      out->has_others = true;
      continue;
    }
    if (out->symbol >= 0 || sum.factors[i] < 1)
      return false;
    out->symbol = (int)part->constant;
    out->factor = sum.factors[i];
  }
  return sum.fits && out->symbol >= 0;
}

// Whether a value is too far from its symbol: it would go on away from it for
// ever.
static bool is_far(const Names *n, ProofTermId id) {
  const ProofNeeds *needs = &n->context->needs;
  const ProofTerm *term = term_at(n, id);
  if (!term->has_symbol)
    return false;
  for (int i = 0; i < term->num_args; i++)
    if (is_far(n, term_at(n, id)->args[i]))
      return true;
  ProofSum sum = proof_sum_of(&n->context->terms, id);
  bool result = sum.constant > needs->reach || sum.constant < -needs->reach;
  for (int i = 0; i < sum.count; i++)
    result |= sum.factors[i] > needs->max_factor ||
              sum.factors[i] < -needs->max_factor;
  return result;
}

// How many functions that are not computed are in each other.
static int depth_of(const Names *n, ProofTermId id) {
  int depth = 0;
  for (int i = 0; i < term_at(n, id)->num_args; i++) {
    int inner = depth_of(n, term_at(n, id)->args[i]);
    depth = inner > depth ? inner : depth;
  }
  const ProofTerm *term = term_at(n, id);
  return depth +
         (term->kind == PROOF_TERM_CALL && term->function >= PROOF_OTHER);
}

static bool is_large_number(const Names *n, ProofTermId id) {
  enum { MAX_DEPTH = 3 };
  const ProofTerm *term = term_at(n, id);
  if (!term->has_symbol && term->size > MAX_DEPTH &&
      depth_of(n, id) > MAX_DEPTH)
    return true;
  return term->kind == PROOF_TERM_CONSTANT &&
         (term->constant > MAX_EXACT || term->constant < -MAX_EXACT);
}

// A function of what has no name gets one as a whole.
static void name_whole(Names *n, const Place *place) {
  ProofTermId now = renamed(n, *place->value);
  bool is_large =
      now != PROOF_NO_TERM && (term_at(n, now)->size > MAX_SIZE ||
                               is_large_number(n, now) || is_far(n, now));
  if (now != PROOF_NO_TERM && !has_unnamed(n, now) && !is_large)
    return;
  ProofNumber number = proof_number_of(n->context, n->state, *place->value);
  if (proof_number_is_exact(number) && n->count < PROOF_MAX_SYMBOLS) {
    name(n, *place->value,
         proof_term_constant(&n->context->terms, number.value));
    return;
  }
  ProofTermId to = next_name(n, *place->value, 0, place->variable->modulus);
  if (n->fits)
    name(n, *place->value, to);
}

static int list_places(Names *n, Place *out) {
  static const ProofVariable number = {.modulus = 1};
  ProofState *s = n->state;
  int count = 0;
  for (int i = 0; i < n->context->needs.num_cells; i++)
    if (s->cells[i] != PROOF_NO_TERM)
      out[count++] = (Place){&s->cells[i], &number};
  for (int a = 0; a < n->context->machine.num_agents; a++) {
    const ProofVariables *v = &n->context->needs.roles[proof_role_of(a)];
    for (int i = 0; i < v->count; i++) {
      if (!proof_is_live(v, s->pc[a], i))
        s->values[a][i] = PROOF_NO_TERM;
      int outcome = -1;
      if (s->values[a][i] != PROOF_NO_TERM)
        outcome = proof_is_condition(n->context, s->values[a][i])
                      ? proof_outcome(n->context, s, s->values[a][i])
                      : proof_truth(s, s->values[a][i]);
      if (outcome >= 0)
        s->values[a][i] =
            proof_term_constant(&n->context->terms, outcome ? -1 : 0);
      if (s->values[a][i] != PROOF_NO_TERM)
        out[count++] = (Place){&s->values[a][i], &v->items[i]};
    }
  }
  return count;
}

static void name_all(Names *n, const Place *places, int count) {
  for (int i = 0; i < count && n->fits; i++)
    name_symbol(n, &places[i]);
  for (int i = 0; i < count && n->fits; i++)
    name_sum(n, &places[i]);
  for (int limit = 4; n->fits && limit <= 4096; limit *= 4) // small ones first
    for (int i = 0; i < count && n->fits; i++)
      if (term_at(n, *places[i].value)->size <= limit || limit == 4096)
        name_whole(n, &places[i]);
}

// A symbol that no value has any more is its number, where that is known.
static void name_numbers(Names *n) {
  const ProofState *s = n->state;
  ProofTerms *terms = &n->context->terms;
  for (int i = 0; i < s->num_bounds; i++) {
    ProofTermId symbol = proof_known_symbol(n->context, &s->bounds[i]);
    if (symbol != PROOF_NO_TERM && !n->is_named[term_at(n, symbol)->constant] &&
        n->count < PROOF_MAX_SYMBOLS)
      name(n, symbol, proof_term_constant(terms, -s->bounds[i].low));
  }
}

//===-- What is forgotten -------------------------------------------------===//

static bool is_mark_within(const ProofNeeds *needs, int64_t from, int64_t to) {
  for (int i = 0; i < needs->num_marks; i++)
    if (needs->marks[i] >= from && needs->marks[i] <= to)
      return true;
  return false;
}

// What is known of the number of one symbol: the form is the symbol turned.
static void weaken_number(const ProofNeeds *needs, ProofBound *bound) {
  if (bound->low != INT64_MIN) { // it is `high` or less
    int64_t high = -bound->low, above = INT64_MIN;
    for (int i = needs->num_marks; i-- > 0 && needs->marks[i] > high;)
      above = needs->marks[i];
    if (!is_mark_within(needs, high, high + needs->reach))
      bound->low = above == INT64_MIN ? INT64_MIN : -(above - 1);
  }
  if (bound->high == INT64_MAX)
    return;
  int64_t low = -bound->high, below = INT64_MIN;
  if (is_mark_within(needs, low + 1, low + needs->reach))
    return;
  for (int i = 0; i < needs->num_marks && needs->marks[i] <= low; i++)
    below = needs->marks[i];
  if (below == INT64_MIN)
    bound->high = INT64_MAX;
  else if (low > below + 1)
    bound->high = -(below + 1);
}

// The symbol that a summand is, as a number with a sign or without, or -1.
static int symbol_of(const Names *n, ProofTermId id) {
  const ProofTerm *term = term_at(n, id);
  if (term->kind == PROOF_TERM_CALL && term->function == PROOF_CAST)
    term = term_at(n, term->args[0]);
  return term->kind == PROOF_TERM_SYMBOL ? (int)term->constant : PROOF_NONE;
}

// How far behind its counters a distance is asked for, as a number below 0.
static int64_t base_of(const Names *n, const Span *spans,
                       const ProofSum *form) {
  int64_t base = 0;
  for (int i = 0; i < form->count; i++) {
    int symbol = symbol_of(n, form->args[i]);
    if (symbol >= 0 && form->factors[i] < 0 && spans[symbol].oldest < base)
      base = spans[symbol].oldest;
  }
  return base;
}

// How far from its counters, at most, a distance from them is asked for.
static int64_t reach_of(const Names *n, const Span *spans,
                        const ProofSum *form) {
  int64_t reach = 0;
  for (int i = 0; i < form->count; i++) {
    int symbol = symbol_of(n, form->args[i]);
    if (symbol >= 0 && spans[symbol].newest > reach)
      reach = spans[symbol].newest;
  }
  int64_t most = n->context->needs.reach;
  return reach < most ? reach : most;
}

// Whether the number of a symbol is asked for. Of several roles one may have
// peeled off what another one counts.
static bool is_number_asked(const Names *n, const Span *span) {
  return span->asks_marks || !n->context->program->is_of_block;
}

static void weaken_bound(const Names *n, const Span *spans, ProofBound *bound) {
  const ProofContext *c = n->context;
  ProofSum form = proof_sum_of(&c->terms, bound->form);
  int64_t reach = c->needs.reach;
  bool has_steps = false;
  int num_symbols = 0;
  if (!term_at(n, bound->form)->has_symbol)
    return;
  for (int i = 0; i < form.count; i++)
    num_symbols += symbol_of(n, form.args[i]) >= 0;
  if (form.count == 1 && form.factors[0] == -1 &&
      term_at(n, form.args[0])->kind == PROOF_TERM_SYMBOL) {
    if (is_number_asked(n, &spans[term_at(n, form.args[0])->constant]))
      weaken_number(&c->needs, bound);
    else
      *bound = (ProofBound){INT64_MIN, INT64_MAX, bound->form, false};
    return;
  }
  for (int i = 0; i < form.count; i++)
    has_steps |= form.factors[i] > 0 && proof_is_positive(c, form.args[i]);
  int64_t base = base_of(n, spans, &form);
  if (has_steps && form.count > 1) { // of an earlier round
    *bound = (ProofBound){INT64_MIN, INT64_MAX, bound->form, false};
    return;
  }
  if (num_symbols == 0) // but in functions: their time comes
    return;
  if (num_symbols > 1) // either may be ahead
    base -= reach;
  else
    reach = reach_of(n, spans, &form);
  if (bound->low < base)
    bound->low = INT64_MIN;
  else if (bound->low > reach)
    bound->low = reach;
  if (bound->high > reach)
    bound->high = INT64_MAX;
  else if (bound->high < base - 1)
    bound->high = base - 1;
}

// Whether the term asks for a value that is older than all that agents have.
static bool is_old(const Names *n, const Span *spans, ProofTermId id) {
  Beside beside;
  const ProofTerm *term = term_at(n, id);
  if (!term->has_symbol)
    return false;
  if (is_beside(n, id, &beside)) {
    ProofSum sum = proof_sum_of(&n->context->terms, id);
    for (int i = 0; i < sum.count; i++)
      if (sum.factors[i] < 0 && proof_is_positive(n->context, sum.args[i]))
        return true;
    return beside.constant < beside.factor * spans[beside.symbol].oldest;
  }
  if (term->kind == PROOF_TERM_SUM) // of several counters
    for (int i = 0; i < term->num_args; i++)
      if (term->factors[i] < -1 && term_at(n, term->args[i])->has_symbol)
        return true;
  for (int i = 0; i < term->num_args; i++)
    if (is_old(n, spans, term_at(n, id)->args[i]))
      return true;
  return false;
}

static int64_t ahead_of(const Names *n, const Place *place) {
  const ProofVariable *variable = place->variable;
  return variable->step ? variable->ahead + variable->step
                        : n->context->needs.reach;
}

// The least and the most that a term asks of each symbol.
static void note_span(const Names *n, ProofTermId id, const Place *place,
                      Span *spans) {
  Beside beside;
  if (!term_at(n, id)->has_symbol)
    return;
  if (is_beside(n, id, &beside)) {
    int64_t asked = beside.constant / beside.factor, ahead = ahead_of(n, place);
    const ProofVariable *variable = place->variable;
    Span *span = &spans[beside.symbol];
    span->oldest = asked < span->oldest ? asked : span->oldest;
    span->newest = asked + ahead > span->newest ? asked + ahead : span->newest;
    span->asks_marks |= !variable->step || variable->asks_marks;
    return;
  }
  for (int i = 0; i < term_at(n, id)->num_args; i++)
    note_span(n, term_at(n, id)->args[i], place, spans);
}

static void find_spans(const Names *n, const Place *places, int count,
                       Span *spans) {
  for (int i = 0; i < PROOF_MAX_SYMBOLS; i++)
    spans[i] = (Span){0};
  for (int i = 0; i < count; i++)
    note_span(n, *places[i].value, &places[i], spans);
}

static bool contains(const ProofTerms *t, ProofTermId id, ProofTermId part) {
  if (id == part)
    return true;
  for (int i = 0; i < t->items[id].num_args; i++)
    if (contains(t, t->items[id].args[i], part))
      return true;
  return false;
}

// Whether all summands of `sum` stand somewhere in the term.
static bool term_mentions(const ProofTerms *t, ProofTermId id,
                          ProofTermId sum) {
  ProofSum parts = proof_sum_of(t, sum);
  bool result = id != PROOF_NO_TERM;
  for (int i = 0; i < parts.count && result; i++)
    result = contains(t, id, parts.args[i]);
  return result;
}

// Whether a function is what memory and the like are at a value that an agent
// has, and may hand on.
static bool is_read(const Names *n, int agent, ProofTermId id) {
  ProofContext *c = n->context;
  int role = proof_role_of(agent);
  bool result = false;
  for (int i = 0; i < c->needs.num_reads && !result; i++) {
    ProofScalarId read = c->needs.reads[i].scalar;
    ProofScalarId variable = c->needs.reads[i].variable;
    if (c->program->scalars[variable].role != role ||
        c->program->scalars[read].function != term_at(n, id)->function)
      continue;
    ProofTermId *place = &n->state->values[agent][c->needs.index[variable]];
    ProofTermId before = *place;
    for (int k = 0; k < c->needs.roles[role].count && !result; k++) {
      ProofTermId *other = &n->state->values[agent][k];
      if (k >= 64 || !(c->needs.reads[i].sources >> k & 1))
        continue;
      *place = other == place ? before : *other;
      result = proof_value_of(c, n->state, agent, read) == id;
    }
    *place = before;
  }
  return result;
}

// Whether a value that somebody has is a function of all of a sum, or what they
// may read is the sum.
static bool is_in_values(const Names *n, ProofTermId id) {
  const ProofContext *c = n->context;
  for (int i = 0; i < c->needs.num_cells; i++)
    if (term_mentions(&c->terms, n->state->cells[i], id))
      return true;
  for (int a = 0; a < c->machine.num_agents; a++) {
    for (int i = 0; i < c->needs.roles[proof_role_of(a)].count; i++)
      if (term_mentions(&c->terms, n->state->values[a][i], id))
        return true;
    if (is_read(n, a, id))
      return true;
  }
  return false;
}

// Whether a term without symbols is asked for by anybody from here on: as it
// stands, in a value, or of the first rounds of a counter.
static bool is_asked(const Names *n, ProofTermId id) {
  const ProofContext *c = n->context;
  if (is_in_values(n, id))
    return true;
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    if (proof_may_enter(v, n->state->pc[a]))
      return true;
    for (int i = 0; i < c->needs.num_fixed; i++)
      if (proof_asks_fixed(v, n->state->pc[a], i) &&
          (c->fixed[i] == id ||
           (term_at(n, c->fixed[i])->kind == PROOF_TERM_NOT &&
            term_at(n, c->fixed[i])->args[0] == id)))
        return true;
  }
  return false;
}

// Whether somebody asks for a value that is the same in the whole run.
static bool is_fixed_asked(const Names *n, ProofTermId id) {
  const ProofContext *c = n->context;
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    for (int i = 0; i < c->needs.num_fixed; i++)
      if (proof_asks_fixed(v, n->state->pc[a], i) &&
          term_mentions(&c->terms, c->fixed[i], id))
        return true;
  }
  return false;
}

// Whether somebody may ask for a sum without symbols: in a comparison, or
// beside a counter.
static bool is_sum_asked(const Names *n, ProofTermId id) {
  const ProofContext *c = n->context;
  ProofSum form = proof_sum_of(&c->terms, id);
  if (is_in_values(n, id))
    return true;
  for (int a = 0; a < c->machine.num_agents; a++)
    if (proof_may_enter(&c->needs.roles[proof_role_of(a)], n->state->pc[a]))
      return true;
  for (int i = 0; i < form.count; i++)
    if (term_at(n, form.args[i])->kind == PROOF_TERM_CALL &&
        !is_in_values(n, form.args[i]) && !is_fixed_asked(n, form.args[i]))
      return false;
  return true;
}

//===-- The rest of a state -----------------------------------------------===//

// Names of a state, as its own numbers of symbols.
static ProofTermId settled(const Names *n, ProofTermId id) {
  ProofTermId out = renamed(n, id);
  if (out == PROOF_NO_TERM || has_unnamed(n, out))
    return PROOF_NO_TERM;
  ProofTerms *terms = &n->context->terms;
  proof_replace_begin(terms);
  for (int i = 0; i < n->num_symbols; i++)
    proof_replace_set(terms, proof_term_symbol(terms, NEW_NAMES + i),
                      proof_term_symbol(terms, i));
  return proof_replace(terms, out);
}

// Whether somebody may ask for what is known of a form.
static bool is_kept(const Names *n, const Span *spans, const ProofBound *old,
                    ProofTermId form) {
  ProofSum sum = proof_sum_of(&n->context->terms, form);
  if (form == PROOF_NO_TERM || (old->is_truth && is_old(n, spans, form)))
    return false;
  for (int i = 0; i < sum.count; i++)
    if (term_at(n, sum.args[i])->kind == PROOF_TERM_CALL &&
        is_old(n, spans, sum.args[i]))
      return false;
  return term_at(n, form)->has_symbol ||
         (old->is_truth ? is_asked(n, form) : is_sum_asked(n, form));
}

static void settle_bounds(Names *n, const Span *spans) {
  ProofState *s = n->state;
  ProofBound old[PROOF_MAX_BOUNDS];
  int count = s->num_bounds;
  memcpy(old, s->bounds, sizeof *old * (size_t)count);
  s->num_bounds = 0;
  for (int i = 0; i < count; i++) {
    ProofTermId form = settled(n, old[i].form);
    if (!is_kept(n, spans, &old[i], form))
      continue;
    ProofSum sum = proof_sum_of(&n->context->terms, form);
    const ProofTerm *term = term_at(n, form);
    if (!old[i].is_truth)
      proof_learn_bounds(n->context, s, &sum, old[i].low, old[i].high);
    else if (term->kind == PROOF_TERM_NOT)
      proof_learn_truth(s, term->args[0], !old[i].low);
    else if (term->kind != PROOF_TERM_CONSTANT)
      proof_learn_truth(s, form, old[i].low);
  }
  count = s->num_bounds;
  s->num_bounds = 0;
  for (int i = 0; i < count; i++) {
    ProofBound bound = s->bounds[i];
    if (!bound.is_truth)
      weaken_bound(n, spans, &bound);
    if (bound.low != INT64_MIN || bound.high != INT64_MAX)
      s->bounds[s->num_bounds++] = bound;
  }
}

static void settle_entries(Names *n) {
  ProofState *s = n->state;
  int count = 0;
  int64_t reach = n->context->needs.reach;
  Beside beside;
  for (int i = 0; i < s->num_entries; i++) {
    ProofEntry entry = s->entries[i];
    entry.start = settled(n, entry.start);
    entry.value = settled(n, entry.value);
    if (entry.start != PROOF_NO_TERM && entry.value != PROOF_NO_TERM &&
        entry.agents != n->context->needs.class_agents[entry.class_number] &&
        is_beside(n, entry.value, &beside) && beside.factor == 1 &&
        beside.constant >= -reach)
      s->entries[count++] = entry;
  }
  s->num_entries = count;
}

bool proof_rename(ProofContext *c, ProofState *s) {
  Span spans[PROOF_MAX_SYMBOLS];
  int num_places = c->needs.num_cells;
  for (int a = 0; a < c->machine.num_agents; a++)
    num_places += c->needs.roles[proof_role_of(a)].count;
  TileArena scratch;
  tile_arena_init(&scratch);
  Names *n = TILE_ARENA_NEW(&scratch, Names, 1);
  *n = (Names){.context = c, .state = s, .fits = true};
  Place *places = TILE_ARENA_NEW(&scratch, Place, num_places + 1);
  int count = list_places(n, places);
  name_all(n, places, count);
  name_numbers(n);
  for (int i = 0; i < count; i++)
    *places[i].value = settled(n, *places[i].value);
  memcpy(s->symbols, n->symbols, sizeof *s->symbols * PROOF_MAX_SYMBOLS);
  s->num_symbols = n->num_symbols;
  find_spans(n, places, count, spans);
  settle_bounds(n, spans);
  settle_entries(n);
  bool fits = n->fits;
  tile_arena_deinit(&scratch);
  return fits;
}
