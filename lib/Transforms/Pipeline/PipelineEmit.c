//===- PipelineEmit.c - Prologue, loop and epilogue -----------------------===//
//
// With S the last stage and n the number of iterations, in steps:
//
//   guarded   0 … S-1 unrolled, each under "iteration exists";
//             then a loop of n steps: stage S runs iteration i of the old loop,
//             stage s runs i + S - s if that is below n
//   decided   scf.while: the same, but the loop runs as long as the iteration
//             of stage S exists, and each step decides about one more
//   peeled    n is known: S steps, a loop of n - S, S steps; nothing is guarded
//   rotated   the last two stages are not guarded: under "n > 0" steps
//             0 … S-1, a loop of n - 1 steps, a step of stage S alone. The loop
//             begins with the second iteration, as a peeled one does: the proof
//             of channels knows that form, and counters have room for a step
//
//   iteration     0 1 2 3        S = 2, n = 4, copies in stage 0
//   step 0        c
//   step 1          c
//   step 2        u   c          u: stage 2
//   step 3          u   c
//   step 4            u
//   step 5              u
//
// All are right for any n, 0 included.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "Analysis/Memory/Memory.h"
#include "Support/Constants.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

//===-- Tiles with versions -----------------------------------------------===//

static void build_ring(const Pipeline *p, TileBuilder *b, int buffer) {
  MlirValue tile = p->loop->body.buffers[buffer].root;
  TileAllocOp alloc = tile_alloc_cast(mlirOpResultGetOwner(tile));
  bool is_inside = tile_value_is_inside(tile, p->loop->body.loop.op);
  Ring *ring = &p->rings[buffer];
  MlirAttribute alignment = tile_alloc_alignment_attr(alloc);
  b->loc = mlirOperationGetLocation(alloc.op);
  mlirRewriterBaseSetInsertionPointBefore(
      b->rw, is_inside ? p->loop->body.loop.op : alloc.op);
  ring->ring = tile_alloc(
      b, .type = pipeline_ring_type(mlirValueGetType(tile), ring->num_slots));
  TileAllocOp made = tile_alloc_cast(mlirOpResultGetOwner(ring->ring));
  MlirAttribute layout = tile_ring_layout(alloc, ring->num_slots);
  if (!mlirAttributeIsNull(layout))
    tile_alloc_set_layout_attr(made, layout);
  if (!mlirAttributeIsNull(alignment))
    tile_alloc_set_alignment_attr(made, alignment);
}

// Tiles of the body live as long as the loop.
static void build_rings(const Pipeline *p, TileBuilder *b) {
  const TileLoopBody *body = &p->loop->body;
  for (int i = 0; i < body->num_buffers; i++)
    if (p->rings[i].is_new)
      build_ring(p, b, i);
  for (int i = 0; i < body->num_allocs; i++)
    mlirRewriterBaseMoveOpBefore(b->rw, body->allocs[i], body->loop.op);
}

