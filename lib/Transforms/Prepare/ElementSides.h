//===- ElementSides.h - Tile operands, one element at a time --------------===//
//
// What the bodies of element loops that replace ops on tiles read and write:
// windows with their pads, tensors with their ends.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_ELEMENT_SIDES_H
#define TILE_TRANSFORMS_ELEMENT_SIDES_H

#include "Dialect/Ops.h"

/// A tile operand at an element.
typedef struct {
  MlirValue memref, pad; // pad: null when it is 0
  MlirType element;
  bool is_global;
  int rank;
  MlirValue index[TILE_MAX_RANK];                     // of the memref
  int64_t offset[TILE_MAX_RANK], size[TILE_MAX_RANK]; // offset -1: not known
  MlirValue end[TILE_MAX_RANK]; // of the window, if it has one; or null
} ElementSide;

/// Ops of a kernel are replaced one after the other. Owner: the caller,
/// destroys the rewriter.
TileBuilder element_rewrite_begin(MlirOperation kernel);
/// What is built next goes before `op`, with its location; where the user has
/// planned the loop around it, the plan is dropped.
void element_rewrite_at(TileBuilder *b, MlirOperation op);

/// The statement of the kernel or role that `op` is, or is in.
MlirOperation element_statement_of(MlirOperation op);

/// A region of one block with so many indices; what is built next goes there.
MlirRegion element_region_begin(TileBuilder *b, int num_indices);

/// `at`: an index for every dimension of `tile`.
void element_side_build(TileBuilder *b, MlirValue tile, const MlirValue *at,
                        ElementSide *out);
MlirValue element_side_read(TileBuilder *b, const ElementSide *side);
/// Drops what is outside a tensor.
void element_side_write(TileBuilder *b, const ElementSide *side,
                        MlirValue value);

/// As tile.copy converts.
MlirValue element_convert(TileBuilder *b, MlirValue value, MlirType to);

#endif // TILE_TRANSFORMS_ELEMENT_SIDES_H
