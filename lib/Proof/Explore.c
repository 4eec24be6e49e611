//===- Explore.c - Runs that go wrong -------------------------------------===//
//
// What comes from outside gets small numbers, so each agent is a list of steps.
// Of the first step that breaks a rule, what has surely happened before it is
// known from clocks: these events and the step, and no others, are a schedule
// that goes wrong.
//
//===----------------------------------------------------------------------===//

#include "Explore.h"

#include "Facts.h"
#include "Machine.h"
#include "Numbers.h"
#include "Variables.h"

#include <stdio.h>
#include <string.h>

//===-- Roles executed for one word of decisions --------------------------===//

// What comes from outside gets small numbers, drawn from a word. Then every
// decision, slot and parity is known, and each role is a list of steps.

//===-- Words -------------------------------------------------------------===//

typedef enum {
  PROOF_WORD_PLAIN,  // every number from outside is `seed`
  PROOF_WORD_DIGITS, // the digits, in the order in which they are asked for
  PROOF_WORD_RANDOM, // drawn from `seed`
} WordKind;

enum { PROOF_MAX_DIGITS = 48 };

// What everything that comes from outside the roles is in one run.
typedef struct {
  WordKind kind;
  uint64_t seed;
  int64_t unit;  // numbers are multiples of it, so that loops with steps run
  int num_trips; // digits of numbers: from 0 to this
  int num_digits;
  uint64_t keys[PROOF_MAX_DIGITS];
  uint8_t digits[PROOF_MAX_DIGITS], bases[PROOF_MAX_DIGITS];
  bool has_overflow; // more numbers were asked for than there are digits
} Word;

//===-- Runs --------------------------------------------------------------===//

typedef struct {
  ProofStep *steps;
  int num_steps, capacity;
} RoleRun;

enum { PROOF_MAX_CHOICES = 6 };

typedef struct {
  RoleRun roles[PROOF_MAX_ROLES];
  bool is_complete; // no limit was met
  /// No decision or position came from numbers that may not be free: functions
  /// that are not computed.
  bool is_certain;
  bool has_guess; // something depends on what no role computes, nor memory has
  /// Of each role: the last loop whose trips are not fixed; or null.
  ProofChoice loops[PROOF_MAX_ROLES];
  ProofChoice choices[PROOF_MAX_CHOICES];
  int num_choices;
} Run;

enum { MAX_STEPS = 1000, MAX_ITERATIONS = 300, MAX_OPS = 20000 };

typedef struct {
  const ProofProgram *program;
  const ProofNeeds *needs;
  TileArena *arena;
  Word *word;
  Run *out;
  int64_t *values; // of variables, per scalar
  int role, num_iterations;
  bool is_position; // slots and parities are not any numbers,
  bool *is_bound;   // but for those that loops run to, per scalar
} Runner;

