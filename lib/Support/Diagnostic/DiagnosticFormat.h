//===- DiagnosticFormat.h - Messages without a place ----------------------===//
#ifndef TILE_SUPPORT_DIAGNOSTIC_FORMAT_H
#define TILE_SUPPORT_DIAGNOSTIC_FORMAT_H

#include "Tile/Diagnostic.h"

/// Tells a program something that has no place in a source; nothing when
/// `on_diagnostic` is NULL.
void tile_diagnostic_send(TileDiagnosticFn on_diagnostic, void *user_data,
                          TileSeverity severity, const char *code,
                          const char *text);

#endif // TILE_SUPPORT_DIAGNOSTIC_FORMAT_H
