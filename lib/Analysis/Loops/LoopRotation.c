//===- LoopRotation.c - Dependent products in two iterations at a time ----===//
//
// A product whose factor is computed from another product of the iteration
// leaves the matrix unit idle in between. So that it does not, the *late*
// products, those that depend on others, run one iteration behind:
//
//   wait K; S = Q K; release K; P = softmax S; wait V; O += P V; release V
//
//   step    stage 0, iteration i + 1       stage 1, iteration i
//   A       wait K; S = Q K
//   B                                      wait V; O += P V
//   C       release K; softmax S
//   D                                      release V
//   E       rescale O; P = S
//
// A: products that depend on no other, and what they need. B: late products,
// and what they need of their stage. C: what needs nothing of the late stage.
// D: what needs the late products in their iteration. E: what needs the late
// stage of the iteration before. Within a part statements keep their order.
//
// A loop of a role has no more than that. Where the threads that multiply also
// copy, the copies that run ahead stand before part A, and both stages
// come N - 1 stages later, N being the number of stages that the user wants: a
// copy that only late statements read is of stage 1, others of stage 0, so each
// is N - 1 iterations ahead and has N slots.
//
//   (R1) no product of part A needs anything of the late stage;
//   (R2) a channel with a verb in the late stage has two slots for each wait of
//        an iteration: a round more of it is held, and the role that fills it
//        may do so in any order; a tile with versions takes no more than N, and
//        is copied ahead of its first use;
//   (R3) products are not under a guard: the pipeline would issue one and await
//        it on different paths;
//   (R4) the program does not count what is under way itself, or takes turns:
//        then its order is its own.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "Analysis/Index/Index.h"
#include "Dialect/Products.h"
#include "Support/Diagnostics.h"

typedef enum { PART_A, PART_B, PART_C, PART_D, PART_E, NUM_PARTS } Part;

typedef struct {
  TileArena *arena;
  TilePlannedLoop *loop;
  TileRotation *out;
  bool *is_product, *is_late, *is_behind; // per statement
  Part *part;
  bool is_chained; // some product waits for what threads make of another
  int num_items;
  int32_t first_stage; // of the two
} Rotation;

static const TileStatement *statement_of(const Rotation *r, int i) {
  return &r->loop->body.statements[i];
}

static bool decline(Rotation *r, const char *code, int statement) {
  r->out->code = code;
  r->out->blame = statement_of(r, statement)->op;
  return false;
}

//===-- Products ----------------------------------------------------------===//

typedef struct {
  int products, of_fragments;
} Count;

static MlirWalkResult count_products(MlirOperation op, void *user_data) {
  Count *count = user_data;
  TileProduct product;
  TileShape a;
  if (!tile_product_is_wgmma(op, &product))
    return MlirWalkResultAdvance;
  count->products++;
  count->of_fragments +=
      tile_shape_of(product.a, &a) && a.space == TILE_SPACE_FRAGMENT;
  return MlirWalkResultAdvance;
}

// A guard with channels inside that holds a product of what was computed, of
// several products of the loop, or -1.
static int find_guarded_product(const Rotation *r) {
  Count all = {0, 0};
  mlirOperationWalk(r->loop->body.loop.op, count_products, &all,
                    MlirWalkPreOrder);
  for (int i = 0; i < r->num_items && all.products > 1; i++) {
    Count inside = {0, 0};
    if (scf_if_is(statement_of(r, i)->op))
      mlirOperationWalk(statement_of(r, i)->op, count_products, &inside,
                        MlirWalkPreOrder);
    if (inside.of_fragments > 0)
      return i;
  }
  return -1;
}

//===-- Dependences -------------------------------------------------------===//

static bool leads(const Rotation *r, int item) {
  return r->loop->plan.items[item].is_first;
}

// Whether `edge` orders its statements within a step. What runs ahead is there.
static bool is_in_step(const Rotation *r, const TileLoopEdge *edge) {
  return !leads(r, edge->from) && !leads(r, edge->to) &&
         r->is_late[edge->to] + edge->distance == r->is_late[edge->from];
}

