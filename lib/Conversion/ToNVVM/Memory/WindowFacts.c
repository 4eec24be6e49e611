//===- WindowFacts.c - Windows that never leave their tensor --------------===//
//
// A kernel of static shapes and a constant grid needs no checks where the tiles
// divide the tensors. Block ids, and the grid that bounds them, are gone once
// their ops are lowered: what follows from them is read before.
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include "Analysis/Index/Index.h"
#include "Support/Iterate.h"

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
      for (int d = 0; d < (int)mlirShapedTypeGetRank(type); d++)
        facts->is_inside[d] = tile_window_is_inside(region, d);
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
