//===- CompileRun.h - One compilation in progress -------------------------===//
#ifndef TILE_LIB_PIPELINE_COMPILE_RUN_H
#define TILE_LIB_PIPELINE_COMPILE_RUN_H

#include "Pipeline/Choices.h"
#include "Pipeline/CompileUnits.h"
#include "Pipeline/DiagnosticText.h"
#include "Tile/Compile.h"
#include "Tile/Pipeline.h"

/// What there was in front of the first choice, to go back to.
typedef struct {
  size_t diagnostics_bytes, num_times, num_warnings;
  size_t remarks_end_bytes; // what is said of choices ends there
  int num_stages;
} TileRunMark;

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
  TileString diagnostics, account;
  TileString failure; // the first error since `mark`
  TileChoices choices;
  TileRunMark mark;
  TileCompileResult *result;
} TileCompileRun;

/// Adds an error that has no place in the program and returns failure.
MlirLogicalResult tile_run_fail(TileCompileRun *run, bool is_internal,
                                const char *what, const char *detail);
/// Adds the time since the last phase under a static name.
void tile_run_end_phase(TileCompileRun *run, const char *name);
/// Shows the module to options->on_stage. `pass`: with options, which are cut.
void tile_run_tell_module(TileCompileRun *run, const char *pass);

/// Runs the passes of a phase on the module: on the way keeps the module in
/// front of the first choice, or begins there when it has been kept.
MlirLogicalResult tile_run_passes(TileCompileRun *run, TilePhase phase);

#endif // TILE_LIB_PIPELINE_COMPILE_RUN_H
