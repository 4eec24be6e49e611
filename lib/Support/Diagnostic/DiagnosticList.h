//===- DiagnosticList.h - What a compilation has to say -------------------===//
//
// Diagnostics of MLIR and of our own, kept until the end: what is said of a
// choice that is taken back is not said.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_DIAGNOSTIC_LIST_H
#define TILE_SUPPORT_DIAGNOSTIC_LIST_H

#include "Support/Arena.h"
#include "Support/StringBuilder.h"
#include "Tile/Diagnostic.h"
#include "mlir-c/Diagnostics.h"

#include <string.h>

/// The text that was parsed, and what locations call it.
typedef struct {
  const char *text; // NULL: unknown, or no text
  size_t size_bytes;
  const char *name;
} TileSource;

/// A zeroed list is empty and valid.
typedef struct {
  TileArena arena;
  const TileDiagnostic **items;
  size_t count, capacity;
} TileDiagnosticList;

static inline void tile_diagnostic_list_deinit(TileDiagnosticList *list) {
  tile_arena_deinit(&list->arena);
  *list = (TileDiagnosticList){.count = 0};
}

/// The closest place in a file, looking through names, fusions and calls; a
/// null location when none is known.
MlirLocation tile_location_in_file(MlirLocation location);

/// Appends "file:line:column", looking through names, fusions and calls.
/// Returns false, appending nothing, when no place in a file is known.
bool tile_location_print(MlirLocation location, TileString *out);

/// Adds a diagnostic with its notes. `found_by` is the code of one that has
/// none; `is_internal`: what found it had accepted the program before. An error
/// at an op that the source does not have says that the compiler made it. What
/// is there already, a remark of the same code and place or an equal text, is
/// not added again: false.
bool tile_diagnostic_list_add(TileDiagnosticList *list,
                              MlirDiagnostic diagnostic,
                              const TileSource *source, const char *found_by,
                              bool is_internal);

/// Adds what has no place in the program. `code` is static.
void tile_diagnostic_list_add_text(TileDiagnosticList *list,
                                   TileSeverity severity, const char *code,
                                   bool is_internal, const char *text);

/// Forgets the items from `first` up to `end`.
static inline void tile_diagnostic_list_cut(TileDiagnosticList *list,
                                            size_t first, size_t end) {
  if (end <= first)
    return;
  memmove(list->items + first, list->items + end,
          (list->count - end) * sizeof *list->items);
  list->count -= end - first;
}

#endif // TILE_SUPPORT_DIAGNOSTIC_LIST_H
