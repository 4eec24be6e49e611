//===- CompileRun.h - One compilation in progress -------------------------===//
#ifndef TILE_LIB_PIPELINE_COMPILE_RUN_H
#define TILE_LIB_PIPELINE_COMPILE_RUN_H

#include "Pipeline/CompileUnits.h"
#include "Pipeline/DiagnosticText.h"
#include "Tile/Compile.h"
#include "Tile/Pipeline.h"

/// One compilation.
typedef struct {
  MlirContext context;
  const TileCompileOptions *options;
  const char *path;  // NULL: from memory
  char *file;        // owned contents of `path`
  TileSource source; // borrowed, or `file`
  MlirModule module; // null before parsing
  TileUnits units;
  int num_stages; // told to options->on_stage
  bool has_errors;
  double start_ms; // of the phase in progress
  TileText diagnostics, account;
  TileCompileResult *result;
} TileRun;

/// Adds an error that has no place in the program and returns failure.
MlirLogicalResult tile_run_fail(TileRun *run, bool is_internal,
                                const char *what, const char *detail);
/// Adds the time since the last phase under a static name.
void tile_run_end_phase(TileRun *run, const char *name);
/// Shows the module to options->on_stage. `pass`: with options, which are cut.
void tile_run_tell_module(TileRun *run, const char *pass);

/// Runs the passes of a phase on the module.
MlirLogicalResult tile_run_passes(TileRun *run, TilePhase phase);

#endif // TILE_LIB_PIPELINE_COMPILE_RUN_H
