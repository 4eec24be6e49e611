//===- PipelinePlan.c - Rings, waits and state of a pipeline --------------===//
//
// Reads a loop with its plan and decides what the pipeline needs:
//
//   rings      a buffer gets as many slots as iterations touch it at a time
//   positions  the slot of the iteration that a stage runs, carried in SSA
//   delays     results that a later stage uses, one value per step between
//   groups     of cp.async, and where they are waited for
//   fills      groups of TMA copies, on one mbarrier per slot
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"

#include "Analysis/Memory/Memory.h"

#include "Dialect/Products.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

static const TilePlanItem *item_of(const Pipeline *p, int statement) {
  return &p->loop->plan.items[statement];
}

static const TileStatement *statement_of(const Pipeline *p, int statement) {
  return &p->loop->body.statements[statement];
}

//===-- Registers ---------------------------------------------------------===//

// The pass knows no target; all chips have the same registers (TileTarget.c).
int64_t pipeline_num_registers(MlirOperation kernel) {
  return tile_kernel_thread_registers(kernel, tile_target_at(0),
                                      tile_kernel_num_threads(kernel));
}

bool pipeline_is_in_role(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !tile_role_is(op))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

//===-- Form --------------------------------------------------------------===//

// Number of iterations; -1 when the bounds are not constant.
static int64_t count_iters(MlirOperation op) {
  int64_t lower, upper, step;
  ScfForOp loop = scf_for_dyn(op);
  if (!loop.op.ptr || !mlirxConstantInt(scf_for_lowerBound(loop), &lower) ||
      !mlirxConstantInt(scf_for_upperBound(loop), &upper) ||
      !mlirxConstantInt(scf_for_step(loop), &step) || step <= 0)
    return -1;
  if (scf_for_unsignedCmp(loop) && (lower < 0 || upper < 0))
    return -1;
  if (upper <= lower)
    return 0;
  uint64_t span = (uint64_t)upper - (uint64_t)lower;
  uint64_t iters = (span - 1) / (uint64_t)step + 1;
  return iters <= INT32_MAX ? (int64_t)iters : -1;
}

// Peeled code of a few small ops is shorter than the guards would be; a product
// is too long to be repeated unless the loop would go.
enum { MAX_PEELED_CLONES = 32 };

static bool is_worth_peeling(const Pipeline *p) {
  if (p->num_iters < 0)
    return false;
  if (p->num_iters <= 2 * (int64_t)p->last_stage)
    return true;
  int64_t clones = 0;
  for (int i = 0; i < p->loop->plan.num_items; i++) {
    // One in each step of prologue and epilogue that has its stage.
    clones += 1 + p->last_stage;
    if (tile_gemm_is(statement_of(p, i)->op) ||
        tile_gemm_sp_is(statement_of(p, i)->op) ||
        mlirOperationGetNumRegions(statement_of(p, i)->op) > 0)
      return false;
  }
  return clones <= MAX_PEELED_CLONES;
}

// Guards around products would tie accumulators to paths: where the last two
// stages multiply, neither is guarded.
static bool is_rotated(const Pipeline *p) {
  bool multiplies_early = false;
  for (int i = 0; i < p->loop->plan.num_items; i++) {
    TileProduct product;
    multiplies_early |= item_of(p, i)->stage == p->last_stage - 1 &&
                        tile_product_of(statement_of(p, i)->op, &product);
  }
  return multiplies_early;
}

static PipelineForm choose_form(const Pipeline *p) {
  if (is_rotated(p))
    return PIPELINE_ROTATED;
  // Roles walk through their loops side by side.
  if (pipeline_is_in_role(p->loop->body.loop.op))
    return PIPELINE_GUARDED;
  return is_worth_peeling(p) ? PIPELINE_PEELED : PIPELINE_GUARDED;
}

