//===- Run.c - What an op does to a state ---------------------------------===//

#include "Run.h"

#include "Words.h"

#include <stdio.h>

//===-- States ------------------------------------------------------------===//

ProofState *proof_state_new(const ProofContext *c) {
  ProofState *out = TILE_ARENA_NEW(c->arena, ProofState, 1);
  for (int a = 0; a < c->machine.num_agents; a++)
    out->values[a] = TILE_ARENA_NEW(c->arena, ProofTermId,
                                    c->needs.roles[proof_role_of(a)].count + 1);
  out->cells = TILE_ARENA_NEW(c->arena, ProofTermId, c->needs.num_cells + 1);
  out->words = TILE_ARENA_NEW(c->arena, int32_t, c->machine.num_words);
  return out;
}

void proof_state_start(const ProofContext *c, ProofState *s) {
  s->num_symbols = s->num_bounds = s->num_entries = 0;
  for (int a = 0; a < c->machine.num_agents; a++) {
    bool is_idle = c->needs.idle_agents >> a & 1;
    s->pc[a] = is_idle ? c->program->roles[proof_role_of(a)].num_ops - 1 : 0;
    for (int i = 0; i < c->needs.roles[proof_role_of(a)].count; i++)
      s->values[a][i] = PROOF_NO_TERM;
  }
  for (int i = 0; i < c->needs.num_cells; i++)
    s->cells[i] = PROOF_NO_TERM;
  if (c->word)
    c->word->num_new = 0;
  proof_machine_start(&c->machine, s->words);
}

void proof_fault_write(const ProofFault *fault, ProofOutcome outcome,
                       ProofVerdict *out) {
  out->outcome = outcome;
  out->code = fault->code;
  out->role = fault->agent < 0 ? PROOF_NONE : proof_role_of(fault->agent);
  out->origin = fault->op ? fault->op->origin : NULL;
  out->other = fault->other ? fault->other->origin : NULL;
  snprintf(out->text, sizeof out->text, "%s", fault->text);
}

//===-- Numbers -----------------------------------------------------------===//

static ProofTermId asked(ProofContext *c, const ProofState *s, int agent,
                         ProofScalarId id, ProofUseAs as) {
  if (c->word)
    c->word->asked = as;
  return proof_value_of(c, s, agent, id);
}

ProofTermId proof_condition_of(ProofContext *c, const ProofState *s, int agent,
                               const ProofOp *op) {
  return asked(c, s, agent, op->branch.condition, PROOF_AS_CONDITION);
}

// False, and PROOF_ALL_SLOTS, where it is not known.
static bool position_of(ProofContext *c, const ProofState *s, int agent,
                        ProofScalarId id, int32_t *out) {
  ProofNumber number = {0};
  if (id >= 0)
    number = proof_number_of(c, s, asked(c, s, agent, id, PROOF_AS_POSITION));
  bool is_exact = proof_number_is_exact(number);
  *out = is_exact ? (int32_t)number.value : PROOF_ALL_SLOTS;
  return is_exact;
}

static void find_step(ProofContext *c, const ProofState *s, int agent,
                      const ProofOp *op, ProofStep *out) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses);
  *out = (ProofStep){.op = op};
  for (int i = 0; i < count; i++) {
    bool is_known = position_of(c, s, agent, uses[i].slot, &out->slots[i]);
    if (uses[i].parity >= 0)
      is_known &= position_of(c, s, agent, uses[i].parity, &out->parity);
    if (uses[i].row >= 0 && !is_known)
      proof_fail(&c->fault, agent, op, "position",
                 "the slot or parity is not a number that can be followed");
  }
}

static void bind(ProofContext *c, ProofState *s, int agent, const ProofOp *op) {
  enum { MAX_BOUND = 256 };
  ProofTermId values[MAX_BOUND];
  const ProofVariables *v = &c->needs.roles[proof_role_of(agent)];
  int count = op->bind.count < MAX_BOUND ? op->bind.count : MAX_BOUND;
  for (int i = 0; i < count; i++) {
    int index = c->needs.index[op->bind.to[i]];
    bool is_asked = index >= 0 && proof_is_live(v, s->pc[agent] + 1, index);
    values[i] = is_asked ? asked(c, s, agent, op->bind.from[i], PROOF_AS_VALUE)
                         : PROOF_NO_TERM;
  }
  for (int i = 0; i < op->bind.count; i++)
    if (c->needs.index[op->bind.to[i]] >= 0)
      s->values[agent][c->needs.index[op->bind.to[i]]] =
          i < count ? values[i] : PROOF_NO_TERM;
  for (int i = 0; i < count && op->bind.enters && !c->word; i++) {
    int index = c->needs.index[op->bind.to[i]];
    if (values[i] != PROOF_NO_TERM && v->items[index].step)
      proof_enter(c, s, agent, index);
  }
}

