//===- AccumulatorClear.h - Products that overwrite zeros -----------------===//
#ifndef TILE_TRANSFORMS_ACCUMULATOR_CLEAR_H
#define TILE_TRANSFORMS_ACCUMULATOR_CLEAR_H

#include "Dialect/Products.h"
#include "Support/Arena.h"

/// The fill with zeros of all of `accumulator` that stands in front of `op` in
/// its block, when nothing touches the accumulator in between; else null.
MlirOperation accumulator_fill_find(MlirOperation op, MlirValue accumulator);

/// Makes the first wgmma product behind such a fill overwrite its accumulator,
/// which then is not filled: registers are not set to zero to be added to. In a
/// loop the product overwrites in the first iteration; where there may be none,
/// the fill stands behind the loop, for that case.
void accumulator_clear_apply(TileArena *arena, MlirOperation kernel);

#endif // TILE_TRANSFORMS_ACCUMULATOR_CLEAR_H
