//===- LateRelease.h - Loops that release a slot one iteration later ------===//
#ifndef TILE_TRANSFORMS_LATE_RELEASE_H
#define TILE_TRANSFORMS_LATE_RELEASE_H

#include "ProductFlow.h"
#include "Tile/Ops/scf.h"

/// Rewrites the loops of the roles of `kernel` that only wait, multiply and
/// release. Returns the releases inside the new loops. Owner: `arena`.
void late_release_apply(TileArena *arena, MlirOperation kernel,
                        TileLateRelease **out_releases, int *out_count);

#endif // TILE_TRANSFORMS_LATE_RELEASE_H
