//===- AsyncProducts.c - Products under way -------------------------------===//
//
// Consumes: `tile.gemm` and `tile.gemm_sp` by wgmma.
// Produces: `async` on those that overlap with other work, `tile.await` where
//           they have to be complete; slots released after products that follow
//           at once; loops of roles that release slots one iteration later
//           (LateRelease.c); `clear` in place of fills (AccumulatorClear.c).
// Keeps:    kernels with asynchronous products: their awaits are there already.
// Fails:    never.
// Method:   ProductFlow.c, docs/Rationale/Pipelining.md.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "Dialect/Products.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "TilePasses.h"

//===-- Apply; cannot fail ------------------------------------------------===//

// Whether ops at the place of `at` can use `value`: what a loop allocates in
// its body is gone after it, and before the allocation.
static bool is_in_scope(MlirValue value, MlirOperation at) {
  MlirOperation def = mlirOpResultGetOwner(value);
  MlirBlock block = mlirOperationGetBlock(def);
  while (at.ptr && !mlirBlockEqual(mlirOperationGetBlock(at), block))
    at = mlirOperationGetParentOperation(at);
  return at.ptr && mlirOperationIsBeforeInBlock(def, at);
}

// Accumulators that no product under way has after the await, and one had
// before it.
static intptr_t completed(const TileProductFlow *flow,
                          const TileFlowAwait *point, MlirValue *out) {
  intptr_t count = 0;
  for (int i = 0; i < flow->num_products; i++) {
    bool is_new =
        point->completes[i] && is_in_scope(flow->products[i].c, point->before);
    for (int k = 0; k < flow->num_products; k++)
      is_new &= !point->leaves[k] ||
                !mlirValueEqual(flow->products[k].c, flow->products[i].c);
    for (intptr_t k = 0; k < count; k++)
      is_new &= !mlirValueEqual(out[k], flow->products[i].c);
    if (is_new)
      out[count++] = flow->products[i].c;
  }
  return count;
}

// The row sums or maxima that the work before `before` ends with: they
// depend on all that was done beside the products. Null when there are none.
static MlirValue last_rows(MlirOperation before) {
  MlirValue rows = TILE_NULL_VALUE;
  for (MlirOperation op =
           mlirBlockGetFirstOperation(mlirOperationGetBlock(before));
       !mlirOperationEqual(op, before); op = mlirOperationGetNextInBlock(op)) {
    TileReduceOp reduce = tile_reduce_dyn(op);
    TileShape shape;
    if (tile_wait_is(op) || tile_release_is(op) || mlirxIsMemoryEffectFree(op))
      continue;
    rows = TILE_NULL_VALUE;
    // Few registers: a thread has parts of few rows.
    if (reduce.op.ptr && tile_reduce_dim(reduce) == 1 &&
        tile_shape_of(tile_reduce_dst(reduce), &shape) && shape.rank == 1 &&
        shape.space == TILE_SPACE_FRAGMENT &&
        tile_elem_bits(shape.element) == 32 &&
        mlirValueIsAOpResult(tile_reduce_dst(reduce)) &&
        tile_alloc_is(mlirOpResultGetOwner(tile_reduce_dst(reduce))))
      rows = tile_reduce_dst(reduce);
  }
  return rows;
}

static void flow_apply(TileArena *arena, const TileProductFlow *flow,
                       MlirContext context) {
  MlirValue *values = TILE_ARENA_NEW(arena, MlirValue, flow->num_products + 1);
  TileBuilder b = {mlirIRRewriterCreate(context),
                   mlirLocationUnknownGet(context)};
  for (int i = 0; i < flow->num_products; i++)
    if (flow->products[i].is_async)
      tile_product_set_async(flow->products[i].op);
  for (int i = 0; i < flow->num_awaits; i++) {
    const TileFlowAwait *point = &flow->awaits[i];
    intptr_t count = completed(flow, point, values);
    b.loc = mlirOperationGetLocation(point->before);
    mlirRewriterBaseSetInsertionPointBefore(b.rw, point->before);
    MlirValue rows = last_rows(point->before);
    tile_await(&b, .pending = point->pending, .accumulators = {values, count},
               .after = {&rows, count && rows.ptr ? 1 : 0});
  }
  mlirIRRewriterDestroy(b.rw);
}

//===-- Products one after the other --------------------------------------===//

// A release waits for the product that reads the slot, and so would a product
// after it that needs nothing: it goes first. Nobody waits in between.
//
//   product %a; release %a; product %b   ->   product %a; product %b; release
//   %a
static MlirWalkResult add_release(MlirOperation op, void *user_data) {
  TileOpList *releases = user_data;
  if (tile_release_is(op))
    tile_op_list_add(releases, op);
  return MlirWalkResultAdvance;
}

static MlirOperation next_with_effect(MlirOperation op) {
  do
    op = mlirOperationGetNextInBlock(op);
  while (op.ptr && (mlirxIsMemoryEffectFree(op) || tile_release_is(op)));
  return op;
}

static void releases_apply(TileArena *arena, MlirOperation kernel) {
  TileOpList releases = {.arena = arena};
  TileProduct product;
  mlirOperationWalk(kernel, add_release, &releases, MlirWalkPreOrder);
  for (size_t i = releases.count; i-- > 0;) {
    MlirOperation release = releases.items[i], last = TILE_NULL_OP;
    for (MlirOperation op = next_with_effect(release);
         op.ptr && tile_product_is_wgmma(op, &product);
         op = next_with_effect(op))
      last = op;
    if (last.ptr)
      mlirOperationMoveAfter(release, last);
  }
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult find_async(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_await_is(op) || tile_product_is_async(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileArena *arena = user_data;
  TileProductFlow flow = {0};
  bool has_async = false;
  mlirOperationWalk(kernel, find_async, &has_async, MlirWalkPreOrder);
  if (has_async)
    return tile_success();
  releases_apply(arena, kernel);
  late_release_apply(arena, kernel, &flow.late_releases,
                     &flow.num_late_releases);
  accumulator_clear_apply(arena, kernel);
  tile_product_flow_build(arena, kernel, &flow);
  flow_apply(arena, &flow, mlirOperationGetContext(kernel));
  return tile_success();
}

MlirLogicalResult
tile_async_products_run(MlirOperation op,
                        const TileAsyncProductsOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}
