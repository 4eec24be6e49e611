//===- TileToThreads.c - Element loops to code of each thread -------------===//
//
// Consumes: `tile.parallel`, with a layout where it touches fragments, whose
//           tiles have layouts.
// Produces: the code of one thread: cloned bodies, `memref` and `vector`
//           accesses of tensors and of `tile.storage`. A store that each thread
//           does carries `tile.by_thread`; a `vector.load` or `vector.store`
//           says how it is aligned.
// Fails:    a fragment whose elements are in other threads, a tile without
//           layout, an unknown number of threads.
// Method:   docs/Rationale/ElementLoops.md. Idempotent: loops are gone.
//
//===----------------------------------------------------------------------===//

#include "ElementCode.h"

#include "Dialect/ForeignOps.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/vector.h"
#include "TilePasses.h"

enum { WARP_THREADS = 32 };

//===-- Threads -----------------------------------------------------------===//

// They stand before all ops.
static void build_threads(ThreadCode *code, MlirOperation kernel) {
  TileIntMath *math = &code->index;
  mlirRewriterBaseSetInsertionPointToStart(code->b.rw,
                                           tile_kernel_body(kernel));
  code->block_thread = tile_block_thread_build(math, kernel);
  code->block_lane = tile_int_rem(math, code->block_thread, WARP_THREADS);
  code->block_warp = tile_int_div(math, code->block_thread, WARP_THREADS);
}

// Threads of a role count from its first warp.
static void enter_role(ThreadCode *code, const LoopCode *loop) {
  TileWarps warps = {0, 0};
  tile_role_warps_of(loop->loop.op, &warps);
  code->num_threads = loop->num_threads;
  code->thread = tile_int_add(&code->index, code->block_thread,
                              tile_int_constant(-warps.first * WARP_THREADS));
  code->lane = code->block_lane;
  code->warp = tile_int_add(&code->index, code->block_warp,
                            tile_int_constant(-warps.first));
}

//===-- Loops with a layout: one element per register ---------------------===//

static bool has_plain_registers(const LoopCode *loop) {
  int64_t count = tile_layout_axis_size(&loop->layout.in, TILE_LAYOUT_REG);
  for (int64_t r = 0; r < count; r++) {
    int64_t in[3] = {r, 0, 0};
    for (int d = 0; d < loop->rank; d++)
      if (tile_layout_constant(&loop->layout, 1u << TILE_LAYOUT_REG, d, in)
              .toggle)
        return false;
  }
  return true;
}

static bool images_hold(const TileLayout *layout, int dim, int64_t stride,
                        bool *out_by_register) {
  *out_by_register = false;
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *in = &layout->in.digit[i];
    uint64_t image = layout->image[i];
    for (uint64_t rest = image; rest; rest &= rest - 1) {
      const TileLayoutDigit *out = &layout->out.digit[__builtin_ctzll(rest)];
      if (out->axis != dim || out->stride != stride)
        continue;
      if (in->axis != TILE_LAYOUT_REG || in->stride != stride ||
          in->radix != 2 || image & (image - 1))
        return false; // another digit moves this bit
      *out_by_register = true;
    }
  }
  return true;
}

// Registers r, r + 1, … hold neighbours in dimension `dim`, and every other
// digit moves it by multiples of their number.
static int64_t run_along(const TileLayout *layout, int dim) {
  int64_t run = 1;
  bool by_register;
  while (run < MAX_VECTOR && images_hold(layout, dim, run, &by_register) &&
         by_register)
    run *= 2;
  return run;
}

static MlirLogicalResult plan_layout(LoopCode *loop) {
  TileLayoutTerms terms;
  TileReason error = {""};
  if (!tile_layout_of_loop(loop->loop, &loop->layout, &error) ||
      !tile_layout_terms(&loop->layout, 1u << TILE_LAYOUT_REG, &terms, &error))
    return tile_emit_internal_error(loop->loop.op,
                                    "cannot follow its layout: %s", error.text);
  int64_t threads = WARP_THREADS * loop->layout.in.extent[TILE_LAYOUT_WARP];
  if (threads != loop->code->num_threads)
    return tile_emit_error(
        loop->loop.op, "has a layout of %lld threads in a kernel of %lld",
        (long long)threads, (long long)loop->code->num_threads);
  loop->has_layout = true;
  loop->is_plain = has_plain_registers(loop);
  for (int d = loop->rank - 1; d >= 0; d--) {
    int64_t run =
        tile_fragment_run(&loop->layout, d, run_along(&loop->layout, d));
    if (run > loop->run) {
      loop->run = run;
      loop->run_dim = d;
    }
  }
  return tile_success();
}

