//===- Constants.h - Builders of constants and small arithmetic -----------===//
#ifndef TILE_SUPPORT_CONSTANTS_H
#define TILE_SUPPORT_CONSTANTS_H

#include "Build.h"
#include "Tile/Ops/arith.h"

static inline MlirValue tile_const_index(TileBuilder *b, int64_t value) {
  return arith_constant(b, tile_ods_int_attr(b, value, 0));
}

static inline MlirValue tile_const_int(TileBuilder *b, int64_t value,
                                       int width) {
  return arith_constant(b, tile_ods_int_attr(b, value, width));
}

/// Of an integer type or index.
static inline MlirValue tile_const_of(TileBuilder *b, MlirType type,
                                      int64_t value) {
  return arith_constant(b, .value = mlirIntegerAttrGet(type, value));
}

/// 0 of a number type.
static inline MlirValue tile_const_zero(TileBuilder *b, MlirType type) {
  if (!mlirTypeIsAFloat(type))
    return tile_const_of(b, type, 0);
  return arith_constant(
      b, .value = mlirFloatAttrDoubleGet(tile_builder_context(b), type, 0.0));
}

#endif // TILE_SUPPORT_CONSTANTS_H
