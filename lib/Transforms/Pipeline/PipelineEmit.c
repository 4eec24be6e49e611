//===- PipelineEmit.c - The statements of one step ------------------------===//
//
// A step runs, for every stage, one iteration. Statements are cloned by their
// order; what they use is found by these rules:
//
//   (P1) arithmetic is cloned where it is used, once per stage and scope;
//   (P2) a result of the same stage is in the step, one of an earlier stage
//        comes from an earlier step through the state;
//   (P3) a tile with versions is the slot of the iteration;
//   (P4) everything else is outside the loop and stays, but for windows of such
//        tiles;
//   (P5) what a guard yields is chosen where it is used.
//
// Every statement is cloned once per step, so no effect happens twice.
//
//===----------------------------------------------------------------------===//

#include "SoftwarePipeline.h"

#include "Analysis/Loops/Loops.h"

#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

//===-- Small values ------------------------------------------------------===//

MlirValue emit_int(TileBuilder *b, MlirType type, int64_t value) {
  return arith_constant(b, .value = mlirIntegerAttrGet(type, value));
}

MlirValue emit_zero(TileBuilder *b, MlirType type) {
  if (mlirTypeIsAFloat(type))
    return arith_constant(
        b, .value = mlirFloatAttrDoubleGet(tile_builder_context(b), type, 0.0));
  return emit_int(b, type, 0);
}

MlirType emit_index_type(const Emitter *e) {
  return mlirIndexTypeGet(tile_builder_context(&e->b));
}

static MlirType type_i32(const Emitter *e) {
  return mlirIntegerTypeGet(tile_builder_context(&e->b), 32);
}

MlirValue emit_slot(Emitter *e, int32_t stage, int32_t num_slots) {
  for (int i = 0; i < e->p->num_positions; i++)
    if (e->p->positions[i].num_slots == num_slots &&
        e->p->positions[i].stage == stage)
      return e->state[e->p->positions[i].state];
  return emit_int(&e->b, emit_index_type(e), 0);
}

//===-- Bindings ----------------------------------------------------------===//

void emit_bind(Emitter *e, Binding binding) {
  TILE_ARENA_RESERVE(e->p->arena, e->bindings, e->num_bindings,
                     e->binding_capacity);
  e->bindings[e->num_bindings++] = binding;
}

MlirValue emit_find_binding(const Emitter *e, int32_t stage, MlirValue from) {
  for (int i = e->num_bindings - 1; i >= 0; i--)
    if (e->bindings[i].stage == stage &&
        mlirValueEqual(e->bindings[i].from, from))
      return e->bindings[i].to;
  return (MlirValue){NULL};
}

static void add_export(Emitter *e, Export item) {
  TILE_ARENA_RESERVE(e->p->arena, e->exports, e->num_exports,
                     e->export_capacity);
  e->exports[e->num_exports++] = item;
}

//===-- Clones
//-------------------------------------------------------------===//

void emit_resume(Emitter *e) {
  if (e->choice.ptr)
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, e->choice);
  else if (e->num_scopes)
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw,
                                           e->scopes[e->num_scopes - 1].block);
  else if (e->block.ptr)
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, e->block);
  else
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw, e->before);
}

typedef struct {
  Emitter *e;
  int32_t stage;
  MlirOperation op;
  MlirxMapping map;
} CloneWalk;

static MlirWalkResult map_operands(MlirOperation op, void *user_data) {
  CloneWalk *walk = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!tile_value_is_inside(operand, walk->op))
      mlirxMappingSet(walk->map, operand,
                      emit_value(walk->e, walk->stage, operand));
  }
  return MlirWalkResultAdvance;
}

// Clones `op` for the iteration of `stage` and binds its results.
static MlirOperation emit_clone(Emitter *e, int32_t stage, MlirOperation op) {
  CloneWalk walk = {e, stage, op, mlirxMappingCreate()};
  mlirOperationWalk(op, map_operands, &walk, MlirWalkPreOrder);
  MlirOperation clone = mlirxClone(e->b.rw, op, walk.map);
  mlirxMappingDestroy(walk.map);
  tile_statement_plan_drop(clone);
  clone = emit_ring_slots(e, clone, stage);
  emit_resume(e);
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
    emit_bind(e, (Binding){stage, mlirOperationGetResult(op, r),
                           mlirOperationGetResult(clone, r)});
  return clone;
}

