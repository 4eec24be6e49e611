//===- PipelineRegisters.c - What runs ahead by way of registers ----------===//
//
// Two kinds of copies stop their threads until memory has answered: those from
// tensors to fragments, and plain ones to shared memory. Both are taken apart
// into a load to other registers and a move from them, so that the work between
// the two hides the latency. Each change writes the plan of the loop anew.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/memref.h"

//===-- Registers ---------------------------------------------------------===//

enum {
  MOST_STAGED = 64, // packed 32-bit registers per thread on their way
  SCALARS = 96      // for addresses and operands of instructions
};

// Threads share a fragment by powers of two. Where those do not divide it, it
// overhangs, at most to the next power of two of each extent.
static int64_t elems_of_thread(const TileShape *shape, int64_t num_threads) {
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
  return with_surplus < each ? with_surplus : each;
}

static int64_t fragment_registers(const TileShape *shape, int64_t num_threads) {
  int64_t each = elems_of_thread(shape, num_threads);
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
    walk->num_registers += fragment_registers(&shape, walk->num_threads);
  return MlirWalkResultAdvance;
}

static int64_t threads_of(MlirOperation loop) {
  MlirOperation kernel = tile_kernel_around(loop);
  return kernel.ptr ? tile_op_num_threads(loop, tile_kernel_num_threads(kernel))
                    : 0;
}

// What is on its way takes registers beside those of the fragments, and as many
// as its loads: ptxas puts no elements together that came one by one.
typedef struct {
  int64_t free; // registers per thread
  int64_t room; // of MOST_STAGED
} Budget;

static Budget budget_of(MlirOperation loop) {
  MlirOperation kernel = tile_kernel_around(loop);
  TileRoleOp role = tile_role_of(loop);
  FragmentWalk walk = {threads_of(loop), SCALARS};
  mlirOperationWalk(role.op.ptr ? role.op : kernel, add_fragment, &walk,
                    MlirWalkPreOrder);
  int64_t most =
      role.op.ptr && !mlirAttributeIsNull(tile_role_registers_attr(role))
          ? tile_role_registers(role)
          : pipeline_num_registers(kernel);
  int64_t left = most - walk.num_registers;
  return (Budget){left > 0 ? left : 0, MOST_STAGED};
}

// Whether loads of the elements by `op` fit, which are counted then; else
// `out_text` says why not.
static bool budget_take(Budget *budget, MlirOperation op,
                        const TileShape *shape, int64_t num_threads,
                        char *out_text, size_t capacity) {
  int64_t packed = fragment_registers(shape, num_threads);
  int64_t registers = tile_copy_comes_in_pieces(op)
                          ? elems_of_thread(shape, num_threads)
                          : packed;
  bool has_registers = registers <= budget->free;
  if (!has_registers || packed > budget->room) {
    snprintf(out_text, capacity,
             "it takes %lld registers per thread, and %lld are free",
             (long long)(has_registers ? packed : registers),
             (long long)(has_registers ? budget->room : budget->free));
    return false;
  }
  budget->free -= registers;
  budget->room -= packed;
  return true;
}

//===-- Copies of tensors to fragments, an iteration ahead ----------------===//
//
// A copy of a tensor to a fragment (scales, a bias, a row of a mask) stops its
// threads until memory has answered, in each iteration. A fragment has no
// versions: registers cannot be chosen at run time. So such a copy becomes a
// load to other registers, an iteration ahead, and a move from them:
//
//   step   move(i)  load(i + 1)  what uses the fragment(i)
//
// The move stays where the copy was, the load follows it in the step, and the
// guards of the copy are those of both. Where the copy runs in the first stage,
// a stage is put before all others.

typedef struct {
  const TilePlannedLoop *loop;
  bool *is_split; // per statement
  int32_t first;  // stage
  int32_t shift;  // of the stages of all statements: the first one is 0
  int num_split;
  int64_t num_threads;
  Budget budget;
} Prefetch;

static const TilePlanItem *prefetch_item(const Prefetch *p, int statement) {
  return &p->loop->plan.items[statement];
}

static TileShape prefetched_shape(const Prefetch *p, int statement) {
  TileShape shape = {0}, src = {0};
  TileCopyOp copy = tile_copy_cast(p->loop->body.statements[statement].op);
  tile_shape_of(tile_copy_dst(copy), &shape);
  tile_shape_of(tile_copy_src(copy), &src);
  shape.element = src.element; // converted after the wait for it
  return shape;
}

// Whether its stage reads what the copy loads, and so waits for it.
static bool is_waited_for(const Prefetch *p, int statement) {
  const TileLoopPlan *plan = &p->loop->plan;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->from == statement && edge->distance == 0 &&
        edge->kind == TILE_EDGE_FLOW &&
        prefetch_item(p, edge->to)->stage == prefetch_item(p, statement)->stage)
      return true;
  }
  return false;
}

