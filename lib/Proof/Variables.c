//===- Variables.c - Which numbers states keep ----------------------------===//
//
// What slots, parities and decisions depend on, as long as somebody asks for
// it. Counters are variables that a loop adds to.
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

#include "Support/Arithmetic.h"
#include "Support/KeyTable.h"

#include <string.h>

enum { MAX_PERIOD = 512 };

typedef struct {
  const ProofProgram *program;
  TileArena *arena;
  ProofNeeds *out;
  ProofScalarId *todo;
  int num_todo;
} Build;

static const ProofScalar *scalar_at(const Build *b, ProofScalarId id) {
  return &b->program->scalars[id];
}

// A variable that a scalar is made of, or -1.
static ProofScalarId variable_in(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  ProofScalarId found = scalar->kind == PROOF_VARIABLE ? id : PROOF_NONE;
  for (int i = 0; i < scalar->num_args && found < 0; i++)
    found = variable_in(b, scalar->args[i]);
  return found;
}

//===-- What is needed ----------------------------------------------------===//

static void mark(Build *b, bool *marks, ProofScalarId id) {
  if (id < 0 || marks[id])
    return;
  marks[id] = true;
  b->todo[b->num_todo++] = id;
}

// What binds of the role may give the variable.
static void mark_sources(Build *b, bool *marks, ProofScalarId id) {
  const ProofRole *role = &b->program->roles[scalar_at(b, id)->role];
  for (int i = 0; i < role->num_ops; i++) {
    const ProofOp *op = &role->ops[i];
    for (int k = 0; op->kind == PROOF_BIND && k < op->bind.count; k++)
      if (op->bind.to[k] == id)
        mark(b, marks, op->bind.from[k]);
  }
}

// What fills may leave in the slots of a window.
static void mark_fills(Build *b, bool *marks, const ProofScalar *held) {
  const ProofProgram *p = b->program;
  int buffer = p->windows[held->constant].buffer;
  for (int r = 0; r < p->num_roles; r++)
    for (int i = 0; i < p->roles[r].num_ops; i++) {
      const ProofOp *op = &p->roles[r].ops[i];
      if (op->kind == PROOF_FILL && op->fill.has_value &&
          p->windows[op->fill.place.window].buffer == buffer)
        mark(b, marks, op->fill.value);
    }
}

static void close_marks(Build *b, bool *marks) {
  for (int next = 0; next < b->num_todo; next++) {
    ProofScalarId id = b->todo[next];
    const ProofScalar *scalar = scalar_at(b, id);
    for (int i = 0; i < scalar->num_args; i++)
      mark(b, marks, scalar->args[i]);
    if (scalar->kind == PROOF_VARIABLE)
      mark_sources(b, marks, id);
    if (scalar->kind == PROOF_HELD)
      mark_fills(b, marks, scalar);
  }
  b->num_todo = 0;
}

static void mark_roles(Build *b, bool *marks, bool of_decisions) {
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->program->roles[r].num_ops; i++) {
      const ProofOp *op = &b->program->roles[r].ops[i];
      ProofUse uses[PROOF_MAX_READS];
      int count = proof_op_uses(op, uses);
      for (int k = 0; k < count; k++) {
        mark(b, marks, uses[k].slot);
        mark(b, marks, uses[k].parity);
      }
      if (op->kind == PROOF_BRANCH && of_decisions)
        mark(b, marks, op->branch.condition);
    }
  close_marks(b, marks);
}

//===-- Decisions that make no difference ---------------------------------===//

// What a branch decides about, its loop or all of its sides: ops from `begin`
// to before `end`.
typedef struct {
  int begin, end;
} Range;

static Range range_of(const ProofRole *role, int branch) {
  int target = role->ops[branch].branch.target;
  const ProofOp *last = &role->ops[target - 1]; // goes on after it, or repeats
  return role->ops[branch].branch.is_loop ? (Range){last->jump.target, target}
                                          : (Range){branch, last->jump.target};
}

