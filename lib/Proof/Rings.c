//===- Rings.c - Slots that make no difference ----------------------------===//
//
// Rows, buffers and variables that share slots are one group. It can be turned
// when its variables are carried, advanced and used as slots and parities only.
// A constant slot is a place of its own: while one lies ahead, nothing turns.
//
//===----------------------------------------------------------------------===//

#include "Rings.h"

#include "Facts.h"

#include <string.h>

typedef struct {
  int depth; // 0: not known
  bool turns;
} Group;

struct ProofRings {
  const ProofContext *context;
  int *group_of_row, *group_of_buffer, *group_of_scalar; // roots, or -1
  Group *groups;
  int num_groups;
  int *slot_of; // of a parity: the variable of its slot, or -1
  bool *is_parity;
  bool **has_constant; // per role, op and group: one lies ahead
};

typedef struct {
  ProofRings *out;
  const ProofProgram *program;
  int *parents; // of rows, buffers, scalars in turn
  int first_buffer, first_scalar, count;
} Build;

//===-- Groups ------------------------------------------------------------===//

static int root_of(Build *b, int item) {
  while (b->parents[item] != item)
    item = b->parents[item] = b->parents[b->parents[item]];
  return item;
}

static void unite(Build *b, int x, int y) {
  int from = root_of(b, x), to = root_of(b, y);
  b->parents[from > to ? from : to] = from > to ? to : from;
}

static const ProofScalar *scalar_at(const Build *b, ProofScalarId id) {
  return &b->program->scalars[id];
}

// The variable or constant that a slot or parity comes from, or -1 when more is
// done to it than to go on. Notes which parities belong to which slots.
static ProofScalarId source_of(Build *b, ProofScalarId id, bool is_parity) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (scalar->kind != PROOF_FUNCTION)
    return scalar->kind == PROOF_INPUT ? PROOF_NONE : id;
  if (scalar->function == PROOF_CAST)
    return source_of(b, scalar->args[0], is_parity);
  if (!is_parity)
    return scalar->function == PROOF_ADVANCE_SLOT
               ? source_of(b, scalar->args[0], false)
               : PROOF_NONE;
  if (scalar->function == PROOF_ADVANCE_PARITY)
    return source_of(b, scalar->args[1], true);
  bool is_flip = scalar->function == PROOF_XOR &&
                 scalar_at(b, scalar->args[1])->kind == PROOF_CONSTANT &&
                 scalar_at(b, scalar->args[1])->constant == 1;
  return is_flip ? source_of(b, scalar->args[0], true) : PROOF_NONE;
}

// How often it goes on to the next slot.
static int advances_of(Build *b, ProofScalarId id, bool is_parity) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (scalar->kind != PROOF_FUNCTION)
    return 0;
  bool advances = scalar->function <= PROOF_ADVANCE_PARITY;
  int inner = advances && is_parity ? 1 : 0;
  return advances + advances_of(b, scalar->args[inner], is_parity);
}

static void spoil(Build *b, int item) {
  b->out->groups[root_of(b, item)].turns = false;
}

// Joins a slot, and a parity if there is one, to a row or a buffer.
static void join(Build *b, int item, int64_t depth, ProofScalarId slot,
                 ProofScalarId parity) {
  ProofScalarId s = slot < 0 ? PROOF_NONE : source_of(b, slot, false);
  b->out->groups[item].depth = (int)depth;
  if (slot >= 0 && s < 0)
    spoil(b, item);
  if (s >= 0 && scalar_at(b, s)->kind == PROOF_VARIABLE)
    unite(b, item, b->first_scalar + s);
  if (parity < 0)
    return;
  ProofScalarId p = source_of(b, parity, true);
  if (p < 0) {
    spoil(b, item);
    return;
  }
  if (scalar_at(b, p)->kind != PROOF_VARIABLE)
    return;
  unite(b, item, b->first_scalar + p);
  b->out->is_parity[p] = true;
  if (s >= 0 && scalar_at(b, s)->kind == PROOF_VARIABLE)
    b->out->slot_of[p] = s;
}

static int item_of(const Build *b, const ProofUse *use) {
  return use->row >= 0
             ? use->row
             : b->first_buffer + b->program->windows[use->window].buffer;
}

static void join_op(Build *b, const ProofOp *op) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  for (int i = 0; i < count; i++)
    join(b, item_of(b, &uses[i]), proof_num_slots(b->program, &uses[i]),
         uses[i].slot, uses[i].parity);
}

