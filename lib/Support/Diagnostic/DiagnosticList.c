//===- DiagnosticList.c - What a compilation has to say -------------------===//

#include "Support/Diagnostic/DiagnosticList.h"

#include "Support/Build.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_LOCATION_DEPTH = 64,
  MAX_LINE_BYTES = 400 // longer lines are not shown
};

//===-- Locations ---------------------------------------------------------===//

// `depth` bounds how far locations are nested.
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

MlirLocation tile_location_in_file(MlirLocation location) {
  return file_location(location, 0);
}

static MlirStringRef file_of(MlirLocation place) {
  return mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
}

bool tile_location_print(MlirLocation location, TileString *out) {
  MlirLocation place = tile_location_in_file(location);
  if (!place.ptr)
    return false;
  MlirStringRef file = file_of(place);
  tile_string_append(out, file.data, file.length);
  int line = mlirLocationFileLineColRangeGetStartLine(place);
  if (line > 0) // 0: the file as a whole
    tile_string_print(out, ":%d:%d", line,
                      mlirLocationFileLineColRangeGetStartColumn(place));
  return true;
}

//===-- The source --------------------------------------------------------===//

// The first byte of line `line`, from 1; the end when there are fewer.
static const char *find_line(const TileSource *source, int line) {
  const char *at = source->text, *end = at + source->size_bytes;
  for (int i = 1; i < line && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline ? newline + 1 : end;
  }
  return at;
}

// Whether a diagnostic is about the text that was parsed.
static bool is_of_source(const TileDiagnostic *item, const TileSource *source) {
  return source->text && item->line > 0 && source->name &&
         !strcmp(item->file, source->name);
}

