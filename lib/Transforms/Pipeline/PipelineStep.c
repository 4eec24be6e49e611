//===- PipelineStep.c - One step of a pipeline ----------------------------===//
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
// Every statement is cloned once per step, so no effect happens twice. What
// steps hand over, and how the last one ends, stands here as well.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "Dialect/ElementLoops.h"
#include "Support/Constants.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

// What carried values are after the iteration of their stage is bound to their
// arguments under this number of a stage.
enum { NEXT_ITERATION = -2 };

//===-- Small values ------------------------------------------------------===//

static MlirType emit_index_type(const Emitter *e) {
  return mlirIndexTypeGet(tile_builder_context(&e->b));
}

static MlirType type_i32(const Emitter *e) {
  return mlirIntegerTypeGet(tile_builder_context(&e->b), 32);
}

// The slot of the iteration that `stage` runs.
static MlirValue emit_slot(Emitter *e, int32_t stage, int32_t num_slots) {
  for (int i = 0; i < e->p->num_positions; i++)
    if (e->p->positions[i].num_slots == num_slots &&
        e->p->positions[i].stage == stage)
      return e->state[e->p->positions[i].state];
  return tile_const_of(&e->b, emit_index_type(e), 0);
}

// The value of the iteration that `stage` runs in this step.
static MlirValue emit_value(Emitter *e, int32_t stage, MlirValue value);

//===-- Bindings ----------------------------------------------------------===//

static void emit_bind(Emitter *e, Binding binding) {
  TILE_ARENA_RESERVE(e->p->arena, e->bindings, e->num_bindings,
                     e->binding_capacity);
  e->bindings[e->num_bindings++] = binding;
}

