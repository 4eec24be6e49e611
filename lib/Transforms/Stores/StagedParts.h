//===- StagedParts.h - Epilogues that are stored in parts -----------------===//
#ifndef TILE_TRANSFORMS_STAGED_PARTS_H
#define TILE_TRANSFORMS_STAGED_PARTS_H

#include "StoreStaging.h"

/// Cuts a staging tile into `num_parts` parts of columns, `num_places` of which
/// have memory at a time. Whole tiles stay.
void staged_parts_apply(MlirRewriterBase rewriter, const TileStaging *staging);

#endif // TILE_TRANSFORMS_STAGED_PARTS_H