// "" when there is no such line, or it is too long to be shown.
static const char *source_line_of(TileArena *arena, const TileDiagnostic *item,
                                  const TileSource *source) {
  if (!is_of_source(item, source))
    return "";
  const char *at = find_line(source, item->line);
  const char *end = source->text + source->size_bytes;
  if (at >= end)
    return "";
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  size_t length = (size_t)((newline ? newline : end) - at);
  if (length > MAX_LINE_BYTES || memchr(at, '\0', length))
    return "";
  return tile_arena_strdup(arena, at, length);
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

//===-- One diagnostic ----------------------------------------------------===//

static TileSeverity severity_of(MlirDiagnostic diagnostic) {
  switch (mlirDiagnosticGetSeverity(diagnostic)) {
  case MlirDiagnosticWarning:
    return TILE_SEVERITY_WARNING;
  case MlirDiagnosticNote:
    return TILE_SEVERITY_NOTE;
  case MlirDiagnosticRemark:
    return TILE_SEVERITY_REMARK;
  case MlirDiagnosticError:
    break;
  }
  return TILE_SEVERITY_ERROR;
}

// "[tile-persist/occupancy] is not …" is a code and a text.
static void split_code(TileArena *arena, TileDiagnostic *item) {
  const char *text = item->text, *end = strchr(text, ']');
  bool is_tagged = item->severity == TILE_SEVERITY_REMARK ||
                   item->severity == TILE_SEVERITY_WARNING;
  if (!is_tagged || *text != '[' || !end || end[1] != ' ' ||
      !memchr(text, '/', (size_t)(end - text)))
    return;
  item->code = tile_arena_strdup(arena, text + 1, (size_t)(end - text - 1));
  item->text = end + 2;
}

static void set_place(TileArena *arena, MlirLocation location,
                      TileDiagnostic *item) {
  MlirLocation place = tile_location_in_file(location);
  if (!place.ptr)
    return;
  MlirStringRef file = file_of(place);
  item->file = tile_arena_strdup(arena, file.data, file.length);
  item->line = mlirLocationFileLineColRangeGetStartLine(place);
  if (item->line > 0)
    item->column = mlirLocationFileLineColRangeGetStartColumn(place);
}

// All but its notes.
static TileDiagnostic *make_item(TileArena *arena, MlirDiagnostic diagnostic,
                                 const TileSource *source, const char *code) {
  TileDiagnostic *item = TILE_ARENA_NEW(arena, TileDiagnostic, 1);
  TileString text = {NULL, 0, 0};
  mlirDiagnosticPrint(diagnostic, tile_string_callback, &text);
  MlirLocation location = mlirDiagnosticGetLocation(diagnostic);
  *item = (TileDiagnostic){
      .severity = severity_of(diagnostic),
      .code = code,
      .file = "",
      .text =
          tile_arena_strdup(arena, text.data ? text.data : "", text.size_bytes),
      .source_line = "",
      .is_internal = tile_location_is_internal_error(location)};
  tile_string_deinit(&text);
  set_place(arena, location, item);
  split_code(arena, item);
  item->source_line = source_line_of(arena, item, source);
  return item;
}

// An op that does not stand at its place in the source is none that the user
// wrote. NULL: it does, or it is not known.
static TileDiagnostic *make_origin(TileArena *arena, const TileDiagnostic *item,
                                   const TileSource *source) {
  if (item->severity != TILE_SEVERITY_ERROR || !is_of_source(item, source))
    return NULL;
  const char *end = source->text + source->size_bytes;
  const char *at = find_line(source, item->line);
  if (item->column < 1 || end - at < item->column)
    return NULL;
  TileString note = {NULL, 0, 0};
  TileDiagnostic *made = NULL;
  note_made_op(item->text, at + item->column - 1, end, &note);
  if (note.size_bytes) {
    made = TILE_ARENA_NEW(arena, TileDiagnostic, 1);
    *made = (TileDiagnostic){
        .severity = TILE_SEVERITY_NOTE,
        .code = "",
        .file = item->file,
        .line = item->line,
        .column = item->column,
        .text = tile_arena_strdup(arena, note.data, note.size_bytes),
        .source_line = ""};
  }
  tile_string_deinit(&note);
  return made;
}

// MLIR adds the whole op to every error; the line of source says it better.
static bool is_op_dump(const char *message) {
  static const char head[] = "see current operation:";
  return strncmp(message, head, sizeof head - 1) == 0;
}

static void add_notes(TileArena *arena, MlirDiagnostic diagnostic,
                      const TileSource *source, TileDiagnostic *item) {
  intptr_t count = mlirDiagnosticGetNumNotes(diagnostic);
  const TileDiagnostic **notes =
      TILE_ARENA_NEW(arena, const TileDiagnostic *, count + 1);
  size_t n = 0;
  TileDiagnostic *origin = make_origin(arena, item, source);
  if (origin)
    notes[n++] = origin;
  for (intptr_t i = 0; i < count; i++) {
    TileDiagnostic *note =
        make_item(arena, mlirDiagnosticGetNote(diagnostic, i), source, "");
    if (!is_op_dump(note->text))
      notes[n++] = note;
  }
  item->notes = notes;
  item->num_notes = n;
}

//===-- The list ----------------------------------------------------------===//

static bool is_same_place(const TileDiagnostic *a, const TileDiagnostic *b) {
  return a->severity == b->severity && a->line == b->line &&
         a->column == b->column && !strcmp(a->file, b->file) &&
         !strcmp(a->code, b->code);
}

static bool is_equal(const TileDiagnostic *a, const TileDiagnostic *b) {
  if (!is_same_place(a, b) || strcmp(a->text, b->text) != 0 ||
      a->num_notes != b->num_notes)
    return false;
  for (size_t i = 0; i < a->num_notes; i++)
    if (!is_equal(a->notes[i], b->notes[i]))
      return false;
  return true;
}

// What every variant of a kernel runs into is said once: remarks of one code
// for a place, whatever the variants differ in, and equal texts.
static bool is_repeated(const TileDiagnosticList *list,
                        const TileDiagnostic *item) {
  bool is_by_code = item->severity == TILE_SEVERITY_REMARK && *item->file &&
                    strchr(item->code, '/');
  for (size_t i = 0; i < list->count; i++) {
    const TileDiagnostic *other = list->items[i];
    if (is_by_code ? is_same_place(item, other) : is_equal(item, other))
      return true;
  }
  return false;
}

static void append(TileDiagnosticList *list, const TileDiagnostic *item) {
  TILE_ARENA_RESERVE(&list->arena, list->items, list->count, list->capacity);
  list->items[list->count++] = item;
}

bool tile_diagnostic_list_add(TileDiagnosticList *list,
                              MlirDiagnostic diagnostic,
                              const TileSource *source, const char *found_by,
                              bool is_internal) {
  TileArena *arena = &list->arena;
  TileDiagnostic *item = make_item(arena, diagnostic, source, found_by);
  item->is_internal |= is_internal && item->severity == TILE_SEVERITY_ERROR;
  add_notes(arena, diagnostic, source, item);
  if (is_op_dump(item->text) || is_repeated(list, item))
    return false;
  append(list, item);
  return true;
}

void tile_diagnostic_list_add_text(TileDiagnosticList *list,
                                   TileSeverity severity, const char *code,
                                   bool is_internal, const char *text) {
  TileDiagnostic *item = TILE_ARENA_NEW(&list->arena, TileDiagnostic, 1);
  *item = (TileDiagnostic){
      .severity = severity,
      .code = code,
      .file = "",
      .text = tile_arena_strdup(&list->arena, text, strlen(text)),
      .source_line = "",
      .is_internal = is_internal};
  append(list, item);
}
