//===- ScfRegions.c - Loops and branches around code that is emitted ------===//

#include "Conversion.h"

#include "Support/Constants.h"
#include "Tile/Ops/scf.h"

// A region of one block that ends in a yield; scf.if is not built without.
static MlirRegion region_with_block(TileBuilder *b, intptr_t num_args) {
  MlirType index = mlirIndexTypeGet(mlirLocationGetContext(b->loc));
  MlirBlock block = mlirBlockCreate(num_args, &index, &b->loc);
  MlirOperationState state =
      mlirOperationStateGet(TILE_STR("scf.yield"), b->loc);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&state));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

static MlirBlock enter(TileBuilder *b, MlirRegion region) {
  MlirBlock body = mlirRegionGetFirstBlock(region);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, mlirBlockGetTerminator(body));
  return body;
}

MlirValue tile_scf_for_begin(TileBuilder *b, int64_t count) {
  MlirValue zero = tile_const_index(b, 0);
  MlirValue end = tile_const_index(b, count);
  MlirValue one = tile_const_index(b, 1);
  ScfForOp loop = scf_for_op(b, .lowerBound = zero, .upperBound = end,
                             .step = one, .region = region_with_block(b, 1));
  return mlirBlockGetArgument(enter(b, scf_for_region(loop)), 0);
}

void tile_scf_if_begin(TileBuilder *b, MlirValue condition) {
  ScfIfOp branch = scf_if_op(b, .condition = condition,
                             .thenRegion = region_with_block(b, 0));
  enter(b, scf_if_thenRegion(branch));
}

void tile_scf_if_else_begin(TileBuilder *b, MlirValue condition) {
  MlirRegion then_region = region_with_block(b, 0);
  ScfIfOp branch =
      scf_if_op(b, .condition = condition, .thenRegion = then_region,
                .elseRegion = region_with_block(b, 0));
  enter(b, scf_if_thenRegion(branch));
}

void tile_scf_else(TileBuilder *b) {
  MlirBlock body = mlirRewriterBaseGetInsertionBlock(b->rw);
  enter(b, scf_if_elseRegion(scf_if_cast(mlirBlockGetParentOperation(body))));
}

void tile_scf_end(TileBuilder *b) {
  MlirBlock body = mlirRewriterBaseGetInsertionBlock(b->rw);
  mlirRewriterBaseSetInsertionPointAfter(b->rw,
                                         mlirBlockGetParentOperation(body));
}
