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

enum { MAX_RINGS = 64 };

struct ProofRings {
  const ProofContext *context;
  int *ring_of; // of rows, buffers, scalars in turn: its number, or -1
  int first_buffer, first_scalar;
  int depths[MAX_RINGS], count;
  int *slot_of; // of a parity: the variable of its slot, or -1
  bool *is_parity;
  uint64_t *has_constant[PROOF_MAX_ROLES]; // per op: of which one lies ahead
};

typedef struct {
  ProofRings *out;
  const ProofProgram *program;
  // Of rows, buffers, scalars in turn: of one group, how many slots, and
  // whether nothing keeps it from turning.
  int *parents, *depths;
  bool *turns;
  int count;
} Build;

//===-- Groups ------------------------------------------------------------===//

static int root_of(Build *b, int item) {
  while (b->parents[item] != item)
    item = b->parents[item] = b->parents[b->parents[item]];
  return item;
}

// Whether they were two.
static bool unite(Build *b, int x, int y) {
  int from = root_of(b, x), to = root_of(b, y);
  b->parents[from > to ? from : to] = from > to ? to : from;
  return from != to;
}

static const ProofScalar *scalar_at(const Build *b, ProofScalarId id) {
  return &b->program->scalars[id];
}

static int item_of(const Build *b, ProofScalarId id) {
  return b->out->first_scalar + id;
}

// The variable or constant that a slot or parity comes from, or -1 when more is
// done to it than to go on; and how often it goes on to the next slot.
typedef struct {
  ProofScalarId id;
  int advances;
} Source;

static Source source_of(const Build *b, ProofScalarId id, bool is_parity) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (scalar->kind == PROOF_VARIABLE || scalar->kind == PROOF_CONSTANT)
    return (Source){id, 0};
  if (scalar->kind != PROOF_FUNCTION)
    return (Source){PROOF_NONE, 0};
  bool advances = scalar->function ==
                  (is_parity ? PROOF_ADVANCE_PARITY : PROOF_ADVANCE_SLOT);
  bool is_flip = is_parity && scalar->function == PROOF_XOR &&
                 scalar_at(b, scalar->args[1])->kind == PROOF_CONSTANT &&
                 scalar_at(b, scalar->args[1])->constant == 1;
  if (!advances && !is_flip && scalar->function != PROOF_CAST)
    return (Source){PROOF_NONE, 0};
  Source out = source_of(b, scalar->args[advances && is_parity], is_parity);
  out.advances += advances;
  return out;
}

static bool is_variable(const Build *b, ProofScalarId id) {
  return id >= 0 && scalar_at(b, id)->kind == PROOF_VARIABLE;
}

static void spoil(Build *b, ProofScalarId id) {
  b->turns[item_of(b, id)] = false;
}

// Variables in a function that does more than to go on, or in a condition.
static void spoil_uses(Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  if (scalar->kind == PROOF_VARIABLE)
    spoil(b, id);
  for (int i = 0; i < scalar->num_args; i++)
    spoil_uses(b, scalar->args[i]);
}

static int item_of_use(const Build *b, const ProofUse *use) {
  return use->row >= 0
             ? use->row
             : b->out->first_buffer + b->program->windows[use->window].buffer;
}

// Joins the variable of a slot or parity to a row or buffer; which one it is,
// or -1.
static ProofScalarId join(Build *b, int item, ProofScalarId id,
                          bool is_parity) {
  if (id < 0)
    return PROOF_NONE;
  Source source = source_of(b, id, is_parity);
  if (source.id < 0) {
    b->turns[item] = false;
    spoil_uses(b, id);
  }
  if (!is_variable(b, source.id))
    return PROOF_NONE;
  unite(b, item, item_of(b, source.id));
  return source.id;
}

typedef bool (*Visit)(Build *b, const ProofOp *op); // whether it was new

