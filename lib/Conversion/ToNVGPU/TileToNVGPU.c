//===- TileToNVGPU.c - Copies and products that nvgpu can say -------------===//
//
// Consumes: kernels, outlined or not, with layouts: `tile.copy` with
//           instr = cp_async, `tile.gemm` with instr = mma.
// Produces: `nvgpu.device_async_copy`, groups and waits, `nvgpu.ldmatrix` and
//           `nvgpu.mma.sync` on `tile.storage`.
//           A copy that cp.async cannot do gets instr = simt, and a remark.
// Fails:    a tile without layout, an accumulator that is not spread over the
//           warps as mma.sync has it, an unknown number of threads.
// Method:   docs/Rationale/Lowering.md. Idempotent: what is lowered is gone.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Nvgpu.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/nvgpu.h"
#include "TilePasses.h"

enum { WARP_THREADS = 32, MAX_WARPS = 32 };

//===-- Plan --------------------------------------------------------------===//

typedef struct Item {
  struct Item *next; // program order
  MlirOperation op;
  const TileNvgpuCopyPlan *copy; // of a tile.copy
  TileNvgpuGemm *gemm;           // of a tile.gemm
  struct Item *before; // the copy before it that waits with it, or NULL
  bool ends_group;     // the last copy of those that wait together
  bool is_async;       // a copy that nothing here waits for
} Item;

typedef struct {
  TileArena *arena;
  int64_t num_threads; // -1: unknown
  Item *items, **tail;
  Item *open; // copy whose group may go on
  bool has_products;
} Plan;

//===-- Build: IR to plan; may fail ---------------------------------------===//

static Item *plan_add(Plan *plan, MlirOperation op) {
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  item->op = op;
  *plan->tail = item;
  plan->tail = &item->next;
  return item;
}

// Whether a group takes the copy in, rather than a barrier: a group may lack
// it, because who waits for groups then meets the others at a barrier of
// threads.
static bool is_in_group(MlirOperation copy) {
  for (MlirOperation around = copy; !tile_kernel_is(around);
       around = mlirOperationGetParentOperation(around))
    for (MlirOperation op = mlirOperationGetNextInBlock(around); op.ptr;
         op = mlirOperationGetNextInBlock(op)) {
      if (tile_cp_async_commit_is(op))
        return true;
      if (tile_barrier_arrive_is(op))
        return false;
    }
  return false;
}

// Whether who waits for the copy waits for what its threads store as well: for
// their group, or for arrivals of their own.
static bool waits_for_threads(MlirOperation copy) {
  for (MlirOperation around = copy; !tile_kernel_is(around);
       around = mlirOperationGetParentOperation(around))
    for (MlirOperation op = mlirOperationGetNextInBlock(around); op.ptr;
         op = mlirOperationGetNextInBlock(op))
      if (tile_cp_async_commit_is(op) ||
          (tile_barrier_arrive_is(op) &&
           (mlirAttributeIsNull(
                tile_barrier_arrive_by_attr(tile_barrier_arrive_cast(op))) ||
            tile_barrier_arrive_by(tile_barrier_arrive_cast(op)) ==
                TILE_ARRIVAL_Threads)))
        return true;
  return false;
}

// Copies that are under way together may land in any order.
static bool may_overwrite(const Item *group, MlirOperation copy) {
  MlirValue dst = tile_copy_dst(tile_copy_cast(copy));
  for (; group; group = group->before)
    if (tile_share_bytes(tile_copy_dst(tile_copy_cast(group->op)), dst))
      return true;
  return false;
}

static MlirLogicalResult plan_copy(Plan *plan, MlirOperation op) {
  TileNvgpuCopyPlan *copy = TILE_ARENA_NEW(plan->arena, TileNvgpuCopyPlan, 1);
  int64_t num_threads = tile_op_num_threads(op, plan->num_threads);
  if (tile_failed(tile_nvgpu_copy_plan(plan->arena, op, num_threads, copy)))
    return tile_failure();
  if (copy->kind == TILE_NVGPU_COPY_OTHER)
    return tile_success();
  bool is_async = tile_copy_async(tile_copy_cast(op));
  if (is_async && copy->kind == TILE_NVGPU_COPY_SIMT && !is_in_group(op))
    return tile_emit_error(op, "is asynchronous, which cp.async cannot do: %s",
                           copy->reason);
  if (is_async && copy->kind == TILE_NVGPU_COPY_LOWERED &&
      tile_window_pad(tile_copy_src(tile_copy_cast(op))).ptr &&
      !waits_for_threads(op))
    return tile_emit_error(
        op,
        "is asynchronous, and its pad other than zero is stored by threads, "
        "which nobody waits for: commit a group, or let the threads arrive "
        "as well");
  Item *item = plan_add(plan, op);
  item->copy = copy;
  if (is_async) { // who waits for it is said elsewhere
    item->is_async = true;
    plan->open = NULL;
    return tile_success();
  }
  if (copy->kind != TILE_NVGPU_COPY_LOWERED)
    return tile_success();
  if (plan->open && !may_overwrite(plan->open, op)) {
    plan->open->ends_group = false;
    item->before = plan->open;
  }
  item->ends_group = true;
  plan->open = item;
  return tile_success();
}

