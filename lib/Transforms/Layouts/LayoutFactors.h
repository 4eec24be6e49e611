//===- LayoutFactors.h - Fragments that products read in another layout ---===//
#ifndef TILE_TRANSFORMS_LAYOUT_FACTORS_H
#define TILE_TRANSFORMS_LAYOUT_FACTORS_H

#include "LayoutProblem.h"

/// A factor of a product that lies in registers in another layout than the
/// instruction reads.
typedef struct {
  MlirOperation product;
  int factor; // 0: A, 1: B
  const char *layout;
} TileLayoutFactor;

/// Finds them in a solved problem. Owner: `arena`. Returns their number.
int tile_layout_factors_find(TileArena *arena, const TileLayoutProblem *problem,
                             const TileInferModel *model,
                             const TileInferResult *result,
                             TileLayoutFactor **out_factors);

/// Puts a fragment of the layout and a `tile.copy` to it in front of the
/// product, which then reads the copy.
void tile_layout_factor_apply(const TileLayoutFactor *factor);

#endif // TILE_TRANSFORMS_LAYOUT_FACTORS_H
