//===- Loops.h - Loops taken apart, planned and judged --------------------===//
//
// The body of a loop as a list of statements in program order: everything that
// reads or writes memory, or whose result cannot be computed again. What is
// left is arithmetic on indices, which moves with its users. Edges say which
// statement waits for which; a plan (LoopPlan.h) gives each a stage and an
// order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LOOPS_H
#define TILE_ANALYSIS_LOOPS_H

#include "Dialect/Ops.h"
#include "LoopPlan.h"
#include "Support/Arena.h"
#include "Tile/Ops/scf.h"

//===-- Loops of copies (CopyLoops.c) -------------------------------------===//

/// Whether `op` is an `scf.for` that does nothing but copy from tensors to
/// parts of shared tiles, fill parts, under conditions, and compute what that
/// takes.
bool tile_copy_loop_is(MlirOperation op);
/// And all of its copies are to be done by cp.async, none is under way, and all
/// may be at once: no two of its writes go to one place, but on paths that
/// exclude each other.
bool tile_copy_loop_is_cp_async(MlirOperation op);
/// Whether threads load and store some of its copies themselves.
bool tile_copy_loop_is_plain(MlirOperation op);
/// Makes all copies in it asynchronous: a group after the loop takes them in.
void tile_copy_loop_set_async(MlirOperation op);

/// What a loop of copies fills of one tile: a box, in elements, of which each
/// iteration fills a part that no other does.
typedef struct {
  int64_t begin[TILE_MAX_RANK], end[TILE_MAX_RANK];
  bool is_sure; // on every path
  bool is_once; // at most once on every path
} TileCopyLoopFill;
/// False when `op` is no loop of copies, its bounds are not constant, or what
/// it writes of the tile `root` has another form. `is_ring`: of one slot of a
/// ring, which dimension 0 names; the box has no numbers for that.
bool tile_copy_loop_fill(MlirOperation op, MlirValue root, bool is_ring,
                         TileCopyLoopFill *out_fill);

//===-- scf.for and scf.while as one (LoopForm.c) -------------------------===//

/// A loop that can be pipelined: `scf.for`, or `scf.while`. Values that
/// iterations hand over count from 1: those of the block that decides, for
/// `scf.while`, whose body gets what that block makes of them.
typedef struct {
  MlirOperation op;
  MlirBlock body;      // one iteration
  MlirBlock condition; // whether there is one more; null for scf.for
  intptr_t num_carried;
} TileLoopForm;

/// False for other ops.
bool tile_loop_form_get(MlirOperation op, TileLoopForm *out_form);
/// What an iteration hands over as carried value `c`.
MlirValue tile_loop_form_update(const TileLoopForm *form, intptr_t c);
/// Carried value `c` in the block that gets it first.
MlirValue tile_loop_form_argument(const TileLoopForm *form, intptr_t c);
/// The number of the carried value, or -1. 0: the induction variable.
intptr_t tile_loop_form_find(const TileLoopForm *form, MlirValue value);
/// What the body of an `scf.while` gets as `value`, as its other block names
/// it; null when `value` is no argument of such a body.
MlirValue tile_loop_form_forwarded(const TileLoopForm *form, MlirValue value);
/// The terminator of the block that decides; of `scf.while` only.
ScfConditionOp tile_loop_form_condition(const TileLoopForm *form);

//===-- Statements (LoopBody.c, LoopVersions.c, LoopEdges.c) --------------===//

/// One branch of an `scf.if` around a statement.
typedef struct {
  MlirOperation op; // scf.if
  int branch;       // 0: then, 1: else
} TileGuard;

/// What a statement does to one buffer.
typedef struct {
  MlirValue tile; // operand; the whole buffer when the window is not known
  int buffer;     // index in TileLoopBody::buffers
  bool reads, writes;
  bool is_sure; // happens whenever the statement runs, to the whole window
  // Of a loop of copies: what it writes of the buffer, or NULL.
  const TileCopyLoopFill *part;
} TileLoopAccess;