static MlirLogicalResult plan_gemm(Plan *plan, MlirOperation op) {
  TileNvgpuGemm *gemm;
  if (tile_failed(tile_nvgpu_gemm_plan(
          plan->arena, op, tile_op_num_threads(op, plan->num_threads), &gemm)))
    return tile_failure();
  if (gemm) {
    plan_add(plan, op)->gemm = gemm;
    plan->has_products = true;
  }
  return tile_success();
}

// The work is split over the threads, so their number must be known.
static bool needs_threads(MlirOperation op) {
  if (tile_copy_is(op))
    return !mlirAttributeIsNull(tile_copy_instr_attr(tile_copy_cast(op))) &&
           tile_copy_instr(tile_copy_cast(op)) == TILE_INSTR_CpAsync;
  TileProduct product;
  return tile_product_of(op, &product) && product.has_instr &&
         product.instr == TILE_INSTR_Mma;
}

typedef struct {
  const char *name;
  MlirLogicalResult (*plan)(Plan *plan, MlirOperation op);
} PlanEntry;

static const PlanEntry table[] = {
    {"tile.copy", plan_copy},
    {"tile.gemm", plan_gemm},
    {"tile.gemm_sp", plan_gemm},
};

static MlirLogicalResult plan_op(Plan *plan, MlirOperation op) {
  const Item *open = plan->open;
  MlirLogicalResult result = tile_success();
  if (plan->num_threads < 1 && needs_threads(op))
    return tile_emit_error(op,
                           "expects a constant number of threads per block");
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (tile_ods_op_is(op, table[i].name, strlen(table[i].name)))
      result = table[i].plan(plan, op);
  // Index arithmetic and windows may stand between copies of one group.
  if (plan->open == open && !mlirxIsPure(op))
    plan->open = NULL;
  return result;
}

static MlirLogicalResult plan_build(Plan *plan, MlirBlock block) {
  plan->open = NULL;
  TILE_FOR_EACH_OP (op, block) {
    if (tile_failed(plan_op(plan, op)))
      return tile_failure();
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock inner =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           inner.ptr; inner = mlirBlockGetNextInRegion(inner))
        if (tile_failed(plan_build(plan, inner)))
          return tile_failure();
  }
  plan->open = NULL;
  return tile_success();
}

//===-- Apply: threads ----------------------------------------------------===//

/// Ids of the threads that execute an op, by the first warp of their role.
typedef struct {
  int64_t kernel_threads;
  TileInt thread[MAX_WARPS], warp[MAX_WARPS];
  bool has[MAX_WARPS];
} Threads;

static void build_role_thread(TileNvgpuRewrite *rewrite, Threads *threads,
                              int64_t first_warp, bool has_products) {
  TileIntMath *math = &rewrite->index;
  TileInt *thread = &threads->thread[first_warp];
  if (first_warp > 0)
    *thread = tile_int_add(math, threads->thread[0],
                           tile_int_constant(-first_warp * WARP_THREADS));
  if (has_products) {
    rewrite->lane = tile_int_rem(math, threads->thread[0], WARP_THREADS);
    threads->warp[first_warp] = tile_int_div(math, *thread, WARP_THREADS);
  }
  threads->has[first_warp] = true;
}

static int64_t first_warp_of(MlirOperation op) {
  TileWarps warps = {0, 0};
  tile_role_warps_of(op, &warps);
  return warps.first;
}