// Threads that run the same element.
static int64_t num_copies(const TileLayout *layout) {
  int64_t copies = 1;
  for (int i = 0; i < layout->in.num_digits; i++)
    if (!layout->image[i])
      copies *= layout->in.digit[i].radix;
  return copies;
}

// Every copy of an element of a fragment is written.
static bool stores_fragments(const LoopCode *loop) {
  for (int i = 0; i < loop->num_accesses; i++)
    if (loop->accesses[i].kind == ACCESS_REGISTER &&
        loop->accesses[i].access.is_store)
      return true;
  return false;
}

// An update happens once; only who does it knows what was there before.
static MlirLogicalResult plan_updates(const LoopCode *loop) {
  int64_t copies = num_copies(&loop->layout);
  if (!stores_fragments(loop))
    return tile_success(); // one thread runs each element
  for (int i = 0; copies > 1 && i < loop->num_accesses; i++) {
    const TileElementAccess *access = &loop->accesses[i].access;
    if (!access->is_atomic || mlirOpOperandIsNull(mlirValueGetFirstUse(
                                  mlirOperationGetResult(access->op, 0))))
      continue;
    return tile_emit_error(
        access->op,
        "gives one thread the value before, and %lld threads run each element, "
        "as the fragments of the loop lie; copy them to shared memory first",
        (long long)copies);
  }
  return tile_success();
}

// Lanes and warps that hold what others hold: the first of them stores.
static MlirValue find_owner(LoopCode *loop) {
  ThreadCode *code = loop->code;
  MlirValue owner = {NULL};
  TileInt ids[3] = {tile_int_constant(0), code->lane, code->warp};
  for (int i = 0; i < loop->layout.in.num_digits; i++) {
    const TileLayoutDigit *in = &loop->layout.in.digit[i];
    if (loop->layout.image[i] || in->axis == TILE_LAYOUT_REG)
      continue;
    TileInt digit = tile_int_rem(
        &code->index, tile_int_div(&code->index, ids[in->axis], in->stride),
        in->radix);
    MlirValue value = tile_int_get(&code->index, digit);
    MlirValue is_first =
        arith_cmpi(&code->b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                   .lhs = value, .rhs = tile_const_index(&code->b, 0));
    owner = mlirValueIsNull(owner) ? is_first
                                   : arith_andi(&code->b, owner, is_first);
  }
  return owner;
}

// The elements of the registers from `reg` on that make a run.
static void fill_run(LoopCode *loop, int64_t reg, Element *elements) {
  for (int64_t i = 0; i < loop->run; i++) {
    int64_t at[3] = {reg + i, 0, 0};
    elements[i] = (Element){.reg = reg + i};
    for (int d = 0; d < loop->rank; d++) {
      elements[i].at[d] =
          tile_layout_code_at(&loop->code->index, &loop->coordinates, d, at);
      elements[i].delta[d] =
          tile_layout_constant(&loop->layout, 1u << TILE_LAYOUT_REG, d, at).add;
    }
  }
}

// What says in which threads the elements of a run exist.
typedef struct {
  bool is_done;
  TileLayoutConstant masked[TILE_MAX_RANK]; // 0 where nothing is compared
  bool is_masked[TILE_MAX_RANK];
} RunMask;

static RunMask mask_of_run(const LoopCode *loop, int64_t reg) {
  RunMask mask = {0};
  int64_t in[3] = {reg, 0, 0};
  for (int d = 0; d < loop->rank; d++) {
    TileLayoutPresence presence = tile_layout_presence(&loop->layout, d, reg);
    mask.is_done |= presence == TILE_LAYOUT_ABSENT;
    mask.is_masked[d] = presence == TILE_LAYOUT_MASKED;
    if (mask.is_masked[d])
      mask.masked[d] =
          tile_layout_constant(&loop->layout, 1u << TILE_LAYOUT_REG, d, in);
  }
  return mask;
}

static bool same_mask(const LoopCode *loop, const RunMask *a,
                      const RunMask *b) {
  for (int d = 0; d < loop->rank; d++)
    if (a->is_masked[d] != b->is_masked[d] ||
        a->masked[d].add != b->masked[d].add ||
        a->masked[d].toggle != b->masked[d].toggle)
      return false;
  return true;
}