// Warpgroups that take turns issue all products of a step in one.
static void find_turn(Pipeline *p) {
  TileRoleOp role = tile_role_of(p->loop->body.loop.op);
  p->turn[0] = p->turn[1] = -1;
  if (p->form != PIPELINE_ROTATED || !role.op.ptr || !tile_role_pingpong(role))
    return;
  for (int k = 0; k < p->loop->plan.num_items; k++) {
    TileProduct product;
    if (!tile_product_of(statement_of(p, p->by_order[k])->op, &product))
      continue;
    if (p->turn[0] < 0)
      p->turn[0] = p->by_order[k];
    p->turn[1] = p->by_order[k];
  }
}

static void sort_by_order(Pipeline *p) {
  int n = p->loop->plan.num_items;
  p->by_order = TILE_ARENA_NEW(p->arena, int, n + 1);
  for (int i = 0; i < n; i++) {
    int j = i;
    for (;
         j > 0 && item_of(p, p->by_order[j - 1])->order > item_of(p, i)->order;
         j--)
      p->by_order[j] = p->by_order[j - 1];
    p->by_order[j] = i;
  }
}

//===-- A product under way beside the next copies ------------------------===//
//
// Without roles the threads that multiply also copy. A copy before the
// product of its step overwrites the slot of the product before, which it has
// to await: nothing overlaps. After it, and into the slot of the product
// before all the same, that one has had a whole step, and the product of the
// step is under way during the copies and the next wait:
//
//   step   wait i; product i; await product i - 1; copies i + S
//
// So the copies move after the products, and the ring keeps the slot that the
// plan counts for copies before them. For loops that only multiply what TMA
// copies; sums that others use are awaited in their iteration anyway.

static bool is_tma_copy(MlirOperation op) {
  return tile_copy_is(op) &&
         !mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))) &&
         tile_copy_instr(tile_copy_cast(op)) == TILE_INSTR_Tma &&
         mlirValueIsNull(tile_copy_signal(tile_copy_cast(op)));
}

// Whether all statements are copies of the first stage, or products of the last
// one after them.
static bool suits_lag(const Pipeline *p) {
  const TileLoopPlan *plan = &p->loop->plan;
  int32_t last_copy = INT32_MIN, first_product = INT32_MAX;
  if (p->form != PIPELINE_GUARDED || !p->kernel.ptr ||
      !scf_for_is(p->loop->body.loop.op) ||
      pipeline_is_in_role(p->loop->body.loop.op))
    return false;
  for (int i = 0; i < plan->num_items; i++) {
    const TilePlanItem *item = &plan->items[i];
    const TileStatement *s = &p->loop->body.statements[i];
    TileProduct product;
    if (is_tma_copy(s->op) && item->group >= 0 && item->stage == 0) {
      last_copy = item->order > last_copy ? item->order : last_copy;
    } else if (tile_product_is_wgmma(s->op, &product) && !product.is_async &&
               s->num_guards == 0 && item->stage == p->last_stage) {
      first_product = item->order < first_product ? item->order : first_product;
    } else {
      return false;
    }
  }
  return last_copy > INT32_MIN && first_product < INT32_MAX &&
         last_copy < first_product;
}

static void lag_copies(Pipeline *p) {
  TileLoopPlan *plan = &p->loop->plan;
  int32_t last = INT32_MIN, first = INT32_MAX;
  p->has_lag = suits_lag(p);
  if (!p->has_lag)
    return;
  for (int i = 0; i < plan->num_items; i++) {
    last = plan->items[i].order > last ? plan->items[i].order : last;
    first = plan->items[i].order < first ? plan->items[i].order : first;
  }
  for (int i = 0; i < plan->num_items; i++)
    if (is_tma_copy(p->loop->body.statements[i].op))
      plan->items[i].order += last - first + 1;
}

//===-- Rings -------------------------------------------------------------===//

