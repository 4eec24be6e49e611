//===- JsonWriter.h - JSON text, without a library ------------------------===//
//
// Values are appended to a buffer; commas and indentation come by themselves.
// Inside of an object every value has a key, elsewhere the key is NULL.
// Strings may hold any bytes: what is not UTF-8 becomes U+FFFD.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_JSON_WRITER_H
#define TILE_EMULATOR_JSON_WRITER_H

#include "Findings.h"

typedef struct TileJson {
  TileBuffer *buffer; // borrowed
  uint32_t depth;
  bool has_items;  // at this depth
  bool is_compact; // one line for what is opened from now on
} TileJson;

/// `bracket` is '{' or '['.
void tile_emu_json_open(TileJson *json, const char *key, char bracket);
/// `bracket` is '}' or ']'.
void tile_emu_json_close(TileJson *json, char bracket);
/// NULL writes null.
void tile_emu_json_string(TileJson *json, const char *key, const char *text);
void tile_emu_json_string_part(TileJson *json, const char *key,
                               const char *text, size_t length);
void tile_emu_json_number(TileJson *json, const char *key, uint64_t number);
void tile_emu_json_bool(TileJson *json, const char *key, bool is_true);

#endif // TILE_EMULATOR_JSON_WRITER_H
