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

/// An event with the numbers that it takes; 0 where it has none.
typedef struct {
  const ProofOp *op;
  int32_t slot, parity, row_slot;
  int32_t read_slots[PROOF_MAX_READS];
} ProofStep;

/// What is against the rules: the first one found.
typedef struct {
  const char *code; // NULL: none
  char text[200];
  int agent;
  const ProofOp *op, *other;
  bool is_sure; // of windows that are known exactly
} ProofFault;

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
/// The agents of `mask` meet.
void proof_machine_meet(const ProofMachine *machine, int32_t *state,
                        unsigned mask);
/// Forgets what no rule asks for any more, since everybody knows it. Not of a
/// machine with clocks.
void proof_forget_common(const ProofMachine *machine, int32_t *state);
/// Whether whatever may go wrong from `state` on may go wrong from `kept` on as
/// well: there, nobody knows more, and more may matter. Both are the same up to
/// `active`. Not of a machine with clocks.
bool proof_machine_covers(const ProofMachine *machine, const int32_t *kept,
                          const int32_t *state);
/// Makes `state` cover both.
void proof_machine_merge(const ProofMachine *machine, const int32_t *kept,
                         int32_t *state);
/// What is wrong when all agents have ended.
void proof_machine_end(const ProofMachine *machine, int32_t *state);
/// Why a phase is not complete, for messages: arrivals and bytes.
void proof_machine_missing(const ProofMachine *machine, const int32_t *state,
                           int row, int slot, int *out_arrivals,
                           int *out_bytes);

/// The clock of agent or role `who` in what `agent` knows, itself included; of
/// a machine with clocks. Copies of a role count behind the agents.
int proof_machine_clock(const ProofMachine *machine, const int32_t *state,
                        int agent, int who);
void proof_machine_tick(const ProofMachine *machine, int32_t *state, int agent,
                        int now);

#endif // TILE_PROOF_MACHINE_H