// Emits run `first` and those after it that have the same mask, in batches.
static void emit_alike(LoopCode *loop, RunMask *masks, int64_t num_runs,
                       int64_t first) {
  Element elements[MAX_BATCH];
  int n = 0;
  for (int64_t i = first; i < num_runs; i++) {
    if (masks[i].is_done || !same_mask(loop, &masks[first], &masks[i]))
      continue;
    masks[i].is_done = true;
    fill_run(loop, i * loop->run, &elements[n]);
    n += (int)loop->run;
    if (n + loop->run <= MAX_BATCH)
      continue;
    loop_code_batch(loop, elements, n);
    n = 0;
  }
  if (n)
    loop_code_batch(loop, elements, n);
}

// The bodies of elements that exist in the same threads share one comparison.
static void emit_runs(LoopCode *loop) {
  ThreadCode *code = loop->code;
  int64_t num_runs =
      tile_layout_axis_size(&loop->layout.in, TILE_LAYOUT_REG) / loop->run;
  RunMask *masks = TILE_ARENA_NEW(code->arena, RunMask, num_runs);
  for (int64_t i = 0; i < num_runs; i++) {
    masks[i] = mask_of_run(loop, i * loop->run);
    masks[i].is_done |=
        loop->runs_once && tile_fragment_repeats(&loop->layout, i * loop->run);
  }
  for (int64_t i = 0; i < num_runs; i++) {
    MlirValue exists = {NULL};
    if (masks[i].is_done)
      continue;
    tile_fragment_mask_build(&code->index, &loop->coordinates, TILE_ALL_DIMS,
                             i * loop->run, &exists);
    if (!mlirValueIsNull(exists))
      tile_scf_if_begin(&code->b, exists);
    emit_alike(loop, masks, num_runs, i);
    if (!mlirValueIsNull(exists))
      tile_scf_end(&code->b);
  }
}

// Emits what the accesses share, before the loop.
static void loop_code_begin(LoopCode *loop) {
  ThreadCode *code = loop->code;
  TileInt in[3] = {tile_int_constant(0), code->lane, code->warp};
  for (int i = 0; i < loop->num_accesses; i++) {
    CodeAccess *access = &loop->accesses[i];
    TileReason error;
    if (access->kind != ACCESS_REGISTER && access->kind != ACCESS_OFFSET)
      continue;
    access->storage = tile_storage(&code->b, access->access.memref);
    if (access->kind == ACCESS_OFFSET) {
      TileLayout composed = access->code->layout;
      bool ok =
          tile_layout_code_begin(&code->index, &composed, 1u << TILE_LAYOUT_REG,
                                 in, access->code, &error);
      assert(ok && "its terms were computed when it was planned");
      (void)ok;
    }
  }
}

static void emit_registers(LoopCode *loop) {
  ThreadCode *code = loop->code;
  TileIntMath *math = &code->index;
  TileInt in[3] = {tile_int_constant(0), code->lane, code->warp};
  TileInt base[TILE_MAX_RANK];
  TileReason error;
  int64_t zero[3] = {0};
  bool ok = tile_layout_code_begin(math, &loop->layout, 1u << TILE_LAYOUT_REG,
                                   in, &loop->coordinates, &error);
  assert(ok && "its terms were computed when it was planned");
  (void)ok;
  loop->runs_once = !stores_fragments(loop);
  MlirValue owner = find_owner(loop);
  for (int d = 0; d < loop->rank; d++)
    base[d] = tile_layout_code_at(math, &loop->coordinates, d, zero);
  loop_code_begin(loop);
  loop_code_rebase(loop, base);
  loop->owner = loop->runs_once ? (MlirValue){NULL} : owner;
  bool is_guarded = loop->runs_once && !mlirValueIsNull(owner);
  if (is_guarded)
    tile_scf_if_begin(&code->b, owner);
  emit_runs(loop);
  if (is_guarded)
    tile_scf_end(&code->b);
}

//===-- Loops without: chunks dealt to threads ----------------------------===//

static void plan_chunks(LoopCode *loop) {
  int64_t extent = tile_parallel_extents(loop->loop, loop->rank - 1);
  loop->is_plain = true;
  loop->run_dim = loop->rank - 1;
  loop->run = MAX_VECTOR;
  while (extent % loop->run)
    loop->run /= 2;
}

// A run is as long as the widest access.
static void shorten_run(LoopCode *loop) {
  loop->run = 1;
  for (int i = 0; i < loop->num_accesses; i++)
    if (loop->accesses[i].vector * loop->accesses[i].spread > loop->run)
      loop->run = loop->accesses[i].vector * loop->accesses[i].spread;
}

static void chunk_coordinates(LoopCode *loop, TileInt chunk, TileInt *out) {
  TileIntMath *math = &loop->code->index;
  for (int d = loop->rank - 1; d >= 0; d--) {
    int64_t step = d == loop->run_dim ? loop->run : 1;
    int64_t count = tile_parallel_extents(loop->loop, d) / step;
    TileInt digit = d == 0 ? chunk : tile_int_rem(math, chunk, count);
    chunk = tile_int_div(math, chunk, count);
    out[d] = tile_int_mul(math, digit, step);
  }
}