// Slots such that no iteration fills one that another still uses.
static int32_t count_slots(const Pipeline *p, int buffer) {
  int32_t most = 1;
  if (!p->loop->body.buffers[buffer].is_versioned)
    return most;
  for (int w = 0; w < p->loop->plan.num_items; w++)
    for (int u = 0; u < p->loop->plan.num_items; u++) {
      if (!tile_statement_touches(statement_of(p, w), buffer, true) ||
          !tile_statement_touches(statement_of(p, u), buffer, false))
        continue;
      int32_t slots = tile_loop_plan_num_slots(item_of(p, w), item_of(p, u));
      slots += p->has_lag && item_of(p, u)->stage > item_of(p, w)->stage;
      if (slots > most)
        most = slots;
    }
  return most;
}

static bool is_used_elsewhere(MlirValue tile, MlirOperation loop) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), at = user;
    if (tile_is_name_op(user)) {
      if (is_used_elsewhere(mlirOperationGetResult(user, 0), loop))
        return true;
      continue;
    }
    while (!mlirOperationIsNull(at) && !mlirOperationEqual(at, loop))
      at = mlirOperationGetParentOperation(at);
    if (mlirOperationIsNull(at))
      return true;
  }
  return false;
}

// Filled in a step before it is read, a tile is no longer local to an
// iteration: another loop could not have versions of it.
static bool needs_own_tile(const Pipeline *p, int buffer) {
  const TileLoopBody *body = &p->loop->body;
  int32_t first = INT32_MAX, last = 0;
  if (!body->buffers[buffer].is_versioned)
    return false;
  for (int i = 0; i < body->num_statements; i++) {
    if (!tile_statement_touches(statement_of(p, i), buffer, false))
      continue;
    int32_t stage = item_of(p, i)->stage;
    first = stage < first ? stage : first;
    last = stage > last ? stage : last;
  }
  return first < last &&
         is_used_elsewhere(body->buffers[buffer].root, body->loop.op);
}

MlirType pipeline_ring_type(MlirType tile, int32_t num_slots) {
  int64_t extent[TILE_MAX_RANK] = {num_slots};
  intptr_t rank = mlirShapedTypeGetRank(tile);
  for (intptr_t d = 0; d < rank; d++)
    extent[d + 1] = mlirShapedTypeGetDimSize(tile, d);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(tile),
                                     rank + 1, extent,
                                     mlirMemRefTypeGetMemorySpace(tile));
}

static void add_position(Pipeline *p, int32_t num_slots, int32_t stage) {
  if (num_slots < 2)
    return;
  for (int i = 0; i < p->num_positions; i++)
    if (p->positions[i].num_slots == num_slots &&
        p->positions[i].stage == stage)
      return;
  p->positions[p->num_positions++] =
      (Position){num_slots, stage, p->num_state++};
}

static void build_rings(Pipeline *p) {
  const TileLoopBody *body = &p->loop->body;
  p->rings = TILE_ARENA_NEW(p->arena, Ring, body->num_buffers + 1);
  for (int i = 0; i < body->num_buffers; i++) {
    p->rings[i] = (Ring){.num_slots = count_slots(p, i)};
    p->rings[i].is_new = p->rings[i].num_slots > 1 || needs_own_tile(p, i);
  }
  for (int i = 0; i < body->num_statements; i++)
    for (int a = 0; a < body->statements[i].num_accesses; a++)
      add_position(p,
                   p->rings[body->statements[i].accesses[a].buffer].num_slots,
                   item_of(p, i)->stage);
}

//===-- Values between stages ---------------------------------------------===//

static void delay_until(Pipeline *p, int statement, int32_t stage) {
  const TilePlanItem *item = item_of(p, statement);
  for (intptr_t r = 0;
       r < mlirOperationGetNumResults(statement_of(p, statement)->op); r++) {
    int i = 0;
    while (i < p->num_delays &&
           (p->delays[i].statement != statement || p->delays[i].result != r))
      i++;
    if (i == p->num_delays)
      p->delays[p->num_delays++] =
          (Delay){statement, r, item->stage, item->stage, 0};
    if (stage > p->delays[i].last_stage)
      p->delays[i].last_stage = stage;
  }
}

