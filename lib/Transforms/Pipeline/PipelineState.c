//===- PipelineState.c - What steps of a pipeline hand over ---------------===//
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
//
//===----------------------------------------------------------------------===//

#include "SoftwarePipeline.h"

#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

//===-- Decisions of scf.while --------------------------------------------===//

void emit_bind_carried(Emitter *e, const MlirValue *values) {
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

static void begin_exists(Emitter *e) {
  const Pipeline *p = e->p;
  e->state[p->exists] = emit_decision(e);
  MlirType i1 = mlirValueGetType(e->state[p->exists]);
  for (int32_t s = 1; s <= p->last_stage; s++)
    e->state[p->exists + s] = emit_int(&e->b, i1, 0);
}

//===-- The first state ---------------------------------------------------===//

void emit_first_state(Emitter *e) {
  const Pipeline *p = e->p;
  MlirType index = mlirIndexTypeGet(tile_builder_context(&e->b));
  e->state = TILE_ARENA_NEW(p->arena, MlirValue, p->num_state + 1);
  for (int i = 0; i < p->num_positions; i++)
    e->state[p->positions[i].state] = emit_int(&e->b, index, 0);
  for (int i = 0; i < p->num_delays; i++) {
    const Delay *delay = &p->delays[i];
    MlirOperation op = p->loop->body.statements[delay->statement].op;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, delay->result));
    for (int k = 0; k < delay->last_stage - delay->stage; k++)
      e->state[delay->state + k] = emit_zero(&e->b, type);
  }
  for (intptr_t c = 1; c <= p->num_carried; c++)
    for (int k = 0; k <= p->carried[c].last_stage - p->carried[c].home; k++)
      e->state[p->carried[c].state + k] =
          tile_loop_form_init(&p->loop->body.loop, c);
  for (int f = 0; f < p->num_fills; f++)
    e->state[p->fills[f].state] =
        memref_load(&e->b, .memref = p->fills[f].memory);
  if (p->has_exists)
    begin_exists(e);
  if (p->form == PIPELINE_ROTATED && !p->loop->body.loop.condition.ptr)
    e->state[p->previous] =
        scf_for_lowerBound(scf_for_cast(p->loop->body.loop.op));
}

//===-- Positions ---------------------------------------------------------===//

// slot + 1, or 0 behind the last.
static MlirValue next_slot(Emitter *e, const Position *position) {
  MlirValue slot = e->state[position->state];
  int64_t constant;
  if (mlirxConstantInt(slot, &constant))
    return emit_int(&e->b, emit_index_type(e),
                    (constant + 1) % position->num_slots);
  MlirValue next =
      arith_addi(&e->b, slot, emit_int(&e->b, emit_index_type(e), 1));
  MlirValue is_end = arith_cmpi(
      &e->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = next,
      .rhs = emit_int(&e->b, emit_index_type(e), position->num_slots));
  return arith_select(&e->b, is_end, emit_int(&e->b, emit_index_type(e), 0),
                      next);
}

//===-- Values ------------------------------------------------------------===//

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

// Computes what carried value `c` is behind the iteration of its stage, under
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

void emit_advance(Emitter *e) {
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
