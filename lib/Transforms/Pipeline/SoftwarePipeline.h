//===- SoftwarePipeline.h - What the files of tile-inject-pipeline share --===//
//
// A loop is read and planned (SoftwarePipeline.c), then written as steps, each
// of which runs one iteration per stage (PipelineSteps.c, PipelineEmit.c).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_SOFTWARE_PIPELINE_H
#define TILE_TRANSFORMS_SOFTWARE_PIPELINE_H

#include "Analysis/Loops/LoopBody.h"

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

/// How the steps are written down (PipelineSteps.c).
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
  int previous;  // rotated scf.for: state value, the counter that the stage in
                 // front of the last one had in the step before
  bool has_lag;  // copies stand behind products that may be under way
  int turn[2];   // statements that a turn of the warpgroups begins in front of
                 // and ends behind, or -1
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
              // the stages behind it, up to the last one
  Fill *fills;
  int num_fills;

  int *group_of; // per statement: index in the schedule, or -1
  TileLoopSchedule schedule;
  TileLoopWait *waits;
  bool *is_wait_hoisted; // in front of copies that its reader does not need
  int num_waits;

  int num_state;
} Pipeline;

/// Moves copies behind products that may be under way (PipelineLag.c).
void pipeline_lag(Pipeline *p);
/// Decides everything. False after a remark: the loop stays as it is.
bool pipeline_build(TileArena *arena, TilePlannedLoop *loop, Pipeline *out);

/// Whether iterations that `stage` runs in the loop may not exist.
bool pipeline_is_guarded_stage(const Pipeline *pipeline, int32_t stage);
/// Whether the loop belongs to a role.
bool pipeline_is_in_role(MlirOperation op);

/// Repeats what computes the guards and addresses of copies in fragments that
/// later stages use as well (PipelineOwn.c). False when nothing has changed;
/// else the loop must be built again.
bool pipeline_own_fragments(TileArena *arena, TilePlannedLoop *loop);

/// Registers that a thread of the kernel has, by what the user wants of it and
/// what a multiprocessor has. Its number of threads must be known.
int64_t pipeline_num_registers(MlirOperation kernel);
/// The kernel around `op`, or null.
MlirOperation pipeline_kernel_around(MlirOperation op);

/// Threads that execute the loop: of its role, else of the kernel; below 1 when
/// that is not known.
int64_t pipeline_num_threads(MlirOperation loop);
/// 32-bit registers of a thread that executes the loop which its fragments
/// leave, for what is on its way from memory. The threads must be known.
int64_t pipeline_free_registers(MlirOperation loop);
/// 32-bit registers that a fragment takes of each thread.
int64_t pipeline_fragment_registers(const TileShape *shape,
                                    int64_t num_threads);

/// Splits copies of tensors to fragments into a load to other registers, an
/// iteration ahead, and a move from them (RegisterPrefetch.c). Writes the plan
/// of the loop anew. False when nothing has changed; else the loop must be
/// read again.
bool pipeline_prefetch_fragments(TileArena *arena, const TilePlannedLoop *loop);

/// Splits plain copies that run ahead into loads to registers and stores from
/// them (RegisterStaging.c), and writes the plan of the loop anew. False when
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

/// What carried values are behind the iteration of their stage is bound to
/// their arguments under this number of a stage.
enum { NEXT_ITERATION = -2 };

/// Goes on writing behind what is written.
void emit_resume(Emitter *e);
/// Writes the statements of one step; `state` holds the values behind it.
void emit_step(Emitter *e);
/// The values of the loop are `values` from now on, by their number, in the
/// iteration that NEXT_ITERATION stands for.
void emit_bind_carried(Emitter *e, const MlirValue *values);
void emit_bind(Emitter *e, Binding binding);
/// The binding of a value, or null.
MlirValue emit_find_binding(const Emitter *e, int32_t stage, MlirValue from);
/// Takes the value of `binding` out of the guards that are open; `otherwise`
/// where they do not hold.
void emit_export(Emitter *e, Binding binding, MlirValue otherwise);
/// Makes the open guards those of a statement of `stage`.
void emit_enter(Emitter *e, int32_t stage, const TileGuard *guards,
                int num_guards);
void emit_leave(Emitter *e); // all guards
/// The parities that the slots of a fill complete with next.
MlirValue emit_parities(const Emitter *e, const Fill *fill);
/// The state in front of the first step (PipelineState.c).
void emit_first_state(Emitter *e);
/// scf.while: whether the next iteration of stage 0 exists.
MlirValue emit_decision(Emitter *e);
/// The state behind the step.
void emit_advance(Emitter *e);
/// The value of the iteration that `stage` runs in this step.
MlirValue emit_value(Emitter *e, int32_t stage, MlirValue value);
MlirType emit_index_type(const Emitter *e);
MlirValue emit_zero(TileBuilder *b, MlirType type);
MlirValue emit_int(TileBuilder *b, MlirType type, int64_t value);
/// The slot of the iteration that `stage` runs.
MlirValue emit_slot(Emitter *e, int32_t stage, int32_t num_slots);
/// The type of a tile with a slot of it per iteration in flight.
MlirType emit_ring_type(MlirType tile, int32_t num_slots);
/// The ring of `tile`, or the view of it that corresponds to `tile`; null when
/// there is none, and for windows.
MlirValue emit_ring(Emitter *e, MlirValue tile);
/// Whether `value` is a window of a tile that has a ring, wherever it is made.
bool emit_is_ring_window(const Emitter *e, MlirValue value);
/// Makes what uses rings in `clone` use the slot of `stage`; returns the op
/// that stands for the clone. Moves the insertion point.
MlirOperation emit_ring_slots(Emitter *e, MlirOperation clone, int32_t stage);

#endif // TILE_TRANSFORMS_SOFTWARE_PIPELINE_H
