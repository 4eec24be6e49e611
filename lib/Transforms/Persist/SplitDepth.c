//===- SplitDepth.c - Several blocks share the depth of a product ---------===//
//
// Consumes: launches with one loop that adds products to sums which begin as
//           zero, such as a GEMM.
// Produces: a launch with `split` times the blocks, in clusters along z. Each
//           block of a cluster adds up a part of the loop; the first one adds
//           the sums of the others to its own, in the order of their ranks, and
//           does what comes after the loop.
// Keeps:    launches that fill the chip, those whose grid or loop is no
//           constant unless `split` of tile.kernel_config asks, and all that is
//           not plainly such a product.
// Fails:    `split` of more than one block, and it is not possible.
// Method:   sums pass through shared memory of the cluster: no workspace, no
//           counters, no order that changes from run to run.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Cost/Cost.h"
#include "Dialect/ForeignOps.h"
#include "Dialect/Products.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include "Transforms/Persist/BlockIds.h"

//===-- Plan --------------------------------------------------------------===//

enum { MAX_SUMS = 4, FIRST_GRID_SIZE = 6, FIRST_CLUSTER_ID = 12 };

typedef struct {
  const TileTarget *target;
  GPULaunchOp launch;
  MlirBlock body;
  ScfForOp loop;
  MlirValue sums[MAX_SUMS];
  int num_sums;
  int64_t sum_bytes;   // of a block
  int64_t slot_bytes;  // copied by a round of the loop
  TileCostSplit split; // what it costs
  int64_t parts;       // blocks that share the loop; 1: it stays whole
  // Why it cannot be, as the end of a sentence, and the op to look at.
  const char *reason;
  MlirOperation culprit;
} Plan;

static bool refuse(Plan *plan, MlirOperation culprit, const char *reason) {
  if (!plan->reason) {
    plan->reason = reason;
    plan->culprit = culprit;
  }
  return false;
}

static int64_t bytes_of(MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape) && tile_shape_is_static(&shape)
             ? tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8
             : 0;
}

static bool is_sum(const Plan *plan, MlirValue tile) {
  for (int i = 0; i < plan->num_sums; i++)
    if (mlirValueEqual(plan->sums[i], tile))
      return true;
  return false;
}

//===-- The loop ----------------------------------------------------------===//

// A copy from a tensor, to a shared tile that only the loop uses: each round
// has its own.
static bool check_copy(Plan *plan, TileCopyOp copy) {
  TileShape from, to;
  MlirValue tile = tile_buffer_of(tile_copy_dst(copy)).root;
  if (!tile_shape_of(tile_copy_src(copy), &from) ||
      !tile_shape_of(tile_copy_dst(copy), &to) ||
      from.space != TILE_SPACE_GLOBAL || to.space != TILE_SPACE_SHARED ||
      !tile_copy_is_open(copy) || !tile_is_whole(tile_copy_dst(copy)))
    return refuse(plan, copy.op,
                  "its loop copies other than from tensors to "
                  "whole tiles of shared memory");
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(user),
                        mlirOperationGetBlock(copy.op)) ||
        mlirOperationIsBeforeInBlock(user, copy.op))
      return refuse(plan, user,
                    "a tile of its loop is used before the loop "
                    "fills it, or outside of the loop");
  }
  plan->slot_bytes += bytes_of(tile_copy_dst(copy));
  plan->split.tensor_bytes += (double)bytes_of(
      tile_tensor_behind(tile_buffer_of(tile_copy_src(copy)).root));
  return true;
}

static bool check_product(Plan *plan, const TileProduct *product) {
  MlirValue sum = product->c;
  TileShape shape, a;
  if (!mlirValueIsNull(product->clear) || product->is_async ||
      !tile_shape_of(sum, &shape) || shape.space != TILE_SPACE_FRAGMENT ||
      !mlirValueIsAOpResult(sum) || !tile_alloc_is(mlirOpResultGetOwner(sum)) ||
      !tile_shape_of(product->a, &a) || a.space != TILE_SPACE_SHARED)
    return refuse(plan, product->op,
                  "a product of its loop clears its sum, is "
                  "asynchronous, or has factors or sums "
                  "elsewhere than in shared memory and in a "
                  "fragment");
  if (is_sum(plan, sum))
    return true;
  if (plan->num_sums == MAX_SUMS)
    return refuse(plan, product->op, "its loop has more than four sums");
  plan->sums[plan->num_sums++] = sum;
  plan->sum_bytes += bytes_of(sum);
  int64_t depth = a.extent[product->transpose_a ? 0 : 1];
  plan->split.m = shape.extent[0];
  plan->split.n = shape.extent[1];
  plan->split.multiply_adds +=
      (double)(shape.extent[0] * shape.extent[1] * depth);
  plan->split.factor_bits = tile_elem_bits(a.element);
  return true;
}