//===-- What slots hold ---------------------------------------------------===//

// The threads of a role fill a slot with the same, so the leader stands for
// them: what it leaves there is found by whoever may read the slot, because
// nobody may while it is written (Machine.c).
static void fill_cells(ProofContext *c, ProofState *s, int agent,
                       const ProofOp *op) {
  int window = op->fill.place.window;
  int buffer = c->program->windows[window].buffer;
  int first = c->needs.first_cell[buffer];
  if (first < 0 || !proof_is_leader(agent))
    return;
  ProofScalarId value = op->fill.has_value ? op->fill.value : PROOF_NONE;
  ProofTermId term = PROOF_NO_TERM;
  if (value >= 0 && c->program->scalars[value].kind == PROOF_NEW && !c->word)
    term = proof_new_symbol(c, s, PROOF_NO_TERM, 0, 1);
  else if (value >= 0)
    term = asked(c, s, agent, value, PROOF_AS_VALUE);
  int cell = proof_cell_of(c, s, agent, window, op->fill.place.slot);
  for (int i = 0; i < c->program->buffers[buffer].num_slots; i++)
    if (cell < 0 || cell == first + i)
      s->cells[first + i] = cell < 0 ? PROOF_NO_TERM : term;
}

//===-- Ops ---------------------------------------------------------------===//

// Whether all agents are there; then they go on.
static ProofProgress meet(ProofContext *c, ProofState *s, int agent,
                          const ProofOp *op) {
  unsigned mask = proof_sync_agents(c->program, agent, op);
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofOp *other = proof_op_at(c, s, a);
    if ((mask & 1u << a) &&
        (other->kind != PROOF_SYNC || other->sync.id != op->sync.id))
      return PROOF_STANDS;
  }
  proof_machine_meet(&c->machine, s->words, mask);
  for (int a = 0; a < c->machine.num_agents; a++)
    s->pc[a] += (mask & 1u << a) != 0;
  return PROOF_MAY_FREE_OTHERS;
}

static ProofProgress run_event(ProofContext *c, ProofState *s, int agent,
                               const ProofOp *op, ProofStep *step) {
  if (op->threads == PROOF_LEADER && !proof_is_leader(agent)) {
    s->pc[agent]++;
    return PROOF_GOES_ON;
  }
  find_step(c, s, agent, op, step);
  if (c->fault.code)
    return PROOF_STANDS;
  switch (proof_machine_step(&c->machine, s->words, agent, step)) {
  case PROOF_WAITS:
    return PROOF_STANDS;
  case PROOF_MEETS:
    return meet(c, s, agent, op);
  case PROOF_DONE:
    break;
  }
  if (op->kind == PROOF_FILL)
    fill_cells(c, s, agent, op);
  s->pc[agent]++;
  return op->kind == PROOF_ARRIVE || op->kind == PROOF_FILL ||
                 op->kind == PROOF_TURN
             ? PROOF_MAY_FREE_OTHERS
             : PROOF_GOES_ON;
}

ProofProgress proof_run_op(ProofContext *c, ProofState *s, int agent,
                           ProofStep *out_step) {
  const ProofOp *op = proof_op_at(c, s, agent);
  ProofTermId condition;
  int outcome;
  switch (op->kind) {
  case PROOF_BIND:
    bind(c, s, agent, op);
    s->pc[agent]++;
    return PROOF_GOES_ON;
  case PROOF_BRANCH:
    condition = proof_condition_of(c, s, agent, op);
    outcome = proof_outcome(c, s, condition);
    if (outcome < 0)
      return PROOF_DECIDES;
    // By what is forgotten at the next stop, perhaps.
    proof_learn(c, s, condition, outcome);
    proof_restate(c, s, condition);
    proof_go(s, agent, op, outcome);
    return PROOF_GOES_ON;
  case PROOF_JUMP:
    s->pc[agent] = op->jump.target;
    return PROOF_GOES_ON;
  case PROOF_END:
    return PROOF_HAS_ENDED;
  default:
    return run_event(c, s, agent, op, out_step);
  }
}
