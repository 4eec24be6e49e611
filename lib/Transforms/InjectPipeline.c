//===- InjectPipeline.c - Software pipelines ------------------------------===//
//
// Consumes: `scf.for` and `scf.while` loops with `tile.num_stages`.
// Produces: no `tile.num_stages` is left. Pipelines are not built yet: every
//           loop is declined with a remark and runs one iteration at a time.
// Fails:    never.
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ops.h"
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"

static MlirWalkResult drop_plan(MlirOperation op, void *user_data) {
  static const char *const names[] = {"tile.stage", "tile.order", "tile.group"};
  (void)user_data;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    mlirOperationRemoveDiscardableAttributeByName(op, tile_str(names[i]));
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  (void)user_data;
  MlirStringRef name = TILE_STR("tile.num_stages");
  MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(op, name);
  if (mlirAttributeIsNull(stages))
    return MlirWalkResultAdvance;
  int64_t num_stages = mlirIntegerAttrGetValueInt(stages);
  // The loop of one source line is in every variant of its launch.
  if (num_stages > 0 && !tile_is_in_fallback_variant(op))
    tile_emit_remark(op, "tile-pipeline/not-yet",
                     "runs without a pipeline: %lld stages were asked for, and "
                     "loops are not pipelined yet",
                     (long long)num_stages);
  mlirOperationRemoveDiscardableAttributeByName(op, name);
  mlirOperationWalk(op, drop_plan, NULL, MlirWalkPreOrder);
  return MlirWalkResultAdvance;
}

MlirLogicalResult
tile_inject_pipeline_run(MlirOperation op,
                         const TileInjectPipelineOptions *options) {
  (void)options;
  mlirOperationWalk(op, visit, NULL, MlirWalkPreOrder);
  return tile_success();
}