// Whether an op is one that the proof looks at, or gives somebody a value.
static bool matters(const ProofMachine *m, const bool *marks,
                    const ProofOp *op) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  bool result = op->kind != PROOF_BIND && op->kind != PROOF_BRANCH &&
                op->kind != PROOF_JUMP;
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++)
    result |= marks[op->bind.to[i]];
  if (op->kind != PROOF_FILL && op->kind != PROOF_READ)
    return result;
  result = false;
  for (int i = 0; i < count; i++)
    result |=
        uses[i].row >= 0 || m->is_checked[m->first_resource[uses[i].window]];
  return result;
}

// Marks what decisions of the role that make a difference ask for.
static bool mark_decisions(Build *b, const ProofMachine *m, bool *marks,
                           const ProofRole *role, bool *is_kept) {
  bool is_new = false;
  for (int i = 0; i < role->num_ops; i++) {
    if (role->ops[i].kind != PROOF_BRANCH || is_kept[i])
      continue;
    Range range = range_of(role, i);
    for (int k = range.begin; k < range.end && !is_kept[i]; k++)
      is_kept[i] = matters(m, marks, &role->ops[k]);
    if (!is_kept[i])
      continue;
    is_new = true;
    mark(b, marks, role->ops[i].branch.condition);
    close_marks(b, marks);
  }
  return is_new;
}

void proof_prune(ProofProgram *program, const ProofMachine *m,
                 TileArena *arena) {
  Build b = {.program = program, .arena = arena};
  int count = program->num_scalars + 1;
  bool *marks = TILE_ARENA_NEW(arena, bool, count), is_new = true;
  bool *is_kept[PROOF_MAX_ROLES];
  b.todo = TILE_ARENA_NEW(arena, ProofScalarId, count);
  mark_roles(&b, marks, false);
  for (int r = 0; r < program->num_roles; r++)
    is_kept[r] = TILE_ARENA_NEW(arena, bool, program->roles[r].num_ops);
  while (is_new) {
    is_new = false;
    for (int r = 0; r < program->num_roles; r++)
      is_new |= mark_decisions(&b, m, marks, &program->roles[r], is_kept[r]);
  }
  for (int r = 0; r < program->num_roles; r++)
    for (int i = 0; i < program->roles[r].num_ops; i++) {
      ProofOp *ops = program->roles[r].ops;
      if (ops[i].kind != PROOF_BRANCH || is_kept[r][i])
        continue;
      Range range = range_of(&program->roles[r], i);
      for (int k = range.begin; k < range.end; k++)
        ops[k] = (ProofOp){.kind = PROOF_JUMP,
                           .origin = ops[k].origin,
                           .jump.target = range.end};
    }
}

//===-- Periods -----------------------------------------------------------===//

static void multiply_period(Build *b, int64_t slots, ProofScalarId slot) {
  int64_t *period = &b->out->period;
  if (slot < 0 || scalar_at(b, slot)->kind == PROOF_CONSTANT || !*period)
    return;
  *period = *period / tile_gcd(*period, slots) * slots;
  if (*period > MAX_PERIOD)
    *period = 0;
}

static void multiply_op(Build *b, const ProofOp *op) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  for (int i = 0; i < count; i++)
    multiply_period(b, proof_num_slots(b->program, &uses[i]), uses[i].slot);
}

//===-- Counters ----------------------------------------------------------===//

typedef struct {
  const Build *build;
  ProofScalarId counter;
  uint8_t *seen; // per scalar: without and with a sum on the way
  int64_t step;  // 0: not found
} Steps;

static int64_t step_of(const Build *b, const ProofScalar *sum) {
  for (int i = 0; i < 2; i++) {
    const ProofScalar *arg = scalar_at(b, sum->args[i]);
    if (arg->kind == PROOF_CONSTANT)
      return arg->constant < 0 ? -arg->constant : arg->constant;
  }
  return 1;
}

// What wraps or is chosen has bounds of its own.
static bool is_unbounded(int function) {
  return function == PROOF_ADD || function == PROOF_SUB ||
         function == PROOF_MUL || function == PROOF_DIV ||
         function == PROOF_CEILDIV || function == PROOF_SHL ||
         function == PROOF_SHR || function == PROOF_CAST;
}

