//===- ArgumentNames.h - How callers know the arguments of functions ------===//
//
// The argument attribute `tile.name` is the name of a parameter in launch
// metadata. It survives what names of values do not: printing, bytecode, other
// tools. Where it is missing, the parser takes the name in the source.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_ARGUMENT_NAMES_H
#define TILE_DIALECT_ARGUMENT_NAMES_H

#include "Support/Diagnostic/DiagnosticList.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILE_NAME_ATTR "tile.name"
/// Written by tile-expand-types on arguments that were of another element type:
/// its name.
#define TILE_HOLDS_ATTR "tile.holds"

/// `tile.name` of argument number `arg` of a func.func; empty where there is
/// none. Borrowed from the attribute.
MLIR_CAPI_EXPORTED MlirStringRef tile_argument_name(MlirOperation function,
                                                    intptr_t arg);

/// The same of `tile.holds`.
MLIR_CAPI_EXPORTED MlirStringRef tile_argument_holds(MlirOperation function,
                                                     intptr_t arg);

/// Sets `tile.name` where it is missing, on the arguments of the functions in
/// `root` that launch kernels or call others: the name of the location, or `%A`
/// in the source. Names that nobody has chosen, such as `%0` and `%arg3`, are
/// none.
MLIR_CAPI_EXPORTED void tile_argument_names_fill(MlirOperation root,
                                                 const TileSource *source);

/// Adds tile-name-arguments as the next pass, with the text that will have been
/// parsed, which must live as long as the manager.
MLIR_CAPI_EXPORTED void tile_argument_names_add_pass(MlirPassManager manager,
                                                     const TileSource *source);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_ARGUMENT_NAMES_H
