//===- LinalgToTile.c - Blocks of linalg ops become kernels ---------------===//
//
// Consumes: bufferised `scf.forall` with a block mapping, whose bodies hold
//           linalg ops, copies, allocations and views of memrefs; index
//           arithmetic in `arith`.
// Produces: a `gpu.launch` for each, with tiles, copies, products, reductions
//           and element loops.
// Keeps:    loops with their attributes; everything outside of such loops.
// Fails:    an op is not understood, or has an extent that nothing bounds.
// Method:   sizes and fusion are what the schedule has made. Windows are padded
//           to the size of a full tile, which a region does by itself at the
//           end of its tensor, and masks do elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Graphs/Graphs.h"

#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include <stdio.h>

//===-- Which blocks ------------------------------------------------------===//

enum { MAX_BLOCK_DIMS = 8, NUM_AXES = 3 };

typedef struct {
  TileArena arena;
  const TileConvertLinalgToTileOptions *options;
  TileOpList foralls;
} Run;

// Which axis of the grid a dimension goes to: x is 0, y 1, z 2, linear
// dimension n is 3 + n. -1: it is no block mapping.
static int axis_of(MlirAttribute mapping) {
  static const char *const axes[] = {"x", "y", "z"};
  TileString text = {NULL, 0, 0};
  char name[16];
  int axis = -1;
  mlirAttributePrint(mapping, tile_string_callback, &text);
  if (sscanf(tile_string_text(&text), "#gpu.block<%15[^>]>", name) == 1) {
    for (int i = 0; i < NUM_AXES; i++)
      if (!strcmp(name, axes[i]))
        axis = i;
    if (sscanf(name, "linear_dim_%d", &axis) == 1)
      axis += NUM_AXES;
  }
  tile_string_deinit(&text);
  return axis;
}

static bool has_block_mapping(ScfForallOp forall) {
  MlirAttribute mapping = scf_forall_mapping_attr(forall);
  return !mlirAttributeIsNull(mapping) &&
         mlirArrayAttrGetNumElements(mapping) > 0 &&
         axis_of(mlirArrayAttrGetElement(mapping, 0)) >= 0;
}

static MlirWalkResult add_forall(MlirOperation op, void *user_data) {
  Run *run = user_data;
  if (!scf_forall_is(op) || !has_block_mapping(scf_forall_cast(op)))
    return MlirWalkResultAdvance;
  tile_op_list_add(&run->foralls, op);
  return MlirWalkResultSkip;
}

static MlirLogicalResult check_forall(ScfForallOp forall) {
  int rank = (int)scf_forall_staticStep_size(forall);
  if (mlirOperationGetNumResults(forall.op) > 0)
    return tile_emit_error(forall.op, "has results: bufferize first");
  if (rank > MAX_BLOCK_DIMS)
    return tile_emit_error(forall.op,
                           "has %d dimensions of blocks, expects at most %d",
                           rank, MAX_BLOCK_DIMS);
  return tile_success();
}

//===-- Grids -------------------------------------------------------------===//

typedef struct {
  MlirValue count, lower, step;          // of blocks; in elements
  int64_t lower_constant, step_constant; // -1: not constant
} BlockDim;

static MlirValue bound_value(TileBuilder *b, int64_t constant, TileRange others,
                             intptr_t *at) {
  return mlirShapedTypeIsDynamicSize(constant) ? tile_range_at(others, (*at)++)
                                               : tile_const_index(b, constant);
}

static int64_t constant_of(MlirValue value) {
  int64_t constant;
  return mlirxConstantInt(value, &constant) ? constant : -1;
}

// Blocks in each dimension: ceil((upper - lower) / step).
static void make_dims(TileBuilder *b, ScfForallOp forall,
                      BlockDim dims[MAX_BLOCK_DIMS]) {
  intptr_t lowers = 0, uppers = 0, steps = 0;
  for (int d = 0; d < scf_forall_staticStep_size(forall); d++) {
    BlockDim *dim = &dims[d];
    dim->lower = bound_value(b, scf_forall_staticLowerBound(forall, d),
                             scf_forall_dynamicLowerBound(forall), &lowers);
    MlirValue upper =
        bound_value(b, scf_forall_staticUpperBound(forall, d),
                    scf_forall_dynamicUpperBound(forall), &uppers);
    dim->step = bound_value(b, scf_forall_staticStep(forall, d),
                            scf_forall_dynamicStep(forall), &steps);
    dim->lower_constant = constant_of(dim->lower);
    dim->step_constant = constant_of(dim->step);
    int64_t end = constant_of(upper);
    if (end >= 0 && dim->lower_constant >= 0 && dim->step_constant > 0) {
      int64_t step = dim->step_constant, extent = end - dim->lower_constant;
      dim->count = tile_const_index(b, (extent + step - 1) / step);
      continue;
    }
    MlirValue extent =
        dim->lower_constant == 0 ? upper : arith_subi(b, upper, dim->lower);
    dim->count = arith_ceildivui(b, extent, dim->step);
  }
}

