//===- TileKernelAsync.h - Reads of tiles that copies still fill ----------===//
#ifndef TILE_DIALECT_TILE_KERNEL_ASYNC_H
#define TILE_DIALECT_TILE_KERNEL_ASYNC_H

#include "Ops.h"

/// Reports an op that reads what an `async` copy by cp.async before it in
/// the same block fills, where nothing between the two can wait.
MlirLogicalResult tile_kernel_async_verify(MlirOperation kernel);

#endif // TILE_DIALECT_TILE_KERNEL_ASYNC_H
