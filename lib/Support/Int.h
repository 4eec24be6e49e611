//===- Int.h - An integer that is a constant or an SSA value --------------===//
#ifndef TILE_SUPPORT_INT_H
#define TILE_SUPPORT_INT_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stdint.h>

/// A constant, or an SSA value when `value` is not null.
typedef struct {
  MlirValue value;
  int64_t constant;
} TileInt;

static inline TileInt tile_int_constant(int64_t constant) {
  TileInt result = {{NULL}, constant};
  return result;
}
static inline TileInt tile_int_value(MlirValue value) {
  TileInt result = {value, 0};
  return result;
}
static inline bool tile_int_is_constant(TileInt x) { return !x.value.ptr; }

#endif // TILE_SUPPORT_INT_H