static bool check_loop(Plan *plan) {
  MlirBlock block =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(plan->loop.op, 0));
  if (mlirOperationGetNumResults(plan->loop.op) > 0)
    return refuse(plan, plan->loop.op, "its loop hands values over");
  TILE_FOR_EACH_OP (op, block) {
    TileProduct product;
    bool is_plain = mlirOperationGetNumRegions(op) == 0 &&
                    (mlirxIsMemoryEffectFree(op) || tile_is_name_op(op));
    if (tile_copy_is(op) && !check_copy(plan, tile_copy_cast(op)))
      return false;
    if (tile_product_of(op, &product) && !check_product(plan, &product))
      return false;
    if (!is_plain && !tile_copy_is(op) && !tile_product_of(op, &product) &&
        !scf_yield_is(op))
      return refuse(plan, op, "its loop does more than copy and multiply");
  }
  return plan->num_sums > 0;
}

// The sum is zero when the loop begins, and no round reads it.
static bool check_sum(Plan *plan, MlirValue sum) {
  bool is_zero = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(sum); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TileProduct product;
    if (tile_product_of(user, &product) &&
        mlirBlockEqual(
            mlirOperationGetBlock(user),
            mlirRegionGetFirstBlock(mlirOperationGetRegion(plan->loop.op, 0))))
      continue;
    while (user.ptr && !mlirBlockEqual(mlirOperationGetBlock(user), plan->body))
      user = mlirOperationGetParentOperation(user);
    if (!user.ptr || mlirOperationEqual(user, plan->loop.op))
      return refuse(plan, plan->loop.op, "its loop reads a sum");
    if (!mlirOperationIsBeforeInBlock(user, plan->loop.op))
      continue;
    if (!tile_fill_is(user) || is_zero ||
        !tile_value_is_zero_bits(tile_fill_value(tile_fill_cast(user))))
      return refuse(plan, user, "a sum does not begin as zero");
    is_zero = true;
  }
  return is_zero || refuse(plan, plan->loop.op, "a sum does not begin as zero");
}

//===-- The kernel --------------------------------------------------------===//

static bool is_global(MlirValue value) {
  TileShape shape;
  return tile_shape_of(value, &shape) &&
         (shape.space == TILE_SPACE_GLOBAL || shape.space == TILE_SPACE_OTHER);
}

// What stands before the loop is done by each block: it writes no tensor.
static bool may_repeat(MlirOperation op) {
  if (mlirxIsMemoryEffectFree(op) || tile_is_name_op(op) || tile_alloc_is(op) ||
      tile_kernel_config_is(op))
    return true;
  if (tile_copy_is(op))
    return !is_global(tile_copy_dst(tile_copy_cast(op))) &&
           tile_copy_is_open(tile_copy_cast(op));
  return tile_fill_is(op) && !is_global(tile_fill_dst(tile_fill_cast(op)));
}