// Variables that become each other are one; whether that was new.
static bool join_binds(Build *b, const ProofOp *op) {
  ProofRings *out = b->out;
  bool is_new = false;
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++) {
    ProofScalarId to = op->bind.to[i], from = op->bind.from[i];
    bool is_parity = out->is_parity[to];
    const ProofScalar *scalar = scalar_at(b, from);
    is_parity |= scalar->kind == PROOF_FUNCTION &&
                 scalar->function == PROOF_ADVANCE_PARITY;
    is_parity |= scalar->kind == PROOF_VARIABLE && out->is_parity[from];
    ProofScalarId source = source_of(b, from, is_parity);
    if (is_parity && !out->is_parity[to])
      is_new = out->is_parity[to] = true;
    if (source < 0 || scalar_at(b, source)->kind != PROOF_VARIABLE)
      continue;
    if (is_parity && !out->is_parity[source])
      is_new = out->is_parity[source] = true;
    int x = root_of(b, b->first_scalar + to);
    int y = root_of(b, b->first_scalar + source);
    is_new |= x != y;
    unite(b, x, y);
  }
  return is_new;
}

// A parity that becomes another one takes its slot along.
static bool pair_binds(Build *b, const ProofOp *op) {
  int *slot_of = b->out->slot_of;
  bool is_new = false;
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++) {
    ProofScalarId p = op->bind.to[i];
    if (!b->out->is_parity[p])
      continue;
    ProofScalarId source = source_of(b, op->bind.from[i], true);
    for (int k = 0; source >= 0 && k < op->bind.count; k++) {
      ProofScalarId s = op->bind.to[k];
      if (b->out->is_parity[s])
        continue;
      ProofScalarId slot = source_of(b, op->bind.from[k], false);
      bool is_variable = scalar_at(b, source)->kind == PROOF_VARIABLE;
      if (slot < 0 || !is_variable ||
          advances_of(b, op->bind.from[i], true) !=
              advances_of(b, op->bind.from[k], false))
        continue;
      if (slot_of[p] < 0 && slot_of[source] == slot) {
        slot_of[p] = s;
        is_new = true;
      }
      if (slot_of[source] < 0 && slot_of[p] == s &&
          scalar_at(b, slot)->kind == PROOF_VARIABLE) {
        slot_of[source] = slot;
        is_new = true;
      }
    }
  }
  return is_new;
}

//===-- What does not turn ------------------------------------------------===//

static int group_of(Build *b, ProofScalarId id) {
  return root_of(b, b->first_scalar + id);
}

// Variables in a function that does more than to go on, or in a condition.
static void spoil_uses(Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (scalar->kind == PROOF_VARIABLE)
    spoil(b, b->first_scalar + id);
  for (int i = 0; i < scalar->num_args; i++)
    spoil_uses(b, scalar->args[i]);
}

static bool goes_on(Build *b, ProofScalarId id, bool is_parity) {
  return id < 0 || source_of(b, id, is_parity) >= 0;
}

static void spoil_op(Build *b, const ProofOp *op) {
  const bool *is_needed = b->out->context->needs.is_needed;
  if (op->kind == PROOF_BRANCH)
    spoil_uses(b, op->branch.condition);
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++) {
    ProofScalarId to = op->bind.to[i], from = op->bind.from[i];
    if (!is_needed[to])
      continue;
    if (goes_on(b, from, b->out->is_parity[to]))
      continue;
    spoil_uses(b, from);
    spoil(b, b->first_scalar + to);
  }
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  for (int i = 0; i < count; i++) {
    if (!goes_on(b, uses[i].slot, false))
      spoil_uses(b, uses[i].slot);
    if (!goes_on(b, uses[i].parity, true))
      spoil_uses(b, uses[i].parity);
  }
}

// Depths of a group are one number, and so are those of what advances in it.
static void check_depths(Build *b) {
  ProofRings *out = b->out;
  for (int i = 0; i < b->first_scalar; i++) {
    Group *group = &out->groups[root_of(b, i)];
    int depth = out->groups[i].depth;
    if (depth && group->depth && depth != group->depth)
      group->turns = false;
    if (depth)
      group->depth = depth;
  }
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (scalar->kind != PROOF_FUNCTION ||
        scalar->function > PROOF_ADVANCE_PARITY)
      continue;
    for (int k = 0; k < scalar->num_args; k++) {
      ProofScalarId source = source_of(b, scalar->args[k], k == 1);
      if (source < 0 || scalar_at(b, source)->kind != PROOF_VARIABLE)
        continue;
      Group *group = &out->groups[group_of(b, source)];
      if (group->depth != scalar->constant)
        group->turns = false;
    }
  }
}