// Whether what the copy needs is there an iteration before.
static bool can_run_ahead(const Prefetch *p, int statement) {
  const TileLoopPlan *plan = &p->loop->plan;
  const TilePlanItem *copy = prefetch_item(p, statement);
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->to != statement || edge->from == statement)
      continue;
    const TilePlanItem *from = prefetch_item(p, edge->from);
    bool is_behind =
        from->stage == copy->stage - 1 && from->order > copy->order;
    if (edge->kind == TILE_EDGE_EFFECT ||
        (edge->kind == TILE_EDGE_CARRIED && from->stage >= copy->stage) ||
        (edge->kind == TILE_EDGE_VALUE &&
         (from->stage >= copy->stage || is_behind)))
      return false;
  }
  return true;
}

// Whether a role decides about its slots by what the copy loads. The producer
// decides by a copy of its own, and the proof sees that both are alike where
// the copy is.
static bool decides(TileArena *arena, const Prefetch *p, int statement) {
  const TileLoopPlan *plan = &p->loop->plan;
  if (!pipeline_is_in_role(p->loop->body.loop.op))
    return false;
  bool *depends = TILE_ARENA_NEW(arena, bool, plan->num_items + 1);
  depends[statement] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (int e = 0; e < plan->num_edges; e++) {
      const TileLoopEdge *edge = &plan->edges[e];
      MlirOperation to = p->loop->body.statements[edge->to].op;
      bool is_value = edge->kind == TILE_EDGE_VALUE;
      if (!depends[edge->from] || edge->distance ||
          (!is_value && edge->kind != TILE_EDGE_FLOW))
        continue;
      if (is_value && mlirOperationGetNumRegions(to) > 0 &&
          !tile_parallel_is(to))
        return true;
      grew |= !depends[edge->to];
      depends[edge->to] = true;
    }
  }
  return false;
}

// Whether the statement copies from a tensor that the loop does not write to
// all of a fragment.
static bool loads_fragment(const TileLoopBody *body, int statement) {
  const TileStatement *s = &body->statements[statement];
  TileCopyOp copy = tile_copy_dyn(s->op);
  if (!copy.op.ptr || s->has_other_effects || tile_copy_signal(copy).ptr)
    return false;
  bool is_load = false;
  for (int a = 0; a < s->num_accesses; a++) {
    const TileLoopAccess *access = &s->accesses[a];
    const TileLoopBuffer *buffer = &body->buffers[access->buffer];
    if (access->writes)
      is_load = buffer->space == TILE_SPACE_FRAGMENT &&
                mlirValueEqual(access->tile, buffer->root);
    else if (buffer->space != TILE_SPACE_GLOBAL || buffer->is_written)
      return false;
  }
  return is_load;
}

static void add_prefetch(TileArena *arena, Prefetch *p, int i, bool is_told) {
  MlirOperation op = p->loop->body.statements[i].op;
  TileShape shape = prefetched_shape(p, i);
  bool is_known = can_run_ahead(p, i), decides_slots = decides(arena, p, i);
  char text[96];
  bool fits =
      is_known && !decides_slots &&
      budget_take(&p->budget, op, &shape, p->num_threads, text, sizeof text);
  if (is_told && decides_slots)
    tile_emit_remark(op, "tile-pipeline/plain",
                     "stops its threads until memory has answered: what it "
                     "loads decides about slots of rings");
  else if (is_told && !is_known)
    tile_emit_remark(op, "tile-pipeline/plain",
                     "stops its threads until memory has answered: what its "
                     "address or its conditions depend on is not there an "
                     "iteration before");
  else if (is_told && !fits)
    tile_emit_remark(op, "tile-pipeline/plain",
                     "stops its threads until memory has answered: %s", text);
  else if (is_told)
    tile_emit_remark(op, "tile-pipeline/prefetched",
                     "is loaded an iteration ahead, to other registers");
  if (!fits)
    return;
  p->is_split[i] = true;
  p->num_split++;
  if (prefetch_item(p, i)->stage == p->first)
    p->shift = 1 - p->first;
}

// A guard that the pipeline does not take apart.
static MlirWalkResult report_guarded(MlirOperation op, void *user_data) {
  (void)user_data;
  TileShape src, dst;
  if (tile_copy_is(op) &&
      tile_shape_of(tile_copy_src(tile_copy_cast(op)), &src) &&
      tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
      src.space == TILE_SPACE_GLOBAL && dst.space == TILE_SPACE_FRAGMENT)
    tile_emit_remark(op, "tile-pipeline/plain",
                     "stops its threads until memory has answered: its "
                     "condition decides about slots of rings, too");
  return scf_for_is(op) || scf_while_is(op) ? MlirWalkResultSkip
                                            : MlirWalkResultAdvance;
}

