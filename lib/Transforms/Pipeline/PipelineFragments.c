//===- PipelineFragments.c - Registers of what runs ahead -----------------===//
//
// Guards and addresses of copies that run ahead may be computed in fragments.
// Registers have no slots, so where later stages use such a fragment too, what
// computes it is repeated: the copies have fragments of their own, the others
// keep theirs.
//
//   (O1) a fragment is taken in two when a statement that feeds a copy touches
//        it, and so does one that feeds none;
//   (O2) a statement that feeds a copy and writes such a fragment is repeated;
//        what else it touches is then used in both stages as well.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "Analysis/Loops/RepeatedOps.h"

typedef struct {
  TileArena *arena;
  TilePlannedLoop *loop;
  bool *feeds;    // per statement: some copy that may run ahead
  bool *is_twice; // per buffer
  int num_twice;
} Own;

static const TileStatement *statement_of(const Own *own, int i) {
  return &own->loop->body.statements[i];
}

static bool carries(const TileLoopEdge *edge) {
  return edge->distance == 0 &&
         (edge->kind == TILE_EDGE_FLOW || edge->kind == TILE_EDGE_VALUE);
}

// Adds what copy `copy` depends on, if all of that may run ahead.
static void add_feeders(Own *own, int copy) {
  const TileLoopPlan *plan = &own->loop->plan;
  bool *set = TILE_ARENA_NEW(own->arena, bool, plan->num_items);
  set[copy] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (int e = 0; e < plan->num_edges; e++) {
      const TileLoopEdge *edge = &plan->edges[e];
      if (!carries(edge) || !set[edge->to] || set[edge->from])
        continue;
      if (!plan->items[edge->from].can_lead)
        return;
      set[edge->from] = grew = true;
    }
  }
  for (int i = 0; i < plan->num_items; i++)
    own->feeds[i] |= set[i];
}

static bool is_repeated(const Own *own, int statement) {
  const TileLoopBody *body = &own->loop->body;
  for (int b = 0; own->feeds[statement] && b < body->num_buffers; b++)
    if (own->is_twice[b] &&
        tile_statement_touches(statement_of(own, statement), b, true))
      return true;
  return false;
}

// (O1), (O2) Whether the buffer is used ahead, and in later stages.
static bool is_used_twice(const Own *own, int buffer) {
  bool ahead = false, later = false;
  for (int i = 0; i < own->loop->body.num_statements; i++) {
    if (!tile_statement_touches(statement_of(own, i), buffer, false))
      continue;
    ahead |= own->feeds[i];
    later |= !own->feeds[i] || is_repeated(own, i);
  }
  return ahead && later;
}

static bool has_windows(MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (tile_is_name_op(op))
      return true;
  }
  return false;
}

// False when nothing is to be done, or it cannot be.
static bool own_build(Own *own) {
  const TileLoopBody *body = &own->loop->body;
  for (int i = 0; i < body->num_statements; i++)
    if (own->loop->plan.items[i].is_copy && own->loop->plan.items[i].can_lead)
      add_feeders(own, i);
  for (bool grew = true; grew;) {
    grew = false;
    for (int b = 0; b < body->num_buffers; b++) {
      if (own->is_twice[b] || !body->buffers[b].is_renewed ||
          !is_used_twice(own, b))
        continue;
      if (has_windows(body->buffers[b].root))
        return false;
      own->is_twice[b] = grew = true;
      own->num_twice++;
    }
  }
  for (int i = 0; i < body->num_statements; i++) {
    const TileStatement *s = statement_of(own, i);
    for (int a = 0; is_repeated(own, i) && a < s->num_accesses; a++)
      if (s->accesses[a].writes && !own->is_twice[s->accesses[a].buffer])
        return false;
    if (is_repeated(own, i) && !tile_op_is_repeatable(s->op))
      return false;
  }
  return own->num_twice > 0;
}

//===-- Apply; cannot fail ------------------------------------------------===//

typedef struct {
  MlirValue from, to;
} Change;

static MlirWalkResult change_operands(MlirOperation op, void *user_data) {
  const Change *change = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), change->from))
      mlirOperationSetOperand(op, i, change->to);
  return MlirWalkResultAdvance;
}

bool pipeline_own_fragments(TileArena *arena, TilePlannedLoop *loop) {
  const TileLoopBody *body = &loop->body;
  Own own = {.arena = arena,
             .loop = loop,
             .feeds = TILE_ARENA_NEW(arena, bool, body->num_statements + 1),
             .is_twice = TILE_ARENA_NEW(arena, bool, body->num_buffers + 1)};
  if (!own_build(&own))
    return false;
  MlirRewriterBase rewriter =
      mlirIRRewriterCreate(mlirOperationGetContext(body->loop.op));
  MlirxMapping none = mlirxMappingCreate();
  // The copies get the new op, and the op that is there stays with the others.
  MlirOperation *ahead =
      TILE_ARENA_NEW(arena, MlirOperation, body->num_statements + 1);
  for (int i = 0; i < body->num_statements; i++) {
    ahead[i] = statement_of(&own, i)->op;
    if (!is_repeated(&own, i))
      continue;
    mlirRewriterBaseSetInsertionPointBefore(rewriter, ahead[i]);
    ahead[i] = mlirxClone(rewriter, ahead[i], none);
  }
  for (int b = 0; b < body->num_buffers; b++) {
    if (!own.is_twice[b])
      continue;
    Change change = {.from = body->buffers[b].root};
    mlirRewriterBaseSetInsertionPointBefore(rewriter, body->loop.op);
    TileBuilder builder = {rewriter, mlirOperationGetLocation(body->loop.op)};
    change.to = tile_alloc(&builder, .type = mlirValueGetType(change.from));
    for (int i = 0; i < body->num_statements; i++)
      if (own.feeds[i])
        mlirOperationWalk(ahead[i], change_operands, &change, MlirWalkPreOrder);
  }
  mlirxMappingDestroy(none);
  mlirIRRewriterDestroy(rewriter);
  return true;
}