static MlirValue carried_value(const Emitter *e, int32_t stage, intptr_t c) {
  const Carried *carried = &e->p->carried[c];
  return e->state[carried->state + (stage - carried->home)];
}

// (P2) across steps.
static MlirValue delayed_value(const Emitter *e, int32_t stage, int statement,
                               MlirValue value) {
  for (int i = 0; i < e->p->num_delays; i++) {
    const Delay *delay = &e->p->delays[i];
    if (delay->statement == statement &&
        mlirOpResultGetResultNumber(value) == delay->result)
      return e->state[delay->state + (stage - delay->stage - 1)];
  }
  return (MlirValue){NULL};
}

static MlirRegion region_of_block(MlirBlock block) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

// (P5) Loads among the arithmetic of a branch happen in that branch only.
static MlirValue emit_choice(Emitter *e, int32_t stage, MlirValue value) {
  ScfIfOp choice = scf_if_cast(mlirOpResultGetOwner(value));
  MlirValue condition = emit_value(e, stage, scf_if_condition(choice));
  MlirBlock outer = e->choice;
  int num_bindings = e->num_bindings;
  MlirRegion regions[2];
  for (int branch = 0; branch < 2; branch++) {
    MlirBlock block = e->choice = mlirBlockCreate(0, NULL, NULL);
    emit_resume(e);
    MlirValue yielded = emit_value(e, stage, tile_choice_yield(value, branch));
    e->choice = block;
    emit_resume(e);
    scf_yield(&e->b, .results = TILE_VALUES(yielded));
    regions[branch] = region_of_block(block);
    e->num_bindings = num_bindings;
  }
  e->choice = outer;
  emit_resume(e);
  ScfIfOp made = scf_if_op(&e->b, .condition = condition,
                           .thenRegion = regions[0], .elseRegion = regions[1]);
  MlirValue result = mlirOperationGetResult(made.op, 0);
  emit_bind(e, (Binding){stage, value, result});
  return result;
}

MlirValue emit_value(Emitter *e, int32_t stage, MlirValue value) {
  const TileLoopBody *body = &e->p->loop->body;
  MlirValue bound = emit_find_binding(e, stage, value);
  if (bound.ptr)
    return bound;
  MlirValue ring = emit_ring(e, value);
  if (ring.ptr)
    return ring;
  if (!tile_value_is_inside(value, body->loop.op) &&
      !emit_is_ring_window(e, value))
    return value; // (P4)
  MlirValue forwarded = tile_loop_form_forwarded(&body->loop, value);
  if (forwarded.ptr)
    return emit_value(e, stage, forwarded);
  if (mlirValueIsABlockArgument(value)) {
    intptr_t number = tile_loop_form_find(&body->loop, value);
    return number ? carried_value(e, stage, number) : e->iv[stage];
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  int statement = tile_loop_body_find(body, op);
  if (statement >= 0)
    return delayed_value(e, stage, statement, value);
  if (tile_loop_body_is_choice(body, op))
    return emit_choice(e, stage, value);
  emit_clone(e, stage, op); // (P1)
  return emit_find_binding(e, stage, value);
}

//===-- Guards ------------------------------------------------------------===//

static void open_scope(Emitter *e, int32_t stage, const TileGuard *guard) {
  Scope scope = {.condition = e->condition[stage],
                 .num_bindings = e->num_bindings,
                 .num_exports = e->num_exports};
  assert(e->num_scopes < MAX_SCOPES);
  if (guard) {
    scope.guard = guard->op;
    scope.branch = guard->branch;
    scope.condition =
        emit_value(e, stage, scf_if_condition(scf_if_cast(guard->op)));
    // What the condition needed is of use behind the guard as well.
    scope.num_bindings = e->num_bindings;
    if (guard->branch) {
      MlirType i1 = mlirValueGetType(scope.condition);
      scope.condition =
          arith_xori(&e->b, scope.condition, emit_int(&e->b, i1, 1));
    }
  }
  scope.block = mlirBlockCreate(0, NULL, NULL);
  e->scopes[e->num_scopes++] = scope;
  e->scope_stage = stage;
  emit_resume(e);
}

// The block of the path not taken, with a value for each export.
static MlirBlock build_otherwise(Emitter *e, const Export *exports,
                                 int num_exports) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue *values = TILE_ARENA_NEW(e->p->arena, MlirValue, num_exports);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
  for (int i = 0; i < num_exports; i++)
    values[i] = exports[i].otherwise.ptr
                    ? exports[i].otherwise
                    : emit_zero(&e->b, mlirValueGetType(exports[i].binding.to));
  scf_yield(&e->b, .results = {values, num_exports});
  return block;
}

