//===- Boxes.h - Where a tile operand lies; whether two boxes meet --------===//
//
// A box says what an operand names of a buffer: in each dimension so many
// elements from an offset on. Offsets are constants or values; how far two of
// them are apart is for the caller to say (Analysis/Index/Index.h does, for any
// two), and what follows for the boxes is said here, once.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_BOXES_H
#define TILE_DIALECT_BOXES_H

#include "Ops.h"
#include "Support/Int.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Windows -----------------------------------------------------------===//

/// Offset of a window in dimension `dim` of its source.
TileInt tile_region_offset(TileRegionOp region, int dim);
/// Where the window ends in dimension `dim` by itself; null: with its buffer.
MlirValue tile_region_end(TileRegionOp region, int dim);
/// Dimension of the result, or -1 when `dim` is dropped.
int tile_region_result_dim(TileRegionOp region, int dim);

//===-- Boxes -------------------------------------------------------------===//

typedef struct {
  MlirValue root, base; // as of TileBuffer; offsets count in `base`
  TileRegionOp region;  // the window; null: all of `base`
  int rank;             // of `base`
  TileInt offset[TILE_MAX_RANK];
  int64_t size[TILE_MAX_RANK]; // elements; -1: of a tensor, not known
  int dim[TILE_MAX_RANK];      // of the operand; -1: dropped
  int base_dim[TILE_MAX_RANK]; // of the base, per dimension of the operand
  bool on_grid;                // somebody says: offsets are multiples of sizes
  bool is_partial; // the operand names some of the box, as of an image
} TileBox;

/// False for what is no tile, and for regions that the verifier rejects.
MLIR_CAPI_EXPORTED bool tile_box_of(MlirValue tile, TileBox *out);
/// The same in coordinates of the root. False as well for a window of a view,
/// whose elements have other indices; a whole view is all of its root.
bool tile_box_in_root(MlirValue tile, TileBox *out);
/// The least box of the root with constant offsets that holds what an operand
/// names: all of a dimension where its offset is not constant, and all of the
/// root for a window of a view. `is_partial` says that it may name less. False
/// for what is no tile.
MLIR_CAPI_EXPORTED bool tile_box_around(MlirValue tile, TileBox *out);
bool tile_box_is_constant(const TileBox *box);
/// From `begin` to before `end`.
static inline void tile_box_set_range(TileBox *box, int dim, int64_t begin,
                                      int64_t end) {
  box->offset[dim] = tile_int_constant(begin);
  box->size[dim] = end - begin;
}
/// Whether every element of `inner` is known to be one that `outer` names; the
/// offsets of both are constant, in one base.
MLIR_CAPI_EXPORTED bool tile_box_contains(const TileBox *outer,
                                          const TileBox *inner);

//===-- Overlap -----------------------------------------------------------===//

/// What is known of two boxes of one base, from less to more in common.
typedef enum {
  TILE_OVERLAP_NONE,  // no element in common
  TILE_OVERLAP_MAYBE, // not known
  TILE_OVERLAP_SOME,  // an element in common
  TILE_OVERLAP_SAME   // all elements
} TileOverlap;

/// How far an offset lies after another one: `constant`, up to a multiple of
/// `modulus`; 0: exactly; 1: not known.
typedef struct {
  int64_t constant, modulus;
} TileDistance;

/// Of `now_size` elements that begin `distance` after others, of which there
/// are `then_size`.
MLIR_CAPI_EXPORTED TileOverlap tile_ranges_overlap(TileDistance distance,
                                                   int64_t now_size,
                                                   int64_t then_size);
/// Of two boxes of which a dimension overlaps as `dim`, and the ones before as
/// `before`; TILE_OVERLAP_SAME before the first.
static inline TileOverlap tile_overlap_and(TileOverlap before,
                                           TileOverlap dim) {
  return dim < before ? dim : before;
}
/// Of two boxes whose offsets are compared where both are constants or one
/// value, which is the same number for both.
MLIR_CAPI_EXPORTED TileOverlap tile_boxes_overlap_as_named(const TileBox *now,
                                                           const TileBox *then);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_BOXES_H
