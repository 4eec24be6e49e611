//===- RegisterStaging.c - Plain copies, by way of registers --------------===//
//
// A copy that neither TMA nor cp.async can do stops its threads until memory
// has answered: they load, then they store what they have loaded. Where such a
// copy runs ahead of its use it becomes two ops of its step: the loads go as
// far to the front as what they need allows, the stores as far to the end as
// what needs them allows, and the work between hides the latency.
//
//   step   load(i + 1)  product(i)  store(i + 1)
//
// What stands between is work of an earlier iteration, so nothing else changes:
// both parts keep the stage of the copy, and its guards.
//
//===----------------------------------------------------------------------===//

#include "SoftwarePipeline.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Analysis/Memory/Memory.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/memref.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  int statement;
  MlirValue tile;    // what it fills
  MlirType fragment; // of a tile of registers with its shape
  int32_t load_order, store_order;
} StagedCopy;

typedef struct {
  const Pipeline *pipeline;
  const TileLoopPlan *plan;
  int64_t num_threads;
  int64_t free_registers; // per thread
  int *place;             // of a statement in the order of the step
  StagedCopy *copies;
  int num_copies;
} StagingPlan;

static const TileStatement *statement_of(const StagingPlan *staging, int i) {
  return &staging->pipeline->loop->body.statements[i];
}

//===-- Registers ---------------------------------------------------------===//

enum {
  MOST_STAGED = 64, // 32-bit registers per thread for what is on its way
  SCALARS = 96      // for addresses and operands of instructions
};

// Threads share a fragment by powers of two. Where those do not divide it, it
// overhangs, at most to the next power of two of each extent.
int64_t pipeline_fragment_registers(const TileShape *shape,
                                    int64_t num_threads) {
  int64_t elems = tile_shape_num_elems(shape), holders = 1, padded = 1;
  while (2 * holders <= num_threads && elems % (2 * holders) == 0)
    holders *= 2;
  for (int d = 0; d < shape->rank; d++) {
    int64_t extent = 1;
    while (extent < shape->extent[d])
      extent *= 2;
    padded *= extent;
  }
  int64_t each = elems / holders, with_surplus = padded / num_threads + 1;
  each = with_surplus < each ? with_surplus : each;
  return (each * tile_elem_bits(shape->element) + 31) / 32;
}

typedef struct {
  int64_t num_threads, num_registers;
} FragmentWalk;

static MlirWalkResult add_fragment(MlirOperation op, void *user_data) {
  FragmentWalk *walk = user_data;
  TileShape shape;
  if (tile_alloc_is(op) &&
      tile_shape_of(mlirOperationGetResult(op, 0), &shape) &&
      shape.space == TILE_SPACE_FRAGMENT)
    walk->num_registers +=
        pipeline_fragment_registers(&shape, walk->num_threads);
  return MlirWalkResultAdvance;
}

// The pass knows no target; all chips have the same registers (TileTarget.c).
int64_t pipeline_num_registers(MlirOperation kernel) {
  return tile_kernel_thread_registers(kernel, tile_target_at(0),
                                      tile_kernel_num_threads(kernel));
}

int64_t pipeline_num_threads(MlirOperation loop) {
  MlirOperation kernel = pipeline_kernel_around(loop);
  return kernel.ptr ? tile_op_num_threads(loop, tile_kernel_num_threads(kernel))
                    : 0;
}

int64_t pipeline_free_registers(MlirOperation loop) {
  MlirOperation kernel = pipeline_kernel_around(loop);
  TileRoleOp role = tile_role_of(loop);
  FragmentWalk walk = {pipeline_num_threads(loop), SCALARS};
  mlirOperationWalk(role.op.ptr ? role.op : kernel, add_fragment, &walk,
                    MlirWalkPreOrder);
  int64_t most =
      role.op.ptr && !mlirAttributeIsNull(tile_role_registers_attr(role))
          ? tile_role_registers(role)
          : pipeline_num_registers(kernel);
  int64_t left = most - walk.num_registers;
  return left < MOST_STAGED ? left : MOST_STAGED;
}

