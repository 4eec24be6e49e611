//===- Prove.c - Programs, for all trip counts and guards -----------------===//
//
// One schedule is enough (Machine.c), so roles are zipped together again: who
// computes goes first, who copies goes on when nobody else can. Decisions that
// are not known go both ways; what is learned from them holds for all agents,
// since it is about terms, not about code.
//
//===----------------------------------------------------------------------===//

#include "Proof.h"

#include "Explore.h"
#include "Facts.h"
#include "Mirror.h"
#include "Rings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

//===-- States that a proof has seen --------------------------------------===//

typedef struct {
  int32_t *words; // those that tell states apart, then those of sets
  int num_words;
  bool is_used, is_open; // has sets; has yet to be expanded
} Kept;

typedef struct {
  TileArena *arena;
  Kept *items;
  int count, capacity;
  size_t num_words; // of all of them
  TileKeyTable keys;
  int32_t *scratch;
} Seen;

//===-- States as words ---------------------------------------------------===//

// One description of a state serves both directions.
typedef struct {
  int32_t *words;
  int count;
  bool writes; // the words; else the state
} Transfer;

static void word(Transfer *t, int32_t *value) {
  int32_t *word = &t->words[t->count++];
  *(t->writes ? word : value) = *(t->writes ? value : word);
}

static void two_words(Transfer *t, int64_t *value) {
  uint32_t low = (uint32_t)*value, high = (uint32_t)((uint64_t)*value >> 32);
  word(t, (int32_t *)&low);
  word(t, (int32_t *)&high);
  *value = (int64_t)((uint64_t)high << 32 | low);
}

static void flag(Transfer *t, bool *value) {
  int32_t number = *value;
  word(t, &number);
  *value = number != 0;
}

static int max_words(const ProofContext *c) {
  int count = c->machine.num_words + 8 + c->machine.num_agents;
  for (int a = 0; a < c->machine.num_agents; a++)
    count += c->needs.roles[proof_role_of(a)].count;
  return count + 9 * PROOF_MAX_SYMBOLS + 5 * PROOF_MAX_BOUNDS +
         2 * PROOF_MAX_TRUTHS + 4 * PROOF_MAX_ENTRIES;
}

static void transfer_names(Transfer *t, ProofState *s) {
  word(t, &s->num_symbols);
  for (ProofSymbol *i = s->symbols; i < s->symbols + s->num_symbols; i++) {
    int32_t flags = i->number.is_known | i->number.is_least << 1;
    word(t, &flags);
    i->number.is_known = flags & 1;
    i->number.is_least = flags >> 1 & 1;
    two_words(t, &i->number.value);
    two_words(t, &i->number.modulus);
    two_words(t, &i->step);
    two_words(t, &i->modulus);
  }
  word(t, &s->num_bounds);
  for (ProofBound *i = s->bounds; i < s->bounds + s->num_bounds; i++) {
    word(t, &i->form);
    two_words(t, &i->low);
    two_words(t, &i->high);
  }
  word(t, &s->num_truths);
  for (ProofTruth *i = s->truths; i < s->truths + s->num_truths; i++) {
    word(t, &i->term);
    flag(t, &i->holds);
  }
  word(t, &s->num_entries);
  for (ProofEntry *i = s->entries; i < s->entries + s->num_entries; i++) {
    word(t, &i->class_number);
    word(t, &i->start);
    word(t, &i->value);
    word(t, (int *)&i->agents);
  }
}

// All but the words of the machine: those that do not say what somebody knows
// follow; how many there are.
static int transfer(int32_t *words, bool writes, const ProofContext *c,
                    ProofState *s) {
  Transfer t = {words, 0, writes};
  for (int a = 0; a < c->machine.num_agents; a++) {
    word(&t, &s->pc[a]);
    for (int i = 0; i < c->needs.roles[proof_role_of(a)].count; i++)
      word(&t, &s->values[a][i]);
  }
  transfer_names(&t, s);
  return t.count;
}

static int write_state(int32_t *words, const ProofContext *c, ProofState *s) {
  int count = transfer(words, true, c, s);
  memcpy(words + count, s->words, sizeof *words * (size_t)c->machine.active);
  return count + c->machine.active;
}

// Writes a kept state into `state`, which has room for it.
static void restore(const Seen *seen, int index, const ProofContext *c,
                    ProofState *s) {
  int32_t *words = seen->items[index].words;
  int count = transfer(words, false, c, s);
  memcpy(s->words, words + count, sizeof *words * (size_t)c->machine.num_words);
}