// Views are free of effects, so the ones before the loop may have stayed.
static void erase_unused_views(MlirValue tile, TileBuilder *b) {
  MlirOpOperand use = mlirValueGetFirstUse(tile);
  while (!mlirOpOperandIsNull(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (!tile_view_is(user))
      continue;
    erase_unused_views(mlirOperationGetResult(user, 0), b);
    if (!tile_value_is_used(mlirOperationGetResult(user, 0)))
      mlirRewriterBaseEraseOp(b->rw, user);
  }
}

static void erase_unused_tiles(const Pipeline *p, TileBuilder *b) {
  for (int i = 0; i < p->loop->body.num_buffers; i++) {
    MlirValue root = p->loop->body.buffers[i].root;
    if (!p->rings[i].is_new)
      continue;
    erase_unused_views(root, b);
    if (!tile_value_is_used(root))
      mlirRewriterBaseEraseOp(b->rw, mlirOpResultGetOwner(root));
  }
}

//===-- Barriers of TMA copies --------------------------------------------===//

// Barriers live as long as the kernel, and so do the parities that their slots
// complete with next: the loop may run many times.
static void build_fill(const Pipeline *p, TileBuilder *b, Fill *fill) {
  MlirContext context = tile_builder_context(b);
  MlirType i32 = mlirIntegerTypeGet(context, 32);
  MlirBlock body = tile_kernel_body(p->kernel);
  mlirRewriterBaseSetInsertionPointToStart(b->rw, body);
  fill->barriers = tile_barrier_alloc(
      b, .type = tile_barrier_type(context, fill->num_slots));
  tile_barrier_init(b, .barrier = fill->barriers, .arrivals = 1);
  fill->memory = tile_alloc(
      b, .type = mlirMemRefTypeContiguousGet(
             i32, 0, NULL, tile_space_attr(context, TILE_SPACE_PRIVATE)));
  memref_store(b, .value = tile_const_of(b, i32, 0), .memref = fill->memory);
}

//===-- Iterations --------------------------------------------------------===//

typedef struct {
  MlirValue lower, upper, step;
  MlirType type;
  bool is_unsigned;
} Bounds;

static Bounds bounds_of(const Pipeline *p) {
  ScfForOp loop = scf_for_dyn(p->loop->body.loop.op);
  if (!loop.op.ptr)
    return (Bounds){.is_unsigned = false};
  return (Bounds){
      scf_for_lowerBound(loop), scf_for_upperBound(loop), scf_for_step(loop),
      mlirValueGetType(scf_for_lowerBound(loop)), scf_for_unsignedCmp(loop)};
}

// steps * step, which may be a constant.
static MlirValue distance(Emitter *e, const Bounds *bounds, int64_t steps) {
  int64_t step;
  if (mlirxConstantInt(bounds->step, &step))
    return tile_const_of(&e->b, bounds->type, steps * step);
  return arith_muli(&e->b, bounds->step,
                    tile_const_of(&e->b, bounds->type, steps));
}

// The value `steps` iterations after `from`.
static MlirValue iteration_behind(Emitter *e, const Bounds *bounds,
                                  MlirValue from, int64_t steps) {
  int64_t constant, step;
  if (steps == 0)
    return from;
  if (mlirxConstantInt(from, &constant) &&
      mlirxConstantInt(bounds->step, &step))
    return tile_const_of(&e->b, bounds->type, constant + steps * step);
  return arith_addi(&e->b, from, distance(e, bounds, steps));
}

// Whether the iteration `steps` after `from` exists, when `from` does: what is
// left of the range does not overflow as an unsigned number.
static MlirValue exists_behind(Emitter *e, const Bounds *bounds, MlirValue from,
                               int64_t steps) {
  MlirValue left = arith_subi(&e->b, bounds->upper, from);
  return arith_cmpi(&e->b, .predicate = ARITH_CMP_I_PREDICATE_ugt, .lhs = left,
                    .rhs = distance(e, bounds, steps));
}

static bool stage_is_used(const Pipeline *p, int32_t stage) {
  if (stage == 0 && p->loop->body.loop.condition.ptr)
    return true; // it decides
  for (int i = 0; i < p->loop->plan.num_items; i++)
    if (p->loop->plan.items[i].stage == stage)
      return true;
  for (intptr_t c = 1; c <= p->num_carried; c++)
    if (p->carried[c].home == stage)
      return true;
  return false;
}

//===-- Unrolled steps ----------------------------------------------------===//

// Step `step` in straight code. `exists` holds a condition per iteration, null
// where it is known to exist, or is NULL when the number of iterations is
// known.
static void emit_unrolled(Emitter *e, const Bounds *bounds, int64_t step,
                          const MlirValue *exists) {
  const Pipeline *p = e->p;
  e->step = step;
  if (p->form == PIPELINE_PEELED && step >= p->last_stage &&
      step < p->num_iters)
    e->step = TILE_STEADY_STEP;
  for (int32_t s = 0; s <= p->last_stage; s++) {
    int64_t iter = step - s;
    e->is_on[s] =
        iter >= 0 && stage_is_used(p, s) && (exists || iter < p->num_iters);
    e->condition[s] = (MlirValue){NULL};
    if (!e->is_on[s])
      continue;
    if (exists)
      e->condition[s] = exists[iter];
    e->iv[s] = iteration_behind(e, bounds, bounds->lower, iter);
  }
  emit_step(e);
}

static MlirValue exists_any(Emitter *e, const Bounds *bounds) {
  return arith_cmpi(&e->b,
                    .predicate = bounds->is_unsigned
                                     ? ARITH_CMP_I_PREDICATE_ult
                                     : ARITH_CMP_I_PREDICATE_slt,
                    .lhs = bounds->lower, .rhs = bounds->upper);
}

// Conditions "iteration t exists" for t below the number of stages; `any` is
// that of the first one, null where it is known to exist.
static MlirValue *emit_exists(Emitter *e, const Bounds *bounds, MlirValue any) {
  MlirValue *exists =
      TILE_ARENA_NEW(e->p->arena, MlirValue, e->p->last_stage + 1);
  exists[0] = any;
  for (int32_t t = 1; t < e->p->last_stage; t++) {
    exists[t] = exists_behind(e, bounds, bounds->lower, t);
    if (any.ptr)
      exists[t] = arith_andi(&e->b, any, exists[t]);
  }
  return exists;
}

//===-- The loop ----------------------------------------------------------===//

// Goes on writing at the end of `block`; null: before the old loop.
static void continue_in(Emitter *e, MlirBlock block) {
  e->block = block;
  if (block.ptr)
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
  else
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw, e->before);
}