//===-- Which copies ------------------------------------------------------===//

// Some later stage uses what the statement makes.
static bool runs_ahead(const StagingPlan *staging, int i) {
  for (int e = 0; e < staging->plan->num_edges; e++) {
    const TileLoopEdge *edge = &staging->plan->edges[e];
    if (edge->from == i && edge->distance == 0 &&
        edge->kind == TILE_EDGE_FLOW &&
        staging->plan->items[edge->to].stage > staging->plan->items[i].stage)
      return true;
  }
  return false;
}

//===-- Where in the step -------------------------------------------------===//

// The places between which the parts may stand: behind what they need of their
// own step, in front of what needs them there.
static void find_bounds(const StagingPlan *staging, int i, int *out_after,
                        int *out_before) {
  *out_after = -1;
  *out_before = staging->plan->num_items;
  for (int e = 0; e < staging->plan->num_edges; e++) {
    const TileLoopEdge *edge = &staging->plan->edges[e];
    const TilePlanItem *from = &staging->plan->items[edge->from];
    const TilePlanItem *to = &staging->plan->items[edge->to];
    if (edge->kind == TILE_EDGE_CARRIED ||
        to->stage + edge->distance != from->stage || edge->from == edge->to)
      continue; // the state hands it over, or an earlier step did it
    if (edge->to == i && staging->place[edge->from] > *out_after)
      *out_after = staging->place[edge->from];
    if (edge->from == i && staging->place[edge->to] < *out_before)
      *out_before = staging->place[edge->to];
  }
}

static bool has_work_between(const StagingPlan *staging, int i, int after,
                             int before) {
  for (int j = 0; j < staging->plan->num_items; j++)
    if (staging->place[j] > after && staging->place[j] < before &&
        staging->plan->items[j].stage > staging->plan->items[i].stage)
      return true;
  return false;
}

// Room between two places for the parts of all copies.
static int32_t order_of(const StagingPlan *staging, int place, int offset) {
  return (int32_t)((place + 1) * 2 * (staging->plan->num_items + 1) + offset);
}

//===-- Build -------------------------------------------------------------===//

// Why the copy stays in one piece, as the end of a sentence; NULL when it does
// not.
static const char *add_copy(StagingPlan *staging, int i, char *text,
                            size_t capacity) {
  MlirOperation op = statement_of(staging, i)->op;
  StagedCopy copy = {.statement = i};
  TileShape shape;
  copy.tile = tile_copy_is(op) ? tile_copy_dst(tile_copy_cast(op))
                               : tile_loop_filled_tile(tile_parallel_cast(op));
  if (mlirValueIsNull(copy.tile) || !tile_shape_of(copy.tile, &shape))
    return "the element loop does not store every element of the tile once, "
           "at its own index";
  if (tile_copy_is(op)) {
    MlirValue from = tile_copy_src(tile_copy_cast(op));
    if (mlirValueIsAOpResult(from) &&
        tile_im2col_is(mlirOpResultGetOwner(from)))
      return "registers take no windows of images";
    TileShape source; // converted behind the wait for it
    tile_shape_of(tile_copy_src(tile_copy_cast(op)), &source);
    shape.element = source.element;
  }
  int after, before, n = staging->plan->num_items;
  find_bounds(staging, i, &after, &before);
  if (!has_work_between(staging, i, after, before))
    return "no work of its step stands between its loads and its stores";
  int64_t registers = pipeline_fragment_registers(&shape, staging->num_threads);
  if (registers > staging->free_registers) {
    snprintf(
        text, capacity, "it takes %lld registers per thread, and %lld are free",
        (long long)registers,
        (long long)(staging->free_registers > 0 ? staging->free_registers : 0));
    return text;
  }
  staging->free_registers -= registers;
  copy.fragment = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      tile_space_attr(mlirOperationGetContext(op), TILE_SPACE_FRAGMENT));
  copy.load_order = order_of(staging, after, 1 + i);
  copy.store_order = order_of(staging, before - 1, n + 1 + i);
  staging->copies[staging->num_copies++] = copy;
  return NULL;
}