// Whether `id` is computed from the counter by a sum.
static void find_step(Steps *s, ProofScalarId id, int64_t step) {
  const ProofScalar *scalar = scalar_at(s->build, id);
  uint8_t bit = step ? 2 : 1;
  if (s->step || (s->seen[id] & bit))
    return;
  s->seen[id] |= bit;
  if (id == s->counter && (s->seen[id] & 4)) {
    s->step = step;
    return;
  }
  s->seen[s->counter] |= 4;
  if (scalar->kind == PROOF_FUNCTION) {
    bool is_sum =
        scalar->function == PROOF_ADD || scalar->function == PROOF_SUB;
    int64_t by = is_sum && !step ? step_of(s->build, scalar) : step;
    for (int i = 0; is_unbounded(scalar->function) && i < scalar->num_args; i++)
      find_step(s, scalar->args[i], by);
  } else if (scalar->kind == PROOF_VARIABLE) {
    const ProofRole *role = &s->build->program->roles[scalar->role];
    for (int i = 0; i < role->num_ops; i++)
      for (int k = 0;
           role->ops[i].kind == PROOF_BIND && k < role->ops[i].bind.count; k++)
        if (role->ops[i].bind.to[k] == id)
          find_step(s, role->ops[i].bind.from[k], step);
  }
}

static int64_t counter_step(const Build *b, ProofScalarId id) {
  Steps s = {
      .build = b,
      .counter = id,
      .seen = TILE_ARENA_NEW(b->arena, uint8_t, b->program->num_scalars + 1)};
  find_step(&s, id, 0);
  return s.step;
}

static ProofVariable *variable_of(const Build *b, ProofScalarId id) {
  int index = b->out->index[id];
  return index < 0 ? NULL : &b->out->roles[scalar_at(b, id)->role].items[index];
}

static void find_next(Build *b, int role) {
  const ProofRole *code = &b->program->roles[role];
  for (int i = 0; i < code->num_ops; i++) {
    const ProofOp *op = &code->ops[i];
    for (int k = 0;
         op->kind == PROOF_BIND && op->bind.repeats && k < op->bind.count; k++)
      if (variable_of(b, op->bind.to[k]))
        variable_of(b, op->bind.to[k])->next = op->bind.from[k];
  }
}

typedef struct {
  int64_t factor, constant;
  bool is_known;
} Line;

// factor * counter + constant
static Line line_of(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (scalar->kind == PROOF_CONSTANT)
    return (Line){0, scalar->constant, true};
  if (scalar->kind == PROOF_VARIABLE)
    return (Line){1, 0, true};
  if (scalar->kind != PROOF_FUNCTION ||
      (scalar->function != PROOF_ADD && scalar->function != PROOF_SUB &&
       scalar->function != PROOF_MUL))
    return (Line){0};
  Line x = line_of(b, scalar->args[0]), y = line_of(b, scalar->args[1]);
  int sign = scalar->function == PROOF_ADD ? 1 : -1;
  if (scalar->function == PROOF_MUL)
    return (Line){x.factor * y.constant, x.constant * y.constant,
                  x.is_known && y.is_known && y.factor == 0};
  return (Line){x.factor + sign * y.factor, x.constant + sign * y.constant,
                x.is_known && y.is_known};
}

// Remainders by small numbers that decisions ask for are known of counters.
static int64_t remainders_of(const Build *b) {
  enum { MAX_DIVISOR = 8 };
  int64_t result = 1;
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (!b->out->is_needed[i] || scalar->kind != PROOF_FUNCTION ||
        (scalar->function != PROOF_REM && scalar->function != PROOF_AND))
      continue;
    const ProofScalar *by = scalar_at(b, scalar->args[1]);
    int64_t divisor = by->constant + (scalar->function == PROOF_AND);
    Line line = line_of(b, scalar->args[0]);
    if (by->kind == PROOF_CONSTANT && divisor > 1 && divisor <= MAX_DIVISOR &&
        line.is_known && line.factor)
      result = result / tile_gcd(result, divisor) * divisor;
  }
  return result <= MAX_DIVISOR * 3 ? result : 1;
}