static bool carries_data(const TileLoopEdge *edge) {
  return edge->distance == 0 &&
         (edge->kind == TILE_EDGE_FLOW || edge->kind == TILE_EDGE_VALUE);
}

// Products whose factors or sums come from other products of the iteration.
static void find_late_products(Rotation *r) {
  const TileLoopPlan *plan = &r->loop->plan;
  bool *depends = TILE_ARENA_NEW(r->arena, bool, r->num_items + 1);
  for (bool grew = true; grew;) {
    grew = false;
    for (int e = 0; e < plan->num_edges; e++) {
      const TileLoopEdge *edge = &plan->edges[e];
      if (!carries_data(edge) || depends[edge->to] ||
          !(r->is_product[edge->from] || depends[edge->from]))
        continue;
      depends[edge->to] = grew = true;
    }
  }
  for (int i = 0; i < r->num_items; i++)
    r->is_late[i] = r->is_product[i] && depends[i];
}

// Products that add to one sum are taken one after the other without a wait.
static bool adds_to_same_sum(const Rotation *r, int from, int to) {
  TileProduct a, b;
  return tile_product_is_wgmma(statement_of(r, from)->op, &a) &&
         tile_product_is_wgmma(statement_of(r, to)->op, &b) &&
         mlirValueEqual(a.c, b.c) && !mlirValueEqual(a.c, b.a);
}

// Whether a late product needs more than the sum of another to be ready.
static bool find_chained(const Rotation *r) {
  const TileLoopPlan *plan = &r->loop->plan;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (carries_data(edge) && r->is_product[edge->from] &&
        !adds_to_same_sum(r, edge->from, edge->to))
      return true;
  }
  return false;
}

// A wait whose slot only late statements read.
static bool waits_for_late(const Rotation *r, int item) {
  const TileLoopPlan *plan = &r->loop->plan;
  bool found = false;
  if (!tile_wait_is(statement_of(r, item)->op))
    return false;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->from != item || edge->distance || edge->kind != TILE_EDGE_FLOW)
      continue;
    if (!r->is_late[edge->to])
      return false;
    found = true;
  }
  return found;
}

// What follows late products in their iteration is late as well.
static void find_late(Rotation *r) {
  const TileLoopPlan *plan = &r->loop->plan;
  for (bool grew = true; grew;) {
    grew = false;
    for (int e = 0; e < plan->num_edges; e++) {
      const TileLoopEdge *edge = &plan->edges[e];
      if (edge->distance == 0 && r->is_late[edge->from] &&
          !r->is_late[edge->to] && !leads(r, edge->to))
        r->is_late[edge->to] = grew = true;
    }
  }
  for (int i = 0; i < r->num_items; i++)
    r->is_late[i] |= waits_for_late(r, i);
}

// Adds to `set` what the statements in it need within the step.
static void add_needed(const Rotation *r, bool *set) {
  const TileLoopPlan *plan = &r->loop->plan;
  for (bool grew = true; grew;) {
    grew = false;
    for (int e = 0; e < plan->num_edges; e++) {
      const TileLoopEdge *edge = &plan->edges[e];
      if (is_in_step(r, edge) && set[edge->to] && !set[edge->from])
        set[edge->from] = grew = true;
    }
  }
}

// Early statements that need the late stage within the step.
static void find_behind(Rotation *r) {
  const TileLoopPlan *plan = &r->loop->plan;
  for (bool grew = true; grew;) {
    grew = false;
    for (int e = 0; e < plan->num_edges; e++) {
      const TileLoopEdge *edge = &plan->edges[e];
      if (is_in_step(r, edge) && !r->is_late[edge->to] &&
          !r->is_behind[edge->to] &&
          (r->is_late[edge->from] || r->is_behind[edge->from]))
        r->is_behind[edge->to] = grew = true;
    }
  }
}

//===-- Parts -------------------------------------------------------------===//

