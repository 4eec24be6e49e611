//===- Pipeline.h - The compiler: all passes in order ---------------------===//
#ifndef TILE_PIPELINE_H
#define TILE_PIPELINE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers every tile pass and `--tile-compile-pipeline` with MLIR's global
/// registry. Safe to call more than once.
MLIR_CAPI_EXPORTED void tile_register_all(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_PIPELINE_H
