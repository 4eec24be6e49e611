//===- TileKernelVerify.c - What holds for a kernel as a whole ------------===//
//
// The constraints that no single op can check. Passes call this before they
// change a kernel.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Dialect/Verify/TileVerify.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "TileKernelAsync.h"
#include "TileKernelRoles.h"

//===-- Survey: what the body holds ---------------------------------------===//

typedef struct {
  MlirOperation kernel;
  MlirOperation tile_op;    // the first one, or null
  MlirOperation launch;     // a kernel inside the kernel, or null
  bool has_threads;         // it asks which thread executes it
  MlirOperation branching;  // the first op with a region of several blocks
  MlirOperation specialize; // the first one, or null
  MlirOperation specialize_again;
  MlirOperation fragment, fragment_user; // used by a role that lacks it
  MlirOperation user; // the first op of a tile that is not named, or null
  intptr_t operand;   // of `user`: that tile
  MlirOperation tensor_user; // the first op of a tensor no kernel can be given
  intptr_t tensor;           // of `tensor_user`: that tensor
  int64_t num_cluster_blocks;
  MlirOperation beyond; // a tile.remote of a block that is not there, or null
} KernelSurvey;

static void set_first(MlirOperation *slot, MlirOperation op) {
  if (mlirOperationIsNull(*slot))
    *slot = op;
}

// Ops whose result differs between the threads of a block: ids, clocks.
// Outlining makes such ops for ids that nobody uses.
static bool asks_for_threads(MlirOperation op) {
  bool is_thread_op = gpu_thread_id_is(op) || gpu_global_id_is(op) ||
                      gpu_lane_id_is(op) || gpu_subgroup_id_is(op) ||
                      tile_clock_is(op);
  return is_thread_op && tile_value_is_used(mlirOperationGetResult(op, 0));
}

static bool has_branches(MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock first = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (!mlirBlockIsNull(first) &&
        !mlirBlockIsNull(mlirBlockGetNextInRegion(first)))
      return true;
  }
  return false;
}

//===-- Names of tiles ----------------------------------------------------===//

static bool is_argument_of(MlirValue value, MlirOperation kernel) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                        tile_kernel_body(kernel));
}

static bool is_name(MlirValue root, TileSpace space, MlirOperation kernel) {
  if (space == TILE_SPACE_GLOBAL)
    root = tile_tensor_behind(root);
  if (mlirValueIsAOpResult(root)) {
    MlirOperation owner = mlirOpResultGetOwner(root);
    if (tile_alloc_is(owner) || tile_storage_is(owner) ||
        tile_tensor_at_is(owner) || tile_barrier_alloc_is(owner) ||
        tile_channel_is(owner))
      return true;
  }
  return is_argument_of(root, kernel) ||
         (space == TILE_SPACE_GLOBAL && !tile_value_is_inside(root, kernel));
}

// A window is no value that a kernel could be given.
static bool is_foreign_window(MlirValue tile, MlirOperation kernel) {
  TileRegionOp region = tile_region_of(tile);
  return region.op.ptr &&
         !tile_value_is_inside(tile_region_region(region), kernel);
}

// Scalar code may do with tensors and its own arrays what it likes.
static bool needs_name(MlirOperation op, MlirType type, TileSpace *out_space) {
  TileShape shape;
  *out_space = TILE_SPACE_SHARED;
  if (tile_barrier_type_is(type) || tile_channel_type_is(type))
    return true;
  if (!tile_shape_get(type, &shape))
    return false;
  *out_space = shape.space;
  return shape.space == TILE_SPACE_SHARED ||
         shape.space == TILE_SPACE_FRAGMENT || tile_op_is(op);
}

// A kernel gets the address, extents and strides of a tensor.
static bool is_passed(MlirType type) {
  int64_t strides[TILE_MAX_RANK], offset;
  if (mlirTypeIsAUnrankedMemRef(type))
    return false;
  return !mlirTypeIsAMemRef(type) ||
         tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type)) !=
             TILE_SPACE_GLOBAL ||
         (mlirShapedTypeGetRank(type) <= TILE_MAX_RANK &&
          !tile_failed(
              mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)));
}

static void survey_tensors(KernelSurvey *survey, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    if (!mlirOperationIsNull(survey->tensor_user) ||
        is_passed(mlirValueGetType(mlirOperationGetOperand(op, i))))
      continue;
    survey->tensor_user = op;
    survey->tensor = i;
  }
}

