//===- Reads.c - What decisions read of memory ----------------------------===//
//
// Functions that are not computed, such as what memory has at a place, and from
// where in a role they may be asked for.
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

typedef struct {
  const ProofProgram *program;
  TileArena *arena;
  ProofNeeds *out;
} Build;

static const ProofScalar *scalar_at(const Build *b, ProofScalarId id) {
  return &b->program->scalars[id];
}

static ProofScalarId variable_in(const Build *b, ProofScalarId id) {
  const ProofScalar *scalar = scalar_at(b, id);
  ProofScalarId found = scalar->kind == PROOF_VARIABLE ? id : PROOF_NONE;
  for (int i = 0; scalar->kind == PROOF_FUNCTION && i < scalar->num_args; i++)
    found = found < 0 ? variable_in(b, scalar->args[i]) : found;
  return found;
}

static void add_source(ProofRead *read, ProofScalarId id) {
  for (int i = 0; i < read->num_sources; i++)
    if (read->sources[i] == id)
      return;
  read->sources[read->num_sources++] = id;
}

// Variables that are handed on until they are the one that is asked for.
static void find_sources(Build *b, ProofRead *read) {
  const ProofRole *role =
      &b->program->roles[scalar_at(b, read->variable)->role];
  read->sources =
      TILE_ARENA_NEW(b->arena, ProofScalarId, b->program->num_scalars + 1);
  add_source(read, read->variable);
  for (int next = 0; next < read->num_sources; next++)
    for (int i = 0; i < role->num_ops; i++) {
      const ProofOp *op = &role->ops[i];
      for (int k = 0; op->kind == PROOF_BIND && k < op->bind.count; k++)
        if (op->bind.to[k] == read->sources[next] &&
            scalar_at(b, op->bind.from[k])->kind == PROOF_VARIABLE)
          add_source(read, op->bind.from[k]);
    }
}

static bool contains(const Build *b, ProofScalarId id, ProofScalarId part) {
  const ProofScalar *scalar = scalar_at(b, id);
  bool result = id == part;
  for (int i = 0;
       scalar->kind == PROOF_FUNCTION && i < scalar->num_args && !result; i++)
    result = contains(b, scalar->args[i], part);
  return result;
}

// Whether the op asks for the read; or gives one of its variables a value.
static bool op_asks(const Build *b, const ProofOp *op, ProofScalarId read) {
  if (op->kind == PROOF_BRANCH)
    return contains(b, op->branch.condition, read);
  for (int k = 0; op->kind == PROOF_BIND && k < op->bind.count; k++)
    if (b->out->is_needed[op->bind.to[k]] &&
        contains(b, op->bind.from[k], read))
      return true;
  return false;
}

static bool op_changes(const Build *b, const ProofOp *op, ProofScalarId read) {
  for (int k = 0; op->kind == PROOF_BIND && k < op->bind.count; k++)
    if (contains(b, read, op->bind.to[k]))
      return true;
  return false;
}

static void find_read_asks(Build *b, ProofRead *read) {
  const ProofRole *role =
      &b->program->roles[scalar_at(b, read->variable)->role];
  bool *asked = TILE_ARENA_NEW(b->arena, bool, role->num_ops + 1);
  bool *asks = TILE_ARENA_NEW(b->arena, bool, role->num_ops + 1);
  bool *changes = TILE_ARENA_NEW(b->arena, bool, role->num_ops + 1);
  for (int at = 0; at < role->num_ops; at++) {
    asks[at] = op_asks(b, &role->ops[at], read->scalar);
    changes[at] = op_changes(b, &role->ops[at], read->scalar);
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int at = role->num_ops - 2; at >= 0; at--) {
      const ProofOp *op = &role->ops[at];
      bool later =
          op->kind == PROOF_JUMP ? asked[op->jump.target] : asked[at + 1];
      if (op->kind == PROOF_BRANCH)
        later |= asked[op->branch.target];
      bool all = asks[at] || (later && !changes[at]);
      has_changed |= all != asked[at];
      asked[at] = all;
    }
  }
  read->is_asked = asked;
}

void proof_reads_build(const ProofProgram *program, TileArena *arena,
                       ProofNeeds *out) {
  Build build = {program, arena, out}, *b = &build;
  int capacity = 0;
  for (int i = 0; i < b->program->num_scalars; i++) {
    const ProofScalar *scalar = scalar_at(b, i);
    if (!out->is_needed[i] || scalar->kind != PROOF_FUNCTION ||
        scalar->function < PROOF_OTHER || variable_in(b, i) < 0)
      continue;
    TILE_ARENA_RESERVE(b->arena, out->reads, out->num_reads, capacity);
    ProofRead *read = &out->reads[out->num_reads++];
    *read = (ProofRead){.scalar = i, .variable = variable_in(b, i)};
    find_sources(b, read);
    find_read_asks(b, read);
  }
}
