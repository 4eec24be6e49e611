//===- Machine.h - What threads know of each other ------------------------===//
//
// Each role is two agents: its leader, which is one thread, and its other
// threads, which do the same. All of them run in one schedule. A fact is that
// some access, wait or phase is over; a set holds what has surely happened
// before the point where an agent is, or before a phase ends, in any schedule.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PROOF_MACHINE_H
#define TILE_PROOF_MACHINE_H

#include "Boxes.h"

/// An event with the numbers that it takes: of its uses, in their order.
typedef struct {
  const ProofOp *op;
  int32_t slots[PROOF_MAX_READS], parity;
} ProofStep;

/// What is against the rules: the first one found.
typedef struct {
  const char *code; // NULL: none
  char text[200];
  int agent;
  const ProofOp *op, *other;
  bool is_sure; // of windows that are known exactly
} ProofFault;

/// Notes the first fault; `agent` may be PROOF_NONE.
__attribute__((format(printf, 5, 6))) void
proof_fail(ProofFault *fault, int agent, const ProofOp *op, const char *code,
           const char *format, ...);

/// Names of state words; a set is `set_words` of them.
typedef struct {
  const ProofProgram *program;
  int num_agents, num_slots, num_resources, num_facts;
  int *first_slot;     // per row of mbarriers
  int *first_resource; // per window
  /// Per resource: whether accesses to it can conflict, those of
  /// tile-insert-sync left out; whether the async proxy reads it.
  bool *is_checked, *is_read_async;
  int fact_words, clock_words, set_words;
  int turns, barriers, ages, active, filled, sets, num_words; // first words, in
                                                              // order
  ProofBox *boxes; // room for one of each resource
  /// Of a run of one schedule, per resource and agent: the last accesses.
  const ProofOp **last_read, **last_write;
  ProofFault *fault;
} ProofMachine;

/// `has_clocks`: sets also hold how far each agent has come.
void proof_machine_init(ProofMachine *machine, const ProofProgram *program,
                        bool has_clocks, TileArena *arena, ProofFault *fault);
void proof_machine_start(const ProofMachine *machine, int32_t *state);

typedef enum { PROOF_DONE, PROOF_WAITS, PROOF_MEETS } ProofResult;

/// Executes an event of an agent. PROOF_MEETS: of a SYNC, see below.
ProofResult proof_machine_step(const ProofMachine *machine, int32_t *state,
                               int agent, const ProofStep *step);
/// Agents that a SYNC of `agent` waits for.
static inline unsigned proof_sync_agents(const ProofProgram *program, int agent,
                                         const ProofOp *op) {
  unsigned own = 3u << 2 * proof_role_of(agent);
  return op->sync.id < 0 ? own : program->sync_agents[op->sync.id] | own;
}

/// The agents of `mask` meet.
void proof_machine_meet(const ProofMachine *machine, int32_t *state,
                        unsigned mask);
/// What is wrong when all agents have ended.
void proof_machine_end(const ProofMachine *machine, int32_t *state);

#endif // TILE_PROOF_MACHINE_H