static bool find_parts(Rotation *r) {
  bool *first = TILE_ARENA_NEW(r->arena, bool, r->num_items + 1);
  bool *late = TILE_ARENA_NEW(r->arena, bool, r->num_items + 1);
  for (int i = 0; i < r->num_items; i++) {
    first[i] = r->is_product[i] && !r->is_late[i];
    late[i] = r->is_product[i] && r->is_late[i];
  }
  add_needed(r, first);
  add_needed(r, late);
  find_behind(r);
  for (int i = 0; i < r->num_items; i++) {
    if (first[i] && (r->is_late[i] || r->is_behind[i])) // (R1)
      return r->is_chained && decline(r, "tile-rotation/dependence", i);
    r->part[i] = PART_C;
    if (r->is_late[i])
      r->part[i] = late[i] ? PART_B : PART_D;
    else if (first[i])
      r->part[i] = PART_A;
    else if (r->is_behind[i])
      r->part[i] = PART_E;
  }
  return true;
}

// The stage of a statement that runs ahead; those after it have theirs.
static int32_t stage_ahead(const Rotation *r, int item) {
  const TileLoopPlan *plan = &r->loop->plan;
  int32_t stage = 1;
  bool is_for_late = false;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    if (edge->from != item || !carries_data(edge))
      continue;
    if (leads(r, edge->to) && plan->items[edge->to].stage < stage)
      stage = plan->items[edge->to].stage;
    is_for_late |= leads(r, edge->to) || r->is_late[edge->to];
  }
  return is_for_late ? stage : 0;
}

static void place(Rotation *r) {
  TilePlanItem *items = r->loop->plan.items;
  int32_t order = 0, first = INT32_MAX;
  for (int i = r->num_items - 1; i >= 0; i--)
    items[i].stage =
        leads(r, i) ? stage_ahead(r, i) : r->first_stage + r->is_late[i];
  for (int i = 0; i < r->num_items; i++)
    first = items[i].stage < first ? items[i].stage : first;
  for (int i = 0; i < r->num_items; i++)
    items[i].stage -= first; // a step of no stage would do nothing
  for (int i = 0; i < r->num_items; i++)
    if (leads(r, i))
      items[i].order = order++;
  for (int part = 0; part < NUM_PARTS; part++)
    for (int i = 0; i < r->num_items; i++)
      if (!leads(r, i) && (int)r->part[i] == part)
        items[i].order = order++;
}

//===-- What else must hold -----------------------------------------------===//

static bool touches(const TileStatement *s, int buffer) {
  for (int a = 0; a < s->num_accesses; a++)
    if (s->accesses[a].buffer == buffer)
      return true;
  return false;
}

// (R2) of channels
static bool has_rounds(Rotation *r) {
  const TileLoopBody *body = &r->loop->body;
  for (int b = 0; b < body->num_buffers; b++) {
    int64_t num_waits = 0;
    int late_verb = -1;
    if (body->buffers[b].num_slots == 0)
      continue;
    for (int i = 0; i < r->num_items; i++) {
      MlirOperation op = statement_of(r, i)->op;
      bool is_verb = tile_wait_is(op) || tile_release_is(op);
      if (!touches(statement_of(r, i), b) || !is_verb)
        continue;
      num_waits += tile_wait_is(op);
      if (r->is_late[i])
        late_verb = i;
    }
    if (late_verb >= 0 && body->buffers[b].num_slots < 2 * num_waits)
      return decline(r, "tile-rotation/slots", late_verb);
  }
  return true;
}

// (R2) of tiles that the loop fills itself; the plan is made.
static bool has_versions(Rotation *r) {
  const TileLoopPlan *plan = &r->loop->plan;
  for (int e = 0; e < plan->num_edges; e++) {
    const TileLoopEdge *edge = &plan->edges[e];
    const TilePlanItem *from = &plan->items[edge->from];
    const TilePlanItem *to = &plan->items[edge->to];
    if (edge->kind != TILE_EDGE_FLOW || edge->distance || !leads(r, edge->from))
      continue;
    if ((from->is_copy && !leads(r, edge->to) && from->stage == to->stage) ||
        tile_loop_plan_num_slots(from, to) > plan->num_stages)
      return decline(r, "tile-rotation/slots", edge->from);
  }
  return true;
}

