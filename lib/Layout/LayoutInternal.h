//===- LayoutInternal.h - Helpers shared by the files of the algebra ------===//
#ifndef TILE_ANALYSIS_LAYOUTINTERNAL_H
#define TILE_ANALYSIS_LAYOUTINTERNAL_H

#include "LayoutAccess.h"

/// Empties a builder; its axes and entries are added by the caller.
void tile_layout_clear_builder(TileLayoutBuilder *b);
/// Appends a named axis; extent 0 is computed when the layout is finished.
void tile_layout_add_axis(TileLayoutSpace *s, const char *name, int64_t extent);
/// The axes of |from| without its digits.
void tile_layout_copy_axes(TileLayoutSpace *to, const TileLayoutSpace *from);
/// Smallest prime factor of n >= 2; 1 for 1.
int tile_layout_smallest_prime(int64_t n);
/// Appends an entry without terms. Too many entries set |b->overflow|.
TileLayoutEntry *tile_layout_new_entry(TileLayoutBuilder *b, int axis,
                                       int radix, int64_t stride);
/// Rank of |n| vectors over F2.
int tile_layout_rank(const uint64_t *v, int n);
/// Whether the digits of every axis, low first, never overlap.
bool tile_layout_nested(const TileLayoutSpace *s);
/// Moves a digit whose radix is |p| down to input position |k| of its axis.
bool tile_layout_bring_in(TileLayout *l, int k, int p);
/// Makes the output digit orders of |a| and |b| equal.
bool tile_layout_align_out(TileLayout *a, TileLayout *b);

/// Cuts input axis |axis| of a memory layout for the digits that |want| has on
/// it, which make more values.
bool tile_layout_widen(TileLayout *s, int axis, const TileLayoutSpace *want,
                       TileReason *e);
/// Whether the digits of |axis| make more values than its extent, but the top
/// one is needed.
bool tile_layout_overhangs_little(const TileLayoutSpace *s, int axis);

enum { TILE_LAYOUT_NUM_STAGINGS = 5 };
/// The i-th layout in which a conversion may pass shared memory; false when the
/// shape does not fit it.
bool tile_layout_staging(const int64_t *shape, int rank, int elem_bits, int i,
                         TileLayout *out);

#endif
