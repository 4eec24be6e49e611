//===- Explore.c - Runs that go wrong -------------------------------------===//
//
// What comes from outside gets small numbers, so every decision, slot and
// parity is known. Of the first event that breaks a rule, what has surely
// happened before it is known from clocks: these events and it, and no others,
// are a schedule that goes wrong.
//
//===----------------------------------------------------------------------===//

#include "Explore.h"

#include "Facts.h"
#include "Run.h"
#include "Words.h"

#include <stdio.h>
#include <string.h>

enum {
  MAX_STEPS = 1000,
  MAX_ITERATIONS = 300,
  MAX_OPS = 20000,
  MAX_CHOICES = 6
};

typedef struct {
  int agent, index; // among the events of the agent
  ProofStep step;
} Event;

// A run of one word, in one schedule.
typedef struct {
  ProofContext *context;
  ProofState *state;
  TileArena *arena;
  ProofChoice choices[MAX_CHOICES];
  int num_choices;
  Event *events; // in the order of the run; after a fault, it is the last one
  int num_events, capacity;
  int counts[PROOF_MAX_AGENTS]; // of events
  bool is_stuck;
} Trial;

//===-- Decisions ---------------------------------------------------------===//

static void note_choice(Trial *t, const ProofOp *op, int64_t count) {
  for (int i = 0; i < t->num_choices; i++)
    if (t->choices[i].origin == op->origin)
      return; // how it went the first time
  if (t->num_choices < MAX_CHOICES)
    t->choices[t->num_choices++] =
        (ProofChoice){op->origin, op->branch.is_loop, count};
}

static void note_decision(Trial *t, const ProofOp *op, bool holds,
                          int64_t *trips) {
  if (!op->branch.is_loop) {
    note_choice(t, op, holds);
  } else if (holds) {
    ++*trips;
  } else {
    if (!op->branch.is_fixed)
      note_choice(t, op, *trips);
    *trips = 0;
  }
}

// How the decisions of a role go where nobody waits. False where a limit is
// met.
static bool walk_role(Trial *t, int role) {
  ProofContext *c = t->context;
  const ProofRole *code = &c->program->roles[role];
  int64_t *trips = TILE_ARENA_NEW(t->arena, int64_t, code->num_ops);
  int *pc = &t->state->pc[2 * role];
  int num_ops = 0, num_steps = 0, num_iterations = 0;
  c->word->num_new = 0;
  while (code->ops[*pc].kind != PROOF_END) {
    int at = *pc;
    const ProofOp *op = &code->ops[at];
    bool is_event = op->kind < PROOF_BIND;
    if (is_event)
      ++*pc;
    else
      proof_run_op(c, t->state, 2 * role, NULL);
    bool holds = *pc == at + 1;
    if (op->kind == PROOF_BRANCH)
      note_decision(t, op, holds, &trips[at]);
    num_steps += is_event;
    num_iterations += op->kind == PROOF_BRANCH && op->branch.is_loop && holds;
    if (++num_ops == MAX_OPS || num_steps > MAX_STEPS ||
        num_iterations > MAX_ITERATIONS)
      return false;
  }
  return true;
}

//===-- One schedule ------------------------------------------------------===//

static void note_event(Trial *t, int agent, const ProofStep *step) {
  TILE_ARENA_RESERVE(t->arena, t->events, t->num_events, t->capacity);
  t->events[t->num_events++] = (Event){agent, t->counts[agent]++, *step};
}

// Whether the agent went on.
static bool step(Trial *t, int agent) {
  ProofContext *c = t->context;
  const ProofOp *op = proof_op_at(c, t->state, agent);
  bool is_event = op->kind < PROOF_BIND &&
                  (op->threads != PROOF_LEADER || proof_is_leader(agent));
  ProofStep step = {.op = op};
  if (c->fault.code)
    return false;
  ProofProgress progress = proof_run_op(c, t->state, agent, &step);
  if (progress == PROOF_HAS_ENDED ||
      (progress == PROOF_STANDS && !c->fault.code))
    return false;
  if (is_event && op->kind != PROOF_SYNC)
    note_event(t, agent, &step);
  for (int a = 0; op->kind == PROOF_SYNC && a < c->machine.num_agents; a++) {
    ProofStep met = {.op = proof_op_at(c, t->state, a) - 1};
    if (proof_sync_agents(c->program, agent, op) & 1u << a)
      note_event(t, a, &met);
  }
  return true;
}