static bool join_op(Build *b, const ProofOp *op) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  for (int i = 0; i < count; i++) {
    int item = item_of_use(b, &uses[i]);
    b->depths[item] = proof_num_slots(b->program, &uses[i]);
    ProofScalarId slot = join(b, item, uses[i].slot, false);
    ProofScalarId parity = join(b, item, uses[i].parity, true);
    if (parity < 0)
      continue;
    b->out->is_parity[parity] = true;
    if (slot >= 0)
      b->out->slot_of[parity] = slot;
  }
  if (op->kind == PROOF_BRANCH)
    spoil_uses(b, op->branch.condition);
  return false;
}

// Variables that become each other are one.
static bool join_binds(Build *b, const ProofOp *op) {
  bool *is_parity = b->out->is_parity, is_new = false;
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++) {
    ProofScalarId to = op->bind.to[i], from = op->bind.from[i];
    const ProofScalar *scalar = scalar_at(b, from);
    bool is_one = is_parity[to] || is_parity[from] ||
                  (scalar->kind == PROOF_FUNCTION &&
                   scalar->function == PROOF_ADVANCE_PARITY);
    ProofScalarId source = source_of(b, from, is_one).id;
    is_new |= is_one && !is_parity[to];
    is_parity[to] |= is_one;
    if (!is_variable(b, source))
      continue;
    is_new |= is_one && !is_parity[source];
    is_parity[source] |= is_one;
    is_new |= unite(b, item_of(b, to), item_of(b, source));
  }
  return is_new;
}

// A parity that becomes another one takes its slot along.
static bool pair(Build *b, const ProofOp *op, int p, int s) {
  int *slot_of = b->out->slot_of;
  ProofScalarId to = op->bind.to[p], to_slot = op->bind.to[s];
  if (!b->out->is_parity[to] || b->out->is_parity[to_slot])
    return false;
  Source parity = source_of(b, op->bind.from[p], true);
  Source slot = source_of(b, op->bind.from[s], false);
  if (!is_variable(b, parity.id) || slot.id < 0 ||
      parity.advances != slot.advances)
    return false;
  bool forward = slot_of[to] < 0 && slot_of[parity.id] == slot.id;
  if (forward)
    slot_of[to] = to_slot;
  bool backward = slot_of[parity.id] < 0 && slot_of[to] == to_slot &&
                  is_variable(b, slot.id);
  if (backward)
    slot_of[parity.id] = slot.id;
  return forward || backward;
}

static bool pair_binds(Build *b, const ProofOp *op) {
  bool is_new = false;
  for (int p = 0; op->kind == PROOF_BIND && p < op->bind.count; p++)
    for (int s = 0; s < op->bind.count; s++)
      is_new |= pair(b, op, p, s);
  return is_new;
}

//===-- What does not turn ------------------------------------------------===//

static bool spoil_binds(Build *b, const ProofOp *op) {
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++) {
    ProofScalarId to = op->bind.to[i], from = op->bind.from[i];
    if (!b->out->context->needs.is_needed[to] ||
        source_of(b, from, b->out->is_parity[to]).id >= 0)
      continue;
    spoil_uses(b, from);
    spoil(b, to);
  }
  return false;
}

// Whether a slot and a parity go on together from a variable and its slot, or
// one of them is a constant, which lies ahead until then.
static bool go_together(const Build *b, ProofScalarId slot,
                        ProofScalarId parity) {
  Source s = source_of(b, slot, false), p = source_of(b, parity, true);
  return !is_variable(b, s.id) || !is_variable(b, p.id) ||
         (b->out->slot_of[p.id] == s.id && s.advances == p.advances);
}

static ProofScalarId bound_to(const ProofOp *op, ProofScalarId id) {
  for (int i = 0; i < op->bind.count; i++)
    if (op->bind.to[i] == id)
      return op->bind.from[i];
  return id; // it stays
}

