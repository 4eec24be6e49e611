//===- MlirText.h - What MLIR prints, into a string -----------------------===//
#ifndef TILE_SUPPORT_MLIR_TEXT_H
#define TILE_SUPPORT_MLIR_TEXT_H

#include "StringBuilder.h"
#include "mlir-c/Support.h"

/// A MlirStringCallback; `string` is a TileString.
static inline void tile_string_callback(MlirStringRef piece, void *string) {
  tile_string_append((TileString *)string, piece.data, piece.length);
}

#endif // TILE_SUPPORT_MLIR_TEXT_H