static void report_stuck(Trial *t) {
  ProofContext *c = t->context;
  for (int a = 0; a < c->machine.num_agents; a++) {
    ProofStep step;
    const ProofOp *op = proof_op_at(c, t->state, a);
    if (op->kind == PROOF_END)
      continue;
    t->is_stuck = true;
    if (op->kind != PROOF_WAIT) {
      proof_fail(&c->fault, a, op, "deadlock",
                 "waits for threads that do not come");
      return;
    }
    proof_run_op(c, t->state, a, &step);
    const int32_t *barrier =
        proof_words(&c->machine, t->state->words,
                    c->machine.first_slot[op->wait.row] + step.slots[0]);
    proof_fail(&c->fault, a, op, "deadlock",
               "waits for ever for slot %d, parity %d: the phase lacks %d "
               "arrivals and %d bytes",
               step.slots[0], step.parity & 1, barrier[PROOF_PENDING],
               barrier[PROOF_BYTES]);
    return;
  }
  proof_machine_end(&c->machine, t->state->words);
}

// What roles hand each other is not known when each of them is walked, so it
// may be too long after all.
static void run(Trial *t) {
  int num_agents = t->context->machine.num_agents, num_ops = 0;
  bool is_long = false;
  for (bool moved = true; moved && !is_long;) {
    moved = false;
    for (int a = 0; a < num_agents; a++)
      while (!is_long && step(t, a)) {
        moved = true;
        is_long = ++num_ops > MAX_OPS * num_agents;
      }
  }
  if (!t->context->fault.code && !is_long)
    report_stuck(t);
}

//===-- The schedule ------------------------------------------------------===//

static ProofMove move_of(const ProofStep *step, int agent) {
  ProofUse uses[PROOF_MAX_READS] = {{.row = PROOF_NONE, .window = PROOF_NONE}};
  proof_op_uses(step->op, uses);
  return (ProofMove){.role = proof_role_of(agent),
                     .op = step->op,
                     .place = uses[0].row >= 0 ? uses[0].row : uses[0].window,
                     .slot = step->slots[0],
                     .parity = step->parity & 1};
}

static bool is_shown(const Trial *t, const Event *event) {
  const ProofContext *c = t->context;
  int agent = c->fault.agent;
  // Other threads do what the leader does: it stands for them.
  if (event->agent != agent && !proof_is_leader(event->agent) &&
      event->step.op->threads != PROOF_LEADER)
    return false;
  return t->is_stuck || event->index < proof_clock(&c->machine, t->state->words,
                                                   agent, event->agent);
}

static const ProofSchedule *schedule_of(const Trial *t, TileArena *arena) {
  ProofContext *c = t->context;
  ProofSchedule *out = TILE_ARENA_NEW(arena, ProofSchedule, 1);
  int num_agents = c->machine.num_agents;
  out->moves = TILE_ARENA_NEW(arena, ProofMove, t->num_events + num_agents);
  for (int i = 0; i < t->num_events; i++)
    if (is_shown(t, &t->events[i]))
      out->moves[out->num_moves++] =
          move_of(&t->events[i].step, t->events[i].agent);
  for (int a = 0; a < num_agents && t->is_stuck; a++) {
    const ProofOp *op = proof_op_at(c, t->state, a);
    ProofStep step = {.op = op};
    bool is_same =
        !proof_is_leader(a) && t->state->pc[a] == t->state->pc[a - 1];
    if (op->kind == PROOF_END || is_same)
      continue;
    proof_run_op(c, t->state, a, &step);
    out->moves[out->num_moves] = move_of(&step, a);
    out->moves[out->num_moves++].waits = true;
  }
  out->choices = tile_arena_copy(
      arena, t->choices, sizeof *t->choices * (size_t)t->num_choices,
      sizeof *t->choices * (size_t)(t->num_choices + 1));
  out->num_choices = t->num_choices;
  return out;
}

//===-- Words -------------------------------------------------------------===//

typedef struct {
  const ProofProgram *program;
  const ProofLimits *limits;
  TileArena *arena;
  ProofNeeds needs;
  bool *is_bound; // per scalar
  ProofVerdict *verdict;
  bool is_sure;
} Hunt;

// What the bounds of loops are made of. Positions of channels are carried, and
// do not come from there.
static void mark_bound(Hunt *h, ProofScalarId id) {
  const ProofScalar *scalar = &h->program->scalars[id];
  if (h->is_bound[id] ||
      (scalar->kind != PROOF_INPUT && scalar->kind != PROOF_FUNCTION))
    return;
  h->is_bound[id] = true;
  for (int i = 0; i < scalar->num_args; i++)
    mark_bound(h, scalar->args[i]);
}

static void mark_bounds(Hunt *h, const ProofRole *role) {
  for (int i = 0; i < role->num_ops; i++) {
    const ProofOp *op = &role->ops[i];
    if (op->kind != PROOF_BRANCH || !op->branch.is_loop)
      continue;
    const ProofScalar *condition = &h->program->scalars[op->branch.condition];
    for (int k = 0;
         condition->kind == PROOF_FUNCTION && k < condition->num_args; k++)
      mark_bound(h, condition->args[k]);
  }
}

