//===- RunReport.h - What tile-run says about a run -----------------------===//
#ifndef TILE_TOOLS_RUN_REPORT_H
#define TILE_TOOLS_RUN_REPORT_H

#include "RunOptions.h"
#include "Support/OutputFiles.h"
#include "Tile/Emulator.h"

#include <time.h>

//===-- After the run -----------------------------------------------------===//

/// One run of one seed.
typedef struct {
  const RunOptions *options;
  const TileDevice *device;
  const char *program; // for messages
  uint64_t seed;
  TileOutputs *outputs; // of the files; the last seed's are kept
} RunReport;

//===-- A line on the terminal during long runs ---------------------------===//

typedef struct {
  struct timespec start, last;
  bool is_shown;
} RunProgress;

#endif // TILE_TOOLS_RUN_REPORT_H
