//===- Progress.h - Tells a user how far a launch is ----------------------===//
#ifndef TILE_EMULATOR_PROGRESS_H
#define TILE_EMULATOR_PROGRESS_H

#include "Emulator/Machine.h"

/// Now and then: the cluster has executed more instructions.
void tile_emu_progress_step(TileCluster *cluster);
/// A cluster has ended.
void tile_emu_progress_end(TileCluster *cluster);
/// A cluster was cancelled before its launch.
void tile_emu_progress_skip(TileRun *run);

#endif // TILE_EMULATOR_PROGRESS_H