/// A leaf op, or an op with regions that is scheduled as a whole: a loop, an
/// `scf.if` that yields positions of channels, or what is no number.
typedef struct {
  MlirOperation op;
  const TileGuard *guards; // outermost first
  int num_guards;
  TileLoopAccess *accesses;
  int num_accesses;
  bool
      has_other_effects; // on memory that no operand names, or an order to keep
} TileStatement;

/// A buffer that the loop touches.
typedef struct {
  MlirValue root;
  TileSpace space;
  bool is_written;
  /// A shared tile that every iteration fills before it reads it, and that
  /// nobody uses elsewhere: each iteration may have one of its own.
  bool is_versioned;
  /// A fragment of that kind: registers have no slots, so whoever touches it
  /// has to run in one stage.
  bool is_renewed;
  int64_t num_slots;   // of the ring of a channel that the loop waits for, or 0
  const char *code;    // of the remark: why not; NULL when that needs none
  MlirOperation blame; // the op that keeps it from being versioned, or null
} TileLoopBuffer;

typedef struct {
  TileLoopForm loop;
  TileStatement *statements; // program order
  int num_statements;
  TileLoopBuffer *buffers; // in order of discovery
  int num_buffers;
  MlirOperation *allocs; // `tile.alloc` ops inside the body
  int num_allocs;
} TileLoopBody;

/// Owner: `arena`.
void tile_loop_body_build(TileArena *arena, const TileLoopForm *loop,
                          TileLoopBody *out_body);
/// The first op of the block that decides about iterations which cannot be
/// computed ahead, and as often as it is needed; null when all can, and for
/// `scf.for`.
MlirOperation tile_loop_body_find_fixed(const TileLoopBody *body);
/// The last part of it: decides which buffers are versioned (LoopVersions.c).
void tile_loop_versions_find(TileLoopBody *body);
/// Whether threads load themselves what the statement fills, from tensors: a
/// copy with instr = simt, or an element loop, to a tile that has versions.
bool tile_loop_body_loads_plainly(const TileLoopBody *body, int statement);
/// Whether the statement reads or writes the buffer, or writes it.
bool tile_statement_touches(const TileStatement *statement, int buffer,
                            bool only_writes);
/// Whether the two are in different branches of one `scf.if`: no iteration runs
/// both.
bool tile_statements_exclude(const TileStatement *a, const TileStatement *b);
/// Number of the statement, or -1.
int tile_loop_body_find(const TileLoopBody *body, MlirOperation op);
/// Whether `op`, inside the body, is an `scf.if` whose statements run under
/// guards of their own, so that its results are chosen again where they are
/// used.
bool tile_loop_body_is_choice(const TileLoopBody *body, MlirOperation op);
/// What branch `branch` of the choice yields for its result `value`.
MlirValue tile_choice_yield(MlirValue value, int branch);

/// Statements and carried values that a value is computed from.
typedef struct {
  const TileLoopBody *body;
  bool *statements; // by number
  bool *carried;    // by number of the iteration argument
  MlirOperation *visited;
  int num_visited;
  MlirValue *chosen; // results of choices
  int num_chosen;
  TileArena *arena;
} TileLoopSources;

/// An empty set. Owner: `arena`.
TileLoopSources tile_loop_sources_create(TileArena *arena,
                                         const TileLoopBody *body);
/// Adds the sources of a value.
void tile_loop_sources_add(TileLoopSources *sources, MlirValue value);
/// Adds the sources of all operands of an op, of the ops inside it, and of the
/// conditions of its guards.
void tile_loop_sources_add_statement(TileLoopSources *sources, int statement);
/// Adds the sources of the decision whether an iteration exists: none for
/// `scf.for`.
void tile_loop_sources_add_condition(TileLoopSources *sources);

/// Edges between the statements, as TileLoopPlan wants them.
/// Owner: `arena`.
void tile_loop_edges_build(TileArena *arena, const TileLoopBody *body,
                           TileLoopEdge **out_edges, int *out_num_edges);