//===-- States that cover others ------------------------------------------===//

// Whether it matters who knows the fact, but for those of phases.
static bool matters(const ProofMachine *m, const int32_t *state, int fact) {
  int first_phase = proof_fact_phase(m, 0, 0), in_resource;
  if (fact >= first_phase) {
    int which = (fact - first_phase) % (PROOF_FIRST_WAIT + m->num_agents);
    return which < PROOF_FIRST_WAIT || proof_is_active(m, state, fact);
  }
  in_resource = fact % proof_facts_per_resource(m);
  if (in_resource >= m->num_agents && in_resource < 2 * m->num_agents)
    fact -= m->num_agents; // visible: as long as what is written matters
  return proof_is_active(m, state, fact);
}

static uint32_t mattering(const ProofMachine *m, const int32_t *state,
                          int word) {
  uint32_t out = 0;
  for (int i = 0; i < 32 && 32 * word + i < m->num_facts; i++)
    out |= (uint32_t)matters(m, state, 32 * word + i) << i;
  return out;
}

// The facts of a word that would be nothing new in a set.
static uint32_t not_new(const ProofMachine *m, const int32_t *state, int set,
                        int word, uint32_t matter) {
  const int32_t *sets = state + m->sets + word;
  uint32_t known = (uint32_t)sets[set * m->set_words], common = ~UINT32_C(0);
  known |= ~matter;
  if (set < m->num_agents)
    return known;
  if (set < 2 * m->num_agents)
    return known | (uint32_t)sets[(set - m->num_agents) * m->set_words];
  for (int a = 0; a < m->num_agents; a++)
    common &= (uint32_t)sets[a * m->set_words];
  return known | common;
}

// Makes `state` cover both: whatever may go wrong from either may go wrong from
// it as well. There, nobody knows more, and more may matter. Both are the same
// up to `active`.
static void merge(const ProofMachine *m, const int32_t *kept, int32_t *state) {
  int num_sets = proof_num_sets(m);
  for (int w = 0; w < m->fact_words; w++) {
    uint32_t first = mattering(m, kept, w), second = mattering(m, state, w);
    for (int set = num_sets - 1; set >= 0; set--) {
      uint32_t both = not_new(m, kept, set, w, first) &
                      not_new(m, state, set, w, second) & (first | second);
      state[m->sets + set * m->set_words + w] = (int32_t)both;
    }
  }
  for (int w = 0; w < m->fact_words; w++) {
    state[m->active + w] |= kept[m->active + w];
    state[m->filled + w] &= kept[m->filled + w];
  }
}

//===-- The table ---------------------------------------------------------===//

static int num_words_of_sets(const ProofMachine *m) {
  return m->num_words - m->active;
}

// The state with these words, or null: then `search` may add it.
static Kept *find_kept(const Seen *seen, const int32_t *words, int count,
                       TileKeySearch *search) {
  size_t size_bytes = sizeof *words * (size_t)count;
  while (tile_key_next(search)) {
    Kept *kept = &seen->items[search->index];
    if (kept->num_words == count && memcmp(kept->words, words, size_bytes) == 0)
      return kept;
  }
  return NULL;
}

static Kept *add_kept(Seen *seen, const ProofMachine *m, int count,
                      TileKeySearch *search) {
  int more = num_words_of_sets(m);
  int32_t *words = TILE_ARENA_NEW(seen->arena, int32_t, count + more);
  memcpy(words, seen->scratch, sizeof *words * (size_t)count);
  seen->num_words += (size_t)(count + more);
  TILE_ARENA_RESERVE(seen->arena, seen->items, seen->count, seen->capacity);
  seen->items[seen->count] = (Kept){.words = words, .num_words = count};
  tile_key_add(search);
  return &seen->items[seen->count++];
}

// Of states that differ in what agents know, one is kept, which covers all.
static void keep_state(Seen *seen, const ProofContext *c, ProofState *s) {
  const ProofMachine *m = &c->machine;
  if (!seen->scratch)
    seen->scratch = TILE_ARENA_NEW(seen->arena, int32_t, max_words(c));
  int count = write_state(seen->scratch, c, s);
  uint64_t hash = TILE_HASH_START;
  for (int i = 0; i < count; i++)
    hash = tile_hash_word(hash, (uint32_t)seen->scratch[i]);
  TileKeySearch search = tile_key_search(&seen->keys, hash);
  Kept *kept = find_kept(seen, seen->scratch, count, &search);
  if (!kept)
    kept = add_kept(seen, m, count, &search);
  bool is_new = !kept->is_used;
  int32_t *sets = kept->words + count, *found = s->words + m->active;
  size_t bytes = sizeof *sets * (size_t)num_words_of_sets(m);
  merge(m, is_new ? s->words : sets - m->active, s->words);
  kept->is_open |= is_new || memcmp(sets, found, bytes) != 0;
  kept->is_used = true;
  memcpy(sets, found, bytes);
}

