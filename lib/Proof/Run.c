//===- Run.c - Roles executed for one word of decisions -------------------===//
//
// What comes from outside gets small numbers, drawn from a word. Then every
// decision, slot and parity is known, and each role is a list of steps.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "Numbers.h"

enum { MAX_STEPS = 1000, MAX_ITERATIONS = 300, MAX_OPS = 20000 };

typedef struct {
  const ProofProgram *program;
  const ProofNeeds *needs;
  TileArena *arena;
  ProofWord *word;
  ProofRun *out;
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

static uint8_t digit_of(ProofWord *word, uint64_t key, int base) {
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
  ProofWord *word = t->word;
  if (word->kind == PROOF_WORD_PLAIN)
    return (int64_t)word->seed * word->unit;
  if (word->kind == PROOF_WORD_RANDOM)
    return (int64_t)(mix(key, word->seed) % RANGE) * word->unit;
  return digit_of(word, key, is_bit ? 2 : word->num_trips + 1) *
         (is_bit ? 1 : word->unit);
}

bool proof_word_next(ProofWord *word) {
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
  ProofRoleRun *role = &r->out->roles[r->role];
  if (role->num_steps == MAX_STEPS) {
    r->out->is_complete = false;
    return;
  }
  TILE_ARENA_RESERVE(r->arena, role->steps, role->num_steps, role->capacity);
  ProofStep *step = &role->steps[role->num_steps++];
  *step = (ProofStep){.op = op};
  r->is_position = true;
  if (op->kind == PROOF_WAIT) {
    step->slot = slot_value(r, op->wait.slot);
    step->parity = (int32_t)value_of(r, op->wait.parity, false);
  } else if (op->kind == PROOF_ARRIVE) {
    step->slot = slot_value(r, op->arrive.slot);
  } else if (op->kind == PROOF_FILL) {
    step->slot = slot_value(r, op->fill.place.slot);
    if (op->fill.how == PROOF_BY_TMA && op->fill.row >= 0)
      step->row_slot = slot_value(r, op->fill.row_slot);
  }
  for (int i = 0; op->kind == PROOF_READ && i < op->read.count; i++)
    step->read_slots[i] = slot_value(r, op->read.places[i].slot);
  r->is_position = false;
}

static void note_choice(Runner *r, const ProofOp *op, int64_t count) {
  ProofRun *out = r->out;
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
  for (int i = 0; scalar->kind == PROOF_FUNCTION && i < scalar->num_args; i++)
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

void proof_run_build(const ProofProgram *program, const ProofNeeds *needs,
                     TileArena *arena, ProofWord *word, ProofRun *out) {
  *out = (ProofRun){.is_complete = true, .is_certain = true};
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