// Ops of other dialects take views of their own.
static MlirValue root_of(MlirOperation op, MlirValue value) {
  return tile_buffer_of(tile_op_is(op) ? value : tile_foreign_root(value)).root;
}

// Shared memory that is not of the tile dialect is the business of others.
static bool is_foreign(MlirOperation op, MlirValue root, TileSpace space) {
  return !tile_op_is(op) && space == TILE_SPACE_SHARED &&
         mlirValueIsAOpResult(root) && !tile_op_is(mlirOpResultGetOwner(root));
}

static void survey_operands(KernelSurvey *survey, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    TileSpace space;
    if (!needs_name(op, mlirValueGetType(value), &space) ||
        (is_name(root_of(op, value), space, survey->kernel) &&
         !is_foreign_window(value, survey->kernel)) ||
        is_foreign(op, root_of(op, value), space))
      continue;
    if (mlirOperationIsNull(survey->user))
      survey->operand = i;
    set_first(&survey->user, op);
  }
}

static MlirWalkResult survey_op(MlirOperation op, void *user_data) {
  KernelSurvey *survey = user_data;
  if (has_branches(op))
    set_first(&survey->branching, op);
  if (mlirOperationEqual(op, survey->kernel))
    return MlirWalkResultAdvance;
  if (tile_op_is(op))
    set_first(&survey->tile_op, op);
  if (gpu_launch_is(op))
    set_first(&survey->launch, op);
  survey->has_threads |= asks_for_threads(op);
  if (tile_specialize_is(op)) {
    if (!mlirOperationIsNull(survey->specialize))
      set_first(&survey->specialize_again, op);
    set_first(&survey->specialize, op);
  }
  survey_operands(survey, op);
  survey_tensors(survey, op);
  return MlirWalkResultAdvance;
}

// The body of a gpu.launch begins with block ids and thread ids.
static bool uses_thread_ids(MlirOperation kernel) {
  for (intptr_t i = 3; gpu_launch_is(kernel) && i < 6; i++)
    if (tile_value_is_used(mlirBlockGetArgument(tile_kernel_body(kernel), i)))
      return true;
  return false;
}

//===-- Checks ------------------------------------------------------------===//

// Threads per block in x, y or z; false: unknown.
static bool block_extent(MlirOperation kernel, int dim, int64_t *out_extent) {
  if (gpu_launch_is(kernel)) {
    GPULaunchOp launch = gpu_launch_cast(kernel);
    MlirValue size[3] = {gpu_launch_blockSizeX(launch),
                         gpu_launch_blockSizeY(launch),
                         gpu_launch_blockSizeZ(launch)};
    return mlirxConstantInt(size[dim], out_extent);
  }
  if (!gpu_func_is(kernel))
    return false;
  MlirAttribute block = gpu_func_known_block_size_attr(gpu_func_cast(kernel));
  if (mlirAttributeIsNull(block))
    return false;
  *out_extent = mlirDenseI32ArrayGetElement(block, dim);
  return true;
}

// The limits of the launch itself (CUDA C++ Programming Guide, Technical
// Specifications per Compute Capability).
static MlirLogicalResult verify_block_extents(MlirOperation kernel) {
  static const int max_extent[3] = {TILE_MAX_BLOCK_THREADS,
                                    TILE_MAX_BLOCK_THREADS, 64};
  for (int dim = 0; dim < 3; dim++) {
    int64_t extent;
    if (block_extent(kernel, dim, &extent) &&
        (extent < 1 || extent > max_extent[dim]))
      return tile_emit_error(
          kernel, "expects 1 to %d threads per block in %c, got %" PRId64,
          max_extent[dim], "xyz"[dim], extent);
  }
  return tile_success();
}

static MlirLogicalResult verify_num_threads(MlirOperation kernel) {
  if (tile_failed(verify_block_extents(kernel)))
    return tile_failure();
  int64_t num_threads = tile_kernel_num_threads(kernel);
  if (num_threads == -1)
    return tile_emit_error(kernel, "expects a constant number of threads per "
                                   "block beside tile ops");
  if (num_threads < 1 || num_threads > TILE_MAX_BLOCK_THREADS ||
      num_threads % TILE_WARP_THREADS)
    return tile_emit_error(kernel,
                           "expects a positive multiple of %d threads per "
                           "block, at most %d, got %" PRId64,
                           TILE_WARP_THREADS, TILE_MAX_BLOCK_THREADS,
                           num_threads);
  return tile_success();
}

