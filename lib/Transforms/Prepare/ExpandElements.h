//===- ExpandElements.h - What expansions into element loops share --------===//
#ifndef TILE_TRANSFORMS_EXPAND_ELEMENTS_H
#define TILE_TRANSFORMS_EXPAND_ELEMENTS_H

#include "Dialect/Ops.h"

/// A region of one block with so many indices; what is emitted next is in it.
MlirRegion tile_expand_region_begin(TileBuilder *b, int num_indices);

/// A tile operand at an element.
typedef struct {
  MlirValue memref, pad; // pad: null when it is 0
  MlirType element;
  bool is_global;
  int rank;
  MlirValue index[TILE_MAX_RANK];                     // of the memref
  int64_t offset[TILE_MAX_RANK], size[TILE_MAX_RANK]; // offset -1: not known
} TileElementSide;

/// `at` is the element of `tile`, a memref or a `tile.region`.
void tile_element_side_build(TileBuilder *b, MlirValue tile,
                             const MlirValue *at, TileElementSide *out);
/// Stores `value`, of the type of the side, if the element is in the tensor.
void tile_element_side_write(TileBuilder *b, const TileElementSide *side,
                             MlirValue value);

/// `value` as `tile.copy` converts it to the element type `to`.
MlirValue tile_expand_convert(TileBuilder *b, MlirValue value, MlirType to);
MlirValue tile_expand_zero(TileBuilder *b, MlirType type);

#endif // TILE_TRANSFORMS_EXPAND_ELEMENTS_H
