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

#include "Transforms/Elements/Elements.h"
#include "Transforms/Graphs/Graphs.h"

#include "Dialect/ElementLoops.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Tile/Ops/arith.h"
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

//===-- Element loops as one ----------------------------------------------===//
//
// Every op of linalg became a loop of its own, with a fragment for its result.
// Loops over the same elements that follow one another are one loop: what was
// in the fragment between them is a value. A loop that only rounds what is
// copied to a tensor next is the copy's work.

enum { MAX_BUFFERS = 16 }; // of a loop (C7 of tile.parallel)

/// What a loop does with a buffer.
typedef struct {
  MlirValue memref;
  bool is_loaded, is_stored;
  bool is_in_place; // every access is to the loop's own element
} Buffer;

typedef struct {
  TileParallelOp op;
  Buffer buffers[MAX_BUFFERS];
  int num_buffers;
  bool is_known; // everything that it touches is in `buffers`: fragments, and
                 // shared tiles that it reads
} ElementLoop;

static MlirBlock body_of_loop(TileParallelOp loop) {
  return mlirRegionGetFirstBlock(tile_parallel_body(loop));
}

static bool is_load(MlirOperation op) { return memref_load_is(op); }
static bool is_store(MlirOperation op) { return memref_store_is(op); }

static MlirValue memref_of(MlirOperation access) {
  return mlirOperationGetOperand(access, is_store(access) ? 1 : 0);
}

static Buffer *buffer_of(ElementLoop *loop, MlirValue memref) {
  for (int i = 0; i < loop->num_buffers; i++)
    if (mlirValueEqual(loop->buffers[i].memref, memref))
      return &loop->buffers[i];
  return NULL;
}

static MlirWalkResult read_access(MlirOperation op, void *user_data) {
  ElementLoop *loop = user_data;
  TileShape shape;
  if (!is_load(op) && !is_store(op)) {
    bool is_plain = mlirxIsMemoryEffectFree(op) ||
                    mlirOperationGetNumRegions(op) || mlirxIsTerminator(op);
    loop->is_known &= is_plain;
    return MlirWalkResultAdvance;
  }
  MlirValue memref = memref_of(op);
  Buffer *buffer = buffer_of(loop, memref);
  loop->is_known &= (buffer || loop->num_buffers < MAX_BUFFERS) &&
                    tile_shape_of(memref, &shape) &&
                    (shape.space == TILE_SPACE_FRAGMENT ||
                     (shape.space == TILE_SPACE_SHARED && is_load(op)));
  if (!loop->is_known)
    return MlirWalkResultInterrupt;
  if (!buffer) {
    buffer = &loop->buffers[loop->num_buffers++];
    *buffer = (Buffer){.memref = memref, .is_in_place = true};
  }
  buffer->is_loaded |= is_load(op);
  buffer->is_stored |= is_store(op);
  buffer->is_in_place &= tile_access_is_own_element(op, body_of_loop(loop->op));
  // A value stands for what was stored at the end of the body alone.
  loop->is_known &= is_load(op) || mlirBlockEqual(mlirOperationGetBlock(op),
                                                  body_of_loop(loop->op));
  return MlirWalkResultAdvance;
}

static ElementLoop read_loop(MlirOperation op) {
  ElementLoop loop = {.op = tile_parallel_cast(op), .is_known = true};
  MlirBlock body = body_of_loop(loop.op);
  TILE_FOR_EACH_OP (inner, body)
    mlirOperationWalk(inner, read_access, &loop, MlirWalkPreOrder);
  return loop;
}

typedef struct {
  ElementLoop *loop;
  bool is_apart; // the op touches nothing that the loop writes
} Crossing;

// Ops between two loops may use what the first one reads.
static MlirWalkResult check_crossing(MlirOperation op, void *user_data) {
  Crossing *crossing = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (buffer_of(crossing->loop, mlirOperationGetOperand(op, i)))
      crossing->is_apart = false;
  return MlirWalkResultAdvance;
}

static bool crosses(ElementLoop *loop, MlirOperation op) {
  Crossing crossing = {loop, true};
  mlirOperationWalk(op, check_crossing, &crossing, MlirWalkPreOrder);
  return crossing.is_apart;
}

static bool joins(ElementLoop *first, ElementLoop *second) {
  int num_buffers = second->num_buffers;
  if (!first->is_known || !second->is_known ||
      !mlirAttributeEqual(tile_parallel_extents_attr(first->op),
                          tile_parallel_extents_attr(second->op)))
    return false;
  for (int i = 0; i < first->num_buffers; i++) {
    const Buffer *a = &first->buffers[i];
    const Buffer *b = buffer_of(second, a->memref);
    num_buffers += !b;
    if (b && (a->is_stored || b->is_stored) &&
        (!a->is_in_place || !b->is_in_place))
      return false;
  }
  return num_buffers <= MAX_BUFFERS;
}

static MlirOperation store_in(MlirBlock body, MlirValue memref) {
  MlirOperation last = TILE_NULL_OP;
  TILE_FOR_EACH_OP (op, body)
    if (is_store(op) && mlirValueEqual(memref_of(op), memref))
      last = op;
  return last;
}

typedef struct {
  TileOpList loads;
  MlirValue memref;
} Loads;

