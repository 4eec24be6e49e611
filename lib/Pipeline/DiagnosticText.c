//===- DiagnosticText.c - Diagnostics for people --------------------------===//

#include "Pipeline/DiagnosticText.h"

#include "Pipeline/MadeOps.h"
#include "Support/Build.h"
#include "Support/MlirText.h"
#include <stdlib.h>

enum {
  MAX_LOCATION_DEPTH = 64,
  MAX_LINE_BYTES = 400 // longer lines are not shown
};

//===-- Locations ---------------------------------------------------------===//

// The closest place in a file, or a null location.
static MlirLocation file_location(MlirLocation location, int depth) {
  if (depth > MAX_LOCATION_DEPTH)
    return (MlirLocation){NULL};
  if (mlirLocationIsAFileLineColRange(location))
    return location;
  if (mlirLocationIsAName(location))
    return file_location(mlirLocationNameGetChildLoc(location), depth + 1);
  if (mlirLocationIsACallSite(location))
    return file_location(mlirLocationCallSiteGetCallee(location), depth + 1);
  if (!mlirLocationIsAFused(location))
    return (MlirLocation){NULL};
  unsigned count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *parts = malloc((count + 1) * sizeof *parts);
  MlirLocation found = {NULL};
  if (parts)
    mlirLocationFusedGetLocations(location, parts);
  for (unsigned i = 0; parts && i < count && !found.ptr; i++)
    found = file_location(parts[i], depth + 1);
  free(parts);
  return found;
}

static void print_place(MlirLocation place, TileString *out) {
  MlirStringRef file =
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
  if (file.length == 1 && file.data[0] == '-')
    file = TILE_STR("<stdin>");
  tile_string_append(out, file.data, file.length);
  int line = mlirLocationFileLineColRangeGetStartLine(place);
  if (line > 0) // 0: the file as a whole
    tile_string_print(out, ":%d:%d", line,
                      mlirLocationFileLineColRangeGetStartColumn(place));
}

bool tile_location_print(MlirLocation location, TileString *out) {
  MlirLocation place = file_location(location, 0);
  if (!place.ptr)
    return false;
  print_place(place, out);
  return true;
}

//===-- The line and a caret ----------------------------------------------===//

// The first byte of line `line`, from 1; the end when there are fewer.
static const char *find_line(const TileSource *source, int line) {
  const char *at = source->text, *end = at + source->size_bytes;
  for (int i = 1; i < line && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline ? newline + 1 : end;
  }
  return at;
}

static void print_source_line(MlirLocation place, const TileSource *source,
                              TileString *out) {
  int line = mlirLocationFileLineColRangeGetStartLine(place);
  int column = mlirLocationFileLineColRangeGetStartColumn(place);
  const char *at = find_line(source, line);
  const char *end = source->text + source->size_bytes;
  if (at >= end || line < 1)
    return;
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  size_t length = (size_t)((newline ? newline : end) - at);
  if (length > MAX_LINE_BYTES || column < 1 || (size_t)column > length + 1)
    return;
  tile_string_append(out, at, length);
  tile_string_append(out, "\n", 1);
  for (int i = 0; i < column - 1; i++) // tabs keep the caret in place
    tile_string_append(out, at[i] == '\t' ? "\t" : " ", 1);
  tile_string_append(out, "^\n", 2);
}

//===-- Diagnostics -------------------------------------------------------===//

static const char *severity_name(MlirDiagnostic diagnostic) {
  switch (mlirDiagnosticGetSeverity(diagnostic)) {
  case MlirDiagnosticError:
    return "error";
  case MlirDiagnosticWarning:
    return "warning";
  case MlirDiagnosticNote:
    return "note";
  case MlirDiagnosticRemark:
    return "remark";
  }
  return "error";
}

static void print_one(MlirDiagnostic diagnostic, const char *message,
                      const TileSource *source, TileString *out) {
  MlirLocation place = file_location(mlirDiagnosticGetLocation(diagnostic), 0);
  if (place.ptr) {
    print_place(place, out);
    tile_string_print(out, ": ");
  }
  tile_string_print(out, "%s: %s\n", severity_name(diagnostic), message);
  if (place.ptr && source->text)
    print_source_line(place, source, out);
}

// An op that does not stand at its place in the source is none that the user
// wrote.
static void print_origin(MlirDiagnostic diagnostic, const char *message,
                         const TileSource *source, TileString *out) {
  MlirLocation place = file_location(mlirDiagnosticGetLocation(diagnostic), 0);
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError ||
      !place.ptr || !source->text)
    return;
  int line = mlirLocationFileLineColRangeGetStartLine(place);
  const char *end = source->text + source->size_bytes;
  const char *at = line > 0 ? find_line(source, line) : end;
  int column = mlirLocationFileLineColRangeGetStartColumn(place);
  if (column < 1 || end - at < column)
    return;
  TileString note = {NULL, 0, 0};
  tile_made_op_note(message, at + column - 1, end, &note);
  if (note.size_bytes) {
    print_place(place, out);
    tile_string_print(out, ": note: %s\n", note.data);
  }
  tile_string_deinit(&note);
}

// MLIR adds the whole op to every error; the line of source says it better.
static bool is_op_dump(const char *message) {
  static const char head[] = "see current operation:";
  return strncmp(message, head, sizeof head - 1) == 0;
}

void tile_diagnostic_print(MlirDiagnostic diagnostic, const TileSource *source,
                           TileString *out) {
  TileString text = {NULL, 0, 0};
  mlirDiagnosticPrint(diagnostic, tile_string_callback, &text);
  char *message = tile_string_take(&text);
  if (!is_op_dump(message)) {
    print_one(diagnostic, message, source, out);
    print_origin(diagnostic, message, source, out);
  }
  free(message);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); i++)
    tile_diagnostic_print(mlirDiagnosticGetNote(diagnostic, i), source, out);
}