static void check_pairs(Build *b) {
  for (int i = 0; i < b->program->num_scalars; i++)
    if (b->out->is_parity[i] && b->out->context->needs.is_needed[i] &&
        b->out->slot_of[i] < 0)
      spoil(b, b->first_scalar + i);
}

static bool is_variable(Build *b, ProofScalarId id) {
  return id >= 0 && scalar_at(b, id)->kind == PROOF_VARIABLE;
}

// Whether a slot and a parity go on together from a variable and its slot, or
// one of them is a constant, which lies ahead until then.
static bool go_together(Build *b, ProofScalarId slot, ProofScalarId parity) {
  ProofScalarId s = source_of(b, slot, false), p = source_of(b, parity, true);
  if (!is_variable(b, s) || !is_variable(b, p))
    return true;
  return b->out->slot_of[p] == s &&
         advances_of(b, slot, false) == advances_of(b, parity, true);
}

static ProofScalarId bound_to(const ProofOp *op, ProofScalarId id) {
  for (int i = 0; i < op->bind.count; i++)
    if (op->bind.to[i] == id)
      return op->bind.from[i];
  return id; // it stays
}

// A slot that went on without its parity, or the other way round, would be
// another place after a turn.
static void check_steps(Build *b, const ProofOp *op) {
  const bool *is_needed = b->out->context->needs.is_needed;
  if (op->kind == PROOF_WAIT && op->wait.slot >= 0 &&
      !go_together(b, op->wait.slot, op->wait.parity))
    spoil(b, op->wait.row);
  if (op->kind != PROOF_BIND)
    return;
  for (int p = 0; p < b->program->num_scalars; p++) {
    ProofScalarId s = b->out->slot_of[p];
    if (!b->out->is_parity[p] || !is_needed[p] || s < 0 ||
        (bound_to(op, p) == p && bound_to(op, s) == s))
      continue;
    if (!go_together(b, bound_to(op, s), bound_to(op, p)))
      spoil(b, b->first_scalar + p);
  }
}

//===-- Constants ahead ---------------------------------------------------===//

static bool is_constant(Build *b, ProofScalarId id, bool is_parity) {
  ProofScalarId source = id < 0 ? PROOF_NONE : source_of(b, id, is_parity);
  return source >= 0 && scalar_at(b, source)->kind == PROOF_CONSTANT;
}

static void note_constants(Build *b, const ProofOp *op, bool *out) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  for (int i = 0; i < count; i++)
    if (is_constant(b, uses[i].slot, false) ||
        is_constant(b, uses[i].parity, true))
      out[root_of(b, item_of(b, &uses[i]))] = true;
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++)
    if (is_constant(b, op->bind.from[i], b->out->is_parity[op->bind.to[i]]))
      out[group_of(b, op->bind.to[i])] = true;
}

static void find_constants(Build *b, int role) {
  const ProofRole *code = &b->program->roles[role];
  int count = b->count;
  bool *ahead = TILE_ARENA_NEW(b->out->context->arena, bool,
                               (size_t)(code->num_ops + 1) * (size_t)count);
  b->out->has_constant[role] = ahead;
  for (int at = 0; at < code->num_ops; at++)
    note_constants(b, &code->ops[at], ahead + at * count);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int at = code->num_ops - 2; at >= 0; at--) {
      const ProofOp *op = &code->ops[at];
      int next = op->kind == PROOF_JUMP ? op->jump.target : at + 1;
      int other = op->kind == PROOF_BRANCH ? op->branch.target : next;
      for (int g = 0; g < count; g++) {
        bool more = ahead[next * count + g] || ahead[other * count + g];
        has_changed |= more && !ahead[at * count + g];
        ahead[at * count + g] |= more;
      }
    }
  }
}

//===-- Build -------------------------------------------------------------===//

static void for_each_op(Build *b, void (*visit)(Build *, const ProofOp *)) {
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->program->roles[r].num_ops; i++)
      visit(b, &b->program->roles[r].ops[i]);
}

static void settle(Build *b, bool (*visit)(Build *, const ProofOp *)) {
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (int r = 0; r < b->program->num_roles; r++)
      for (int i = 0; i < b->program->roles[r].num_ops; i++)
        is_new |= visit(b, &b->program->roles[r].ops[i]);
  }
}

