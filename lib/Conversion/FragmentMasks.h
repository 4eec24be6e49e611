//===- FragmentMasks.h - Which registers of a fragment hold elements ------===//
//
// A fragment may have more values than its tile has elements (Layout.h,
// Overhang). What reads or writes memory, or has any other effect, asks here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_FRAGMENT_MASKS_H
#define TILE_CONVERSION_FRAGMENT_MASKS_H

#include "Conversion.h"

enum { TILE_ALL_DIMS = -1 };

/// Conjoins to `inout_predicate` (i1; null: true) that the coordinates of
/// register `reg` of the layout of `code`, in the dimensions of the mask
/// `dims`, are those of an element. Where they are in every thread, nothing is
/// emitted. False: in no thread; the predicate is left alone.
bool tile_fragment_mask_build(TileIntMath *math, const TileLayoutCode *code,
                              int dims, int64_t reg,
                              MlirValue *inout_predicate);

/// Whether a register before `reg` holds the same element, in every thread.
bool tile_fragment_repeats(const TileLayout *layout, int64_t reg);

/// Neighbours in dimension `dim` that exist together: the largest power of two,
/// at most `run`, that divides its extent where the fragment overhangs it.
int64_t tile_fragment_run(const TileLayout *layout, int dim, int64_t run);

/// The registers of the vector of `count` neighbours that holds register `reg`,
/// in the order of memory: the same in every thread. `access` is memory of
/// `layout`; registers that `is_outside` marks (NULL: none) take no part, nor
/// does what is behind the end of the tile: its offsets are those of others.
void tile_fragment_vector(const TileLayout *layout, const TileLayout *access,
                          const uint8_t *is_outside, int64_t reg, int64_t count,
                          int64_t *out_regs);

#endif // TILE_CONVERSION_FRAGMENT_MASKS_H