static bool is_ordered_by_user(MlirOperation op) {
  return tile_cp_async_commit_is(op) || tile_cp_async_wait_is(op) ||
         tile_turn_is(op) || tile_await_is(op) || tile_product_is_async(op) ||
         (tile_copy_is(op) && tile_copy_async(tile_copy_cast(op)));
}

// (R3), (R4)
static bool suits(Rotation *r) {
  for (int i = 0; i < r->num_items; i++) {
    const TileStatement *s = statement_of(r, i);
    if (r->is_product[i] && s->num_guards > 0)
      return decline(r, "tile-rotation/guard", i);
    if (is_ordered_by_user(s->op))
      return false;
  }
  return true;
}

//===-- Remarks -----------------------------------------------------------===//

void tile_rotation_remark(MlirOperation loop, const TileRotation *reason) {
  static const struct {
    const char *code, *text;
  } list[] = {
      {"tile-rotation/guard",
       "a guard around products makes the next one depend on data; a loop over "
       "the blocks that take part has none"},
      {"tile-rotation/dependence",
       "the first product of an iteration needs what later ones of the "
       "iteration before have computed, or registers that they still use"},
      {"tile-rotation/slots",
       "a slot of the tile would be held for two iterations; one stage more "
       "gives it another"},
      {"tile-rotation/registers",
       "sums and factors of two iterations need more registers than a thread "
       "has; a smaller tile or more threads help"},
  };
  char figures[64] = "";
  if (reason->wanted > 0)
    snprintf(figures, sizeof figures, ": %lld per thread, at most %lld",
             (long long)reason->wanted, (long long)reason->limit);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i].code, reason->code) == 0)
      tile_emit_remark_with_note(
          loop, mlirOperationGetLocation(reason->blame), "that op is here",
          reason->code, "multiplies in order: %s%s", list[i].text, figures);
}

bool tile_rotation_is_wished(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  return !config.op.ptr ||
         mlirAttributeIsNull(tile_kernel_config_rotate_attr(config)) ||
         tile_kernel_config_rotate(config);
}

//===-- Registers ---------------------------------------------------------===//

// Chunks of a tensor that a thread moves itself at a time, as conversion cuts
// the copy; 0: it moves none.
static int64_t num_chunks(MlirOperation op, int64_t num_threads) {
  enum { MAX_BATCH = 8, MAX_VECTOR_BYTES = 16 }; // SimtCopies.c
  TileCopyOp copy = tile_copy_dyn(op);
  TileShape src;
  if (!copy.op.ptr || mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      tile_copy_instr(copy) == TILE_INSTR_Tma ||
      !tile_shape_of(tile_copy_src(copy), &src) ||
      src.space != TILE_SPACE_GLOBAL)
    return 0;
  int64_t bits = tile_elem_bits(src.element);
  int64_t chunk_bits = 8 * tile_row_align_bytes(tile_copy_src(copy));
  if (chunk_bits > 8 * MAX_VECTOR_BYTES)
    chunk_bits = 8 * MAX_VECTOR_BYTES;
  if (chunk_bits < bits)
    chunk_bits = bits;
  int64_t chunks = tile_shape_num_elems(&src) * bits / chunk_bits;
  int64_t rounds = (chunks + num_threads - 1) / num_threads;
  return rounds < MAX_BATCH ? rounds : MAX_BATCH;
}