static void note_groups(Build *b) {
  ProofRings *out = b->out;
  TileArena *arena = out->context->arena;
  int num_scalars = b->program->num_scalars;
  out->group_of_row = TILE_ARENA_NEW(arena, int, b->first_buffer + 1);
  out->group_of_buffer =
      TILE_ARENA_NEW(arena, int, b->first_scalar - b->first_buffer + 1);
  out->group_of_scalar = TILE_ARENA_NEW(arena, int, num_scalars + 1);
  for (int i = 0; i < b->first_buffer; i++)
    out->group_of_row[i] = root_of(b, i);
  for (int i = b->first_buffer; i < b->first_scalar; i++)
    out->group_of_buffer[i - b->first_buffer] = root_of(b, i);
  for (int i = 0; i < num_scalars; i++)
    out->group_of_scalar[i] = group_of(b, i);
}

ProofRings *proof_rings_build(const ProofContext *context) {
  TileArena *arena = context->arena;
  const ProofProgram *p = context->program;
  ProofRings *out = TILE_ARENA_NEW(arena, ProofRings, 1);
  Build b = {.out = out, .program = p};
  b.first_buffer = p->num_rows;
  b.first_scalar = b.first_buffer + p->num_buffers;
  b.count = b.first_scalar + p->num_scalars;
  b.parents = TILE_ARENA_NEW(arena, int, b.count + 1);
  *out = (ProofRings){.context = context, .num_groups = b.count};
  out->groups = TILE_ARENA_NEW(arena, Group, b.count + 1);
  out->slot_of = TILE_ARENA_NEW(arena, int, p->num_scalars + 1);
  out->is_parity = TILE_ARENA_NEW(arena, bool, p->num_scalars + 1);
  out->has_constant = TILE_ARENA_NEW(arena, bool *, p->num_roles + 1);
  for (int i = 0; i < b.count; i++) {
    b.parents[i] = i;
    out->groups[i].turns = true;
  }
  for (int i = 0; i < p->num_scalars; i++)
    out->slot_of[i] = PROOF_NONE;
  for_each_op(&b, join_op);
  settle(&b, join_binds);
  settle(&b, pair_binds);
  for (int i = 0; i < b.count; i++)
    if (!out->groups[i].turns)
      spoil(&b, i); // of what its root was when it was spoiled
  for_each_op(&b, spoil_op);
  for_each_op(&b, check_steps);
  check_depths(&b);
  check_pairs(&b);
  for (int r = 0; r < p->num_roles; r++)
    find_constants(&b, r);
  note_groups(&b);
  return out;
}

//===-- Turning -----------------------------------------------------------===//

typedef struct {
  const ProofRings *rings;
  ProofContext *context;
  ProofState *state;
  int group, depth;
  int slot, parity; // what becomes 0
} Turn;

static int turned(const Turn *t, int slot) {
  return slot >= t->slot ? slot - t->slot : slot - t->slot + t->depth;
}

static bool flips(const Turn *t, int slot) {
  return (t->parity != 0) != (slot < t->slot);
}

// The number of a variable of an agent, or -1.
static int64_t number_of(const Turn *t, int agent, ProofScalarId id) {
  int index = t->context->needs.index[id];
  ProofTermId term = index < 0 ? PROOF_NO_TERM : t->state->values[agent][index];
  return proof_term_is_constant(&t->context->terms, term)
             ? t->context->terms.items[term].constant
             : -1;
}

// Whether all that is alive in the group can be turned; finds what becomes 0.
static bool find_first(Turn *t) {
  const ProofContext *c = t->context;
  bool has_slot = false, has_parity = false;
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    if (t->rings->has_constant[proof_role_of(
            a)][t->state->pc[a] * t->rings->num_groups + t->group])
      return false;
    for (int i = 0; i < v->count; i++) {
      ProofScalarId id = v->items[i].scalar;
      if (t->rings->group_of_scalar[id] != t->group ||
          t->state->values[a][i] == PROOF_NO_TERM)
        continue;
      int64_t number = number_of(t, a, id);
      bool is_parity = t->rings->is_parity[id];
      if (number < 0 || number >= (is_parity ? 2 : t->depth))
        return false;
      int64_t slot = is_parity ? number_of(t, a, t->rings->slot_of[id]) : 0;
      if (slot < 0)
        return false;
      if (is_parity && !has_parity) {
        t->slot = (int)slot;
        t->parity = (int)number;
        has_parity = has_slot = true;
      } else if (!has_slot) {
        t->slot = (int)number;
        has_slot = true;
      }
    }
  }
  return has_slot && (t->slot || t->parity);
}

