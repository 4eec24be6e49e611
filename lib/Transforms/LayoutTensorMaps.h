//===- LayoutTensorMaps.h - Tensor maps of copies by TMA ------------------===//
#ifndef TILE_TRANSFORMS_LAYOUT_TENSOR_MAPS_H
#define TILE_TRANSFORMS_LAYOUT_TENSOR_MAPS_H

#include "Tile/Dialect/Ops.h"
#include "Tile/LayoutAccess.h"

/// The map that serves copies of `window`, a `tile.region` or a `tile.im2col`,
/// by the boxes `tma`. Equal maps are one: the ops in front of `launch` are
/// searched before one is made there.
MlirValue tile_tensor_map_find_or_build(TileBuilder *b, MlirOperation launch,
                                        MlirValue window,
                                        const TileLayoutTma *tma);

#endif // TILE_TRANSFORMS_LAYOUT_TENSOR_MAPS_H