static MlirWalkResult find_state(MlirOperation op, void *user_data) {
  static const char *const prefixes[] = {
      "tile.barrier_", "tile.specialize",   "tile.channel", "tile.grid_sync",
      "tile.launch_",  "tile.cluster_sync", "tile.remote",  "nvvm.",
      "nvgpu.",        "gpu.barrier",       "gpu.cluster"};
  Plan *plan = user_data;
  bool has_state = !mlirOperationEqual(op, plan->launch.op) &&
                   !tile_op_asks_for_ids_in_sight(op);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    has_state |= tile_op_name_begins(op, prefixes[i]);
  if (has_state)
    refuse(plan, op,
           "it has barriers, roles or clusters of its own, or an op "
           "of which it is not known whether blocks may share it");
  return has_state ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The one loop with products, which stands in the body.
static bool find_loop(Plan *plan) {
  TILE_FOR_EACH_OP (op, plan->body) {
    TileProduct product;
    bool is_loop = scf_for_is(op);
    if (tile_product_of(op, &product) || (is_loop && plan->loop.op.ptr))
      return refuse(plan, op,
                    "it has more than one loop, or a product outside "
                    "of it");
    if (is_loop)
      plan->loop = scf_for_cast(op);
    else if (!plan->loop.op.ptr && !may_repeat(op))
      return refuse(plan, op,
                    "what stands before its loop writes a tensor, or "
                    "may not be done by several blocks");
  }
  return plan->loop.op.ptr != NULL ||
         refuse(plan, plan->launch.op, "it has no loop");
}

static bool is_possible(Plan *plan) {
  int64_t extent[3];
  MlirOperation kernel = plan->launch.op;
  if (plan->target->max_cluster_blocks < 2)
    return refuse(plan, kernel, "the chip has no clusters");
  if (tile_launch_cluster(kernel, extent) ||
      tile_kernel_persist_wish(kernel) == TILE_PERSIST_REQUIRED)
    return refuse(plan, kernel, "it forms clusters or has to be persistent");
  mlirOperationWalk(kernel, find_state, plan, MlirWalkPreOrder);
  if (plan->reason || !find_loop(plan) || !check_loop(plan))
    return false;
  for (int i = 0; i < plan->num_sums; i++)
    if (!check_sum(plan, plan->sums[i]))
      return false;
  return true;
}

//===-- Does it pay? ------------------------------------------------------===//

// Blocks of the grid and rounds of the loop; false: not known here.
static bool read_extents(Plan *plan) {
  MlirValue size[3] = {gpu_launch_gridSizeX(plan->launch),
                       gpu_launch_gridSizeY(plan->launch),
                       gpu_launch_gridSizeZ(plan->launch)};
  int64_t first, end, step, extent;
  plan->split.num_blocks = 1;
  for (int i = 0; i < 3; i++) {
    if (!mlirxConstantInt(size[i], &extent) || extent < 1 ||
        __builtin_mul_overflow(plan->split.num_blocks, extent,
                               &plan->split.num_blocks))
      return false;
  }
  if (!mlirxConstantInt(scf_for_lowerBound(plan->loop), &first) ||
      !mlirxConstantInt(scf_for_upperBound(plan->loop), &end) ||
      !mlirxConstantInt(scf_for_step(plan->loop), &step) || step < 1 ||
      end <= first)
    return false;
  plan->split.num_rounds = (end - first + step - 1) / step;
  plan->split.round_bytes = (double)plan->slot_bytes;
  plan->split.sum_bytes = (double)plan->sum_bytes;
  return true;
}

static int64_t stages_of(MlirOperation loop) {
  MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
      loop, TILE_STR("tile.num_stages"));
  return mlirAttributeIsNull(stages) || !mlirAttributeIsAInteger(stages)
             ? 1
             : mlirIntegerAttrGetValueInt(stages);
}

// Stages beside the sums in shared memory.
static int64_t stages_that_fit(const Plan *plan) {
  enum { OTHER_BYTES = 2048 }; // barriers, and what alignment takes
  int64_t room = plan->target->max_smem_bytes - OTHER_BYTES - plan->sum_bytes;
  int64_t stages = stages_of(plan->loop.op);
  if (plan->slot_bytes > 0 && stages * plan->slot_bytes > room)
    stages = room / plan->slot_bytes;
  return stages;
}

static int64_t wish_of(MlirOperation kernel) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  return config.op.ptr &&
                 !mlirAttributeIsNull(tile_kernel_config_split_attr(config))
             ? tile_kernel_config_split(config)
             : 0;
}

static void choose(Plan *plan) {
  int64_t stages = stages_of(plan->loop.op);
  if (!read_extents(plan))
    return;
  plan->split.stages = stages;
  plan->split.split_stages = stages_that_fit(plan);
  plan->parts = tile_cost_split(plan->target, &plan->split);
}

//===-- Apply; cannot fail ------------------------------------------------===//

static void form_clusters(const Plan *plan, TileBuilder *b) {
  GPULaunchOp launch = plan->launch;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, launch.op);
  MlirValue one = tile_const_index(b, 1);
  MlirValue parts = tile_const_index(b, plan->parts);
  gpu_launch_set_clusterSizeX(launch, one);
  gpu_launch_set_clusterSizeY(launch, one);
  gpu_launch_set_clusterSizeZ(launch, parts);
  int64_t extent;
  MlirValue depth = gpu_launch_gridSizeZ(launch);
  gpu_launch_set_gridSizeZ(launch,
                           mlirxConstantInt(depth, &extent)
                               ? tile_const_index(b, extent * plan->parts)
                               : arith_muli(b, depth, parts));
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  for (int i = 0; i < 6; i++)
    mlirBlockInsertArgument(plan->body, FIRST_CLUSTER_ID + i, index, b->loc);
}

