//===- Beliefs.c - What is known of terms ---------------------------------===//
//
// Comparisons are about sums: a < b says 1 <= b - a. What is known of a sum
// follows from what is known of another one and of their difference. Two
// assumptions are made of the program: sums of a counter with constants and
// steps do not overflow, and steps are positive.
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "Support/Arithmetic.h"

#include <string.h>

enum { UNSIGNED = -1 }; // of a PROOF_CAST: the number without a sign

//===-- Numbers -----------------------------------------------------------===//

static ProofNumber number_of_sum(const ProofContext *c, const ProofState *s,
                                 int64_t constant, int count,
                                 const ProofTermId *args,
                                 const int64_t *factors) {
  ProofNumber out = proof_number(constant, 0);
  for (int i = 0; i < count && out.is_known; i++)
    out = proof_number_add(out, factors[i], proof_number_of(c, s, args[i]));
  return out;
}

// The number that a value from outside was found to be.
static ProofNumber number_found(const ProofState *s, ProofTermId id) {
  ProofNumber none = {0};
  for (int i = 0; i < s->num_bounds && s->bounds[i].form <= id; i++)
    if (s->bounds[i].form == id && s->bounds[i].low == s->bounds[i].high)
      return proof_number(s->bounds[i].low, 0);
  return none;
}

int proof_truth(const ProofState *s, ProofTermId id) {
  for (int i = 0; i < s->num_bounds && s->bounds[i].form <= id; i++)
    if (s->bounds[i].form == id && s->bounds[i].is_truth)
      return s->bounds[i].low != 0;
  return -1;
}

static ProofNumber number_of_symbol(const ProofContext *c, const ProofState *s,
                                    ProofTermId id) {
  ProofNumber number = s->symbols[c->terms.items[id].constant].number;
  for (int i = 0; i < s->num_bounds && !proof_number_is_exact(number); i++)
    if (proof_known_symbol(c, &s->bounds[i]) == id)
      number = proof_number(-s->bounds[i].low, 0);
  return number;
}

ProofNumber proof_number_of(const ProofContext *c, const ProofState *s,
                            ProofTermId id) {
  ProofNumber none = {0}, args[PROOF_MAX_ARGS];
  if (id == PROOF_NO_TERM)
    return none;
  const ProofTerm *term = &c->terms.items[id];
  for (int i = 0; i < c->needs.num_residues; i++)
    if (c->residue_terms[i] == id)
      return c->residues[i];
  switch (term->kind) {
  case PROOF_TERM_CONSTANT:
    return proof_number(term->constant, 0);
  case PROOF_TERM_INPUT:
    return number_found(s, id);
  case PROOF_TERM_SYMBOL:
    return number_of_symbol(c, s, id);
  case PROOF_TERM_SUM:
    return number_of_sum(c, s, term->constant, term->num_args, term->args,
                         term->factors);
  case PROOF_TERM_CALL:
    if (term->function >= PROOF_OTHER)
      return number_found(s, id);
    if (term->num_args > PROOF_MAX_ARGS)
      return none;
    for (int i = 0; i < term->num_args; i++)
      args[i] = proof_number_of(c, s, term->args[i]);
    return proof_apply(term->function, term->constant, term->num_args, args);
  case PROOF_TERM_NOT:
    args[0] = proof_number_of(c, s, term->args[0]);
    return proof_number_is_exact(args[0]) ? proof_number(!args[0].value, 0)
                                          : none;
  }
  return none;
}

//===-- Bounds ------------------------------------------------------------===//

// The largest value of a remainder or of some bits, or INT64_MAX.
static int64_t largest_rest(const ProofContext *c, const ProofTerm *term) {
  for (int i = 0; term->kind == PROOF_TERM_CALL && i < term->num_args; i++) {
    const ProofTerm *arg = &c->terms.items[term->args[i]];
    if (arg->kind != PROOF_TERM_CONSTANT || arg->constant < 1)
      continue;
    if (term->function == PROOF_AND)
      return arg->constant;
    if (term->function == PROOF_REM && i == 1)
      return arg->constant - 1;
  }
  return INT64_MAX;
}

static int64_t low_of_atom(const ProofContext *c, const ProofState *s,
                           ProofTermId id) {
  const ProofTerm *term = &c->terms.items[id];
  bool is_unsigned =
      term->kind == PROOF_TERM_CALL && term->function == PROOF_CAST;
  for (int i = 0; i < c->num_positive; i++)
    if (c->positive[i] == id)
      return 1;
  ProofNumber number = proof_number_of(c, s, id);
  if (number.is_known && (!number.modulus || number.is_least))
    return number.value;
  return is_unsigned || largest_rest(c, term) != INT64_MAX ? 0 : INT64_MIN;
}