static MlirBlock begin_body(Emitter *e, const Bounds *bounds) {
  int n = e->p->num_state + 1;
  MlirType *types = TILE_ARENA_NEW(e->p->arena, MlirType, n);
  MlirLocation *locations = TILE_ARENA_NEW(e->p->arena, MlirLocation, n);
  types[0] = bounds->type;
  for (int i = 0; i < n; i++) {
    if (i)
      types[i] = mlirValueGetType(e->state[i - 1]);
    locations[i] = mlirOperationGetLocation(e->before);
  }
  return mlirBlockCreate(n, types, locations);
}

// The state, which the arguments of the block from `first` on are.
static MlirValue *arguments_of(Emitter *e, MlirBlock block, int first) {
  MlirValue *state =
      TILE_ARENA_NEW(e->p->arena, MlirValue, e->p->num_state + 1);
  for (int i = 0; i < e->p->num_state; i++)
    state[i] = mlirBlockGetArgument(block, first + i);
  return state;
}

static void keep_attributes(const Pipeline *p, MlirOperation made) {
  MlirOperation old = p->loop->body.loop.op;
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(old); i++) {
    MlirNamedAttribute named = mlirOperationGetDiscardableAttribute(old, i);
    mlirOperationSetDiscardableAttributeByName(
        made, mlirIdentifierStr(named.name), named.attribute);
  }
}

// Stage S runs the iteration of the loop, the others those that follow, as far
// as they exist; rotated, the stage before S runs it, and S the one
// before.
static void set_iterations(Emitter *e, const Bounds *bounds, MlirValue iv) {
  const Pipeline *p = e->p;
  int32_t current = p->last_stage - (p->form == PIPELINE_ROTATED);
  for (int32_t s = 0; s <= p->last_stage; s++) {
    e->is_on[s] = stage_is_used(p, s);
    e->condition[s] = (MlirValue){NULL};
    if (!e->is_on[s])
      continue;
    e->iv[s] = s > current ? e->state[p->previous]
                           : iteration_behind(e, bounds, iv, current - s);
    if (s < p->num_guarded)
      e->condition[s] = exists_behind(e, bounds, iv, current - s);
  }
}

