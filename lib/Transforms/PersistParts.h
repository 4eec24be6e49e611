//===- PersistParts.h - Epilogues that are stored in parts ----------------===//
#ifndef TILE_TRANSFORMS_PERSIST_PARTS_H
#define TILE_TRANSFORMS_PERSIST_PARTS_H

#include "../Analysis/PersistPlan.h"

/// Cuts a staging tile into `num_parts` columns with two places.
void persist_parts_apply(MlirRewriterBase rewriter,
                         const TilePersistStaging *staging);

#endif // TILE_TRANSFORMS_PERSIST_PARTS_H
