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
#include "Run.h"

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

static void move(Transfer *t, void *data, size_t size_bytes) {
  int32_t *words = t->words + t->count;
  memcpy(t->writes ? words : data, t->writes ? data : words, size_bytes);
  t->count += (int)(size_bytes / sizeof *words);
}

static void move_items(Transfer *t, int *count, void *items,
                       size_t size_bytes) {
  move(t, count, sizeof *count);
  move(t, items, size_bytes * (size_t)*count);
}

static int max_words(const ProofContext *c) {
  int count =
      c->machine.num_words + (int)(sizeof(ProofState) / 4) + c->needs.num_cells;
  for (int a = 0; a < c->machine.num_agents; a++)
    count += c->needs.roles[proof_role_of(a)].count;
  return count;
}

// All but the words of the machine: those that do not say what somebody knows
// follow; how many there are.
static int transfer(int32_t *words, bool writes, const ProofContext *c,
                    ProofState *s) {
  Transfer t = {words, 0, writes};
  int num_agents = c->machine.num_agents;
  move(&t, s->pc, sizeof *s->pc * (size_t)num_agents);
  for (int a = 0; a < num_agents; a++) {
    int count = c->needs.roles[proof_role_of(a)].count;
    move(&t, s->values[a], sizeof *s->values[a] * (size_t)count);
  }
  move(&t, s->cells, sizeof *s->cells * (size_t)c->needs.num_cells);
  move_items(&t, &s->num_symbols, s->symbols, sizeof *s->symbols);
  move_items(&t, &s->num_bounds, s->bounds, sizeof *s->bounds);
  move_items(&t, &s->num_entries, s->entries, sizeof *s->entries);
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

static bool is_over(const Prover *p) { return p->context->fault.code != NULL; }

//===-- Steps -------------------------------------------------------------===//

// Runs until nobody can go on without a decision that is open: who takes it is
// returned, or -1. So nobody is more than a decision ahead of those who follow.
// PAUSES where it may go on so for ever.
static int run(Prover *p) {
  int steps = 0, decides = NOBODY;
  int most = p->state->num_symbols + MAX_ENTERED;
  for (int i = 0; i < p->context->machine.num_agents && !is_over(p);) {
    int agent = p->order[i];
    const ProofOp *op = proof_op_at(p->context, p->state, agent);
    bool is_long = ++steps > MAX_STEPS || p->state->num_symbols > most;
    if (is_long && op->kind == PROOF_BRANCH && op->branch.is_loop)
      return PAUSES;
    ProofStep step;
    ProofProgress progress = proof_run_op(p->context, p->state, agent, &step);
    if (progress == PROOF_MAY_FREE_OTHERS) {
      i = 0;
      decides = NOBODY;
      continue;
    }
    if (progress == PROOF_DECIDES && decides < 0)
      decides = agent;
    i += progress != PROOF_GOES_ON;
  }
  return decides;
}

//===-- At a standstill ---------------------------------------------------===//

static void finish(Prover *p) {
  ProofContext *c = p->context;
  int waits = -1;
  for (int a = c->machine.num_agents - 1; a >= 0; a--)
    if (proof_op_at(c, p->state, a)->kind != PROOF_END)
      waits = a;
  if (waits < 0)
    proof_machine_end(&c->machine, p->state->words);
  else
    proof_fail(&c->fault, waits, proof_op_at(c, p->state, waits), "deadlock",
               "waits here, and nobody who could end this wait goes on");
}

static void keep(Prover *p) {
  if (is_over(p))
    return;
  if (p->seen.count >= p->limits->max_states || p->seen.num_words > MAX_WORDS) {
    proof_fail(&p->context->fault, PROOF_NONE, NULL, "too-many-states",
               "the threads reach more than %d states together", p->seen.count);
    return;
  }
  if (!proof_rename(p->context, p->state))
    proof_fail(&p->context->fault, PROOF_NONE, NULL, "too-many-values",
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
    const ProofOp *op = proof_op_at(p->context, p->state, agent);
    ProofTermId condition = proof_condition_of(p->context, p->state, agent, op);
    proof_learn(p->context, p->state, condition, holds);
    if (!proof_conclude(p->context, p->state))
      continue;
    proof_go(p->state, agent, op, holds);
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

static void prove_from(Prover *p, int64_t which, int64_t count) {
  set_residues(p->context, which, count);
  p->seen = (Seen){.arena = p->context->arena, .keys.arena = p->context->arena};
  proof_state_start(p->context, p->state);
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
  bool result = scalar->kind != PROOF_VARIABLE && scalar->kind != PROOF_HELD &&
                scalar->kind != PROOF_NEW;
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
  p.state = proof_state_new(c);
  set_order(&p);
  find_positive(&p);
  find_residues(&p);
  find_fixed(&p);
  int64_t count = num_starts(c);
  if (!c->needs.period)
    proof_fail(&c->fault, PROOF_NONE, NULL, "position",
               "slots and parities depend on more than can be followed");
  for (int64_t i = 0; i < count && !is_over(&p); i++)
    prove_from(&p, i, count);
  if (c->fault.code)
    proof_fault_write(&c->fault, PROOF_UNKNOWN, verdict);
  tile_arena_deinit(&scratch);
}

void proof_verify(const ProofProgram *program, const ProofLimits *limits,
                  TileArena *arena, ProofVerdict *out_verdict) {
  ProofProgram pruned = *program;
  ProofMachine machine;
  *out_verdict = (ProofVerdict){.role = PROOF_NONE};
  proof_machine_init(&machine, program, false, arena, NULL);
  for (int r = 0; r < program->num_roles; r++) {
    size_t size_bytes = sizeof(ProofOp) * (size_t)program->roles[r].num_ops;
    pruned.roles[r].ops =
        tile_arena_copy(arena, program->roles[r].ops, size_bytes, size_bytes);
  }
  proof_prune(&pruned, &machine, arena);
  prove(&pruned, limits, out_verdict);
  if (out_verdict->outcome != PROOF_PROVED &&
      proof_explore(&pruned, limits, arena, out_verdict))
    out_verdict->outcome = PROOF_REJECTED;
}
