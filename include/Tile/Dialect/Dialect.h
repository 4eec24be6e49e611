//===- Dialect.h - Handle of the tile dialect -----------------------------===//
#ifndef TILE_DIALECT_DIALECT_H
#define TILE_DIALECT_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of the dialect in bytecode. A library reads those up to its own.
enum { TILE_BYTECODE_VERSION = 1 };

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_DIALECT_H
