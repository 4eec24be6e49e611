//===- ProductPads.h - Products that are padded to an instruction ---------===//
#ifndef TILE_TRANSFORMS_PRODUCT_PADS_H
#define TILE_TRANSFORMS_PRODUCT_PADS_H

#include "Dialect/Products.h"
#include "Target/Target.h"

/// A product that is padded.
typedef struct {
  MlirOperation op;
  int64_t m, n, k;    // what a matrix instruction and all warps take
  int64_t size_bytes; // of shared tiles with pads
  MlirOperation home; // product_pads_place: around it C has pads
} ProductPads;

/// Whether a product of rank 2 is better off padded than as an element loop of
/// `num_threads` threads, with shared tiles of at most `max_bytes`; the extents
/// then.
bool product_pads_solve(const TileProduct *product, const TileTarget *target,
                        int64_t num_threads, int64_t max_bytes,
                        ProductPads *out);

/// Where C goes to its pads and comes back: around the largest loop in which
/// only these products use it. To be asked before anything is changed.
void product_pads_place(ProductPads *pads, int num_pads);

/// Sums that products of one kernel pad alike. In the arena of the run.
typedef struct ProductSums ProductSums;

/// Replaces the product, but for erasing it. `sums` is a list, null at first.
void product_pads_apply(TileArena *arena, TileBuilder *b,
                        const TileProduct *product, const ProductPads *pads,
                        ProductSums **sums);

#endif // TILE_TRANSFORMS_PRODUCT_PADS_H
