//===- TileLayouts.h - Layout attributes as layouts of the algebra --------===//
#ifndef TILE_DIALECT_TILE_LAYOUTS_H
#define TILE_DIALECT_TILE_LAYOUTS_H

#include "Layout/Layout.h"
#include "Ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parses the layout of `alloc` for its shape and element type. False without
/// a layout, or with a bad one: then `out_error` says why.
bool tile_layout_of_alloc(TileAllocOp alloc, TileLayout *out_layout,
                          TileReason *out_error);

/// The same of `base` (TileBuffer), a `tile.alloc` or a view: that of the
/// storage, seen as the view does.
bool tile_layout_of_tile(MlirValue base, TileLayout *out_layout,
                         TileReason *out_error);

/// The layout given for, or found for, the index space of an element loop.
bool tile_layout_of_loop(TileParallelOp loop, TileLayout *out_layout,
                         TileReason *out_error);

/// Elements of the storage behind `base`: the span of a shared layout, the
/// registers per thread of a fragment. False without a (good) layout.
bool tile_layout_storage_elems(MlirValue base, int64_t *out_num_elems);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_TILE_LAYOUTS_H
