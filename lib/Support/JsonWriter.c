//===- JsonWriter.c - JSON text, without a library ------------------------===//

#include "JsonWriter.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

//===-- Strings -----------------------------------------------------------===//

/// Bytes of the UTF-8 sequence that begins at `text`, 0 when it is not one.
/// Source: RFC 3629, section 4.
static size_t sequence_bytes(const unsigned char *text, size_t size_bytes) {
  unsigned char first = text[0];
  size_t count = first < 0x80                    ? 1
                 : first >= 0xC2 && first < 0xE0 ? 2
                 : first >= 0xE0 && first < 0xF0 ? 3
                 : first >= 0xF0 && first < 0xF5 ? 4
                                                 : 0;
  if (count > size_bytes)
    return 0;
  for (size_t i = 1; i < count; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  bool is_overlong =
      (first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90);
  bool is_beyond = (first == 0xED && text[1] >= 0xA0) || // surrogates
                   (first == 0xF4 && text[1] >= 0x90);
  return is_overlong || is_beyond ? 0 : count;
}

static void quote_char(TileString *out, const unsigned char *text,
                       size_t count) {
  if (count == 0)
    tile_string_print(out, "\\ufffd");
  else if (*text == '"' || *text == '\\')
    tile_string_print(out, "\\%c", *text);
  else if (*text == '\n')
    tile_string_print(out, "\\n");
  else if (*text < 0x20 || *text == 0x7f)
    tile_string_print(out, "\\u%04x", (unsigned)*text);
  else
    tile_string_append(out, (const char *)text, count);
}

void tile_json_quote(TileString *out, const char *text, size_t size_bytes) {
  const unsigned char *at = (const unsigned char *)text;
  tile_string_print(out, "\"");
  while (size_bytes) {
    size_t count = sequence_bytes(at, size_bytes);
    quote_char(out, at, count);
    size_t step = count ? count : 1;
    at += step;
    size_bytes -= step;
  }
  tile_string_print(out, "\"");
}

//===-- Layout ------------------------------------------------------------===//

static TileJsonLevel *innermost(TileJson *json) {
  return json->depth ? &json->levels[json->depth - 1] : NULL;
}

// Spaces before the line that the innermost level begins on.
static unsigned outer_indent(const TileJson *json) {
  return json->depth > 1 ? json->levels[json->depth - 2].indent : json->indent;
}

static void begin_line(TileJson *json, unsigned indent) {
  tile_string_print(json->out, "\n%*s", (int)indent, "");
}

// What stands before a value: comma, line break or space, key.
static void begin_value(TileJson *json, const char *key) {
  TileJsonLevel *level = innermost(json);
  bool is_dense = level ? level->layout == TILE_JSON_DENSE
                        : json->layout == TILE_JSON_DENSE;
  if (level) {
    if (level->has_items)
      tile_string_print(json->out, ",");
    if (level->layout == TILE_JSON_LINES || json->is_broken)
      begin_line(json, level->indent);
    else if (level->has_items && !is_dense)
      tile_string_print(json->out, " ");
    level->has_items = true;
  }
  json->is_broken = false;
  if (!key)
    return;
  tile_json_quote(json->out, key, strlen(key));
  tile_string_print(json->out, is_dense ? ":" : ": ");
}

void tile_json_break(TileJson *json) {
  TileJsonLevel *level = innermost(json);
  assert(level && level->layout == TILE_JSON_ROW && "only rows are broken");
  level->indent = outer_indent(json) + 2;
  json->is_broken = true;
}

void tile_json_open_as(TileJson *json, const char *key, char bracket,
                       TileJsonLayout layout) {
  begin_value(json, key);
  tile_string_print(json->out, "%c", bracket);
  assert(json->depth < TILE_JSON_MAX_DEPTH && "JSON is nested too deep");
  unsigned indent = json->depth ? innermost(json)->indent : json->indent;
  if (layout == TILE_JSON_LINES)
    indent += 2;
  json->levels[json->depth++] = (TileJsonLevel){layout, indent, false};
}

void tile_json_open(TileJson *json, const char *key, char bracket) {
  const TileJsonLevel *level = innermost(json);
  tile_json_open_as(json, key, bracket, level ? level->layout : json->layout);
}

void tile_json_close(TileJson *json, char bracket) {
  TileJsonLevel *level = innermost(json);
  assert(level && "nothing is open");
  if (level->has_items && level->layout == TILE_JSON_LINES)
    begin_line(json, outer_indent(json));
  tile_string_print(json->out, "%c", bracket);
  json->is_broken = false;
  json->depth--;
  if (json->depth == 0 && level->layout == TILE_JSON_LINES)
    tile_string_print(json->out, "\n");
}

//===-- Values ------------------------------------------------------------===//

void tile_json_print_text(TileJson *json, const char *key, const char *text) {
  begin_value(json, key);
  tile_string_append(json->out, text, strlen(text));
}

void tile_json_print_string_part(TileJson *json, const char *key,
                                 const char *text, size_t size_bytes) {
  begin_value(json, key);
  tile_json_quote(json->out, text, size_bytes);
}

void tile_json_print_string(TileJson *json, const char *key, const char *text) {
  if (text)
    tile_json_print_string_part(json, key, text, strlen(text));
  else
    tile_json_print_text(json, key, "null");
}

void tile_json_print_number(TileJson *json, const char *key, uint64_t number) {
  begin_value(json, key);
  tile_string_print(json->out, "%" PRIu64, number);
}

void tile_json_print_int(TileJson *json, const char *key, int64_t number) {
  begin_value(json, key);
  tile_string_print(json->out, "%" PRId64, number);
}

void tile_json_print_bool(TileJson *json, const char *key, bool is_true) {
  tile_json_print_text(json, key, is_true ? "true" : "false");
}