// Dimensions in the order of their axes, the fastest first.
static void sort_dims(ScfForallOp forall, int rank, int order[MAX_BLOCK_DIMS]) {
  MlirAttribute mapping = scf_forall_mapping_attr(forall);
  int axis[MAX_BLOCK_DIMS];
  for (int d = 0; d < rank; d++) {
    axis[d] = axis_of(mlirArrayAttrGetElement(mapping, d));
    int at = d;
    for (; at > 0 && axis[order[at - 1]] > axis[d]; at--)
      order[at] = order[at - 1];
    order[at] = d;
  }
}

// The numbers of the block in its dimensions; axis z counts through all from
// the third on.
static void block_indices(TileBuilder *b, MlirBlock body, const BlockDim *dims,
                          const int *order, int rank, MlirValue *out) {
  MlirValue left = mlirBlockGetArgument(body, NUM_AXES - 1);
  for (int i = 0; i < rank; i++) {
    const BlockDim *dim = &dims[order[i]];
    MlirValue id = i < NUM_AXES - 1 ? mlirBlockGetArgument(body, i) : left;
    if (i >= NUM_AXES - 1 && i < rank - 1) {
      id = arith_remui(b, left, dim->count);
      left = arith_divui(b, left, dim->count);
    }
    if (dim->step_constant != 1)
      id = arith_muli(b, id, dim->step);
    if (dim->lower_constant != 0)
      id = arith_addi(b, id, dim->lower);
    out[order[i]] = id;
  }
}

//===-- Launches ----------------------------------------------------------===//

static MlirRegion launch_region(TileBuilder *b) {
  enum { NUM_ARGS = 12 }; // ids, sizes of blocks and threads
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (int i = 0; i < NUM_ARGS; i++)
    mlirBlockAddArgument(block, index, b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

static GPULaunchOp make_launch(TileBuilder *b, const BlockDim *dims,
                               const int *order, int rank, int64_t threads) {
  MlirValue one = tile_const_index(b, 1), size[NUM_AXES] = {one, one, one};
  for (int i = 0; i < rank; i++) {
    MlirValue count = dims[order[i]].count;
    int axis = i < NUM_AXES ? i : NUM_AXES - 1;
    size[axis] = i < NUM_AXES ? count : arith_muli(b, size[axis], count);
  }
  return gpu_launch_op(
      b, .gridSizeX = size[0], .gridSizeY = size[1], .gridSizeZ = size[2],
      .blockSizeX = tile_const_index(b, threads), .blockSizeY = one,
      .blockSizeZ = one, .body = launch_region(b));
}

static int64_t threads_of(MlirOperation forall, const Run *run) {
  MlirAttribute attr = mlirOperationGetDiscardableAttributeByName(
      forall, TILE_STR("tile.num_threads"));
  return mlirAttributeIsNull(attr) ? run->options->threads
                                   : mlirIntegerAttrGetValueInt(attr);
}

typedef struct {
  TileOpList dims;
  MlirOperation forall;
} DimSearch;

// Extents of tensors are numbers of the host.
static MlirWalkResult add_dim(MlirOperation op, void *user_data) {
  DimSearch *search = user_data;
  if (!memref_dim_is(op) ||
      tile_value_is_inside(mlirOperationGetOperand(op, 0), search->forall) ||
      tile_value_is_inside(mlirOperationGetOperand(op, 1), search->forall))
    return MlirWalkResultAdvance;
  tile_op_list_add(&search->dims, op);
  return MlirWalkResultAdvance;
}

static void hoist_dims(TileArena *arena, MlirOperation forall) {
  DimSearch search = {{.arena = arena}, forall};
  mlirOperationWalk(forall, add_dim, &search, MlirWalkPreOrder);
  for (size_t i = 0; i < search.dims.count; i++)
    mlirOperationMoveBefore(search.dims.items[i], forall);
}

// The launch, with the body of the loop in it.
static GPULaunchOp enter_launch(TileBuilder *b, TileArena *arena,
                                const Run *run, ScfForallOp forall,
                                MlirValue ids[MAX_BLOCK_DIMS]) {
  BlockDim dims[MAX_BLOCK_DIMS];
  int order[MAX_BLOCK_DIMS];
  int rank = (int)scf_forall_staticStep_size(forall);
  hoist_dims(arena, forall.op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, forall.op);
  make_dims(b, forall, dims);
  sort_dims(forall, rank, order);
  GPULaunchOp launch =
      make_launch(b, dims, order, rank, threads_of(forall.op, run));
  MlirBlock body = mlirRegionGetFirstBlock(gpu_launch_body(launch));
  MlirBlock from = mlirRegionGetFirstBlock(scf_forall_region(forall));
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, body);
  block_indices(b, body, dims, order, rank, ids);
  for (int d = 0; d < rank; d++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, d), ids[d]);
  gpu_terminator_op(b);
  MlirOperation end = mlirBlockGetTerminator(body);
  TILE_FOR_EACH_OP (op, from)
    if (!mlirxIsTerminator(op))
      mlirOperationMoveBefore(op, end);
  return launch;
}