// The rank of the block; ids and extents along z become those of the whole.
static MlirValue build_rank(const Plan *plan, TileBuilder *b) {
  tile_block_ids_use_arguments(b->rw, plan->launch.op);
  mlirRewriterBaseSetInsertionPointToStart(b->rw, plan->body);
  MlirValue parts = tile_const_index(b, plan->parts);
  MlirValue z = gpu_block_id(b, .dimension = GPU_DIMENSION_z);
  MlirValue depth = gpu_grid_dim(b, .dimension = GPU_DIMENSION_z);
  MlirValue whole_z = arith_divui(b, z, parts);
  MlirValue whole_depth = arith_divui(b, depth, parts);
  MlirValue rank = arith_remui(b, z, parts);
  mlirRewriterBaseReplaceAllUsesWith(b->rw, mlirBlockGetArgument(plan->body, 2),
                                     whole_z);
  mlirRewriterBaseReplaceAllUsesWith(
      b->rw, mlirBlockGetArgument(plan->body, FIRST_GRID_SIZE + 2),
      whole_depth);
  return rank;
}

// The rounds of this block: as many as of any other, or fewer at the end.
static void bound_loop(const Plan *plan, TileBuilder *b, MlirValue rank) {
  mlirRewriterBaseSetInsertionPointBefore(b->rw, plan->loop.op);
  MlirValue first = scf_for_lowerBound(plan->loop);
  MlirValue end = scf_for_upperBound(plan->loop);
  MlirValue step = scf_for_step(plan->loop);
  MlirValue parts = tile_const_index(b, plan->parts);
  MlirValue rounds = arith_ceildivsi(b, arith_subi(b, end, first), step);
  MlirValue most = arith_ceildivsi(b, rounds, parts);
  MlirValue stride = arith_muli(b, most, step);
  MlirValue begin = arith_addi(b, first, arith_muli(b, rank, stride));
  MlirValue last = arith_minsi(b, arith_addi(b, begin, stride), end);
  scf_for_set_lowerBound(plan->loop, begin);
  scf_for_set_upperBound(plan->loop, last);
  int64_t stages = stages_of(plan->loop.op), fit = stages_that_fit(plan);
  if (fit < stages)
    mlirOperationSetDiscardableAttributeByName(
        plan->loop.op, TILE_STR("tile.num_stages"),
        mlirIntegerAttrGet(mlirIntegerTypeGet(tile_builder_context(b), 32),
                           fit > 2 ? fit : 2));
}

static MlirType in_space(TileBuilder *b, MlirValue tile, TileSpace space) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  return mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      tile_space_attr(tile_builder_context(b), space));
}

static MlirBlock begin_block(TileBuilder *b, int num_indices,
                             MlirRegion *out_region) {
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (int i = 0; i < num_indices; i++)
    mlirBlockAddArgument(block, index, b->loc);
  *out_region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(*out_region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  return block;
}

// sum[i] += other[i], before `next`.
static void build_addition(TileBuilder *b, MlirValue sum, MlirValue other,
                           MlirOperation next) {
  TileShape shape;
  MlirRegion body;
  MlirValue at[TILE_MAX_RANK];
  tile_shape_of(sum, &shape);
  MlirBlock block = begin_block(b, shape.rank, &body);
  for (int d = 0; d < shape.rank; d++)
    at[d] = mlirBlockGetArgument(block, d);
  MlirValue x = memref_load(b, .memref = sum, .indices = {at, shape.rank});
  MlirValue y = memref_load(b, .memref = other, .indices = {at, shape.rank});
  MlirValue total = mlirTypeIsAFloat(shape.element) ? arith_addf(b, x, y)
                                                    : arith_addi(b, x, y);
  memref_store_op(b, .value = total, .memref = sum,
                  .indices = {at, shape.rank});
  mlirRewriterBaseSetInsertionPointBefore(b->rw, next);
  tile_parallel_op(b, .extents = {shape.extent, shape.rank}, .body = body);
}

// What the others have is added in the order of their ranks.
static void add_others(const Plan *plan, TileBuilder *b,
                       const MlirValue *shared, MlirOperation next) {
  MlirRegion region;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, next);
  MlirValue one = tile_const_index(b, 1);
  MlirValue parts = tile_const_index(b, plan->parts);
  MlirBlock block = begin_block(b, 1, &region);
  MlirOperation yield = scf_yield(b, .results = {NULL, 0}).op;
  for (int i = 0; i < plan->num_sums; i++) {
    mlirRewriterBaseSetInsertionPointBefore(b->rw, yield);
    MlirValue theirs = tile_remote(b, .tile = shared[i],
                                   .rank = mlirBlockGetArgument(block, 0));
    MlirValue other =
        tile_alloc(b, .type = in_space(b, plan->sums[i], TILE_SPACE_FRAGMENT));
    tile_copy(b, .src = theirs, .dst = other);
    build_addition(b, plan->sums[i], other, yield);
  }
  mlirRewriterBaseSetInsertionPointBefore(b->rw, next);
  scf_for_op(b, .type = {NULL, 0}, .lowerBound = one, .upperBound = parts,
             .step = one, .initArgs = {NULL, 0}, .region = region);
}

