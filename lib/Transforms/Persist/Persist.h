//===- Persist.h - Whether the blocks of a launch loop over tiles ---------===//
//
// The plan of tile-persist (PersistPlan.c). A tile is what one block of the
// launch computes; the blocks of a persistent launch stay on their
// multiprocessors and compute several tiles one after the other. The launch is
// not changed here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PERSIST_H
#define TILE_TRANSFORMS_PERSIST_H

#include "Support/KeyTable.h"
#include "Tile/Ops/gpu.h"
#include "Transforms/Stores/Stores.h"

typedef enum {
  TILE_PERSIST_CHOSEN, // by the compiler
  TILE_PERSIST_REQUIRED,
  TILE_PERSIST_OFF
} TilePersistWish;

/// What the kernel says of itself: `persist` of its tile.kernel_config.
TilePersistWish tile_persist_wish(MlirOperation launch);

/// Why the launch stays as it is.
typedef struct {
  const char *code;      // "tile-persist/clusters"; NULL: no reason
  MlirOperation culprit; // the op to look at, or null
  bool is_illegal;       // else it would not pay
  int64_t figures[2];    // what the units of the text count
} TilePersistReason;

typedef struct {
  TileArena *arena;
  const TileTarget *target;
  GPULaunchOp launch;
  /// No loop whose copies a producer could make run ahead: nothing is said of
  /// such a launch unless it has to be persistent.
  bool is_candidate;
  bool is_persistent; // the grid is made from the multiprocessors already
  bool is_by_hand;    // blocks loop over tiles in steps of the grid
  TilePersistReason reason;
  int64_t num_tiles;     // -1: not a constant
  int64_t blocks_per_sm; // at least 1
  /// Rows of a panel of tiles (tile.block_swizzle); 0: tiles in the order of
  /// their numbers.
  int64_t panel;
  TileStaging *stagings;
  /// Two warpgroups are to take tiles in turn, each with staging tiles of its
  /// own.
  bool is_pingpong;
} TilePersistPlan;

/// Owner: `arena`.
void tile_persist_plan_build(TileArena *arena, MlirOperation launch,
                             const TileTarget *target,
                             TilePersistPlan *out_plan);

/// What a code means, and what helps; what the figures of the reason count, if
/// there are any.
typedef struct {
  const char *code, *reason, *help, *note, *units[2];
} TilePersistText;
/// The texts of `code`, which exists.
const TilePersistText *tile_persist_text(const char *code);

#endif // TILE_TRANSFORMS_PERSIST_H