enum {
  MAX_STEPS = 4096,
  MAX_ENTERED = 8, // loops, before a pause
  MAX_STARTS = 4096,
  MAX_WORDS = 40 << 20, // of all states that are kept: 160 MiB
  NOBODY = -1,
  PAUSES = -2
};

typedef struct {
  ProofContext *context;
  const ProofLimits *limits;
  ProofVerdict *verdict;
  ProofRings *rings;
  ProofMirrors *mirrors;
  Seen seen;
  ProofState *state;           // the one that runs
  int order[PROOF_MAX_AGENTS]; // who goes first
} Prover;

static bool is_over(const Prover *p) {
  return p->context->fault.code || p->verdict->outcome != PROOF_PROVED;
}

__attribute__((format(printf, 5, 6))) static void
stop(Prover *p, const char *code, int agent, const ProofOp *op,
     const char *format, ...) {
  va_list args;
  if (is_over(p))
    return;
  p->verdict->outcome = PROOF_UNKNOWN;
  p->verdict->code = code;
  p->verdict->role = agent < 0 ? PROOF_NONE : proof_role_of(agent);
  p->verdict->origin = op ? op->origin : NULL;
  va_start(args, format);
  vsnprintf(p->verdict->text, sizeof p->verdict->text, format, args);
  va_end(args);
}

static const ProofOp *op_at(const Prover *p, int agent) {
  return &p->context->program->roles[proof_role_of(agent)]
              .ops[p->state->pc[agent]];
}

//===-- Numbers -----------------------------------------------------------===//

// False after a stop.
static bool position_of(Prover *p, int agent, const ProofOp *op,
                        ProofScalarId id, int32_t *out) {
  ProofContext *c = p->context;
  ProofTermId term = proof_value_of(c, p->state, agent, id);
  ProofNumber number = proof_number_of(c, p->state, term);
  *out = (int32_t)number.value;
  if (!proof_number_is_exact(number))
    stop(p, "position", agent, op,
         "the slot or parity is not a number that can be followed");
  return proof_number_is_exact(number);
}

static int32_t slot_of(const Prover *p, int agent, ProofScalarId id) {
  ProofNumber number = {0};
  ProofContext *c = p->context;
  if (id >= 0)
    number =
        proof_number_of(c, p->state, proof_value_of(c, p->state, agent, id));
  return proof_number_is_exact(number) ? (int32_t)number.value
                                       : PROOF_ALL_SLOTS;
}

static bool step_of(Prover *p, int agent, const ProofOp *op, ProofStep *out) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  *out = (ProofStep){.op = op};
  for (int i = 0; i < count; i++) {
    if (uses[i].row < 0)
      out->slots[i] = slot_of(p, agent, uses[i].slot);
    else if (!position_of(p, agent, op, uses[i].slot, &out->slots[i]))
      return false;
    if (uses[i].parity >= 0 &&
        !position_of(p, agent, op, uses[i].parity, &out->parity))
      return false;
  }
  return true;
}

static void bind(Prover *p, int agent, const ProofOp *op) {
  enum { MAX_BOUND = 256 };
  ProofTermId values[MAX_BOUND];
  ProofContext *c = p->context;
  ProofState *s = p->state;
  const ProofVariables *v = &c->needs.roles[proof_role_of(agent)];
  int count = op->bind.count < MAX_BOUND ? op->bind.count : MAX_BOUND;
  for (int i = 0; i < count; i++) {
    int index = c->needs.index[op->bind.to[i]];
    bool is_asked = index >= 0 && proof_is_live(v, s->pc[agent] + 1, index);
    values[i] = is_asked ? proof_value_of(c, s, agent, op->bind.from[i])
                         : PROOF_NO_TERM;
  }
  for (int i = 0; i < op->bind.count; i++)
    if (c->needs.index[op->bind.to[i]] >= 0)
      s->values[agent][c->needs.index[op->bind.to[i]]] =
          i < count ? values[i] : PROOF_NO_TERM;
  for (int i = 0; i < count && op->bind.enters; i++) {
    int index = c->needs.index[op->bind.to[i]];
    if (values[i] != PROOF_NO_TERM && v->items[index].step)
      proof_enter(c, s, agent, index);
  }
}