// Stands before all ops; threads count from the first warp of the role
// that executes an op.
static void build_threads(TileNvgpuRewrite *rewrite, Threads *threads,
                          const Plan *plan, MlirOperation kernel) {
  mlirRewriterBaseSetInsertionPointToStart(rewrite->b.rw,
                                           tile_kernel_body(kernel));
  threads->thread[0] = tile_block_thread_build(&rewrite->index, kernel);
  for (const Item *item = plan->items; item; item = item->next) {
    int64_t first_warp = first_warp_of(item->op);
    if (!threads->has[first_warp])
      build_role_thread(rewrite, threads, first_warp, plan->has_products);
  }
}

static void enter_role(TileNvgpuRewrite *rewrite, const Threads *threads,
                       MlirOperation op) {
  int64_t first_warp = first_warp_of(op);
  rewrite->num_threads = tile_op_num_threads(op, threads->kernel_threads);
  rewrite->thread = threads->thread[first_warp];
  rewrite->warp = threads->warp[first_warp];
}

//===-- Apply: plan to IR; cannot fail ------------------------------------===//

// The copy is synchronous: what follows sees its result.
static void close_group(TileNvgpuRewrite *rewrite, TileNvgpuTokens *tokens) {
  MlirValue group = nvgpu_device_async_create_group(
      &rewrite->b, {tokens->values, tokens->count});
  nvgpu_device_async_wait(&rewrite->b, group, .numGroups = TILE_SOME(0));
  tokens->count = 0;
}

// A group may lack it: a plain copy is complete at once.
static void fall_back(const Item *item) {
  tile_copy_set_async(tile_copy_cast(item->op), false);
  tile_copy_set_instr_attr(
      tile_copy_cast(item->op),
      TileInstr_attr(mlirOperationGetContext(item->op), TILE_INSTR_Simt));
  tile_emit_remark(item->op, item->copy->code, "uses simt; not cp_async: %s",
                   item->copy->reason);
}

static void note_chunk(const Item *item) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(item->op), 64);
  mlirOperationSetDiscardableAttributeByName(
      item->op, TILE_STR(TILE_CHUNK_ATTR),
      mlirIntegerAttrGet(i64, item->copy->chunk_elems));
}

static void plan_apply(const Plan *plan, MlirOperation kernel,
                       const TileTarget *target) {
  MlirContext context = mlirOperationGetContext(kernel);
  TileNvgpuRewrite rewrite = {
      .arena = plan->arena,
      .target = target,
      .b = {mlirIRRewriterCreate(context), mlirOperationGetLocation(kernel)}};
  Threads threads = {.kernel_threads = plan->num_threads};
  rewrite.index = (TileIntMath){&rewrite.b, mlirIndexTypeGet(context)};
  TileNvgpuTokens tokens = {NULL, 0, 0};
  for (const Item *item = plan->items; item; item = item->next) {
    if (item->copy && item->copy->kind == TILE_NVGPU_COPY_SIMT) {
      fall_back(item);
      continue;
    }
    if (item->copy && item->copy->kind == TILE_NVGPU_COPY_NAMED) {
      note_chunk(item);
      continue;
    }
    if (!threads.thread[0].value.ptr)
      build_threads(&rewrite, &threads, plan, kernel);
    enter_role(&rewrite, &threads, item->op);
    rewrite.b.loc = mlirOperationGetLocation(item->op);
    mlirRewriterBaseSetInsertionPointBefore(rewrite.b.rw, item->op);
    if (item->gemm)
      tile_nvgpu_gemm_apply(&rewrite, item->gemm);
    else
      tile_nvgpu_copy_apply(&rewrite, item->copy->copy, &tokens);
    if (item->ends_group)
      close_group(&rewrite, &tokens);
    if (item->is_async)
      tokens.count = 0;
    mlirRewriterBaseEraseOp(rewrite.b.rw, item->op);
  }
  mlirIRRewriterDestroy(rewrite.b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  const TileTarget *target;
  Plan plan = {.arena = &run->arena,
               .num_threads = tile_kernel_num_threads(kernel)};
  plan.tail = &plan.items;
  if (tile_failed(tile_target_resolve(kernel, run->target_option, &target)) ||
      tile_failed(plan_build(&plan, tile_kernel_body(kernel))))
    return tile_failure();
  if (plan.items)
    plan_apply(&plan, kernel, target);
  return tile_success();
}

MlirLogicalResult
tile_convert_to_nvgpu_run(MlirOperation op,
                          const TileConvertToNVGPUOptions *options) {
  TileKernelRun run = {.target_option = options->target};
  tile_arena_init(&run.arena);
  MlirLogicalResult result = tile_kernels_visit(op, visit_kernel, &run);
  tile_arena_deinit(&run.arena);
  return result;
}
