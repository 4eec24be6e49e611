//===- BarrierMachine.h - What threads know of each other -----------------===//
//
// Each role is two agents: its leader, which is one thread, and its other
// threads, which do the same. All of them run in one schedule. A fact is that
// some access, wait or phase is over; a set holds what has surely happened
// before the point where an agent is, or before a phase ends, in any schedule.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_MACHINE_H
#define TILE_ANALYSIS_BARRIER_MACHINE_H

#include "BarrierProgram.h"

enum { BARRIER_MAX_AGENTS = 2 * TILE_PROTOCOL_MAX_ROLES };

/// Agents are the leader and the other threads of each role in turn.
int barrier_role_of(int agent);
bool barrier_is_leader(int agent);

/// What is against the rules: the first one found.
typedef struct {
  const char *code; // NULL: none
  char text[200];
  int agent;
  const TileProtocolNode *node, *other;
  bool is_sure; // of windows that are known exactly
} BarrierFault;

/// Names of state words; a set is `set_words` of them.
typedef struct {
  const BarrierProgram *program;
  const TileProtocol *protocol;
  int num_agents, num_slots, num_resources, num_facts;
  int *first_slot;     // per row of mbarriers
  int *first_resource; // per window
  /// Per resource: whether accesses to it can conflict, those of
  /// tile-insert-sync left out; whether the async proxy reads it.
  bool *is_checked, *is_read_async;
  int fact_words, clock_words, set_words;
  int barriers, ages, active, sets, num_words; // first words, in this order
  /// Of a run of one schedule, per resource and agent: the last accesses.
  const TileProtocolNode **last_read, **last_write;
  BarrierFault *fault;
} BarrierMachine;

/// `has_clocks`: sets also hold how far each agent has come.
void barrier_machine_init(BarrierMachine *machine,
                          const BarrierProgram *program, bool has_clocks,
                          TileArena *arena, BarrierFault *fault);
void barrier_machine_start(const BarrierMachine *machine, int32_t *state);

typedef enum { BARRIER_DONE, BARRIER_WAITS, BARRIER_MEETS } BarrierResult;

/// Executes an event of an agent. BARRIER_MEETS: of a SYNC, see below.
BarrierResult barrier_machine_step(const BarrierMachine *machine,
                                   int32_t *state, int agent,
                                   const TraceStep *step);
/// The agents of `mask` meet.
void barrier_machine_meet(const BarrierMachine *machine, int32_t *state,
                          unsigned mask);
/// Forgets what no rule asks for any more, since everybody knows it. Not of a
/// machine with clocks.
void barrier_forget_common(const BarrierMachine *machine, int32_t *state);
/// Whether whatever may go wrong from `state` on may go wrong from `kept` on as
/// well: there, nobody knows more, and more may matter. Both are the same up to
/// `active`. Not of a machine with clocks.
bool barrier_machine_covers(const BarrierMachine *machine, const int32_t *kept,
                            const int32_t *state);
/// Makes `state` cover both.
void barrier_machine_merge(const BarrierMachine *machine, const int32_t *kept,
                           int32_t *state);
/// What is wrong when all agents have ended.
void barrier_machine_end(const BarrierMachine *machine, int32_t *state);
/// Why a phase is not complete, for messages: arrivals and bytes.
void barrier_machine_missing(const BarrierMachine *machine,
                             const int32_t *state, int row, int slot,
                             int *out_arrivals, int *out_bytes);

/// The clock of agent or role `who` in what `agent` knows, itself included; of
/// a machine with clocks. Copies of a role count behind the agents.
int barrier_machine_clock(const BarrierMachine *machine, const int32_t *state,
                          int agent, int who);
void barrier_machine_tick(const BarrierMachine *machine, int32_t *state,
                          int agent, int now);

#endif // TILE_ANALYSIS_BARRIER_MACHINE_H