static int64_t high_of_atom(const ProofContext *c, const ProofState *s,
                            ProofTermId id) {
  ProofNumber number = proof_number_of(c, s, id);
  return proof_number_is_exact(number) ? number.value
                                       : largest_rest(c, &c->terms.items[id]);
}

// From what is known of its summands.
static int64_t low_of_parts(const ProofContext *c, const ProofState *s,
                            const ProofSum *sum) {
  int64_t low = sum->constant;
  for (int i = 0; i < sum->count; i++) {
    bool is_up = sum->factors[i] > 0;
    int64_t end = is_up ? low_of_atom(c, s, sum->args[i])
                        : high_of_atom(c, s, sum->args[i]);
    if (end == INT64_MIN || end == INT64_MAX || end > INT32_MAX ||
        end < -(int64_t)INT32_MAX)
      return INT64_MIN;
    low += sum->factors[i] * end;
  }
  return low;
}

static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

// How often a form, or the form turned, stands in a sum: by their first common
// summand; 0: they have none, or not a whole number of times.
static int64_t times_in(const ProofContext *c, ProofTermId form,
                        const ProofSum *sum) {
  const ProofTerm *term = &c->terms.items[form];
  bool is_sum = term->kind == PROOF_TERM_SUM;
  for (int i = 0; i < (is_sum ? term->num_args : 1); i++)
    for (int k = 0; k < sum->count; k++) {
      int64_t by = is_sum ? term->factors[i] : 1;
      if (sum->args[k] == (is_sum ? term->args[i] : form) &&
          sum->factors[k] % by == 0)
        return sum->factors[k] / by;
    }
  return 0;
}

static ProofSum negated(const ProofSum *sum) {
  ProofSum out = {.fits = true};
  proof_sum_add(&out, -1, sum);
  return out;
}

static int64_t low_by(const ProofContext *c, const ProofState *s,
                      const ProofSum *sum, int depth) {
  int64_t low = low_of_parts(c, s, sum);
  for (int i = 0; i < s->num_bounds; i++) {
    const ProofBound *bound = &s->bounds[i];
    int64_t times = bound->is_truth ? 0 : times_in(c, bound->form, sum);
    if (times == 0 ||
        (times > 0 ? bound->low == INT64_MIN : bound->high == INT64_MAX))
      continue;
    ProofSum rest = *sum, form = proof_sum_of(&c->terms, bound->form);
    proof_sum_add(&rest, -times, &form);
    if (!rest.fits || rest.count > sum->count + 1)
      continue;
    int64_t more =
        depth ? low_by(c, s, &rest, depth - 1) : low_of_parts(c, s, &rest);
    if (more != INT64_MIN)
      low = max_of(low, more + times * (times > 0 ? bound->low : bound->high));
  }
  return low;
}

int64_t proof_low(const ProofContext *c, const ProofState *s,
                  const ProofSum *sum) {
  int64_t low = sum->fits ? low_by(c, s, sum, 1) : INT64_MIN;
  if (low == INT64_MIN)
    return low;
  ProofNumber number =
      number_of_sum(c, s, sum->constant, sum->count, sum->args, sum->factors);
  if (number.is_known && number.modulus > 1) // the next one that it can be
    low += ((number.value - low) % number.modulus + number.modulus) %
           number.modulus;
  return low;
}

// The same of the largest one.
static int64_t high_of(const ProofContext *c, const ProofState *s,
                       const ProofSum *sum) {
  ProofSum other = negated(sum);
  int64_t low = proof_low(c, s, &other);
  return low == INT64_MIN ? INT64_MAX : -low;
}

// Of a sum and of the same with the other sign, one is a form.
static bool is_turned(const ProofContext *c, const ProofSum *sum) {
  for (int i = 0; i < sum->count; i++)
    if (c->terms.items[sum->args[i]].kind == PROOF_TERM_SYMBOL)
      return sum->factors[i] > 0;
  for (int i = 0; i < sum->count; i++)
    if (c->terms.items[sum->args[i]].has_symbol)
      return sum->factors[i] > 0; // symbols grow, so distances shrink
  return sum->factors[0] < 0;
}

