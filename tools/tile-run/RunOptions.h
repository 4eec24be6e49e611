//===- RunOptions.h - The command line of tile-run ------------------------===//
#ifndef TILE_TOOLS_RUN_OPTIONS_H
#define TILE_TOOLS_RUN_OPTIONS_H

#include "Launcher/Launcher.h"

enum { RUN_MAX_ARGS = 256, RUN_MAX_OUTPUTS = 64, RUN_MAX_LAUNCHES = 64 };

/// --save ARG=FILE, or --print ARG with a NULL path.
typedef struct {
  int arg;
  const char *path;
} RunOutput;

/// Borrows every text from argv.
typedef struct {
  bool wants_help, wants_version;
  const char *program; // FILE.json or FILE.ptx
  const char *args[RUN_MAX_ARGS];
  int num_args;
  RunOutput outputs[RUN_MAX_OUTPUTS];
  int num_outputs;

  uint64_t variants[RUN_MAX_LAUNCHES]; // of the first launches; 0: any
  int num_variants;

  TileDeviceOptions device;
  uint64_t num_seeds;
  bool has_emulator_option; // one that a GPU cannot honour was given
  bool stats, verbose;
  const char *report_path, *profile_path; // NULL: none

  bool has_launch_option; // one of the following, for raw PTX only
  const char *kernel;     // NULL: the only one
  uint32_t grid[3], block[3], cluster[3]; // block 0: not given
  uint32_t dynamic_smem_bytes;
} RunOptions;

/// Errors: USER_ERROR naming the option, what is expected and what it got.
TileStatus run_options_parse(int argc, char **argv, RunOptions *out_options);

void run_help_print(FILE *file);

#endif // TILE_TOOLS_RUN_OPTIONS_H