// The runs of `batch` chunks, `threads` apart.
static void emit_chunks(LoopCode *loop, TileInt chunk, int64_t batch) {
  TileIntMath *math = &loop->code->index;
  for (int64_t i = 0; i < batch; i++) {
    Element elements[MAX_VECTOR];
    TileInt base[TILE_MAX_RANK];
    chunk_coordinates(
        loop,
        tile_int_add(math, chunk,
                     tile_int_constant(i * loop->code->num_threads)),
        base);
    loop_code_rebase(loop, base);
    for (int e = 0; e < loop->run; e++) {
      elements[e] = (Element){.delta = {0}};
      memcpy(elements[e].at, base, sizeof base);
      elements[e].delta[loop->run_dim] = e;
      elements[e].at[loop->run_dim] =
          tile_int_add(math, base[loop->run_dim], tile_int_constant(e));
    }
    loop_code_batch(loop, elements, (int)loop->run);
  }
}

static void emit_dealt(LoopCode *loop) {
  enum { MAX_UNROLLED = 8 }; // elements in the body of the loop
  ThreadCode *code = loop->code;
  TileIntMath *math = &code->index;
  int64_t num_chunks = 1, threads = code->num_threads;
  for (int d = 0; d < loop->rank; d++)
    num_chunks *= tile_parallel_extents(loop->loop, d);
  num_chunks /= loop->run;
  int64_t rounds = num_chunks / threads, rest = num_chunks % threads;
  int64_t batch = MAX_UNROLLED / loop->run;
  batch = batch < 1 ? 1 : batch;
  while (rounds && rounds % batch)
    batch--;
  loop_code_begin(loop);
  if (rounds > batch) {
    MlirValue round = tile_scf_for_begin(&code->b, rounds / batch);
    TileInt first = tile_int_add(
        math, code->thread,
        tile_int_mul(math, tile_int_value(round), batch * threads));
    emit_chunks(loop, first, batch);
    tile_scf_end(&code->b);
  } else if (rounds) {
    emit_chunks(loop, code->thread, batch);
  }
  if (!rest)
    return;
  MlirValue thread = tile_int_get(math, code->thread);
  MlirValue has_rest =
      arith_cmpi(&code->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                 .lhs = thread, .rhs = tile_const_index(&code->b, rest));
  tile_scf_if_begin(&code->b, has_rest);
  emit_chunks(
      loop,
      tile_int_add(math, code->thread, tile_int_constant(rounds * threads)), 1);
  tile_scf_end(&code->b);
}

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  ThreadCode code;
  int64_t kernel_threads;
  LoopCode **loops;
  int count, capacity;
  MlirLogicalResult result;
} Plan;

static MlirLogicalResult plan_loop(LoopCode *loop) {
  loop->rank = (int)tile_parallel_extents_size(loop->loop);
  loop->run = 1;
  if (!mlirAttributeIsNull(tile_parallel_layout_attr(loop->loop))) {
    if (tile_failed(plan_layout(loop)))
      return tile_failure();
    return tile_failed(loop_code_plan(loop)) ? tile_failure()
                                             : plan_updates(loop);
  }
  plan_chunks(loop);
  if (tile_failed(loop_code_plan(loop)))
    return tile_failure();
  shorten_run(loop);
  return tile_success();
}

