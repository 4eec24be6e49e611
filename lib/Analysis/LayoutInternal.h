//===- LayoutInternal.h - Helpers shared by the files of the algebra ------===//
#ifndef TILE_ANALYSIS_LAYOUTINTERNAL_H
#define TILE_ANALYSIS_LAYOUTINTERNAL_H
#include "Tile/Layout.h"

void tile_layout_add_axis(TileLayoutSpace *s, const char *name, int64_t extent);
int tile_layout_smallest_prime(int64_t n);
TileLayoutEntry *tile_layout_new_entry(TileLayoutBuilder *b, int axis,
                                       int radix, int64_t stride);
int tile_layout_rank(const uint64_t *v, int n);    // rank over F2
bool tile_layout_nested(const TileLayoutSpace *s); // strides never overlap
bool tile_layout_swap_in(TileLayout *l, int i);    // see layout.c
bool tile_layout_swap_out(TileLayout *l, int j);
bool tile_layout_align_out(TileLayout *a,
                           TileLayout *b); // same digits of the tile

#endif