// What comes after the loop is for the first block of the cluster.
static void join_sums(const Plan *plan, TileBuilder *b, MlirValue rank) {
  MlirOperation after = mlirOperationGetNextInBlock(plan->loop.op);
  MlirOperation end = mlirBlockGetTerminator(plan->body);
  MlirValue shared[MAX_SUMS];
  MlirRegion then, none = mlirRegionCreate();
  mlirRewriterBaseSetInsertionPointBefore(b->rw, after);
  for (int i = 0; i < plan->num_sums; i++) {
    shared[i] =
        tile_alloc(b, .type = in_space(b, plan->sums[i], TILE_SPACE_SHARED));
    tile_copy(b, .src = plan->sums[i], .dst = shared[i]);
  }
  tile_cluster_sync(b, .lifetime = false);
  MlirValue is_first = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                                  .lhs = rank, .rhs = tile_const_index(b, 0));
  begin_block(b, 0, &then);
  MlirOperation yield = scf_yield(b, .results = {NULL, 0}).op;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, after);
  scf_if_op(b, .condition = is_first, .thenRegion = then, .elseRegion = none);
  add_others(plan, b, shared, yield);
  for (MlirOperation op = after, next; !mlirOperationEqual(op, end);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tile_alloc_is(op))
      mlirRewriterBaseMoveOpBefore(b->rw, op, yield);
  }
}

// Blocks of a cluster cannot loop over tiles, and the wish is granted.
static void note_done(MlirOperation launch) {
  TileKernelConfigOp config = tile_kernel_config_get(launch);
  tile_kernel_config_set_persist_attr(
      config, mlirBoolAttrGet(mlirOperationGetContext(launch), false));
  if (!mlirAttributeIsNull(tile_kernel_config_split_attr(config)))
    mlirOperationRemoveAttributeByName(config.op, TILE_STR("split"));
}

static void plan_apply(const Plan *plan) {
  MlirOperation launch = plan->launch.op;
  note_done(launch);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(launch)),
                   mlirOperationGetLocation(launch)};
  form_clusters(plan, &b);
  MlirValue rank = build_rank(plan, &b);
  b.loc = mlirOperationGetLocation(plan->loop.op);
  bound_loop(plan, &b, rank);
  join_sums(plan, &b, rank);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static void report(const Plan *plan, bool is_wish) {
  if (is_wish) {
    tile_emit_remark(plan->launch.op, "tile-split/asked",
                     "clusters of %lld blocks share the depth of the product, "
                     "as `split` asks",
                     (long long)plan->parts);
    return;
  }
  TileCostSplit split = plan->split;
  tile_emit_remark(
      plan->launch.op, "tile-split/depth",
      "clusters of %lld blocks share the depth of the product: %lld blocks of "
      "%lld rounds would leave multiprocessors idle; %.2f times as fast by the "
      "model; `split` of tile.kernel_config gives a number",
      (long long)plan->parts, (long long)split.num_blocks,
      (long long)split.num_rounds,
      tile_cost_split_cycles(plan->target, &split, 1) /
          tile_cost_split_cycles(plan->target, &split, plan->parts));
}

static MlirLogicalResult report_refusal(const Plan *plan) {
  return tile_emit_error_with_note(
      plan->launch.op, mlirOperationGetLocation(plan->culprit),
      "it is seen here", "cannot be split along its depth as required: %s",
      plan->reason);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  int64_t wish, extent[3];
  if (!gpu_launch_is(kernel) || (wish = wish_of(kernel)) == 1 ||
      (wish == 0 && tile_launch_cluster(kernel, extent)))
    return tile_success();
  Plan plan = {.launch = gpu_launch_cast(kernel),
               .body = tile_kernel_body(kernel),
               .parts = 1};
  if (tile_failed(
          tile_target_resolve(kernel, run->target_option, &plan.target)))
    return tile_failure();
  bool can = is_possible(&plan);
  if (wish > 1 && !can)
    return report_refusal(&plan);
  if (wish > 1)
    plan.parts = wish;
  else if (can)
    choose(&plan);
  if (plan.parts < 2)
    return tile_success();
  report(&plan, wish > 1);
  plan_apply(&plan);
  return tile_success();
}

MlirLogicalResult tile_split_depth_run(MlirOperation op,
                                       const TileSplitDepthOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