static void find_counters(Build *b, int role) {
  const ProofRole *code = &b->program->roles[role];
  int64_t remainders = remainders_of(b);
  for (int i = 0; i < code->num_ops; i++) {
    const ProofOp *op = &code->ops[i];
    bool enters = op->kind == PROOF_BIND && op->bind.enters;
    for (int k = 0; enters && k < op->bind.count; k++) {
      ProofVariable *variable = variable_of(b, op->bind.to[k]);
      if (!variable)
        continue;
      variable->step = counter_step(b, op->bind.to[k]);
      int64_t modulus = variable->step * 2 * b->out->period;
      if (variable->step && b->out->is_position[op->bind.to[k]] &&
          modulus > 0 && modulus <= INT32_MAX)
        variable->modulus = modulus;
      variable->modulus = variable->modulus /
                          tile_gcd(variable->modulus, remainders) * remainders;
    }
  }
}

//===-- Classes -----------------------------------------------------------===//

// The same for scalars that are computed alike from any variables.
static uint64_t shape_of(const Build *b, ProofScalarId id, int depth) {
  enum { MAX_DEPTH = 12 };
  const ProofScalar *scalar = scalar_at(b, id);
  uint64_t hash = tile_hash_word(TILE_HASH_START, (uint64_t)scalar->kind);
  if (scalar->kind == PROOF_INPUT)
    return tile_hash_word(hash, (uint64_t)id);
  if (scalar->kind == PROOF_CONSTANT)
    return tile_hash_word(hash, (uint64_t)scalar->constant);
  if (scalar->kind == PROOF_VARIABLE || depth == MAX_DEPTH)
    return hash;
  hash = tile_hash_word(hash, (uint64_t)scalar->function);
  hash = tile_hash_word(hash, (uint64_t)scalar->constant);
  for (int i = 0; i < scalar->num_args; i++)
    hash = tile_hash_word(hash, shape_of(b, scalar->args[i], depth + 1));
  return hash;
}

typedef struct {
  Build *build;
  uint64_t *shapes; // per class
  int capacity;
} Classes;

static int class_of(Classes *c, uint64_t shape) {
  ProofNeeds *out = c->build->out;
  for (int i = 0; i < out->num_classes; i++)
    if (c->shapes[i] == shape)
      return i;
  int capacity = c->capacity;
  TILE_ARENA_RESERVE(c->build->arena, c->shapes, out->num_classes, c->capacity);
  if (capacity != c->capacity)
    out->class_agents =
        tile_arena_copy(c->build->arena, out->class_agents,
                        sizeof *out->class_agents * (size_t)out->num_classes,
                        sizeof *out->class_agents * (size_t)c->capacity);
  c->shapes[out->num_classes] = shape;
  return out->num_classes++;
}

// The decision of the loop that begins at `at`.
static const ProofOp *decision_of(const ProofRole *role, int at) {
  while (at < role->num_ops &&
         !(role->ops[at].kind == PROOF_BRANCH && role->ops[at].branch.is_loop))
    at++;
  return at < role->num_ops ? &role->ops[at] : NULL;
}

// Whether a loop has to do with others: nobody has one to go beside those that
// have not. A loop that moves positions goes past what others do.
static bool has_events(const Build *b, const ProofRole *role, int from,
                       int to) {
  for (int i = from; i < to; i++) {
    ProofOpKind kind = role->ops[i].kind;
    for (int k = 0; kind == PROOF_BIND && k < role->ops[i].bind.count; k++)
      if (b->out->is_position[role->ops[i].bind.to[k]])
        return true;
    if (kind == PROOF_WAIT || kind == PROOF_ARRIVE || kind == PROOF_TURN ||
        (kind == PROOF_SYNC && role->ops[i].sync.id >= 0) ||
        (kind == PROOF_FILL && role->ops[i].fill.row >= 0))
      return true;
  }
  return false;
}

static void classify(Classes *c, int role) {
  Build *b = c->build;
  const ProofRole *code = &b->program->roles[role];
  for (int i = 0; i < code->num_ops; i++) {
    const ProofOp *op = &code->ops[i];
    const ProofOp *decision = decision_of(code, i);
    if (op->kind != PROOF_BIND || !op->bind.enters || !decision)
      continue;
    uint64_t shape = shape_of(b, decision->branch.condition, 0);
    if (!has_events(b, code, i, decision->branch.target))
      shape = tile_hash_word(shape, (uint64_t)role);
    for (int k = 0; k < op->bind.count; k++) {
      ProofVariable *variable = variable_of(b, op->bind.to[k]);
      if (!variable || !variable->step)
        continue;
      bool is_iv = k + 1 == op->bind.count; // the last one, of an scf.for
      variable->class_number =
          class_of(c, tile_hash_word(shape, (uint64_t)(is_iv ? -1 : k)));
      b->out->class_agents[variable->class_number] |=
          3u << 2 * role & ~b->out->idle_agents;
    }
  }
}

