//===- RunReport.h - What tile-run says about a run -----------------------===//
#ifndef TILE_TOOLS_RUN_REPORT_H
#define TILE_TOOLS_RUN_REPORT_H

#include "RunOptions.h"
#include "Support/OutputFiles.h"
#include "Tile/Emulator.h"

#include <time.h>

/// Prints a tensor, its middle cut out when it is large.
/// `what`: "argument", or "result".
void run_tensor_print(FILE *file, const char *what, int number,
                      const TileTensor *tensor);

//===-- After the run -----------------------------------------------------===//

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

//===-- A line on the terminal during long runs ---------------------------===//

typedef struct {
  struct timespec start, last;
  bool is_shown;
} RunProgress;

/// Makes the emulator report to `progress`, which outlives the device; nothing
/// when stderr is not a terminal.
void run_progress_begin(RunProgress *progress, TileEmuOptions *options);
/// Erases the line.
void run_progress_end(RunProgress *progress);

#endif // TILE_TOOLS_RUN_REPORT_H
