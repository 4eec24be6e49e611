//===- ProgramBuild.h - A program that is being written -------------------===//
#ifndef TILE_ANALYSIS_PROGRAM_PROGRAM_BUILD_H
#define TILE_ANALYSIS_PROGRAM_PROGRAM_BUILD_H

#include "Analysis/Loops/RepeatedOps.h"
#include "KernelProgram.h"
#include "Support/KeyTable.h"
#include "Tile/Ops/scf.h"

#include <stdio.h>

//===-- State -------------------------------------------------------------===//

/// What a function is, as words: equal functions of equal arguments are equal
/// values.
typedef struct {
  intptr_t *words;
  int num_words, capacity;
} ProgramFunction;

/// A row of mbarriers: an array of the kernel, or a side of a channel.
typedef struct {
  MlirValue value;
  bool is_empty_side;
} ProgramRow;

typedef struct {
  TileArena *arena;
  MlirOperation kernel, specialize;
  ProofProgram *out;
  const TileSyncPlan *plan;
  bool is_of_roles;

  TilePointerMap known; // 1 + the scalar that stands for a value or an op
  ProgramFunction *functions;
  int num_functions, function_capacity;
  ProgramRow *rows; // those of the program
  int row_capacity;

  ProofVerdict *verdict; // what is wrong with the kernel before any proof
} ProgramBuild;

/// The code of a role that is being written.
typedef struct {
  ProgramBuild *extract;
  int role;
} ProgramWriter;

//===-- Growth ------------------------------------------------------------===//

/// Says what is wrong with an op; the first one counts.
static inline void program_stop(ProgramBuild *e, ProofOutcome outcome,
                                const char *code, MlirOperation op,
                                const char *text) {
  if (e->verdict->code)
    return;
  *e->verdict = (ProofVerdict){
      .outcome = outcome, .code = code, .role = PROOF_NONE, .origin = op.ptr};
  snprintf(e->verdict->text, sizeof e->verdict->text, "%s", text);
}
/// Says that the program cannot be followed.
static inline void program_fail(ProgramBuild *e, MlirOperation op,
                                const char *failure) {
  program_stop(e, PROOF_UNKNOWN, PROGRAM_NOT_FOLLOWED, op, failure);
}
static inline void program_reject(ProgramBuild *e, MlirOperation op,
                                  const char *code, const char *text) {
  program_stop(e, PROOF_REJECTED, code, op, text);
}

/// Adds an op to the role; owned by the program, up to the next one.
static inline ProofOp *program_add(ProgramWriter *w, ProofOpKind kind,
                                   MlirOperation op) {
  ProofRole *role = &w->extract->out->roles[w->role];
  TILE_ARENA_RESERVE(w->extract->arena, role->ops, role->num_ops,
                     role->capacity);
  role->ops[role->num_ops] = (ProofOp){.kind = kind, .origin = op.ptr};
  return &role->ops[role->num_ops++];
}

//===-- Events (KernelProgram.c) ------------------------------------------===//

/// The row of a barrier, or of a side of a channel; -1.
int program_row_of(const ProgramBuild *extract, MlirValue value,
                   bool is_empty_side);

//===-- Accesses (Accesses.c) ---------------------------------------------===//

/// Writes the accesses of an op to shared tiles, an element loop included.
void program_accesses(ProgramWriter *w, MlirOperation op);
/// Writes a loop of copies as one fill of each tile; false for other ops.
bool program_parts(ProgramWriter *w, MlirOperation op);
/// Finds out which of the tiles have bytes in common; after all accesses.
void program_bytes(ProgramBuild *extract);

//===-- Scalars (Scalars.c) -----------------------------------------------===//

ProofScalarId program_scalar(ProgramBuild *extract, MlirValue value);
ProofScalarId program_constant(ProgramBuild *extract, int64_t constant);
/// A function of two scalars.
ProofScalarId program_combined(ProgramBuild *extract, ProofFunction function,
                               ProofScalarId a, ProofScalarId b);
/// The variable of `role` that stands for a value; or for an `scf.while`: the
/// one that counts its rounds.
ProofScalarId program_variable(ProgramBuild *extract, const void *key,
                               int role);
/// What a slot of a window holds, PROOF_ALL_SLOTS of one that has none; a
/// number of its own each time that it is asked for.
ProofScalarId program_held(ProgramBuild *extract, int window,
                           ProofScalarId slot);
ProofScalarId program_new(ProgramBuild *extract);
/// The op of `block` that `op` is or is in, or null.
MlirOperation program_ancestor_in(MlirBlock block, MlirOperation op);
/// Room for so many scalars.
static inline ProofScalarId *program_ids(ProgramBuild *e, intptr_t count) {
  return TILE_ARENA_NEW(e->arena, ProofScalarId, count + 1);
}
/// The block of an `scf.execute_region` of one block, which is executed where
/// it stands; null for all other ops.
static inline MlirBlock program_inlined_block(MlirOperation op) {
  MlirBlock none = {NULL};
  if (!scf_execute_region_is(op))
    return none;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return mlirBlockIsNull(mlirBlockGetNextInRegion(block)) ? block : none;
}

#endif // TILE_ANALYSIS_PROGRAM_PROGRAM_BUILD_H
