//===- MemrefWrites.h - Whether something writes through a memref ---------===//
#ifndef TILE_DIALECT_MEMREF_WRITES_H
#define TILE_DIALECT_MEMREF_WRITES_H

#include "mlir-c/IR.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// False only when no op writes through `memref` or a view of it, in its
/// function and the kernels there. What is not understood counts as a write.
MLIR_CAPI_EXPORTED bool tile_memref_may_be_written(MlirValue memref);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_MEMREF_WRITES_H