static void emit_loop(Emitter *e, const Bounds *bounds, MlirValue lower,
                      MlirValue upper) {
  const Pipeline *p = e->p;
  MlirBlock block = begin_body(e, bounds), outer = e->block;
  MlirValue iv = mlirBlockGetArgument(block, 0), *init = e->state;
  e->block = block;
  e->state = arguments_of(e, block, 1);
  e->step = TILE_STEADY_STEP;
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
  set_iterations(e, bounds, iv);
  emit_step(e);
  scf_yield(&e->b, .results = {e->state, p->num_state});

  MlirType *types = TILE_ARENA_NEW(p->arena, MlirType, p->num_state + 1);
  for (int i = 0; i < p->num_state; i++)
    types[i] = mlirValueGetType(init[i]);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  continue_in(e, outer);
  ScfForOp made =
      scf_for_op(&e->b, .type = {types, p->num_state}, .lowerBound = lower,
                 .upperBound = upper, .step = bounds->step,
                 .initArgs = {init, p->num_state},
                 .unsignedCmp = bounds->is_unsigned, .region = region);
  keep_attributes(p, made.op);
  for (int i = 0; i < p->num_state; i++)
    e->state[i] = mlirOperationGetResult(made.op, i);
}

//===-- Loops that decide -------------------------------------------------===//

// The iterations of the step, `last` the latest stage that has one. Rotated,
// the first iteration is known to exist.
static void set_stages(Emitter *e, int32_t last) {
  bool is_first = last < e->p->last_stage;
  for (int32_t s = 0; s <= e->p->last_stage; s++) {
    e->is_on[s] = s <= last && stage_is_used(e->p, s);
    e->iv[s] = e->condition[s] = TILE_NULL_VALUE;
    bool is_known = e->p->form == PIPELINE_ROTATED && is_first && s == last;
    if (s <= last && s < e->p->num_guarded && !is_known)
      e->condition[s] = e->state[e->p->exists + s];
  }
}

static MlirBlock begin_region(Emitter *e, MlirRegion region) {
  int n = e->p->num_state;
  MlirType *types = TILE_ARENA_NEW(e->p->arena, MlirType, n);
  MlirLocation *locations = TILE_ARENA_NEW(e->p->arena, MlirLocation, n);
  for (int i = 0; i < n; i++) {
    types[i] = mlirValueGetType(e->state[i]);
    locations[i] = mlirOperationGetLocation(e->before);
  }
  MlirBlock block = mlirBlockCreate(n, types, locations);
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
  return block;
}

// Whether the loop goes on: the last stage has an iteration in every step, and
// rotated the one before it as well.
static MlirRegion region_deciding(Emitter *e) {
  const Pipeline *p = e->p;
  int32_t current = p->last_stage - (p->form == PIPELINE_ROTATED);
  MlirValue *init = e->state;
  MlirRegion region = mlirRegionCreate();
  e->block = begin_region(e, region);
  e->state = arguments_of(e, e->block, 0);
  scf_condition(&e->b,
                .condition = p->has_exists ? e->state[p->exists + current]
                                           : emit_decision(e),
                .args = {e->state, p->num_state});
  e->state = init;
  return region;
}

// scf.while over the state.
static void emit_decided_loop(Emitter *e) {
  const Pipeline *p = e->p;
  MlirBlock outer = e->block;
  MlirValue *init = e->state;
  MlirType *types = TILE_ARENA_NEW(p->arena, MlirType, p->num_state + 1);
  MlirRegion before = region_deciding(e), after = mlirRegionCreate();
  for (int i = 0; i < p->num_state; i++)
    types[i] = mlirValueGetType(init[i]);
  e->block = begin_region(e, after);
  e->state = arguments_of(e, e->block, 0);
  e->step = TILE_STEADY_STEP;
  set_stages(e, p->last_stage);
  emit_step(e);
  scf_yield(&e->b, .results = {e->state, p->num_state});
  continue_in(e, outer);
  ScfWhileOp made = scf_while_op(&e->b, .type = {types, p->num_state},
                                 .inits = {init, p->num_state},
                                 .before = before, .after = after);
  keep_attributes(p, made.op);
  for (int i = 0; i < p->num_state; i++)
    e->state[i] = mlirOperationGetResult(made.op, i);
}

