//===- LayoutExchange.h - Copies that move elements between threads -------===//
#ifndef TILE_TRANSFORMS_LAYOUT_EXCHANGE_H
#define TILE_TRANSFORMS_LAYOUT_EXCHANGE_H

#include "Dialect/Ops.h"
#include "Layout/Layout.h"

/// Rewrites every `tile.copy` of a whole fragment whose elements other threads
/// need, to a fragment of another layout or to private memory, as two copies
/// through a shared tile. Layouts are known. A remark per copy gives the cost.
void tile_layout_exchange_copies(MlirOperation kernel);

/// Writes `layout`, which inference chose, on an element loop, if its threads
/// should follow it. Fragments whose layout puts elements into other threads
/// than the loop wants are copied to fragments that fit it before the
/// loop, and back after it.
void tile_layout_apply_loop(TileParallelOp loop, const TileLayout *layout);

#endif // TILE_TRANSFORMS_LAYOUT_EXCHANGE_H
