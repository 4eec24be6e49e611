//===- Repeat.h - Does a cluster that changes nothing go round in circles? ===//
#ifndef TILE_EMULATOR_REPEAT_H
#define TILE_EMULATOR_REPEAT_H

#include "Emulator/Machine.h"

typedef struct TileRepeat TileRepeat;

/// Remembers the state of every warp. Owner: the caller, tile_emu_repeat_end.
TileRepeat *tile_emu_repeat_begin(const TileCluster *cluster);
void tile_emu_repeat_end(TileRepeat *repeat);
/// `warp` has run. True when every warp has come back to its remembered state,
/// or waits, and nothing else has changed since.
bool tile_emu_repeat_step(TileRepeat *repeat, const TileCluster *cluster,
                          const TileWarp *warp);

#endif // TILE_EMULATOR_REPEAT_H