//===-- Clusters ----------------------------------------------------------===//

bool tile_launch_cluster(MlirOperation kernel, int64_t out_extent[3]) {
  for (int dim = 0; dim < 3; dim++)
    out_extent[dim] = 1;
  if (!gpu_launch_is(kernel))
    return false;
  GPULaunchOp launch = gpu_launch_cast(kernel);
  MlirValue size[3] = {gpu_launch_clusterSizeX(launch),
                       gpu_launch_clusterSizeY(launch),
                       gpu_launch_clusterSizeZ(launch)};
  bool is_stated = !mlirValueIsNull(size[0]);
  for (int dim = 0; is_stated && dim < 3; dim++)
    if (!mlirxConstantInt(size[dim], &out_extent[dim]))
      out_extent[dim] = -1;
  return is_stated;
}

// The largest rank that `op` names by a constant; -1: none.
static int64_t largest_rank(MlirOperation op) {
  int64_t rank = -1, mask = 0;
  if (tile_remote_is(op))
    mlirxConstantInt(tile_remote_rank(tile_remote_cast(op)), &rank);
  else if (tile_is_multicast(op))
    mlirxConstantInt(tile_copy_multicast(tile_copy_cast(op)), &mask);
  else if (tile_signals_cluster(op))
    mlirxConstantInt(tile_barrier_arrive_rank(tile_barrier_arrive_cast(op)),
                     &rank);
  for (; mask > 0; mask >>= 1)
    rank++;
  return rank;
}

static MlirWalkResult find_beyond(MlirOperation op, void *user_data) {
  KernelSurvey *survey = user_data;
  if (largest_rank(op) < survey->num_cluster_blocks)
    return MlirWalkResultAdvance;
  survey->beyond = op;
  return MlirWalkResultInterrupt;
}

// Of a kernel that is no launch, nothing is known.
static MlirLogicalResult verify_ranks(KernelSurvey *survey) {
  if (!gpu_launch_is(survey->kernel))
    return tile_success();
  mlirOperationWalk(survey->kernel, find_beyond, survey, MlirWalkPreOrder);
  if (mlirOperationIsNull(survey->beyond))
    return tile_success();
  return tile_emit_error_with_note(
      survey->beyond, mlirOperationGetLocation(survey->kernel),
      "the launch is here",
      "names the block with rank %" PRId64 ", in clusters of %" PRId64
      " blocks",
      largest_rank(survey->beyond), survey->num_cluster_blocks);
}

static MlirLogicalResult verify_cluster(KernelSurvey *survey) {
  MlirOperation kernel = survey->kernel;
  int64_t extent[3], grid;
  survey->num_cluster_blocks = 1;
  bool is_stated = tile_launch_cluster(kernel, extent);
  for (int dim = 0; is_stated && dim < 3; dim++) {
    GPULaunchOp launch = gpu_launch_cast(kernel);
    MlirValue size[3] = {gpu_launch_gridSizeX(launch),
                         gpu_launch_gridSizeY(launch),
                         gpu_launch_gridSizeZ(launch)};
    if (extent[dim] < 1 || extent[dim] > TILE_MAX_CLUSTER_BLOCKS)
      return tile_emit_error(kernel,
                             "expects a cluster with a constant extent from 1 "
                             "to %d in %c",
                             TILE_MAX_CLUSTER_BLOCKS, "xyz"[dim]);
    if (mlirxConstantInt(size[dim], &grid) && grid % extent[dim])
      return tile_emit_error(kernel,
                             "expects a grid of whole clusters, got %" PRId64
                             " blocks in %c and clusters of %" PRId64
                             ": round the grid up and let the blocks that have "
                             "no work take part in barriers",
                             grid, "xyz"[dim], extent[dim]);
    survey->num_cluster_blocks *= extent[dim];
  }
  if (survey->num_cluster_blocks > TILE_MAX_CLUSTER_BLOCKS)
    return tile_emit_error(
        kernel, "expects clusters of at most %d blocks, got %" PRId64,
        TILE_MAX_CLUSTER_BLOCKS, survey->num_cluster_blocks);
  return verify_ranks(survey);
}