// The binding of a value, or null.
static MlirValue emit_find_binding(const Emitter *e, int32_t stage,
                                   MlirValue from) {
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

//===-- Slots of rings ----------------------------------------------------===//
//
// A tile with versions is a ring, and a view of it is a view of the ring that
// gives every slot the shape of the view. What uses either gets a window of one
// slot, that of the iteration which its stage runs.

// The ring of `tile`, or the view of it that corresponds to `tile`; null when
// there is none, and for windows.
static MlirValue emit_ring(Emitter *e, MlirValue tile) {
  TileBuffer named = tile_buffer_of(tile);
  const TileLoopBody *body = &e->p->loop->body;
  if (named.region.ptr)
    return TILE_NULL_VALUE;
  for (int i = 0; i < body->num_buffers; i++) {
    const Ring *ring = &e->p->rings[i];
    if (!ring->is_new || !mlirValueEqual(body->buffers[i].root, named.root))
      continue;
    if (mlirValueEqual(tile, named.root))
      return ring->ring;
    MlirType type = pipeline_ring_type(mlirValueGetType(tile), ring->num_slots);
    return tile_view(&e->b, .type = type, .source = ring->ring);
  }
  return TILE_NULL_VALUE;
}

// Whether `value` is a window of a tile that has a ring, wherever it is made.
static bool emit_is_ring_window(const Emitter *e, MlirValue value) {
  TileBuffer named = tile_buffer_of(value);
  const TileLoopBody *body = &e->p->loop->body;
  for (int i = 0; i < body->num_buffers && named.region.ptr; i++)
    if (e->p->rings[i].is_new &&
        mlirValueEqual(body->buffers[i].root, named.root))
      return true;
  return false;
}

// The ring that `value` is, or a view of; NULL for windows and other values.
static const Ring *find_ring(const Emitter *e, MlirValue value) {
  TileBuffer named = tile_buffer_of(value);
  for (int i = 0; i < e->p->loop->body.num_buffers && !named.region.ptr; i++)
    if (e->p->rings[i].is_new &&
        mlirValueEqual(e->p->rings[i].ring, named.root))
      return &e->p->rings[i];
  return NULL;
}

enum { MAX_DIMS = TILE_MAX_RANK + 1 };

// A window of `source`, a ring or a view of it: that of `region`, or with a
// null handle the whole slot.
static MlirValue build_window(Emitter *e, MlirValue source, int32_t stage,
                              TileRegionOp region) {
  MlirValue offsets[MAX_DIMS];
  int64_t constants[MAX_DIMS] = {mlirShapedTypeGetDynamicStrideOrOffset()};
  int64_t sizes[MAX_DIMS] = {1}, dropped[MAX_DIMS] = {0};
  MlirType type = mlirValueGetType(source);
  intptr_t rank = mlirShapedTypeGetRank(type), num_offsets = 1, num_dropped = 1;
  offsets[0] = emit_slot(e, stage, find_ring(e, source)->num_slots);
  for (intptr_t d = 1; d < rank; d++) {
    constants[d] = 0;
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  }
  for (intptr_t d = 1; d < rank && region.op.ptr; d++) {
    constants[d] = tile_region_static_offsets(region, d - 1);
    sizes[d] = tile_region_static_sizes(region, d - 1);
  }
  if (region.op.ptr) {
    TileRange given = tile_region_offsets(region);
    for (intptr_t i = 0; i < given.n; i++)
      offsets[num_offsets++] = tile_range_at(given, i);
    for (intptr_t i = 0; i < tile_region_dropped_size(region); i++)
      dropped[num_dropped++] = tile_region_dropped(region, i) + 1;
  }
  return tile_region(&e->b, .source = source, .offsets = {offsets, num_offsets},
                     .static_offsets = {constants, rank},
                     .static_sizes = {sizes, rank},
                     .dropped = {dropped, num_dropped});
}

typedef struct {
  Emitter *e;
  MlirOperation *users; // of rings
  int num_users, capacity;
} UserList;

static MlirWalkResult collect_users(MlirOperation op, void *user_data) {
  UserList *list = user_data;
  bool uses = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    uses |= find_ring(list->e, mlirOperationGetOperand(op, i)) != NULL;
  if (!uses)
    return MlirWalkResultAdvance;
  TILE_ARENA_RESERVE(list->e->p->arena, list->users, list->num_users,
                     list->capacity);
  list->users[list->num_users++] = op;
  return MlirWalkResultAdvance;
}

// An element of a ring: the slot comes first.
static void fix_indices(Emitter *e, const TileElementAccess *access,
                        int32_t stage) {
  intptr_t memref = access->is_store ? 1 : 0;
  MlirOperation op = access->op;
  const Ring *ring = find_ring(e, access->memref);
  if (!ring)
    return;
  MlirValue slot = emit_slot(e, stage, ring->num_slots);
  mlirxSetOperandGroup(op, memref + 1, 0, 1, &slot);
}

// (P3) for one op; returns what stands for it.
static MlirOperation fix_user(Emitter *e, MlirOperation op, int32_t stage) {
  TileRegionOp region = tile_region_dyn(op);
  TileElementAccess access;
  if (tile_element_access_get(op, &access)) {
    fix_indices(e, &access, stage);
    return op;
  }
  if (region.op.ptr && find_ring(e, tile_region_source(region))) {
    MlirValue window =
        build_window(e, tile_region_source(region), stage, region);
    mlirRewriterBaseReplaceOpWithValues(e->b.rw, op, 1, &window);
    return mlirOpResultGetOwner(window);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (find_ring(e, operand))
      mlirOperationSetOperand(
          op, i, build_window(e, operand, stage, (TileRegionOp){{NULL}}));
  }
  return op;
}

// Makes what uses rings in `clone` use the slot of `stage`; returns the op that
// stands for the clone. Moves the insertion point.
static MlirOperation emit_ring_slots(Emitter *e, MlirOperation clone,
                                     int32_t stage) {
  UserList list = {.e = e};
  MlirOperation result = clone;
  mlirOperationWalk(clone, collect_users, &list, MlirWalkPreOrder);
  for (int i = 0; i < list.num_users; i++) {
    bool is_top = mlirOperationEqual(list.users[i], clone);
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw, list.users[i]);
    MlirOperation fixed = fix_user(e, list.users[i], stage);
    if (is_top)
      result = fixed;
  }
  return result;
}

//===-- Values ------------------------------------------------------------===//