static bool is_done(const Hunt *h) {
  return h->is_sure || h->verdict->num_runs >= h->limits->max_runs;
}

static void take_fault(Hunt *h, const Trial *t) {
  const ProofContext *c = t->context;
  bool is_sure = !c->word->is_uncertain && !c->word->has_guess &&
                 c->fault.is_sure && !h->program->is_partial;
  if (h->verdict->schedule && !is_sure)
    return;
  h->verdict->schedule = schedule_of(t, h->arena);
  h->is_sure = is_sure;
  if (is_sure)
    proof_fault_write(&c->fault, PROOF_REJECTED, h->verdict);
}

static void try_word(Hunt *h, ProofWord *word) {
  TileArena scratch;
  bool is_complete = true;
  tile_arena_init(&scratch);
  h->verdict->num_runs++;
  word->is_bound = h->is_bound;
  ProofContext *c = TILE_ARENA_NEW(&scratch, ProofContext, 1);
  *c = (ProofContext){.program = h->program,
                      .arena = &scratch,
                      .needs = h->needs,
                      .word = word};
  proof_terms_init(&c->terms, &scratch);
  proof_machine_init(&c->machine, h->program, true, &scratch, &c->fault);
  Trial *t = TILE_ARENA_NEW(&scratch, Trial, 1);
  *t = (Trial){.context = c, .state = proof_state_new(c), .arena = &scratch};
  proof_state_start(c, t->state);
  for (int r = 0; r < h->program->num_roles && is_complete; r++)
    is_complete = walk_role(t, r);
  if (is_complete) {
    proof_state_start(c, t->state);
    run(t);
    if (c->fault.code)
      take_fault(h, t);
  }
  tile_arena_deinit(&scratch);
}

static void try_seeds(Hunt *h, bool is_plain, uint64_t count,
                      const int64_t *units, int num_units) {
  for (uint64_t seed = 0; seed < count; seed++)
    for (int u = 0; u < num_units && !is_done(h); u++) {
      ProofWord word = {.is_plain = is_plain, .seed = seed, .unit = units[u]};
      try_word(h, &word);
    }
}

//===-- Units -------------------------------------------------------------===//

// The largest constant that counters step by.
static int64_t largest_step(const ProofNeeds *needs) {
  int64_t largest = 1;
  for (int r = 0; r < needs->program->num_roles; r++)
    for (int i = 0; i < needs->roles[r].count; i++)
      if (needs->roles[r].items[i].step > largest)
        largest = needs->roles[r].items[i].step;
  return largest;
}

// What bounds are divided by: sizes of tiles.
static int64_t largest_divisor(const ProofNeeds *needs) {
  enum { MAX_DIVISOR = 65536 };
  const ProofProgram *program = needs->program;
  int64_t largest = 1;
  for (int i = 0; i < program->num_scalars; i++) {
    const ProofScalar *scalar = &program->scalars[i];
    if (!needs->is_needed[i] || scalar->kind != PROOF_FUNCTION ||
        (scalar->function != PROOF_DIV && scalar->function != PROOF_CEILDIV))
      continue;
    const ProofScalar *by = &program->scalars[scalar->args[1]];
    if (by->kind == PROOF_CONSTANT && by->constant > largest &&
        by->constant <= MAX_DIVISOR)
      largest = by->constant;
  }
  return largest;
}

// Numbers from outside are multiples of one of these; how many there are.
static int find_units(const ProofNeeds *needs, int64_t out[3]) {
  const int64_t units[3] = {largest_step(needs), 1, largest_divisor(needs)};
  int count = 0;
  for (int i = 0; i < 3; i++) {
    bool is_new = true;
    for (int k = 0; k < count; k++)
      is_new &= out[k] != units[i];
    if (is_new)
      out[count++] = units[i];
  }
  return count;
}

bool proof_explore(const ProofProgram *program, const ProofLimits *limits,
                   TileArena *arena, ProofVerdict *verdict) {
  enum { NUM_PLAIN = 12, NUM_DRAWN = 60 };
  Hunt h = {
      .program = program, .limits = limits, .arena = arena, .verdict = verdict};
  int64_t units[3];
  proof_needs_build(program, arena, &h.needs);
  h.needs.num_residues = 0; // all numbers are known
  h.is_bound = TILE_ARENA_NEW(arena, bool, program->num_scalars + 1);
  for (int r = 0; r < program->num_roles; r++)
    mark_bounds(&h, &program->roles[r]);
  int num_units = find_units(&h.needs, units);
  try_seeds(&h, true, NUM_PLAIN, units, num_units);
  try_seeds(&h, false, NUM_DRAWN, units, num_units);
  return h.is_sure;
}
