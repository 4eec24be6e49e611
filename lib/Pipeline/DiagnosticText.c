//===- DiagnosticText.c - Diagnostics for people --------------------------===//

#include "Pipeline/DiagnosticText.h"

#include "Support/Build.h"
#include "Support/MlirText.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

//===-- Ops that the compiler made ----------------------------------------===//

// Why there is an op that nobody wrote; the first entry whose name the op
// begins with.
static const struct {
  const char *name, *why;
} reasons[] = {
    {"tile.barrier_sync",
     "to order accesses to shared memory (tile-insert-sync)"},
    {"tile.barrier", "so that copies under way are waited for (roles or a "
                     "pipeline: tile.num_stages)"},
    {"tile.fence_proxy", "to order accesses by TMA and by threads "
                         "(tile-insert-sync)"},
    {"tile.tma_wait", "because it stores by TMA (tile-insert-sync)"},
    {"tile.cp_async", "because its copies run ahead of their use "
                      "(tile-inject-pipeline)"},
    {"tile.await", "because its products overlap with other work "
                   "(tile-async-products)"},
    {"tile.acquire",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.commit", "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.wait", "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.release",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.advance",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.channel",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.role", "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.specialize",
     "for roles (tile-ws-tiled); specialize = off does without"},
    {"tile.num_sms", "to loop over tiles (tile-persist); persist = false does "
                     "without"},
    {"tile.block_swizzle", "to loop over tiles (tile-persist); persist = false "
                           "does without"},
    {"tile.tensor_map", "because TMA moves the tensor"},
    {"tile.alloc", "because it passes shared memory on its way"},
    {"tile.copy", "because it passes shared memory on its way"},
    {"tile.parallel", "as a loop over its elements (tile-expand-elements)"},
    {"gpu.func", "when it took the kernel out of its host function"},
    {"gpu.launch_func", "when it took the kernel out of its host function"},
};

static const char *reason_of(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    size_t head = strlen(reasons[i].name);
    if (length >= head && memcmp(reasons[i].name, name, head) == 0)
      return reasons[i].why;
  }
  return "on the way to instructions";
}

static size_t word_length(const char *at, const char *end) {
  const char *start = at;
  while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.'))
    at++;
  return (size_t)(at - start);
}

// "scf.for", or "for" where the dialect is left out.
static bool is_same(const char *name, size_t length, const char *word,
                    size_t word_bytes) {
  const char *dot = memchr(name, '.', length);
  size_t head = dot ? (size_t)(dot + 1 - name) : 0;
  return (length == word_bytes && memcmp(name, word, length) == 0) ||
         (length - head == word_bytes &&
          memcmp(name + head, word, word_bytes) == 0);
}

// Appends a note for an error "'dialect.op' op …" at `source`, which ends at
// `end`: which statement the op was made of, and by which choice. Nothing when
// the op stands there, or the message names none.
static void note_made_op(const char *message, const char *source,
                         const char *end, TileString *out) {
  static const char tail[] = "' op ";
  const char *name = message + 1;
  const char *close = *message == '\'' ? strstr(name, tail) : NULL;
  if (!close || !memchr(name, '.', (size_t)(close - name)))
    return;
  size_t length = (size_t)(close - name);
  if (source < end && *source == '"') // the generic form
    source++;
  size_t word_bytes = word_length(source, end);
  if (length != word_length(name, close) || word_bytes == 0 ||
      is_same(name, length, source, word_bytes))
    return;
  tile_string_print(out, "the compiler made '%.*s' of this '%.*s', %s",
                    (int)length, name, (int)word_bytes, source,
                    reason_of(name, length));
}

//===-- Diagnostics -------------------------------------------------------===//

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
  note_made_op(message, at + column - 1, end, &note);
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