static void turn_values(const Turn *t) {
  ProofContext *c = t->context;
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    for (int of_slots = 0; of_slots < 2; of_slots++) // parities first
      for (int i = 0; i < v->count; i++) {
        ProofScalarId id = v->items[i].scalar;
        bool is_parity = t->rings->is_parity[id];
        if (t->rings->group_of_scalar[id] != t->group ||
            t->state->values[a][i] == PROOF_NO_TERM || is_parity == of_slots)
          continue;
        int number = (int)number_of(t, a, id);
        if (is_parity)
          number ^= flips(t, (int)number_of(t, a, t->rings->slot_of[id]));
        else
          number = turned(t, number);
        t->state->values[a][i] = proof_term_constant(&c->terms, number);
      }
  }
}

static void move_bits(const int32_t *from, int32_t *to, int first_from,
                      int first_to, int count) {
  for (int i = 0; i < count; i++)
    if (proof_has(from, first_from + i))
      proof_put(to, first_to + i);
    else
      proof_take(to, first_to + i);
}

// Of all sets of facts and those beside them, what is about slot `s` of a row,
// or about resource `r`.
static void move_facts(const ProofMachine *m, const int32_t *old,
                       int32_t *words, int first, int to, int count) {
  move_bits(old + m->active, words + m->active, first, to, count);
  move_bits(old + m->filled, words + m->filled, first, to, count);
  for (int i = 0; i < proof_num_sets(m); i++)
    move_bits(old + m->sets + i * m->set_words,
              words + m->sets + i * m->set_words, first, to, count);
}

static void turn_row(const Turn *t, int row, int32_t *old, int32_t *words) {
  const ProofMachine *m = &t->context->machine;
  size_t set_bytes = sizeof *words * (size_t)m->set_words;
  for (int s = 0; s < t->depth; s++) { // what phases gather first, as a whole
    int from = m->first_slot[row] + s, to = m->first_slot[row] + turned(t, s);
    memcpy(proof_words(m, words, to), proof_words(m, old, from),
           sizeof *words * PROOF_WORDS);
    proof_words(m, words, to)[PROOF_PHASE] ^= flips(t, s);
    memcpy(proof_gathering(m, words, to), proof_gathering(m, old, from),
           set_bytes);
    memcpy(proof_complete(m, words, to), proof_complete(m, old, from),
           set_bytes);
  }
}

static void turn_machine(const Turn *t) {
  const ProofMachine *m = &t->context->machine;
  const ProofProgram *p = t->context->program;
  const ProofRings *rings = t->rings;
  size_t bytes = sizeof(int32_t) * (size_t)m->num_words;
  TileArena scratch;
  tile_arena_init(&scratch);
  int32_t *words = t->state->words;
  int32_t *old = tile_arena_copy(&scratch, words, bytes, bytes);
  for (int r = 0; r < p->num_rows; r++)
    if (rings->group_of_row[r] == t->group)
      turn_row(t, r, old, words);
  memcpy(old, words, bytes); // sets are in place, and facts in them are not
  for (int r = 0; r < p->num_rows; r++)
    for (int s = 0; rings->group_of_row[r] == t->group && s < t->depth; s++)
      move_facts(m, old, words, proof_fact_phase(m, m->first_slot[r] + s, 0),
                 proof_fact_phase(m, m->first_slot[r] + turned(t, s), 0),
                 PROOF_FIRST_WAIT + m->num_agents);
  for (int w = 0; w < p->num_windows; w++)
    for (int s = 0; p->windows[w].has_slot && s < t->depth &&
                    rings->group_of_buffer[p->windows[w].buffer] == t->group;
         s++) {
      int from = m->first_resource[w] + s;
      int to = m->first_resource[w] + turned(t, s);
      move_facts(m, old, words, proof_fact_written(m, from, 0),
                 proof_fact_written(m, to, 0), proof_facts_per_resource(m));
      for (int a = 0; a < m->num_agents; a++)
        memcpy(proof_age(m, words, a, to, 0), proof_age(m, old, a, from, 0),
               sizeof *words * PROOF_NUM_UNDER_WAY);
    }
  tile_arena_deinit(&scratch);
}

void proof_rings_turn(const ProofRings *rings, ProofContext *context,
                      ProofState *state) {
  for (int g = 0; g < rings->num_groups; g++) {
    const Group *group = &rings->groups[g];
    Turn turn = {rings, context, state, g, group->depth, 0, 0};
    if (!group->turns || group->depth == 0 || !find_first(&turn))
      continue;
    turn_values(&turn);
    turn_machine(&turn);
  }
}
