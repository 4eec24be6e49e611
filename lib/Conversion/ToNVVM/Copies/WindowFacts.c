//===- WindowFacts.c - Windows that never leave their tensor --------------===//
//
// A kernel of static shapes and a constant grid needs no checks where the tiles
// divide the tensors. Block ids, and the grid that bounds them, are gone once
// their ops are lowered: what follows from them is read before.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/Lowering.h"

#include "Analysis/Index/Index.h"
#include "Support/Iterate.h"

static void read_window(TileRegionOp region, WindowFacts *out) {
  MlirType type = mlirValueGetType(tile_region_source(region));
  int rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < rank; d++) {
    if (mlirShapedTypeIsDynamicDim(type, d))
      continue;
    TileIndexBounds bounds = tile_index_bounds(tile_region_offset(region, d));
    out->is_inside[d] = bounds.is_known && bounds.min >= 0 &&
                        bounds.max + tile_region_static_sizes(region, d) <=
                            mlirShapedTypeGetDimSize(type, d);
  }
}

void window_facts_collect(Lowering *l, MlirOperation func) {
  MlirRegion body = mlirOperationGetRegion(func, 0);
  for (MlirBlock block = mlirRegionGetFirstBlock(body); block.ptr;
       block = mlirBlockGetNextInRegion(block)) {
    TILE_FOR_EACH_OP (op, block) {
      if (!tile_region_is(op))
        continue;
      TileRegionOp region = tile_region_cast(op);
      MlirType type = mlirValueGetType(tile_region_source(region));
      if (!mlirTypeIsAMemRef(type) ||
          mlirShapedTypeGetRank(type) > TILE_MAX_RANK)
        continue;
      WindowFacts *facts = TILE_ARENA_NEW(l->arena, WindowFacts, 1);
      facts->region = op;
      read_window(region, facts);
      facts->next = l->windows;
      l->windows = facts;
    }
  }
}

const WindowFacts *window_facts_find(const Lowering *l, TileRegionOp region) {
  for (const WindowFacts *facts = l->windows; facts; facts = facts->next)
    if (mlirOperationEqual(facts->region, region.op))
      return facts;
  return NULL;
}