static MlirLogicalResult verify_roles(const KernelSurvey *survey) {
  MlirOperation op = survey->specialize;
  if (mlirOperationIsNull(op))
    return tile_success();
  if (!mlirOperationIsNull(survey->specialize_again))
    return tile_emit_error_with_note(
        survey->specialize_again, mlirOperationGetLocation(op),
        "the first one is here", "expects to be the only one of its kernel");
  if (!mlirOperationEqual(mlirOperationGetParentOperation(op), survey->kernel))
    return tile_emit_error(op, "expects to be directly in the body of the "
                               "kernel, not inside another op");
  int64_t num_threads =
      tile_specialize_num_warps(tile_specialize_cast(op)) * TILE_WARP_THREADS;
  int64_t kernel_threads = tile_kernel_num_threads(survey->kernel);
  if (num_threads != kernel_threads)
    return tile_emit_error_with_note(
        op, mlirOperationGetLocation(survey->kernel), "the kernel is here",
        "has roles of %" PRId64 " threads together, in a kernel of %" PRId64
        " threads per block",
        num_threads, kernel_threads);
  return tile_success();
}

// A fragment is spread over the registers of the threads of one role.
static MlirWalkResult find_shared_fragment(MlirOperation op, void *user_data) {
  KernelSurvey *survey = user_data;
  TileShape shape;
  if (!tile_alloc_is(op) ||
      !tile_shape_of(mlirOperationGetResult(op, 0), &shape) ||
      shape.space != TILE_SPACE_FRAGMENT)
    return MlirWalkResultAdvance;
  survey->fragment = op;
  survey->fragment_user = tile_alloc_user_of_other_role(tile_alloc_cast(op));
  return mlirOperationIsNull(survey->fragment_user) ? MlirWalkResultAdvance
                                                    : MlirWalkResultInterrupt;
}

static MlirLogicalResult verify_fragments(KernelSurvey *survey) {
  if (mlirOperationIsNull(survey->specialize))
    return tile_success();
  mlirOperationWalk(survey->kernel, find_shared_fragment, survey,
                    MlirWalkPreOrder);
  if (mlirOperationIsNull(survey->fragment_user))
    return tile_success();
  return tile_emit_error_with_note(
      survey->fragment_user, mlirOperationGetLocation(survey->fragment),
      "the fragment is allocated here",
      "uses a fragment that is in the registers of other threads: of another "
      "role, or of all");
}

static MlirLogicalResult verify_names(const KernelSurvey *survey) {
  if (mlirOperationIsNull(survey->user))
    return tile_success();
  MlirValue tile = mlirOperationGetOperand(survey->user, survey->operand);
  MlirValue root = tile_buffer_of(tile).root;
  if (is_foreign_window(tile, survey->kernel))
    return tile_emit_error_with_note(
        survey->user, mlirOperationGetLocation(tile_region_of(tile).op),
        "it is made here",
        "uses a window that is made outside of the kernel: put the "
        "tile.region into it");
  MlirOperation origin =
      mlirValueIsAOpResult(root)
          ? mlirOpResultGetOwner(root)
          : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(root));
  if ((memref_subview_is(origin) || memref_reinterpret_cast_is(origin)) &&
      !mlirShapedTypeHasStaticShape(mlirValueGetType(root)))
    return tile_emit_error_with_note(
        survey->user, mlirOperationGetLocation(origin), "it is made here",
        "expects operand %td to be a whole tile, not a part with sizes of run "
        "time: name the tile, and add the offsets of the part to those of the "
        "window",
        survey->operand);
  return tile_emit_error_with_note(
      survey->user, mlirOperationGetLocation(origin), "it comes from here",
      "expects operand %td to be the result of tile.alloc, "
      "tile.barrier_alloc or tile.channel, or a tensor from outside the "
      "kernel, one that tile.tensor_at names or a part of these; canonicalize "
      "looks through casts, and through subviews with constant sizes and unit "
      "strides",
      survey->operand);
}