// Goes on writing after what is written.
static void emit_resume(Emitter *e) {
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

static MlirValue emit_value(Emitter *e, int32_t stage, MlirValue value) {
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
    // What the condition needed is of use after the guard as well.
    scope.num_bindings = e->num_bindings;
    if (guard->branch) {
      MlirType i1 = mlirValueGetType(scope.condition);
      scope.condition =
          arith_xori(&e->b, scope.condition, tile_const_of(&e->b, i1, 1));
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
    values[i] =
        exports[i].otherwise.ptr
            ? exports[i].otherwise
            : tile_const_zero(&e->b, mlirValueGetType(exports[i].binding.to));
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

static void emit_leave(Emitter *e) { close_scopes(e, 0); }

// Takes the value of `binding` out of the guards that are open; `otherwise`
// where they do not hold.
static void emit_export(Emitter *e, Binding binding, MlirValue otherwise) {
  emit_bind(e, binding);
  if (e->num_scopes)
    add_export(e, (Export){binding, otherwise});
}

// Makes the open guards those of a statement of `stage`.
static void emit_enter(Emitter *e, int32_t stage, const TileGuard *guards,
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
    // The guarded copies after a hoisted wait need the barrier as well: one
    // before their guard serves them and the reader. Threads of a role meet at
    // barriers of their own, which are placed later.
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
static MlirValue emit_parities(const Emitter *e, const Fill *fill) {
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
    MlirValue one = tile_const_of(&e->b, type_i32(e), 1);
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

//===-- State -------------------------------------------------------------===//
//
// One value per entry of the state, from step to step:
//
//   positions  the slot of the iteration that a stage runs
//   delays     results that a later stage uses, youngest first
//   carried    what iterations hand over, youngest first
//   exists     scf.while: whether the iteration of a stage exists; that of
//              stage 0 is decided as soon as the iteration before is known to
//              exist, and never again once one does not: the decision is made
//              as often, and of the same values, as the loop makes it. None
//              where the loop itself decides about stage 0
//   fills      the parities of mbarriers

//===-- Decisions of scf.while --------------------------------------------===//

// The values of the loop are `values` from now on, by their number, in the
// iteration that NEXT_ITERATION stands for.
static void emit_bind_carried(Emitter *e, const MlirValue *values) {
  for (intptr_t c = 1; c <= e->p->num_carried; c++)
    emit_bind(e, (Binding){NEXT_ITERATION,
                           tile_loop_form_argument(&e->p->loop->body.loop, c),
                           values[c]});
}

// Whether the iteration exists whose carried values are bound.
static MlirValue decide(Emitter *e) {
  ScfConditionOp op = tile_loop_form_condition(&e->p->loop->body.loop);
  return emit_value(e, NEXT_ITERATION, scf_condition_condition(op));
}

MlirValue emit_decision(Emitter *e) {
  const Pipeline *p = e->p;
  MlirValue *values = TILE_ARENA_NEW(p->arena, MlirValue, p->num_carried + 1);
  for (intptr_t c = 1; c <= p->num_carried; c++)
    values[c] = e->state[p->carried[c].state];
  emit_bind_carried(e, values);
  MlirValue decision = decide(e);
  e->num_bindings = 0;
  return decision;
}

//===-- The first state ---------------------------------------------------===//

//===-- Positions ---------------------------------------------------------===//

// slot + 1, or 0 after the last.
static MlirValue next_slot(Emitter *e, const Position *position) {
  MlirValue slot = e->state[position->state];
  int64_t constant;
  if (mlirxConstantInt(slot, &constant))
    return tile_const_of(&e->b, emit_index_type(e),
                         (constant + 1) % position->num_slots);
  MlirValue next =
      arith_addi(&e->b, slot, tile_const_of(&e->b, emit_index_type(e), 1));
  MlirValue is_end = arith_cmpi(
      &e->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = next,
      .rhs = tile_const_of(&e->b, emit_index_type(e), position->num_slots));
  return arith_select(&e->b, is_end,
                      tile_const_of(&e->b, emit_index_type(e), 0), next);
}

//===-- What changes in a step --------------------------------------------===//

static void shift(const MlirValue *from, MlirValue *to, int first, int count,
                  MlirValue newest) {
  for (int k = count - 1; k > 0; k--)
    to[first + k] = from[first + k - 1];
  if (count > 0)
    to[first] = newest;
}

static void advance_delays(Emitter *e, MlirValue *next) {
  const Pipeline *p = e->p;
  for (int i = 0; i < p->num_delays; i++) {
    const Delay *delay = &p->delays[i];
    int count = delay->last_stage - delay->stage;
    if (count == 0)
      continue;
    MlirOperation op = p->loop->body.statements[delay->statement].op;
    MlirValue newest = emit_find_binding(
        e, delay->stage, mlirOperationGetResult(op, delay->result));
    shift(e->state, next, delay->state, count,
          newest.ptr ? newest : e->state[delay->state]);
  }
}

// Computes what carried value `c` is after the iteration of its stage, under
// the guard of the iteration where `is_guarded`.
static void update_carried(Emitter *e, intptr_t c, bool is_guarded) {
  const Pipeline *p = e->p;
  const TileLoopForm *loop = &p->loop->body.loop;
  const Carried *carried = &p->carried[c];
  MlirValue old = e->state[carried->state];
  Binding binding = {NEXT_ITERATION, tile_loop_form_argument(loop, c), old};
  if (is_guarded)
    emit_enter(e, carried->home, NULL, 0);
  if (e->is_on[carried->home])
    binding.to = emit_value(e, carried->home, tile_loop_form_update(loop, c));
  emit_export(e, binding, old);
}

// Loads happen in iterations that exist. What else is computed in vain hurts
// nobody.
static bool is_guarded(const Emitter *e, intptr_t c) {
  const Carried *carried = &e->p->carried[c];
  return carried->has_loads && e->is_on[carried->home] &&
         e->condition[carried->home].ptr;
}

// Binds the next value of each carried value.
static void update_values(Emitter *e) {
  const Pipeline *p = e->p;
  for (int32_t s = 0; s <= p->last_stage; s++) {
    for (intptr_t c = 1; c <= p->num_carried; c++)
      if (p->carried[c].home == s && is_guarded(e, c))
        update_carried(e, c, true);
  }
  emit_leave(e);
  for (intptr_t c = 1; c <= p->num_carried; c++)
    if (!is_guarded(e, c))
      update_carried(e, c, false);
}

// The carried values must be in place: the decision binds its own result.
static MlirValue next_exists(Emitter *e) {
  const Pipeline *p = e->p;
  MlirValue old = e->state[p->exists];
  if (!e->is_on[0])
    return old; // none is begun any more
  MlirValue decision =
      scf_condition_condition(tile_loop_form_condition(&p->loop->body.loop));
  emit_enter(e, 0, NULL, 0);
  emit_export(e, (Binding){NEXT_ITERATION, decision, decide(e)}, old);
  emit_leave(e);
  return emit_find_binding(e, NEXT_ITERATION, decision);
}

static void emit_advance(Emitter *e) {
  const Pipeline *p = e->p;
  MlirValue *next = TILE_ARENA_NEW(p->arena, MlirValue, p->num_state + 1);
  if (p->num_state)
    memcpy(next, e->state, sizeof *next * (size_t)p->num_state);
  update_values(e);
  for (int i = 0; i < p->num_positions; i++)
    if (e->is_on[p->positions[i].stage])
      next[p->positions[i].state] = next_slot(e, &p->positions[i]);
  for (int f = 0; f < p->num_fills; f++)
    next[p->fills[f].state] = emit_parities(e, &p->fills[f]);
  if (p->form == PIPELINE_ROTATED && !p->loop->body.loop.condition.ptr &&
      e->is_on[p->last_stage - 1])
    next[p->previous] = e->iv[p->last_stage - 1];
  advance_delays(e, next);
  for (intptr_t c = 1; c <= p->num_carried; c++) {
    const Carried *carried = &p->carried[c];
    MlirValue argument = tile_loop_form_argument(&p->loop->body.loop, c);
    shift(e->state, next, carried->state,
          1 + carried->last_stage - carried->home,
          emit_find_binding(e, NEXT_ITERATION, argument));
  }
  if (p->has_exists)
    shift(e->state, next, p->exists, 1 + p->last_stage, next_exists(e));
  e->state = next;
  e->num_bindings = 0;
}

//===-- The last state ----------------------------------------------------===//

// What scf.while forwards when it decides for the last time.
static void replace_while(Emitter *e, const MlirValue *carried) {
  ScfConditionOp op = tile_loop_form_condition(&e->p->loop->body.loop);
  TileRange args = scf_condition_args(op);
  MlirValue *results = TILE_ARENA_NEW(e->p->arena, MlirValue, args.n + 1);
  emit_bind_carried(e, carried);
  for (intptr_t i = 0; i < args.n; i++)
    results[i] = emit_value(e, NEXT_ITERATION, tile_range_at(args, i));
  e->num_bindings = 0;
  mlirRewriterBaseReplaceOpWithValues(e->b.rw, e->before, args.n, results);
}

void emit_last_state(Emitter *e) {
  const Pipeline *p = e->p;
  MlirValue *carried = TILE_ARENA_NEW(p->arena, MlirValue, p->num_carried + 1);
  mlirRewriterBaseSetInsertionPointBefore(e->b.rw, e->before);
  for (int f = 0; f < p->num_fills; f++)
    memref_store(&e->b, .value = e->state[p->fills[f].state],
                 .memref = p->fills[f].memory);
  for (intptr_t c = 1; c <= p->num_carried; c++)
    carried[c] = e->state[p->carried[c].result];
  if (p->loop->body.loop.condition.ptr)
    replace_while(e, carried);
  else
    mlirRewriterBaseReplaceOpWithValues(e->b.rw, e->before, p->num_carried,
                                        carried + 1);
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
