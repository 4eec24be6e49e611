//===- LayoutTensorMaps.h - Tensor maps of copies by TMA ------------------===//
#ifndef TILE_TRANSFORMS_LAYOUT_TENSOR_MAPS_H
#define TILE_TRANSFORMS_LAYOUT_TENSOR_MAPS_H

#include "Dialect/Ops.h"
#include "Layout/LayoutAccess.h"

/// Whether the map that the user gave to `op`, if it is made in sight, serves
/// copies of `window`, a `tile.region` or a `tile.im2col`, by the boxes `tma`.
/// Errors: reported at `op`, with what the map must be.
MlirLogicalResult tile_tensor_map_check(MlirOperation op, MlirValue map,
                                        MlirValue window,
                                        const TileLayoutTma *tma);

/// The map that serves copies of `window`, a `tile.region` or a `tile.im2col`,
/// by the boxes `tma`. Equal maps are one: the ops before `launch` are
/// searched before one is made there.
MlirValue tile_tensor_map_find_or_build(TileBuilder *b, MlirOperation launch,
                                        MlirValue window,
                                        const TileLayoutTma *tma);

#endif // TILE_TRANSFORMS_LAYOUT_TENSOR_MAPS_H
