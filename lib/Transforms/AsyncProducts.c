//===- AsyncProducts.c - Products under way -------------------------------===//
//
// Consumes: `tile.gemm` by wgmma with both factors in shared memory.
// Produces: `async` on those that overlap with other work, `tile.await` where
//           they have to be complete; loops of roles that release slots one
//           iteration later (LateRelease.c).
// Keeps:    kernels with asynchronous products: their awaits are there already.
// Fails:    never.
// Method:   ProductFlow.c, docs/Rationale/Pipelining.md.
//
//===----------------------------------------------------------------------===//

#include "LateRelease.h"
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"

//===-- Apply; cannot fail ------------------------------------------------===//

// Accumulators that no product under way has behind the await, and one had in
// front of it.
static intptr_t completed(const TileProductFlow *flow,
                          const TileFlowAwait *point, MlirValue *out) {
  intptr_t count = 0;
  for (int i = 0; i < flow->num_products; i++) {
    bool is_new = point->completes[i];
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

static void flow_apply(TileArena *arena, const TileProductFlow *flow,
                       MlirContext context) {
  MlirValue *values = TILE_ARENA_NEW(arena, MlirValue, flow->num_products + 1);
  TileBuilder b = {mlirIRRewriterCreate(context),
                   mlirLocationUnknownGet(context)};
  for (int i = 0; i < flow->num_products; i++)
    if (flow->products[i].is_async)
      tile_gemm_set_async(tile_gemm_cast(flow->products[i].op), true);
  for (int i = 0; i < flow->num_awaits; i++) {
    const TileFlowAwait *point = &flow->awaits[i];
    intptr_t count = completed(flow, point, values);
    b.loc = mlirOperationGetLocation(point->before);
    mlirRewriterBaseSetInsertionPointBefore(b.rw, point->before);
    tile_await(&b, .pending = point->pending, .accumulators = {values, count});
  }
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult find_async(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_await_is(op) ||
            (tile_gemm_is(op) && tile_gemm_async(tile_gemm_cast(op)));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileArena *arena = user_data;
  TileProductFlow flow = {0};
  bool has_async = false;
  mlirOperationWalk(kernel, find_async, &has_async, MlirWalkPreOrder);
  if (has_async)
    return tile_success();
  late_release_apply(arena, kernel, &flow.late_releases,
                     &flow.num_late_releases);
  tile_product_flow_build(arena, kernel, &flow);
  flow_apply(arena, &flow, mlirOperationGetContext(kernel));
  return tile_success();
}

MlirLogicalResult
tile_async_products_run(MlirOperation op,
                        const TileAsyncProductsOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  MlirLogicalResult result =
      tile_kernels_visit_verified(op, visit_kernel, &arena);
  tile_arena_deinit(&arena);
  return result;
}
