//===- LayoutReduce.h - Who combines what along a dimension of a fragment -===//
#ifndef TILE_LAYOUT_REDUCE_H
#define TILE_LAYOUT_REDUCE_H

#include "Layout.h"
#include "Support/Arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A digit of the number of a warp, and its weight in the number of the
/// partial result: sum of (warp / stride % radix) * weight.
typedef struct {
  int64_t stride, radix, weight;
} TileLayoutWarpDigit;

/// How the threads that hold a fragment combine its elements along one
/// dimension: first what a thread holds, then lanes, then groups of warps.
typedef struct {
  int64_t num_regs, num_results; // per thread
  int64_t *result;               // per register; -1: repeats an element
  int64_t *first;                // per result: its first register
  unsigned lane_mask;            // lanes with other elements are bits apart
  int num_warp_digits;
  TileLayoutWarpDigit warp_digit[TILE_LAYOUT_MAX_DIGITS];
  int64_t num_partials; // groups of warps with other elements; 1: none
} TileLayoutReduction;

/// Plans the combination along `dim` of fragment `src`. Every element is
/// combined once, however often it is held. Where the fragment overhangs, so
/// are the values past the end of a line: they must hold what changes
/// nothing.
///
/// Owner:  `arena`.
/// Errors: a lane or warp that moves `dim` and another dimension together,
///         elements that several threads of one combination hold.
bool tile_layout_plan_reduction(TileArena *arena, const TileLayout *src,
                                int dim, TileLayoutReduction *out,
                                TileReason *e);

/// Whether every thread that combines `src` along `dim` then holds all elements
/// of fragment `dst`, in registers that are the same in all threads.
bool tile_layout_reduction_stays(const TileLayout *src, int dim,
                                 const TileLayout *dst, int elem_bits);

/// A digit of registers or lanes that moves the scanned dimension alone.
typedef struct {
  int axis; // TILE_LAYOUT_REG or TILE_LAYOUT_LANE
  int radix;
  int64_t stride; // in its axis
} TileLayoutScanDigit;

/// How the threads of a warp scan a dimension of a fragment: digit by digit,
/// the ones that step it least first.
typedef struct {
  int num_digits;
  TileLayoutScanDigit digit[TILE_LAYOUT_MAX_DIGITS];
} TileLayoutScan;

/// Plans the scan of fragment `src` along `dim` without shared memory.
///
/// Errors: warps hold parts of a line, a digit moves several ones of the
///         fragment, or several move one.
bool tile_layout_plan_scan(const TileLayout *src, int dim, TileLayoutScan *out,
                           TileReason *e);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TILE_LAYOUT_REDUCE_H
