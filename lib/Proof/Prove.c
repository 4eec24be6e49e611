//===- Prove.c - Programs, for all trip counts and guards -----------------===//
//
// One schedule is enough (Machine.c), so roles are zipped together again: who
// computes goes first, who copies goes on when nobody else can. Decisions that
// are not known go both ways; what is learned from them holds for all agents,
// since it is about terms, not about code.
//
//===----------------------------------------------------------------------===//

#include "Prove.h"

#include "Mirror.h"
#include "Rings.h"
#include "Seen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  MAX_STEPS = 4096,
  MAX_STARTS = 4096,
  MAX_WORDS = 40 << 20, // of all states that are kept: 160 MiB
  NOBODY = -1,
  PAUSES = -2
};

typedef struct {
  ProofContext *context;
  const ProofLimits *limits;
  ProofVerdict *verdict;
  bool merges;
  ProofRings *rings;
  ProofMirrors *mirrors;
  ProofSeen seen;
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
  *out = (ProofStep){.op = op};
  switch (op->kind) {
  case PROOF_WAIT:
    return position_of(p, agent, op, op->wait.slot, &out->slot) &&
           position_of(p, agent, op, op->wait.parity, &out->parity);
  case PROOF_ARRIVE:
    return position_of(p, agent, op, op->arrive.slot, &out->slot);
  case PROOF_FILL:
    out->slot = slot_of(p, agent, op->fill.place.slot);
    return op->fill.how != PROOF_BY_TMA || op->fill.row < 0 ||
           position_of(p, agent, op, op->fill.row_slot, &out->row_slot);
  case PROOF_READ:
    for (int i = 0; i < op->read.count; i++)
      out->read_slots[i] = slot_of(p, agent, op->read.places[i].slot);
    return true;
  default:
    return true;
  }
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
  for (int i = 0; i < p->context->machine.num_agents && !is_over(p);) {
    int agent = p->order[i];
    const ProofOp *op = op_at(p, agent);
    if (++steps > MAX_STEPS && op->kind == PROOF_BRANCH && op->branch.is_loop)
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
  proof_forget_common(&p->context->machine, p->state->words);
  if (!proof_rename(p->context, p->state))
    stop(p, "too-many-values", -1, NULL,
         "the threads have more values than can be followed");
  else {
    proof_mirror(p->mirrors, p->context, p->state);
    proof_rings_turn(p->rings, p->context, p->state);
    proof_seen_keep(&p->seen, p->context, p->state);
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
    proof_seen_restore(&p->seen, index, p->context, p->state);
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
  proof_seen_init(&p->seen, p->merges, p->context->arena);
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

unsigned proof_sync_agents(const ProofProgram *program, int agent,
                           const ProofOp *op) {
  unsigned own = 3u << 2 * proof_role_of(agent);
  return op->sync.id < 0 ? own : program->sync_agents[op->sync.id] | own;
}

static void prove(const ProofProgram *program, const ProofLimits *limits,
                  bool merges, ProofVerdict *verdict) {
  TileArena scratch;
  tile_arena_init(&scratch);
  ProofContext *c = TILE_ARENA_NEW(&scratch, ProofContext, 1);
  *c = (ProofContext){.program = program, .arena = &scratch};
  proof_needs_build(program, &scratch, &c->needs);
  proof_terms_init(&c->terms, &scratch);
  proof_machine_init(&c->machine, program, false, &scratch, &c->fault);
  Prover p = {
      .context = c, .limits = limits, .verdict = verdict, .merges = merges};
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

void proof_prove(const ProofProgram *program, const ProofLimits *limits,
                 ProofVerdict *verdict) {
  for (int merges = 1; merges >= 0; merges--) {
    *verdict =
        (ProofVerdict){.role = PROOF_NONE, .num_states = verdict->num_states};
    prove(program, limits, merges, verdict);
    if (verdict->outcome == PROOF_PROVED)
      return;
  }
}