// A slot that went on without its parity, or the other way round, would be
// another place after a turn.
static bool check_steps(Build *b, const ProofOp *op) {
  const bool *is_needed = b->out->context->needs.is_needed;
  if (op->kind == PROOF_WAIT && op->wait.slot >= 0 &&
      !go_together(b, op->wait.slot, op->wait.parity))
    b->turns[op->wait.row] = false;
  for (int p = 0; op->kind == PROOF_BIND && p < b->program->num_scalars; p++) {
    ProofScalarId s = b->out->slot_of[p];
    if (b->out->is_parity[p] && is_needed[p] && s >= 0 &&
        (bound_to(op, p) != p || bound_to(op, s) != s) &&
        !go_together(b, bound_to(op, s), bound_to(op, p)))
      spoil(b, p);
  }
  return false;
}

// What advances does so by the depth of its group, and every parity has a slot.
static void check_scalars(Build *b) {
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (b->out->is_parity[i] && b->out->context->needs.is_needed[i] &&
        b->out->slot_of[i] < 0)
      spoil(b, i);
    if (scalar->kind != PROOF_FUNCTION ||
        scalar->function > PROOF_ADVANCE_PARITY)
      continue;
    for (int k = 0; k < scalar->num_args; k++) {
      ProofScalarId source = source_of(b, scalar->args[k], k == 1).id;
      if (is_variable(b, source) &&
          b->depths[root_of(b, item_of(b, source))] != scalar->constant)
        spoil(b, source);
    }
  }
}

// Depths of a group are one number.
static void share_depths(Build *b) {
  for (int i = 0; i < b->out->first_scalar; i++) {
    int root = root_of(b, i);
    if (b->depths[i] && b->depths[root] && b->depths[i] != b->depths[root])
      b->turns[i] = false;
    if (b->depths[i])
      b->depths[root] = b->depths[i];
  }
}

static void number_rings(Build *b) {
  ProofRings *out = b->out;
  for (int i = 0; i < b->count; i++) {
    b->turns[root_of(b, i)] &= b->turns[i];
    out->ring_of[i] = PROOF_NONE;
  }
  for (int i = 0; i < b->count; i++) {
    int root = root_of(b, i); // it comes first
    if (i == root && b->turns[i] && b->depths[i] && out->count < MAX_RINGS) {
      out->depths[out->count] = b->depths[i];
      out->ring_of[i] = out->count++;
    }
    out->ring_of[i] = out->ring_of[root];
  }
}

//===-- Constants ahead ---------------------------------------------------===//

static uint64_t constant_in(const Build *b, int item, ProofScalarId id,
                            bool is_parity) {
  ProofScalarId source = id < 0 ? PROOF_NONE : source_of(b, id, is_parity).id;
  bool is_one = source >= 0 && scalar_at(b, source)->kind == PROOF_CONSTANT &&
                b->out->ring_of[item] >= 0;
  return is_one ? UINT64_C(1) << b->out->ring_of[item] : 0;
}

static uint64_t constants_of(const Build *b, const ProofOp *op) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  uint64_t out = 0;
  for (int i = 0; i < count; i++) {
    int item = item_of_use(b, &uses[i]);
    out |= constant_in(b, item, uses[i].slot, false) |
           constant_in(b, item, uses[i].parity, true);
  }
  for (int i = 0; op->kind == PROOF_BIND && i < op->bind.count; i++)
    out |= constant_in(b, item_of(b, op->bind.to[i]), op->bind.from[i],
                       b->out->is_parity[op->bind.to[i]]);
  return out;
}

static void find_constants(Build *b, int role) {
  const ProofRole *code = &b->program->roles[role];
  uint64_t *ahead =
      TILE_ARENA_NEW(b->out->context->arena, uint64_t, code->num_ops + 1);
  b->out->has_constant[role] = ahead;
  for (int at = 0; at < code->num_ops; at++)
    ahead[at] = constants_of(b, &code->ops[at]);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int at = code->num_ops - 2; at >= 0; at--) {
      const ProofOp *op = &code->ops[at];
      int next = op->kind == PROOF_JUMP ? op->jump.target : at + 1;
      int other = op->kind == PROOF_BRANCH ? op->branch.target : next;
      uint64_t more = (ahead[next] | ahead[other]) & ~ahead[at];
      has_changed |= more != 0;
      ahead[at] |= more;
    }
  }
}

