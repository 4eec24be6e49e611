//===- JsonWriter.h - JSON text, without a library ------------------------===//
//
// Values are appended to a string; commas and line breaks come by themselves.
// Inside an object every value has a key, elsewhere the key is NULL. Strings
// may hold any bytes: what is not UTF-8 becomes U+FFFD.
//
//   TileString text = {0};
//   TileJson json = {.out = &text};
//   tile_json_open(&json, NULL, '{');
//   tile_json_print_number(&json, "threads", 128);
//   tile_json_open_as(&json, "grid", '[', TILE_JSON_ROW);
//   …
//   tile_json_close(&json, ']');
//   tile_json_close(&json, '}');
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_JSON_WRITER_H
#define TILE_SUPPORT_JSON_WRITER_H

#include "StringBuilder.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the items of an object or array are laid out; those inside do likewise
/// unless they were opened with a layout of their own.
typedef enum {
  TILE_JSON_LINES, // a line each, two spaces deeper, and the closing bracket
  TILE_JSON_ROW,   // {"a": 1, "b": 2}; tile_json_break begins lines
  TILE_JSON_DENSE, // {"a":1,"b":2}
} TileJsonLayout;

enum { TILE_JSON_MAX_DEPTH = 64 };

/// An object or array that is open.
typedef struct {
  TileJsonLayout layout;
  unsigned indent; // spaces before items that begin a line
  bool has_items;
} TileJsonLevel;

/// Set `out`; the rest is zero to begin with.
typedef struct {
  TileString *out;       // borrowed
  TileJsonLayout layout; // of the outermost value
  unsigned indent;       // spaces before the line that it begins on
  unsigned depth;        // of open objects and arrays
  TileJsonLevel levels[TILE_JSON_MAX_DEPTH];
  bool is_broken; // the next value begins a line
} TileJson;

/// `bracket` is '{' or '['.
void tile_json_open(TileJson *json, const char *key, char bracket);
void tile_json_open_as(TileJson *json, const char *key, char bracket,
                       TileJsonLayout layout);
/// `bracket` is '}' or ']'. A line ends after the outermost one of LINES.
void tile_json_close(TileJson *json, char bracket);
/// In a ROW: the next value begins a line, two spaces deeper than the line that
/// the row begins on.
void tile_json_break(TileJson *json);

/// NULL writes null.
void tile_json_print_string(TileJson *json, const char *key, const char *text);
void tile_json_print_string_part(TileJson *json, const char *key,
                                 const char *text, size_t size_bytes);
void tile_json_print_number(TileJson *json, const char *key, uint64_t number);
void tile_json_print_int(TileJson *json, const char *key, int64_t number);
void tile_json_print_bool(TileJson *json, const char *key, bool is_true);
/// A value that is JSON already.
void tile_json_print_text(TileJson *json, const char *key, const char *text);

/// Appends `text` as a JSON string, quotes included.
void tile_json_quote(TileString *out, const char *text, size_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_JSON_WRITER_H
