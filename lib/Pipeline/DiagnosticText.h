//===- DiagnosticText.h - Diagnostics for people --------------------------===//
#ifndef TILE_LIB_PIPELINE_DIAGNOSTIC_TEXT_H
#define TILE_LIB_PIPELINE_DIAGNOSTIC_TEXT_H

#include "Support/StringBuilder.h"
#include "mlir-c/Diagnostics.h"
#include <stdbool.h>

/// The text that was parsed.
typedef struct {
  const char *text;
  size_t size_bytes;
} TileSource;

/// Appends "file:line:column", looking through names, fusions and calls.
/// Returns false, appending nothing, when no place in a file is known.
bool tile_location_print(MlirLocation location, TileString *out);

/// Appends the diagnostic with its notes, in the form that editors parse:
/// "file:line:column: error: message", the line and a caret. An error at an op
/// that the source does not have says that the compiler made it.
void tile_diagnostic_print(MlirDiagnostic diagnostic, const TileSource *source,
                           TileString *out);

#endif // TILE_LIB_PIPELINE_DIAGNOSTIC_TEXT_H