// Counters of one class are one number.
static void share_moduli(Build *b) {
  ProofNeeds *out = b->out;
  for (int n = 0; n < out->num_classes; n++) {
    int64_t modulus = 1;
    for (int pass = 0; pass < 2; pass++)
      for (int r = 0; r < b->program->num_roles; r++)
        for (int i = 0; i < out->roles[r].count; i++) {
          ProofVariable *variable = &out->roles[r].items[i];
          if (variable->class_number != n)
            continue;
          modulus = modulus / tile_gcd(modulus, variable->modulus) *
                    variable->modulus;
          variable->modulus = modulus;
        }
  }
}

static bool is_comparison(const ProofScalar *scalar) {
  return scalar->kind == PROOF_FUNCTION &&
         proof_is_comparison(scalar->function);
}

//===-- Marks -------------------------------------------------------------===//

static void add_mark(Build *b, int64_t value, int *capacity) {
  ProofNeeds *out = b->out;
  int at = 0;
  while (at < out->num_marks && out->marks[at] < value)
    at++;
  if (at < out->num_marks && out->marks[at] == value)
    return;
  TILE_ARENA_RESERVE(b->arena, out->marks, out->num_marks, *capacity);
  memmove(out->marks + at + 1, out->marks + at,
          sizeof *out->marks * (size_t)(out->num_marks - at));
  out->marks[at] = value;
  out->num_marks++;
}

static void find_marks(Build *b) {
  int capacity = 0;
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (!b->out->is_needed[i] || !is_comparison(scalar))
      continue;
    Line x = line_of(b, scalar->args[0]), y = line_of(b, scalar->args[1]);
    int64_t factor = x.factor - y.factor, constant = y.constant - x.constant;
    if (!x.is_known || !y.is_known || !factor)
      continue;
    add_mark(b, constant / factor, &capacity);
    if (constant % factor)
      add_mark(b, constant / factor + 1, &capacity);
  }
}

static void find_reach(Build *b) {
  int64_t depth = 1, step = 1;
  for (int r = 0; r < b->program->num_rows; r++)
    if (b->program->rows[r].depth > depth)
      depth = b->program->rows[r].depth;
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->out->roles[r].count; i++)
      if (b->out->roles[r].items[i].step > step)
        step = b->out->roles[r].items[i].step;
  enum { MAX_AHEAD = 12 };
  b->out->max_factor = MAX_AHEAD;
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (!scalar->is_positive || scalar->kind != PROOF_FUNCTION ||
        scalar->function != PROOF_MUL)
      continue;
    int64_t factor = MAX_AHEAD * step_of(b, scalar);
    if (factor > b->out->max_factor)
      b->out->max_factor = factor;
  }
  b->out->rounds = (int)depth + 1;
  b->out->reach = (depth + 3) * step;
}

//===-- What is asked for later -------------------------------------------===//

typedef struct {
  const Build *build;
  ProofVariables *variables;
  const ProofRole *code;
  uint64_t **asked; // per scalar, or NULL
} Live;

static const uint64_t *asked_by(Live *l, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(l->build, id);
  if (l->asked[id])
    return l->asked[id];
  uint64_t *out =
      TILE_ARENA_NEW(l->build->arena, uint64_t, l->variables->live_words + 1);
  l->asked[id] = out;
  int index = l->build->out->index[id];
  if (scalar->kind == PROOF_VARIABLE && index >= 0 &&
      l->code == &l->build->program->roles[scalar->role])
    out[index / 64] |= UINT64_C(1) << index % 64;
  for (int i = 0; i < scalar->num_args; i++) {
    const uint64_t *inner = asked_by(l, scalar->args[i]);
    for (int w = 0; w < l->variables->live_words; w++)
      out[w] |= inner[w];
  }
  return out;
}

static void ask(Live *l, uint64_t *live, ProofScalarId id) {
  if (id < 0)
    return;
  const uint64_t *asked = asked_by(l, id);
  for (int w = 0; w < l->variables->live_words; w++)
    live[w] |= asked[w];
}

