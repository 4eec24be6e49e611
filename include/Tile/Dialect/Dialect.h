//===- Dialect.h - Handle of the tile dialect -----------------------------===//
#ifndef TILE_DIALECT_DIALECT_H
#define TILE_DIALECT_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_DIALECT_H