//===-- What is left over -------------------------------------------------===//

static MlirWalkResult add_view(MlirOperation op, void *user_data) {
  if (!memref_subview_is(op) && !memref_cast_is(op) && !memref_alloc_is(op) &&
      !memref_alloca_is(op) && !memref_dealloc_is(op) &&
      !memref_expand_shape_is(op) && !memref_collapse_shape_is(op))
    return MlirWalkResultAdvance;
  tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static bool is_unused(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 0 ||
         !tile_value_is_used(mlirOperationGetResult(op, 0));
}

static void erase_views(TileGraphEmit *emit, MlirOperation launch) {
  TileOpList list = {.arena = emit->plan->arena};
  mlirOperationWalk(launch, add_view, &list, MlirWalkPreOrder);
  for (size_t i = list.count; i-- > 0;)
    if (is_unused(list.items[i]))
      mlirRewriterBaseEraseOp(emit->b.rw, list.items[i]);
}

//===-- Places in the source ----------------------------------------------===//

// The function of a kernel was ours: what counts is where its ops stood before.
static MlirLocation before_calls(MlirLocation location) {
  while (mlirLocationIsACallSite(location)) {
    MlirLocation callee = mlirLocationCallSiteGetCallee(location);
    bool is_known = mlirLocationIsAFileLineColRange(callee) ||
                    mlirLocationIsACallSite(callee) ||
                    mlirLocationIsAName(callee);
    location = is_known ? callee : mlirLocationCallSiteGetCaller(location);
  }
  return location;
}

static MlirWalkResult drop_calls(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationSetLocation(op, before_calls(mlirOperationGetLocation(op)));
  return MlirWalkResultAdvance;
}

//===-- Entry -------------------------------------------------------------===//

static void convert(const Run *run, TileGraphPlan *plan) {
  MlirOperation forall = plan->forall;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(forall)),
                   mlirOperationGetLocation(forall)};
  MlirValue ids[MAX_BLOCK_DIMS];
  GPULaunchOp launch =
      enter_launch(&b, plan->arena, run, scf_forall_cast(forall), ids);
  MlirBlock body = mlirRegionGetFirstBlock(gpu_launch_body(launch));
  TileGraphEmit emit = {
      .b = b,
      .plan = plan,
      .body = body,
      .mark = mlirBlockGetFirstOperation(body),
      .from = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0)),
      .ids = ids};
  for (int i = 0; i < plan->num_tiles; i++) {
    TileGraphTile *tile = plan->tile_list[i];
    TileGraphView view = tile_graph_view_of_bounds(tile->rank, tile->bound);
    emit.b.loc = mlirOperationGetLocation(tile->alloc);
    tile->tile = tile_graph_alloc(&emit, &view, tile->element, tile->space);
  }
  for (TileGraphOp *op = plan->ops; op; op = op->next)
    tile_graph_op_emit(&emit, op);
  for (TileGraphOp *op = plan->ops; op; op = op->next)
    mlirRewriterBaseEraseOp(b.rw, op->op);
  mlirRewriterBaseEraseOp(b.rw, forall);
  erase_views(&emit, launch.op);
  mlirIRRewriterDestroy(b.rw);
}

static MlirLogicalResult convert_all(Run *run) {
  for (size_t i = 0; i < run->foralls.count; i++) {
    TileGraphPlan plan = {.arena = &run->arena,
                          .forall = run->foralls.items[i],
                          .is_tf32 = run->options->tf32};
    if (tile_failed(check_forall(scf_forall_cast(plan.forall))) ||
        tile_failed(tile_graph_plan(&plan)))
      return tile_failure();
    MlirOperation function = plan.forall;
    while (!func_func_is(function) &&
           mlirOperationGetParentOperation(function).ptr)
      function = mlirOperationGetParentOperation(function);
    convert(run, &plan);
    // Constants of the host go to kernels later.
    mlirOperationWalk(function, drop_calls, NULL, MlirWalkPreOrder);
  }
  return tile_success();
}

MlirLogicalResult
tile_convert_linalg_to_tile_run(MlirOperation op,
                                const TileConvertLinalgToTileOptions *options) {
  Run run = {.options = options};
  tile_arena_init(&run.arena);
  run.foralls.arena = &run.arena;
  mlirOperationWalk(op, add_forall, &run, MlirWalkPreOrder);
  MlirLogicalResult result = convert_all(&run);
  tile_arena_deinit(&run.arena);
  return result;
}
