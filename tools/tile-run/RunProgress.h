//===- RunProgress.h - A line on the terminal during long runs ------------===//
#ifndef TILE_TOOLS_RUN_PROGRESS_H
#define TILE_TOOLS_RUN_PROGRESS_H

#include "Tile/Emulator.h"

#include <time.h>

typedef struct {
  struct timespec start, last;
  bool is_shown;
} RunProgress;

/// Makes the emulator report to `progress`, which outlives the device; nothing
/// when stderr is not a terminal.
void run_progress_begin(RunProgress *progress, TileEmuOptions *options);
/// Erases the line.
void run_progress_end(RunProgress *progress);

#endif // TILE_TOOLS_RUN_PROGRESS_H