static ProofBound *bound_of(ProofState *s, ProofTermId form) {
  int at = 0;
  while (at < s->num_bounds && s->bounds[at].form < form)
    at++;
  if (at < s->num_bounds && s->bounds[at].form == form)
    return &s->bounds[at];
  if (s->num_bounds == PROOF_MAX_BOUNDS)
    return NULL;
  memmove(s->bounds + at + 1, s->bounds + at,
          sizeof *s->bounds * (size_t)(s->num_bounds - at));
  s->num_bounds++;
  s->bounds[at] = (ProofBound){INT64_MIN, INT64_MAX, form, 0};
  return &s->bounds[at];
}

// Divides a form by what all factors are multiples of; the least value that the
// rest has then.
static int64_t divide(ProofSum *form, int64_t low) {
  int64_t by = 0;
  for (int i = 0; i < form->count; i++)
    by = tile_gcd(by, form->factors[i]);
  for (int i = 0; i < form->count; i++)
    form->factors[i] /= by;
  return low >= 0 ? (low + by - 1) / by : -(-low / by);
}

// Notes low <= sum.
static void learn_low(ProofContext *c, ProofState *s, const ProofSum *sum,
                      int64_t low) {
  ProofSum form = {.fits = true};
  if (!sum->fits || sum->count == 0 || low == INT64_MIN)
    return;
  bool turned = is_turned(c, sum);
  proof_sum_add(&form, turned ? -1 : 1, sum);
  low = divide(&form, low - sum->constant);
  form.constant = 0;
  ProofTermId id = proof_term_of_sum(&c->terms, &form);
  ProofBound *bound = id == PROOF_NO_TERM ? NULL : bound_of(s, id);
  if (bound && turned)
    bound->high = -low < bound->high ? -low : bound->high;
  else if (bound)
    bound->low = max_of(low, bound->low);
}

void proof_learn_bounds(ProofContext *c, ProofState *s, const ProofSum *sum,
                        int64_t low, int64_t high) {
  ProofSum other = negated(sum);
  learn_low(c, s, sum, low);
  if (high != INT64_MAX)
    learn_low(c, s, &other, -high);
}

//===-- Comparisons -------------------------------------------------------===//

// A sum of numbers without a sign.
static ProofSum as_unsigned(ProofContext *c, const ProofState *s,
                            const ProofSum *sum) {
  ProofSum out = {.constant = sum->constant, .fits = sum->fits};
  for (int i = 0; i < sum->count; i++) {
    ProofTermId atom = sum->args[i];
    if (low_of_atom(c, s, atom) < 0)
      atom = proof_term_call(&c->terms, PROOF_CAST, UNSIGNED, 1, &atom);
    ProofSum part = proof_sum_of(&c->terms, atom);
    proof_sum_add(&out, sum->factors[i], &part);
  }
  return out;
}

static bool has_negative(const ProofSum *sum) {
  for (int i = 0; i < sum->count; i++)
    if (sum->factors[i] < 0)
      return true;
  return sum->constant < 0;
}

// b - a of a < b, so that this is 1 <= b - a. Of unsigned numbers too: a
// distance between two of them is one where it is known not to be negative.
static ProofSum distance_of(ProofContext *c, const ProofState *s,
                            const ProofTerm *less) {
  ProofSum a = proof_sum_of(&c->terms, less->args[0]);
  ProofSum b = proof_sum_of(&c->terms, less->args[1]);
  ProofSum out = b;
  proof_sum_add(&out, -1, &a);
  if (less->function == PROOF_LT || !out.fits)
    return out;
  ProofSum low = as_unsigned(c, s, &a), high = as_unsigned(c, s, &b);
  bool is_distance = has_negative(&b) && proof_low(c, s, &high) > 0;
  if (!is_distance && proof_low(c, s, &a) >= 0 && proof_low(c, s, &b) >= 0)
    return out;
  out = high;
  proof_sum_add(&out, -1, &low);
  out.fits &= (!has_negative(&a) || proof_low(c, s, &low) >= 0) &&
              (!has_negative(&b) || proof_low(c, s, &high) >= 0);
  return out;
}

// What of a comparison is above 0, or of an equality is 0.
static ProofSum asked_of(ProofContext *c, const ProofState *s,
                         const ProofTerm *term) {
  return term->function == PROOF_EQ
             ? proof_sum_difference(&c->terms, term->args[0], term->args[1])
             : distance_of(c, s, term);
}