static bool is_in(const uint64_t *set, int index) {
  return index >= 0 && (set[index / 64] >> index % 64 & 1);
}

static void put_in(uint64_t *set, int index) {
  set[index / 64] |= UINT64_C(1) << index % 64;
}

// The conditions of a whole run that a decision asks for.
static void ask_fixed(const Live *l, uint64_t *live, ProofScalarId id) {
  const ProofNeeds *out = l->build->out;
  const ProofScalar *scalar = scalar_at(l->build, id);
  for (int i = 0; i < out->num_fixed; i++)
    if (out->fixed[i] == id)
      put_in(live, l->variables->count + i);
  for (int i = 0; i < scalar->num_args; i++)
    ask_fixed(l, live, scalar->args[i]);
}

static void ask_bind(Live *l, const ProofOp *op, const uint64_t *after,
                     uint64_t *live) {
  const int *index = l->build->out->index;
  for (int k = 0; k < op->bind.count; k++)
    if (is_in(live, index[op->bind.to[k]]))
      live[index[op->bind.to[k]] / 64] &=
          ~(UINT64_C(1) << index[op->bind.to[k]] % 64);
  for (int k = 0; k < op->bind.count; k++)
    if (is_in(after, index[op->bind.to[k]]))
      ask(l, live, op->bind.from[k]);
}

// What is asked for from `at` on; whether that is more than before.
static bool update_live(Live *l, int at, uint64_t *scratch) {
  const ProofOp *op = &l->code->ops[at];
  int words = l->variables->live_words;
  const uint64_t *next = l->variables->live + (at + 1) * words;
  uint64_t *here = l->variables->live + at * words;
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  size_t bytes = sizeof *here * (size_t)words;
  if (op->kind == PROOF_END)
    return false;
  memcpy(scratch,
         op->kind == PROOF_JUMP ? l->variables->live + op->jump.target * words
                                : next,
         bytes);
  for (int i = 0; i < count; i++) {
    ask(l, scratch, uses[i].slot);
    ask(l, scratch, uses[i].parity);
  }
  if (proof_has_cell(l->build->out, op) && op->fill.has_value)
    ask(l, scratch, op->fill.value);
  int enters = l->variables->count + l->variables->num_fixed;
  if (op->kind == PROOF_BIND)
    ask_bind(l, op, next, scratch);
  if (op->kind == PROOF_BIND && op->bind.enters)
    put_in(scratch, enters);
  if (op->kind == PROOF_JUMP && op->jump.target <= at && !is_in(here, enters))
    scratch[enters / 64] &= ~(UINT64_C(1) << enters % 64); // it asks anew
  if (op->kind == PROOF_BRANCH) {
    ask(l, scratch, op->branch.condition);
    ask_fixed(l, scratch, op->branch.condition);
    for (int w = 0; w < words; w++)
      scratch[w] |= l->variables->live[op->branch.target * words + w];
  }
  bool has_changed = memcmp(here, scratch, bytes) != 0;
  memcpy(here, scratch, bytes);
  return has_changed;
}

static void add_question(bool *is_question, const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  is_question[id] = true;
  for (int i = 0; i < scalar->num_args; i++)
    if (scalar->function == PROOF_AND || scalar->function == PROOF_OR ||
        scalar->function == PROOF_XOR || scalar->function == PROOF_SELECT)
      add_question(is_question, b, scalar->args[i]);
}

static int64_t largest_constant(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  int64_t largest = scalar->kind == PROOF_CONSTANT ? scalar->constant : 0;
  largest = largest < 0 ? -largest : largest;
  for (int i = 0; i < scalar->num_args; i++) {
    int64_t inner = largest_constant(b, scalar->args[i]);
    largest = inner > largest ? inner : largest;
  }
  return largest;
}

// Whether the condition compares a multiple of a variable with a number.
static bool compares_with_number(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (!is_comparison(scalar))
    return false;
  Line x = line_of(b, scalar->args[0]), y = line_of(b, scalar->args[1]);
  return x.is_known && y.is_known && x.factor != y.factor;
}

