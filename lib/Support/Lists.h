//===- Lists.h - Borrowed lists that are built in place -------------------===//
//
// TILE_VALUES(a, b) is a list of two values that lives to the end of the block.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_LISTS_H
#define TILE_SUPPORT_LISTS_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const MlirValue *p;
  intptr_t n;
} TileValues;
typedef struct {
  const MlirType *p;
  intptr_t n;
} TileTypes;
typedef struct {
  const int64_t *p;
  intptr_t n;
} TileI64s;
typedef struct {
  const int32_t *p;
  intptr_t n;
} TileI32s;
typedef struct {
  MlirRegion *p;
  intptr_t n;
} TileRegions;
typedef struct {
  MlirBlock *p;
  intptr_t n;
} TileBlocks;

#define TILE_LIST(T, E, ...)                                                   \
  ((T){(E[]){__VA_ARGS__}, sizeof((E[]){__VA_ARGS__}) / sizeof(E)})
#define TILE_VALUES(...) TILE_LIST(TileValues, MlirValue, __VA_ARGS__)
#define TILE_TYPES(...) TILE_LIST(TileTypes, MlirType, __VA_ARGS__)
#define TILE_I64S(...) TILE_LIST(TileI64s, int64_t, __VA_ARGS__)
#define TILE_I32S(...) TILE_LIST(TileI32s, int32_t, __VA_ARGS__)
#define TILE_REGIONS(...) TILE_LIST(TileRegions, MlirRegion, __VA_ARGS__)
#define TILE_BLOCKS(...) TILE_LIST(TileBlocks, MlirBlock, __VA_ARGS__)

/// An optional number or enumerator: TILE_SOME(3), or left out.
typedef struct {
  bool has;
  int64_t v;
} TileOptInt;
#define TILE_SOME(x) {true, (x)}

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_LISTS_H