//===-- Steps -------------------------------------------------------------===//

typedef enum { GOES_ON, MAY_FREE_OTHERS, WAITS, DECIDES, HAS_ENDED } Progress;

// Whether all agents are there; then they go on.
static Progress meet(Prover *p, int agent, const ProofOp *op) {
  ProofContext *c = p->context;
  unsigned mask = proof_sync_agents(c->program, agent, op);
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofOp *other = op_at(p, a);
    if ((mask & 1u << a) &&
        (other->kind != PROOF_SYNC || other->sync.id != op->sync.id))
      return WAITS;
  }
  proof_machine_meet(&c->machine, p->state->words, mask);
  for (int a = 0; a < c->machine.num_agents; a++)
    p->state->pc[a] += (mask & 1u << a) != 0;
  return MAY_FREE_OTHERS;
}

static Progress run_event(Prover *p, int agent, const ProofOp *op) {
  ProofContext *c = p->context;
  ProofStep step;
  if (op->threads == PROOF_LEADER && !proof_is_leader(agent)) {
    p->state->pc[agent]++;
    return GOES_ON;
  }
  if (!step_of(p, agent, op, &step))
    return WAITS;
  switch (proof_machine_step(&c->machine, p->state->words, agent, &step)) {
  case PROOF_WAITS:
    return WAITS;
  case PROOF_MEETS:
    return meet(p, agent, op);
  case PROOF_DONE:
    break;
  }
  p->state->pc[agent]++;
  return op->kind == PROOF_ARRIVE || op->kind == PROOF_FILL ||
                 op->kind == PROOF_TURN
             ? MAY_FREE_OTHERS
             : GOES_ON;
}

static ProofTermId condition_of(const Prover *p, int agent, const ProofOp *op) {
  return proof_value_of(p->context, p->state, agent, op->branch.condition);
}

static void go(Prover *p, int agent, const ProofOp *op, bool holds) {
  p->state->pc[agent] = holds ? p->state->pc[agent] + 1 : op->branch.target;
}

static Progress run_op(Prover *p, int agent) {
  const ProofOp *op = op_at(p, agent);
  ProofTermId condition;
  int outcome;
  switch (op->kind) {
  case PROOF_BIND:
    bind(p, agent, op);
    p->state->pc[agent]++;
    return GOES_ON;
  case PROOF_BRANCH:
    condition = condition_of(p, agent, op);
    outcome = proof_outcome(p->context, p->state, condition);
    if (outcome < 0)
      return DECIDES;
    // By what is forgotten at the next stop, perhaps.
    proof_learn(p->context, p->state, condition, outcome);
    proof_restate(p->context, p->state, condition);
    go(p, agent, op, outcome);
    return GOES_ON;
  case PROOF_JUMP:
    p->state->pc[agent] = op->jump.target;
    return GOES_ON;
  case PROOF_END:
    return HAS_ENDED;
  default:
    return run_event(p, agent, op);
  }
}

// Runs until nobody can go on without a decision that is open: who takes it is
// returned, or -1. So nobody is more than a decision ahead of those who follow.
// PAUSES where it may go on so for ever.
static int run(Prover *p) {
  int steps = 0, decides = NOBODY;
  int most = p->state->num_symbols + MAX_ENTERED;
  for (int i = 0; i < p->context->machine.num_agents && !is_over(p);) {
    int agent = p->order[i];
    const ProofOp *op = op_at(p, agent);
    bool is_long = ++steps > MAX_STEPS || p->state->num_symbols > most;
    if (is_long && op->kind == PROOF_BRANCH && op->branch.is_loop)
      return PAUSES;
    Progress progress = run_op(p, agent);
    if (progress == MAY_FREE_OTHERS) {
      i = 0;
      decides = NOBODY;
      continue;
    }
    if (progress == DECIDES && decides < 0)
      decides = agent;
    i += progress != GOES_ON;
  }
  return decides;
}

//===-- At a standstill ---------------------------------------------------===//