static void staging_build(const Pipeline *pipeline, StagingPlan *staging) {
  int n = pipeline->loop->plan.num_items;
  TileArena *arena = pipeline->arena;
  *staging = (StagingPlan){
      .pipeline = pipeline,
      .plan = &pipeline->loop->plan,
      .num_threads = pipeline_num_threads(pipeline->loop->body.loop.op),
      .place = TILE_ARENA_NEW(arena, int, n + 1),
      .copies = TILE_ARENA_NEW(arena, StagedCopy, n + 1)};
  if (staging->num_threads < 1)
    return;
  bool is_told = !tile_is_in_fallback_variant(pipeline->loop->body.loop.op);
  staging->free_registers =
      pipeline_free_registers(pipeline->loop->body.loop.op);
  for (int k = 0; k < n; k++)
    staging->place[pipeline->by_order[k]] = k;
  for (int i = 0; i < n; i++) {
    char text[96];
    if (is_told && tile_copy_loop_is_plain(statement_of(staging, i)->op))
      tile_emit_remark(statement_of(staging, i)->op, "tile-pipeline/plain",
                       "stops its threads until memory has answered, for each "
                       "part anew: cp.async cannot do its copies; an element "
                       "loop over the tile loads all parts at once");
    if (!tile_loop_body_loads_plainly(&pipeline->loop->body, i) ||
        !runs_ahead(staging, i))
      continue;
    const char *reason = add_copy(staging, i, text, sizeof text);
    MlirOperation op = statement_of(staging, i)->op;
    if (is_told && reason)
      tile_emit_remark(op, "tile-pipeline/plain",
                       "stops its threads until memory has answered: %s",
                       reason);
    else if (is_told)
      tile_emit_remark(op, "tile-pipeline/register-staged",
                       "goes by way of registers: loaded ahead of the work of "
                       "its step, stored to shared memory behind it");
  }
}

//===-- Apply; cannot fail ------------------------------------------------===//

static void split_copy(TileBuilder *b, const StagingPlan *staging,
                       const StagedCopy *copy) {
  MlirOperation op = statement_of(staging, copy->statement)->op;
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(
      b->rw, staging->pipeline->loop->body.loop.op);
  MlirValue fragment = tile_alloc(b, .type = copy->fragment);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  MlirxMapping map = mlirxMappingCreate();
  mlirxMappingSet(map, copy->tile, fragment);
  MlirOperation load = mlirxClone(b->rw, op, map);
  mlirxMappingDestroy(map);
  if (tile_copy_is(load)) // registers are filled in one way only
    tile_copy_set_prefer_attr(tile_copy_cast(load), (MlirAttribute){NULL});
  TileCopyOp store = tile_copy_op(b, .src = fragment, .dst = copy->tile,
                                  .instr = TILE_SOME(TILE_INSTR_Simt));
  int32_t stage = staging->plan->items[copy->statement].stage;
  tile_statement_plan_write(load, stage, copy->load_order);
  tile_statement_plan_write(store.op, stage, copy->store_order);
  mlirRewriterBaseEraseOp(b->rw, op);
}

bool pipeline_stage_in_registers(const Pipeline *pipeline) {
  StagingPlan staging;
  if (mlirOperationIsNull(pipeline->kernel))
    return false;
  staging_build(pipeline, &staging);
  if (staging.num_copies == 0)
    return false;
  TileBuilder b = {mlirIRRewriterCreate(
                       mlirOperationGetContext(pipeline->loop->body.loop.op)),
                   mlirOperationGetLocation(pipeline->loop->body.loop.op)};
  for (int i = 0; i < staging.plan->num_items; i++)
    tile_statement_plan_write(statement_of(&staging, i)->op,
                              staging.plan->items[i].stage,
                              order_of(&staging, staging.place[i], 0));
  for (int i = 0; i < staging.num_copies; i++)
    split_copy(&b, &staging, &staging.copies[i]);
  mlirIRRewriterDestroy(b.rw);
  return true;
}