// Of each counter, the conditions that depend on it.
static void list_questions(Live *l) {
  const Build *b = l->build;
  int count = b->program->num_scalars;
  bool *is_question = TILE_ARENA_NEW(b->arena, bool, count + 1);
  for (int i = 0; i < l->code->num_ops; i++)
    if (l->code->ops[i].kind == PROOF_BRANCH)
      add_question(is_question, b, l->code->ops[i].branch.condition);
  for (int i = 0; i < count; i++)
    is_question[i] |= b->out->is_needed[i] && is_comparison(scalar_at(b, i));
  for (int v = 0; v < l->variables->count; v++) {
    ProofVariable *variable = &l->variables->items[v];
    if (!variable->step)
      continue;
    variable->questions = TILE_ARENA_NEW(b->arena, ProofScalarId, count + 1);
    for (int i = 0; i < count; i++) {
      if (!is_question[i] || !is_in(asked_by(l, i), v))
        continue;
      int64_t ahead = largest_constant(b, i);
      variable->questions[variable->num_questions++] = i;
      variable->ahead = ahead > variable->ahead ? ahead : variable->ahead;
      variable->asks_marks |= compares_with_number(b, i);
    }
  }
}

//===-- Conditions of a whole run -----------------------------------------===//

static void add_fixed(Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  ProofNeeds *out = b->out;
  bool is_new = variable_in(b, id) < 0;
  for (int i = 0; i < out->num_fixed; i++)
    is_new &= out->fixed[i] != id;
  if (is_new)
    out->fixed[out->num_fixed++] = id;
  for (int i = 0; i < scalar->num_args; i++)
    add_fixed(b, scalar->args[i]);
}

static void list_fixed(Build *b) {
  b->out->fixed =
      TILE_ARENA_NEW(b->arena, ProofScalarId, b->program->num_scalars + 1);
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->program->roles[r].num_ops; i++)
      if (b->program->roles[r].ops[i].kind == PROOF_BRANCH)
        add_fixed(b, b->program->roles[r].ops[i].branch.condition);
}

static void find_live(Build *b, int role) {
  ProofVariables *v = &b->out->roles[role];
  const ProofRole *code = &b->program->roles[role];
  v->num_fixed = b->out->num_fixed;
  v->live_words = (v->count + v->num_fixed) / 64 + 1;
  v->live =
      TILE_ARENA_NEW(b->arena, uint64_t, (code->num_ops + 1) * v->live_words);
  Live l = {.build = b, .variables = v, .code = code};
  l.asked = TILE_ARENA_NEW(b->arena, uint64_t *, b->program->num_scalars + 1);
  uint64_t *scratch = TILE_ARENA_NEW(b->arena, uint64_t, v->live_words);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int at = code->num_ops - 1; at >= 0; at--)
      has_changed |= update_live(&l, at, scratch);
  }
  list_questions(&l);
}

// Functions that are not computed, such as what memory has at a place.
static uint64_t bit_of(const Build *b, ProofScalarId id) {
  int index = scalar_at(b, id)->kind == PROOF_VARIABLE ? b->out->index[id] : -1;
  return index >= 0 && index < 64 ? UINT64_C(1) << index : 0;
}

static uint64_t sources_of(const Build *b, ProofScalarId variable) {
  const ProofRole *role = &b->program->roles[scalar_at(b, variable)->role];
  uint64_t before = 0, out = bit_of(b, variable);
  while (before != out) {
    before = out;
    for (int i = 0; i < role->num_ops; i++)
      for (int k = 0;
           role->ops[i].kind == PROOF_BIND && k < role->ops[i].bind.count; k++)
        if (bit_of(b, role->ops[i].bind.to[k]) & out)
          out |= bit_of(b, role->ops[i].bind.from[k]);
  }
  return out;
}

static void list_reads(Build *b) {
  ProofNeeds *out = b->out;
  out->reads = TILE_ARENA_NEW(b->arena, ProofRead, b->program->num_scalars + 1);
  for (int i = 0; i < b->program->num_scalars; i++)
    if (out->is_needed[i] && scalar_at(b, i)->kind == PROOF_FUNCTION &&
        scalar_at(b, i)->function >= PROOF_OTHER && variable_in(b, i) >= 0)
      out->reads[out->num_reads++] =
          (ProofRead){i, variable_in(b, i), sources_of(b, variable_in(b, i))};
}

