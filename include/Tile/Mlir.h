//===- Mlir.h - Tile inside of a program that uses MLIR -------------------===//
//
// libtile on the program's libMLIR. The dialect, passes and pipelines, and the
// compiler of Tile/Compiler.h on modules of the program. C11 and C++17.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_MLIR_H
#define TILE_MLIR_H

#include "Tile/Compiler.h"
#include "Tile/Dialect/Dialect.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Passes ------------------------------------------------------------===//

/// Registers every tile pass, `--tile-compile-pipeline` and
/// `--tile-phase-pipeline` (passes on gpu.launch only) with MLIR's global
/// registry. Safe to call more than once, from one thread at a time.
MLIR_CAPI_EXPORTED void tile_register_all(void);

/// The same and the upstream passes of the pipeline, nothing else: a program
/// that registers all of upstream does not need it.
MLIR_CAPI_EXPORTED void tile_register_pipeline_passes(void);

/// The textual pipeline, relative to builtin.module: all passes but the one
/// that writes source lines for profilers. Owner: the caller, free.
MLIR_CAPI_EXPORTED char *tile_pipeline_print(const char *target);

/// The passes by number, such as "tile-insert-sync"; NULL after the last. These
/// are the places after which a program may put its own.
MLIR_CAPI_EXPORTED const char *tile_pipeline_pass_at(size_t index);

/// The main function of an mlir-opt with every upstream dialect and pass and
/// the tile dialect. Returns the exit code.
MLIR_CAPI_EXPORTED int tile_opt_main(int argc, char **argv);
/// The same of mlir-lsp-server, which editors talk to.
MLIR_CAPI_EXPORTED int tile_lsp_server_main(int argc, char **argv);
/// The same of mlir-reduce, which makes a failing program smaller.
MLIR_CAPI_EXPORTED int tile_reduce_main(int argc, char **argv);

//===-- The compiler ------------------------------------------------------===//

/// Loads the dialects and translations that compiling needs into a context of
/// the program, which may have others. Not while another thread uses it.
MLIR_CAPI_EXPORTED void tile_context_prepare(MlirContext context);

/// As tile_compile, of a module whose context was prepared. The module stays as
/// it is; its context is used by the call, which attaches a handler of
/// diagnostics for its time.
/// Errors: NULL, after at least one error.
/// Owner:  the caller, tile_program_destroy.
MLIR_CAPI_EXPORTED TileProgram *tile_compile_module(TileCompiler *compiler,
                                                    MlirModule module);

/// Makes a pass of the program. A compilation may ask for several.
typedef MlirPass (*TilePassMaker)(void *user_data);

/// Every compilation runs a pass that `make` makes after our pass `after`, one
/// of tile_pipeline_pass_at; NULL: before all. `anchor` names the op that the
/// pass runs on; NULL: builtin.module. Passes after the same one run in the
/// order of the calls. Texts are copied.
/// Errors: false; no such pass, through the compiler's diagnostics.
MLIR_CAPI_EXPORTED bool
tile_compiler_add_pass(TileCompiler *compiler, const char *after,
                       const char *anchor, TilePassMaker make, void *user_data);

/// The same of registered passes, as a textual pipeline relative to
/// builtin.module: "gpu.module(cse)". That it is one is seen by compiling.
MLIR_CAPI_EXPORTED bool tile_compiler_add_pipeline(TileCompiler *compiler,
                                                   const char *after,
                                                   const char *pipeline);

#ifdef __cplusplus
}
#endif

#endif // TILE_MLIR_H