//===-- Forms -------------------------------------------------------------===//

static void emit_decided(Emitter *e) {
  for (int32_t step = 0; step < e->p->last_stage; step++) {
    e->step = step;
    set_stages(e, step);
    emit_step(e);
  }
  emit_decided_loop(e);
}

// `any`: whether there is an iteration, null where there is.
static void emit_guarded(Emitter *e, const Bounds *bounds, MlirValue any) {
  int is_rotated = e->p->form == PIPELINE_ROTATED;
  MlirValue *exists = emit_exists(e, bounds, any);
  for (int32_t step = 0; step < e->p->last_stage; step++)
    emit_unrolled(e, bounds, step, exists);
  emit_loop(e, bounds, iteration_behind(e, bounds, bounds->lower, is_rotated),
            bounds->upper);
}

static void emit_peeled(Emitter *e, const Bounds *bounds) {
  int64_t num_iters = e->p->num_iters, last = e->p->last_stage;
  for (int64_t step = 0; step < num_iters + last; step++) {
    if (num_iters == 0)
      break;
    if (step != last || num_iters - last < 2) {
      emit_unrolled(e, bounds, step, NULL);
      continue;
    }
    MlirValue upper =
        iteration_behind(e, bounds, bounds->lower, num_iters - last);
    emit_loop(e, bounds, bounds->lower, upper);
    step = num_iters - 1; // the loop has run up to here
  }
}

// What leaves the branch around a rotated loop: results of the loop, and the
// parities of its barriers.
static int list_outcome(const Pipeline *p, int *out_numbers) {
  int count = 0;
  for (intptr_t c = 1; c <= p->num_carried; c++)
    out_numbers[count++] = p->carried[c].result;
  for (int f = 0; f < p->num_fills; f++)
    out_numbers[count++] = p->fills[f].state;
  return count;
}

static MlirRegion region_yielding(Emitter *e, MlirBlock block,
                                  const MlirValue *state, const int *numbers,
                                  int count) {
  MlirValue *results = TILE_ARENA_NEW(e->p->arena, MlirValue, count + 1);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  for (int i = 0; i < count; i++)
    results[i] = state[numbers[i]];
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
  scf_yield(&e->b, .results = {results, count});
  return region;
}

// The last stage alone, for the last iteration.
static void emit_last_step(Emitter *e) {
  int32_t last = e->p->last_stage;
  e->step = TILE_LAST_STEP;
  for (int32_t s = 0; s <= last; s++) {
    e->is_on[s] = s == last;
    e->condition[s] = TILE_NULL_VALUE;
  }
  if (!e->p->loop->body.loop.condition.ptr)
    e->iv[last] = e->state[e->p->previous];
  emit_step(e);
}

static void emit_rotated(Emitter *e, const Bounds *bounds) {
  const Pipeline *p = e->p;
  bool decides = p->loop->body.loop.condition.ptr;
  const MlirValue *init = e->state;
  MlirValue exists = !decides        ? exists_any(e, bounds)
                     : p->has_exists ? e->state[p->exists]
                                     : emit_decision(e);
  int *numbers =
      TILE_ARENA_NEW(p->arena, int, p->num_carried + p->num_fills + 1);
  int count = list_outcome(p, numbers);
  continue_in(e, mlirBlockCreate(0, NULL, NULL));
  if (decides)
    emit_decided(e);
  else
    emit_guarded(e, bounds, TILE_NULL_VALUE);
  emit_last_step(e);
  MlirRegion runs = region_yielding(e, e->block, e->state, numbers, count);
  MlirRegion none = {NULL};
  if (count)
    none = region_yielding(e, mlirBlockCreate(0, NULL, NULL), init, numbers,
                           count);
  continue_in(e, (MlirBlock){NULL});
  ScfIfOp made = scf_if_op(&e->b, .condition = exists, .thenRegion = runs,
                           .elseRegion = none);
  for (int i = 0; i < count; i++)
    e->state[numbers[i]] = mlirOperationGetResult(made.op, i);
}

