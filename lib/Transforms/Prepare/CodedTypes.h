//===- CodedTypes.h - Element types that ops know as integers -------------===//
//
// Elements of 4 and 6 bits are packed in bytes, and no op of arith takes
// unsigned integers: after tile-expand-types tiles and tensors hold signless
// integers in their place, and loops say what the elements were.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_CODED_TYPES_H
#define TILE_TRANSFORMS_CODED_TYPES_H

#include "Dialect/Ops.h"

/// A memref or window of such elements, and what it is afterwards.
typedef struct {
  MlirValue value;
  MlirOperation op; // that makes it, or has it as an argument
  TileShape was;
  const TileDtypeInfo *info; // of the elements
  /// Elements in whole bytes, and those bytes: 1 and 1 unless packed. Those of
  /// fragments and private arrays have a byte each.
  int pack, pack_bytes;
  MlirType now;
} CodedValue;

/// False when the value is none. Fails, after an error, where elements of such
/// memory do not fill whole bytes.
bool coded_value_get(MlirValue value, MlirOperation op, CodedValue *out,
                     MlirLogicalResult *out_result);
static inline bool coded_value_is_packed(const CodedValue *value) {
  return value->pack > 1;
}

#endif // TILE_TRANSFORMS_CODED_TYPES_H