//===-- Build -------------------------------------------------------------===//

static bool visit_all(Build *b, Visit visit) {
  bool is_new = false;
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->program->roles[r].num_ops; i++)
      is_new |= visit(b, &b->program->roles[r].ops[i]);
  return is_new;
}

ProofRings *proof_rings_build(const ProofContext *context) {
  TileArena *arena = context->arena;
  const ProofProgram *p = context->program;
  ProofRings *out = TILE_ARENA_NEW(arena, ProofRings, 1);
  *out = (ProofRings){.context = context, .first_buffer = p->num_rows};
  out->first_scalar = p->num_rows + p->num_buffers;
  Build b = {.out = out, .program = p};
  b.count = out->first_scalar + p->num_scalars;
  b.parents = TILE_ARENA_NEW(arena, int, b.count + 1);
  b.depths = TILE_ARENA_NEW(arena, int, b.count + 1);
  b.turns = TILE_ARENA_NEW(arena, bool, b.count + 1);
  out->ring_of = TILE_ARENA_NEW(arena, int, b.count + 1);
  out->slot_of = TILE_ARENA_NEW(arena, int, p->num_scalars + 1);
  out->is_parity = TILE_ARENA_NEW(arena, bool, p->num_scalars + 1);
  for (int i = 0; i < b.count; i++) {
    b.parents[i] = i;
    b.turns[i] = true;
  }
  for (int i = 0; i < p->num_scalars; i++)
    out->slot_of[i] = PROOF_NONE;
  visit_all(&b, join_op);
  while (visit_all(&b, join_binds)) {
  }
  while (visit_all(&b, pair_binds)) {
  }
  for (int i = 0; i < p->num_buffers; i++)
    if (context->needs.first_cell[i] >= 0)
      b.turns[out->first_buffer + i] = false; // what slots hold stays there
  visit_all(&b, spoil_binds);
  visit_all(&b, check_steps);
  share_depths(&b);
  check_scalars(&b);
  number_rings(&b);
  for (int r = 0; r < p->num_roles; r++)
    find_constants(&b, r);
  return out;
}

//===-- Turning -----------------------------------------------------------===//

typedef struct {
  const ProofRings *rings;
  ProofContext *context;
  ProofState *state;
  int ring, depth;
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
    if (t->rings->has_constant[proof_role_of(a)][t->state->pc[a]] >> t->ring &
        1)
      return false;
    for (int i = 0; i < v->count; i++) {
      ProofScalarId id = v->items[i].scalar;
      if (t->rings->ring_of[t->rings->first_scalar + id] != t->ring ||
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
        if (t->rings->ring_of[t->rings->first_scalar + id] != t->ring ||
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
    if (rings->ring_of[r] == t->ring)
      turn_row(t, r, old, words);
  memcpy(old, words, bytes); // sets are in place, and facts in them are not
  for (int r = 0; r < p->num_rows; r++)
    for (int s = 0; rings->ring_of[r] == t->ring && s < t->depth; s++)
      move_facts(m, old, words, proof_fact_phase(m, m->first_slot[r] + s, 0),
                 proof_fact_phase(m, m->first_slot[r] + turned(t, s), 0),
                 PROOF_FIRST_WAIT + m->num_agents);
  for (int w = 0; w < p->num_windows; w++)
    for (int s = 0;
         p->windows[w].has_slot && s < t->depth &&
         rings->ring_of[rings->first_buffer + p->windows[w].buffer] == t->ring;
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
  for (int i = 0; i < rings->count; i++) {
    Turn turn = {rings, context, state, i, rings->depths[i], 0, 0};
    if (!find_first(&turn))
      continue;
    turn_values(&turn);
    turn_machine(&turn);
  }
}
