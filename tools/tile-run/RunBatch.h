//===- RunBatch.h - The commands of --batch -------------------------------===//
#ifndef TILE_TOOLS_RUN_BATCH_H
#define TILE_TOOLS_RUN_BATCH_H

#include "Tile/Support/Status.h"

#include <stddef.h>

typedef struct {
  int argc;    // the name of the program included
  char **argv; // ends with NULL, as that of main
} RunCommand;

/// Owner: the caller, run_batch_deinit.
typedef struct {
  char *text;   // the file; its lines are the arguments
  char **words; // of all commands
  RunCommand *commands;
  size_t num_commands;
} RunBatch;

/// Reads a file with an argument per line and empty lines between commands.
/// `program`, the name that each command begins with, is borrowed. Errors:
/// USER_ERROR when the file cannot be read.
TileStatus run_batch_read(const char *path, char *program, RunBatch *out_batch);
void run_batch_deinit(RunBatch *batch);

#endif // TILE_TOOLS_RUN_BATCH_H