//===-- Entry -------------------------------------------------------------===//

// The buffers of which decisions ask what they hold.
static void list_cells(Build *b) {
  const ProofProgram *p = b->program;
  ProofNeeds *out = b->out;
  out->first_cell = TILE_ARENA_NEW(b->arena, int, p->num_buffers + 1);
  for (int i = 0; i < p->num_buffers; i++)
    out->first_cell[i] = PROOF_NONE;
  for (int i = 0; i < p->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (scalar->kind != PROOF_HELD || !out->is_needed[i])
      continue;
    int buffer = p->windows[scalar->constant].buffer;
    if (out->first_cell[buffer] >= 0)
      continue;
    out->first_cell[buffer] = out->num_cells;
    out->num_cells += p->buffers[buffer].num_slots;
  }
}

static void list_variables(Build *b) {
  ProofNeeds *out = b->out;
  for (int r = 0; r < b->program->num_roles; r++)
    out->roles[r].items =
        TILE_ARENA_NEW(b->arena, ProofVariable, b->program->num_scalars + 1);
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    out->index[i] = PROOF_NONE;
    if (scalar->kind != PROOF_VARIABLE || !out->is_needed[i])
      continue;
    ProofVariables *v = &out->roles[scalar->role];
    out->index[i] = v->count;
    v->items[v->count++] =
        (ProofVariable){.scalar = i, .modulus = 1, .class_number = PROOF_NONE};
  }
}

// Whether all that the role does is done by its leader.
static bool is_of_leader(const ProofRole *role) {
  bool result = true;
  for (int i = 0; i < role->num_ops; i++) {
    ProofOpKind kind = role->ops[i].kind;
    bool counts =
        kind <= PROOF_READ || kind == PROOF_SYNC || kind == PROOF_TURN;
    result &= !counts || role->ops[i].threads == PROOF_LEADER;
  }
  return result;
}

static void list_residues(Build *b) {
  ProofNeeds *out = b->out;
  out->residues =
      TILE_ARENA_NEW(b->arena, ProofScalarId, b->program->num_scalars + 1);
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->program->roles[r].num_ops; i++) {
      const ProofOp *op = &b->program->roles[r].ops[i];
      if (op->kind != PROOF_BRANCH || !op->branch.is_loop)
        continue;
      const ProofScalar *less = scalar_at(b, op->branch.condition);
      bool is_new = less->kind == PROOF_FUNCTION && less->num_args == 2 &&
                    out->is_position[less->args[1]] &&
                    variable_in(b, less->args[1]) < 0 &&
                    scalar_at(b, less->args[1])->kind != PROOF_CONSTANT;
      for (int k = 0; is_new && k < out->num_residues; k++)
        is_new = out->residues[k] != less->args[1];
      if (is_new)
        out->residues[out->num_residues++] = less->args[1];
    }
}

void proof_needs_build(const ProofProgram *program, TileArena *arena,
                       ProofNeeds *out) {
  int count = program->num_scalars + 1;
  *out = (ProofNeeds){.program = program, .period = 1};
  Build b = {.program = program, .arena = arena, .out = out};
  b.todo = TILE_ARENA_NEW(arena, ProofScalarId, count);
  out->index = TILE_ARENA_NEW(arena, int, count);
  out->is_needed = TILE_ARENA_NEW(arena, bool, count);
  out->is_position = TILE_ARENA_NEW(arena, bool, count);
  mark_roles(&b, out->is_needed, true);
  mark_roles(&b, out->is_position, false);
  list_variables(&b);
  list_cells(&b);
  list_residues(&b);
  for (int r = 0; r < program->num_roles; r++)
    for (int i = 0; i < program->roles[r].num_ops; i++)
      multiply_op(&b, &program->roles[r].ops[i]);
  for (int r = 0; r < program->num_roles; r++)
    if (is_of_leader(&program->roles[r]))
      out->idle_agents |= 2u << 2 * r;
  Classes classes = {.build = &b};
  list_fixed(&b);
  list_reads(&b);
  for (int r = 0; r < program->num_roles; r++) {
    find_counters(&b, r);
    find_next(&b, r);
    classify(&classes, r);
    find_live(&b, r);
  }
  share_moduli(&b);
  find_marks(&b);
  find_reach(&b);
}