static bool prefetch_build(TileArena *arena, const TilePlannedLoop *loop,
                           Prefetch *out) {
  MlirOperation op = loop->body.loop.op;
  int64_t num_threads = threads_of(op);
  int n = loop->plan.num_items;
  *out =
      (Prefetch){.loop = loop, .is_split = TILE_ARENA_NEW(arena, bool, n + 1)};
  if (num_threads < 1)
    return false;
  out->num_threads = num_threads;
  out->budget = budget_of(op);
  out->first = tile_loop_plan_first_stage(&loop->plan);
  out->shift = -out->first;
  bool is_told = !tile_is_in_fallback_variant(op);
  for (int i = 0; i < n; i++) {
    if (loads_fragment(&loop->body, i) && is_waited_for(out, i))
      add_prefetch(arena, out, i, is_told);
    if (is_told && scf_if_is(loop->body.statements[i].op))
      mlirOperationWalk(loop->body.statements[i].op, report_guarded, NULL,
                        MlirWalkPreOrder);
  }
  return out->num_split > 0 &&
         tile_loop_plan_last_stage(&loop->plan) + out->shift <
             TILE_MAX_PIPELINE_STAGES;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static void split_prefetch(TileBuilder *b, const Prefetch *p, int i) {
  MlirOperation op = p->loop->body.statements[i].op;
  TileShape shape = prefetched_shape(p, i);
  MlirType type = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      tile_space_attr(mlirOperationGetContext(op), TILE_SPACE_FRAGMENT));
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, p->loop->body.loop.op);
  MlirValue registers = tile_alloc(b, .type = type);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  MlirxMapping map = mlirxMappingCreate();
  MlirOperation load = mlirxClone(b->rw, op, map);
  mlirxMappingDestroy(map);
  MlirValue fragment = tile_copy_dst(tile_copy_cast(op));
  mlirOperationReplaceUsesOfWith(load, fragment, registers);
  TileCopyOp move = tile_copy_op(b, .src = registers, .dst = fragment,
                                 .instr = TILE_SOME(TILE_INSTR_Simt));
  int32_t stage = prefetch_item(p, i)->stage + p->shift;
  int32_t order = 2 * prefetch_item(p, i)->order;
  tile_statement_plan_write(load, stage - 1, order + 1);
  tile_statement_plan_write(move.op, stage, order);
  mlirRewriterBaseEraseOp(b->rw, op);
}

static void prefetch_apply(const Prefetch *p) {
  const TileLoopBody *body = &p->loop->body;
  MlirOperation loop = body->loop.op;
  MlirContext context = mlirOperationGetContext(loop);
  TileBuilder b = {mlirIRRewriterCreate(context),
                   mlirOperationGetLocation(loop)};
  int32_t last = tile_loop_plan_last_stage(&p->loop->plan) + p->shift;
  if (last > p->loop->plan.num_stages)
    mlirOperationSetDiscardableAttributeByName(
        loop, TILE_STR("tile.num_stages"),
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), last));
  for (int i = 0; i < body->num_statements; i++)
    tile_statement_plan_write(body->statements[i].op,
                              prefetch_item(p, i)->stage + p->shift,
                              2 * prefetch_item(p, i)->order);
  for (int i = 0; i < body->num_statements; i++)
    if (p->is_split[i])
      split_prefetch(&b, p, i);
  mlirIRRewriterDestroy(b.rw);
}

bool pipeline_prefetch_fragments(TileArena *arena,
                                 const TilePlannedLoop *loop) {
  Prefetch prefetch;
  if (!prefetch_build(arena, loop, &prefetch))
    return false;
  prefetch_apply(&prefetch);
  return true;
}

//===-- Plain copies to shared memory, by way of registers ----------------===//
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
  Budget budget;
  int *place; // of a statement in the order of the step
  StagedCopy *copies;
  int num_copies;
} StagingPlan;

static const TileStatement *statement_of(const StagingPlan *staging, int i) {
  return &staging->pipeline->loop->body.statements[i];
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

// The places between which the parts may stand: after what they need of their
// own step, before what needs them there.
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
static const char *add_staged(StagingPlan *staging, int i, char *text,
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
    TileShape source; // converted after the wait for it
    tile_shape_of(tile_copy_src(tile_copy_cast(op)), &source);
    shape.element = source.element;
  }
  int after, before, n = staging->plan->num_items;
  find_bounds(staging, i, &after, &before);
  if (!has_work_between(staging, i, after, before))
    return "no work of its step stands between its loads and its stores";
  if (!budget_take(&staging->budget, op, &shape, staging->num_threads, text,
                   capacity))
    return text;
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
  *staging =
      (StagingPlan){.pipeline = pipeline,
                    .plan = &pipeline->loop->plan,
                    .num_threads = threads_of(pipeline->loop->body.loop.op),
                    .place = TILE_ARENA_NEW(arena, int, n + 1),
                    .copies = TILE_ARENA_NEW(arena, StagedCopy, n + 1)};
  if (staging->num_threads < 1)
    return;
  bool is_told = !tile_is_in_fallback_variant(pipeline->loop->body.loop.op);
  staging->budget = budget_of(pipeline->loop->body.loop.op);
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
    const char *reason = add_staged(staging, i, text, sizeof text);
    MlirOperation op = statement_of(staging, i)->op;
    if (is_told && reason)
      tile_emit_remark(op, "tile-pipeline/plain",
                       "stops its threads until memory has answered: %s",
                       reason);
    else if (is_told)
      tile_emit_remark(op, "tile-pipeline/register-staged",
                       "goes by way of registers: loaded ahead of the work of "
                       "its step, stored to shared memory after it");
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
