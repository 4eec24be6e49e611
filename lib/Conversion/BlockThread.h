//===- BlockThread.h - Number of a thread in its block --------------------===//
#ifndef TILE_CONVERSION_BLOCK_THREAD_H
#define TILE_CONVERSION_BLOCK_THREAD_H

#include "Conversion.h"

/// Number of the executing thread in its block, of the type of `math`. Numbers
/// count up in x first; dimensions that a block of `kernel` does not have are
/// not asked for.
TileInt tile_block_thread_build(TileIntMath *math, MlirOperation kernel);

/// Marks a store to memory that threads share as one that each thread does for
/// itself; without the mark it is one store of the block.
void tile_store_mark_by_thread(MlirOperation store);

#endif // TILE_CONVERSION_BLOCK_THREAD_H
