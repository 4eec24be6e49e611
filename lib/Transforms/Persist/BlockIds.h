//===- BlockIds.h - What in a launch depends on numbers of blocks ---------===//
//
// A kernel asks for the number of its block by arguments of the launch, or by
// ops. Passes that give blocks other numbers replace both.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PERSIST_BLOCKIDS_H
#define TILE_TRANSFORMS_PERSIST_BLOCKIDS_H

#include "Support/Arena.h"
#include "Support/KeyTable.h"
#include "Tile/Ops/gpu.h"

/// Block ids, as bits.
enum { TILE_BY_X = 1, TILE_BY_Y = 2, TILE_BY_Z = 4 };

/// The ids that values depend on. Owner of the table: the arena.
typedef struct {
  TilePointerMap of_value;
} TileIdMasks;

/// The arguments of the launch. Ops follow in program order.
void tile_id_masks_begin(TileIdMasks *masks, TileArena *arena,
                         MlirOperation launch);
/// Notes what the results and the block arguments of `op` depend on, which it
/// returns. Values that a loop hands over count by what they begin with: this
/// decides what pays, never what is right.
int tile_id_masks_note(TileIdMasks *masks, MlirOperation op);
int tile_id_mask(const TileIdMasks *masks, MlirValue value);

/// Whether all that `op` may know of its block is what operands and these ops
/// say.
bool tile_op_asks_for_ids_in_sight(MlirOperation op);

/// Ops that ask for numbers of blocks, or for the grid, become the arguments of
/// the launch.
void tile_block_ids_use_arguments(MlirRewriterBase rewriter,
                                  MlirOperation launch);

#endif // TILE_TRANSFORMS_PERSIST_BLOCKIDS_H
