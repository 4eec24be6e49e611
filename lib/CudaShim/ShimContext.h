//===- ShimContext.h - The contexts of a thread ---------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_SHIM_CONTEXT_H
#define TILE_LIB_CUDA_SHIM_SHIM_CONTEXT_H

#include "Shim.h"

/// The last one is current.
typedef struct {
  TileShimContext *stack[TILE_SHIM_MAX_CONTEXTS];
  int count;
} TileShimContexts;

/// Those of the calling thread.
TileShimContexts *tile_shim_contexts(void);

#endif // TILE_LIB_CUDA_SHIM_SHIM_CONTEXT_H
