//===- Cost.h - What a kernel costs on a chip -----------------------------===//
//
// The one model of cost. All that chooses asks it: sizes of the kernels of
// graphs, persistence and the order of tiles, warpgroups in turn, registers of
// roles, and tile-tune. It decides what pays, never what is right. Plain
// numbers, no IR: what a kernel does comes as a TileCostWork, what a chip can
// comes from the target table, and what neither says was fitted to measured
// times (docs/Rationale/Cost.md).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_COST_H
#define TILE_ANALYSIS_COST_H

#include "Target/Target.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===-- Registers ---------------------------------------------------------===//

enum {
  /// Registers of a thread for addresses, masks and operands beside fragments.
  TILE_COST_SCALARS = 64,
  /// Those that a loop which only multiplies and stores does with.
  TILE_COST_LEAST_SCALARS = 40,
  /// The most that a role is given (setmaxnreg; a thread addresses 255).
  TILE_COST_MOST_REGISTERS = 240
};

/// What a block takes of a multiprocessor.
typedef struct {
  int64_t num_threads;
  int64_t smem_bytes;
  int64_t num_fragment_bits; // of all threads
} TileCostBlock;

/// Blocks that run on a multiprocessor at once; at least 1.
int64_t tile_cost_blocks_per_sm(const TileTarget *target,
                                const TileCostBlock *block);

//===-- Products of one size after the other ------------------------------===//

/// A block of a product, and what it costs: a step of the depth takes as long
/// as its elements, by `percent` of the best rate; what comes before and after
/// the loop takes as long as so many steps, with elements after it or without.
typedef struct {
  int64_t m, n, num_threads, stages;
  int64_t percent, ends, ends_with_elements;
} TileCostShape;

/// The shapes that were timed, from the one that is tried first; NULL after the
/// last, which has the least registers. Without wgmma those of mma.sync.
const TileCostShape *tile_cost_shape_at(bool has_wgmma, size_t index);

/// The product that is to be cut into blocks.
typedef struct {
  int64_t rows, columns, depth;
  int64_t others; // products of rows and columns
  bool has_elements;
  bool lies_along_columns; // the right factor: its last dimension is a column
  // Of each element, of tensors that elements read a block of.
  int64_t shared_bits, register_bits;
} TileCostProblem;

enum { TILE_COST_DEPTH_BYTES = 128 }; // of a step of the depth

/// How a product is cut into blocks, which run in waves.
typedef struct {
  TileCostShape shape; // with as many slots as windows leave
  int64_t num_waves;
  double multiply_adds; // as long as so many of one multiprocessor
  TileCostShape next;   // that comes next; of 0 rows where there is none
  double next_part;     // as long as `shape`, times this
} TileCostCut;

/// The shape of least cost that has room.
TileCostCut tile_cost_cut(const TileTarget *target, bool has_wgmma,
                          const TileCostProblem *problem);

//===-- Persistence and the order of tiles --------------------------------===//

typedef enum {
  TILE_COST_PERSISTS,
  TILE_COST_FEW_TILES, // all blocks run at once
  TILE_COST_OCCUPANCY  // another block computes while one stores
} TileCostPersistence;

/// Whether blocks should stay and loop over tiles; `num_tiles` -1: not known.
TileCostPersistence tile_cost_persistence(const TileTarget *target,
                                          int64_t num_tiles,
                                          int64_t blocks_per_sm);

/// Rows of a panel of tiles, so that blocks that run at once read least; 0:
/// the order does not matter. Bytes that a block copies in a step and shares
/// with those of its column (`by_x`) and of its row (`by_y`).
int64_t tile_cost_panel(const TileTarget *target, int64_t blocks_per_sm,
                        int64_t by_x_bytes, int64_t by_y_bytes);

//===-- Blocks that share the depth ---------------------------------------===//

/// A product whose grid may leave multiprocessors idle. Of a block: its largest
/// sum is `m` by `n`.
typedef struct {
  int64_t num_blocks, num_rounds;
  int64_t m, n;
  int64_t stages, split_stages;      // slots, and those beside sums
  double multiply_adds, round_bytes; // of a round
  int64_t factor_bits;
  double sum_bytes;    // that pass from block to block
  double tensor_bytes; // of the factors; 0: not known
} TileCostSplit;

/// Cycles of the launch with clusters of `parts` blocks.
double tile_cost_split_cycles(const TileTarget *target,
                              const TileCostSplit *split, int64_t parts);

/// How many blocks should share the depth of each product; 1: it pays for none.
int64_t tile_cost_split(const TileTarget *target, const TileCostSplit *split);

//===-- Whole kernels -----------------------------------------------------===//

/// How blocks come to tiles, and warpgroups to blocks.
typedef enum {
  TILE_COST_BLOCKS,      // a block for each tile
  TILE_COST_COOPERATIVE, // persistent: all warpgroups compute one tile
  TILE_COST_TURNS        // persistent: two warpgroups take tiles in turn
} TileCostForm;

/// What a launch does, for one block of it unless said otherwise.
typedef struct {
  TileCostForm form;
  TileCostBlock block;
  int64_t num_blocks; // tiles
  int64_t m, n;       // of the largest product; 0: there is none
  int64_t num_rounds; // of the loops with products or copies
  int64_t stages;     // of these loops
  double multiply_adds, multiply_bits; // of products; width of a factor
  double loop_elements, end_elements;  // of element loops, times their ops
  double loop_bytes, end_bytes;        // copied from and to tensors
  double round_bytes;                  // copied at once, of one round
  double tensor_bytes;                 // of all tensors
  int64_t store_bytes;                 // of the tile that is stored
} TileCostWork;

/// Times in microseconds. What is longest bounds the kernel.
typedef struct {
  double us;
  double products_us, elements_us, cache_us, memory_us, ends_us;
  int64_t blocks_per_sm, num_waves;
  const char *bound; // "products", "elements", "cache", "memory", "ends"
} TileCost;

TileCost tile_cost_kernel(const TileTarget *target, const TileCostWork *work);

#ifdef __cplusplus
}
#endif

#endif // TILE_ANALYSIS_COST_H
