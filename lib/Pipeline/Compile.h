//===- Compile.h - One compilation ----------------------------------------===//
//
// A module in, PTX and launch metadata out. lib/Api makes Tile/Compiler.h and
// Tile/Mlir.h of it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_PIPELINE_COMPILE_H
#define TILE_LIB_PIPELINE_COMPILE_H

#include "Support/Diagnostic/DiagnosticList.h"
#include "Target/Limits.h"
#include "Tile/Compiler.h"
#include "Tile/Mlir.h"
#include "mlir-c/IR.h"

//===-- Options -----------------------------------------------------------===//

/// A pass of the program after one of ours.
typedef struct {
  char *after;  // owned; NULL: before all
  char *anchor; // owned; NULL: builtin.module
  char *text;   // owned; a textual pipeline; NULL: `make`
  TilePassMaker make;
  void *user_data;
} TileExtraPass;

typedef struct {
  const char *target;    // "sm_90a"; NULL: the module says
  unsigned products;     // TILE_PRODUCT_*, without the cubin
  const char *schedules; // text of a module of scripts; NULL: none
  bool line_info;        // source lines in the PTX, for profilers
  bool verify_each;      // IR after each of our passes, not once per phase
  bool hide_remarks;     // leave remarks out of the diagnostics
  TileStageFn on_stage;  // NULL: none
  void *on_stage_data;
  bool stage_locations;     // stages in MLIR have locations
  const unsigned *variants; // those of each launch, from 1
  size_t num_variants;      // 0: all
  int num_threads;          // from 1; changes no product
  TileLimits *limits;
  const TileExtraPass *passes;
  size_t num_passes;
} TileCompileOptions;

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

enum { TILE_COMPILE_MAX_TIMES = 64 };

typedef struct {
  TileCompiledUnit *units; // in the order of the source
  size_t num_units;
  char *mlir;    // NULL unless asked for
  char *account; // instruction of each op, shared memory of each kernel
  TileDiagnosticList diagnostics;
  size_t num_warnings; // among them
  TileCompileTime times[TILE_COMPILE_MAX_TIMES];
  size_t num_times;
  MlirDiagnosticHandlerID handler; // attached while the compilation runs
} TileCompileResult;

/// What is compiled: a text or bytecode, or a module, which stays as it is.
typedef struct {
  MlirContext context;
  MlirModule module; // null: `source`
  TileSource source;
} TileCompileInput;

/// Loads what compilations need into a new context.
MlirContext tile_compile_context_create(void);
/// The same into a context of the program.
void tile_compile_context_prepare(MlirContext context);

/// Errors: returns false; the result holds the diagnostics and no products.
/// Owner:  the caller, tile_compile_result_deinit in both cases.
bool tile_compile_run(const TileCompileInput *input,
                      const TileCompileOptions *options,
                      TileCompileResult *out_result);
void tile_compile_result_deinit(TileCompileResult *result);

#endif // TILE_LIB_PIPELINE_COMPILE_H
