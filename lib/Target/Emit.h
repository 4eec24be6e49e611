//===- Emit.h - Lowered kernels to PTX, host functions to JSON ------------===//
#ifndef TILE_EMIT_H
#define TILE_EMIT_H

#include "Target.h"
#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

//===-- PTX ---------------------------------------------------------------===//

typedef struct {
  const TileTarget *target;
  bool keep_llvm;  // also return the LLVM IR that the PTX was made from
  int num_threads; // that compile modules at the same time, from 1
  // Asked between LLVM's passes, from any thread; NULL: never. True: there will
  // be no PTX.
  bool (*must_end)(void *user_data);
  void *must_end_data;
} TilePtxOptions;

typedef struct {
  char *ptx;  // owned
  char *llvm; // owned; NULL unless asked for
  double translate_ms, optimize_ms, codegen_ms;
  bool is_fatal;     // LLVM would have ended the program
  char reason[1000]; // for which it gave this reason
} TilePtx;

/// Translates `gpu.module`s that hold only llvm and nvvm ops into one PTX file.
/// Functions that are no kernels, and global variables with a value, become
/// private to their module; external ones of the same name, such as the dynamic
/// shared memory, become one.
/// Errors: reports at the first module, with the text that LLVM gave. Reports
///         nothing where LLVM would have ended the program (`is_fatal`), and
///         where the compilation must end.
/// Owner:  the caller, tile_ptx_deinit.
MLIR_CAPI_EXPORTED MlirLogicalResult
tile_ptx_emit(const MlirOperation *gpu_modules, size_t num_gpu_modules,
              const TilePtxOptions *options, TilePtx *out_ptx);
MLIR_CAPI_EXPORTED void tile_ptx_deinit(TilePtx *ptx);

//===-- Launch metadata ---------------------------------------------------===//

typedef struct {
  const char *chip;     // "sm_90a"
  const char *ptx_name; // file name of the PTX, relative to the JSON
} TileMetadataOptions;

/// True when `op` is a `func.func` that launches kernels.
MLIR_CAPI_EXPORTED bool tile_host_function_is(MlirOperation op);

/// Prints the launch metadata (docs/Metadata.md) of a host function whose
/// launches have been outlined and whose kernels have not been converted yet:
/// what a kernel writes is read from its tile ops.
/// Errors: at the op that has no place in the metadata.
/// Owner:  the caller frees `*out_json`.
MLIR_CAPI_EXPORTED MlirLogicalResult
tile_metadata_emit(MlirOperation host_function,
                   const TileMetadataOptions *options, char **out_json);

#ifdef __cplusplus
}
#endif

#endif // TILE_EMIT_H