// What stage `stage` uses of the sources.
static void use_sources(Pipeline *p, const TileLoopSources *sources,
                        int32_t stage) {
  for (int i = 0; i < p->loop->plan.num_items; i++)
    if (sources->statements[i])
      delay_until(p, i, stage);
  for (intptr_t c = 1; c <= p->num_carried; c++)
    if (sources->carried[c] && stage > p->carried[c].last_stage)
      p->carried[c].last_stage = stage;
}

// A carried value goes no further ahead than its first user: what only a later
// stage uses, directly or to update another one, need not be kept for it.
static void find_first_uses(Pipeline *p, const TileLoopSources *updates,
                            const TileLoopSources *uses) {
  for (intptr_t c = 1; c <= p->num_carried; c++) {
    p->carried[c].home = p->last_stage;
    for (int i = 0; i < p->loop->plan.num_items; i++)
      if (uses[i].carried[c] && item_of(p, i)->stage < p->carried[c].home)
        p->carried[c].home = item_of(p, i)->stage;
  }
  // The first stage decides whether an iteration exists.
  TileLoopSources decision = tile_loop_sources_create(p->arena, &p->loop->body);
  tile_loop_sources_add_condition(&decision);
  for (intptr_t c = 1; c <= p->num_carried; c++)
    if (decision.carried[c])
      p->carried[c].home = 0;
  for (intptr_t round = 0; round <= p->num_carried; round++)
    for (intptr_t c = 1; c <= p->num_carried; c++)
      for (intptr_t k = 1; k <= p->num_carried; k++)
        if (updates[k].carried[c] && p->carried[k].home < p->carried[c].home)
          p->carried[c].home = p->carried[k].home;
}

// The stage that updates each carried value: not before what it is made of.
static void find_homes(Pipeline *p, const TileLoopSources *updates) {
  for (intptr_t round = 0; round <= p->num_carried; round++)
    for (intptr_t c = 1; c <= p->num_carried; c++) {
      int32_t home = p->carried[c].home;
      for (int i = 0; i < p->loop->plan.num_items; i++)
        if (updates[c].statements[i] && item_of(p, i)->stage > home)
          home = item_of(p, i)->stage;
      for (intptr_t k = 1; k <= p->num_carried; k++)
        if (updates[c].carried[k] && p->carried[k].home > home)
          home = p->carried[k].home;
      p->carried[c].home = home;
    }
}

