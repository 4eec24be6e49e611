//===- Mirror.c - Parities that threads keep as bits ----------------------===//
//
// A number may hold the parity of each slot of a row as a bit, which a thread
// flips when it has waited. Nothing else depends on it. Then a state with a bit
// and the phase of its slot flipped goes on alike, so all phases become 0.
//
//===----------------------------------------------------------------------===//

#include "Mirror.h"

#include "Facts.h"

struct ProofMirrors {
  int *row_of;   // per scalar: the row whose parities it holds, or -1
  bool *is_held; // per row: whether a scalar holds its parities
};

typedef struct {
  const ProofProgram *program;
  int *rows; // ProofMirrors.row_of
} Build;

static const ProofScalar *scalar_at(const Build *b, ProofScalarId id) {
  return &b->program->scalars[id];
}

static ProofScalarId plain(const Build *b, ProofScalarId id) {
  while (scalar_at(b, id)->kind == PROOF_FUNCTION &&
         scalar_at(b, id)->function == PROOF_CAST)
    id = scalar_at(b, id)->args[0];
  return id;
}

static bool is_function(const Build *b, ProofScalarId id, int function) {
  return scalar_at(b, id)->kind == PROOF_FUNCTION &&
         scalar_at(b, id)->function == function;
}

static bool is_one(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, plain(b, id));
  return scalar->kind == PROOF_CONSTANT && scalar->constant == 1;
}

// Of `bits >> slot & 1`: the bits; else -1.
static ProofScalarId bits_of(const Build *b, ProofScalarId parity,
                             ProofScalarId slot) {
  parity = plain(b, parity);
  if (!is_function(b, parity, PROOF_AND) ||
      !is_one(b, scalar_at(b, parity)->args[1]))
    return PROOF_NONE;
  ProofScalarId shifted = plain(b, scalar_at(b, parity)->args[0]);
  if (!is_function(b, shifted, PROOF_SHR))
    return PROOF_NONE;
  const ProofScalar *by = scalar_at(b, plain(b, slot));
  const ProofScalar *at =
      scalar_at(b, plain(b, scalar_at(b, shifted)->args[1]));
  bool is_same =
      by == at || (by->kind == PROOF_CONSTANT && at->kind == PROOF_CONSTANT &&
                   by->constant == at->constant);
  ProofScalarId bits = plain(b, scalar_at(b, shifted)->args[0]);
  return is_same && scalar_at(b, bits)->kind == PROOF_VARIABLE ? bits
                                                               : PROOF_NONE;
}

// Of `bits`, or of `bits ^ 1 << slot`: the bits; else -1.
static ProofScalarId flipped(const Build *b, ProofScalarId id) {
  id = plain(b, id);
  if (scalar_at(b, id)->kind == PROOF_VARIABLE)
    return id;
  if (!is_function(b, id, PROOF_XOR))
    return PROOF_NONE;
  ProofScalarId by = plain(b, scalar_at(b, id)->args[1]);
  ProofScalarId bits = plain(b, scalar_at(b, id)->args[0]);
  return is_function(b, by, PROOF_SHL) &&
                 is_one(b, scalar_at(b, by)->args[0]) &&
                 scalar_at(b, bits)->kind == PROOF_VARIABLE
             ? bits
             : PROOF_NONE;
}

// The row whose parities a number that the scalar is made of holds, or -1.
static int row_in(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  int row = scalar->kind == PROOF_VARIABLE ? b->rows[id] : PROOF_NONE;
  for (int i = 0; i < scalar->num_args && row < 0; i++)
    row = row_in(b, scalar->args[i]);
  return row;
}

static void forget_row(Build *b, int row) {
  for (int i = 0; row >= 0 && i < b->program->num_scalars; i++)
    if (b->rows[i] == row)
      b->rows[i] = PROOF_NONE;
}

typedef bool (*Visit)(Build *b, const ProofOp *op); // whether it changed rows

static bool visit_all(Build *b, Visit visit) {
  bool has_changed = false;
  for (int r = 0; r < b->program->num_roles; r++)
    for (int i = 0; i < b->program->roles[r].num_ops; i++)
      has_changed |= visit(b, &b->program->roles[r].ops[i]);
  return has_changed;
}

static bool find_bits(Build *b, const ProofOp *op) {
  ProofScalarId bits = PROOF_NONE;
  if (op->kind == PROOF_WAIT)
    bits = bits_of(b, op->wait.parity, op->wait.slot);
  if (bits >= 0)
    b->rows[bits] = op->wait.row;
  return bits >= 0;
}