static int outcome_of_sums(ProofContext *c, const ProofState *s,
                           const ProofTerm *term) {
  ProofSum sum = asked_of(c, s, term);
  int64_t low = proof_low(c, s, &sum), high = high_of(c, s, &sum);
  if (term->function == PROOF_EQ && (low > 0 || high < 0))
    return 0;
  if (term->function == PROOF_EQ)
    return low == 0 && high == 0 ? 1 : -1;
  return low > 0 ? 1 : high <= 0 ? 0 : -1;
}

static bool is_comparison(const ProofTerm *term) {
  return term->kind == PROOF_TERM_CALL && proof_is_comparison(term->function);
}

static int outcome_of(ProofContext *c, const ProofState *s, ProofTermId id);

static int outcome_of_parts(ProofContext *c, const ProofState *s,
                            const ProofTerm *term) {
  ProofTermId args[PROOF_MAX_ARGS];
  int function = term->function;
  if (term->kind != PROOF_TERM_CALL || term->num_args > PROOF_MAX_ARGS ||
      (function != PROOF_AND && function != PROOF_OR && function != PROOF_XOR &&
       function != PROOF_SELECT))
    return -1;
  memcpy(args, term->args, sizeof *args * (size_t)term->num_args);
  int first = outcome_of(c, s, args[0]);
  if (function == PROOF_SELECT)
    return first < 0 ? -1 : outcome_of(c, s, args[first ? 1 : 2]);
  int second = outcome_of(c, s, args[1]);
  if (function == PROOF_XOR)
    return first < 0 || second < 0 ? -1 : first != second;
  int strong = function == PROOF_OR;
  if (first == strong || second == strong)
    return strong;
  return first < 0 || second < 0 ? -1 : !strong;
}

// The term, where counters that some agents have yet to begin are what they
// began at, and those whose numbers are known these numbers.
static ProofTermId by_starts(ProofContext *c, const ProofState *s,
                             ProofTermId id) {
  bool has_starts = false;
  if (!c->terms.items[id].has_symbol)
    return id;
  proof_replace_begin(&c->terms);
  for (int i = 0; i < s->num_entries; i++) {
    const ProofEntry *entry = &s->entries[i];
    ProofSum value = proof_sum_of(&c->terms, entry->value);
    ProofSum start = proof_sum_of(&c->terms, entry->start);
    if (value.count != 1 || value.factors[0] != 1 ||
        c->terms.items[value.args[0]].kind != PROOF_TERM_SYMBOL ||
        c->terms.items[entry->start].has_symbol)
      continue;
    has_starts = true;
    start.constant -= value.constant;
    proof_replace_set(&c->terms, value.args[0],
                      proof_term_of_sum(&c->terms, &start));
  }
  for (int i = 0; i < s->num_bounds; i++) {
    ProofTermId symbol = proof_known_symbol(c, &s->bounds[i]);
    if (symbol == PROOF_NO_TERM)
      continue;
    has_starts = true;
    proof_replace_set(&c->terms, symbol,
                      proof_term_constant(&c->terms, -s->bounds[i].low));
  }
  return has_starts ? proof_replace(&c->terms, id) : id;
}

int proof_outcome(ProofContext *c, const ProofState *s, ProofTermId id) {
  int outcome = outcome_of(c, s, id);
  if (outcome >= 0 || id == PROOF_NO_TERM)
    return outcome;
  ProofTermId other = by_starts(c, s, id);
  return other == id ? outcome : outcome_of(c, s, other);
}

static int outcome_of(ProofContext *c, const ProofState *s, ProofTermId id) {
  if (id == PROOF_NO_TERM)
    return -1;
  ProofTerm term = c->terms.items[id];
  if (term.kind == PROOF_TERM_CONSTANT)
    return term.constant & 1;
  if (term.kind == PROOF_TERM_NOT) {
    int inner = outcome_of(c, s, term.args[0]);
    return inner < 0 ? -1 : !inner;
  }
  int known = proof_truth(s, id);
  if (known < 0 && is_comparison(&term))
    known = outcome_of_sums(c, s, &term);
  if (known < 0)
    known = outcome_of_parts(c, s, &term);
  if (known >= 0)
    return known;
  ProofNumber number = proof_number_of(c, s, id);
  return proof_number_is_exact(number) ? (int)(number.value & 1) : -1;
}

//===-- Learning ----------------------------------------------------------===//

void proof_learn_truth(ProofState *s, ProofTermId term, bool holds) {
  ProofBound *bound = proof_truth(s, term) < 0 ? bound_of(s, term) : NULL;
  if (bound)
    *bound = (ProofBound){-holds, -holds, term, true};
}

