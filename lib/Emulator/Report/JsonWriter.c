//===- JsonWriter.c - JSON text, without a library ------------------------===//

#include "JsonWriter.h"

#include <string.h>

/// Bytes of the UTF-8 sequence that begins at `text`, 0 when it is not one.
/// Source: RFC 3629, section 4.
static size_t sequence_bytes(const unsigned char *text, size_t length) {
  unsigned char first = text[0];
  size_t count = first < 0x80                    ? 1
                 : first >= 0xC2 && first < 0xE0 ? 2
                 : first >= 0xE0 && first < 0xF0 ? 3
                 : first >= 0xF0 && first < 0xF5 ? 4
                                                 : 0;
  if (count > length)
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

static void write_char(TileBuffer *buffer, const unsigned char *text,
                       size_t count) {
  if (count == 0)
    tile_emu_buffer_print(buffer, "\\ufffd");
  else if (*text == '"' || *text == '\\')
    tile_emu_buffer_print(buffer, "\\%c", *text);
  else if (*text == '\n')
    tile_emu_buffer_print(buffer, "\\n");
  else if (*text < 0x20 || *text == 0x7f)
    tile_emu_buffer_print(buffer, "\\u%04x", (unsigned)*text);
  else
    tile_emu_buffer_print(buffer, "%.*s", (int)count, (const char *)text);
}

static void write_text(TileBuffer *buffer, const char *text, size_t length) {
  const unsigned char *at = (const unsigned char *)text;
  tile_emu_buffer_print(buffer, "\"");
  while (length) {
    size_t count = sequence_bytes(at, length);
    write_char(buffer, at, count);
    size_t step = count ? count : 1;
    at += step;
    length -= step;
  }
  tile_emu_buffer_print(buffer, "\"");
}

static void begin_line(TileJson *json) {
  if (json->is_compact)
    return;
  tile_emu_buffer_print(json->buffer, "\n%*s", (int)(2 * json->depth), "");
}

static void begin_value(TileJson *json, const char *key) {
  if (json->has_items)
    tile_emu_buffer_print(json->buffer, ",");
  if (json->depth)
    begin_line(json);
  json->has_items = true;
  if (!key)
    return;
  write_text(json->buffer, key, strlen(key));
  tile_emu_buffer_print(json->buffer, json->is_compact ? ":" : ": ");
}

void tile_emu_json_open(TileJson *json, const char *key, char bracket) {
  begin_value(json, key);
  tile_emu_buffer_print(json->buffer, "%c", bracket);
  json->depth++;
  json->has_items = false;
}

void tile_emu_json_close(TileJson *json, char bracket) {
  json->depth--;
  if (json->has_items)
    begin_line(json);
  tile_emu_buffer_print(json->buffer, "%c", bracket);
  json->has_items = true;
  if (json->depth == 0)
    tile_emu_buffer_print(json->buffer, "\n");
}

void tile_emu_json_string_part(TileJson *json, const char *key,
                               const char *text, size_t length) {
  begin_value(json, key);
  write_text(json->buffer, text, length);
}

void tile_emu_json_string(TileJson *json, const char *key, const char *text) {
  if (text) {
    tile_emu_json_string_part(json, key, text, strlen(text));
    return;
  }
  begin_value(json, key);
  tile_emu_buffer_print(json->buffer, "null");
}

void tile_emu_json_number(TileJson *json, const char *key, uint64_t number) {
  begin_value(json, key);
  tile_emu_buffer_print(json->buffer, "%llu", (unsigned long long)number);
}

void tile_emu_json_bool(TileJson *json, const char *key, bool is_true) {
  begin_value(json, key);
  tile_emu_buffer_print(json->buffer, "%s", is_true ? "true" : "false");
}
