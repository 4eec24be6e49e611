//===- Pipeline.h - The compiler: all passes in order ---------------------===//
#ifndef TILE_PIPELINE_H
#define TILE_PIPELINE_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The textual pipeline, relative to builtin.module: all passes but the one
/// that writes source lines for profilers. Owner: the caller, free.
MLIR_CAPI_EXPORTED char *tile_pipeline_print(const char *target);

/// Registers every tile pass, `--tile-compile-pipeline` and
/// `--tile-phase-pipeline` (passes on gpu.launch only) with MLIR's global
/// registry. Safe to call more than once.
MLIR_CAPI_EXPORTED void tile_register_all(void);

/// The same and the upstream passes of the pipeline, nothing else: a program
/// that registers all of upstream does not need it.
MLIR_CAPI_EXPORTED void tile_register_pipeline_passes(void);

/// The main function of an mlir-opt with every upstream dialect and pass and
/// the tile dialect. Returns the exit code.
MLIR_CAPI_EXPORTED int tile_opt_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // TILE_PIPELINE_H
