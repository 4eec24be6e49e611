//===- LoopPlan.h - Stages, orders and waits of a pipeline ----------------===//
//
// Plain C, no IR. In step v of the pipeline a statement of stage s runs
// iteration v - s; within a step statements run by their order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LOOP_PLAN_H
#define TILE_LOOP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/// Why one statement must run before another.
typedef enum {
  TILE_EDGE_FLOW,    // reads what the other has written
  TILE_EDGE_ANTI,    // writes what the other still reads
  TILE_EDGE_OUTPUT,  // writes what the other writes
  TILE_EDGE_VALUE,   // uses a result of the other
  TILE_EDGE_CARRIED, // uses a carried value that the other updates
  TILE_EDGE_EFFECT   // both have effects whose order is not free
} TileEdgeKind;

/// `from` in iteration i runs before `to` in iteration i + distance.
typedef struct {
  int from, to;
  int distance; // iterations: 0 or 1
  TileEdgeKind kind;
  int buffer; // index in the loop body, or -1
  int next;   // the next edge with the same `from`, or -1
} TileLoopEdge;

typedef struct {
  int32_t stage, order;
  int32_t group; // of asynchronous copies that complete together; -1: none
  bool is_copy;  // from global into shared memory
  bool can_lead; // may run ahead of the statements that need it
  bool is_first; // set by tile_loop_plan_solve: runs ahead
  int edge;      // the first one that begins here, or -1
} TilePlanItem;

typedef struct {
  TilePlanItem *items; // program order
  int num_items;
  const TileLoopEdge *edges;
  int num_edges;
  int32_t num_stages; // at least 1
} TileLoopPlan;

enum { TILE_MAX_PIPELINE_STAGES = 16 };

/// Chooses stages and orders. Copies run `num_stages` - 1 iterations ahead of
/// their last use where nothing is in their way, and where it is, `num_stages`
/// iterations ahead but after that use. `scratch` holds `num_items` numbers.
void tile_loop_plan_solve(TileLoopPlan *plan, int *scratch);

/// The first edge that the plan breaks, or -1.
int tile_loop_plan_find_broken(const TileLoopPlan *plan);

/// Two items with the same order, or false.
bool tile_loop_plan_find_tie(const TileLoopPlan *plan, int *out_a, int *out_b);

/// Slots that a buffer needs when `writer` fills it and `user` reads or writes
/// it: the iterations between, the last one included where the writer comes
/// first in a step.
int32_t tile_loop_plan_num_slots(const TilePlanItem *writer,
                                 const TilePlanItem *user);

/// The latest stage, and whether all items are in one.
int32_t tile_loop_plan_last_stage(const TileLoopPlan *plan);
int32_t tile_loop_plan_first_stage(const TileLoopPlan *plan);

//===-- Groups of asynchronous copies -------------------------------------===//

/// A group of copies that complete together, in the code of a pipeline.
typedef struct {
  int32_t stage;
  int32_t order; // of the last member: the group is committed after it
} TileLoopGroup;

/// A place that waits, before the ops of `order`, for groups of the
/// iteration that stage `stage` runs.
typedef struct {
  int32_t stage, order;
  const int *groups; // numbers of the groups
  int num_groups;
} TileLoopWait;

/// How the pipeline is written down. Prologue steps are unrolled. Guarded: one
/// loop of as many steps as there are iterations, whose early stages are
/// guarded; a group is committed in every step, empty or not. Peeled: the
/// number of iterations is known, only steps with all stages are a loop, and
/// empty groups are not committed. Rotated: as guarded, but the last step has
/// the last stage alone, is written on its own and commits nothing.
typedef struct {
  const TileLoopGroup *groups;
  int num_groups;
  int32_t last_stage;
  bool is_peeled, is_rotated;
  int64_t num_iters; // -1: not known; then not peeled
} TileLoopSchedule;

enum { TILE_STEADY_STEP = -1, TILE_LAST_STEP = -2 };

/// How many groups may be under way when the place lets threads pass in `step`
/// of the pipeline (TILE_STEADY_STEP: in the loop; TILE_LAST_STEP: after the
/// loop of a rotated one): the groups committed after the youngest one needed,
/// least over all runs. Found by running the schedule
/// for few iterations. -1 when the place waits for nothing there.
int tile_loop_schedule_pending(const TileLoopSchedule *schedule,
                               const TileLoopWait *wait, int64_t step);

#endif // TILE_LOOP_PLAN_H