static MlirWalkResult add_load(MlirOperation op, void *user_data) {
  Loads *loads = user_data;
  if (is_load(op) && mlirValueEqual(memref_of(op), loads->memref))
    tile_op_list_add(&loads->loads, op);
  return MlirWalkResultAdvance;
}

// Loads of the loop become the value that was stored before.
static void forward(TileGraphEmit *emit, const ElementLoop *loop,
                    MlirValue memref, MlirValue value) {
  Loads loads = {{.arena = emit->plan->arena}, memref};
  MlirBlock body = body_of_loop(loop->op);
  TILE_FOR_EACH_OP (op, body)
    mlirOperationWalk(op, add_load, &loads, MlirWalkPreOrder);
  for (size_t i = 0; i < loads.loads.count; i++) {
    MlirOperation load = loads.loads.items[i];
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(load, 0), value);
    mlirRewriterBaseEraseOp(emit->b.rw, load);
  }
}

// A fragment that is only stored is nobody's.
static void drop_unread(TileGraphEmit *emit, MlirOperation store) {
  MlirValue memref = memref_of(store);
  MlirOpOperand use = mlirValueGetFirstUse(memref);
  if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
      mlirValueIsABlockArgument(memref))
    return;
  MlirOperation alloc = mlirOpResultGetOwner(memref);
  mlirRewriterBaseEraseOp(emit->b.rw, store);
  if (tile_alloc_is(alloc))
    mlirRewriterBaseEraseOp(emit->b.rw, alloc);
}

// The ops of the first loop go before those of the second.
static void join(TileGraphEmit *emit, const ElementLoop *first,
                 const ElementLoop *second) {
  MlirBlock from = body_of_loop(first->op), to = body_of_loop(second->op);
  MlirOperation stores[MAX_BUFFERS];
  int num_stores = 0;
  for (intptr_t d = 0; d < mlirBlockGetNumArguments(from); d++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, d),
                                  mlirBlockGetArgument(to, d));
  for (int i = 0; i < first->num_buffers; i++) {
    MlirValue memref = first->buffers[i].memref;
    MlirOperation store = store_in(from, memref);
    if (!store.ptr)
      continue;
    forward(emit, second, memref, mlirOperationGetOperand(store, 0));
    stores[num_stores++] = store;
  }
  MlirOperation begin = mlirBlockGetFirstOperation(to);
  TILE_FOR_EACH_OP (op, from)
    mlirOperationMoveBefore(op, begin);
  for (int i = 0; i < num_stores; i++) {
    MlirOperation last = store_in(to, memref_of(stores[i]));
    if (mlirOperationEqual(last, stores[i]))
      drop_unread(emit, last);
    else
      mlirRewriterBaseEraseOp(emit->b.rw, stores[i]); // stored again
  }
  mlirRewriterBaseEraseOp(emit->b.rw, first->op.op);
}

// The fragment that the loop rounds, element by element; null: it does more.
static MlirValue rounded_by(const ElementLoop *loop) {
  MlirOperation load = mlirBlockGetFirstOperation(body_of_loop(loop->op));
  MlirOperation cast = load.ptr ? mlirOperationGetNextInBlock(load) : load;
  MlirOperation store = cast.ptr ? mlirOperationGetNextInBlock(cast) : cast;
  bool is_rounding = loop->is_known && loop->num_buffers == 2 && store.ptr &&
                     is_load(load) && arith_truncf_is(cast) &&
                     is_store(store) && loop->buffers[0].is_in_place &&
                     loop->buffers[1].is_in_place;
  return is_rounding ? memref_of(load) : TILE_NULL_VALUE;
}

// A copy of the fragment to a tensor, which rounds as well.
static bool round_by_copy(TileGraphEmit *emit, const ElementLoop *loop,
                          MlirOperation copy) {
  MlirValue source = rounded_by(loop);
  TileCopyOp op = tile_copy_dyn(copy);
  if (!source.ptr || !op.op.ptr)
    return false;
  MlirValue rounded = loop->buffers[1].memref;
  MlirOpOperand use = mlirValueGetFirstUse(rounded);
  int num_uses = 0;
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    num_uses++;
  if (!mlirValueEqual(tile_copy_src(op), rounded) || num_uses != 2 ||
      mlirTypeIsAMemRef(mlirValueGetType(tile_copy_dst(op))))
    return false;
  mlirOperationSetOperand(copy, 0, source);
  mlirRewriterBaseEraseOp(emit->b.rw, loop->op.op);
  mlirRewriterBaseEraseOp(emit->b.rw, mlirOpResultGetOwner(rounded));
  return true;
}

static void join_loops(TileGraphEmit *emit, MlirBlock block) {
  ElementLoop last = {.is_known = false};
  TILE_FOR_EACH_OP (op, block) {
    if (tile_parallel_is(op)) {
      ElementLoop next = read_loop(op);
      if (last.is_known && joins(&last, &next)) {
        join(emit, &last, &next);
        next = read_loop(op);
      }
      last = next;
      continue;
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock inner =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           !mlirBlockIsNull(inner); inner = mlirBlockGetNextInRegion(inner))
        join_loops(emit, inner);
    if (last.is_known &&
        (round_by_copy(emit, &last, op) || !crosses(&last, op)))
      last.is_known = false;
  }
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
  TileElements elements = {emit.b, plan->arena, launch.op};
  tile_elements_inline_places(&elements);
  join_loops(&emit, body);
  tile_elements_widen(&elements);
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