static void close_scope(Emitter *e) {
  Scope *scope = &e->scopes[e->num_scopes - 1];
  int n = e->num_exports - scope->num_exports;
  Export *exports = TILE_ARENA_NEW(e->p->arena, Export, n + 1);
  MlirValue *values = TILE_ARENA_NEW(e->p->arena, MlirValue, n + 1);
  for (int i = 0; i < n; i++) {
    exports[i] = e->exports[scope->num_exports + i];
    values[i] = exports[i].binding.to;
  }
  scf_yield(&e->b, .results = {values, n});
  MlirRegion otherwise = {NULL};
  if (n)
    otherwise = region_of_block(build_otherwise(e, exports, n));
  e->num_bindings = scope->num_bindings;
  e->num_exports = scope->num_exports;
  e->num_scopes--;
  emit_resume(e);
  ScfIfOp made = scf_if_op(&e->b, .condition = scope->condition,
                           .thenRegion = region_of_block(scope->block),
                           .elseRegion = otherwise);
  for (int i = 0; i < n; i++) {
    exports[i].binding.to = mlirOperationGetResult(made.op, i);
    emit_bind(e, exports[i].binding);
    if (e->num_scopes)
      add_export(e, exports[i]);
  }
}

static void close_scopes(Emitter *e, int num_left) {
  while (e->num_scopes > num_left)
    close_scope(e);
}

void emit_leave(Emitter *e) { close_scopes(e, 0); }

void emit_export(Emitter *e, Binding binding, MlirValue otherwise) {
  emit_bind(e, binding);
  if (e->num_scopes)
    add_export(e, (Export){binding, otherwise});
}

void emit_enter(Emitter *e, int32_t stage, const TileGuard *guards,
                int num_guards) {
  int has_range = e->condition[stage].ptr != NULL, common = 0;
  if (e->num_scopes && e->scope_stage == stage) {
    common = has_range;
    while (common < e->num_scopes && common - has_range < num_guards &&
           mlirOperationEqual(e->scopes[common].guard,
                              guards[common - has_range].op) &&
           e->scopes[common].branch == guards[common - has_range].branch)
      common++;
  }
  close_scopes(e, common);
  if (has_range && !e->num_scopes)
    open_scope(e, stage, NULL);
  for (int g = e->num_scopes - has_range; g < num_guards; g++)
    open_scope(e, stage, &guards[g]);
}

//===-- Asynchronous copies -----------------------------------------------===//

bool pipeline_is_in_role(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !tile_role_is(op))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static void emit_waits(Emitter *e, int32_t order) {
  const Pipeline *p = e->p;
  for (int w = 0; w < p->num_waits; w++) {
    if (p->waits[w].order != order || !e->is_on[p->waits[w].stage])
      continue;
    int pending =
        tile_loop_schedule_pending(&p->schedule, &p->waits[w], e->step);
    if (pending < 0)
      continue;
    close_scopes(e, 0);
    tile_cp_async_wait(&e->b, .pending = pending);
    // The guarded copies behind a hoisted wait need the barrier as well: one in
    // front of their guard serves them and the reader. Threads of a role meet
    // at barriers of their own, which are placed later.
    if (p->is_wait_hoisted[w] && !pipeline_is_in_role(e->before))
      tile_barrier_sync(&e->b, .id = {NULL});
  }
}

static void emit_commits(Emitter *e, int32_t order) {
  const Pipeline *p = e->p;
  for (int g = 0; g < p->schedule.num_groups; g++) {
    if (p->schedule.groups[g].order != order ||
        !e->is_on[p->schedule.groups[g].stage])
      continue;
    close_scopes(e, 0); // in every step, whatever the guards say
    tile_cp_async_commit(&e->b, 0);
  }
}

// The parities of a fill travel as a value of stage -1.
MlirValue emit_parities(const Emitter *e, const Fill *fill) {
  MlirValue bound = emit_find_binding(e, -1, fill->barriers);
  return bound.ptr ? bound : e->state[fill->state];
}

static void set_parities(Emitter *e, const Fill *fill, MlirValue value) {
  emit_export(e, (Binding){-1, fill->barriers, value}, emit_parities(e, fill));
}