static MlirWalkResult find_load(MlirOperation op, void *user_data) {
  bool *has_loads = user_data;
  *has_loads |= memref_load_is(op);
  return *has_loads ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether a load is among the arithmetic on the way to the sources: it may
// only happen in iterations that exist.
static bool loop_sources_have_loads(const TileLoopSources *sources) {
  bool has_loads = false;
  for (int i = 0; i < sources->num_visited && !has_loads; i++)
    mlirOperationWalk(sources->visited[i], find_load, &has_loads,
                      MlirWalkPreOrder);
  return has_loads;
}

static void build_values(Pipeline *p) {
  intptr_t n = p->num_carried;
  intptr_t num_results = 0;
  for (int i = 0; i < p->loop->plan.num_items; i++)
    num_results += mlirOperationGetNumResults(statement_of(p, i)->op);
  p->delays = TILE_ARENA_NEW(p->arena, Delay, num_results + 1);
  p->carried = TILE_ARENA_NEW(p->arena, Carried, n + 1);
  TileLoopSources *updates = TILE_ARENA_NEW(p->arena, TileLoopSources, n + 1);
  for (intptr_t c = 1; c <= n; c++) {
    updates[c] = tile_loop_sources_create(p->arena, &p->loop->body);
    tile_loop_sources_add(&updates[c],
                          tile_loop_form_update(&p->loop->body.loop, c));
    p->carried[c].has_loads = loop_sources_have_loads(&updates[c]);
  }
  TileLoopSources *uses =
      TILE_ARENA_NEW(p->arena, TileLoopSources, p->loop->plan.num_items + 1);
  for (int i = 0; i < p->loop->plan.num_items; i++) {
    uses[i] = tile_loop_sources_create(p->arena, &p->loop->body);
    tile_loop_sources_add_statement(&uses[i], i);
  }
  find_first_uses(p, updates, uses);
  find_homes(p, updates);
  for (intptr_t c = 1; c <= n; c++)
    use_sources(p, &updates[c], p->carried[c].home);
  for (int i = 0; i < p->loop->plan.num_items; i++)
    use_sources(p, &uses[i], item_of(p, i)->stage);
  for (int i = 0; i < p->num_delays; i++) {
    p->delays[i].state = p->num_state;
    p->num_state += p->delays[i].last_stage - p->delays[i].stage;
  }
  for (intptr_t c = 1; c <= n; c++) {
    // The loop's result is the value after the last iteration; guarded early
    // stages are past that.
    bool is_guarded = p->carried[c].home < p->num_guarded;
    if (is_guarded)
      p->carried[c].last_stage = p->last_stage;
    if (p->carried[c].last_stage < p->carried[c].home)
      p->carried[c].last_stage = p->carried[c].home;
    p->carried[c].state = p->num_state;
    p->carried[c].result =
        p->num_state + (is_guarded ? p->last_stage - p->carried[c].home : 0);
    p->num_state += 1 + p->carried[c].last_stage - p->carried[c].home;
  }
  p->exists = p->num_state;
  p->has_exists = p->loop->body.loop.condition.ptr &&
                  !(p->form == PIPELINE_ROTATED && p->last_stage == 1);
  if (p->has_exists)
    p->num_state += 1 + p->last_stage;
}

//===-- Asynchronous copies -----------------------------------------------===//

static bool is_copy_by(MlirOperation op, TileInstr instr) {
  if (instr == TILE_INSTR_CpAsync && tile_copy_loop_is_cp_async(op))
    return true;
  return tile_copy_is(op) &&
         !mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))) &&
         tile_copy_instr(tile_copy_cast(op)) == instr &&
         mlirValueIsNull(tile_copy_signal(tile_copy_cast(op))) &&
         !tile_copy_async(tile_copy_cast(op));
}

// The first statement, by stage and order, that must see the copy complete.
static int first_user(const Pipeline *p, int copy) {
  const TileLoopPlan *plan = &p->loop->plan;
  int first = -1;
  for (int e = plan->items[copy].edge; e >= 0; e = plan->edges[e].next) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->distance || edge->buffer < 0)
      continue;
    // Slots are not overwritten under way; a tensor that is copied may be.
    if (edge->kind == TILE_EDGE_ANTI &&
        p->loop->body.buffers[edge->buffer].space != TILE_SPACE_GLOBAL)
      continue;
    const TilePlanItem *use = item_of(p, edge->to);
    if (use->group >= 0 && use->group == item_of(p, copy)->group)
      continue; // another part of the same fill
    const TilePlanItem *best = first < 0 ? NULL : item_of(p, first);
    if (!best || use->stage < best->stage ||
        (use->stage == best->stage && use->order < best->order))
      first = edge->to;
  }
  return first;
}

// Whether a copy may be under way while others run: it runs in an earlier stage
// than whoever needs it.
static bool is_async(const Pipeline *p, int statement, TileInstr instr) {
  int user = first_user(p, statement);
  return item_of(p, statement)->group >= 0 && user >= 0 &&
         is_copy_by(statement_of(p, statement)->op, instr) &&
         item_of(p, user)->stage > item_of(p, statement)->stage;
}

static void build_groups(Pipeline *p) {
  int n = p->loop->plan.num_items;
  TileLoopGroup *groups = TILE_ARENA_NEW(p->arena, TileLoopGroup, n + 1);
  int32_t *names = TILE_ARENA_NEW(p->arena, int32_t, n + 1);
  p->group_of = TILE_ARENA_NEW(p->arena, int, n + 1);
  for (int i = 0; i < n; i++) {
    p->group_of[i] = -1;
    if (!is_async(p, i, TILE_INSTR_CpAsync))
      continue;
    int g = 0;
    while (g < p->schedule.num_groups && names[g] != item_of(p, i)->group)
      g++;
    if (g == p->schedule.num_groups) {
      names[g] = item_of(p, i)->group;
      groups[g] = (TileLoopGroup){item_of(p, i)->stage, INT32_MIN};
      p->schedule.num_groups++;
    }
    if (item_of(p, i)->order > groups[g].order)
      groups[g].order = item_of(p, i)->order;
    p->group_of[i] = g;
  }
  p->schedule.groups = groups;
}