static void finish(Prover *p) {
  ProofContext *c = p->context;
  int waits = -1;
  for (int a = c->machine.num_agents - 1; a >= 0; a--)
    if (op_at(p, a)->kind != PROOF_END)
      waits = a;
  if (waits < 0)
    proof_machine_end(&c->machine, p->state->words);
  else
    stop(p, "deadlock", waits, op_at(p, waits),
         "waits here, and nobody who could end this wait goes on");
}

static void keep(Prover *p) {
  if (is_over(p))
    return;
  if (p->seen.count >= p->limits->max_states || p->seen.num_words > MAX_WORDS) {
    stop(p, "too-many-states", -1, NULL,
         "the threads reach more than %d states together", p->seen.count);
    return;
  }
  if (!proof_rename(p->context, p->state))
    stop(p, "too-many-values", -1, NULL,
         "the threads have more values than can be followed");
  else {
    proof_mirror(p->mirrors, p->context, p->state);
    proof_rings_turn(p->rings, p->context, p->state);
    keep_state(&p->seen, p->context, p->state);
  }
}

static void go_on(Prover *p) {
  int agent = run(p);
  if (is_over(p))
    return;
  if (agent == NOBODY)
    finish(p);
  else
    keep(p);
}

// Both ways of the decision that a kept state stands at.
static void expand(Prover *p, int index) {
  p->seen.items[index].is_open = false;
  for (int holds = 0; holds < 2 && !is_over(p); holds++) {
    restore(&p->seen, index, p->context, p->state);
    int agent = run(p);
    if (is_over(p))
      return;
    if (agent < 0) { // what is known now decides
      if (agent == NOBODY)
        finish(p);
      else
        keep(p);
      return;
    }
    const ProofOp *op = op_at(p, agent);
    proof_learn(p->context, p->state, condition_of(p, agent, op), holds);
    if (!proof_conclude(p->context, p->state))
      continue;
    go(p, agent, op, holds);
    go_on(p);
  }
}

//===-- Starts ------------------------------------------------------------===//

static int64_t num_starts(const ProofContext *c) {
  int64_t count = 1;
  for (int i = 0; i < c->needs.num_residues; i++)
    if (count <= MAX_STARTS)
      count *= 2 * c->needs.period;
  return count <= MAX_STARTS ? count : 1; // else they are unknown
}

// Bounds that slots depend on may be anything modulo the period.
static void set_residues(ProofContext *c, int64_t which, int64_t count) {
  int64_t base = 2 * c->needs.period;
  for (int i = 0; i < c->needs.num_residues && count > 1; i++) {
    ProofNumber *number = &c->residues[i];
    *number = proof_number(which % base, base);
    number->is_least = true; // they are not negative
    which /= base;
  }
}

static void start(Prover *p) {
  ProofState *s = p->state;
  const ProofContext *c = p->context;
  s->num_symbols = s->num_bounds = s->num_truths = s->num_entries = 0;
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofRole *role = &c->program->roles[proof_role_of(a)];
    bool is_idle = c->needs.idle_agents >> a & 1;
    s->pc[a] = is_idle ? role->num_ops - 1 : 0;
    for (int i = 0; i < c->needs.roles[proof_role_of(a)].count; i++)
      s->values[a][i] = PROOF_NO_TERM;
  }
  proof_machine_start(&c->machine, s->words);
}

static void prove_from(Prover *p, int64_t which, int64_t count) {
  set_residues(p->context, which, count);
  p->seen = (Seen){.arena = p->context->arena, .keys.arena = p->context->arena};
  start(p);
  go_on(p);
  for (bool has_open = true; has_open && !is_over(p);) {
    has_open = false;
    for (int i = 0; i < p->seen.count && !is_over(p); i++)
      if (p->seen.items[i].is_open) {
        has_open = true;
        expand(p, i);
      }
  }
  p->verdict->num_states += p->seen.count;
}

//===-- Entry -------------------------------------------------------------===//

static int num_tma(const ProofRole *role) {
  int count = 0;
  for (int i = 0; i < role->num_ops; i++)
    count += role->ops[i].kind == PROOF_FILL &&
             role->ops[i].fill.how == PROOF_BY_TMA;
  return count;
}

// Who copies goes last.
static void set_order(Prover *p) {
  const ProofProgram *program = p->context->program;
  int count = p->context->machine.num_agents;
  for (int i = 0; i < count; i++) {
    int at = i;
    for (; at > 0 && num_tma(&program->roles[proof_role_of(p->order[at - 1])]) >
                         num_tma(&program->roles[proof_role_of(i)]);
         at--)
      p->order[at] = p->order[at - 1];
    p->order[at] = i;
  }
}

