//===- Variables.h - Which numbers states keep ----------------------------===//
#ifndef TILE_PROOF_VARIABLES_H
#define TILE_PROOF_VARIABLES_H

#include "Machine.h"

/// A variable that slots, parities or decisions depend on.
typedef struct {
  ProofScalarId scalar;
  /// Of a counter whose values have no bound, how far an iteration moves it; 0.
  int64_t step;
  /// What its number is kept modulo, where slots and parities depend on it; 1.
  int64_t modulus;
  /// Counters of roles that may run alike have one class; -1.
  int class_number;
  ProofScalarId next;       // of a counter: what it is in the next iteration
  ProofScalarId *questions; // conditions that depend on a counter
  int num_questions;
  int64_t ahead;   // the largest number that they add to it
  bool asks_marks; // some compare it with a number
} ProofVariable;

/// The variables of a role.
typedef struct {
  ProofVariable *items;
  int count;
  /// Per op, `live_words` words: what is asked for from there on: variables,
  /// then `fixed` conditions, then whether a counter may begin.
  uint64_t *live;
  int live_words, num_fixed;
} ProofVariables;

/// A function that is not computed, such as what memory has at a place, of a
/// variable; of several variables, one of them.
typedef struct {
  ProofScalarId scalar, variable;
  uint64_t sources; // variables of its role that it may be given by and by
} ProofRead;

typedef struct {
  const ProofProgram *program;
  ProofVariables roles[PROOF_MAX_ROLES];
  int *index; // per scalar: of a variable in its role, or -1
  /// Per scalar: whether a decision, a slot or a parity depends on it; whether
  /// a slot or a parity does.
  bool *is_needed, *is_position;
  unsigned idle_agents;   // do nothing that others could notice
  unsigned *class_agents; // per class
  int num_classes;
  /// Numbers that decisions compare counters with, ascending, and how far from
  /// one of them a number matters.
  int64_t *marks;
  int num_marks;
  int64_t reach;
  /// Those that decisions depend on.
  ProofRead *reads;
  int num_reads;
  /// Conditions that depend on no variable.
  ProofScalarId *fixed;
  int num_fixed;
  int64_t max_factor; // of a step, that a counter is ahead of another
  int rounds;         // that anything is asked for ahead
  /// Bounds of loops, one value in the whole run, that slots depend on: they
  /// are kept modulo `period`.
  ProofScalarId *residues;
  int num_residues;
  int64_t period; // of all slots and parities; 0: too long
  /// Per buffer: where the numbers begin that its slots hold, or -1.
  int *first_cell;
  int num_cells;
} ProofNeeds;

/// Takes out loops and branches that make no difference: nothing in them can go
/// wrong, and nobody asks for what they compute. They are assumed to end.
void proof_prune(ProofProgram *program, const ProofMachine *machine,
                 TileArena *arena);
/// Owner: `arena`.
void proof_needs_build(const ProofProgram *program, TileArena *arena,
                       ProofNeeds *out);
/// Whether a decision depends on what the fill leaves in its slot.
static inline bool proof_has_cell(const ProofNeeds *needs, const ProofOp *op) {
  return op->kind == PROOF_FILL &&
         needs->first_cell[needs->program->windows[op->fill.place.window]
                               .buffer] >= 0;
}
/// Whether something of `live` is asked for from `op` on.
static inline bool proof_is_live(const ProofVariables *v, int op, int which) {
  return v->live[op * v->live_words + which / 64] >> which % 64 & 1;
}
static inline bool proof_asks_fixed(const ProofVariables *v, int op,
                                    int fixed) {
  return proof_is_live(v, op, v->count + fixed);
}
static inline bool proof_may_enter(const ProofVariables *v, int op) {
  return proof_is_live(v, op, v->count + v->num_fixed);
}

#endif // TILE_PROOF_VARIABLES_H