static MlirWalkResult find_thread_store(MlirOperation op, void *user_data) {
  TileCopyOp copy = tile_copy_dyn(op);
  TileShape src, dst;
  *(bool *)user_data |=
      copy.op.ptr && !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
      tile_copy_instr(copy) == TILE_INSTR_Simt &&
      tile_shape_of(tile_copy_src(copy), &src) &&
      tile_shape_of(tile_copy_dst(copy), &dst) &&
      src.space == TILE_SPACE_FRAGMENT && dst.space == TILE_SPACE_GLOBAL;
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the loop is of a tile among several that threads store themselves.
static bool is_stored_per_tile(MlirOperation loop) {
  bool found = false;
  for (MlirOperation op = loop; op.ptr && !tile_kernel_is(op);
       op = mlirOperationGetParentOperation(op))
    if (!mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            op, TILE_STR(TILE_PERSISTENT_ATTR))))
      mlirOperationWalk(op, find_thread_store, &found, MlirWalkPreOrder);
  return found;
}

static int64_t num_registers(const TileLoopBody *body, int64_t num_threads) {
  // Beside fragments: addresses and masks of two products, and of each more; of
  // a chunk that the threads move, its address; of what does not change from
  // tile to tile in the stores after the loop. With fewer ptxas 13.0 spills.
  enum { SCALARS = 40, OF_PRODUCT = 8, OF_CHUNK = 2, OF_STORES = 12 };
  int64_t num_bits = 0, num_scalars = SCALARS - 2 * OF_PRODUCT, most_chunks = 0;
  for (int i = 0; i < body->num_statements; i++) {
    MlirOperation op = body->statements[i].op;
    int64_t chunks = num_chunks(op, num_threads);
    TileProduct product;
    if (tile_product_is_wgmma(op, &product))
      num_scalars += OF_PRODUCT;
    most_chunks = chunks > most_chunks ? chunks : most_chunks;
  }
  for (int i = 0; i < body->num_buffers; i++) {
    TileShape shape;
    if (body->buffers[i].space == TILE_SPACE_FRAGMENT &&
        tile_shape_of(body->buffers[i].root, &shape))
      num_bits += tile_shape_num_elems(&shape) * tile_elem_bits(shape.element);
  }
  return num_bits / 32 / num_threads + num_scalars + OF_CHUNK * most_chunks +
         (is_stored_per_tile(body->loop.op) ? OF_STORES : 0);
}

bool tile_rotation_fits(const TileLoopBody *body, int64_t num_threads,
                        int64_t limit, TileRotation *out) {
  int64_t wanted = num_registers(body, num_threads);
  if (wanted > limit)
    *out = (TileRotation){.code = "tile-rotation/registers",
                          .blame = body->loop.op,
                          .wanted = wanted,
                          .limit = limit};
  return wanted <= limit;
}

//===-- Entry -------------------------------------------------------------===//

bool tile_rotation_plan(TileArena *arena, TilePlannedLoop *loop,
                        TileRotation *out) {
  int n = loop->body.num_statements;
  bool has_late = false;
  TileProduct product;
  *out = (TileRotation){.code = NULL};
  Rotation r = {.arena = arena,
                .loop = loop,
                .out = out,
                .is_product = TILE_ARENA_NEW(arena, bool, n + 1),
                .is_late = TILE_ARENA_NEW(arena, bool, n + 1),
                .is_behind = TILE_ARENA_NEW(arena, bool, n + 1),
                .part = TILE_ARENA_NEW(arena, Part, n + 1),
                .num_items = n};
  for (int i = 0; i < n; i++) {
    r.is_product[i] = tile_product_is_wgmma(statement_of(&r, i)->op, &product);
    if (leads(&r, i))
      r.first_stage = loop->plan.num_stages - 1;
  }
  int guarded = find_guarded_product(&r);
  if (guarded >= 0)
    return decline(&r, "tile-rotation/guard", guarded); // (R3)
  find_late_products(&r);
  r.is_chained = find_chained(&r);
  for (int i = 0; i < n; i++)
    has_late |= r.is_late[i];
  if (!has_late || !suits(&r))
    return false;
  find_late(&r);
  if (!find_parts(&r) || !has_rounds(&r))
    return false;
  place(&r);
  if (!has_versions(&r))
    return false;
  int broken = tile_loop_plan_find_broken(&loop->plan);
  return broken < 0 ||
         decline(&r, "tile-rotation/dependence", loop->plan.edges[broken].to);
}
