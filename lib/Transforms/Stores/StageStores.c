//===- StageStores.c - Accumulators are stored by TMA ---------------------===//
//
// Consumes: copies of accumulators to windows of tensors that TMA could store.
// Produces: a tile in shared memory, and two copies: the first makes rows of
//           what threads hold, the second stores them. Where the whole tile
//           does not fit, parts of some columns, with two tiles in turns. A
//           remark where not even these fit.
// Fails:    only on a target that cannot be resolved.
// Idempotent: what is stored from shared memory is no accumulator.
//
//===----------------------------------------------------------------------===//

#include "Stores.h"

#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

//===-- Apply; cannot fail ------------------------------------------------===//

static MlirValue build_tile(TileBuilder *b, const TileShape *shape,
                            MlirBlock body) {
  MlirAttribute space = mlirAttributeParseGet(
      tile_builder_context(b), TILE_STR("#gpu.address_space<workgroup>"));
  mlirRewriterBaseSetInsertionPointToStart(b->rw, body);
  return tile_alloc(b, .type = mlirMemRefTypeContiguousGet(
                           shape->element, shape->rank, shape->extent, space));
}

static void store_apply(const TileStagedStore *store, MlirBlock body) {
  MlirOperation op = store->copy.op;
  MlirValue window = tile_copy_dst(store->copy);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(op)),
                   mlirOperationGetLocation(op)};
  TileShape shape;
  tile_shape_of(window, &shape);
  MlirValue tile = build_tile(&b, &shape, body);
  mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
  MlirAttribute eviction = tile_copy_eviction_attr(store->copy);
  TileCopyOp in =
      tile_copy_op(&b, .src = tile_copy_src(store->copy), .dst = tile);
  TileStaging staging = {.alloc = tile_alloc_cast(mlirOpResultGetOwner(tile)),
                         .fill = in,
                         .store = tile_copy_op(&b, .src = tile, .dst = window),
                         .num_columns = shape.extent[shape.rank - 1],
                         .cut = store->cut};
  tile_copy_set_eviction_attr(staging.store, eviction);
  mlirRewriterBaseEraseOp(b.rw, op);
  staged_parts_apply(b.rw, &staging);
  mlirIRRewriterDestroy(b.rw);
}

//===-- Entry -------------------------------------------------------------===//

static void report(const TileStagedStore *store) {
  tile_emit_remark(
      store->copy.op, "tile-stage/shared-memory",
      "is stored from registers, in pieces of rows: parts in "
      "shared memory would take %lld bytes, %lld are left",
      (long long)tile_staging_cut_bytes(&store->cut),
      (long long)(store->unused_bytes > 0 ? store->unused_bytes : 0));
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  TileInstrContext context = {.num_threads = tile_kernel_num_threads(kernel),
                              .in_launch = true};
  if (!gpu_launch_is(kernel))
    return tile_success();
  if (tile_failed(
          tile_target_resolve(kernel, run->target_option, &context.target)))
    return tile_failure();
  TileStagedStore *store =
      tile_store_staging_build(&run->arena, kernel, &context, false);
  for (; store; store = store->next)
    if (store->fits)
      store_apply(store, tile_kernel_body(kernel));
    else if (!tile_is_in_fallback_variant(kernel) &&
             !tile_kernel_number(kernel, TILE_RESERVED_BYTES_ATTR, 0))
      report(store);
  return tile_success();
}

MlirLogicalResult tile_stage_stores_run(MlirOperation op,
                                        const TileStageStoresOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}
