//===- RegisterPrefetch.c - Copies of tensors to fragments, ahead ---------===//
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
// a stage is put in front of all others.
//
//===----------------------------------------------------------------------===//

#include "SoftwarePipeline.h"

#include "Support/Diagnostics.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  const TilePlannedLoop *loop;
  bool *is_split; // per statement
  int32_t first;  // stage
  int32_t shift;  // of the stages of all statements: the first one is 0
  int num_split;
  int64_t num_threads, free_registers;
} Prefetch;

static const TilePlanItem *item_of(const Prefetch *p, int statement) {
  return &p->loop->plan.items[statement];
}

static TileShape shape_of(const Prefetch *p, int statement) {
  TileShape shape = {0}, src = {0};
  TileCopyOp copy = tile_copy_cast(p->loop->body.statements[statement].op);
  tile_shape_of(tile_copy_dst(copy), &shape);
  tile_shape_of(tile_copy_src(copy), &src);
  shape.element = src.element; // converted behind the wait for it
  return shape;
}

// Whether its stage reads what the copy loads, and so waits for it.
static bool is_waited_for(const Prefetch *p, int statement) {
  const TileLoopPlan *plan = &p->loop->plan;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->from == statement && edge->distance == 0 &&
        edge->kind == TILE_EDGE_FLOW &&
        item_of(p, edge->to)->stage == item_of(p, statement)->stage)
      return true;
  }
  return false;
}

// Whether what the copy needs is there an iteration before.
static bool can_run_ahead(const Prefetch *p, int statement) {
  const TileLoopPlan *plan = &p->loop->plan;
  const TilePlanItem *copy = item_of(p, statement);
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->to != statement || edge->from == statement)
      continue;
    const TilePlanItem *from = item_of(p, edge->from);
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

static void add_copy(TileArena *arena, Prefetch *p, int i, bool is_told) {
  MlirOperation op = p->loop->body.statements[i].op;
  TileShape shape = shape_of(p, i);
  int64_t registers = pipeline_fragment_registers(&shape, p->num_threads);
  bool is_known = can_run_ahead(p, i), fits = registers <= p->free_registers;
  bool decides_slots = decides(arena, p, i);
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
    tile_emit_remark(
        op, "tile-pipeline/plain",
        "stops its threads until memory has answered: it takes %lld registers "
        "per thread, and %lld are free",
        (long long)registers,
        (long long)(p->free_registers > 0 ? p->free_registers : 0));
  else if (is_told)
    tile_emit_remark(op, "tile-pipeline/prefetched",
                     "is loaded an iteration ahead, to other registers");
  if (!is_known || !fits || decides_slots)
    return;
  p->free_registers -= registers;
  p->is_split[i] = true;
  p->num_split++;
  if (item_of(p, i)->stage == p->first)
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
  int64_t num_threads = pipeline_num_threads(op);
  int n = loop->plan.num_items;
  *out =
      (Prefetch){.loop = loop, .is_split = TILE_ARENA_NEW(arena, bool, n + 1)};
  if (num_threads < 1)
    return false;
  out->num_threads = num_threads;
  out->free_registers = pipeline_free_registers(op);
  out->first = tile_loop_plan_first_stage(&loop->plan);
  out->shift = -out->first;
  bool is_told = !tile_is_in_fallback_variant(op);
  for (int i = 0; i < n; i++) {
    if (tile_loop_body_loads_fragment(&loop->body, i) && is_waited_for(out, i))
      add_copy(arena, out, i, is_told);
    if (is_told && scf_if_is(loop->body.statements[i].op))
      mlirOperationWalk(loop->body.statements[i].op, report_guarded, NULL,
                        MlirWalkPreOrder);
  }
  return out->num_split > 0 &&
         tile_loop_plan_last_stage(&loop->plan) + out->shift <
             TILE_MAX_PIPELINE_STAGES;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static void split(TileBuilder *b, const Prefetch *p, int i) {
  MlirOperation op = p->loop->body.statements[i].op;
  TileShape shape = shape_of(p, i);
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
  int32_t stage = item_of(p, i)->stage + p->shift;
  int32_t order = 2 * item_of(p, i)->order;
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
                              item_of(p, i)->stage + p->shift,
                              2 * item_of(p, i)->order);
  for (int i = 0; i < body->num_statements; i++)
    if (p->is_split[i])
      split(&b, p, i);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

bool pipeline_prefetch_fragments(TileArena *arena,
                                 const TilePlannedLoop *loop) {
  Prefetch prefetch;
  if (!prefetch_build(arena, loop, &prefetch))
    return false;
  prefetch_apply(&prefetch);
  return true;
}