// What the first iteration gets as carried value `c`.
static MlirValue loop_form_init(const TileLoopForm *form, intptr_t c) {
  return form->condition.ptr
             ? tile_range_at(scf_while_inits(scf_while_cast(form->op)), c - 1)
             : tile_range_at(scf_for_initArgs(scf_for_cast(form->op)), c - 1);
}

static void begin_exists(Emitter *e) {
  const Pipeline *p = e->p;
  e->state[p->exists] = emit_decision(e);
  MlirType i1 = mlirValueGetType(e->state[p->exists]);
  for (int32_t s = 1; s <= p->last_stage; s++)
    e->state[p->exists + s] = tile_const_of(&e->b, i1, 0);
}

// The state before the first step.
static void emit_first_state(Emitter *e) {
  const Pipeline *p = e->p;
  MlirType index = mlirIndexTypeGet(tile_builder_context(&e->b));
  e->state = TILE_ARENA_NEW(p->arena, MlirValue, p->num_state + 1);
  for (int i = 0; i < p->num_positions; i++)
    e->state[p->positions[i].state] = tile_const_of(&e->b, index, 0);
  for (int i = 0; i < p->num_delays; i++) {
    const Delay *delay = &p->delays[i];
    MlirOperation op = p->loop->body.statements[delay->statement].op;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, delay->result));
    for (int k = 0; k < delay->last_stage - delay->stage; k++)
      e->state[delay->state + k] = tile_const_zero(&e->b, type);
  }
  for (intptr_t c = 1; c <= p->num_carried; c++)
    for (int k = 0; k <= p->carried[c].last_stage - p->carried[c].home; k++)
      e->state[p->carried[c].state + k] =
          loop_form_init(&p->loop->body.loop, c);
  for (int f = 0; f < p->num_fills; f++)
    e->state[p->fills[f].state] =
        memref_load(&e->b, .memref = p->fills[f].memory);
  if (p->has_exists)
    begin_exists(e);
  if (p->form == PIPELINE_ROTATED && !p->loop->body.loop.condition.ptr)
    e->state[p->previous] =
        scf_for_lowerBound(scf_for_cast(p->loop->body.loop.op));
}

void pipeline_emit(const Pipeline *pipeline, MlirRewriterBase rewriter) {
  MlirOperation loop = pipeline->loop->body.loop.op;
  int num_stages = pipeline->last_stage + 1;
  Emitter e = {.p = pipeline,
               .b = {rewriter, mlirOperationGetLocation(loop)},
               .before = loop,
               .is_on = TILE_ARENA_NEW(pipeline->arena, bool, num_stages),
               .iv = TILE_ARENA_NEW(pipeline->arena, MlirValue, num_stages),
               .condition =
                   TILE_ARENA_NEW(pipeline->arena, MlirValue, num_stages)};
  Bounds bounds = bounds_of(pipeline);
  build_rings(pipeline, &e.b);
  for (int f = 0; f < pipeline->num_fills; f++)
    build_fill(pipeline, &e.b, &pipeline->fills[f]);
  mlirRewriterBaseSetInsertionPointBefore(rewriter, loop);
  mlirOperationRemoveDiscardableAttributeByName(loop,
                                                TILE_STR("tile.num_stages"));
  emit_first_state(&e);
  if (pipeline->form == PIPELINE_ROTATED)
    emit_rotated(&e, &bounds);
  else if (pipeline->form == PIPELINE_PEELED)
    emit_peeled(&e, &bounds);
  else if (pipeline->loop->body.loop.condition.ptr)
    emit_decided(&e);
  else
    emit_guarded(&e, &bounds, exists_any(&e, &bounds));
  emit_last_state(&e);
  erase_unused_tiles(pipeline, &e.b);
}