// Whether it is one, and was learned as bounds.
static bool learn_comparison(ProofContext *c, ProofState *s,
                             const ProofTerm *term, bool holds) {
  bool is_equality = term->function == PROOF_EQ;
  if (!is_comparison(term) || (is_equality && !holds))
    return false;
  ProofSum sum = asked_of(c, s, term);
  int64_t low = is_equality ? 0 : holds ? 1 : INT64_MIN;
  if (sum.fits)
    proof_learn_bounds(c, s, &sum, low, is_equality || !holds ? 0 : INT64_MAX);
  return sum.fits;
}

static bool learn_parts(ProofContext *c, ProofState *s, const ProofTerm *term,
                        bool holds) {
  if (term->kind != PROOF_TERM_CALL)
    return false;
  if (term->function == PROOF_SELECT) {
    int first = proof_outcome(c, s, term->args[0]);
    if (first >= 0)
      proof_learn(c, s, term->args[first ? 1 : 2], holds);
    return first >= 0;
  }
  if (term->function != PROOF_AND && term->function != PROOF_OR)
    return false;
  bool weak = term->function == PROOF_AND; // both are, where the whole is
  int first = proof_outcome(c, s, term->args[0]);
  int second = proof_outcome(c, s, term->args[1]);
  if (holds == weak || second == weak)
    proof_learn(c, s, term->args[0], holds);
  if (holds == weak || first == weak)
    proof_learn(c, s, term->args[1], holds);
  return holds == weak || first == weak || second == weak;
}

static void learn(ProofContext *c, ProofState *s, ProofTermId id, bool holds);

void proof_learn(ProofContext *c, ProofState *s, ProofTermId id, bool holds) {
  if (id == PROOF_NO_TERM)
    return;
  learn(c, s, id, holds);
  ProofTermId other = by_starts(c, s, id);
  if (other != id && other != PROOF_NO_TERM)
    learn(c, s, other, holds);
}

static void learn(ProofContext *c, ProofState *s, ProofTermId id, bool holds) {
  if (outcome_of(c, s, id) >= 0)
    return;
  ProofTerm term = c->terms.items[id];
  if (term.kind == PROOF_TERM_NOT) {
    proof_learn(c, s, term.args[0], !holds);
    return;
  }
  if (!learn_comparison(c, s, &term, holds) && !learn_parts(c, s, &term, holds))
    proof_learn_truth(s, id, holds);
}

void proof_restate(ProofContext *c, ProofState *s, ProofTermId id) {
  if (id == PROOF_NO_TERM)
    return;
  ProofTerm term = c->terms.items[id];
  if (term.kind == PROOF_TERM_NOT) {
    proof_restate(c, s, term.args[0]);
    return;
  }
  if (term.kind == PROOF_TERM_CALL &&
      (term.function == PROOF_AND || term.function == PROOF_OR)) {
    proof_restate(c, s, term.args[0]);
    proof_restate(c, s, term.args[1]);
  }
  if (!is_comparison(&term))
    return;
  ProofSum sum = asked_of(c, s, &term);
  proof_learn_bounds(c, s, &sum, proof_low(c, s, &sum), high_of(c, s, &sum));
}

bool proof_conclude(ProofContext *c, ProofState *s) {
  for (int i = 0; i < s->num_bounds; i++) {
    ProofBound bound = s->bounds[i];
    ProofTerm term = c->terms.items[bound.form];
    if (bound.low > bound.high)
      return false;
    if (!bound.is_truth)
      continue;
    int outcome = outcome_of_parts(c, s, &term);
    if (outcome < 0 && is_comparison(&term))
      outcome = outcome_of_sums(c, s, &term);
    if (outcome >= 0 && outcome != (bound.low != 0))
      return false;
    if (outcome < 0)
      learn_parts(c, s, &term, bound.low != 0);
  }
  return true;
}

bool proof_is_condition(const ProofContext *c, ProofTermId id) {
  const ProofTerm *term = &c->terms.items[id];
  if (term->kind == PROOF_TERM_NOT)
    return proof_is_condition(c, term->args[0]);
  return is_comparison(term) ||
         (term->kind == PROOF_TERM_CALL &&
          (term->function == PROOF_AND || term->function == PROOF_OR) &&
          proof_is_condition(c, term->args[0]) &&
          proof_is_condition(c, term->args[1]));
}
