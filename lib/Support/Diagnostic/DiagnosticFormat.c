//===- DiagnosticFormat.c - Messages as lines for people ------------------===//

#include "DiagnosticFormat.h"

#include "Support/StringBuilder.h"

#include <stdio.h>
#include <string.h>

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

static void put_source_line(TileString *out, const TileDiagnostic *diagnostic) {
  const char *line = diagnostic->source_line;
  int column = diagnostic->column;
  if (!*line || column < 1 || (size_t)column > strlen(line) + 1)
    return;
  tile_string_print(out, "%s\n", line);
  for (int i = 0; i < column - 1; i++) // tabs keep the caret in place
    tile_string_print(out, "%s", line[i] == '\t' ? "\t" : " ");
  tile_string_print(out, "^\n");
}

static void put_diagnostic(TileString *out, const TileDiagnostic *diagnostic) {
  const char *text = diagnostic->text;
  if (diagnostic->severity == TILE_SEVERITY_OUTPUT) {
    tile_string_print(out, "%s", text);
    return;
  }
  if (*diagnostic->file && diagnostic->line > 0)
    tile_string_print(out, "%s:%d:%d: ", diagnostic->file, diagnostic->line,
                      diagnostic->column);
  else if (*diagnostic->file)
    tile_string_print(out, "%s: ", diagnostic->file);
  bool ends_line = *text && text[strlen(text) - 1] == '\n';
  tile_string_print(out, "%s", severity_name(diagnostic->severity));
  if (strchr(diagnostic->code, '/')) // that of a remark, "tile-persist/…"
    tile_string_print(out, "[%s] ", diagnostic->code);
  tile_string_print(out, "%s%s", text, ends_line ? "" : "\n");
  put_source_line(out, diagnostic);
  for (size_t i = 0; i < diagnostic->num_notes; i++)
    put_diagnostic(out, diagnostic->notes[i]);
}

size_t tile_diagnostic_format(const TileDiagnostic *diagnostic, char *out,
                              size_t capacity) {
  TileString text = {0};
  put_diagnostic(&text, diagnostic);
  size_t size_bytes = text.size_bytes;
  if (capacity)
    snprintf(out, capacity, "%s", tile_string_text(&text));
  tile_string_deinit(&text);
  return size_bytes;
}

void tile_diagnostic_print(const TileDiagnostic *diagnostic, void *user_data) {
  (void)user_data;
  TileString text = {0};
  put_diagnostic(&text, diagnostic);
  fputs(tile_string_text(&text), stderr);
  tile_string_deinit(&text);
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