// One barrier of all threads per step orders both the data that a wait has
// brought and the slot that the next copies overwrite, where the wait stands
// before those copies.
static int32_t hoist_wait(const Pipeline *p, int reader) {
  int at = 0;
  while (p->by_order[at] != reader)
    at++;
  while (p->form == PIPELINE_GUARDED && at > 0 &&
         p->group_of[p->by_order[at - 1]] >= 0 &&
         item_of(p, p->by_order[at - 1])->stage < item_of(p, reader)->stage)
    at--;
  return item_of(p, p->by_order[at])->order;
}

static void build_waits(Pipeline *p) {
  int n = p->loop->plan.num_items, num_groups = p->schedule.num_groups;
  p->waits = TILE_ARENA_NEW(p->arena, TileLoopWait, num_groups + 1);
  p->is_wait_hoisted = TILE_ARENA_NEW(p->arena, bool, num_groups + 1);
  for (int g = 0; g < num_groups; g++) {
    int reader = -1;
    for (int i = 0; i < n; i++) {
      if (p->group_of[i] != g)
        continue;
      int user = first_user(p, i);
      if (reader < 0 || item_of(p, user)->stage < item_of(p, reader)->stage ||
          (item_of(p, user)->stage == item_of(p, reader)->stage &&
           item_of(p, user)->order < item_of(p, reader)->order))
        reader = user;
    }
    TileLoopWait wait = {item_of(p, reader)->stage, hoist_wait(p, reader), NULL,
                         1};
    // Two groups may be waited for at one place.
    int w = 0;
    while (w < p->num_waits &&
           (p->waits[w].stage != wait.stage || p->waits[w].order != wait.order))
      w++;
    int *list = TILE_ARENA_NEW(p->arena, int, num_groups);
    int length = 0;
    for (; w < p->num_waits && length < p->waits[w].num_groups; length++)
      list[length] = p->waits[w].groups[length];
    list[length++] = g;
    wait.groups = list;
    wait.num_groups = length;
    p->waits[w] = wait;
    p->is_wait_hoisted[w] = wait.order != item_of(p, reader)->order;
    if (w == p->num_waits)
      p->num_waits++;
  }
}

static bool have_same_guards(const TileStatement *a, const TileStatement *b) {
  if (a->num_guards != b->num_guards)
    return false;
  for (int g = 0; g < a->num_guards; g++)
    if (!mlirOperationEqual(a->guards[g].op, b->guards[g].op) ||
        a->guards[g].branch != b->guards[g].branch)
      return false;
  return true;
}

static int64_t copy_size_bytes(MlirOperation op) {
  TileShape dst;
  tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst);
  return tile_shape_num_elems(&dst) * tile_elem_bits(dst.element) / 8;
}

static bool is_before(const Pipeline *p, int a, int b) {
  const TilePlanItem *x = item_of(p, a), *y = item_of(p, b);
  return x->stage < y->stage || (x->stage == y->stage && x->order < y->order);
}