// Waits for a fill under the guards of its copies: what was not copied is not
// waited for, and leaves the parity of its slot as it is.
static void emit_fill_waits(Emitter *e, int statement) {
  const Pipeline *p = e->p;
  for (int f = 0; f < p->num_fills; f++) {
    const Fill *fill = &p->fills[f];
    if (fill->reader != statement)
      continue;
    const TileStatement *first = &p->loop->body.statements[fill->first];
    int32_t stage = p->loop->plan.items[statement].stage;
    emit_enter(e, stage, first->guards, first->num_guards);
    MlirValue slot = emit_slot(e, stage, fill->num_slots);
    MlirValue bit = arith_index_cast(&e->b, .in = slot, .type = type_i32(e));
    MlirValue parities = emit_parities(e, fill);
    MlirValue one = emit_int(&e->b, type_i32(e), 1);
    MlirValue parity =
        arith_andi(&e->b, arith_shrui(&e->b, parities, bit), one);
    tile_barrier_wait(&e->b, .barrier = fill->barriers, .slot = slot,
                      .parity = parity);
    set_parities(e, fill,
                 arith_xori(&e->b, parities, arith_shli(&e->b, one, bit)));
  }
}

// The fill that a copy is a part of, or NULL.
static const Fill *find_fill(const Pipeline *p, int statement) {
  for (int f = 0; f < p->num_fills; f++)
    for (int i = 0; i < p->fills[f].num_copies; i++)
      if (p->fills[f].copies[i] == statement)
        return &p->fills[f];
  return NULL;
}

static void emit_expect(Emitter *e, const Fill *fill, int32_t stage) {
  tile_barrier_expect(&e->b, .barrier = fill->barriers,
                      .slot = emit_slot(e, stage, fill->num_slots),
                      .bytes = fill->size_bytes);
}

//===-- One step ----------------------------------------------------------===//

static void emit_statement(Emitter *e, int statement) {
  const Pipeline *p = e->p;
  const TileStatement *s = &p->loop->body.statements[statement];
  int32_t stage = p->loop->plan.items[statement].stage;
  const Fill *fill = find_fill(p, statement);
  e->b.loc = mlirOperationGetLocation(s->op);
  emit_enter(e, stage, s->guards, s->num_guards);
  if (fill && fill->first == statement)
    emit_expect(e, fill, stage);
  MlirOperation clone = emit_clone(e, stage, s->op);
  if (fill) {
    tile_copy_set_signal(tile_copy_cast(clone), fill->barriers);
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw, clone);
    tile_copy_set_slot(tile_copy_cast(clone),
                       emit_slot(e, stage, fill->num_slots));
    emit_resume(e);
  }
  if (p->group_of[statement] >= 0 && tile_copy_is(clone))
    tile_copy_set_async(tile_copy_cast(clone), true);
  else if (p->group_of[statement] >= 0)
    tile_copy_loop_set_async(clone);
  for (intptr_t r = 0; e->num_scopes && r < mlirOperationGetNumResults(s->op);
       r++) {
    MlirValue value = mlirOperationGetResult(s->op, r);
    MlirType type = mlirValueGetType(value);
    if (mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type) ||
        mlirTypeIsAFloat(type))
      emit_export(e, (Binding){stage, value, mlirOperationGetResult(clone, r)},
                  TILE_NULL_VALUE);
  }
}

// In steps of both stages that multiply; `edge` 0 begins, 1 ends.
static void emit_turn(Emitter *e, int statement, int edge) {
  int32_t last = e->p->last_stage;
  if (e->p->turn[edge] != statement || !e->is_on[last - 1] || !e->is_on[last])
    return;
  close_scopes(e, 0);
  tile_turn(&e->b, .edge = edge ? TILE_TURN_End : TILE_TURN_Begin);
}

void emit_step(Emitter *e) {
  const TileLoopPlan *plan = &e->p->loop->plan;
  emit_resume(e);
  for (int k = 0; k < plan->num_items; k++) {
    int statement = e->p->by_order[k];
    const TilePlanItem *item = &plan->items[statement];
    emit_waits(e, item->order);
    if (e->is_on[item->stage]) {
      emit_fill_waits(e, statement);
      emit_turn(e, statement, 0);
      emit_statement(e, statement);
      emit_turn(e, statement, 1);
    }
    emit_commits(e, item->order);
  }
  e->b.loc = mlirOperationGetLocation(e->before);
  emit_advance(e);
}