static MlirWalkResult visit_op(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (!tile_parallel_is(op))
    return MlirWalkResultAdvance;
  plan->code.num_threads = tile_op_num_threads(op, plan->kernel_threads);
  if (plan->code.num_threads < 1) {
    plan->result =
        tile_emit_error(op, "expects a constant number of threads per block");
    return MlirWalkResultInterrupt;
  }
  TILE_ARENA_RESERVE(plan->code.arena, plan->loops, plan->count,
                     plan->capacity);
  LoopCode *loop = TILE_ARENA_NEW(plan->code.arena, LoopCode, 1);
  loop->code = &plan->code;
  loop->loop = tile_parallel_cast(op);
  loop->num_threads = plan->code.num_threads;
  plan->loops[plan->count++] = loop;
  plan->result = plan_loop(loop);
  return tile_failed(plan->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultSkip;
}

//===-- Apply; cannot fail ------------------------------------------------===//

// Later passes ask tile ops whether a kernel says what the block does or what
// each thread does; one stays that means nothing else.
static void keep_tile_op(ThreadCode *code, MlirOperation kernel) {
  if (tile_kernel_config_of(kernel).op.ptr)
    return;
  mlirRewriterBaseSetInsertionPointToStart(code->b.rw,
                                           tile_kernel_body(kernel));
  tile_kernel_config(&code->b, .persist = {0});
}

static void plan_apply(Plan *plan, MlirOperation kernel) {
  ThreadCode *code = &plan->code;
  MlirContext context = mlirOperationGetContext(kernel);
  code->b = (TileBuilder){mlirIRRewriterCreate(context),
                          mlirOperationGetLocation(kernel)};
  code->index = (TileIntMath){&code->b, mlirIndexTypeGet(context)};
  keep_tile_op(code, kernel);
  build_threads(code, kernel);
  for (int i = 0; i < plan->count; i++) {
    LoopCode *loop = plan->loops[i];
    code->b.loc = mlirOperationGetLocation(loop->loop.op);
    mlirRewriterBaseSetInsertionPointBefore(code->b.rw, loop->loop.op);
    enter_role(code, loop);
    if (loop->has_layout)
      emit_registers(loop);
    else
      emit_dealt(loop);
    mlirRewriterBaseEraseOp(code->b.rw, loop->loop.op);
  }
  mlirIRRewriterDestroy(code->b.rw);
  tile_code_tidy(code->arena, kernel);
}

//===-- Stores that say which thread does them ----------------------------===//

static MlirWalkResult mark_store(MlirOperation op, void *user_data) {
  const TileDivergence *divergence = user_data;
  TileWarps warps; // of a role, whose first thread makes its scalar stores
  if (tile_role_warps_of(op, &warps))
    return MlirWalkResultAdvance;
  if ((tile_foreign_op_stores(op) || memref_atomic_rmw_is(op)) &&
      tile_divergence_reaches(divergence, op))
    mlirOperationSetDiscardableAttributeByName(
        op, TILE_STR("tile.by_thread"),
        mlirUnitAttrGet(mlirOperationGetContext(op)));
  return MlirWalkResultAdvance;
}

// Beside tile ops a store is that of the block, but for what depends on the id
// of a thread.
static void mark_stores(TileArena *arena, MlirOperation kernel) {
  TileDivergence divergence;
  if (!tile_kernel_has_tile_ops(kernel))
    return;
  tile_divergence_find(arena, kernel, &divergence);
  if (divergence.num_values)
    mlirOperationWalk(kernel, mark_store, &divergence, MlirWalkPreOrder);
}

//===-- Reductions of a block ---------------------------------------------===//

static MlirWalkResult find_open_reduction(MlirOperation op, void *user_data) {
  if (gpu_all_reduce_is(op) && !gpu_all_reduce_uniform(gpu_all_reduce_cast(op)))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

// Upstream takes reductions that say that all threads or none do them: those
// that no id of a thread decides about do.
static void mark_reductions(TileArena *arena, MlirOperation kernel) {
  TileDivergence divergence;
  TileOpList list = {.arena = arena};
  mlirOperationWalk(kernel, find_open_reduction, &list, MlirWalkPreOrder);
  if (list.count)
    tile_divergence_find(arena, kernel, &divergence);
  for (size_t i = 0; i < list.count; i++)
    if (!tile_divergence_controls(&divergence, list.items[i]))
      gpu_all_reduce_set_uniform(gpu_all_reduce_cast(list.items[i]), true);
}

//===-- Vectors of other dialects -----------------------------------------===//

static MlirWalkResult state_alignment(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!vector_load_is(op) && !vector_store_is(op))
    return MlirWalkResultAdvance;
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  mlirOperationSetInherentAttributeByName(
      op, TILE_STR("alignment"),
      mlirIntegerAttrGet(i64, tile_vector_align_bytes(op)));
  return MlirWalkResultAdvance;
}

// What follows from the counters of loops is seen here for the last time.
static void state_alignments(MlirOperation kernel) {
  mlirOperationWalk(kernel, state_alignment, NULL, MlirWalkPreOrder);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.code = {.arena = user_data},
               .kernel_threads = tile_kernel_num_threads(kernel),
               .result = tile_success()};
  mlirOperationWalk(kernel, visit_op, &plan, MlirWalkPreOrder);
  if (tile_failed(plan.result))
    return tile_failure();
  mark_stores(user_data, kernel);
  mark_reductions(user_data, kernel);
  state_alignments(kernel);
  if (plan.count)
    plan_apply(&plan, kernel);
  return tile_success();
}

MlirLogicalResult
tile_convert_to_threads_run(MlirOperation op,
                            const TileConvertToThreadsOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}
