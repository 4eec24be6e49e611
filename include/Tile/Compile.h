//===- Compile.h - The compiler as a library ------------------------------===//
//
// MLIR text in, PTX and launch metadata out. Used by tile-compile, the
// benchmark and other languages.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILE_H
#define TILE_COMPILE_H

#include "mlir-c/Support.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Loaded dialects and registered passes, for any number of compilations, one
/// at a time. Different compilers may be used by different threads.
typedef struct TileCompiler TileCompiler;

MLIR_CAPI_EXPORTED TileCompiler *tile_compiler_create(void);
MLIR_CAPI_EXPORTED void tile_compiler_destroy(TileCompiler *compiler);

//===-- Options -----------------------------------------------------------===//

/// What to make; later products need the work of earlier ones.
enum {
  TILE_EMIT_JSON = 1, // launch metadata
  TILE_EMIT_MLIR = 2, // the module after all passes
  TILE_EMIT_LLVM = 4, // LLVM IR after its passes
  TILE_EMIT_PTX = 8
};

/// Receives the program after a stage. `file_name` sorts by time, for example
/// "07-tile-insert-sync.mlir". Both texts are borrowed for the call.
typedef void (*TileStageVisitor)(const char *file_name, const char *text,
                                 size_t size_bytes, void *user_data);

typedef struct {
  const char *target;        // "sm_90a"; NULL: the module says
  unsigned emit;             // TILE_EMIT_*
  bool line_info;            // source lines in the PTX, for profilers
  bool hide_remarks;         // leave remarks out of the diagnostics
  TileStageVisitor on_stage; // NULL: none
  void *on_stage_data;
} TileCompileOptions;

/// JSON and PTX with line info, for the target of the module.
MLIR_CAPI_EXPORTED void
tile_compile_options_init(TileCompileOptions *out_options);

/// The chip of programs that name none.
MLIR_CAPI_EXPORTED const char *tile_compile_default_chip(void);
/// Whether `chip` can be compiled for.
MLIR_CAPI_EXPORTED bool tile_compile_knows_chip(const char *chip);
/// "sm_80, sm_86, …", cut at `capacity`.
MLIR_CAPI_EXPORTED void tile_compile_list_chips(char *out, size_t capacity);

//===-- Result ------------------------------------------------------------===//

/// One host function with its kernels, or one gpu.module that no host function
/// launches from. What was not asked for is NULL.
typedef struct {
  char *name;
  const char *chip; // static, "sm_90a"
  char *json;       // NULL for a gpu.module
  char *llvm;
  char *ptx;
} TileCompiledUnit;

typedef struct {
  const char *name; // static: a pass, "parse", "metadata", …
  double ms;
} TileCompileTime;

enum { TILE_COMPILE_MAX_TIMES = 48 };

typedef struct {
  TileCompiledUnit *units; // in the order of the source
  size_t num_units;
  char *mlir;          // NULL unless asked for
  char *diagnostics;   // errors, warnings and remarks with locations; maybe ""
  char *account;       // instruction of each op, shared memory of each kernel
  size_t num_warnings; // among the diagnostics
  bool is_internal_error; // a failure that is not the program's fault
  TileCompileTime times[TILE_COMPILE_MAX_TIMES];
  size_t num_times;
} TileCompileResult;

/// Compiles the file at `path`, or the `size_bytes` of `text` when `path` is
/// NULL (locations then say "-").
/// Errors: returns false; the result holds the diagnostics and no products.
/// Owner:  the caller, tile_compile_result_deinit in both cases.
MLIR_CAPI_EXPORTED bool tile_compile(TileCompiler *compiler, const char *path,
                                     const char *text, size_t size_bytes,
                                     const TileCompileOptions *options,
                                     TileCompileResult *out_result);
MLIR_CAPI_EXPORTED void tile_compile_result_deinit(TileCompileResult *result);

/// "0.1.0".
MLIR_CAPI_EXPORTED const char *tile_version(void);

/// For programs that end with their compilation: a fatal error inside LLVM
/// prints one line and exits with status 1 instead of aborting.
MLIR_CAPI_EXPORTED void tile_exit_on_fatal_error(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_COMPILE_H
