//===- DiagnosticFormat.c - Messages as lines for people ------------------===//

#include "DiagnosticFormat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *data;
  size_t capacity, length;
} Out;

static void put(Out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(Out *out, const char *format, ...) {
  va_list values;
  va_start(values, format);
  bool has_room = out->length < out->capacity;
  int length =
      vsnprintf(has_room ? out->data + out->length : NULL,
                has_room ? out->capacity - out->length : 0, format, values);
  va_end(values);
  if (length > 0)
    out->length += (size_t)length;
}

static const char *severity_name(TileSeverity severity) {
  switch (severity) {
  case TILE_SEVERITY_NOTE:
    return "note: ";
  case TILE_SEVERITY_REMARK:
    return "remark: ";
  case TILE_SEVERITY_WARNING:
    return "warning: ";
  case TILE_SEVERITY_ERROR:
  case TILE_SEVERITY_OUTPUT:
    break;
  }
  return "error: ";
}

static void put_source_line(Out *out, const TileDiagnostic *diagnostic) {
  const char *line = diagnostic->source_line;
  int column = diagnostic->column;
  if (!*line || column < 1 || (size_t)column > strlen(line) + 1)
    return;
  put(out, "%s\n", line);
  for (int i = 0; i < column - 1; i++) // tabs keep the caret in place
    put(out, "%s", line[i] == '\t' ? "\t" : " ");
  put(out, "^\n");
}

static void put_diagnostic(Out *out, const TileDiagnostic *diagnostic) {
  const char *text = diagnostic->text;
  if (diagnostic->severity == TILE_SEVERITY_OUTPUT) {
    put(out, "%s", text);
    return;
  }
  if (*diagnostic->file && diagnostic->line > 0)
    put(out, "%s:%d:%d: ", diagnostic->file, diagnostic->line,
        diagnostic->column);
  else if (*diagnostic->file)
    put(out, "%s: ", diagnostic->file);
  bool ends_line = *text && text[strlen(text) - 1] == '\n';
  put(out, "%s", severity_name(diagnostic->severity));
  if (strchr(diagnostic->code, '/')) // that of a remark, "tile-persist/…"
    put(out, "[%s] ", diagnostic->code);
  put(out, "%s%s", text, ends_line ? "" : "\n");
  put_source_line(out, diagnostic);
  for (size_t i = 0; i < diagnostic->num_notes; i++)
    put_diagnostic(out, diagnostic->notes[i]);
}

size_t tile_diagnostic_format(const TileDiagnostic *diagnostic, char *out,
                              size_t capacity) {
  Out state = {out, capacity, 0};
  if (capacity)
    *out = '\0';
  put_diagnostic(&state, diagnostic);
  return state.length;
}

void tile_diagnostic_print(const TileDiagnostic *diagnostic, void *user_data) {
  (void)user_data;
  char brief[1024];
  size_t length = tile_diagnostic_format(diagnostic, brief, sizeof brief);
  char *text = length < sizeof brief ? brief : malloc(length + 1);
  if (text && text != brief)
    tile_diagnostic_format(diagnostic, text, length + 1);
  fputs(text ? text : brief, stderr);
  if (text != brief)
    free(text);
}

void tile_diagnostic_send(TileDiagnosticFn on_diagnostic, void *user_data,
                          TileSeverity severity, const char *code,
                          const char *text) {
  TileDiagnostic diagnostic = {.severity = severity,
                               .code = code,
                               .file = "",
                               .text = text,
                               .source_line = ""};
  if (on_diagnostic)
    on_diagnostic(&diagnostic, user_data);
}

const char *tile_version(void) { return TILE_VERSION_STRING; }
