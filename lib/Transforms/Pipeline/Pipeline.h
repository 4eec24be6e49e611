//===- Pipeline.h - Software pipelines: planned, prepared, written --------===//
//
// tile-pipeline-planning (PipelinePlanning.c) gives each op of a loop a stage
// and an order. tile-inject-pipeline (InjectPipeline.c) reads that plan, has
// copies by way of registers taken apart (PipelineRegisters.c), decides about
// rings, waits and state (PipelinePlan.c), and writes the loop: prologue, loop
// and epilogue (PipelineEmit.c) are steps (PipelineStep.c), each of which runs
// one iteration per stage.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PIPELINE_H
#define TILE_TRANSFORMS_PIPELINE_H

#include "Analysis/Loops/Loops.h"

/// Plans one loop, or judges the plan that is on its ops, and writes it on them
/// (PipelinePlanning.c). Loops whose condition cannot be computed ahead stay
/// without a plan. Errors: those of tile-pipeline-planning.
MlirLogicalResult pipeline_plan_loop(TileArena *arena, const TileLoopForm *loop,
                                     int32_t num_stages);

//===-- Plan: made before anything changes --------------------------------===//

/// A buffer with a version per iteration in flight.
typedef struct {
  int32_t num_slots;
  bool is_new;    // else the buffer itself
  MlirValue ring; // the new tile, with the stage dimension first
} Ring;

/// The slot of an iteration in rings of `num_slots`, as one stage sees it.
typedef struct {
  int32_t num_slots, stage;
  int state; // number of the state value
} Position;

/// A result that a later stage uses: it moves on by one state value per step.
typedef struct {
  int statement;
  intptr_t result;
  int32_t stage, last_stage; // of the statement, of the last user
  int state;                 // first of last_stage - stage state values
} Delay;

/// A value that iterations hand over.
typedef struct {
  int32_t home;       // stage that updates it: as late as its users allow
  int32_t last_stage; // of the last user
  int state;          // the current value, then last_stage - home older ones
  int result;         // of these, what is the result of the loop
  bool has_loads;     // its update loads: only in iterations that exist
} Carried;

/// Copies by TMA that complete on one mbarrier per slot.
typedef struct {
  int group;         // tile.group of the copies
  int first, reader; // statements: the first copy, and what waits for them
  int *copies, num_copies; // statements
  int32_t num_slots;
  int64_t size_bytes;
  int state; // i32: bit s is the parity that slot s completes with next
  MlirValue barriers, memory;
} Fill;

/// How the steps are written down (PipelineEmit.c).
typedef enum {
  PIPELINE_GUARDED, // scf.while: decided
  PIPELINE_PEELED,  // the number of iterations is known
  PIPELINE_ROTATED  // the last two stages multiply
} PipelineForm;

typedef struct {
  TileArena *arena;
  TilePlannedLoop *loop;
  MlirOperation kernel; // around the loop, or null
  int32_t last_stage;
  int64_t num_iters; // -1: not known
  PipelineForm form;
  int32_t num_guarded; // stages below it run iterations that may not exist
  int previous;  // rotated scf.for: state value, the counter that the stage
                 // before the last one had in the step before
  bool has_lag;  // copies stand after products that may be under way
  int turn[2];   // statements that a turn of the warpgroups begins before
                 // and ends after, or -1
  int *by_order; // statements by their order

  Ring *rings; // by number of the buffer
  Position *positions;
  int num_positions;
  Delay *delays;
  int num_delays;
  Carried *carried; // by number of the body's argument; 0 is not used
  intptr_t num_carried;
  bool has_exists; // scf.while, but for a rotated one that decides about
                   // iterations of stage 0 where the loop does
  int exists; // state of "the iteration of stage 0 exists", then the same of
              // the stages after it, up to the last one
  Fill *fills;
  int num_fills;

  int *group_of; // per statement: index in the schedule, or -1
  TileLoopSchedule schedule;
  TileLoopWait *waits;
  bool *is_wait_hoisted; // before copies that its reader does not need
  int num_waits;

  int num_state;
} Pipeline;

/// Decides everything. False after a remark: the loop stays as it is.
bool pipeline_build(TileArena *arena, TilePlannedLoop *loop, Pipeline *out);

/// The type of a tile with a slot of it per iteration in flight.
MlirType pipeline_ring_type(MlirType tile, int32_t num_slots);

/// Whether the loop belongs to a role.
bool pipeline_is_in_role(MlirOperation op);
/// Registers that a thread of the kernel has, by what the user wants of it and
/// what a multiprocessor has. Its number of threads must be known.
int64_t pipeline_num_registers(MlirOperation kernel);

//===-- Changes of the loop before it is written --------------------------===//

/// Repeats what computes the guards and addresses of copies in fragments that
/// later stages use as well (PipelineFragments.c). False when nothing has
/// changed; else the loop must be built again.
bool pipeline_own_fragments(TileArena *arena, TilePlannedLoop *loop);

/// Splits copies of tensors to fragments into a load to other registers, an
/// iteration ahead, and a move from them (PipelineRegisters.c). Writes the plan
/// of the loop anew. False when nothing has changed; else the loop must be
/// read again.
bool pipeline_prefetch_fragments(TileArena *arena, const TilePlannedLoop *loop);

/// Splits plain copies that run ahead into loads to registers and stores from
/// them, and writes the plan of the loop anew. False when
/// nothing has changed; else the pipeline must be built again.
bool pipeline_stage_in_registers(const Pipeline *pipeline);

//===-- Apply; cannot fail ------------------------------------------------===//

/// What a value of one iteration has become in the step being written.
typedef struct {
  int32_t stage;
  MlirValue from, to;
} Binding;

/// A value that leaves the guard it was computed in.
typedef struct {
  Binding binding;
  MlirValue otherwise; // null: zero
} Export;

/// An `scf.if` being written.
typedef struct {
  MlirOperation guard; // of the original; null: the iteration may not exist
  int branch;
  MlirValue condition;
  MlirBlock block;
  int num_bindings, num_exports; // when it was opened
} Scope;

enum { MAX_SCOPES = 64 };

typedef struct {
  const Pipeline *p;
  TileBuilder b;
  MlirBlock block;      // where steps go; null: before the loop
  MlirOperation before; // the old loop

  MlirValue *state; // num_state values, at the start of the step
  // Per stage.
  bool *is_on;
  MlirValue *iv, *condition; // a null condition: the iteration exists
  int64_t step;              // or TILE_STEADY_STEP

  Binding *bindings;
  int num_bindings, binding_capacity;
  Export *exports;
  int num_exports, export_capacity;
  Scope scopes[MAX_SCOPES];
  int num_scopes;
  int32_t scope_stage;
  MlirBlock choice; // the branch of a choice being written, inside the guards
} Emitter;

/// Writes the old loop as a pipeline and erases it.
void pipeline_emit(const Pipeline *pipeline, MlirRewriterBase rewriter);

/// scf.while: whether the next iteration of stage 0 exists.
MlirValue emit_decision(Emitter *e);
/// Writes the statements of one step; `state` holds the values after it.
void emit_step(Emitter *e);
/// Gives the results of the old loop what the last state holds, and erases it.
void emit_last_state(Emitter *e);

#endif // TILE_TRANSFORMS_PIPELINE_H
