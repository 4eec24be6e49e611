//===- LayoutExchange.h - Copies that move elements between threads -------===//
#ifndef TILE_TRANSFORMS_LAYOUT_EXCHANGE_H
#define TILE_TRANSFORMS_LAYOUT_EXCHANGE_H

#include "mlir-c/IR.h"

/// Rewrites every `tile.copy` of a whole fragment whose elements other threads
/// need, to a fragment of another layout or to private memory, as two copies
/// through a shared tile. Layouts are known. A remark per copy gives the cost.
void tile_layout_exchange_copies(MlirOperation kernel);

#endif // TILE_TRANSFORMS_LAYOUT_EXCHANGE_H
