//===- RunReport.h - What tile-run says about a run -----------------------===//
#ifndef TILE_TOOLS_RUN_REPORT_H
#define TILE_TOOLS_RUN_REPORT_H

#include "RunOptions.h"
#include "Support/OutputFiles.h"

/// One run of one seed.
typedef struct {
  const RunOptions *options;
  const TileDevice *device;
  const char *program; // for messages
  uint64_t seed;
  TileOutputs *outputs; // of the files; the last seed's are kept
} RunReport;

/// Prints why the run failed to stderr.
void run_report_failure(const RunReport *report, const TileStatus *status);
/// Prints statistics and writes the files that the options ask for.
/// Errors: USER_ERROR naming a file that cannot be written.
TileStatus run_report_write(const RunReport *report, const TileStatus *status);

#endif // TILE_TOOLS_RUN_REPORT_H