static bool is_outside(const ProofProgram *program, ProofScalarId id) {
  const ProofScalar *scalar = &program->scalars[id];
  bool result = scalar->kind != PROOF_VARIABLE;
  for (int i = 0; i < scalar->num_args && result; i++)
    result = is_outside(program, scalar->args[i]);
  return result;
}

static void find_positive(Prover *p) {
  ProofContext *c = p->context;
  for (int i = 0; i < c->program->num_scalars; i++) {
    if (!c->program->scalars[i].is_positive || !is_outside(c->program, i))
      continue;
    ProofTermId term = proof_value_of(c, p->state, 0, i);
    ProofSum step = proof_sum_of(&c->terms, term);
    if (!step.fits || step.count == 0)
      continue;
    if (step.count == 1 && step.factors[0] > 0 && step.constant == 0)
      term = step.args[0];
    TILE_ARENA_RESERVE(c->arena, c->positive, c->num_positive,
                       c->positive_capacity);
    c->positive[c->num_positive++] = term;
  }
}

static void find_fixed(Prover *p) {
  ProofContext *c = p->context;
  c->fixed = TILE_ARENA_NEW(c->arena, ProofTermId, c->needs.num_fixed + 1);
  for (int i = 0; i < c->needs.num_fixed; i++)
    c->fixed[i] = proof_value_of(c, p->state, 0, c->needs.fixed[i]);
}

static void find_residues(Prover *p) {
  ProofContext *c = p->context;
  int count = c->needs.num_residues;
  ProofTermId *terms = TILE_ARENA_NEW(c->arena, ProofTermId, count + 1);
  c->residues = TILE_ARENA_NEW(c->arena, ProofNumber, count + 1);
  c->needs.num_residues = 0; // none has a number yet
  for (int i = 0; i < count; i++)
    terms[i] = proof_value_of(c, p->state, 0, c->needs.residues[i]);
  c->needs.num_residues = count;
  c->residue_terms = terms;
}

static ProofState *new_state(const ProofContext *c) {
  ProofState *out = TILE_ARENA_NEW(c->arena, ProofState, 1);
  for (int a = 0; a < c->machine.num_agents; a++)
    out->values[a] = TILE_ARENA_NEW(c->arena, ProofTermId,
                                    c->needs.roles[proof_role_of(a)].count + 1);
  out->words = TILE_ARENA_NEW(c->arena, int32_t, c->machine.num_words);
  return out;
}

// Writes a verdict that is not PROOF_PROVED where the program is not proved.
static void prove(const ProofProgram *program, const ProofLimits *limits,
                  ProofVerdict *verdict) {
  TileArena scratch;
  tile_arena_init(&scratch);
  ProofContext *c = TILE_ARENA_NEW(&scratch, ProofContext, 1);
  *c = (ProofContext){.program = program, .arena = &scratch};
  proof_needs_build(program, &scratch, &c->needs);
  proof_terms_init(&c->terms, &scratch);
  proof_machine_init(&c->machine, program, false, &scratch, &c->fault);
  Prover p = {.context = c, .limits = limits, .verdict = verdict};
  p.rings = proof_rings_build(c);
  p.mirrors = proof_mirrors_build(program, &scratch);
  p.state = new_state(c);
  set_order(&p);
  find_positive(&p);
  find_residues(&p);
  find_fixed(&p);
  int64_t count = num_starts(c);
  if (!c->needs.period)
    stop(&p, "position", -1, NULL,
         "slots and parities depend on more than can be followed");
  for (int64_t i = 0; i < count && !is_over(&p); i++)
    prove_from(&p, i, count);
  if (c->fault.code) {
    verdict->outcome = PROOF_UNKNOWN;
    verdict->code = c->fault.code;
    verdict->role = proof_role_of(c->fault.agent);
    verdict->origin = c->fault.op ? c->fault.op->origin : NULL;
    snprintf(verdict->text, sizeof verdict->text, "%s", c->fault.text);
  }
  tile_arena_deinit(&scratch);
}

void proof_verify(const ProofProgram *program, const ProofLimits *limits,
                  TileArena *arena, ProofVerdict *out_verdict) {
  *out_verdict = (ProofVerdict){.role = PROOF_NONE};
  prove(program, limits, out_verdict);
  if (out_verdict->outcome != PROOF_PROVED &&
      proof_explore(program, limits, arena, out_verdict))
    out_verdict->outcome = PROOF_REJECTED;
}
