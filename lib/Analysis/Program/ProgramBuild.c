//===- ProgramBuild.c - Ops that a program grows by -----------------------===//

#include "ProgramBuild.h"

void program_fail(ProgramBuild *e, MlirOperation op, const char *failure) {
  if (e->failed.ptr)
    return;
  e->failed = op;
  e->failure = failure;
}

ProofOp *program_add(ProgramWriter *w, ProofOpKind kind, MlirOperation op) {
  ProofRole *role = &w->extract->out->roles[w->role];
  TILE_ARENA_RESERVE(w->extract->arena, role->ops, role->num_ops,
                     role->capacity);
  role->ops[role->num_ops] = (ProofOp){.kind = kind, .origin = op.ptr};
  return &role->ops[role->num_ops++];
}