// Copies of one group and of one path through the guards complete together.
static void build_fills(Pipeline *p) {
  int n = p->loop->plan.num_items;
  p->fills = TILE_ARENA_NEW(p->arena, Fill, n + 1);
  for (int k = 0; k < n; k++) {
    int i = p->by_order[k];
    if (!p->kernel.ptr || !is_async(p, i, TILE_INSTR_Tma))
      continue;
    int f = 0;
    while (f < p->num_fills &&
           (p->fills[f].group != item_of(p, i)->group ||
            !have_same_guards(statement_of(p, p->fills[f].first),
                              statement_of(p, i))))
      f++;
    Fill *fill = &p->fills[f];
    if (f == p->num_fills) {
      *fill = (Fill){.group = item_of(p, i)->group,
                     .first = i,
                     .reader = first_user(p, i),
                     .copies = TILE_ARENA_NEW(p->arena, int, n),
                     .num_slots = 1,
                     .state = p->num_state++};
      p->num_fills++;
    }
    if (is_before(p, first_user(p, i), fill->reader))
      fill->reader = first_user(p, i);
    fill->copies[fill->num_copies++] = i;
    fill->size_bytes += copy_size_bytes(statement_of(p, i)->op);
    for (int a = 0; a < statement_of(p, i)->num_accesses; a++) {
      int32_t slots =
          p->rings[statement_of(p, i)->accesses[a].buffer].num_slots;
      if (slots > fill->num_slots)
        fill->num_slots = slots;
    }
  }
  for (int f = 0; f < p->num_fills; f++) {
    add_position(p, p->fills[f].num_slots,
                 item_of(p, p->fills[f].first)->stage);
    add_position(p, p->fills[f].num_slots,
                 item_of(p, p->fills[f].reader)->stage);
  }
}

//===-- Decline -----------------------------------------------------------===//

static bool is_scalar(MlirType type) {
  return mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type) ||
         mlirTypeIsAFloat(type);
}

// A result that others use must be a number: it crosses stages and guards.
static bool results_are_scalars(const Pipeline *p) {
  for (int i = 0; i < p->num_delays; i++) {
    MlirOperation op = statement_of(p, p->delays[i].statement)->op;
    MlirType type =
        mlirValueGetType(mlirOperationGetResult(op, p->delays[i].result));
    if (is_scalar(type))
      continue;
    tile_emit_remark(op, "tile-pipeline/value",
                     "keeps its loop from being pipelined: other ops use its "
                     "result, which is not a number");
    return false;
  }
  return true;
}

// Iterations of scf.while are decided about in stage 0.
static bool decision_is_early(const Pipeline *p) {
  TileLoopSources sources = tile_loop_sources_create(p->arena, &p->loop->body);
  tile_loop_sources_add_condition(&sources);
  for (intptr_t c = 1; c <= p->num_carried; c++)
    if (sources.carried[c] && p->carried[c].home > 0) {
      tile_emit_remark(p->loop->body.loop.op, "tile-pipeline/while",
                       "runs without a pipeline: its condition depends on what "
                       "stage %d computes, which is not the first one",
                       (int)p->carried[c].home);
      return false;
    }
  return true;
}

//===-- Entry -------------------------------------------------------------===//

bool pipeline_build(TileArena *arena, TilePlannedLoop *loop, Pipeline *out) {
  *out = (Pipeline){.arena = arena,
                    .loop = loop,
                    .kernel = tile_kernel_around(loop->body.loop.op),
                    .last_stage = tile_loop_plan_last_stage(&loop->plan),
                    .num_iters = count_iters(loop->body.loop.op),
                    .num_carried = loop->body.loop.num_carried};
  out->positions = TILE_ARENA_NEW(
      arena, Position, (out->last_stage + 2) * (out->last_stage + 2));
  out->form = choose_form(out);
  out->num_guarded = out->form == PIPELINE_GUARDED   ? out->last_stage
                     : out->form == PIPELINE_ROTATED ? out->last_stage - 1
                                                     : 0;
  if (out->form == PIPELINE_ROTATED && !loop->body.loop.condition.ptr)
    out->previous = out->num_state++;
  lag_copies(out);
  sort_by_order(out);
  find_turn(out);
  build_rings(out);
  build_values(out);
  build_groups(out);
  out->schedule.last_stage = out->last_stage;
  out->schedule.is_peeled = out->form == PIPELINE_PEELED;
  out->schedule.is_rotated = out->form == PIPELINE_ROTATED;
  out->schedule.num_iters = out->num_iters;
  build_waits(out);
  build_fills(out);
  return results_are_scalars(out) && decision_is_early(out);
}