static MlirLogicalResult verify_tensors(const KernelSurvey *survey) {
  if (mlirOperationIsNull(survey->tensor_user))
    return tile_success();
  MlirType type = mlirValueGetType(
      mlirOperationGetOperand(survey->tensor_user, survey->tensor));
  return tile_emit_error(survey->tensor_user,
                         "expects tensors of rank 0 to %d whose layout is "
                         "strides, got %s as operand %td",
                         TILE_MAX_RANK, tile_verify_type_text(type).chars,
                         survey->tensor);
}

MlirLogicalResult tile_kernel_verify(MlirOperation kernel) {
  KernelSurvey survey = {.kernel = kernel};
  if (tile_kernel_is_thread_code(kernel))
    return tile_success();
  mlirOperationWalk(kernel, survey_op, &survey, MlirWalkPreOrder);
  if (mlirOperationIsNull(survey.tile_op))
    return tile_success();
  if (!mlirOperationIsNull(survey.branching))
    return tile_emit_error(survey.branching,
                           "expects regions of one block: control flow is in "
                           "scf until kernels are lowered");
  if (!mlirOperationIsNull(survey.launch))
    return tile_emit_error_with_note(
        survey.launch, mlirOperationGetLocation(kernel),
        "the outer kernel is here", "expects to be outside kernels");
  if (tile_failed(verify_num_threads(kernel)) ||
      tile_failed(verify_cluster(&survey)) ||
      tile_failed(verify_tensors(&survey)) ||
      tile_failed(verify_roles(&survey)) ||
      tile_failed(verify_fragments(&survey)) ||
      tile_failed(tile_kernel_roles_verify(kernel, survey.specialize)) ||
      tile_failed(tile_kernel_async_verify(kernel)))
    return tile_failure();
  bool may_differ = survey.has_threads || uses_thread_ids(kernel) ||
                    !mlirOperationIsNull(survey.specialize);
  if (may_differ && tile_failed(tile_verify_uniform(kernel)))
    return tile_failure();
  return verify_names(&survey);
}

//===-- Visits ------------------------------------------------------------===//

typedef struct {
  TileKernelVisitor visit;
  void *user_data;
  bool verifies; // kernels without tile ops are passed over
  MlirLogicalResult result;
} KernelWalk;

static MlirWalkResult kernel_walk(MlirOperation op, void *user_data) {
  KernelWalk *walk = user_data;
  if (tile_gpu_module_is_foreign(op))
    return MlirWalkResultSkip;
  if (!tile_kernel_is(op))
    return MlirWalkResultAdvance;
  if (mlirBlockIsNull(tile_kernel_body(op)))
    return MlirWalkResultSkip; // a declaration
  if (walk->verifies && !tile_kernel_has_tile_ops(op))
    return MlirWalkResultSkip;
  if (walk->verifies)
    walk->result = tile_kernel_verify(op);
  if (!tile_failed(walk->result))
    walk->result = walk->visit(op, walk->user_data);
  if (tile_failed(walk->result) && walk->verifies)
    tile_kernel_note_refusal(op);
  return tile_failed(walk->result) ? MlirWalkResultInterrupt
                                   : MlirWalkResultSkip;
}

MlirLogicalResult tile_kernels_visit(MlirOperation root,
                                     TileKernelVisitor visit, void *user_data) {
  KernelWalk walk = {visit, user_data, false, tile_success()};
  mlirOperationWalk(root, kernel_walk, &walk, MlirWalkPreOrder);
  return walk.result;
}

MlirLogicalResult tile_kernels_visit_verified(MlirOperation root,
                                              TileKernelVisitor visit,
                                              void *user_data) {
  KernelWalk walk = {visit, user_data, true, tile_success()};
  mlirOperationWalk(root, kernel_walk, &walk, MlirWalkPreOrder);
  return walk.result;
}

MlirLogicalResult tile_kernels_visit_in_arena(MlirOperation root,
                                              TileKernelVisitor visit) {
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result = tile_kernels_visit_verified(root, visit, &arena);
  tile_arena_deinit(&arena);
  return result;
}

MlirLogicalResult tile_kernels_visit_for_target(MlirOperation root,
                                                TileKernelVisitor visit,
                                                const char *target_option) {
  TileKernelRun run = {.target_option = target_option};
  tile_arena_init(&run.arena);
  MlirLogicalResult result = tile_kernels_visit_verified(root, visit, &run);
  tile_arena_deinit(&run.arena);
  return result;
}
