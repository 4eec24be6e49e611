//===- ProtocolMachine.h - Barriers and slots, executed -------------------===//
#ifndef TILE_ANALYSIS_PROTOCOL_MACHINE_H
#define TILE_ANALYSIS_PROTOCOL_MACHINE_H

#include "ProtocolTrace.h"

/// Asynchronous work of one role that is done in the order of its issue: TMA
/// copies that one barrier counts, or arrivals behind cp.async.
typedef struct {
  int role, channel, bar_slot; // channel -1: arrivals behind cp.async
  int *steps;                  // of the role
  int count;
} MachineLane;

/// What is known of a step before it is executed.
typedef struct {
  int retired; // READ: the step behind which nothing reads any more
  /// READ, per slot: which fill of it, counted from 1, and whether the role
  /// has waited for it.
  int32_t expected[TILE_PROTOCOL_MAX_READS];
  bool has_waited[TILE_PROTOCOL_MAX_READS];
} MachineStep;

enum { MACHINE_MAX_CLASSES = 64 };

/// Cells that all ops touch together.
typedef struct {
  uint64_t cells[MACHINE_MAX_CLASSES];
  int count;
} MachineClasses;

/// The words of a barrier.
enum {
  MACHINE_PHASE,
  MACHINE_PENDING, // arrivals
  MACHINE_BYTES,   // expected and not there
  MACHINE_BARRIER_WORDS
};

/// Flags of what a part of a slot holds; above them the number of the fill.
enum {
  MACHINE_HAS_LANDED = 1,
  MACHINE_IS_STORED = 2,   // by stores that no arrival covers yet
  MACHINE_IS_DIRTY = 4,    // by stores, without a proxy fence behind them
  MACHINE_IS_CP_ASYNC = 8, // under way
  MACHINE_FILL_UNIT = 16
};

/// A state is `num_words` words: where each role is, how much of each lane is
/// done, the turn, the barriers, and what the slots hold.
typedef struct {
  const TileProtocol *protocol;
  const Trace *trace;
  TileArena *arena;
  MachineLane *lanes;
  int num_lanes;
  MachineStep *steps[TILE_PROTOCOL_MAX_ROLES];
  MachineClasses *classes; // per channel
  int first_lane, turn, num_words;
  int *first_word; // per channel
} Machine;

typedef struct {
  const char *code; // NULL: none
  char text[160];
  int channel;
} MachineFault;

/// Owner: `arena`.
void machine_init(Machine *machine, const TileProtocol *protocol,
                  const Trace *trace, TileArena *arena);
void machine_start(const Machine *machine, int32_t *state);

/// The next step of a role; NULL at its end.
const TraceStep *machine_next(const Machine *machine, const int32_t *state,
                              int role);
/// Executes it. False when it has to wait.
bool machine_step(const Machine *machine, int32_t *state, int role,
                  MachineFault *fault);
/// The work of a lane that is done next; NULL when nothing is under way.
const TraceStep *machine_under_way(const Machine *machine, const int32_t *state,
                                   int lane);
void machine_land(const Machine *machine, int32_t *state, int lane,
                  MachineFault *fault);

#endif // TILE_ANALYSIS_PROTOCOL_MACHINE_H