// What is handed on holds the same.
static bool spread(Build *b, const ProofOp *op) {
  bool has_changed = false;
  for (int k = 0; op->kind == PROOF_BIND && k < op->bind.count; k++) {
    ProofScalarId from = flipped(b, op->bind.from[k]), to = op->bind.to[k];
    if (from < 0 || b->rows[from] == b->rows[to])
      continue;
    if (b->rows[from] >= 0 && b->rows[to] >= 0) { // of two rows
      forget_row(b, b->rows[from]);
      forget_row(b, b->rows[to]);
      continue;
    }
    int row = b->rows[from] >= 0 ? b->rows[from] : b->rows[to];
    b->rows[from] = b->rows[to] = row;
    has_changed = true;
  }
  return has_changed;
}

// Forgets rows whose bits are used for something else.
static bool check(Build *b, const ProofOp *op) {
  ProofUse uses[PROOF_MAX_READS];
  int count = proof_op_uses(op, uses), row = PROOF_NONE;
  for (int i = 0; i < count && row < 0; i++)
    row = uses[i].slot >= 0 ? row_in(b, uses[i].slot) : PROOF_NONE;
  if (op->kind == PROOF_BRANCH)
    row = row_in(b, op->branch.condition);
  if (op->kind == PROOF_WAIT && row < 0) {
    ProofScalarId bits = bits_of(b, op->wait.parity, op->wait.slot);
    bool is_mine = bits >= 0 && b->rows[bits] == op->wait.row;
    row = row_in(b, op->wait.parity);
    row = row >= 0 && is_mine ? PROOF_NONE : row >= 0 ? row : op->wait.row;
  }
  for (int k = 0; op->kind == PROOF_BIND && k < op->bind.count && row < 0;
       k++) {
    int held = row_in(b, op->bind.from[k]), to = b->rows[op->bind.to[k]];
    ProofScalarId from = flipped(b, op->bind.from[k]);
    bool is_constant = scalar_at(b, op->bind.from[k])->kind == PROOF_CONSTANT;
    if (held >= 0 && (from < 0 || to != held))
      row = held;
    else if (to >= 0 && held != to && !is_constant)
      row = to;
  }
  bool has_any = false;
  for (int i = 0; row >= 0 && i < b->program->num_scalars; i++)
    has_any |= b->rows[i] == row;
  forget_row(b, row);
  return has_any;
}

ProofMirrors *proof_mirrors_build(const ProofProgram *program,
                                  TileArena *arena) {
  ProofMirrors *out = TILE_ARENA_NEW(arena, ProofMirrors, 1);
  out->row_of = TILE_ARENA_NEW(arena, int, program->num_scalars + 1);
  out->is_held = TILE_ARENA_NEW(arena, bool, program->num_rows + 1);
  Build b = {program, out->row_of};
  for (int i = 0; i < program->num_scalars; i++)
    out->row_of[i] = PROOF_NONE;
  if (!visit_all(&b, find_bits))
    return out;
  while (visit_all(&b, spread)) {
  }
  while (visit_all(&b, check)) {
  }
  for (int i = 0; i < program->num_scalars; i++)
    if (out->row_of[i] >= 0)
      out->is_held[out->row_of[i]] = true;
  return out;
}

//===-- States ------------------------------------------------------------===//

// Flips bit `slot` of all numbers that hold parities of the row. False, and
// nothing is done, where one is not known.
static bool flip(const ProofMirrors *m, ProofContext *c, ProofState *s, int row,
                 int slot, bool is_tried) {
  for (int a = 0; a < c->machine.num_agents; a++) {
    const ProofVariables *v = &c->needs.roles[proof_role_of(a)];
    for (int i = 0; i < v->count; i++) {
      ProofTermId *value = &s->values[a][i];
      if (m->row_of[v->items[i].scalar] != row || *value == PROOF_NO_TERM)
        continue;
      if (!proof_term_is_constant(&c->terms, *value))
        return false;
      int64_t bits = c->terms.items[*value].constant;
      if (!is_tried)
        *value = proof_term_constant(&c->terms, bits ^ INT64_C(1) << slot);
    }
  }
  return true;
}

void proof_mirror(const ProofMirrors *m, ProofContext *c, ProofState *s) {
  const ProofProgram *p = c->program;
  for (int row = 0; row < p->num_rows; row++)
    for (int slot = 0; m->is_held[row] && slot < p->rows[row].depth; slot++) {
      int32_t *words =
          proof_words(&c->machine, s->words, c->machine.first_slot[row] + slot);
      if (!words[PROOF_PHASE] || !flip(m, c, s, row, slot, true))
        continue;
      flip(m, c, s, row, slot, false);
      words[PROOF_PHASE] = 0;
    }
}