//===-- Numbers -----------------------------------------------------------===//

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x =
      (a ^ (b + UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
  return (x ^ x >> 29) * UINT64_C(0x94D049BB133111EB) >> 1;
}

static uint8_t digit_of(Word *word, uint64_t key, int base) {
  for (int i = 0; i < word->num_digits; i++)
    if (word->keys[i] == key)
      return word->digits[i];
  if (word->num_digits == PROOF_MAX_DIGITS) {
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
static int64_t outside(const Runner *t, uint64_t key, bool is_bit) {
  enum { RANGE = 9 };
  Word *word = t->word;
  if (word->kind == PROOF_WORD_PLAIN)
    return (int64_t)word->seed * word->unit;
  if (word->kind == PROOF_WORD_RANDOM)
    return (int64_t)(mix(key, word->seed) % RANGE) * word->unit;
  return digit_of(word, key, is_bit ? 2 : word->num_trips + 1) *
         (is_bit ? 1 : word->unit);
}

// The next word of PROOF_WORD_DIGITS after one that was run; false at the end.
static bool word_next(Word *word) {
  while (word->num_digits > 0) {
    int last = word->num_digits - 1;
    if (++word->digits[last] < word->bases[last])
      return true;
    word->num_digits--;
  }
  return false;
}

static int64_t value_of(Runner *r, ProofScalarId id, bool is_bit);

static int64_t function_value(Runner *r, ProofScalarId id) {
  const ProofScalar *scalar = &r->program->scalars[id];
  ProofNumber args[PROOF_MAX_ARGS] = {{0}};
  uint64_t hash = (uint64_t)scalar->function;
  for (int i = 0; i < scalar->num_args; i++) {
    int64_t value = value_of(r, scalar->args[i], false);
    hash = mix(hash, (uint64_t)value);
    if (i < PROOF_MAX_ARGS)
      args[i] = proof_number(value, 0);
  }
  ProofNumber number =
      proof_apply(scalar->function, scalar->constant, scalar->num_args, args);
  if (number.is_known)
    return number.value;
  r->out->is_certain &= scalar->is_free && (!r->is_position || r->is_bound[id]);
  return outside(r, hash, true);
}

static int64_t value_of(Runner *r, ProofScalarId id, bool is_bit) {
  const ProofScalar *scalar = &r->program->scalars[id];
  if (scalar->kind == PROOF_CONSTANT)
    return scalar->constant;
  if (scalar->kind == PROOF_FUNCTION)
    return function_value(r, id);
  if (scalar->kind == PROOF_VARIABLE)
    return r->values[id];
  r->out->is_certain &= !r->is_position || r->is_bound[id];
  r->out->has_guess |= !scalar->is_free;
  return outside(r, mix((uint64_t)id, 0), is_bit);
}

// The number of a slot; slots of whole tiles have none.
static int32_t slot_value(Runner *r, ProofScalarId id) {
  return id < 0 ? id : (int32_t)value_of(r, id, false);
}

static void bind(Runner *r, const ProofOp *op) {
  const bool *is_needed = r->needs->is_needed;
  int64_t *values = TILE_ARENA_NEW(r->arena, int64_t, op->bind.count + 1);
  for (int i = 0; i < op->bind.count; i++)
    if (is_needed[op->bind.to[i]])
      values[i] = value_of(r, op->bind.from[i], false);
  for (int i = 0; i < op->bind.count; i++)
    r->values[op->bind.to[i]] = values[i];
}

//===-- Steps -------------------------------------------------------------===//

static void run_event(Runner *r, const ProofOp *op) {
  RoleRun *role = &r->out->roles[r->role];
  if (role->num_steps == MAX_STEPS) {
    r->out->is_complete = false;
    return;
  }
  TILE_ARENA_RESERVE(r->arena, role->steps, role->num_steps, role->capacity);
  ProofStep *step = &role->steps[role->num_steps++];
  *step = (ProofStep){.op = op};
  r->is_position = true;
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  for (int i = 0; i < count; i++) {
    step->slots[i] = slot_value(r, uses[i].slot);
    if (uses[i].parity >= 0)
      step->parity = (int32_t)value_of(r, uses[i].parity, false);
  }
  r->is_position = false;
}

static void note_choice(Runner *r, const ProofOp *op, int64_t count) {
  Run *out = r->out;
  for (int i = 0; i < out->num_choices; i++)
    if (out->choices[i].origin == op->origin)
      return; // how it went the first time
  if (out->num_choices < PROOF_MAX_CHOICES)
    out->choices[out->num_choices++] =
        (ProofChoice){op->origin, op->branch.is_loop, count};
}

static bool decide(Runner *r, const ProofOp *op, int64_t *trips) {
  bool holds = value_of(r, op->branch.condition, true) & 1;
  if (!op->branch.is_loop) {
    note_choice(r, op, holds);
    return holds;
  }
  if (holds) {
    ++*trips;
    r->out->is_complete &= ++r->num_iterations <= MAX_ITERATIONS;
    return true;
  }
  if (!op->branch.is_fixed) {
    note_choice(r, op, *trips);
    r->out->loops[r->role] = (ProofChoice){op->origin, true, *trips};
  }
  *trips = 0;
  return false;
}

static void run_role(Runner *r) {
  const ProofRole *role = &r->program->roles[r->role];
  int64_t *trips = TILE_ARENA_NEW(r->arena, int64_t, role->num_ops);
  int pc = 0, count = 0;
  r->num_iterations = 0;
  while (role->ops[pc].kind != PROOF_END && r->out->is_complete) {
    const ProofOp *op = &role->ops[pc];
    r->out->is_complete &= ++count < MAX_OPS;
    if (op->kind == PROOF_JUMP) {
      pc = op->jump.target;
    } else if (op->kind == PROOF_BRANCH) {
      pc = decide(r, op, &trips[pc]) ? pc + 1 : op->branch.target;
    } else {
      if (op->kind == PROOF_BIND)
        bind(r, op);
      else
        run_event(r, op);
      pc++;
    }
  }
}

//===-- Entry -------------------------------------------------------------===//

// What the bounds of loops are made of. Positions of channels are carried, and
// do not come from there.
static void mark_bound(Runner *r, ProofScalarId id) {
  const ProofScalar *scalar = &r->program->scalars[id];
  if (r->is_bound[id] ||
      (scalar->kind != PROOF_INPUT && scalar->kind != PROOF_FUNCTION))
    return;
  r->is_bound[id] = true;
  for (int i = 0; i < scalar->num_args; i++)
    mark_bound(r, scalar->args[i]);
}

static void mark_bounds(Runner *r, const ProofRole *role) {
  for (int i = 0; i < role->num_ops; i++) {
    const ProofOp *op = &role->ops[i];
    if (op->kind != PROOF_BRANCH || !op->branch.is_loop)
      continue;
    const ProofScalar *condition = &r->program->scalars[op->branch.condition];
    for (int k = 0;
         condition->kind == PROOF_FUNCTION && k < condition->num_args; k++)
      mark_bound(r, condition->args[k]);
  }
}

// Executes all roles. Owner: `arena`.
static void run_build(const ProofProgram *program, const ProofNeeds *needs,
                      TileArena *arena, Word *word, Run *out) {
  *out = (Run){.is_complete = true, .is_certain = true};
  Runner r = {.program = program,
              .needs = needs,
              .arena = arena,
              .word = word,
              .out = out};
  r.values = TILE_ARENA_NEW(arena, int64_t, program->num_scalars + 1);
  r.is_bound = TILE_ARENA_NEW(arena, bool, program->num_scalars + 1);
  for (int i = 0; i < program->num_roles; i++)
    mark_bounds(&r, &program->roles[i]);
  for (; r.role < program->num_roles && out->is_complete; r.role++)
    run_role(&r);
  out->is_complete &= !word->has_overflow;
}

typedef struct {
  int agent, index; // step of the agent
} Event;

typedef struct {
  const ProofProgram *program;
  const Run *run;
  TileArena *arena;
  ProofMachine machine;
  ProofFault fault;
  int32_t *state;
  int at[PROOF_MAX_AGENTS];
  Event *events; // in the order of the run
  int num_events, capacity;
  bool is_stuck;
} Trial;

//===-- One schedule ------------------------------------------------------===//

static const ProofStep *next_of(const Trial *t, int agent) {
  const RoleRun *role = &t->run->roles[agent / 2];
  return t->at[agent] < role->num_steps ? &role->steps[t->at[agent]] : NULL;
}

static void tick(const ProofMachine *m, int32_t *state, int agent, int now) {
  if (m->clock_words)
    proof_own(m, state, agent)[m->fact_words + agent] = now;
}

static void advance(Trial *t, int agent) {
  TILE_ARENA_RESERVE(t->arena, t->events, t->num_events, t->capacity);
  t->events[t->num_events++] = (Event){agent, t->at[agent]++};
  tick(&t->machine, t->state, agent, t->at[agent]);
}

static bool meet(Trial *t, int agent, const ProofOp *op) {
  unsigned mask = proof_sync_agents(t->program, agent, op);
  for (int a = 0; a < t->machine.num_agents; a++) {
    const ProofStep *next = next_of(t, a);
    if ((mask & 1u << a) && (!next || next->op->kind != PROOF_SYNC ||
                             next->op->sync.id != op->sync.id))
      return false;
  }
  for (int a = 0; a < t->machine.num_agents; a++)
    if (mask & 1u << a)
      advance(t, a);
  proof_machine_meet(&t->machine, t->state, mask);
  return true;
}

static bool step(Trial *t, int agent) {
  const ProofStep *next = next_of(t, agent);
  if (!next || t->fault.code)
    return false;
  if (next->op->threads == PROOF_LEADER && agent % 2) {
    t->at[agent]++;
    return true;
  }
  switch (proof_machine_step(&t->machine, t->state, agent, next)) {
  case PROOF_WAITS:
    return false;
  case PROOF_MEETS:
    return meet(t, agent, next->op);
  case PROOF_DONE:
    break;
  }
  advance(t, agent);
  return true;
}

// Why a phase is not complete, for messages: arrivals and bytes.
static void missing(const ProofMachine *m, const int32_t *state, int row,
                    int slot, int *out_arrivals, int *out_bytes) {
  const int32_t *barrier =
      state + m->barriers + (m->first_slot[row] + slot) * PROOF_WORDS;
  *out_arrivals = barrier[PROOF_PENDING];
  *out_bytes = barrier[PROOF_BYTES];
}

static void report_stuck(Trial *t) {
  for (int a = 0; a < t->machine.num_agents; a++) {
    const ProofStep *next = next_of(t, a);
    if (!next)
      continue;
    t->is_stuck = true;
    t->fault = (ProofFault){
        .code = "deadlock", .agent = a, .op = next->op, .is_sure = true};
    int arrivals = 0, bytes = 0;
    if (next->op->kind == PROOF_WAIT) {
      missing(&t->machine, t->state, next->op->wait.row, next->slots[0],
              &arrivals, &bytes);
      snprintf(t->fault.text, sizeof t->fault.text,
               "waits for ever for slot %d, parity %d: the phase lacks %d "
               "arrivals and %d bytes",
               next->slots[0], next->parity & 1, arrivals, bytes);
    } else {
      snprintf(t->fault.text, sizeof t->fault.text,
               "waits for threads that do not come");
    }
    return;
  }
  proof_machine_end(&t->machine, t->state);
}

static void run(Trial *t) {
  for (bool moved = true; moved;) {
    moved = false;
    for (int a = 0; a < t->machine.num_agents; a++)
      while (step(t, a))
        moved = true;
  }
  if (!t->fault.code)
    report_stuck(t);
}

//===-- The schedule ------------------------------------------------------===//

static ProofMove move_of(const ProofStep *step, int agent) {
  ProofUse uses[PROOF_MAX_READS] = {{.row = PROOF_NONE, .window = PROOF_NONE}};
  proof_op_uses(step->op, uses);
  return (ProofMove){.role = agent / 2,
                     .op = step->op,
                     .place = uses[0].row >= 0 ? uses[0].row : uses[0].window,
                     .slot = step->slots[0],
                     .parity = step->parity & 1};
}

// The clock of agent or role `who` in what `agent` knows, itself included; of
// a machine with clocks. Copies of a role count behind the agents.
static int clock_of(const ProofMachine *m, const int32_t *state, int agent,
                    int who) {
  int at = m->fact_words + who;
  int own = proof_is_leader(agent) ? agent : m->num_agents + agent;
  int a = state[m->sets + agent * m->set_words + at];
  int b = state[m->sets + own * m->set_words + at];
  return a > b ? a : b;
}

static bool is_shown(const Trial *t, const Event *event) {
  const ProofStep *step = &t->run->roles[event->agent / 2].steps[event->index];
  // Other threads do what the leader does: it stands for them.
  if (event->agent != t->fault.agent && event->agent % 2 &&
      step->op->threads != PROOF_LEADER)
    return false;
  return t->is_stuck || event->index < clock_of(&t->machine, t->state,
                                                t->fault.agent, event->agent);
}

static const ProofSchedule *schedule_of(const Trial *t, TileArena *arena) {
  ProofSchedule *out = TILE_ARENA_NEW(arena, ProofSchedule, 1);
  int num_agents = t->machine.num_agents, agent = t->fault.agent;
  out->loop = t->run->loops[agent / 2];
  out->moves = TILE_ARENA_NEW(arena, ProofMove, t->num_events + num_agents);
  for (int i = 0; i < t->num_events; i++)
    if (is_shown(t, &t->events[i]))
      out->moves[out->num_moves++] = move_of(
          &t->run->roles[t->events[i].agent / 2].steps[t->events[i].index],
          t->events[i].agent);
  for (int a = 0; a < num_agents && t->is_stuck; a++) {
    bool is_same = a % 2 && t->at[a] == t->at[a - 1];
    if (!next_of(t, a) || is_same)
      continue;
    out->moves[out->num_moves] = move_of(next_of(t, a), a);
    out->moves[out->num_moves++].waits = true;
  }
  if (!t->is_stuck && next_of(t, agent))
    out->moves[out->num_moves++] = move_of(next_of(t, agent), agent);
  out->choices = TILE_ARENA_NEW(arena, ProofChoice, t->run->num_choices + 1);
  out->num_choices = t->run->num_choices;
  for (int i = 0; i < out->num_choices; i++)
    out->choices[i] = t->run->choices[i];
  return out;
}

//===-- Words -------------------------------------------------------------===//

typedef struct {
  const ProofProgram *program;
  const ProofLimits *limits;
  TileArena *arena;
  ProofNeeds needs;
  ProofVerdict *verdict;
  bool is_sure;
} Hunt;

static bool is_done(const Hunt *h) {
  return h->is_sure || h->verdict->num_runs >= h->limits->max_runs;
}

static void take_fault(Hunt *h, const Trial *t, bool is_sure) {
  ProofVerdict *verdict = h->verdict;
  if (verdict->schedule && !is_sure)
    return;
  verdict->schedule = schedule_of(t, h->arena);
  if (!is_sure)
    return;
  h->is_sure = true;
  verdict->code = t->fault.code;
  verdict->role = t->fault.agent / 2;
  verdict->origin = t->fault.op ? t->fault.op->origin : NULL;
  verdict->other = t->fault.other ? t->fault.other->origin : NULL;
  snprintf(verdict->text, sizeof verdict->text, "%s", t->fault.text);
}

static void try_word(Hunt *h, Word *word) {
  TileArena scratch;
  Run run_of_word;
  tile_arena_init(&scratch);
  h->verdict->num_runs++;
  word->has_overflow = false;
  run_build(h->program, &h->needs, &scratch, word, &run_of_word);
  if (run_of_word.is_complete) {
    Trial *t = TILE_ARENA_NEW(&scratch, Trial, 1);
    *t = (Trial){.program = h->program, .run = &run_of_word, .arena = &scratch};
    proof_machine_init(&t->machine, h->program, true, &scratch, &t->fault);
    t->state = TILE_ARENA_NEW(&scratch, int32_t, t->machine.num_words);
    proof_machine_start(&t->machine, t->state);
    run(t);
    if (t->fault.code)
      take_fault(h, t,
                 run_of_word.is_certain && !run_of_word.has_guess &&
                     t->fault.is_sure && !h->program->is_partial);
  }
  tile_arena_deinit(&scratch);
}

static void try_seeds(Hunt *h, WordKind kind, uint64_t first, uint64_t count,
                      const int64_t *units, int num_units) {
  for (uint64_t seed = first; seed < first + count; seed++)
    for (int u = 0; u < num_units && !is_done(h); u++) {
      Word word = {.kind = kind, .seed = seed, .unit = units[u]};
      try_word(h, &word);
    }
}

static void try_digits(Hunt *h, int64_t unit, int64_t max_runs) {
  enum { MAX_TRIPS = 8 };
  Word word = {.kind = PROOF_WORD_DIGITS, .unit = unit, .num_trips = 2};
  int64_t end = h->verdict->num_runs + max_runs;
  for (int r = 0; r < h->program->num_rows; r++)
    if (2 * h->program->rows[r].depth + 1 > word.num_trips)
      word.num_trips = 2 * h->program->rows[r].depth + 1;
  word.num_trips = word.num_trips > MAX_TRIPS ? MAX_TRIPS : word.num_trips;
  for (bool more = true; more; more = word_next(&word)) {
    if (is_done(h) || h->verdict->num_runs >= end)
      return;
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
  enum { NUM_PLAIN = 12, NUM_RANDOM = 28 };
  Hunt h = {
      .program = program, .limits = limits, .arena = arena, .verdict = verdict};
  int64_t units[3];
  proof_needs_build(program, arena, &h.needs);
  int num_units = find_units(&h.needs, units);
  try_seeds(&h, PROOF_WORD_PLAIN, 0, NUM_PLAIN, units, num_units);
  for (int u = num_units - 1; u >= 0; u--)
    try_digits(&h, units[u], limits->max_runs / 4);
  try_seeds(&h, PROOF_WORD_RANDOM, NUM_PLAIN, NUM_RANDOM, units, num_units);
  return h.is_sure;
}