//===-- Plans on ops (PlannedLoop.c) --------------------------------------===//

/// A loop with the plan that `tile.stage`, `tile.order` and `tile.group` on its
/// ops say.
typedef struct {
  TileLoopBody body;
  TileLoopPlan plan;
} TilePlannedLoop;

/// Statements, edges and groups; neither stages nor orders. Owner: `arena`.
void tile_planned_loop_build(TileArena *arena, const TileLoopForm *loop,
                             int32_t num_stages, TilePlannedLoop *out_loop);
/// The first statement without a stage, or -1. `*out_some` (may be NULL):
/// whether any has a stage or an order.
int tile_planned_loop_find_unplanned(const TilePlannedLoop *loop,
                                     bool *out_some);
/// Reads stages and orders. Errors: an op without what others have, two
/// ops with one order, a stage beyond `tile.num_stages`.
MlirLogicalResult tile_planned_loop_read(TilePlannedLoop *loop);
/// Judges any plan. Errors: a broken dependence, a group in two stages; both
/// ops are named.
MlirLogicalResult tile_planned_loop_verify(const TilePlannedLoop *loop);
/// Writes the plan on the ops.
void tile_planned_loop_write(const TilePlannedLoop *loop);
/// Gives a statement a stage and an order.
void tile_statement_plan_write(MlirOperation op, int32_t stage, int32_t order);
/// Removes the plan of `loop`, and its own place in the plan of a loop around
/// it. Pipelined loops inside keep theirs.
void tile_loop_plan_drop(MlirOperation loop);
/// Removes the place of a statement in the plan of its loop. When it is a
/// pipelined loop itself it keeps the plan of its own body.
void tile_statement_plan_drop(MlirOperation op);
/// The loop with `tile.num_stages` that `op` is a statement of, or stands in a
/// guard of; or null.
MlirOperation tile_pipelined_loop_around(MlirOperation op);
/// For passes that run before planning and put other ops in the place of `op`:
/// when it is a statement of a planned loop, or stands in a guard there,
/// removes the plan of that loop with a remark. Call it before the change.
void tile_plan_around_drop(MlirOperation op);

/// Why the op at the end of such an edge runs after that at its start.
const char *tile_loop_edge_text(TileEdgeKind kind);
/// An i32 attribute; false when there is none.
bool tile_loop_attr_get(MlirOperation op, const char *name, int32_t *out);

//===-- Dependent products (LoopRotation.c) -------------------------------===//

enum { TILE_ROTATION_STAGES = 2 };

/// Why a loop with dependent products is not rotated.
typedef struct {
  const char *code;      // of the remark; NULL: it has none
  MlirOperation blame;   // in its body
  int64_t wanted, limit; // registers of a thread; 0: they are not the reason
} TileRotation;

/// Plans the loop so that products which depend on others of their iteration
/// run beside the first ones of the next. What tile_loop_plan_solve has found
/// to run ahead does so. False, with the reason, when it does not pay or is not
/// possible; stages and orders are undefined then.
bool tile_rotation_plan(TileArena *arena, TilePlannedLoop *loop,
                        TileRotation *out_reason);

/// Whether the user has nothing against it in this kernel.
bool tile_rotation_is_wished(MlirOperation kernel);

/// Whether a thread has the registers that a rotated loop takes, `limit` of
/// them; else `*out` says so. Factors and sums of two iterations are alive at a
/// time, which is all fragments of the loop, and what is needed for addresses
/// and masks: more of them where threads copy in the loop, and where it is in a
/// loop over tiles that they store.
bool tile_rotation_fits(const TileLoopBody *body, int64_t num_threads,
                        int64_t limit, TileRotation *out);

/// Says at `loop`, whose dependent products stay as they are, why.
void tile_rotation_remark(MlirOperation loop, const TileRotation *reason);

#endif // TILE_ANALYSIS_LOOPS_H
